"""Games as PettingZoo environments.

Agents are the roles, actions the numbers of their moves, observations a dict of `observation` (the `flat` one: a zero or one for
each fluent that is not constant) and `action_mask`. Rewards are goal values, given at the end. An action that is not legal ends
the game: who made it gets the least goal value, the others the greatest.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv, ParallelEnv

from . import _players
from .game import Game, load
from .state import State

Seen = dict[str, npt.NDArray[np.int8]]


def aec_env(game: Game | str, *, max_length: int | None = None, render_mode: str | None = None) -> GameAEC:
    """The game with agents that act one after the other.

    In each step those are asked that have a choice (if nobody has one, the first role); the others make their only move.
    What the first of several chooses the others do not see before the step is made.
    """
    return GameAEC(game if isinstance(game, Game) else load(game), max_length, render_mode)


def parallel_env(game: Game | str, *, max_length: int | None = None, render_mode: str | None = None) -> GameParallel:
    """The game with agents that act at the same time: every role names a move in every step."""
    return GameParallel(game if isinstance(game, Game) else load(game), max_length, render_mode)


class _Spaces:
    """The spaces of a game's agents: made once, since they are seeded."""

    def __init__(self, game: Game) -> None:
        box = gymnasium.spaces.Box
        self.actions = {
            role: gymnasium.spaces.Discrete(len(moves)) for role, moves in zip(game.roles, game.moves, strict=True)
        }
        self.observations = {
            role: gymnasium.spaces.Dict(
                {
                    "observation": box(0, 1, (len(game._changing),), np.int8),
                    "action_mask": box(0, 1, (len(moves),), np.int8),
                }
            )
            for role, moves in zip(game.roles, game.moves, strict=True)
        }


def _seen(state: State, role: int) -> Seen:
    return {"observation": _players.bits(state), "action_mask": _players.mask(state, role)}


class GameAEC(AECEnv):
    """A game whose agents act one after the other. `aec_env` makes one."""

    metadata: dict[str, Any] = {"render_modes": ["ansi", "svg"], "is_parallelizable": False}

    def __init__(self, game: Game, max_length: int | None, render_mode: str | None) -> None:
        super().__init__()
        self.game = game
        self.metadata = {**type(self).metadata, "name": game.name}
        self.max_length = max_length
        self.render_mode = render_mode
        self.possible_agents = list(game.roles)
        self._spaces = _Spaces(game)
        self._place = {role: place for place, role in enumerate(game.roles)}

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        return self._spaces.observations[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        return self._spaces.actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.agents = list(self.possible_agents)
        self.state_ = self.game.start()
        self._length = 0
        self._chosen: dict[int, int] = {}
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._begin()

    def _begin(self) -> None:
        """Says who is asked first in this step, and whether the game is over."""
        if self.state_.terminal:
            self.rewards = dict(zip(self.agents, _players.earned(self.state_), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.state_.stuck or (self.max_length is not None and self._length >= self.max_length):
            self.truncations = dict.fromkeys(self.agents, True)
        self._asked = _players.asked(self.state_)
        self.agent_selection = self.possible_agents[self._asked[0]]

    def observe(self, agent: str) -> Seen:
        return _seen(self.state_, self._place[agent])

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        place = self._place[agent]
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if not _players.is_legal(self.state_, place, action):
            self.infos[agent] = {"illegal": True}
            self.rewards = dict(zip(self.agents, _players.lost(self.game, {place}), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self._chosen[place] = int(action)
            waiting = [place for place in self._asked if place not in self._chosen]
            if waiting:
                self.agent_selection = self.possible_agents[waiting[0]]
            else:
                self.state_ = self.state_.apply(_players.joined(self.state_, self._chosen))
                self._chosen = {}
                self._length += 1
                self._begin()
        self._accumulate_rewards()

    def render(self) -> str | None:
        return _rendered(self.state_, self.render_mode)

    def close(self) -> None:
        pass

    def __str__(self) -> str:
        return str(self.metadata["name"])


class GameParallel(ParallelEnv):
    """A game whose agents act at the same time. `parallel_env` makes one."""

    metadata: dict[str, Any] = {"render_modes": ["ansi", "svg"]}

    def __init__(self, game: Game, max_length: int | None, render_mode: str | None) -> None:
        self.game = game
        self.metadata = {**type(self).metadata, "name": game.name}
        self.max_length = max_length
        self.render_mode = render_mode
        self.possible_agents = list(game.roles)
        self.agents: list[str] = []
        self._spaces = _Spaces(game)

    def observation_space(self, agent: str) -> gymnasium.Space[Any]:
        return self._spaces.observations[agent]

    def action_space(self, agent: str) -> gymnasium.Space[Any]:
        return self._spaces.actions[agent]

    def _observed(self) -> dict[str, Seen]:
        return {role: _seen(self.state_, place) for place, role in enumerate(self.possible_agents)}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Seen], dict[str, dict[str, Any]]]:
        self.agents = list(self.possible_agents)
        self.state_ = self.game.start()
        self._length = 0
        return self._observed(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Seen], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        roles = self.possible_agents
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in roles}
        rewards, terminated, truncated = [0.0] * len(roles), False, False
        if self.state_.terminal:
            rewards, terminated = _players.earned(self.state_), True
        elif self.state_.stuck:
            truncated = True
        else:
            given = {place: actions.get(role) for place, role in enumerate(roles)}
            offenders = {
                place for place, action in given.items() if not _players.is_legal(self.state_, place, action)
            }
            if offenders:
                rewards, terminated = _players.lost(self.game, offenders), True
                for place in offenders:
                    infos[roles[place]] = {"illegal": True}
            else:
                self.state_ = self.state_.apply([int(action) for action in given.values()])  # type: ignore[arg-type]
                self._length += 1
                if self.state_.terminal:
                    rewards, terminated = _players.earned(self.state_), True
                elif self.state_.stuck or (self.max_length is not None and self._length >= self.max_length):
                    truncated = True
        if terminated or truncated:
            self.agents = []
        return (
            self._observed(),
            dict(zip(roles, rewards, strict=True)),
            dict.fromkeys(roles, terminated),
            dict.fromkeys(roles, truncated),
            infos,
        )

    def render(self) -> str | None:
        return _rendered(self.state_, self.render_mode)

    def close(self) -> None:
        pass

    def __str__(self) -> str:
        return str(self.metadata["name"])


def _rendered(state: State, mode: str | None) -> str | None:
    if mode is None:
        return None
    return state.svg() if mode == "svg" else state.draw()
