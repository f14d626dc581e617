"""Rules of games, and what can be asked of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _ludex

if TYPE_CHECKING:
    from .state import State
    from .vector import Observation

Notation = Literal["kif", "infix"]


@dataclass(frozen=True)
class Finding:
    """What the checker has to say about a place in the rules."""

    severity: str
    line: int
    column: int
    message: str
    text: str
    """The place drawn, with a caret."""


@dataclass(frozen=True)
class Answer:
    """What is known of a property. Its truth value is that it holds."""

    answer: Literal["holds", "fails", "unknown"]
    counterexample: list[list[str]] | None
    """Joint moves from the start to where the property fails."""
    text: str

    def __bool__(self) -> bool:
        return self.answer == "holds"


@dataclass(frozen=True)
class Fact:
    """A fact that was found and proved."""

    kind: str
    text: str
    formula: str


@dataclass(frozen=True)
class Facts:
    """What was found and proved. What is not said is not known."""

    statements: list[Fact]
    playable: bool
    unique_goals: bool
    goal_sum: int | None
    length: int | None
    turn_taking: bool


@dataclass(frozen=True)
class RoleValue:
    """What a role gets in a solved game."""

    value: int | None
    depth: int | None
    moves: list[str]


@dataclass(frozen=True)
class Solution:
    """A solved game."""

    states: int
    exact: bool
    """True if the values are those of best play; else they are what a role can force by itself."""
    roles: dict[str, RoleValue]


@dataclass(frozen=True)
class RoleOutcome:
    """What a role got in random matches."""

    goals: dict[int, int]
    """How many matches ended with each goal value."""
    without: int
    """Matches whose last state gives the role no single value."""

    @property
    def mean(self) -> float:
        count = sum(self.goals.values())
        return sum(goal * n for goal, n in self.goals.items()) / count if count else float("nan")


@dataclass(frozen=True)
class Playouts:
    """How random matches ended."""

    count: int
    moves: int
    stuck: int
    cut: int
    roles: dict[str, RoleOutcome]

    @property
    def mean_length(self) -> float:
        return self.moves / self.count if self.count else float("nan")


@dataclass(frozen=True)
class Symmetry:
    """A permutation under which the rules are the same: each entry says what a number becomes."""

    roles: npt.NDArray[np.int64]
    fluents: npt.NDArray[np.int64]
    moves: list[npt.NDArray[np.int64]]
    """For each role what its moves become: moves of the role that it becomes."""


class Game:
    """The rules of a game. `ludex.load` makes one."""

    __slots__ = ("__dict__", "_game")

    def __init__(self, game: _ludex.Game) -> None:
        self._game = game

    @property
    def name(self) -> str:
        """What it is called: a bundled name, or that of its file."""
        return self._game.name

    @property
    def rules(self) -> str:
        """The text of the rules."""
        return self._game.rules

    @cached_property
    def roles(self) -> tuple[str, ...]:
        """The roles, in the order of the rules."""
        return tuple(self._game.roles)

    @cached_property
    def moves(self) -> tuple[tuple[str, ...], ...]:
        """The moves of each role; a move's number is its place."""
        return tuple(tuple(moves) for moves in self._game.moves)

    @cached_property
    def fluents(self) -> tuple[str, ...]:
        """What can hold in a state; a fluent's number is its place."""
        return tuple(self._game.fluents)

    @cached_property
    def _model(self) -> _ludex.Model:
        return self._game.model()

    @cached_property
    def _changing(self) -> npt.NDArray[np.int64]:
        """The numbers of the fluents that the `flat` observation shows."""
        place = {name: number for number, name in enumerate(self.fluents)}
        return np.array([place[name] for name in self.observation().names], dtype=np.int64)

    @property
    def has_network(self) -> bool:
        """True if batches are stepped 512 games at a time."""
        return self._model.has_network

    @property
    def goal_range(self) -> tuple[int, int]:
        """The least and the greatest goal value that the rules name."""
        return self._model.goal_range

    def start(self) -> State:
        """The initial state."""
        from .state import State

        return State(self, self._game.start())

    def state(self, fluents: Iterable[str]) -> State:
        """The state in which just these fluents hold."""
        from .state import State

        return State(self, self._game.state(list(fluents)))

    def observation(self, kind: str = "flat", seconds: float = 5.0, *, role: str | None = None) -> Observation:
        """How states become arrays: `flat`, or `board` where proofs within so many seconds allow.

        With a role it is as that role would see it if it were the first one: what is its own is where the first role's is.
        `LookupError` if the rules do not treat the roles alike, or that was not found.
        """
        from .vector import Observation

        place = None if role is None else self.place(role)
        # Proofs are not made again for each state that is looked at.
        made = self._observations.get((kind, place))
        if made is None:
            try:
                made = Observation(self._model.encoder(kind, seconds, place), kind)
            except LookupError:
                raise self._not_first(str(role)) from None
            self._observations[kind, place] = made
        return made

    @cached_property
    def _observations(self) -> dict[tuple[str, int | None], Observation]:
        return {}

    def place(self, role: str | int) -> int:
        """The number of a role: its place among `roles`."""
        if isinstance(role, str):
            if role not in self.roles:
                raise ValueError(f"no role `{role}` in {self.name}; there is {', '.join(self.roles)}")
            return self.roles.index(role)
        if not 0 <= role < len(self.roles):
            raise IndexError(f"no role {role} in {self.name}: it has {len(self.roles)}, from 0 on")
        return int(role)

    def _not_first(self, role: str) -> LookupError:
        return LookupError(f"no symmetry of {self.name} is known that makes {role} the first role")

    def check(self) -> list[Finding]:
        """What the checker warns of. Rules with errors cannot be loaded."""
        return [Finding(*finding) for finding in self._game.check()]

    def facts(self, seconds: float = 2.0) -> Facts:
        """Finds and proves what is worth knowing."""
        found: dict[str, Any] = self._game.facts(seconds)
        statements = [Fact(*statement) for statement in found.pop("statements")]
        return Facts(statements=statements, **found)

    def prove(self, formula: str, seconds: float = 10.0) -> Answer:
        """Decides whether a property holds in every reachable state."""
        answer, counterexample, text = self._game.prove(formula, seconds)
        return Answer(answer, counterexample, text)

    def solve(self, states: int = 20_000_000, seconds: float = 600.0, threads: int = 1) -> Solution:
        """Visits every reachable state. `LimitError` if there are too many."""
        count, exact, roles = self._game.solve(states, seconds, threads)
        return Solution(count, exact, {role: RoleValue(value, depth, moves) for role, value, depth, moves in roles})

    def print(self, notation: Notation = "kif") -> str:
        """The rules in a notation."""
        return self._game.print(notation)

    def symmetries(self, most: int = 64, seconds: float = 5.0) -> list[Symmetry]:
        """Permutations under which the rules are the same, the identity first. `LimitError` if there are more."""
        found = self._game.symmetries(most, seconds)
        if found is None:
            raise _ludex.LimitError(f"{self.name} has more than {most} symmetries; `most` says how many are wanted at most")

        def array(numbers: list[int]) -> npt.NDArray[np.int64]:
            return np.array(numbers, dtype=np.int64)

        return [
            Symmetry(array(roles), array(fluents), [array(list_) for list_ in moves])
            for roles, fluents, moves in found
        ]

    def own_first(self, most: int = 64, seconds: float = 5.0) -> list[Symmetry]:
        """For each role a symmetry that makes it the first, for augmentation (`observation` has a `role` for what a role sees).
        `LookupError` if the rules do not treat the roles alike, or that was not found.
        """
        found: list[Symmetry] = []
        symmetries = self.symmetries(most, seconds)
        for place, role in enumerate(self.roles):
            first = next((symmetry for symmetry in symmetries if symmetry.roles[place] == 0), None)
            if first is None:
                raise self._not_first(role)
            found.append(first)
        return found

    def __repr__(self) -> str:
        return repr(self._game)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self._game == other._game

    def __hash__(self) -> int:
        return hash(self._game)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickled, (self.name, self.rules))


