"""The measurements of `bench-peers.sh`, which sets LUDEX and LUDEX_SHARED and passes its arguments on.

Writes records/speed.csv, speed-peers.csv and speed-hand-written.csv. The peers' figures are read from
$LUDEX_SHARED/peers/README.md: cells such as `134k (3.00M)`, of which the number in brackets, state transitions a
second, is compared.
"""

import json
import os
import re
import subprocess
import sys

import records

LUDEX, SHARED = os.environ["LUDEX"], os.environ["LUDEX_SHARED"]


def peers():
    """The first table of the peers' page: its column names, and for each game its cells."""
    with open(f"{SHARED}/peers/README.md", encoding="utf-8") as page:
        lines = [line.strip() for line in page]
    start = next(i for i, line in enumerate(lines) if line.startswith("| game |"))
    cells = lambda line: [cell.strip() for cell in line.strip("|").split("|")]
    names = cells(lines[start])[1:]
    rows = {}
    for line in lines[start + 2:]:
        if not line.startswith("|"):
            break
        game, *rest = cells(line)
        rows[game.split()[0]] = dict(zip(names, rest))
    return names, rows


def transitions(cell):
    """The number in brackets, or None."""
    found = re.search(r"\(([\d.]+)([kM]?)\)", cell)
    if not found:
        return None
    return float(found[1]) * {"": 1, "k": 1e3, "M": 1e6}[found[2]]


# Other users of the processor make a run slower and never faster, so the best of so many counts, for Ludex and for the
# hand-written programs alike.
RUNS = 3

# An engine that takes longer than this to build, in seconds, is run once.
LONG_BUILD = 2


def bench(game, engine, seconds):
    """States a second and the seconds to build, or the reason why there are none: the best of some runs."""
    best = run(game, engine, seconds)
    for _ in range(RUNS - 1):
        if best[0] and best[1] < LONG_BUILD:
            best = max(best, run(game, engine, seconds), key=lambda found: found[0] or 0)
    return best


def run(game, engine, seconds):
    """One run."""
    command = [LUDEX, "bench", f"{SHARED}/games/{game}.kif", "--engine", engine, "--seconds", seconds, "--json"]
    print(" ".join(command), file=sys.stderr)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()
        return None, None, reason[-1].rpartition(": ")[2] if reason else "failed"
    answer = json.loads(done.stdout.splitlines()[-1])
    return answer["transitions"] / answer["cpu_seconds"], answer["build_seconds"], None


def yardstick(seconds):
    """States a second of the hand-written programs, measured now: the machine's own speed.

    Cargo takes compiler flags from the folder it is started in, not from that of the manifest. The programs have
    flags of their own, without which they are several times slower, so Cargo is started there.
    """
    command = ["cargo", "run", "--release", "--locked", "--quiet", "--target-dir",
               os.path.abspath("target/yardstick"), "--", seconds, "1"]
    print(" ".join(command), file=sys.stderr)
    best = {}
    for _ in range(RUNS):
        done = subprocess.run(command, cwd=f"{SHARED}/yardstick", capture_output=True, text=True, check=True)
        for game, figure in re.findall(r"^RES handmade (\w+) playouts/s \S+ trans/s (\d+)", done.stdout, re.M):
            best[game.lower()] = max(float(figure), best.get(game.lower(), 0))
    return best


# The peers by the beginning of their columns on the page.
PEERS = {"ggp_base_prover": "GGP-Base", "yap_prolog": "YAP", "swi_prolog": "SWI", "galvanise": "galvanise", "sancho": "Sancho"}


def main():
    seconds = sys.argv[1] if len(sys.argv) > 1 else "5"
    command = f"scripts/bench-peers.sh {seconds}"
    names, rows = peers()
    column = {key: next(name for name in names if name.startswith(start)) for key, start in PEERS.items()}
    hand = next(name for name in names if name.startswith("hand-written"))
    figure = lambda cell: f"{transitions(cell):.0f}" if transitions(cell) else cell
    records.write("speed-peers", ["game", *PEERS], [[game, *(figure(row[column[key]]) for key in PEERS)] for game, row in rows.items()],
                  "State transitions a second of other systems, as published in the file peers/README.md of the shared "
                  "folder; words say why there is none", f"copied by {command}")
    ours = []
    for engine in ["datalog", "tree", "propnet"]:
        for game in rows:
            states, build, reason = bench(game, engine, seconds)
            ours.append([engine, game, f"{states:.0f}" if states else f"declined: {reason}", f"{build:.2f}" if states else ""])
    records.write("speed", ["engine", "game", "states_per_second", "build_seconds"], ours,
                  f"Speed of random play of each engine, the best of {RUNS} runs of {seconds} s of processor time", command)
    programs = [[game, f"{states:.0f}", f"{transitions(rows[game][hand]):.0f}"] for game, states in yardstick(seconds).items()]
    records.write("speed-hand-written", ["game", "hand_written", "hand_written_on_the_peers_page"], programs,
                  "States a second of programs that know one game each, measured in the same run as `speed`, and as published",
                  command)


main()
