"""Connect Four on any board: two numbers with one bit a cell.

Not a simulator by itself: connectfour4x4.py and connectfour5x4.py are.  A
column takes height + 1 bits, the top one always zero, so that shifting by 1,
height, height + 1 and height + 2 steps along the four kinds of line and never
from one column into the next.
"""

ROLES = ("red", "yellow")


def game(width, height):
    """The functions that the driver asks for."""
    pitch = height + 1

    def initial():
        return (0, 0, 0)                   # red's discs, yellow's, their number

    def top(both, c):
        """How many discs are in column c."""
        return ((both >> c * pitch) & ((1 << height) - 1)).bit_count()

    def won(discs):
        for shift in (1, height, height + 1, height + 2):
            pairs = discs & (discs >> shift)
            if pairs & (pairs >> 2 * shift):
                return True
        return False

    def legal(s):
        both = s[0] | s[1]
        drops = [f"(drop {c + 1})" for c in range(width) if top(both, c) < height]
        return [drops, ["noop"]] if s[2] % 2 == 0 else [["noop"], drops]

    def step(s, joint):
        red, yellow, n = s
        c = int(joint[n % 2].strip("()").split()[1]) - 1
        disc = 1 << (c * pitch + top(red | yellow, c))
        return (red | disc, yellow, n + 1) if n % 2 == 0 else (red, yellow | disc, n + 1)

    def terminal(s):
        return won(s[0]) or won(s[1]) or s[2] == width * height

    def goal(s):
        if won(s[0]):
            return [100, 0]
        return [0, 100] if won(s[1]) else [50, 50]

    return initial, legal, step, terminal, goal
