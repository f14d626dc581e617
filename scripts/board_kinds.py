#!/usr/bin/env python3
"""Counts the kinds of boards that scripts/contact-sheet.sh found into records/boards.csv.

    scripts/board_kinds.py BOARDS.tsv

Python 3, standard library only. Called by scripts/contact-sheet.sh --update.
"""

import collections
import csv
import sys

import records

KINDS = ["grid", "hex", "track", "pits", "graph", "hand", "none"]
ABOUT = (
    "Kinds of boards found in the public sheets: how many have it as their main board, and how many boards beside a main one "
    "are of it. Sheets with none are drawn as lists"
)


def main():
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        sheets = list(csv.DictReader(file, delimiter="\t"))
    broken = [sheet["sheet"] for sheet in sheets if sheet["main"].startswith("error")]
    if broken:
        sys.exit(f"not drawn: {', '.join(broken)}")
    main_boards = collections.Counter(sheet["main"] for sheet in sheets)
    others = collections.Counter(
        board.split(" ")[0] for sheet in sheets for board in sheet["others"].split(", ") if board
    )
    rows = [[kind, main_boards[kind], others[kind]] for kind in KINDS]
    records.write("boards", ["kind", "main", "beside"], rows, ABOUT, "scripts/contact-sheet.sh --update")


main()
