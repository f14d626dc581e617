"""What the adapters have in common: whose choice it is, what is seen, and what an illegal action costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .game import Game
from .state import State


def asked(state: State) -> list[int]:
    """The roles that are asked for a move, by number: those with a choice; if nobody has one, the first."""
    choosing = set(state.choosing)
    return [place for place, role in enumerate(state.roles) if role in choosing] or [0]


def bits(state: State) -> npt.NDArray[np.int8]:
    """The `flat` observation of the state as zeros and ones."""
    row = np.unpackbits(state.row().view(np.uint8), bitorder="little")
    return row[state.game._changing].astype(np.int8)


def mask(state: State, role: int) -> npt.NDArray[np.int8]:
    """One for each legal move of a role."""
    legal = np.zeros(len(state.game.moves[role]), dtype=np.int8)
    if not state.terminal:
        legal[state.legal_actions(role)] = 1
    return legal


def is_legal(state: State, role: int, action: Any) -> bool:
    """True if the action is the number of a legal move."""
    try:
        number = int(action)
    except (TypeError, ValueError, OverflowError):
        return False
    return 0 <= number < len(state.game.moves[role]) and bool(mask(state, role)[number])


def lost(game: Game, offenders: set[int]) -> list[float]:
    """What each role gets when some have done what is not legal: these the least goal value, the others the greatest."""
    least, greatest = game.goal_range
    return [float(least if place in offenders else greatest) for place in range(len(game.roles))]


def earned(state: State) -> list[float]:
    """What each role gets at the end; the least goal value where the rules give none or several."""
    least, _ = state.game.goal_range
    return [float(least if goal is None else goal) for goal in state.goals.values()]


def joined(state: State, chosen: dict[int, int]) -> list[int]:
    """A move for each role: those chosen, and the only one of every other role."""
    return [
        chosen[place] if place in chosen else int(state.legal_actions(place)[0]) for place in range(len(state.roles))
    ]
