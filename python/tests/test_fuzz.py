"""Random use, most of it wrong: an answer or an exception of a known kind, never a crash or a hang.

Five seconds in every run; LUDEX_FUZZ_SECONDS=600 for a long one. The seed is printed with a failure.
"""

from __future__ import annotations

import os
import time
from typing import Any

import ludex
import numpy as np

SECONDS = float(os.environ.get("LUDEX_FUZZ_SECONDS", "5"))
SEED = int(os.environ.get("LUDEX_FUZZ_SEED", "1"))
EXPECTED = (ValueError, TypeError, OverflowError, RuntimeError, IndexError, BufferError, ludex.LudexError, MemoryError)


def odd_array(random: np.random.Generator, games: int, width: int) -> Any:
    """An array that may fit or not: shapes, types, values, order in memory."""
    shapes = [(games, width), (games,), (width, games), (games * width,), (0,), (games, width, 1), (games + 1, width), ()]
    shape = shapes[random.integers(len(shapes))]
    kind = random.integers(9)
    if kind == 0:
        return np.full(shape, np.nan)
    if kind == 1:
        return np.full(shape, np.iinfo(np.int64).min, dtype=np.int64)
    if kind == 2:
        return np.full(shape, np.iinfo(np.uint64).max, dtype=np.uint64)
    if kind == 3:
        return random.integers(-5, 400, size=shape).astype([np.int8, np.int16, np.uint32, np.float32, object][random.integers(5)])
    if kind == 4:
        return np.asfortranarray(random.integers(0, 20, size=shape))
    if kind == 5:
        return random.integers(0, 20, size=(2 * games, 2 * width))[::2, ::2]
    if kind == 6:
        return [None, "drop", {}, b"\0" * 64, [[1], [2, 3]], 2**70, -(2**70)][random.integers(7)]
    return random.integers(-3, 300, size=shape).astype([np.int32, np.int64, np.uint16][random.integers(3)])


def test_odd_use_of_batches_and_states() -> None:
    random = np.random.default_rng(SEED)
    games = [ludex.load(name) for name in ludex.games()]
    until = time.monotonic() + SECONDS
    stepped = refused = 0
    while time.monotonic() < until:
        game = games[random.integers(len(games))]
        count = int([1, 2, 63, 64, 511, 512, 513, 1025][random.integers(8)])
        try:
            env = ludex.VectorEnv(
                game,
                count,
                seed=int(random.integers(2**63)),
                autoreset=["SameStep", "NextStep", "Disabled"][random.integers(3)],  # type: ignore[arg-type]
                illegal=["lose", "random", "raise"][random.integers(3)],  # type: ignore[arg-type]
                forced=["given", "made"][random.integers(2)],  # type: ignore[arg-type]
                rewards=["goals", "scaled", "zero_sum"][random.integers(3)],  # type: ignore[arg-type]
                max_length=[None, 1, 3, 2**31][random.integers(4)],
                observation=["flat", None][random.integers(2)],
                dtype=[None, np.uint8, np.float64, bool][random.integers(4)],
                threads=int(random.integers(1, 4)),
            )
        except EXPECTED:
            refused += 1
            continue
        for _ in range(12):
            try:
                choice = random.integers(8)
                if choice < 3:
                    env.step(odd_array(random, count, env.num_roles))
                elif choice == 3:
                    env.step(env.sample_actions(int(random.integers(2**40))))
                elif choice == 4:
                    env.reset(mask=odd_array(random, count, 1))
                elif choice == 5:
                    states = env.get_state()
                    # Any bits of fluents are a state, also one that no play reaches.
                    bits = random.integers(0, 2, size=(count, len(game.fluents)), dtype=np.uint8)
                    packed = np.packbits(bits, axis=1, bitorder="little")
                    states.view(np.uint8)[:, : packed.shape[1]] = packed
                    env.set_state(states)
                elif choice == 6:
                    env.set_state(odd_array(random, count, env.get_state().shape[1]))
                else:
                    env.state(int(random.integers(-2, count + 2)))
                stepped += 1
            except EXPECTED:
                refused += 1
            assert env.mask.dtype == np.bool_ and not (env.terminated & env.truncated).any(), SEED
            assert np.isfinite(env.rewards).all(), SEED
        if random.integers(2):
            env.close()
    assert stepped and refused, (stepped, refused, SEED)


def test_odd_rules_and_moves() -> None:
    random = np.random.default_rng(SEED)
    texts = [ludex.load(name).rules for name in ludex.games()]
    until = time.monotonic() + SECONDS / 2
    played = refused = 0
    while time.monotonic() < until:
        text = texts[random.integers(len(texts))]
        if random.integers(3) == 0:
            at = int(random.integers(len(text)))
            text = text[:at] + "()?<=\0é(not"[int(random.integers(10)) :] + text[at + int(random.integers(20)) :]
        try:
            state = ludex.load(text).start()
            for _ in range(5):
                legal = [state.legal(role) for role in state.roles]
                joint = [moves[random.integers(len(moves))] if moves else "" for moves in legal]
                if random.integers(4) == 0:
                    joint[0] = ["", "(", "nothing", "(mark 99 99)", "\0", "x" * 1000][random.integers(6)]
                state = state.play(joint)
                played += 1
            state.draw(), state.svg(), state.observe()
        except EXPECTED:
            refused += 1
    assert played and refused, (played, refused, SEED)
