"""A small value network in NumPy alone that learns Connect Four by self-play, and then beats chance clearly.

One hidden layer tells what the first role will get, from the flat observation. Moves are chosen by looking one move ahead: all successors of all
games are one batch. It learns from the ends of its own games, for so many seconds.
"""

from __future__ import annotations

import time

import ludex
import numpy as np


class Network:
    """Observation to value between -1 and 1, by gradient steps (Adam)."""

    def __init__(self, inputs: int, hidden: int = 64, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.weights = [
            (random.normal(size=(inputs, hidden)) / np.sqrt(inputs)).astype(np.float32),
            np.zeros(hidden, np.float32),
            np.zeros((hidden, 1), np.float32),
            np.zeros(1, np.float32),
        ]
        self.moments = [(np.zeros_like(w), np.zeros_like(w)) for w in self.weights]
        self.steps = 0

    def value(self, x: np.ndarray) -> np.ndarray:
        w1, b1, w2, b2 = self.weights
        return np.tanh(np.maximum(x @ w1 + b1, 0) @ w2 + b2)[:, 0]

    def learn(self, x: np.ndarray, target: np.ndarray, rate: float = 3e-3) -> None:
        w1, b1, w2, b2 = self.weights
        hidden = np.maximum(x @ w1 + b1, 0)
        value = np.tanh(hidden @ w2 + b2)
        slope = (value - target[:, None]) * (1 - value**2) / len(x)
        back = (slope @ w2.T) * (hidden > 0)
        gradients = [x.T @ back, back.sum(0), hidden.T @ slope, slope.sum(0)]
        self.steps += 1
        for weight, gradient, (first, second) in zip(self.weights, gradients, self.moments, strict=True):
            first += 0.1 * (gradient - first)
            second += 0.001 * (gradient**2 - second)
            one, two = first / (1 - 0.9**self.steps), second / (1 - 0.999**self.steps)
            weight -= rate * one / (np.sqrt(two) + 1e-8)


class Player:
    """Looks one move ahead with the network, all games of a batch at once."""

    def __init__(self, game: ludex.Game, network: Network, games: int, seed: int = 0) -> None:
        self.game, self.network = game, network
        self.random = np.random.default_rng(seed)
        moves = [len(names) for names in game.moves]
        self.ahead = ludex.VectorEnv(
            game, games * max(moves), autoreset="Disabled", rewards="scaled", illegal="lose"
        )
        self.width = max(moves)

    def choose(self, env: ludex.VectorEnv, noise: float) -> np.ndarray:
        """The best action of whoever is to move in each game; now and then a random one."""
        games = env.num_envs
        rows = np.repeat(env.get_state(), self.width, axis=0)
        self.ahead.set_state(rows)
        tries = np.tile(np.arange(self.width), games)
        self.ahead.step(np.stack([tries, tries], axis=1))
        worth = np.where(self.ahead.terminated, self.ahead.rewards[:, 0], self.network.value(self.ahead.observations))
        worth = worth.reshape(games, self.width)
        signed = np.where(env.turn[:, None] == 1, -worth, worth)
        legal = np.zeros((games, self.width), dtype=bool)
        for role in (0, 1):
            mine = env.turn == role
            mask = env.mask_of(role)
            legal[mine, : mask.shape[1]] = mask[mine]
        best = np.where(legal, signed + 1e-6 * self.random.random(signed.shape), -np.inf).argmax(1)
        chance = (self.random.random(signed.shape) * legal).argmax(1)
        chosen = np.where(self.random.random(games) < noise, chance, best)
        return np.stack([chosen, chosen], axis=1)


def train(seconds: float = 45.0, games: int = 64, seed: int = 0) -> tuple[ludex.Game, Network]:
    """Learns by self-play for so long."""
    game = ludex.load("connectfour")
    env = ludex.VectorEnv(game, games, autoreset="SameStep", rewards="scaled", seed=seed)
    env.reset()
    network = Network(env.observations.shape[1], seed=seed)
    player = Player(game, network, games, seed)
    lines: list[list[np.ndarray]] = [[] for _ in range(games)]
    seen: list[np.ndarray] = []
    worth: list[float] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        before = env.observations.copy()
        env.step(player.choose(env, noise=0.15))
        for i in range(games):
            lines[i].append(before[i])
        for i in np.flatnonzero(env.terminated | env.truncated):
            lines[i].append(env.final_observations[i].copy())
            # The later a state, the more the end says about it.
            for age, state in enumerate(reversed(lines[i])):
                seen.append(state)
                worth.append(float(env.rewards[i, 0]) * 0.95**age)
            lines[i] = []
        if len(seen) >= 1024:
            x, target = np.array(seen[-16384:], np.float32), np.array(worth[-16384:], np.float32)
            for _ in range(8):
                some = player.random.integers(len(x), size=256)
                network.learn(x[some], target[some])
            del seen[:-16384], worth[:-16384]
    return game, network


def against_chance(game: ludex.Game, network: Network, matches: int = 200, seed: int = 1) -> float:
    """The share of the points that the network gets against random moves, half of the games on each side."""
    env = ludex.VectorEnv(game, matches, autoreset="Disabled", seed=seed)
    env.reset()
    player = Player(game, network, matches, seed)
    mine = np.arange(matches) % 2
    points = np.zeros(matches)
    for step in range(10_000):
        over = env.terminated | env.truncated
        if over.all():
            break
        ours = player.choose(env, noise=0.0)
        theirs = env.sample_actions(seed=1000 * seed + step)
        _, rewards, terminated, _, _ = env.step(np.where((env.turn == mine)[:, None], ours, theirs))
        ended = terminated & ~over
        points[ended] = rewards[ended, mine[ended]]
    return float(points.mean() / 100)


if __name__ == "__main__":
    learnt, net = train()
    print(f"{100 * against_chance(learnt, net):.0f} % of the points against chance")
