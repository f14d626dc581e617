"""Buttons and Lights: a state is three booleans and the number of steps made."""
import driver

ROLES = ("robot",)
NOTE = """three booleans; the shortest solutions have six steps, the limit, so
the rows are simply 3^d; small enough to be checked with pencil and paper."""

# a shortest solution
SCRIPT = ("a", "b", "c", "a", "b", "a")


def initial():
    return (False, False, False, 0)


def legal(s):
    return [["a", "b", "c"]]


def step(s, joint):
    p, q, r, n = s
    p, q, r = {"a": (not p, q, r), "b": (q, p, r), "c": (p, r, q)}[joint[0]]
    return (p, q, r, n + 1)


def terminal(s):
    return all(s[:3]) or s[3] == 6


def goal(s):
    return [100 if all(s[:3]) else 0]


if __name__ == "__main__":
    driver.main(__name__)
