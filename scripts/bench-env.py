#!/usr/bin/env python3
"""Steps a second of `ludex.VectorEnv` and, in the same run, of what others use: Pgx, PettingZoo's classic games, OpenSpiel.

    scripts/bench-env.py [--games N] [--seconds S] [--json FILE] [--peers] [--record]

Random legal actions are drawn outside the time, which is the processor's: what else the machine does matters less. One
processor. Peers that are not installed are said to be missing. `--record` writes records/environments.csv, which takes all peers.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable

import ludex
import numpy as np

import records

GAMES = ["tictactoe", "connectfour", "breakthrough", "reversi"]


def steps_a_second(name: str, games: int, seconds: float, observation: str | None, dtype: object) -> float:
    """The best of the rounds: each plays some steps with actions that were drawn before."""
    game = ludex.load(name)
    env = ludex.VectorEnv(game, games, observation=observation, dtype=dtype)
    best, until = 0.0, time.process_time() + seconds
    step = 0
    while time.process_time() < until:
        spent, made = 0.0, 0
        for _ in range(40):
            actions = env.sample_actions(step)
            step += 1
            started = time.process_time()
            env.step(actions)
            spent += time.process_time() - started
            made += games
        best = max(best, made / spent)
    return best


def replayed(record: Callable[[], list[int]], replay: Callable[[list[int]], None], seconds: float) -> float:
    """Steps a second of games whose actions were chosen before."""
    made, spent = 0, 0.0
    while spent < seconds:
        games = [record() for _ in range(20)]
        started = time.process_time()
        for actions in games:
            replay(actions)
        spent += time.process_time() - started
        made += sum(map(len, games))
    return made / spent


def pettingzoo_rate(module: str, seconds: float) -> float:
    import importlib

    env = importlib.import_module(f"pettingzoo.classic.{module}").env()
    random = np.random.default_rng(1)

    def record() -> list[int]:
        env.reset()
        actions = []
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                break
            actions.append(int(random.choice(np.flatnonzero(observation["action_mask"]))))
            env.step(actions[-1])
        return actions

    def replay(actions: list[int]) -> None:
        env.reset()
        for action in actions:
            env.step(action)

    return replayed(record, replay, seconds)


def open_spiel_rate(name: str, seconds: float) -> float:
    import pyspiel

    game = pyspiel.load_game(name)
    random = np.random.default_rng(1)

    def record() -> list[int]:
        state, actions = game.new_initial_state(), []
        while not state.is_terminal():
            legal = state.legal_actions()
            actions.append(legal[random.integers(len(legal))])
            state.apply_action(actions[-1])
        return actions

    def replay(actions: list[int]) -> None:
        state = game.new_initial_state()
        for action in actions:
            state.apply_action(action)
            state.legal_actions()

    return replayed(record, replay, seconds)


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
        started = time.process_time()
        state = jax.block_until_ready(step(state, actions))
        if warm:
            spent += time.process_time() - started
            made += games
        warm = True
        if bool(np.asarray(state.terminated).all()):
            state = init(jax.random.split(jax.random.PRNGKey(made), games))
    return made / spent


SYSTEMS = {
    "ludex, mask": "mask",
    "ludex, mask and flat bytes": "mask_and_flat_bytes",
    "ludex, mask and flat floats": "mask_and_flat_floats",
    "Pgx": "pgx",
    "OpenSpiel": "open_spiel",
    "PettingZoo": "pettingzoo",
}


def record(rows: list[dict[str, object]], command: str) -> None:
    """Writes the record, in millions of steps a second."""
    missing = [f"{row['system']}, {row['game']}: {row['note']}" for row in rows if row["steps_per_second"] is None]
    if missing:
        raise SystemExit("nothing is recorded without: " + "; ".join(missing))
    rates = {(SYSTEMS[str(row["system"])], row["game"]): row["steps_per_second"] for row in rows}

    def cell(system: str, game: str) -> str:
        rate = rates.get((system, game))
        return "" if rate is None else f"{rate / 1e6:.3g}"

    table = [[game, *(cell(system, game) for system in SYSTEMS.values())] for game in GAMES]
    about = (
        "Million steps a second of processor time from Python, on one processor: VectorEnv with 4,096 games, random legal "
        "actions drawn outside the time; Pgx with 8,192; OpenSpiel and PettingZoo one game at a time"
    )
    records.write("environments", ["game", *SYSTEMS.values()], table, about, command)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=4096, help="games of a batch")
    parser.add_argument("--seconds", type=float, default=2.0, help="time for each row")
    parser.add_argument("--peers", action="store_true", help="measure the others as well")
    parser.add_argument("--json", help="write the rows to this file")
    parser.add_argument("--record", action="store_true", help="write records/environments.csv")
    args = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        # Libraries that would use all processors are measured on one, as everything else is.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rows: list[dict[str, object]] = []

    def row(system: str, game: str, rate: float | None, note: str = "") -> None:
        rows.append({"system": system, "game": game, "steps_per_second": rate, "note": note})
        print(f"{system:28} {game:14} {'-' if rate is None else f'{rate / 1e6:10.2f} M/s'} {note}", flush=True)

    for name in GAMES:
        row("ludex, mask", name, steps_a_second(name, args.games, args.seconds, None, None))
        row("ludex, mask and flat bytes", name, steps_a_second(name, args.games, args.seconds, "flat", np.uint8))
        row("ludex, mask and flat floats", name, steps_a_second(name, args.games, args.seconds, "flat", np.float32))
    if args.peers or args.record:
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
    if args.record:
        record(rows, f"scripts/bench-env.py --seconds {args.seconds:g} --record")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump({"games": args.games, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
