#!/usr/bin/env python3
"""Steps `ludex.VectorEnv` on a GPU with random actions drawn there: million steps a second, as CSV.

scripts/bench-device.py [GAMES [SECONDS]]

Needs the package `ludex` and an NVIDIA GPU. Masks, rewards and ends are always written; the column `output` says
which observation is as well.
"""

import sys
import time

import ludex


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_048_576
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    print("game,games,output,million_steps_per_second")
    for name in ("tictactoe", "connectfour", "breakthrough", "reversi"):
        game = ludex.load(name)
        for output, options in (
            ("mask", {"observation": None}),
            ("mask and flat bytes", {"dtype": "uint8"}),
            ("mask and flat floats", {"dtype": "float32"}),
        ):
            with ludex.VectorEnv(game, count, device="cuda:0", **options) as env:
                actions = env.sample_actions(0)
                steps = 0
                for warm in (True, False):
                    steps, started = 0, time.perf_counter()
                    while time.perf_counter() - started < (0.2 if warm else seconds):
                        for _ in range(20):
                            steps += 1
                            env.sample_actions(steps, out=actions)
                            env.step(actions)
                        env.synchronize()
                    rate = steps * count / (time.perf_counter() - started)
            print(f"{name},{count},{output},{rate / 1e6:.0f}", flush=True)


if __name__ == "__main__":
    main()
