"""What the service is built on may be used and handed on by anybody who runs it."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

LOCKED = Path(__file__).parents[1] / "requirements" / "run.txt"
PACKAGES = re.findall(r"^([a-z0-9_.-]+)(?:\[[^]]*\])?==", LOCKED.read_text(), re.MULTILINE)

# A library under the LGPL is used as it is and can be replaced, which is all that it asks for.
ALLOWED = {
    *("MIT", "MIT-0", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC", "PSF-2.0"),
    *("Unlicense", "LGPL-3.0-only"),
    *("MIT License", "BSD License", "The Unlicense (Unlicense)"),
}


def declared(package: str) -> set[str]:
    """The licences that the package names, as identifiers of SPDX, else by its classifiers."""
    installed = distribution(package)
    if "License-Expression" in installed.metadata:
        return set(re.split(r" (?:AND|OR) ", installed.metadata["License-Expression"]))
    names = {
        classifier.rpartition(" :: ")[2]
        for classifier in installed.metadata.get_all("Classifier") or []
        if classifier.startswith("License ::")
    }
    if names:
        return names
    if "License" in installed.metadata:
        return {installed.metadata["License"]}
    # A package that declares none has its text with it.
    (text,) = (
        file.read_text()
        for file in installed.files or ()
        if file.name in {"LICENSE", "LICENSE.txt"}
    )
    return {text.splitlines()[0].strip()}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_licence_of_every_package_is_one_of_those_allowed(package: str) -> None:
    """Of all that is locked; some are for other systems, and not here."""
    try:
        licences = declared(package)
    except PackageNotFoundError:
        assert package in {"async-timeout", "colorama", "greenlet", "tzdata"}
        return

    assert licences
    assert licences <= ALLOWED
