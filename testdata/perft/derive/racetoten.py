"""Race to Ten: a state is (total, number added last, player to move)."""
import driver

ROLES = ("left", "right")
NOTE = """total, last summand and player; small enough to be checked with pencil
and paper."""


def initial():
    return (0, 0, 0)


def summands(s):
    return [n for n in (1, 2, 3) if n != s[1] and s[0] + n <= 10]


def legal(s):
    mine = [f"(add {n})" for n in summands(s)]
    return [mine, ["noop"]] if s[2] == 0 else [["noop"], mine]


def step(s, joint):
    n = int(joint[s[2]].strip("()").split()[1])
    return (s[0] + n, n, 1 - s[2])


def terminal(s):
    return not summands(s)


def goal(s):
    return [0, 100] if s[2] == 0 else [100, 0]


if __name__ == "__main__":
    driver.main(__name__)
