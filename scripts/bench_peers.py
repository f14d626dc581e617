"""The tables of `bench-peers.sh`, which sets LUDEX and LUDEX_SHARED and passes its arguments on.

The peers' figures are read from $LUDEX_SHARED/peers/README.md: cells such as `134k (3.00M)`, of which the
number in brackets, state transitions a second, is compared.
"""

import contextlib
import io
import json
import os
import re
import statistics
import subprocess
import sys

LUDEX, SHARED = os.environ["LUDEX"], os.environ["LUDEX_SHARED"]
PAGE = "docs/performance.md"
# Everything between these lines of the page is written by this script.
BEGIN, END = "<!-- scripts/bench-peers.sh --update -->\n", "<!-- end -->\n"


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


def short(figure):
    """Three digits, as the peers' page has them."""
    if figure is None:
        return ""
    for unit, letter in [(1e6, "M"), (1e3, "k")]:
        if figure >= unit:
            return f"{figure / unit:.3g}{letter}" if figure / unit < 1000 else f"{figure / unit:.0f}{letter}"
    return f"{figure:.3g}"


def ratio(ours, theirs):
    return f"{ours / theirs:.3g}" if ours and theirs else ""


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


def table(engine, columns, rows, seconds):
    """Prints one table; returns our figures, and their ratios to the best peer."""
    figures, to_best = {}, {}
    print(f"| game | {engine}, states/s | build s | " + " | ".join(f"{c} | ratio" for c in columns) + " |")
    print("|---" * (3 + 2 * len(columns)) + "|")
    ratios, doubled, compared = {}, [], 0
    for game, peer in rows.items():
        ours, build, reason = bench(game, engine, seconds)
        figures[game] = ours
        line = [game, short(ours) if ours else f"declined: {reason}", f"{build:.2f}" if ours else ""]
        for column in columns:
            theirs = transitions(peer[column])
            line += [short(theirs) or peer[column], ratio(ours, theirs)]
            if ours and theirs:
                ratios.setdefault(column, []).append((ours / theirs, game))
        best = max((transitions(peer[column]) or 0 for column in columns), default=0)
        if ours and best:
            to_best[game] = ours / best
            compared += 1
            doubled += [game] if ours >= 2 * best else []
        print("| " + " | ".join(line) + " |", flush=True)
    print()
    for column, values in ratios.items():
        value, game = min(values)
        mean = statistics.geometric_mean(ratio for ratio, _ in values)
        print(f"Lowest ratio to {column}: {value:.3g} ({game}); geometric mean {mean:.3g}.")
    if len(columns) > 1:
        print(f"At least twice the best of them on {len(doubled)} of {compared} games: {', '.join(doubled) or 'none'}.")
    print()
    return figures, to_best


def tables(seconds):
    names, rows = peers()
    find = lambda start: next(name for name in names if name.startswith(start))
    print("### datalog beside the GGP-Base prover\n")
    table("datalog", [find("GGP-Base")], rows, seconds)
    print("### tree beside Prolog and the GGP-Base prover\n")
    table("tree", [find("YAP"), find("SWI"), find("GGP-Base")], rows, seconds)
    print("### propnet beside galvanise and Sancho\n")
    figures, to_best = table("propnet", [find("galvanise"), find("Sancho")], rows, seconds)
    print("### propnet beside hand-written programs\n")
    print("| game | hand-written, states/s, here and now | the same on the peers' page | propnet, states/s | propnet is |")
    print("|---|---|---|---|---|")
    paces = []
    for game, hand in yardstick(seconds).items():
        page = transitions(rows[game][find("hand-written")])
        ours = figures[game]
        share = f"1/{hand / ours:.0f}" if ours else ""
        print(f"| {game} | {short(hand)} | {short(page)} | {short(ours)} | {share} |")
        paces.append(hand / page)
    pace = statistics.geometric_mean(paces)
    below = [f"{game} ({ratio / pace:.2f})" for game, ratio in to_best.items() if ratio < 2 * pace]
    print(f"\nThe hand-written programs ran at {pace:.2f} of the peers' page (geometric mean). With the peers taken as that much slower here too, "
          f"the network is at least twice the best of them on {len(to_best) - len(below)} of {len(to_best)} games"
          f"{'; not on ' + ', '.join(below) if below else ''}.\n")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--update"]
    seconds = arguments[0] if arguments else "5"
    if "--update" not in sys.argv:
        return tables(seconds)
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        tables(seconds)
    with open(PAGE, encoding="utf-8") as page:
        above, begin, rest = page.read().partition(BEGIN)
    _, end, below = rest.partition(END)
    with open(PAGE, "w", encoding="utf-8") as page:
        page.write(above + begin + "\n" + text.getvalue() + end + below)


main()
