#!/usr/bin/env python3
"""Does every command keep its time and its memory on every sheet?

Runs commands one after the other over sheets and lists those that took longer, or held more memory, than they were
allowed, worst first. A command may overrun its time by a tenth or by half a second, whichever is more, and its
memory by a tenth. Exit status 1 if one did.

    scripts/keep-limits.py                              all sheets of ../shared/games, the usual commands, 5 seconds
    scripts/keep-limits.py --time 2 chess amazons       two sheets
    scripts/keep-limits.py --memory 500 --command "solve {} --time {time} --memory {memory}" chess

`{}` in a command stands for the sheet, `{time}` and `{memory}` for the limits. On a busy machine the processor time
tells more than the clock: both are listed, and what a command did in its processor time is what counts with --cpu.
"""

import argparse
import json
import os
import pathlib
import resource
import shlex
import subprocess
import sys
import time

COMMANDS = [
    "prove {} --discover --time {time} --memory {memory}",
    "endgame build {} -o /dev/null --time {time} --memory {memory}",
    "solve {} --time {time} --memory {memory}",
    "simulate {} --time {time} --memory {memory}",
    "perft {} --depth 3 --time {time} --memory {memory}",
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheets", nargs="*", help="names in the folder, or files; all of the folder if none is named")
    parser.add_argument("--games", default="../shared/games", help="the folder of sheets")
    parser.add_argument("--ludex", default="target/release/ludex", help="the program")
    parser.add_argument("--time", type=float, default=5.0, help="seconds that each command is allowed")
    parser.add_argument("--memory", type=int, default=2000, help="megabytes that each command is allowed")
    parser.add_argument("--command", action="append", help="a command instead of the usual ones; may be repeated")
    parser.add_argument("--cpu", action="store_true", help="judge by processor time, for a busy machine")
    parser.add_argument("--json", help="write every run to this file, one object a line")
    return parser.parse_args()


def sheets(args):
    folder = pathlib.Path(args.games)
    if not args.sheets:
        return sorted(folder.glob("*.kif"))
    named = [pathlib.Path(name) for name in args.sheets]
    return [path if path.exists() else folder / f"{path.name.removesuffix('.kif')}.kif" for path in named]


def run(program, command, sheet, args):
    words = [word.format(sheet, time=args.time, memory=args.memory) for word in shlex.split(command)]
    # Whatever does not end by itself is ended: an overrun tenfold tells enough.
    patience = 10 * args.time + 30
    started = time.monotonic()
    child = subprocess.Popen([program, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, complaint = child.communicate(timeout=patience)
        ended = True
    except subprocess.TimeoutExpired:
        child.kill()
        _, complaint = child.communicate()
        ended = False
    wall = time.monotonic() - started
    return {
        "sheet": sheet.stem, "command": words[0], "status": child.returncode if ended else "killed",
        "wall": round(wall, 2), "complaint": (complaint.strip().splitlines() or [""])[-1][:200],
    }


def measured(program, command, sheet, args):
    """One run in a process of its own, whose children's usage is that of the run."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        result = run(program, command, sheet, args)
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        result["cpu"] = round(usage.ru_utime + usage.ru_stime, 2)
        result["megabytes"] = usage.ru_maxrss // 1024
        os.write(writing, json.dumps(result).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text)


def main():
    args = arguments()
    commands = args.command or COMMANDS
    most_time = max(1.1 * args.time, args.time + 0.5)
    most_memory = 1.1 * args.memory
    listing = open(args.json, "w") if args.json else None
    overruns, runs, worst = [], 0, (0.0, "")
    for sheet in sheets(args):
        for command in commands:
            result = measured(args.ludex, command, sheet, args)
            runs += 1
            spent = result["cpu"] if args.cpu else result["wall"]
            worst = max(worst, (spent, f"{result['command']} {result['sheet']}"))
            late = spent > most_time or (result["status"] == "killed")
            large = result["megabytes"] > most_memory
            broken = isinstance(result["status"], int) and (result["status"] < 0 or result["status"] > 2)
            if listing:
                print(json.dumps(result), file=listing, flush=True)
            if late or large or broken:
                overruns.append((spent, result))
                print(
                    f"{result['sheet']:<28} {result['command']:<9} {result['wall']:>7.2f} s {result['cpu']:>7.2f} s cpu "
                    f"{result['megabytes']:>6} MB  status {result['status']}  {result['complaint']}",
                    flush=True,
                )
    print(f"{runs} runs, {len(overruns)} beyond their limits; the longest took {worst[0]:.2f} s ({worst[1]})")
    sys.exit(1 if overruns else 0)


if __name__ == "__main__":
    main()
