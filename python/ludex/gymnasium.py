"""Games for one as Gymnasium environments, one at a time and in batches.

Observations are the `flat` ones, a zero or one for each fluent that is not constant. Actions are the numbers of moves, the reward is
the goal value at the end. An action that is not legal ends the game with the least goal value; `info["action_mask"]` says which
are legal.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from . import _players, vector
from .game import Game, load


def _for_one(game: Game | str) -> Game:
    game = game if isinstance(game, Game) else load(game)
    if len(game.roles) != 1:
        roles = ", ".join(game.roles)
        raise ValueError(f"{game.name} has {len(game.roles)} roles ({roles}); for those there is ludex.pettingzoo")
    return game


def _spaces(game: Game) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Discrete]:
    box = gymnasium.spaces.Box(0, 1, (len(game._changing),), np.int8)
    return box, gymnasium.spaces.Discrete(len(game.moves[0]))


class SoloEnv(gymnasium.Env[Any, Any]):
    """A game for one."""

    metadata: dict[str, Any] = {"render_modes": ["ansi"]}

    def __init__(self, game: Game | str, *, max_length: int | None = None, render_mode: str | None = None) -> None:
        self.game = _for_one(game)
        self.max_length = max_length
        self.render_mode = render_mode
        self.observation_space, self.action_space = _spaces(self.game)
        self._state = self.game.start()
        self._length = 0

    def _info(self) -> dict[str, Any]:
        return {"action_mask": _players.mask(self._state, 0)}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        super().reset(seed=seed)
        self._state = self.game.start()
        self._length = 0
        return _players.bits(self._state), self._info()

    def step(self, action: Any) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        if not _players.is_legal(self._state, 0, action):
            info = {**self._info(), "illegal": True}
            return _players.bits(self._state), _players.lost(self.game, {0})[0], True, False, info
        self._state = self._state.apply([int(action)])
        self._length += 1
        over = self._state.terminal
        reward = _players.earned(self._state)[0] if over else 0.0
        cut = self._state.stuck or (self.max_length is not None and self._length >= self.max_length)
        return _players.bits(self._state), reward, over, not over and cut, self._info()

    def render(self) -> str | None:
        return self._state.draw() if self.render_mode == "ansi" else None


class SoloVectorEnv(gymnasium.vector.VectorEnv[Any, Any, npt.NDArray[Any]]):
    """Many games for one at a time, as Gymnasium's vector environments are."""

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_length: int | None = None,
        threads: int = 1,
    ) -> None:
        self.game = _for_one(game)
        mode = AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": mode, "render_modes": []}
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = _spaces(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._same_step = mode == AutoresetMode.SAME_STEP
        self._env = vector.VectorEnv(
            self.game,
            num_envs,
            autoreset=mode.value,
            forced="given",
            max_length=max_length,
            dtype=np.uint8,
            threads=threads,
        )

    def _info(self) -> dict[str, Any]:
        everyone = np.ones(self.num_envs, dtype=np.bool_)
        return {"action_mask": self._env.mask.astype(np.int8), "_action_mask": everyone}

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        first = seed[0] if isinstance(seed, list) else seed
        super().reset(seed=first)
        mask = None if options is None else options.get("reset_mask")
        observations, _ = self._env.reset(seed=first, mask=mask)
        return observations.astype(np.int8), self._info()

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int8], npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        observations, rewards, terminated, truncated, _ = self._env.step(np.asarray(actions))
        info = self._info()
        ended = terminated | truncated
        if self._same_step and ended.any():
            info["final_obs"] = self._env.final_observations.astype(np.int8)
            info["_final_obs"] = ended.copy()
        return (
            observations.astype(np.int8),
            rewards[:, 0].astype(np.float64),
            terminated.copy(),
            truncated.copy(),
            info,
        )

    def close_extras(self, **_: Any) -> None:
        self._env.close()
