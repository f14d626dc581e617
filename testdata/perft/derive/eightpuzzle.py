"""Eight Puzzle: a state is a string of nine characters, row by row, and a count."""
import driver

ROLES = ("player",)
NOTE = """board as a string, row by row; the blank has 2, 3 or 4
neighbours.  The shortest solution has ten moves."""

# a shortest solution
SCRIPT = ("(slide 2 3)", "(slide 2 2)", "(slide 3 2)", "(slide 3 1)",
          "(slide 2 1)", "(slide 1 1)", "(slide 1 2)", "(slide 2 2)",
          "(slide 3 2)", "(slide 3 3)")


def initial():
    return ("235184.76", 0)


def legal(s):
    x, y = s[0].index(".") % 3, s[0].index(".") // 3
    return [[f"(slide {x + dx + 1} {y + dy + 1})"
             for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))
             if 0 <= x + dx < 3 and 0 <= y + dy < 3]]


def step(s, joint):
    x, y = map(int, joint[0].strip("()").split()[1:])
    tile = s[0][3 * (y - 1) + x - 1]
    return (s[0].translate({ord("."): tile, ord(tile): "."}), s[1] + 1)


def terminal(s):
    return s[0] == "12345678." or s[1] == 30


def goal(s):
    return [100 if s[0] == "12345678." else 0]


if __name__ == "__main__":
    driver.main(__name__)
