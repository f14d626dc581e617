"""A functional pair `init` and `step`, for those who come from Pgx.

    env = ludex.functional.make("tictactoe")
    states = env.init(4096)
    states = env.step(states, actions)

States are arrays and never change; a step gives new ones. It is made of whole batches: there is no `vmap` to write. Games that are over
stay as they are, with no reward.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .game import Game, load
from .vector import VectorEnv


@dataclass(frozen=True)
class States:
    """Games, each in its own state."""

    row: npt.NDArray[np.uint64]
    """The states as bits."""
    observation: npt.NDArray[np.uint8]
    legal_action_mask: npt.NDArray[np.bool_]
    """Games x moves, the moves of one role after those of the other."""
    current_player: npt.NDArray[np.int8]
    """-1 where it is not one role's turn alone."""
    rewards: npt.NDArray[np.float32]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]


class Environment:
    """The functions of one game. `make` makes one."""

    def __init__(self, game: Game, threads: int) -> None:
        self.game = game
        self._threads = threads
        self._envs: dict[int, VectorEnv] = {}

    def init(self, num_envs: int) -> States:
        """So many games in the initial state."""
        env = self._env(num_envs)
        env.reset()
        return self._states(env)

    def step(self, states: States, actions: npt.ArrayLike) -> States:
        """The states after an action of each role in each game."""
        env = self._env(len(states.row))
        env.set_state(states.row)
        # A game that was over before stays over, also if the rules do not say so (an action that was not legal).
        over = states.terminated | states.truncated
        env.step(actions)
        after = self._states(env)
        if not over.any():
            return after
        keep = over[:, None]
        return States(
            row=np.where(keep, states.row, after.row),
            observation=np.where(keep, states.observation, after.observation),
            legal_action_mask=after.legal_action_mask & ~keep,
            current_player=np.where(over, np.int8(-1), after.current_player),
            rewards=np.where(keep, np.float32(0), after.rewards),
            terminated=np.where(over, states.terminated, after.terminated),
            truncated=np.where(over, states.truncated, after.truncated),
        )

    def _env(self, num_envs: int) -> VectorEnv:
        env = self._envs.get(num_envs)
        if env is None:
            env = VectorEnv(self.game, num_envs, autoreset="Disabled", dtype=np.uint8, threads=self._threads)
            self._envs[num_envs] = env
        return env

    @staticmethod
    def _states(env: VectorEnv) -> States:
        return States(
            row=env.get_state(),
            observation=env.observations.copy(),
            legal_action_mask=env.mask.copy(),
            current_player=env.turn.copy(),
            rewards=env.rewards.copy(),
            terminated=env.terminated.copy(),
            truncated=env.truncated.copy(),
        )


def make(game: Game | str, *, threads: int = 1) -> Environment:
    """The functions of a game."""
    return Environment(game if isinstance(game, Game) else load(game), threads)
