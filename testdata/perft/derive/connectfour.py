"""Connect Four: a state is seven column strings, bottom first."""
import driver

ROLES = ("red", "yellow")
NOTE = """seven column strings; a line of four is looked for through the disc
dropped last only.  Without wins or full columns a row would be 7^d; row 7 lacks
the 7 paths that would put a seventh disc into one column."""


def initial():
    return (("",) * 7, None, 0)       # columns, winner, number of discs


def wins(cols, c, r):
    """Does the disc in column c, row r (from 0) complete a line of four?"""
    def at(x, y):
        return cols[x][y] if 0 <= x < 7 and 0 <= y < len(cols[x]) else None
    me = at(c, r)
    for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
        run = 1
        for sign in (1, -1):
            x, y = c + sign * dx, r + sign * dy
            while at(x, y) == me:
                run += 1
                x, y = x + sign * dx, y + sign * dy
        if run >= 4:
            return True
    return False


def legal(s):
    drops = [f"(drop {c + 1})" for c in range(7) if len(s[0][c]) < 6]
    return [drops, ["noop"]] if s[2] % 2 == 0 else [["noop"], drops]


def step(s, joint):
    cols, _, n = s
    c = int(joint[n % 2].strip("()").split()[1]) - 1
    cols = cols[:c] + (cols[c] + "ry"[n % 2],) + cols[c + 1:]
    won = ROLES[n % 2] if wins(cols, c, len(cols[c]) - 1) else None
    return (cols, won, n + 1)


def terminal(s):
    return s[1] is not None or s[2] == 42


def goal(s):
    return [50, 50] if s[1] is None else [100 if p == s[1] else 0 for p in ROLES]


if __name__ == "__main__":
    driver.main(__name__)
