#!/usr/bin/env python3
"""Steps a second of `ludex.VectorEnv` and, in the same run, of what others use: Pgx, PettingZoo's classic games, OpenSpiel.

    scripts/bench-env.py [--games N] [--seconds S] [--json FILE] [--peers]

Random legal actions are drawn outside the time. One thread. Peers that are not installed are said to be missing.
"""

from __future__ import annotations

import argparse
import json
import time

import ludex
import numpy as np

GAMES = ["tictactoe", "connectfour", "breakthrough", "reversi"]


def steps_a_second(name: str, games: int, seconds: float, observation: str | None, dtype: object) -> float:
    """The best of the rounds: each plays some hundred steps with actions that were drawn before."""
    game = ludex.load(name)
    env = ludex.VectorEnv(game, games, observation=observation, dtype=dtype)
    best, until = 0.0, time.perf_counter() + seconds
    step = 0
    while time.perf_counter() < until:
        spent, made = 0.0, 0
        for _ in range(40):
            actions = env.sample_actions(step)
            step += 1
            started = time.perf_counter()
            env.step(actions)
            spent += time.perf_counter() - started
            made += games
        best = max(best, made / spent)
    return best


def pettingzoo_rate(module: str, seconds: float) -> float:
    import importlib

    env = importlib.import_module(f"pettingzoo.classic.{module}").env()
    made, spent = 0, 0.0
    random = np.random.default_rng(1)
    while spent < seconds:
        env.reset()
        for agent in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            action = None
            if not (terminated or truncated):
                action = int(random.choice(np.flatnonzero(observation["action_mask"])))
            started = time.perf_counter()
            env.step(action)
            spent += time.perf_counter() - started
            made += action is not None
    return made / spent


def open_spiel_rate(name: str, seconds: float) -> float:
    import pyspiel

    game = pyspiel.load_game(name)
    random = np.random.default_rng(1)
    made, spent = 0, 0.0
    while spent < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            action = legal[random.integers(len(legal))]
            started = time.perf_counter()
            state.apply_action(action)
            state.legal_actions()
            spent += time.perf_counter() - started
            made += 1
    return made / spent


def pgx_rate(name: str, games: int, seconds: float) -> float:
    import jax
    import pgx

    env = pgx.make(name)
    init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))
    state = init(jax.random.split(jax.random.PRNGKey(0), games))
    random = np.random.default_rng(1)
    made, spent = 0, 0.0
    warm = False
    while spent < seconds:
        mask = np.asarray(state.legal_action_mask)
        actions = jax.numpy.asarray((random.random(mask.shape) * mask).argmax(1))
        started = time.perf_counter()
        state = jax.block_until_ready(step(state, actions))
        if warm:
            spent += time.perf_counter() - started
            made += games
        warm = True
        if bool(np.asarray(state.terminated).all()):
            state = init(jax.random.split(jax.random.PRNGKey(made), games))
    return made / spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4096, help="games of a batch")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each row")
    parser.add_argument("--peers", action="store_true", help="measure the others as well")
    parser.add_argument("--json", help="write the rows to this file")
    args = parser.parse_args()
    rows: list[dict[str, object]] = []

    def row(system: str, game: str, rate: float | None, note: str = "") -> None:
        rows.append({"system": system, "game": game, "steps_per_second": rate, "note": note})
        print(f"{system:28} {game:14} {'-' if rate is None else f'{rate / 1e6:10.2f} M/s'} {note}", flush=True)

    for name in GAMES:
        row("ludex, mask", name, steps_a_second(name, args.games, args.seconds, None, None))
        row("ludex, mask and flat bytes", name, steps_a_second(name, args.games, args.seconds, "flat", np.uint8))
        row("ludex, mask and flat floats", name, steps_a_second(name, args.games, args.seconds, "flat", np.float32))
    if args.peers:
        peers = [
            ("PettingZoo", [("tictactoe", "tictactoe_v3"), ("connectfour", "connect_four_v3")], pettingzoo_rate),
            (
                "OpenSpiel",
                [
                    ("tictactoe", "tic_tac_toe"),
                    ("connectfour", "connect_four"),
                    ("breakthrough", "breakthrough"),
                    ("reversi", "othello"),
                ],
                open_spiel_rate,
            ),
            (
                "Pgx",
                [("tictactoe", "tic_tac_toe"), ("connectfour", "connect_four"), ("reversi", "othello")],
                lambda name, seconds: pgx_rate(name, 8192, seconds),
            ),
        ]
        for system, names, measure in peers:
            for game, name in names:
                try:
                    row(system, game, measure(name, args.seconds))
                except ImportError as error:
                    row(system, game, None, f"NOT RUN: {error}")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"games": args.games, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
