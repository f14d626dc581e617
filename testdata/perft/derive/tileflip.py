"""Tile Flip: a state is a string of nine tiles, the move number, the last pick.

An open tile is shown as d or l, a locked one as D or L.
"""
import driver

ROLES = ("dark", "light")
NOTE = """string of nine letters, capitals for locked tiles; the first row is 8,
as the middle tile may not be picked first."""

NEAR = [[j for j in range(9)
         if abs(i % 3 - j % 3) + abs(i // 3 - j // 3) == 1] for i in range(9)]


def initial():
    return ("dldldldld", 0, None)


def picks(s):
    tiles, n, last = s
    open_ = [i for i in range(9) if tiles[i].islower()]
    if n == 0:
        return [i for i in open_ if i != 4]
    return [i for i in open_ if i not in NEAR[last]] or open_


def legal(s):
    mine = [f"(flip (at {i % 3 + 1} {i // 3 + 1}))" for i in picks(s)]
    return [mine, ["noop"]] if s[1] % 2 == 0 else [["noop"], mine]


def step(s, joint):
    tiles, n, _ = s
    x, y = map(int, joint[n % 2].strip("()").replace("(", " ").split()[2:])
    i, t = 3 * (y - 1) + x - 1, list(tiles)
    for j in NEAR[i] + [i]:
        t[j] = {"d": "l", "l": "d"}.get(t[j], t[j])
    t[i] = t[i].upper()
    return ("".join(t), n + 1, i)


def terminal(s):
    return s[0].isupper() or len(set(s[0].lower())) == 1


def goal(s):
    worth = [0, 0, 0, 25, 40, 60, 75, 100, 100, 100]
    return [worth[s[0].lower().count(c)] for c in "dl"]


if __name__ == "__main__":
    driver.main(__name__)
