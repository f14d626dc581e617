"""Breakthrough: a state is a string of 64 characters, row 1 first, and the mover."""
import driver

ROLES = ("white", "black")
NOTE = """board as a string of 64 characters; 22 moves for each side in the
starting position (8 straight, 14 diagonal), hence 22 and 22*22 first."""


def initial():
    return ("w" * 16 + "." * 32 + "b" * 16, 0)


def moves(board, turn):
    me, dy = ("w", 1) if turn == 0 else ("b", -1)
    for i, c in enumerate(board):
        if c != me:
            continue
        x, y = i % 8, i // 8 + dy
        if not 0 <= y < 8:
            continue
        for dx in (-1, 0, 1):
            if 0 <= x + dx < 8:
                target = board[8 * y + x + dx]
                if target == "." or (dx != 0 and target != me):
                    yield i, 8 * y + x + dx


def name(i, j):
    return f"(move {i % 8 + 1} {i // 8 + 1} {j % 8 + 1} {j // 8 + 1})"


def legal(s):
    mine = [name(i, j) for i, j in moves(*s)]
    return [mine, ["noop"]] if s[1] == 0 else [["noop"], mine]


def step(s, joint):
    board, turn = s
    x1, y1, x2, y2 = map(int, joint[turn].strip("()").split()[1:])
    b = list(board)
    b[8 * (y1 - 1) + x1 - 1], b[8 * (y2 - 1) + x2 - 1] = ".", "wb"[turn]
    return ("".join(b), 1 - turn)


def winner(board):
    if "w" in board[56:] or "b" not in board:
        return 0
    if "b" in board[:8] or "w" not in board:
        return 1
    return None


def terminal(s):
    return winner(s[0]) is not None


def goal(s):
    w = winner(s[0])
    return [100 if i == w else 0 for i in (0, 1)]


if __name__ == "__main__":
    driver.main(__name__)
