"""Three-way Race: a state is the squares of the three runners and the rounds run."""
import driver

ROLES = ("ann", "ben", "cat")
NOTE = """tuple of three squares; 27 joint moves in every round that is run."""


def initial():
    return ((0, 0, 0), 0)


def legal(s):
    return [["(run 1)", "(run 2)", "(run 3)"]] * 3


def step(s, joint):
    calls = [int(m[5]) for m in joint]
    at = tuple(min(7, a + c) if calls.count(c) == 1 else a
               for a, c in zip(s[0], calls))
    return (at, s[1] + 1)


def terminal(s):
    return 7 in s[0] or s[1] == 6


def goal(s):
    return [(100, 50, 0)[sum(b > a for b in s[0])] for a in s[0]]


if __name__ == "__main__":
    driver.main(__name__)
