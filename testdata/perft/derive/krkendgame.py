"""King and Rook against King: a state is (wk, rook or None, bk, ply).

Attacks are tested geometrically: the rook attacks a square on its rank or file
when no blocking square lies strictly between them.
"""
import driver

ROLES = ("white", "black")
NOTE = """squares as pairs, attacks tested by looking at the squares between; the
first row is 14 rook moves and 7 king moves of the white side (b7 is refused,
being next to the black king)."""

BOARD = [(x, y) for x in range(1, 9) for y in range(1, 9)]


def initial():
    return ((3, 6), (8, 2), (1, 8), 0)


def near(a, b):
    return max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1


def clear(a, b, blockers):
    """Are a and b on one rank or file, with none of the blockers between?"""
    if a == b or (a[0] != b[0] and a[1] != b[1]):
        return False
    for k in blockers:
        if k in (a, b):
            continue
        if a[0] == b[0] == k[0] and min(a[1], b[1]) < k[1] < max(a[1], b[1]):
            return False
        if a[1] == b[1] == k[1] and min(a[0], b[0]) < k[0] < max(a[0], b[0]):
            return False
    return True


def moves(s):
    wk, r, bk, n = s
    if n % 2 == 0:
        kings = [("wking", q) for q in BOARD
                 if near(wk, q) and q != r and not near(bk, q)]
        rooks = [("wrook", q) for q in BOARD
                 if q not in (wk, bk) and clear(r, q, (wk, bk))]
        return kings + rooks
    return [("bking", q) for q in BOARD
            if near(bk, q) and not near(wk, q) and not clear(r, q, (wk,))]


def legal(s):
    mine = [f"(move {p} {q[0]} {q[1]})" for p, q in moves(s)]
    return [mine, ["noop"]] if s[3] % 2 == 0 else [["noop"], mine]


def step(s, joint):
    wk, r, bk, n = s
    _, piece, x, y = joint[n % 2].strip("()").split()
    q = (int(x), int(y))
    if piece == "wking":
        wk = q
    elif piece == "wrook":
        r = q
    else:
        bk = q
        if q == r:
            r = None
    return (wk, r, bk, n + 1)


def terminal(s):
    return s[1] is None or s[3] == 40 or (s[3] % 2 == 1 and not moves(s))


def goal(s):
    wk, r, bk, n = s
    if r and n % 2 == 1 and not moves(s) and clear(r, bk, (wk,)):
        return [100, 0]
    return [50, 50]


if __name__ == "__main__":
    driver.main(__name__)
