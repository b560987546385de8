"""A valid catalogue file, and helpers that change it and read it."""

from pathlib import Path

import pytest

from evref.adapters.outbound.files import YamlCatalogueFiles
from evref.domain.catalogue.catalogue import Catalogue
from evref.ports.catalogue import FileFault, InvalidCatalogueError

KNEE = """\
id: knee-osteoarthritis
name: Knee osteoarthritis
icd10: ["M17"]
icd11: ["FA01"]
enabled_modules: [fitt_vip, home]
checked_on: "2026-11-21"
interventions:
  - id: knee-osteoarthritis-strength
    module: fitt_vip
    phase: chronic
    title: Strength training
    summary: >-
      A guideline describes strength training for people with
      osteoarthritis of the knee, whatever their age and weight.
    fitt_vp:
      frequency: Twice a week
      intensity: null
      time: null
      type: Strength
      volume: null
      progression: null
    evidence:
      certainty: moderate
      recommendation: strong_for
      direction: for
      source_grade: "ACR/AF 2019: strongly recommended"
    references: [kolasinski-2020]
  - id: knee-osteoarthritis-home
    module: home
    phase: subacute
    title: Exercise at home
    summary: >-
      A second guideline describes exercise at home for people
      with osteoarthritis of the knee, at first under supervision.
    evidence:
      certainty: not_graded
      recommendation: not_stated
      direction: unclear
      source_grade: null
    references: [nice-2022, kolasinski-2020]
references:
  kolasinski-2020:
    title: Guideline for the Management of Osteoarthritis
    authors: Kolasinski SL, Neogi T, Hochberg MC, et al.
    year: 2020
    source: Arthritis & Rheumatology
    kind: guideline
    doi: 10.1002/art.41142
    pmid: "31908163"
  nice-2022:
    title: "Osteoarthritis in over 16s: diagnosis and management"
    authors: National Institute for Health and Care Excellence
    year: 2022
    source: National Institute for Health and Care Excellence (NG226)
    kind: guideline
    url: https://www.nice.org.uk/guidance/ng226
"""


def knee_with(old: str, new: str) -> str:
    """Return the valid file with the first occurrence of `old` replaced."""
    assert old in KNEE
    return KNEE.replace(old, new, 1)


def read(*paths: Path) -> Catalogue:
    return YamlCatalogueFiles().read(paths)


def faults_in(*paths: Path) -> tuple[FileFault, ...]:
    """Return the faults that reading the paths reports; reading must fail."""
    with pytest.raises(InvalidCatalogueError) as refused:
        read(*paths)
    return refused.value.faults


def faults_in_text(folder: Path, text: str | bytes) -> list[tuple[int | None, str]]:
    """Return the line and the message of each fault in a file with this text."""
    path = folder / "file.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return [(fault.line, fault.message) for fault in faults_in(path)]
