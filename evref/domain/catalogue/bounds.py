"""How long the texts of a record may be, in characters, and what a slug looks like.

The only description: the rules of the domain and the schemas of the API are made from it, and the
JSON Schema of catalogue files is tested against it.
"""

from __future__ import annotations

from evref.domain.rules import Length

DIAGNOSIS_ID = Length(1, 64)
DIAGNOSIS_NAME = Length(1, 120)
TERM = Length(2, 80)
REVIEWER = Length(1, 200)
SCOPE = Length(20, 300)
MOST_MAINSTAYS = 5

INTERVENTION_ID = Length(1, 96)
INTERVENTION_TITLE = Length(5, 120)
SUMMARY = Length(80, 700)
CAUTIONS = Length(40, 300)
FITT_VP_ELEMENT = Length(1, 500)

OUTCOME = Length(3, 80)
COMPARISON = Length(3, 80)
UNIT = Length(1, 80)
MOST_EFFECTS = 3

SOURCE_GRADE = Length(1, 500)
REFERENCE_TITLE = Length(1, 1000)
AUTHORS = Length(1, 1000)
SOURCE = Length(1, 500)
