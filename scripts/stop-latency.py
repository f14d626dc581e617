#!/usr/bin/env python3
"""How long work goes on after it was called off.

Starts `ludex endgame build` on a sheet, which stops by itself on Ctrl-C, interrupts it at moments spread over its run and
measures how long it takes to end: by the clock, and in processor time, which tells more on a busy machine.

    scripts/stop-latency.py ../shared/games/chess.kif --every 1 --until 20
"""

import argparse
import os
import resource
import signal
import subprocess
import time


def processor_seconds(pid):
    with open(f"/proc/{pid}/stat") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stopped(program, sheet, moment):
    """Seconds by the clock and of the processor between the interruption and the end; None if it ended before."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "endgame", "build", sheet, "-o", os.devnull, "--time", "1000", "--memory", "4000"]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        child.wait(timeout=moment)
        return None
    except subprocess.TimeoutExpired:
        spent, started = processor_seconds(child.pid), time.monotonic()
        child.send_signal(signal.SIGINT)
        child.wait()
    wall = time.monotonic() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, max(0.0, used - spent), spent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sheet")
    parser.add_argument("--ludex", default="target/release/ludex")
    parser.add_argument("--every", type=float, default=1.0, help="seconds between two moments")
    parser.add_argument("--until", type=float, default=20.0, help="the last moment")
    args = parser.parse_args()
    worst, moment = (0.0, 0.0), args.every
    print(f"{'after s':>8} {'of cpu s':>9} {'clock ms':>9} {'cpu ms':>7}")
    while moment <= args.until:
        found = stopped(args.ludex, args.sheet, moment)
        if found is None:
            break
        wall, cpu, spent = found
        print(f"{moment:>8.1f} {spent:>9.2f} {1000 * wall:>9.0f} {1000 * cpu:>7.0f}", flush=True)
        worst = max(worst[0], wall), max(worst[1], cpu)
        moment += args.every
    print(f"at most {1000 * worst[0]:.0f} ms by the clock, {1000 * worst[1]:.0f} ms of the processor")


if __name__ == "__main__":
    main()
