"""Games as OpenSpiel games.

`register("connectfour")` makes `pyspiel.load_game("gdl_connectfour")` work. Players are the roles, but for a role called `random`, which is
chance. Where it is proved that at most one role has a choice at a time the game is sequential, else its players move
simultaneously. Returns are goal values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from . import _players
from ._ludex import LimitError
from .game import Facts, Game, load
from .state import State

_CHANCE = "random"
_UNKNOWN = Facts([], playable=False, unique_goals=False, goal_sum=None, length=None, turn_taking=False)


def register(game: Game | str, *, name: str | None = None, max_length: int = 1000, seconds: float = 2.0) -> str:
    """Registers a game and returns the name under which OpenSpiel knows it.

    `max_length` bounds the joint moves where no bound is proved within so many seconds; a match that comes to it ends with the goal
    values that it has then. Of a game for which that is too little time nothing is known, so its players move simultaneously.
    """
    rules = game if isinstance(game, Game) else load(game)
    try:
        facts = rules.facts(seconds)
    except LimitError:
        facts = _UNKNOWN
    return _registered(rules, name, max_length, facts)


def _registered(game: Game, name: str | None, max_length: int, facts: Facts) -> str:
    short_name = name or "gdl_" + "".join(c if c.isalnum() else "_" for c in game.name.lower())
    players = [place for place, role in enumerate(game.roles) if role.lower() != _CHANCE]
    if not players:
        raise ValueError(f"{game.name} has no role but chance")
    has_chance = len(players) < len(game.roles)
    sequential = facts.turn_taking and not has_chance
    kind = pyspiel.GameType
    # A match that is cut off has no sum.
    bounded = facts.length is not None and facts.length <= max_length and facts.playable
    constant = facts.goal_sum is not None and bounded and not has_chance
    game_type = kind(
        short_name=short_name,
        long_name=f"GDL {game.name}",
        dynamics=kind.Dynamics.SEQUENTIAL if sequential else kind.Dynamics.SIMULTANEOUS,
        chance_mode=kind.ChanceMode.EXPLICIT_STOCHASTIC if has_chance else kind.ChanceMode.DETERMINISTIC,
        information=kind.Information.PERFECT_INFORMATION,
        utility=kind.Utility.CONSTANT_SUM if constant else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=len(players),
        min_num_players=len(players),
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )
    least, greatest = game.goal_range
    chance_moves = [len(game.moves[place]) for place in range(len(game.roles)) if place not in players]
    length = min(facts.length, max_length) if facts.length is not None else max_length
    game_info = pyspiel.GameInfo(
        num_distinct_actions=max(len(game.moves[place]) for place in players),
        max_chance_outcomes=max(chance_moves, default=0),
        num_players=len(players),
        min_utility=float(least),
        max_utility=float(greatest),
        utility_sum=float(facts.goal_sum) if constant and facts.goal_sum is not None else None,
        # Who waits has a node only where nobody has a choice, so a joint move is a node at most.
        max_game_length=max(length, 1),
    )

    class Registered(GdlGame):
        def __init__(self, params: Any = None) -> None:
            super().__init__(game, game_type, game_info, players, sequential, length, params or {})

    pyspiel.register_game(game_type, Registered)
    return short_name


class GdlGame(pyspiel.Game):
    """A game from rules. `register` makes a class of these for each game."""

    def __init__(
        self,
        rules: Game,
        game_type: Any,
        game_info: Any,
        players: list[int],
        sequential: bool,
        length: int,
        params: dict[str, Any],
    ) -> None:
        super().__init__(game_type, game_info, params)
        self.rules = rules
        self.players = players
        self.chance = [place for place in range(len(rules.roles)) if place not in players]
        self.sequential = sequential
        self.length = length

    def new_initial_state(self, state: Any = None) -> GdlState:
        if state is not None:
            raise NotImplementedError("states are made by moves from the initial state")
        return GdlState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        return _Observer(self.rules, params)


class GdlState(pyspiel.State):
    """A state of a game from rules."""

    def __init__(self, game: GdlGame) -> None:
        super().__init__(game)
        # Names that the base class does not use.
        self.gdl: State = game.rules.start()
        self._gdl_players = game.players
        self._gdl_chance = game.chance
        self._gdl_sequential = game.sequential
        self._gdl_length = game.length
        self._gdl_drawn: dict[int, int] = {}

    def _undrawn(self) -> list[int]:
        return [place for place in self._gdl_chance if place not in self._gdl_drawn]

    def is_terminal(self) -> bool:
        return self.gdl.terminal or self.gdl.stuck or self.gdl.step >= self._gdl_length

    def current_player(self) -> int:
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        if self._undrawn():
            return int(pyspiel.PlayerId.CHANCE)
        if not self._gdl_sequential:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return self._gdl_players.index(_players.asked(self.gdl)[0])

    def _legal_actions(self, player: int) -> list[int]:
        return [int(action) for action in self.gdl.legal_actions(self._gdl_players[player])]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        legal = self.gdl.legal_actions(self._undrawn()[0])
        return [(int(action), 1 / len(legal)) for action in legal]

    def _apply_action(self, action: int) -> None:
        undrawn = self._undrawn()
        if undrawn:
            self._gdl_drawn[undrawn[0]] = action
            return
        self._make({_players.asked(self.gdl)[0]: action})

    def _apply_actions(self, actions: list[int]) -> None:
        # Whoever has nothing to do is asked as well; OpenSpiel gives 0 for a player without a legal move.
        self._make({**self._gdl_drawn, **dict(zip(self._gdl_players, actions, strict=True))})

    def _make(self, chosen: dict[int, int]) -> None:
        self.gdl = self.gdl.apply(_players.joined(self.gdl, chosen))
        self._gdl_drawn = {}

    def _action_to_string(self, player: int, action: int) -> str:
        place = self._undrawn()[0] if player == pyspiel.PlayerId.CHANCE else self._gdl_players[player]
        return self.gdl.game.moves[place][action]

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0] * len(self._gdl_players)
        earned = _players.earned(self.gdl)
        return [earned[place] for place in self._gdl_players]

    def __str__(self) -> str:
        drawn = "".join(f"\n{self.gdl.roles[place]} draws {action}" for place, action in self._gdl_drawn.items())
        return self.gdl.draw() + drawn


class _Observer:
    """The `flat` observation, the same for every player."""

    def __init__(self, rules: Game, params: Any) -> None:
        if params:
            raise ValueError(f"observation parameters are not supported: {params}")
        self.tensor = np.zeros(len(rules._changing), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: GdlState, player: int) -> None:
        self.tensor[:] = _players.bits(state.gdl)

    def string_from(self, state: GdlState, player: int) -> str:
        return " ".join(state.gdl.fluents)
