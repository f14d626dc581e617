"""Shared driver of the hand-written simulators: counts paths, records games.

A simulator is a module that gives
    ROLES             the players, in the order of the rule sheet
    NOTE              how the numbers were derived (goes into the header)
    initial()         the first state (any hashable value)
    legal(s)          for each role the list of its moves, in the sheet's words
    step(s, joint)    the state after a joint move (a tuple, one move a role)
    terminal(s)       whether the game is over
    goal(s)           the value of a terminal state for each role

Usage:
    python3 NAME.py                  print the perft table of the game NAME
    python3 NAME.py --plays          print recorded games that end differently
    options: --limit NODES (default 2000000), --depth D, --seed S, --tries N
"""
import argparse
import itertools
import random
import sys
from collections import Counter
from math import prod


def perft(sim, limit=2_000_000, depth=None, least=3):
    """Yield the number of joint-move paths of length 1, 2, ... .

    Equal states of one depth are merged and carry the number of paths that
    lead to them, so that no path has to be walked twice.  Stops after a zero,
    at the given depth, or before the sum of all rows exceeds the limit.
    """
    layer = Counter({sim.initial(): 1})
    total = 0
    for d in itertools.count(1):
        if depth is not None and d > depth:
            return
        alive = [(s, n, sim.legal(s)) for s, n in layer.items()
                 if not sim.terminal(s)]
        for s, _, moves in alive:
            assert all(moves), f"a role without a move in {s}"
        nodes = sum(n * prod(map(len, moves)) for _, n, moves in alive)
        total += nodes
        if depth is None and d > least and total > limit:
            return
        yield nodes
        if nodes == 0:
            return
        layer = Counter()
        for s, n, moves in alive:
            for joint in itertools.product(*moves):
                layer[sim.step(s, joint)] += n


def play(sim, choose):
    """One game, as the lines to be printed: for each step the numbers of legal
    moves and the joint move, at the end the values."""
    lines, s = [], sim.initial()
    while not sim.terminal(s):
        moves = [sorted(m) for m in sim.legal(s)]
        joint = tuple(choose(m, len(lines)) for m in moves)
        assert all(j in m for j, m in zip(joint, moves))
        lines.append("\t".join((" ".join(str(len(m)) for m in moves),) + joint))
        s = sim.step(s, joint)
    return lines + ["\t".join(["end"] + [str(v) for v in sim.goal(s)])]


def games(sim, tries, most, rng):
    """The scripted game, if the module gives one (SCRIPT, single-player), and
    of a number of random games the first one with each outcome, the shortest
    and the longest."""
    found = []
    if hasattr(sim, "SCRIPT"):
        found.append(play(sim, lambda _, i: sim.SCRIPT[i]))
    drawn = [play(sim, lambda m, _: rng.choice(m)) for _ in range(tries)]
    seen = {g[-1] for g in found}
    for g in drawn:
        if g[-1] not in seen and len(found) < most:
            seen.add(g[-1])
            found.append(g)
    for g in (min(drawn, key=len), max(drawn, key=len)):
        if g not in found:
            found.append(g)
    return found


def main(name):
    sim = sys.modules[name]
    ap = argparse.ArgumentParser()
    ap.add_argument("--plays", action="store_true")
    ap.add_argument("--tries", type=int, default=100)
    ap.add_argument("--limit", type=int, default=2_000_000)
    ap.add_argument("--depth", type=int)
    ap.add_argument("--seed", type=int, default=1)
    arg = ap.parse_args()
    print("# source: hand-written simulator of the rules, independent of any "
          "GDL reader; " + " ".join(sim.NOTE.split()))
    if arg.plays:
        print("# recorded games: numbers of legal moves, then one move a role, "
              "TAB between; roles: " + " ".join(sim.ROLES))
        recorded = games(sim, arg.tries, 6, random.Random(arg.seed))
        for i, lines in enumerate(recorded, 1):
            print(f"game\t{i}", *lines, sep="\n")
        return
    print("# depth TAB number of joint-move paths of that length; a last row "
          "of 0: the tree is exhausted")
    for d, nodes in enumerate(perft(sim, arg.limit, arg.depth), 1):
        print(f"{d}\t{nodes}", flush=True)
