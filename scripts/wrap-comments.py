#!/usr/bin/env python3
"""Wraps comments of Rust files that an editor would have to scroll for: rustfmt leaves them as they are.

    scripts/wrap-comments.py [--check] [FILE...]

A paragraph of `//`, `///` or `//!` lines of which one is longer than 120 columns is filled anew, to 110; code
blocks, tables and lists keep their shape. Without FILE, every Rust file of the project. --check changes nothing and
ends with status 1, with
the places. Python 3, standard library only.
"""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 110
MOST = 120
COMMENT = re.compile(r"^(\s*)(//[/!]?) ?(.*)$")
ITEM = re.compile(r"^(\s*(?:[-*]|\d+\.)\s+)")


def words(text):
    """Words, with what stands between backticks or brackets of a link kept together."""
    found, open_ = [], ""
    for word in text.split():
        open_ = f"{open_} {word}".strip()
        if open_.count("`") % 2 == 0 and open_.count("[") <= open_.count("]"):
            found.append(open_)
            open_ = ""
    return found + open_.split()


def fill(lead, paragraph):
    """The lines of a paragraph, `lead` before each."""
    item = ITEM.match(paragraph[0])
    first = item[1] if item else re.match(r"\s*", paragraph[0])[0]
    rest = " " * len(first)
    lines, line, empty = [], first, True
    for word in words(" ".join([paragraph[0][len(first):], *paragraph[1:]])):
        if not empty and len(lead) + 1 + len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line, empty = rest, True
        line += word if empty else f" {word}"
        empty = False
    return [f"{lead} {text}".rstrip() for text in lines + [line]]


def wrapped(text):
    """The text with its comments wrapped."""
    out, run, code, key = [], [], False, None

    def flush():
        nonlocal run
        if run and any(len(f"{key} {line}") > MOST for line in run):
            out.extend(fill(key, run))
        else:
            out.extend(f"{key} {line}".rstrip() for line in run)
        run = []

    for line in text.split("\n"):
        found = COMMENT.match(line)
        lead = found and found[1] + found[2]
        if not found or lead != key:
            flush()
            code, key = False, lead
        if not found:
            out.append(line)
            continue
        content = found[3]
        fence = content.lstrip().startswith("```")
        code ^= fence
        if code or fence or not content.strip() or content.lstrip().startswith(("|", "#", "<")) or re.match(r"\s{4}|\[.*\]:", content):
            flush()
            out.append(line)
            continue
        if ITEM.match(content):
            flush()
        run.append(content)
    flush()
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; status 1 if something is too long")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    listed = subprocess.run(["git", "ls-files", "*.rs"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = arguments.files or [ROOT / name for name in listed.stdout.splitlines()]
    changed = 0
    for file in files:
        text = file.read_text(encoding="utf-8")
        new = wrapped(text)
        if new != text:
            changed += 1
            print(file)
            if not arguments.check:
                file.write_text(new, encoding="utf-8")
    return 1 if arguments.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
