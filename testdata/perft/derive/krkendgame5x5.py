"""King and Rook against King on five by five: the same pieces on fewer squares.

Also an independent solution: --solve prints the number of reachable positions
and the value under best play, by plain minimax over them.
"""
import sys

import driver
import krkendgame as base

ROLES = base.ROLES
NOTE = """squares as pairs, attacks tested by looking at the squares between."""

base.BOARD = [(x, y) for x in range(1, 6) for y in range(1, 6)]
LIMIT = 20

legal, step, goal = base.legal, base.step, base.goal


def initial():
    return ((3, 3), (5, 1), (1, 5), 0)


def terminal(s):
    return s[1] is None or s[3] == LIMIT or (s[3] % 2 == 1 and not base.moves(s))


def solve():
    """The reachable positions, ply by ply, and white's value back from the last ply."""
    plies = [{initial()}]
    while plies[-1]:
        plies.append({step(s, (m, n)) for s in plies[-1] if not terminal(s)
                      for m in legal(s)[0] for n in legal(s)[1]})
    value = {}                             # position -> (white's value, plies to the end)
    for ply in reversed(plies):
        for s in ply:
            if terminal(s):
                value[s] = (goal(s)[0], 0)
                continue
            after = [value[step(s, (m, n))] for m in legal(s)[0] for n in legal(s)[1]]
            best = (max if s[3] % 2 == 0 else min)(v for v, _ in after)
            wins = [d for v, d in after if v == best]
            value[s] = (best, 1 + (min if s[3] % 2 == 0 else max)(wins))
    return sum(map(len, plies)), value[initial()]


if __name__ == "__main__":
    if "--solve" in sys.argv:
        print(*solve())
    else:
        driver.main(__name__)