def _unpickled(name: str, rules: str) -> Game:
    return Game(_ludex.Game(name, rules))


def games() -> list[str]:
    """The names of the bundled games."""
    return _ludex.bundled()


def load(source: str | PathLike[str], scramble: int | None = None) -> Game:
    """The game that `source` stands for: a bundled name, a path, or the text of rules.

    With `scramble` all names but the keywords are replaced, the same way for the same seed: what a program makes of a
    game must not depend on them.
    """
    return Game(_ludex.load(fspath(source), scramble))


def _game(game: Game | str) -> Game:
    """A game, or what `load` makes of a text."""
    return game if isinstance(game, Game) else load(game)


def playouts(
    game: Game | str,
    n: int,
    start: State | None = None,
    *,
    seed: int = 1,
    threads: int = 1,
    longest: int = 10_000,
    device: str = "cpu",
) -> Playouts:
    """Random matches from the start, or from a state, and how they end.

    With `device="cuda"` they are played on a GPU; without one a warning says so, and the CPU plays."""
    game = _game(game)
    if start is not None and start.game != game:
        raise ValueError(f"the state is one of {start.game.name}, not of {game.name}")
    counted = None
    if device != "cpu":
        from . import _device

        counted = _device.playouts(game, n, start, seed, longest, device)
    if counted is None:
        inner = None if start is None else start._state
        counted = game._game.playouts(n, inner, seed, threads, longest)
    count, moves, stuck, cut, roles = counted
    outcomes = {role: RoleOutcome(dict(goals), without) for role, goals, without in roles}
    return Playouts(count, moves, stuck, cut, outcomes)
