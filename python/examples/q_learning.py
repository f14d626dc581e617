"""Tabular Q-learning by self-play on Tic-Tac-Toe, until nothing is given away.

The value of a state is what x gets with best play from there; both sides learn on the same table. At the end every reachable choice is
compared with exhaustive search: a greedy player must never give a value away.
"""

from __future__ import annotations

import ludex
import numpy as np


def learn(games: int = 1024, steps: int = 4000, rate: float = 0.5, seed: int = 0) -> tuple[ludex.Game, dict[bytes, float]]:
    """Plays batches at random and learns the value of each state from its best successor."""
    game = ludex.load("tictactoe")
    env = ludex.VectorEnv(game, games, autoreset="SameStep", observation=None, seed=seed)
    env.reset()
    values: dict[bytes, float] = {}
    start = game.start().row().tobytes()
    successors: dict[bytes, set[bytes]] = {}
    movers: dict[bytes, int] = {}
    choices: dict[bytes, int] = {}
    rows = env.get_state()
    for step in range(steps):
        turns = env.turn.copy()
        # Who waits has one move.
        legal = env.mask.sum(axis=1) - 1
        actions = env.sample_actions(seed=step)
        env.step(actions)
        after = env.get_state()
        ended = env.terminated.copy()
        for i in range(games):
            state = rows[i].tobytes()
            movers[state] = int(turns[i])
            choices[state] = int(legal[i])
            if ended[i]:
                # The game has begun anew; what it was worth is the reward of x. The end is told by who moved where.
                final = state + actions[i].tobytes()
                values[final] = float(env.rewards[i, 0])
                successors.setdefault(state, set()).add(final)
            else:
                successors.setdefault(state, set()).add(after[i].tobytes())
            best = max if movers[state] == 0 else min
            target = best(values.get(next_, 50.0) for next_ in successors[state])
            old = values.get(state, 50.0)
            values[state] = old + rate * (target - old)
        rows = after
        if step % 50 == 49 and settled(values, successors, movers, choices):
            break
    assert start in values
    return game, values


def settled(
    values: dict[bytes, float],
    successors: dict[bytes, set[bytes]],
    movers: dict[bytes, int],
    choices: dict[bytes, int],
) -> bool:
    """True if every move of every state was tried, and every state has the value of its best successor."""
    for state, after in successors.items():
        if len(after) < choices[state]:
            return False
        best = max if movers[state] == 0 else min
        if abs(values[state] - best(values.get(next_, 50.0) for next_ in after)) > 1:
            return False
    return True


def mistakes(game: ludex.Game, values: dict[bytes, float]) -> tuple[int, int]:
    """How many choices of a greedy player give something away, and how many there were: both sides, all lines that it allows."""
    known: dict[ludex.State, float] = {}

    def exact(state: ludex.State) -> float:
        if state.terminal:
            return float(state.goals["x"] or 0)
        if state not in known:
            best = max if state.turn == "x" else min
            known[state] = best(exact(state.play(move)) for move in state.legal())
        return known[state]

    def worth(state: ludex.State) -> float:
        return float(state.goals["x"] or 0) if state.terminal else values.get(state.row().tobytes(), 50.0)

    wrong, choices, seen = 0, 0, set()
    open_ = [game.start()]
    while open_:
        state = open_.pop()
        if state.terminal or state in seen:
            continue
        seen.add(state)
        best = max if state.turn == "x" else min
        after = [state.play(move) for move in state.legal()] if state.turn else [state.play(state.legal()[0])]
        chosen = best(after, key=worth)
        choices += 1
        wrong += exact(chosen) != exact(state)
        # Whatever the other side does, the greedy player must answer well.
        open_.extend(after)
    return wrong, choices


if __name__ == "__main__":
    learnt, table = learn()
    bad, total = mistakes(learnt, table)
    print(f"{len(table)} values; {bad} of {total} choices give something away")
