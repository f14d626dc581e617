"""Any game from its rules: play it, search it, prove things about it, step thousands of games at a time.

>>> import ludex
>>> game = ludex.load("tictactoe")
>>> state = game.start().play("mark 2 2")
>>> len(state.legal("o"))
8
"""

from ._ludex import IllegalMoveError, LimitError, LudexError, RulesError
from .game import Answer, Game, Playouts, RoleOutcome, RoleValue, Solution, Symmetry, games, load, playouts
from .state import Candidate, Search, State, search
from .vector import Observation, VectorEnv

__all__ = [
    "Answer",
    "Candidate",
    "Game",
    "IllegalMoveError",
    "LimitError",
    "LudexError",
    "Observation",
    "Playouts",
    "RoleOutcome",
    "RoleValue",
    "RulesError",
    "Search",
    "Solution",
    "State",
    "Symmetry",
    "VectorEnv",
    "games",
    "load",
    "playouts",
    "search",
]
