"""The examples do what they say."""

from __future__ import annotations

import sys

from conftest import ROOT

sys.path.insert(0, str(ROOT / "python" / "examples"))


def test_q_learning_becomes_perfect() -> None:
    import q_learning

    game, values = q_learning.learn()
    wrong, choices = q_learning.mistakes(game, values)
    assert choices > 4000 and wrong == 0
    # What exhaustive search says of the start: a draw.
    assert game.solve().roles["x"].value == 50
    assert round(values[game.start().row().tobytes()]) == 50


def test_a_network_in_numpy_beats_chance() -> None:
    import numpy_network

    game, network = numpy_network.train(seconds=20)
    untrained = numpy_network.Network(network.weights[0].shape[0])
    assert numpy_network.against_chance(game, network) > 0.85
    assert numpy_network.against_chance(game, untrained) < 0.8
