"""Hex on a five by five board: a state is a string of 25 characters."""
import driver

ROLES = ("red", "blue")
NOTE = """string of 25 cells, flood fill from the first edge of the player who has
moved last; no chain is possible before ply 9, so that the first rows are
25*24*23*..."""

SIZE = 5
AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))


def initial():
    return "." * (SIZE * SIZE)          # index: SIZE * x + y


def turn(s):
    return (SIZE * SIZE - s.count(".")) % 2


def connected(s, p):
    """Flood fill: does player p (0 red, 1 blue) join his edges?"""
    me = "rb"[p]
    cells = {divmod(i, SIZE) for i, c in enumerate(s) if c == me}
    depth = (lambda c: c[1]) if p == 0 else (lambda c: c[0])
    todo = [c for c in cells if depth(c) == 0]
    cells -= set(todo)
    while todo:
        x, y = c = todo.pop()
        if depth(c) == SIZE - 1:
            return True
        for dx, dy in AROUND:
            n = (x + dx, y + dy)
            if n in cells:
                cells.discard(n)
                todo.append(n)
    return False


def legal(s):
    mine = [f"(place {i // SIZE + 1} {i % SIZE + 1})"
            for i, c in enumerate(s) if c == "."]
    return [mine, ["noop"]] if turn(s) == 0 else [["noop"], mine]


def step(s, joint):
    p = turn(s)
    x, y = map(int, joint[p].strip("()").split()[1:])
    i = SIZE * (x - 1) + y - 1
    return s[:i] + "rb"[p] + s[i + 1:]


def terminal(s):
    return connected(s, 1 - turn(s))


def goal(s):
    return [100, 0] if connected(s, 0) else [0, 100]


if __name__ == "__main__":
    driver.main(__name__)
