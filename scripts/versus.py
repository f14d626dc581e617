#!/usr/bin/env python3
"""One build of the player against another over the wire, one core each: points with 95 % intervals.

    scripts/versus.py OLD NEW SHEETS... [--matches 20] [--startclock 3] [--playclock 1]

OLD and NEW are programs `ludex`. Both play as processes of their own with one searching thread, each kept to a
core of its own where the system has `taskset` and two cores; NEW's `match` command is the manager. Sides are swapped
after each match. A sheet counts the mean goal of NEW, in per cent; moves that came late or were not legal are told.
A null match is one with the same program twice.
"""

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def player(program, core):
    """Starts a player on a free port; the process and the port."""
    command = [program, "player", "--port", "0", "--threads", "1", "-v"]
    if shutil.which("taskset") and (os.cpu_count() or 1) > 1:
        command = ["taskset", "-c", str(core)] + command
    log = tempfile.NamedTemporaryFile("w+", suffix=".log", delete=False)
    process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    for _ in range(200):
        found = re.search(r":(\d+)", Path(log.name).read_text())
        if found:
            return process, int(found.group(1)), log.name
        time.sleep(0.05)
    process.kill()
    sys.exit(f"{program} player: no port was shown; its output is in {log.name}")


def one_match(manager, sheet, seats, args):
    """The goals of one match in the order of the seats, and the complaints."""
    command = [manager, "match", sheet, *seats, "--startclock", str(args.startclock), "--playclock",
               str(args.playclock), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=3600)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    answer = json.loads(done.stdout.splitlines()[0])
    return answer["goals"], len([error for error in answer["errors"] if error])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("sheets", nargs="+")
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--startclock", type=float, default=3)
    parser.add_argument("--playclock", type=float, default=1)
    args = parser.parse_args()
    for sheet in args.sheets:
        points, faults = [], 0
        for number in range(args.matches):
            old, new = player(args.old, 0), player(args.new, 1)
            try:
                seats = [f"localhost:{new[1]}", f"localhost:{old[1]}"]
                mine = number % 2
                goals, complaints = one_match(args.new, sheet, seats if mine == 0 else seats[::-1], args)
                said = re.findall(r"plays by ([^\n]*)", Path(new[2]).read_text())
            finally:
                for process, _, log in (old, new):
                    process.terminate()
                    process.wait()
                    os.unlink(log)
            points.append(goals[mine])
            faults += complaints
            print(f"  {Path(sheet).stem} match {number + 1}: {goals[mine]} to {goals[1 - mine]}"
                  + "".join(f", by {words}" for words in said[-1:]), flush=True)
        mean = sum(points) / len(points)
        variance = sum((p - mean) ** 2 for p in points) / max(1, len(points) - 1)
        interval = 1.96 * math.sqrt(variance / len(points))
        print(f"{Path(sheet).stem}: {mean:.1f} ± {interval:.1f} in {len(points)} matches, {faults} late or illegal moves",
              flush=True)


main()
