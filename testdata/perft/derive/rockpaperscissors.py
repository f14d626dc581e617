"""Rock, Paper, Scissors: a state is (rounds played, wins of left, wins of right)."""
import driver

ROLES = ("left", "right")
NOTE = """hands as numbers modulo 3; of the 81 pairs of rounds 18 are 2:0 or 0:2
and end the match, so the third row is 63*9 = 567."""

HANDS = ("rock", "paper", "scissors")       # each is beaten by the one after it


def initial():
    return (0, 0, 0)


def legal(s):
    return [[f"(show {h})" for h in HANDS]] * 2


def step(s, joint):
    a, b = (HANDS.index(m.strip("()").split()[1]) for m in joint)
    n, left, right = s
    return (n + 1, left + ((a - b) % 3 == 1), right + ((b - a) % 3 == 1))


def terminal(s):
    return s[0] == 3 or 2 in s[1:]


def goal(s):
    _, left, right = s
    return [50, 50] if left == right else [100, 0] if left > right else [0, 100]


if __name__ == "__main__":
    driver.main(__name__)
