"""Every block of the pages about Python runs, one after the other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from conftest import ROOT

PAGES = ["docs/python.md", "python/README.md"]


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page: str) -> None:
    text = (ROOT / page).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks, page
    names: dict[str, object] = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"{page} block {number + 1}", "exec"), names)


def test_the_version_is_the_workspace_s() -> None:
    cargo = (ROOT / "Cargo.toml").read_text()
    version = re.search(r'\[workspace\.package\]\s*\nversion = "([^"]+)"', cargo)
    assert version and f'version = "{version[1]}"' in Path(ROOT / "python/Cargo.toml").read_text()
