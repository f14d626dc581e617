"""Where the public rule sheets are, and what is said when they are not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("LUDEX_SHARED", ROOT.parent / "shared"))


def sheet(name: str) -> str:
    """The path of a public sheet; the test is skipped, and says so, without it."""
    path = SHARED / "games" / f"{name}.kif"
    if not path.exists():
        pytest.skip(f"NOT RUN: no public sheet {name} (LUDEX_SHARED)")
    return str(path)


def sheets() -> list[str]:
    """The names of all public sheets, none if they are not there."""
    return sorted(path.stem for path in (SHARED / "games").glob("*.kif"))
