#!/usr/bin/env python3
"""Prints the measured part of docs/vocabulary.md: the vocabulary of every public rule sheet.

    cargo build --release
    python3 scripts/vocabulary-table.py             # prints it
    python3 scripts/vocabulary-table.py --update    # rewrites it in the page


Runs `ludex debug domains` on each sheet of $LUDEX_SHARED/games (else ../shared/games). Seconds are
processor time of the whole command: start, reading, checking, argument domains and vocabulary.
LUDEX names the binary, if it is not target/release/ludex. Standard library only.
"""

import contextlib
import io
import os
import re
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("LUDEX_SHARED", ROOT.parent / "shared"))
LUDEX = os.environ.get("LUDEX", str(ROOT / "target/release/ludex"))
PAGE = ROOT / "docs/vocabulary.md"
# Everything below this line of the page is written by this script.
MARKER = "<!-- scripts/vocabulary-table.py --update -->\n"


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


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(share * len(values)))]


def main():
    if sys.argv[1:] != ["--update"]:
        return table()
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        table()
    above, marker, _ = PAGE.read_text(encoding="utf-8").partition(MARKER)
    PAGE.write_text(above + marker + "\n" + text.getvalue(), encoding="utf-8")


def table():
    sheets = sorted((SHARED / "games").glob("*.kif"))
    if not sheets:
        sys.exit(f"no rule sheets in {SHARED / 'games'}; set LUDEX_SHARED")
    rows = []
    for sheet in sheets:
        rows.append((sheet.stem, *measure(sheet)))
        print(f"\r{len(rows)}/{len(sheets)} {sheet.stem:40}", end="", file=sys.stderr)
    print(file=sys.stderr)
    fits = [row for row in rows if row[2] is not None]
    print("## Summary\n")
    print(f"Sheets: {len(rows)}. The vocabulary fits the default limits: {len(fits)}.\n")
    print("| | median | 90 % | 99 % | largest |")
    print("|---|---|---|---|---|")
    for what, value, form in [
        ("fluents", lambda r: r[2], "{:,}"),
        ("words of 64 bits a state", lambda r: -(-r[2] // 64), "{:,}"),
        ("moves, all roles", lambda r: sum(r[3]), "{:,}"),
        ("moves of the role with most", lambda r: max(r[3], default=0), "{:,}"),
        ("seconds", lambda r: r[1], "{:.2f}"),
    ]:
        values = [value(row) for row in fits]
        most = max(fits, key=value)
        figures = [statistics.median_low(values), percentile(values, 0.9), percentile(values, 0.99)]
        cells = [form.format(f) for f in figures]
        print(f"| {what} | {' | '.join(cells)} | {form.format(value(most))} ({most[0]}) |")
    slow = sorted(fits, key=lambda row: -row[1])[:10]
    print(f"\n{sum(row[1] < 0.1 for row in rows)} sheets take less than 0.1 s, "
          f"{sum(row[1] < 1 for row in rows)} less than 1 s. The slowest: "
          + ", ".join(f"{row[0]} {row[1]:.1f} s" for row in slow) + ".\n")
    print("## All sheets\n")
    print("| sheet | fits | seconds | fluents | moves, all roles | moves, most of a role |")
    print("|---|---|---|---|---|---|")
    for name, seconds, fluents, moves in rows:
        if fluents is None:
            print(f"| {name} | no: {moves} | {seconds:.2f} | | | |")
        else:
            print(f"| {name} | yes | {seconds:.2f} | {fluents:,} | {sum(moves):,} | {max(moves, default=0):,} |")


if __name__ == "__main__":
    main()
