"""Reversi: a state is a dictionary of discs, frozen, and the player to move."""
import driver

ROLES = ("black", "white")
NOTE = """discs on a 10 by 10 board with a rim, every direction walked from the
new disc; a pass counts as a move.  The rows are the published Othello counts 4,
12, 56, 244, 1396, 8200, 55092, 390216."""

DIRS = (-11, -10, -9, -1, 1, 9, 10, 11)
INNER = [10 * y + x for y in range(1, 9) for x in range(1, 9)]
START = list("#" * 100)
for i in INNER:
    START[i] = "."
START[44] = START[55] = "w"
START[45] = START[54] = "b"


def initial():
    return ("".join(START), 0)


def flips(board, i, me):
    """The discs that a disc of colour me on the empty square i turns."""
    foe = "w" if me == "b" else "b"
    out = []
    for d in DIRS:
        j, line = i + d, []
        while board[j] == foe:
            line.append(j)
            j += d
        if board[j] == me:
            out += line
    return out


def places(board, me):
    return [i for i in INNER if board[i] == "." and flips(board, i, me)]


def legal(s):
    board, turn = s
    mine = [f"(place {i % 10} {i // 10})" for i in places(board, "bw"[turn])]
    mine = mine or ["pass"]
    return [mine, ["noop"]] if turn == 0 else [["noop"], mine]


def step(s, joint):
    board, turn = s
    if joint[turn] == "pass":
        return (board, 1 - turn)
    x, y = map(int, joint[turn].strip("()").split()[1:])
    b, i = list(board), 10 * y + x
    for j in flips(board, i, "bw"[turn]) + [i]:
        b[j] = "bw"[turn]
    return ("".join(b), 1 - turn)


def terminal(s):
    return not places(s[0], "b") and not places(s[0], "w")


def goal(s):
    diff = s[0].count("b") - s[0].count("w")
    return [50, 50] if diff == 0 else [100, 0] if diff > 0 else [0, 100]


if __name__ == "__main__":
    driver.main(__name__)
