#!/usr/bin/env python3
"""Proves what a role can force in the games of a published study, checks the strategies, and records the processor seconds.

    cargo build --release -p ludex-cli && cargo build --release -p ludex-solve --examples
    scripts/strategies.py
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import records

# The game, how its rules are made, the question, the seconds of the study where it has them.
GAMES = [
    ("breakthrough 3x5", "boards breakthrough 3 5", "white 100", 92),
    ("breakthrough 4x4", "boards breakthrough 4 4", "white 100", 19),
    ("connect four 5x5", "connect_four 5 5", "red 100", 136),
    ("dots and boxes 2x3", "boards dots 2 3", "one 100", None),
    ("shape I3, 4x4", "boards polyomino 4 4 I3", "first 100", None),
    ("shape L3, 4x4", "boards polyomino 4 4 L3", "first 100", None),
    ("shape L4, 4x4", "boards polyomino 4 4 L4", "first 100", None),
    ("shape S4, 4x4", "boards polyomino 4 4 S4", "first 100", None),
    ("shape T4, 4x4", "boards polyomino 4 4 T4", "first 100", None),
    ("shape I4, 4x4", "boards polyomino 4 4 I4", "first 100", None),
    ("shape O4, 4x4", "boards polyomino 4 4 O4", "first 100", None),
]
COLUMNS = ["game", "question", "answer", "states", "strategy", "seconds", "study_seconds", "check_seconds"]


def timed(command):
    """The answer in JSON, and the processor time of a command."""
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        out.seek(0)
        return json.loads(out.readline()), usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ludex", default="target/release/ludex")
    parser.add_argument("--examples", type=pathlib.Path, default=pathlib.Path("target/release/examples"))
    parser.add_argument("--threads", default="2")
    args = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        rules, strategy = pathlib.Path(folder, "rules.kif"), pathlib.Path(folder, "strategy")
        for name, made, question, study in GAMES:
            program, *words = made.split()
            text = subprocess.run([args.examples / program, *words], check=True, capture_output=True).stdout
            rules.write_bytes(text)
            common = [args.ludex, "solve", rules, "--threads", args.threads, "--json"]
            answer, seconds = timed([*common, "--strategy", *question.split(), "-o", strategy])
            checked, check_seconds = timed([*common, "--check", strategy])
            assert checked["accepted"], f"{name}: {checked}"
            rows.append([name, question, answer["answer"], answer["searched"], answer["strategy"], f"{seconds:.2f}",
                         study if study else "", f"{check_seconds:.2f}"])
            print(*rows[-1], sep="\t", flush=True)
    about = "Proving by search what a role can force, and checking the strategies on the reference engine: processor " \
            "seconds; the study's are those of the best of three solvers on a laptop"
    records.write("strategies", COLUMNS, rows, about, "scripts/strategies.py")


if __name__ == "__main__":
    main()
