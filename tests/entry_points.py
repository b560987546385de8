"""Entry points as those of installed packages, for tests that install nothing."""

from collections.abc import Mapping
from pathlib import Path


def offer(folder: Path, package: str, groups: Mapping[str, Mapping[str, str]]) -> None:
    """Write the entry points of a package, by group and name, to a folder of the path."""
    metadata = folder / f"{package.replace('-', '_')}-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    lines = [
        line
        for group, named in groups.items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in named.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
