#!/usr/bin/env python3
"""Compares an engine with every record of the oracle, one `ludex replay` a record, and prints what came out.

    cargo build --release
    python3 scripts/replay-all.py tree                        # the rules as they are
    python3 scripts/replay-all.py tree --encodings direct,pruned,relevant

Reads $LUDEX_SHARED/oracle and the sheets of $LUDEX_SHARED/games (else ../shared). LUDEX names the binary, if it is not
target/release/ludex. A record that takes more than PATIENCE seconds of processor time (300) is listed as not finished.
Ends with status 1 if a record differs or was not finished. Standard library only.
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("LUDEX_SHARED", ROOT.parent / "shared"))
LUDEX = os.environ.get("LUDEX", str(ROOT / "target/release/ludex"))
PATIENCE = int(os.environ.get("PATIENCE", "300"))


def bounded():
    resource.setrlimit(resource.RLIMIT_CPU, (PATIENCE, PATIENCE + 1))


def compare(record, engine, encoding):
    """(steps, None) where the record agrees, else (0, why not)."""
    sheet = SHARED / "games" / (record.name.removesuffix(".jsonl.gz").removesuffix(".tail") + ".kif")
    command = [LUDEX, "replay", str(sheet), str(record), "--json", "--engine", engine, "--encoding", encoding]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", preexec_fn=bounded)
    if done.returncode == -signal.SIGXCPU:
        return 0, f"not finished in {PATIENCE} s"
    if done.returncode != 0 or not done.stdout:
        return 0, (done.stdout + done.stderr).strip()[:300]
    return json.loads(done.stdout)["steps"], None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("engine")
    parser.add_argument("--encodings", default="original")
    arguments = parser.parse_args()
    records = sorted((SHARED / "oracle").glob("*.jsonl.gz"))
    if not records:
        sys.exit(f"no records in {SHARED / 'oracle'}")
    good = True
    for encoding in arguments.encodings.split(","):
        agreed, steps = 0, 0
        for record in records:
            more, why = compare(record, arguments.engine, encoding)
            steps += more
            agreed += why is None
            if why is not None:
                print(f"{arguments.engine} {encoding} {record.name}: {why}", flush=True)
        good &= agreed == len(records)
        print(f"{arguments.engine} {encoding}: {agreed} of {len(records)} records agree, {steps} steps", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
