"""The licences of all dependencies let anybody use and distribute the service."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

LOCKED = Path(__file__).parents[1] / "requirements" / "run.txt"
PACKAGES = re.findall(r"^([a-z0-9_.-]+)(?:\[[^]]*\])?==", LOCKED.read_text(), re.MULTILINE)

# The LGPL requires only that users can replace the library, which they can.
ALLOWED = {
    *("MIT", "MIT-0", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC", "PSF-2.0"),
    *("Unlicense", "LGPL-3.0-only"),
    *("MIT License", "BSD License", "Apache Software License", "The Unlicense (Unlicense)"),
}


def declared(package: str) -> set[str]:
    """Return the licences that the package declares: SPDX identifiers, else its classifiers."""
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
    # A package that declares no licence contains its text.
    (text,) = (
        file.read_text()
        for file in installed.files or ()
        if file.name in {"LICENSE", "LICENSE.txt"}
    )
    return {text.splitlines()[0].strip()}


@pytest.mark.parametrize("package", PACKAGES)
def test_the_licence_of_every_package_is_allowed(package: str) -> None:
    """Packages for other operating systems are locked but not installed here."""
    try:
        licences = declared(package)
    except PackageNotFoundError:
        assert package in {"async-timeout", "colorama", "greenlet", "tzdata"}
        return

    assert licences
    assert licences <= ALLOWED
