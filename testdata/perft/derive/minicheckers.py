"""Mini Checkers: a state is (pieces, player to move, square of the jumper, steps).

The pieces are a frozen set of (square, letter) pairs, where a square is (x, y)
and the letters are w, b for men and W, B for kings.
"""
import driver

ROLES = ("white", "black")
NOTE = """frozen set of pieces, jump chains as successive moves of one player."""


def initial():
    men = [((x, y), "w" if y < 3 else "b") for y in (1, 2, 5, 6)
           for x in range(1, 7) if (x + y) % 2 == 0]
    return (frozenset(men), 0, None, 0)


def ways(letter):
    rows = {"w": (1,), "b": (-1,)}.get(letter, (1, -1))
    return [(dx, dy) for dy in rows for dx in (-1, 1)]


def inside(x, y):
    return 1 <= x <= 6 and 1 <= y <= 6


def jumps(board, sq):
    """The squares the piece on sq can jump to."""
    letter, (x, y) = board[sq], sq
    for dx, dy in ways(letter):
        victim = board.get((x + dx, y + dy))
        to = (x + 2 * dx, y + 2 * dy)
        if (victim and victim.lower() != letter.lower() and inside(*to)
                and to not in board):
            yield to


def steps(board, sq):
    x, y = sq
    for dx, dy in ways(board[sq]):
        to = (x + dx, y + dy)
        if inside(*to) and to not in board:
            yield to


def actions(s):
    board = dict(s[0])
    mine = [sq for sq, letter in board.items() if letter.lower() == "wb"[s[1]]]
    if s[2]:
        mine = [s[2]]
    forced = [("jump", a, b) for a in mine for b in jumps(board, a)]
    return forced or [("move", a, b) for a in mine for b in steps(board, a)]


def legal(s):
    mine = [f"({what} {a[0]} {a[1]} {b[0]} {b[1]})" for what, a, b in actions(s)]
    return [mine, ["noop"]] if s[1] == 0 else [["noop"], mine]


def step(s, joint):
    pieces, turn, _, n = s
    what, *xy = joint[turn].strip("()").split()
    x1, y1, x2, y2 = map(int, xy)
    board = dict(pieces)
    letter = board.pop((x1, y1))
    crowned = letter.islower() and y2 == (6, 1)[turn]
    board[x2, y2] = letter.upper() if crowned else letter
    jumper = None
    if what == "jump":
        del board[(x1 + x2) // 2, (y1 + y2) // 2]
        if not crowned and any(jumps(board, (x2, y2))):
            jumper = (x2, y2)
    return (frozenset(board.items()), turn if jumper else 1 - turn, jumper, n + 1)


def terminal(s):
    return s[3] == 50 or not actions(s)


def goal(s):
    if actions(s):
        return [50, 50]
    return [0, 100] if s[1] == 0 else [100, 0]


if __name__ == "__main__":
    driver.main(__name__)
