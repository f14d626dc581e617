"""Thousands of games at a time, stepped with moves from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _ludex
from .game import Game, _game
from .state import State

if TYPE_CHECKING:
    from .game import Symmetry

Autoreset = Literal["SameStep", "NextStep", "Disabled"]
Illegal = Literal["lose", "random", "raise"]
Rewards = Literal["goals", "scaled", "zero_sum"]
Forced = Literal["given", "made"]

# Arrays that begin at a multiple of this are taken by every consumer without a copy, and are written fastest.
_ALIGNMENT = 64


def _empty(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Zeros whose memory is aligned."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    memory = np.zeros(size + _ALIGNMENT, dtype=np.uint8)
    offset = -memory.ctypes.data % _ALIGNMENT
    return memory[offset : offset + size].view(dtype).reshape(shape)


class Observation:
    """How states become arrays. `Game.observation` makes one."""

    __slots__ = ("_encoder", "kind")

    def __init__(self, encoder: _ludex.Encoder, kind: str) -> None:
        self._encoder = encoder
        self.kind = kind

    @property
    def shape(self) -> tuple[int, ...]:
        """Columns; or channels, height and width."""
        return tuple(self._encoder.shape)

    @property
    def names(self) -> list[str]:
        """What each place of the first axis means."""
        return self._encoder.names

    def permutation(self, symmetry: Symmetry) -> npt.NDArray[np.int64]:
        """Where each number of the observation comes from when a state becomes its image under the symmetry: of an array of
        observations, `flat` or reshaped to rows, `rows[:, permutation]` are the observations of the images. `LookupError` if
        something that the symmetry moves is not seen.
        """
        return np.array(self._encoder.permutation(symmetry.fluents.tolist()), dtype=np.int64)

    def of(self, state: State) -> npt.NDArray[np.float32]:
        """The array of one state."""
        env = VectorEnv(state.game, 1, observation=self, autoreset="Disabled")
        env.reset(states=state.row()[None])
        return np.array(env.observations[0], dtype=np.float32)

    def __repr__(self) -> str:
        return f"<ludex.Observation {self.kind} {'x'.join(map(str, self.shape))}>"


def _length(max_length: int | None) -> int:
    """The bound on steps, zero if there is none."""
    if max_length is None:
        return 0
    if not isinstance(max_length, (int, np.integer)) or not 1 <= max_length < 2**32:
        raise ValueError(f"`max_length` is a number of steps from 1 to 2^32 - 1, or None, not {max_length}")
    return int(max_length)


class VectorEnv:
    """Games of one rule sheet, each in its own state.

    `step` takes the number of a move for each role of each game. It returns arrays that the environment owns and writes anew
    with each step: copy what must stay. Everything depends on the seed and the calls only, not on the threads.

    Where the rules leave it open: `autoreset` says when a game that is over begins anew (Gymnasium's words), `illegal` what
    an action means that is not legal, `forced` whether a role with one legal move must name it, `rewards` what a role gets
    at the end, `max_length` when a game is cut off.

    With `device="cuda:0"` all of it happens on a GPU, and the arrays are `DeviceArray`s there.
    """

    def __new__(cls, game: Game | str, num_envs: int, *, device: str = "cpu", **_: Any) -> VectorEnv:
        if device == "cpu" or cls is not VectorEnv:
            return super().__new__(cls)
        from ._device import DeviceEnv

        return super().__new__(DeviceEnv)

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        *,
        device: str = "cpu",
        seed: int = 0,
        autoreset: Autoreset = "SameStep",
        illegal: Illegal = "lose",
        forced: Forced = "made",
        rewards: Rewards = "goals",
        max_length: int | None = None,
        observation: str | Observation | None = "flat",
        dtype: npt.DTypeLike | None = None,
        threads: int = 1,
    ) -> None:
        if device != "cpu":
            raise ValueError(f"a class of your own plays on the CPU, not on `{device}`")
        game = self.game = _game(game)
        self.num_envs = num_envs
        # Gymnasium's enumeration has the same words as values.
        self.autoreset: Autoreset = getattr(autoreset, "value", autoreset)
        model = game._model
        if isinstance(observation, str):
            observation = game.observation(observation)
        self.observation = observation
        encoder = None if observation is None else observation._encoder
        self._batch = _ludex.Batch(
            model,
            num_envs,
            seed=seed,
            autoreset=str(self.autoreset),
            illegal=str(illegal),
            rewards=str(rewards),
            forced=str(forced),
            length=_length(max_length),
            threads=threads,
            encoder=encoder,
        )
        self.num_roles = len(game.roles)
        self.move_slices = [slice(first, last) for first, last in model.move_ranges]
        """The columns of the mask that are each role's."""
        moves = self.move_slices[-1].stop
        self._words = model.words
        self.mask: npt.NDArray[np.bool_] = self._bound("legal", (num_envs, moves), np.uint8).view(np.bool_)
        """Which moves are legal: games x moves, the moves of one role after those of the other."""
        self.rewards = self._bound("rewards", (num_envs, self.num_roles), np.float32)
        self.terminated: npt.NDArray[np.bool_] = self._bound("terminated", (num_envs,), np.uint8).view(np.bool_)
        self.truncated: npt.NDArray[np.bool_] = self._bound("truncated", (num_envs,), np.uint8).view(np.bool_)
        self.turn = self._bound("turn", (num_envs,), np.int8)
        """The role whose turn it is, by number; -1 if it is not one role's alone."""
        self.illegal: npt.NDArray[np.bool_] = self._bound("illegal", (num_envs, self.num_roles), np.uint8).view(np.bool_)
        """Which actions of the last step were not legal."""
        self.made: npt.NDArray[np.int32] | None = None
        """With `illegal="random"` the moves that were made in the last step; -1 if none was. Else they are the actions."""
        self.observations: npt.NDArray[Any] = np.zeros((num_envs, 0), dtype=np.float32)
        self.final_observations: npt.NDArray[Any] = self.observations
        if observation is not None:
            kind = np.dtype(np.float32 if dtype is None else dtype)
            if kind == np.bool_:
                kind = np.dtype(np.uint8)
            if kind not in (np.dtype(np.float32), np.dtype(np.uint8)):
                raise TypeError(f"observations are of float32 or uint8, not of {kind}")
            shape = (num_envs, *observation.shape)
            self.observations = self._bound("observation", shape, kind)
            if self.autoreset == "SameStep":
                self.final_observations = self._bound("final_observation", shape, kind)
        self._info: dict[str, Any] = {
            "action_mask": self.mask,
            "turn": self.turn,
            "illegal": self.illegal,
        }
        if illegal == "random":
            self.made = self._info["made"] = self._bound("made", (num_envs, self.num_roles), np.int32)
        if self.autoreset == "SameStep" and observation is not None:
            self._info["final_obs"] = self.final_observations

    def _bound(self, name: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        array = _empty(shape, dtype)
        self._batch.bind(name, array.reshape(-1))
        return array

    def reset(
        self,
        *,
        seed: int | None = None,
        mask: npt.ArrayLike | None = None,
        states: npt.ArrayLike | Sequence[State] | None = None,
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        """Begins all games anew, or those that are marked; in the initial state, in rows of bits (`get_state`), or in a list of
        states, one a game."""
        if seed is not None:
            self._batch.reseed(seed)
        marks = None
        if mask is not None:
            array = self._shaped("mask", mask, (self.num_envs,))
            if array.dtype.kind not in "biu":
                raise TypeError(f"a mask is of truth values, not of {array.dtype}")
            marks = (array != 0).view(np.uint8)
        rows = None if states is None else self._rows(states)
        self._batch.reset(marks, rows)
        return self.observations, self._info

    def step(
        self, actions: npt.ArrayLike
    ) -> tuple[
        npt.NDArray[Any], npt.NDArray[np.float32], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]
    ]:
        """Steps every game: games x roles, or one number a game where there is one role.

        Returns observations, rewards (games x roles), terminated, truncated and a dict with `action_mask`, `turn`, `illegal`;
        with `SameStep` `final_obs`, and with `illegal="random"` `made`."""
        if not (
            isinstance(actions, np.ndarray)
            and actions.dtype in (np.int32, np.int64, np.uint16)
            and actions.flags.c_contiguous
            and actions.size == self.num_envs * self.num_roles
        ):
            actions = self._actions(actions)
        self._batch.step(actions.reshape(-1))
        return self.observations, self.rewards, self.terminated, self.truncated, self._info

    def _actions(self, actions: npt.ArrayLike) -> npt.NDArray[Any]:
        array = np.asarray(actions)
        if array.dtype.kind not in "iu":
            raise TypeError(f"actions are whole numbers, not {array.dtype}")
        if array.dtype.itemsize == 8 and array.dtype.kind == "u":
            # What is beyond all moves stays beyond all moves.
            array = np.minimum(array, np.uint64(2**62))
        if array.size != self.num_envs * self.num_roles:
            raise ValueError(
                f"actions have the shape {array.shape}; {self.num_envs} games with {self.num_roles} roles need "
                f"{(self.num_envs, self.num_roles)}"
            )
        return np.ascontiguousarray(array, dtype=np.int64)

    def sample_actions(self, seed: int = 0, out: npt.NDArray[np.int32] | None = None) -> npt.NDArray[np.int32]:
        """A random legal action of each role in each game; 0 where a game is over."""
        if out is None:
            out = _empty((self.num_envs, self.num_roles), np.int32)
        self._batch.sample(seed, out.reshape(-1))
        return out

    def get_state(self) -> npt.NDArray[np.uint64]:
        """The state of each game as a row of bits, a bit a fluent."""
        rows = _empty((self.num_envs, self._words), np.uint64)
        self._batch.states(rows.reshape(-1))
        return rows

    def set_state(self, states: npt.ArrayLike | Sequence[State]) -> None:
        """Puts each game into the state of its row, or of its place in a list of states. The games begin there: no moves were
        made."""
        self._batch.reset(None, self._rows(states))

    def state(self, index: int) -> State:
        """The state of one game."""
        row = self.get_state()[index]
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")
        fluents = self.game.fluents
        return self.game.state(fluents[i] for i in np.flatnonzero(bits[: len(fluents)]))

    def mask_of(self, role: int | str) -> npt.NDArray[np.bool_]:
        """Which moves of a role are legal: games x moves of the role. A view."""
        return self.mask[:, self.move_slices[self.game.place(role)]]

    def close(self) -> None:
        """Lets go of the games; whatever is asked afterwards is an error."""
        self._batch.close()

    def __reduce__(self) -> Any:
        raise TypeError("an environment is neither copied nor pickled; the game and what `get_state` gives are")

    def __enter__(self) -> VectorEnv:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<ludex.VectorEnv {self.num_envs} x {self.game.name}>"

    def _rows(self, states: npt.ArrayLike | Sequence[State]) -> npt.NDArray[np.uint64]:
        if isinstance(states, (list, tuple)) and states and all(isinstance(state, State) for state in states):
            other = next((state for state in states if state.game != self.game), None)
            if other is not None:
                raise ValueError(f"the states are of {other.game.name}, not of {self.game.name}")
            states = np.stack([state.row() for state in states])
        array = np.asarray(states)
        if array.dtype != np.uint64:
            raise TypeError(f"states are rows of uint64, as `get_state` gives them, not {array.dtype}")
        rows = np.ascontiguousarray(self._shaped("states", array, (self.num_envs, self._words)))
        return rows.reshape(-1)

    @staticmethod
    def _shaped(name: str, array: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        array = np.asarray(array)
        if array.shape != shape:
            raise ValueError(f"`{name}` has the shape {array.shape}, not {shape}")
        return array
