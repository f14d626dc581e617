"""In lockstep with games that others coded by hand: OpenSpiel's.

Each test says how our moves are spelt there. Legal moves, ends and results must be the same in every state of random games. Boards
that lie the other way round are named where they are; no other difference of rules was found.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Callable

import ludex
import numpy as np
import pytest

from conftest import sheet

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("pyspiel") is None, reason="NOT RUN: open_spiel is not installed"
)

# A game takes some milliseconds: LUDEX_LOCKSTEP=10000 is what the record was made with.
MATCHES = int(os.environ.get("LUDEX_LOCKSTEP", "100"))

LETTERS = "abcdefgh"


def numbers(move: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", move)]


def lockstep(path: str, name: str, spell: Callable[[str, int], str], matches: int = MATCHES) -> int:
    """Plays both at random with the same moves; how many states were compared."""
    import pyspiel

    peer = pyspiel.load_game(name)
    game = ludex.load(path)
    random = np.random.default_rng(7)
    compared = 0
    for _ in range(matches):
        theirs, ours = peer.new_initial_state(), game.start()
        while not theirs.is_terminal():
            assert not ours.terminal, str(theirs)
            player = theirs.current_player()
            legal = {spell(move, player): move for move in ours.legal(game.roles[player])}
            there = {theirs.action_to_string(player, action).rstrip("*"): action for action in theirs.legal_actions()}
            assert sorted(legal) == sorted(there), (str(theirs), ours.draw())
            chosen = sorted(there)[random.integers(len(there))]
            theirs.apply_action(there[chosen])
            others = [ours.legal(role)[0] for role in game.roles]
            others[player] = legal[chosen]
            ours = ours.play(others)
            compared += 1
        assert ours.terminal, str(theirs)
        results = [{1.0: 100, 0.0: 50, -1.0: 0}[result] for result in theirs.returns()]
        assert [ours.goals[role] for role in game.roles] == results, str(theirs)
    return compared


def test_tic_tac_toe() -> None:
    def spell(move: str, player: int) -> str:
        row, column = numbers(move)
        return f"{'xo'[player]}({row - 1},{column - 1})"

    assert lockstep("tictactoe", "tic_tac_toe", spell) > 5 * MATCHES


def test_connect_four() -> None:
    assert lockstep(sheet("connect4"), "connect_four", lambda move, player: f"{'xo'[player]}{numbers(move)[0] - 1}") > (
        7 * MATCHES
    )


def test_othello() -> None:
    def spell(move: str, player: int) -> str:
        if not numbers(move):
            return "pass"
        x, y = numbers(move)
        return f"{LETTERS[x - 1]}{y}"

    assert lockstep("reversi", "othello", spell) > 50 * MATCHES


def test_breakthrough() -> None:
    def spell(move: str, player: int) -> str:
        # There the one who begins has the upper ranks.
        x, y, to_x, to_y = numbers(move)
        return f"{LETTERS[x - 1]}{9 - y}{LETTERS[to_x - 1]}{9 - to_y}"

    assert lockstep("breakthrough", "breakthrough", spell) > 20 * MATCHES


def test_nim() -> None:
    def spell(move: str, player: int) -> str:
        heap, taken = move.strip("()").split()[1:]
        return f"pile:{LETTERS.index(heap) + 1}, take:{taken};"

    # Without saying so there the one who takes the last match loses.
    assert lockstep("nim", "nim(is_misere=False)", spell) > 3 * MATCHES


def test_hex() -> None:
    def spell(move: str, player: int) -> str:
        x, y = numbers(move)
        return f"{LETTERS[x - 1]}{y}"

    assert lockstep("hex", "hex(board_size=5)", spell) > 9 * MATCHES


def counts(path: str, depth: int) -> list[int]:
    """How many lines of each length there are, by the numbers of all moves."""
    frontier, found = [ludex.load(path).start()], []
    for _ in range(depth):
        frontier = [state.play(move) for state in frontier for move in state.legal()]
        found.append(len(frontier))
        frontier = [state for state in frontier if not state.terminal]
    return found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("connect4", [7, 49, 343, 2401]),
        ("breakthrough", [22, 484, 11132]),
        # The sheet `checkers` lets a player pass over a jump; this one does not, as in OpenSpiel.
        ("checkers-mustjump", [7, 49, 302, 1469]),
        ("merrills", [24, 552, 12144]),
        ("linesofaction", [36, 1244]),
    ],
)
def test_move_counts_from_the_start(name: str, expected: list[int]) -> None:
    """The counts of OpenSpiel's games of these names."""
    assert counts(sheet(name), len(expected)) == expected


def test_move_counts_of_othello() -> None:
    assert counts("reversi", 4) == [4, 12, 56, 244]
