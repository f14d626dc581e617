"""Nim: a state is the four heaps and the player to move."""
import driver

ROLES = ("alice", "bob")
NOTE = """tuple of four heaps 1, 3, 5, 7; the first row is 1+3+5+7 = 16."""


def initial():
    return ((1, 3, 5, 7), 0)


def legal(s):
    heaps, turn = s
    mine = [f"(take {h} {k})" for h, n in zip("abcd", heaps)
            for k in range(1, n + 1)]
    return [mine, ["noop"]] if turn == 0 else [["noop"], mine]


def step(s, joint):
    heaps, turn = s
    _, h, k = joint[turn].strip("()").split()
    heaps = tuple(n - int(k) if g == h else n for g, n in zip("abcd", heaps))
    return (heaps, 1 - turn)


def terminal(s):
    return sum(s[0]) == 0


def goal(s):
    return [0, 100] if s[1] == 0 else [100, 0]


if __name__ == "__main__":
    driver.main(__name__)
