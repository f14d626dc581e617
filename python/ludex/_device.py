"""The same batches on a GPU: `VectorEnv(..., device="cuda:0")`.

Everything stays on the device. What the environment gives are `DeviceArray`s, which torch, jax and CuPy take without a copy
(`torch.from_dlpack(env.mask)`); actions are arrays of these libraries, or NumPy's. Work is handed to the legacy default
stream of CUDA, and a step returns before it is done: whoever reads by DLPack sees it done.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _ludex
from .game import Game, _game
from .vector import Autoreset, Forced, Illegal, Observation, Rewards, VectorEnv, _length

if TYPE_CHECKING:
    import numpy.typing as npt

    from .state import State


def number(device: str) -> int:
    """The number of a device: `cuda` or `cuda:1`."""
    kind, colon, digits = device.partition(":")
    if kind != "cuda" or (colon and not digits.isdecimal()) or len(digits) > 3:
        raise ValueError(f"no device `{device}`: it is `cpu`, `cuda` or `cuda:NUMBER`")
    return int(digits) if colon else 0


def playouts(
    game: Game, n: int, start: State | None, seed: int, longest: int, device: str
) -> tuple[int, int, int, int, list[tuple[str, list[tuple[int, int]], int]]] | None:
    """Random matches on a GPU. Without one a warning says why, and there are none."""
    which = number(device)
    inner = None if start is None else start._state
    try:
        return _ludex.device_playouts(game._game, n, inner, seed, longest, which)
    except _ludex.LudexError as error:
        warnings.warn(f"{error}; the matches are played on the CPU", RuntimeWarning, stacklevel=3)
        return None


class DeviceEnv(VectorEnv):
    """Games on a GPU. What `VectorEnv` has as arrays are `DeviceArray`s here."""

    def __init__(
        self,
        game: Game | str,
        num_envs: int,
        *,
        device: str = "cuda:0",
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
        game = self.game = _game(game)
        self.num_envs = num_envs
        self.autoreset = getattr(autoreset, "value", autoreset)
        model = game._model
        if isinstance(observation, str):
            observation = game.observation(observation)
        self.observation = observation
        kind = np.dtype(np.float32 if dtype is None else dtype)
        if kind not in (np.dtype(np.float32), np.dtype(np.uint8), np.dtype(np.bool_)):
            raise TypeError(f"observations are of float32 or uint8, not of {kind}")
        self._device: Any = _ludex.DeviceBatch(
            model,
            num_envs,
            seed=seed,
            autoreset=str(self.autoreset),
            illegal=str(illegal),
            rewards=str(rewards),
            forced=str(forced),
            length=_length(max_length),
            device=number(device),
            encoder=None if observation is None else observation._encoder,
            bytes=kind != np.float32,
        )
        self.num_roles = len(game.roles)
        self.move_slices = [slice(first, last) for first, last in model.move_ranges]
        self._words = model.words
        arrays: dict[str, Any] = dict(self._device.arrays())
        self.mask = arrays["mask"]
        self.rewards = arrays["rewards"]
        self.terminated = arrays["terminated"]
        self.truncated = arrays["truncated"]
        self.turn = arrays["turn"]
        self.illegal = arrays["illegal"]
        self.made = arrays.get("made")
        self.observations = arrays.get("observations", np.zeros((num_envs, 0), dtype=np.float32))
        self.final_observations = arrays.get("final_observations", np.zeros((num_envs, 0), dtype=np.float32))
        self._info = {"action_mask": self.mask, "turn": self.turn, "illegal": self.illegal}
        if self.made is not None:
            self._info["made"] = self.made
        if "final_observations" in arrays:
            self._info["final_obs"] = self.final_observations

    def reset(self, *, seed: int | None = None, mask: Any = None, states: Any = None) -> tuple[Any, dict[str, Any]]:
        """Begins all games anew, or those that are marked; in the initial state, or in rows of bits (`get_state`)."""
        if seed is not None:
            self._device.reseed(seed)
        if mask is not None and not _is_on_gpu(mask):
            array = self._shaped("mask", mask, (self.num_envs,))
            if array.dtype.kind not in "biu":
                raise TypeError(f"a mask is of truth values, not of {array.dtype}")
            mask = (array != 0).view(np.uint8)
        if states is not None and not _is_on_gpu(states):
            states = self._rows(states)
        self._device.reset(mask, states)
        return self.observations, self._info

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Steps every game, as `VectorEnv.step` does; actions on the GPU are read there."""
        self._device.step(actions if _is_on_gpu(actions) else self._actions(actions).reshape(-1))
        return self.observations, self.rewards, self.terminated, self.truncated, self._info

    def sample_actions(self, seed: int = 0, out: Any = None) -> Any:
        """A random legal action of each role in each game, on the GPU; 0 where a game is over."""
        if out is None:
            return self._device.sample(seed)
        self._device.sample_into(seed, out)
        return out

    def get_state(self) -> Any:
        """The state of each game as a row of bits, a bit a fluent, on the GPU."""
        return self._device.states()

    def set_state(self, states: Any) -> None:
        """Puts each game into the state of its row. The games begin there: no moves were made."""
        self.reset(states=states)

    def state(self, index: int) -> State:
        """The state of one game."""
        row = self.get_state().numpy()[index]
        bits = np.unpackbits(row.view(np.uint8), bitorder="little")
        fluents = self.game.fluents
        return self.game.state(fluents[i] for i in np.flatnonzero(bits[: len(fluents)]))

    def mask_of(self, role: int | str) -> npt.NDArray[np.bool_]:
        """Which moves of a role are legal: games x moves of the role. A copy, not on the GPU."""
        mask: npt.NDArray[np.bool_] = self.mask.numpy()  # type: ignore[attr-defined]
        return mask[:, self.move_slices[self.game.place(role)]]

    def synchronize(self) -> None:
        """Waits until all steps are done."""
        self._device.synchronize()

    def close(self) -> None:
        """Lets go of the games; whatever is asked afterwards is an error."""
        self._device.close()


def _is_on_gpu(array: object) -> bool:
    """Whether the array says by DLPack that it is on a GPU of CUDA."""
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and device()[0] == 2
