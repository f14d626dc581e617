#!/usr/bin/env python3
"""Records the vocabulary of every public rule sheet: records/vocabulary.csv.

    cargo build --release
    python3 scripts/vocabulary-table.py

Runs `ludex debug domains` on each sheet of $LUDEX_SHARED/games (else ../shared/games). Seconds are
processor time of the whole command: start, reading, checking, argument domains and vocabulary.
LUDEX names the binary, if it is not target/release/ludex. Standard library only.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import records

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("LUDEX_SHARED", ROOT.parent / "shared"))
LUDEX = os.environ.get("LUDEX", str(ROOT / "target/release/ludex"))
ABOUT = "The vocabulary of every public sheet; processor seconds of the whole command"
COLUMNS = ["sheet", "fits", "seconds", "fluents", "moves", "moves_of_the_role_with_most"]


def measure(sheet):
    """(seconds, fluents, moves of each role), or (seconds, None, reason)."""
    process = subprocess.Popen(
        [LUDEX, "debug", "domains", str(sheet)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    text = process.stdout.read().decode("utf-8", "replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    seconds = usage.ru_utime + usage.ru_stime
    vocabulary = text.rpartition("\nvocabulary\n")[2]
    fluents = re.search(r"^  (\d+) fluents?$", vocabulary, re.M)
    if process.returncode != 0 or fluents is None:
        lines = text.strip().splitlines()
        return seconds, None, lines[-1] if lines else f"exit status {process.returncode}"
    moves = [int(n) for n in re.findall(r"^  (\d+) moves? of .+$", vocabulary, re.M)]
    return seconds, int(fluents.group(1)), moves


def main():
    sheets = sorted((SHARED / "games").glob("*.kif"))
    if not sheets:
        sys.exit(f"no rule sheets in {SHARED / 'games'}; set LUDEX_SHARED")
    rows = []
    for sheet in sheets:
        seconds, fluents, moves = measure(sheet)
        fits = "yes" if fluents is not None else f"no: {moves}"
        counts = [fluents, sum(moves), max(moves, default=0)] if fluents is not None else ["", "", ""]
        rows.append([sheet.stem, fits, f"{seconds:.2f}", *counts])
        print(f"\r{len(rows)}/{len(sheets)} {sheet.stem:40}", end="", file=sys.stderr)
    print(file=sys.stderr)
    records.write("vocabulary", COLUMNS, rows, ABOUT, "scripts/vocabulary-table.py")


if __name__ == "__main__":
    main()
