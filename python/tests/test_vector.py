"""Batches: the same as play one state at a time, and nothing undefined."""

from __future__ import annotations

import threading

import ludex
import numpy as np
import pytest

from conftest import sheet


def choose(mask: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """A random legal action of each row; 0 where there is none."""
    keys = random.random(mask.shape) * mask
    return keys.argmax(axis=1)


def walk(name: str, games: int = 70, steps: int = 40, seed: int = 1) -> int:
    """Plays a batch and the same games one at a time; how many states were compared."""
    game = ludex.load(name)
    env = ludex.VectorEnv(game, games, autoreset="Disabled", seed=seed)
    random = np.random.default_rng(seed)
    env.reset()
    states = [game.start() for _ in range(games)]
    compared = 0
    for _ in range(steps):
        for i, state in enumerate(states):
            assert env.terminated[i] == (state.terminal or env.terminated[i])
            if state.terminal or state.stuck:
                continue
            for role in range(len(game.roles)):
                assert list(np.flatnonzero(env.mask_of(role)[i])) == list(state.legal_actions(role)), (name, state)
            compared += 1
        if all(state.terminal or state.stuck for state in states):
            break
        actions = np.stack([choose(env.mask_of(role), random) for role in range(len(game.roles))], axis=1)
        env.step(actions)
        for i, state in enumerate(states):
            if not (state.terminal or state.stuck):
                states[i] = state.apply(actions[i])
                assert (env.get_state()[i] == states[i].row()).all()
                assert env.terminated[i] == states[i].terminal
                if states[i].terminal:
                    goals = [goal for goal in states[i].goals.values()]
                    assert [int(r) for r in env.rewards[i]] == goals
    return compared


@pytest.mark.parametrize("name", ludex.games())
def test_batches_equal_single_states(name: str) -> None:
    assert walk(name, games=20, steps=25) > 20


@pytest.mark.parametrize("name", ["connect4", "checkers", "pentago", "blocker", "mummymaze1p"])
def test_batches_equal_single_states_on_public_sheets(name: str) -> None:
    assert walk(sheet(name), games=6, steps=15) > 6


def test_arrays_are_aligned_owned_and_shared_without_a_copy() -> None:
    env = ludex.VectorEnv(ludex.load("connectfour"), 33)
    for array in (env.mask, env.rewards, env.observations, env.turn):
        assert array.ctypes.data % 64 == 0
        shared = np.from_dlpack(array.view(np.uint8) if array.dtype == np.bool_ else array)
        assert shared.ctypes.data == array.ctypes.data
    before = env.observations
    env.step(env.sample_actions(1))
    assert env.observations is before


def test_jax_takes_observations_without_a_copy() -> None:
    jax = pytest.importorskip("jax", reason="NOT RUN: jax is not installed")
    env = ludex.VectorEnv(ludex.load("connectfour"), 64)
    shared = jax.dlpack.from_dlpack(env.observations)
    assert shared.unsafe_buffer_pointer() == env.observations.ctypes.data


def test_torch_takes_observations_without_a_copy() -> None:
    torch = pytest.importorskip("torch", reason="NOT RUN: torch is not installed")
    env = ludex.VectorEnv(ludex.load("connectfour"), 64)
    assert torch.from_dlpack(env.observations).data_ptr() == env.observations.ctypes.data


def test_seeds_decide_and_threads_do_not() -> None:
    game = ludex.load("connectfour")
    rows = []
    for threads in (1, 2, 3):
        env = ludex.VectorEnv(game, 2000, illegal="random", seed=9, threads=threads)
        for _ in range(30):
            env.step(np.zeros((2000, 2), dtype=np.int32))
        rows.append(env.get_state())
    assert (rows[0] == rows[1]).all() and (rows[0] == rows[2]).all()
    other = ludex.VectorEnv(game, 2000, illegal="random", seed=10)
    for _ in range(30):
        other.step(np.zeros((2000, 2), dtype=np.int32))
    assert (other.get_state() != rows[0]).any()


def test_actions_may_lie_in_an_array_of_the_environment() -> None:
    """What was made is made again: the array is read before it is written."""
    game = ludex.load("tictactoe")
    envs = [ludex.VectorEnv(game, 700, illegal="random", seed=4) for _ in range(2)]
    for env in envs:
        env.step(np.full((700, 2), -1))
    for _ in range(4):
        made = [env.made for env in envs]
        assert made[0] is not None and made[1] is not None and (made[0] == made[1]).all()
        envs[0].step(made[0])
        envs[1].step(made[1].copy())
        assert (envs[0].get_state() == envs[1].get_state()).all() and (envs[0].illegal == envs[1].illegal).all()
        marked = [env.illegal[:, 0] for env in envs]
        envs[0].reset(mask=marked[0])
        envs[1].reset(mask=marked[1].copy())
        assert (envs[0].mask == envs[1].mask).all()


def test_illegal_actions_lose_are_replaced_or_raise() -> None:
    game = ludex.load("tictactoe")
    noop = game.moves[1].index("noop")
    corner = game.moves[0].index("(mark 1 1)")
    actions = np.array([[corner, noop], [-1, noop], [2**31 - 1, noop]], dtype=np.int64)
    env = ludex.VectorEnv(game, 3, autoreset="Disabled", illegal="lose", forced="given")
    _, rewards, terminated, truncated, info = env.step(actions)
    assert list(terminated) == [False, True, True] and not truncated.any()
    assert rewards.tolist() == [[0, 0], [0, 100], [0, 100]]
    assert info["illegal"].tolist() == [[False, False], [True, False], [True, False]]
    env = ludex.VectorEnv(game, 3, illegal="random", forced="given")
    _, _, terminated, _, info = env.step(actions)
    assert not terminated.any() and info["made"][0, 0] == corner and (info["made"] >= 0).all()
    env = ludex.VectorEnv(game, 3, illegal="raise", forced="given")
    before = env.get_state()
    with pytest.raises(ludex.IllegalMoveError, match="game 1"):
        env.step(actions)
    assert (env.get_state() == before).all()


@pytest.mark.parametrize("autoreset", ["SameStep", "NextStep", "Disabled"])
def test_games_begin_anew_as_said(autoreset: str) -> None:
    game = ludex.load("tictactoe")
    line = ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"]
    env = ludex.VectorEnv(game, 1, autoreset=autoreset)  # type: ignore[arg-type]
    env.reset()
    for i, move in enumerate(line):
        actions = [game.moves[role].index(move if i % 2 == role else "noop") for role in (0, 1)]
        obs, rewards, terminated, _, info = env.step([actions])
    assert terminated[0] and rewards[0].tolist() == [100, 0]
    if autoreset == "SameStep":
        assert env.state(0) == game.start()
        state = game.start()
        for move in line:
            state = state.play(move)
        assert (info["final_obs"][0] == state.observe()).all() and (info["final_obs"] != obs).any()
    else:
        assert env.state(0).terminal
        _, rewards, terminated, _, _ = env.step([[0, 0]])
        assert rewards[0].tolist() == [0, 0]
        assert bool(terminated[0]) == (autoreset == "Disabled")
        assert (env.state(0) == game.start()) == (autoreset == "NextStep")


def test_games_are_cut_off_at_a_length() -> None:
    env = ludex.VectorEnv(ludex.load("connectfour"), 5, max_length=3, autoreset="Disabled")
    for step in range(3):
        _, _, terminated, truncated, _ = env.step(env.sample_actions(step))
    assert truncated.all() and not terminated.any()


def test_states_go_out_and_come_back() -> None:
    game = ludex.load("connectfour")
    env = ludex.VectorEnv(game, 8, seed=4)
    for step in range(6):
        env.step(env.sample_actions(step))
    rows = env.get_state()
    other = ludex.VectorEnv(game, 8)
    other.reset(states=rows)
    assert (other.get_state() == rows).all() and (other.mask == env.mask).all()
    mask = np.array([1, 0] * 4, dtype=bool)
    other.reset(mask=mask)
    assert (other.get_state()[mask] == game.start().row()).all()
    assert (other.get_state()[~mask] == rows[~mask]).all()
    assert other.state(1).row().tolist() == rows[1].tolist()


def test_wrong_use_is_an_exception_that_says_what() -> None:
    game = ludex.load("tictactoe")
    env = ludex.VectorEnv(game, 4)
    with pytest.raises(ValueError, match="shape"):
        env.step(np.zeros((3, 2), dtype=np.int32))
    with pytest.raises(TypeError, match="whole numbers"):
        env.step(np.full((4, 2), np.nan))
    with pytest.raises(TypeError):
        env.step([["a", "b"]] * 4)
    env.step(np.full((4, 2), 2**63 + 5, dtype=np.uint64))
    with pytest.raises(TypeError, match="uint64"):
        env.reset(states=np.zeros((4, 1), dtype=np.float32))
    with pytest.raises(ValueError, match="shape"):
        env.reset(mask=[True])
    with pytest.raises(TypeError, match="truth values"):
        env.reset(mask=np.full(4, np.nan))
    with pytest.raises(ValueError, match="bits"):
        env.reset(states=np.full((4, env.get_state().shape[1]), 2**64 - 1, dtype=np.uint64))
    for bad in (0, -1, 2**40):
        with pytest.raises((ValueError, OverflowError, ludex.LudexError, MemoryError)):
            ludex.VectorEnv(game, bad)
    with pytest.raises(ValueError, match="autoreset"):
        ludex.VectorEnv(game, 1, autoreset="Sometimes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="observation"):
        ludex.VectorEnv(game, 1, observation="smell")
    env.close()
    with pytest.raises(RuntimeError, match="closed"):
        env.step(np.zeros((4, 2), dtype=np.int32))


def test_what_newcomers_write_works_or_says_what_to_write() -> None:
    import copy
    import pickle

    env = ludex.VectorEnv("connectfour", 3, autoreset="Disabled")
    state = env.game.start().play("drop 3")
    env.set_state([state, env.game.start(), state.play("drop 3")])
    assert env.turn.tolist() == [1, 0, 0] and env.state(0) == state
    assert (env.mask_of("yellow") == env.mask_of(1)).all()
    with pytest.raises(ValueError, match="no role `green`"):
        env.mask_of("green")
    with pytest.raises(IndexError, match="no role 2"):
        env.mask_of(2)
    with pytest.raises(ValueError, match="states are of tictactoe, not of connectfour"):
        env.set_state([ludex.load("tictactoe").start()] * 3)
    with pytest.raises(ValueError, match="shape"):
        env.set_state([state])
    for use in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="neither copied nor pickled"):
            use(env)
    for length in (0, -1, 2**32, 2.5, float("nan"), "7"):
        with pytest.raises(ValueError, match="max_length"):
            ludex.VectorEnv("tictactoe", 1, max_length=length)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="float32 or uint8, not of int32"):
        ludex.VectorEnv("tictactoe", 1, dtype="int32")
    with pytest.raises(ValueError, match="autoreset `None`"):
        ludex.VectorEnv("tictactoe", 1, autoreset=None)  # type: ignore[arg-type]


def test_more_threads_than_there_are_anywhere_are_refused() -> None:
    for threads in (0, -1, 1025, 10**6, 2**40):
        with pytest.raises(ValueError, match="`threads` is a number from 1 to 1024"):
            ludex.VectorEnv("tictactoe", 1, threads=threads)
        with pytest.raises(ValueError, match="`threads`"):
            ludex.playouts("tictactoe", 10, threads=threads)
        with pytest.raises(ValueError, match="`threads`"):
            ludex.load("tictactoe").solve(threads=threads)
    # More than there is work for.
    assert ludex.VectorEnv("tictactoe", 600, threads=1024).step(np.zeros((600, 2), np.int32))[1].shape == (600, 2)


def test_threads_that_share_an_environment_get_an_answer_or_an_exception() -> None:
    env = ludex.VectorEnv(ludex.load("reversi"), 4096, illegal="random")
    actions = np.zeros((4096, 2), dtype=np.int32)
    outcomes: list[str] = []

    def work() -> None:
        for _ in range(50):
            try:
                env.step(actions)
                outcomes.append("stepped")
            except RuntimeError as error:
                assert "another thread" in str(error)
                outcomes.append("refused")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(outcomes) == 200 and "stepped" in outcomes
