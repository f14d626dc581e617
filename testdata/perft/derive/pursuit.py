"""Pursuit: a state is (hunter's square, prey's square, caught by crossing, clock)."""
import driver

ROLES = ("hunter", "prey")
NOTE = """complex numbers as squares of the 5 by 5 grid with a pillar at 3,3;
both corners have three moves, so the first row is 3*3 = 9."""

WAYS = {"north": 1j, "south": -1j, "east": 1, "west": -1, "stay": 0}
GRID = {complex(x, y) for x in range(1, 6) for y in range(1, 6)} - {3 + 3j}


def initial():
    return (1 + 1j, 5 + 5j, False, 0)


def legal(s):
    return [[f"(go {w})" for w, d in WAYS.items() if at + d in GRID]
            for at in s[:2]]


def step(s, joint):
    hunter, prey, _, n = s
    h, p = (at + WAYS[m.strip("()").split()[1]]
            for at, m in zip((hunter, prey), joint))
    return (h, p, h == prey and p == hunter, n + 1)


def caught(s):
    return s[0] == s[1] or s[2]


def terminal(s):
    return caught(s) or s[3] == 12


def goal(s):
    return [100, 0] if caught(s) else [0, 100]


if __name__ == "__main__":
    driver.main(__name__)
