"""Towers of Hanoi: a state is three stacks (tuples, bottom first) and a count."""
import driver

ROLES = ("player",)
NOTE = """three stacks of numbers; two moves when all discs are stacked on one
peg, three otherwise."""

PEGS = ("left", "middle", "right")

# the shortest solution
SCRIPT = ("(carry disc1 left middle)", "(carry disc2 left right)",
          "(carry disc1 middle right)", "(carry disc3 left middle)",
          "(carry disc1 right left)", "(carry disc2 right middle)",
          "(carry disc1 left middle)", "(carry disc4 left right)",
          "(carry disc1 middle right)", "(carry disc2 middle left)",
          "(carry disc1 right left)", "(carry disc3 middle right)",
          "(carry disc1 left middle)", "(carry disc2 left right)",
          "(carry disc1 middle right)")


def initial():
    return (((4, 3, 2, 1), (), ()), 0)


def legal(s):
    stacks = s[0]
    return [[f"(carry disc{a[-1]} {p} {q})"
             for p, a in zip(PEGS, stacks) if a
             for q, b in zip(PEGS, stacks) if p != q and (not b or b[-1] > a[-1])]]


def step(s, joint):
    _, _, p, q = joint[0].strip("()").split()
    stacks = dict(zip(PEGS, s[0]))
    disc = stacks[p][-1]
    stacks[p] = stacks[p][:-1]
    stacks[q] += (disc,)
    return (tuple(stacks[p] for p in PEGS), s[1] + 1)


def terminal(s):
    return s[1] == 20 or len(s[0][2]) == 4


def goal(s):
    right = s[0][2]
    if right[:3] == (4, 3, 2):
        return [100 if len(right) == 4 else 60]
    return [30 if right[:2] == (4, 3) else 0]


if __name__ == "__main__":
    driver.main(__name__)
