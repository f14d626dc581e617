"""Tic-Tac-Toe: the board is a string of nine characters, column by column."""
import driver

ROLES = ("x", "o")
NOTE = """board as a string of nine characters with the eight winning lines
listed; the rows are the published Tic-Tac-Toe counts 9, 72, 504, 3024, 15120,
54720, 148176, 200448, 127872 (255168 complete games)."""

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8),
         (0, 4, 8), (2, 4, 6))


def initial():
    return "." * 9


def mover(s):
    return "x" if s.count(".") % 2 == 1 else "o"


def winner(s):
    for a, b, c in LINES:
        if s[a] != "." and s[a] == s[b] == s[c]:
            return s[a]
    return None


def legal(s):
    marks = [f"(mark {i // 3 + 1} {i % 3 + 1})" for i in range(9) if s[i] == "."]
    return [marks, ["noop"]] if mover(s) == "x" else [["noop"], marks]


def step(s, joint):
    p = mover(s)
    _, col, row = joint[ROLES.index(p)].strip("()").split()
    i = 3 * (int(col) - 1) + int(row) - 1
    return s[:i] + p + s[i + 1:]


def terminal(s):
    return winner(s) is not None or "." not in s


def goal(s):
    w = winner(s)
    return [50, 50] if w is None else [100 if p == w else 0 for p in ROLES]


if __name__ == "__main__":
    driver.main(__name__)
