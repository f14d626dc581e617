"""One state of a game."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _ludex
from .game import Game


@dataclass(frozen=True)
class Candidate:
    """A legal move, and what a search has found out about it."""

    move: str
    visits: int
    value: float
    certain: int | None
    """The outcome, where it is certain."""


@dataclass(frozen=True)
class Search:
    """What a search has found."""

    role: str
    best: str | None
    candidates: list[Candidate]
    """The legal moves, the best first."""
    line: list[list[str]]
    """The joint moves that are expected."""
    playouts: int
    solved: bool

    @property
    def values(self) -> dict[str, float]:
        return {candidate.move: candidate.value for candidate in self.candidates}

    @property
    def visits(self) -> dict[str, int]:
        return {candidate.move: candidate.visits for candidate in self.candidates}


class State:
    """A state of a game. It never changes: `play` gives the next one."""

    __slots__ = ("_state", "game")

    def __init__(self, game: Game, state: _ludex.State) -> None:
        self.game = game
        self._state = state

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles, in the order of the rules."""
        return self.game.roles

    @property
    def terminal(self) -> bool:
        """True if the game is over."""
        return self._state.terminal

    @property
    def stuck(self) -> bool:
        """True if somebody cannot move though the game is not over."""
        return self._state.stuck

    @property
    def goals(self) -> dict[str, int | None]:
        """The goal value of each role; None where the rules give none or several."""
        return dict(zip(self.roles, self._state.goal_values))

    @property
    def choosing(self) -> list[str]:
        """The roles with more than one legal move."""
        return self._state.choosing

    @property
    def turn(self) -> str | None:
        """The one role that has a choice."""
        choosing = self._state.choosing
        return choosing[0] if len(choosing) == 1 else None

    @property
    def fluents(self) -> list[str]:
        """What holds."""
        return self._state.fluents

    @property
    def step(self) -> int:
        """How many joint moves were made on the way here."""
        return self._state.step

    @property
    def history(self) -> list[list[str]]:
        """The joint moves that were made on the way here."""
        return self._state.history

    def legal(self, role: str | None = None) -> list[str]:
        """The legal moves of a role; of the only one that has a choice if none is said."""
        return self._state.legal(self._role(role))

    def legal_actions(self, role: str | int | None = None) -> npt.NDArray[np.int64]:
        """The numbers of the legal moves of a role, ascending."""
        place = self.game.place(self._role(None) if role is None else role)
        return np.array(self._state.legal_actions(place), dtype=np.int64)

    def _role(self, role: str | None) -> str:
        if role is not None:
            return role
        choosing = self._state.choosing
        if len(choosing) > 1:
            raise _ludex.IllegalMoveError(f"several roles have a choice: say which of {', '.join(choosing)}")
        return choosing[0] if choosing else self.roles[0]

    def play(self, moves: str | Sequence[str] | Mapping[str, str]) -> State:
        """The state after these moves: one text, when one role has a choice; one for each role, in their order; or a
        mapping from roles to moves, where roles that are not named make their only move."""
        given: Any = moves
        if isinstance(moves, Mapping):
            given = dict(moves)
        elif isinstance(moves, Sequence) and not isinstance(moves, str):
            given = list(moves)
        return State(self.game, self._state.play(given))

    def apply(self, actions: Sequence[int]) -> State:
        """The state after these moves, by their numbers in the order of the roles."""
        return State(self.game, self._state.apply([int(action) for action in actions]))

    def observe(self, kind: str = "flat", *, role: str | None = None) -> npt.NDArray[np.float32]:
        """The state as an array; with a role as that one sees it (`Game.observation`)."""
        return self.game.observation(kind, role=role).of(self)

    def row(self) -> npt.NDArray[np.uint64]:
        """The state as bits, a bit a fluent: what `VectorEnv.reset` and `set_state` take."""
        return np.frombuffer(self._state.row(), dtype="<u8").copy()

    def draw(self) -> str:
        """The state as a board, where it looks like one, and a list of the rest."""
        return self._state.draw()

    def svg(self) -> str:
        """The state as a picture."""
        return self._state.svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def clone(self) -> State:
        """The same state; since states never change, this one."""
        return self

    __copy__ = clone

    def __deepcopy__(self, _: dict[int, Any]) -> State:
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._state == other._state

    def __hash__(self) -> int:
        return hash(self._state)

    def __repr__(self) -> str:
        return repr(self._state)

    def __str__(self) -> str:
        return self.draw()

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickled, (self.game, self.fluents))


def _unpickled(game: Game, fluents: list[str]) -> State:
    return game.state(fluents)


def search(
    state: State,
    seconds: float = 1.0,
    *,
    iterations: int | None = None,
    role: str | None = None,
    seed: int = 1,
    evaluation: str | os.PathLike[str] | None = None,
) -> Search:
    """Searches for a good move. With `iterations` instead of a time the result is always the same.

    `evaluation` is a file that `ludex train` has made for the game: then the search goes by it, and tells the best move
    and nothing of the others.
    """
    if not isinstance(state, State):
        raise TypeError(f"a search begins in a state, as `game.start()` gives one, not in a {type(state).__name__}")
    path = None if evaluation is None else os.fspath(evaluation)
    role_, best, candidates, line, playouts, solved = state._state.search(seconds, iterations, role, seed, path)
    return Search(role_, best, [Candidate(*candidate) for candidate in candidates], line, playouts, solved)
