"""A valid catalogue file, ways to spoil a line of it, and the faults that reading then tells."""

from pathlib import Path

import pytest

from evref.adapters.outbound.yaml import YamlCatalogueFiles
from evref.domain.catalogue.catalogue import Catalogue
from evref.domain.errors import FileFault, InvalidCatalogueError

KNEE = """\
id: knee-osteoarthritis
name: Knee osteoarthritis
icd10: ["M17"]
icd11: ["FA01"]
enabled_modules: [fitt_vip, home]
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


def knee_with(changes: dict[int, str]) -> str:
    """The valid file with lines, counted from 1, replaced, or left out where the text is empty."""
    lines = KNEE.splitlines(keepends=True)
    for line, text in changes.items():
        lines[line - 1] = f"{text}\n" if text else ""
    return "".join(lines)


def read(*paths: Path) -> Catalogue:
    return YamlCatalogueFiles().read(paths, lambda _done, _total: None)


def faults_in(*paths: Path) -> tuple[FileFault, ...]:
    """What reading the paths tells; it must tell something."""
    with pytest.raises(InvalidCatalogueError) as refused:
        read(*paths)
    return refused.value.faults


def faults_in_text(folder: Path, text: str | bytes) -> list[tuple[int | None, str]]:
    """Line and message of each fault in a file with this text."""
    path = folder / "file.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    faults = faults_in(path)
    assert {fault.file for fault in faults} == {str(path)}
    return [(fault.line, fault.message) for fault in faults]
