"""Batches on a GPU: number for number as on the CPU, handed on without a copy. Without a GPU: a sentence."""

from __future__ import annotations

import warnings

import ludex
import numpy as np
import pytest


def why_no_gpu() -> str | None:
    """What is said where there is no GPU."""
    try:
        ludex.VectorEnv(ludex.load("tictactoe"), 1, device="cuda").close()
    except ludex.LudexError as error:
        return str(error)
    return None


WHY = why_no_gpu()
gpu = pytest.mark.skipif(WHY is not None, reason=f"NOT RUN: no GPU ({WHY})")
no_gpu = pytest.mark.skipif(WHY is None, reason="there is a GPU")


@no_gpu
def test_without_a_gpu_a_sentence_says_so_and_the_cpu_plays() -> None:
    assert WHY is not None and ("GPU" in WHY or "NVIDIA" in WHY)
    game = ludex.load("tictactoe")
    with pytest.warns(RuntimeWarning, match="on the CPU"):
        found = ludex.playouts(game, 500, device="cuda")
    assert found == ludex.playouts(game, 500)


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:12345", ""])
def test_devices_that_are_none(device: str) -> None:
    game = ludex.load("tictactoe")
    with pytest.raises(ValueError, match="cuda:NUMBER"):
        ludex.VectorEnv(game, 1, device=device)
    with pytest.raises(ValueError, match="cuda:NUMBER"):
        ludex.playouts(game, 1, device=device)


OPTIONS = [
    {"autoreset": "SameStep", "illegal": "lose", "forced": "made", "rewards": "goals", "max_length": 9},
    {"autoreset": "NextStep", "illegal": "random", "forced": "given", "rewards": "scaled"},
    {"autoreset": "Disabled", "illegal": "raise", "forced": "made", "rewards": "goals", "max_length": 13},
]


@gpu
@pytest.mark.parametrize("name", ludex.games())
@pytest.mark.parametrize("options", OPTIONS)
def test_arrays_equal_those_of_the_cpu(name: str, options: dict[str, object]) -> None:
    game = ludex.load(name)
    sides = [ludex.VectorEnv(game, 300, seed=3, device=device, **options) for device in ("cpu", "cuda:0")]  # type: ignore[arg-type]
    cpu, device = sides
    random = np.random.default_rng(1)
    for step in range(25):
        for array in ("mask", "rewards", "terminated", "truncated", "turn", "illegal", "observations", "final_observations"):
            there = getattr(device, array)
            there = there.numpy() if hasattr(there, "numpy") else there
            assert np.array_equal(getattr(cpu, array), there), (step, array)
        actions = cpu.sample_actions(step)
        assert np.array_equal(actions, device.sample_actions(step).numpy())
        assert np.array_equal(cpu.get_state(), device.get_state().numpy())
        if options["illegal"] != "raise":
            actions[random.random(actions.shape) < 0.03] = -1
        cpu.step(actions)
        device.step(actions)
        if step == 12:
            marks = random.random(300) < 0.5
            states = np.roll(cpu.get_state(), 7, axis=0)
            cpu.reset(mask=marks, states=states)
            device.reset(mask=marks, states=states)


@gpu
def test_illegal_actions_are_told_as_on_the_cpu() -> None:
    game = ludex.load("tictactoe")
    said = []
    for device in ("cpu", "cuda"):
        env = ludex.VectorEnv(game, 40, device=device, illegal="raise", forced="made")
        actions = np.zeros((40, 2), dtype=np.int64)
        actions[17, 0] = 99
        with pytest.raises(ludex.IllegalMoveError) as error:
            env.step(actions)
        said.append(str(error.value))
    assert said[0] == said[1]


@gpu
def test_torch_takes_the_same_memory_and_gives_actions() -> None:
    torch = pytest.importorskip("torch")
    env = ludex.VectorEnv(ludex.load("connectfour"), 5000, device="cuda:0")
    mask, observations = torch.from_dlpack(env.mask), torch.from_dlpack(env.observations)
    assert mask.data_ptr() == env.mask.pointer and mask.dtype == torch.bool
    assert observations.data_ptr() == env.observations.pointer
    cpu = ludex.VectorEnv(ludex.load("connectfour"), 5000)
    side = torch.cuda.Stream()
    for step in range(40):
        logits = torch.rand(mask.shape, device="cuda")
        # Another stream each second step.
        with torch.cuda.stream(side if step % 2 else torch.cuda.default_stream()):
            torch.cuda.current_stream().wait_stream(torch.cuda.default_stream())
            now = torch.from_dlpack(env.mask)
            parts = [torch.where(now[:, s], logits[:, s], -1.0).argmax(1) for s in env.move_slices]
            actions = torch.stack(parts, dim=1)
            env.step(actions)
        cpu.step(actions.cpu().numpy())
        assert np.array_equal(cpu.mask, env.mask.numpy()), step
        assert np.array_equal(cpu.observations, observations.cpu().numpy()), step
    with pytest.raises(ValueError, match="elements"):
        env.step(torch.zeros(3, dtype=torch.int64, device="cuda"))
    with pytest.raises(TypeError):
        env.step(torch.zeros((5000, 2), device="cuda"))
    with pytest.raises(BufferError, match="contiguous"):
        env.step(torch.zeros((2, 5000), dtype=torch.int64, device="cuda").T)
    env.close()
    # Whoever has an array keeps its memory.
    assert int(mask.sum()) == int(cpu.mask.sum())
    with pytest.raises(RuntimeError, match="closed"):
        env.step(actions)


@gpu
def test_jax_takes_the_same_memory() -> None:
    jax = pytest.importorskip("jax")
    env = ludex.VectorEnv(ludex.load("tictactoe"), 1000, device="cuda:0", dtype=np.uint8)
    if not any(device.platform == "gpu" for device in jax.devices()):
        pytest.skip("NOT RUN: jax has no GPU")
    array = jax.dlpack.from_dlpack(env.observations)
    assert array.unsafe_buffer_pointer() == env.observations.pointer
    assert np.array_equal(np.asarray(array), env.observations.numpy())


@gpu
def test_too_many_games_are_a_sentence() -> None:
    with pytest.raises(ludex.LimitError, match="memory"):
        ludex.VectorEnv(ludex.load("reversi"), 2**31 - 1, device="cuda", observation="flat")
    with pytest.raises(ludex.LudexError, match="GPU"):
        ludex.VectorEnv(ludex.load("reversi"), 1, device="cuda:77")


@gpu
def test_playouts_are_distributed_as_on_the_cpu() -> None:
    game = ludex.load("connectfour")
    n = 200_000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        there = ludex.playouts(game, n, device="cuda", seed=5)
    here = ludex.playouts(game, n, seed=6)
    assert there.count == n
    for role in game.roles:
        assert sum(there.roles[role].goals.values()) + there.roles[role].without == n
        for goal, count in here.roles[role].goals.items():
            # Six deviations of a difference of two counts.
            assert abs(count - there.roles[role].goals.get(goal, 0)) < 6 * (2 * max(count, 1)) ** 0.5 + 6
    start = game.start().play(game.start().legal(game.roles[0])[0])
    assert ludex.playouts(game, 1000, start, device="cuda").count == 1000
