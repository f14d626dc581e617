"""Maze: a state is (room of the robot, place of the gold, steps made)."""
import driver

ROLES = ("r",)
NOTE = """robot's room, gold's place and the number of steps; small enough to be
checked with pencil and paper."""

# a solution
SCRIPT = ("move", "move", "grab", "move", "move", "drop")


def initial():
    return ("a", "c", 0)


def legal(s):
    room, gold, _ = s
    return [["move"] + ["grab"] * (gold == room) + ["drop"] * (gold == "carried")]


def step(s, joint):
    room, gold, n = s
    if joint[0] == "move":
        room = {"a": "b", "b": "c", "c": "d", "d": "a"}[room]
    elif joint[0] == "grab":
        gold = "carried"
    else:
        gold = room
    return (room, gold, n + 1)


def terminal(s):
    return s[1] == "a" or s[2] == 10


def goal(s):
    return [100 if s[1] == "a" else 0]


if __name__ == "__main__":
    driver.main(__name__)
