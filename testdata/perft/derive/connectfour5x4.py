"""Connect Four on 5 columns of 4: see dropfour.py."""
import driver
import dropfour

ROLES = dropfour.ROLES
NOTE = """two numbers with one bit a cell; lines are looked for by shifting them."""

initial, legal, step, terminal, goal = dropfour.game(5, 4)

if __name__ == "__main__":
    driver.main(__name__)
