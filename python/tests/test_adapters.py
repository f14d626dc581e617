"""The adapters, judged by tests that others wrote: PettingZoo's, Gymnasium's and OpenSpiel's."""

from __future__ import annotations

import importlib.util
import os
import warnings

import ludex
import numpy as np
import pytest

from conftest import SHARED, sheets

# Sheets of all kinds: for one, two, three and more; with simultaneous moves; with chance; large and small.
SAMPLE = """
3pconnectfour 3pffa 3pttc 4pttc amazons_8x8 asteroids battle biddingtictactoe blocker blocks blocksworld bomberman2p breakthrough
breakthroughsmall brawl catcha_mouse checkers checkerstiny chickentictactoe chinesecheckers1 chinesecheckers2 chinesecheckers3 chomp
circlesolitaire conn4 connect4 connect5 connectfour connectfoursimultaneous cubicup doubletictactoe dotsandboxes eightpuzzle englishdraughts
firesheep ghostmaze2p god hanoi hex hunter knightfight knightstour knightthrough lightsout max_knights mummymaze1p nim1 nim2 othello-comp2007
pacman2p pancakes6 pawnwhopping peg pentago quarto queens06ug racetrackcorridor reversi rubikscube sheep_and_wolf skirmish snakeparallel
speedchess sudoku_simple tictactoe tictactoe_3player tron_10x10 ttcc4_2player wargame01 walkman
""".split()

needs_pettingzoo = pytest.mark.skipif(
    importlib.util.find_spec("pettingzoo") is None, reason="NOT RUN: pettingzoo is not installed"
)
needs_gymnasium = pytest.mark.skipif(
    importlib.util.find_spec("gymnasium") is None, reason="NOT RUN: gymnasium is not installed"
)
needs_open_spiel = pytest.mark.skipif(
    importlib.util.find_spec("pyspiel") is None, reason="NOT RUN: open_spiel is not installed"
)


def sample() -> list[str]:
    """The sheets of the sample that are there: sixty at most."""
    there = set(sheets())
    return [name for name in SAMPLE if name in there][:60]


GAMES = [*ludex.games(), *(str(SHARED / "games" / f"{name}.kif") for name in sample())]


def short(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0] + (" (public)" if "/" in path else "")


@needs_pettingzoo
@pytest.mark.parametrize("name", GAMES, ids=short)
def test_pettingzoo(name: str) -> None:
    from ludex.pettingzoo import aec_env, parallel_env
    from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

    game = ludex.load(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(aec_env(game), num_cycles=20)
        parallel_api_test(parallel_env(game), num_cycles=20)
        seed_test(lambda: aec_env(game), num_cycles=20)
        parallel_seed_test(lambda: parallel_env(game), num_cycles=20)


@needs_pettingzoo
def test_a_match_of_agents_ends_with_the_goals() -> None:
    from ludex.pettingzoo import aec_env

    env = aec_env("tictactoe")
    env.reset()
    moves = env.game.moves[0]
    line = ["(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)", "(mark 1 3)"]
    agents = []
    for move in line:
        agents.append(env.agent_selection)
        env.step(moves.index(move))
    assert agents == ["x", "o", "x", "o", "x"]
    assert env.terminations == {"x": True, "o": True} and env.rewards == {"x": 100.0, "o": 0.0}
    env.reset()
    env.step(moves.index("(mark 1 1)"))
    env.step(moves.index("(mark 1 1)"))
    assert env.rewards == {"x": 100.0, "o": 0.0} and env.infos["o"] == {"illegal": True}


SOLO = ["eightpuzzle", "hanoi", "lightsout", "pancakes6", "peg", "queens06ug", "knightstour", "circlesolitaire"]


def solo() -> list[str]:
    there = set(sheets())
    bundled = [name for name in ludex.games() if len(ludex.load(name).roles) == 1]
    return [*bundled, *(str(SHARED / "games" / f"{name}.kif") for name in SOLO if name in there)]


@needs_gymnasium
@pytest.mark.parametrize("name", solo(), ids=short)
def test_gymnasium(name: str) -> None:
    import gymnasium
    from gymnasium.utils.env_checker import check_env
    from gymnasium.wrappers.vector import RecordEpisodeStatistics
    from ludex.gymnasium import SoloEnv, SoloVectorEnv

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(SoloEnv(name, max_length=200), skip_render_check=True)
    for mode in gymnasium.vector.AutoresetMode:
        env = SoloVectorEnv(name, 7, autoreset_mode=mode, max_length=5)
        wrapped = RecordEpisodeStatistics(env)
        observations, _ = wrapped.reset(seed=3)
        assert observations in env.observation_space
        ended = np.zeros(7, dtype=bool)
        for _ in range(12):
            actions = env.action_space.sample()
            if mode == gymnasium.vector.AutoresetMode.DISABLED and ended.any():
                wrapped.reset(options={"reset_mask": ended})
            observations, rewards, terminated, truncated, info = wrapped.step(actions)
            ended = terminated | truncated
            assert observations in env.observation_space and rewards.shape == (7,)
        wrapped.close()


OPEN_SPIEL = ["tictactoe", "connectfour4x4", "hex", "racetoten", "nim"]
OPEN_SPIEL_SHEETS = ["connect4", "biddingtictactoe", "checkerstiny", "3pttc", "blocker", "chomp", "pentago", "connectfoursimultaneous"]


@needs_open_spiel
def test_open_spiel_plays_registered_games() -> None:
    import pyspiel
    from ludex.open_spiel import register
    from open_spiel.python.algorithms import generate_playthrough

    there = set(sheets())
    names = [name for name in OPEN_SPIEL if name in ludex.games()]
    names += [str(SHARED / "games" / f"{name}.kif") for name in OPEN_SPIEL_SHEETS if name in there]
    assert len(names) >= (13 if there else 5)
    for name in names:
        label = "gdl_test_" + short(name).split()[0] + ("_public" if "/" in name else "")
        registered = register(ludex.load(name), name=label, max_length=60, seconds=60)
        game = pyspiel.load_game(registered)
        pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)
        # What OpenSpiel writes of a match by itself: twice the same, and to an end.
        lines = generate_playthrough.playthrough(registered, action_sequence=None, seed=5).splitlines()
        again = generate_playthrough.playthrough(registered, action_sequence=None, seed=5).splitlines()
        assert lines == again and "IsTerminal() = True" in lines, name


FENCED = """
(role robot) (init (at 0)) (init wall) (succ 0 1) (succ 1 2)
(<= (legal robot step) (true (at ?x)) (succ ?x ?y)) (legal robot wait)
(<= (next (at ?y)) (does robot step) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?x)) (does robot wait) (true (at ?x)))
(<= (next wall) (true wall))
(<= terminal (true (at 2))) (<= (goal robot 100) (true (at 2))) (<= (goal robot 0) (not (true (at 2))))
"""


@needs_gymnasium
def test_what_never_changes_is_not_seen_one_at_a_time_nor_in_batches() -> None:
    """The wall stays, so three fluents are seen of four; the robot is at 0 and then at 1."""
    from ludex.gymnasium import SoloEnv, SoloVectorEnv

    one, many = SoloEnv(FENCED), SoloVectorEnv(FENCED, 5)
    first, rows = one.reset()[0], many.reset()[0]
    assert first.tolist() == [1, 0, 0] and rows.tolist() == [[1, 0, 0]] * 5
    assert first in one.observation_space and rows in many.observation_space
    step = one.game.moves[0].index("step")
    assert one.step(step)[0].tolist() == [0, 1, 0]
    assert many.step(np.full(5, step))[0].tolist() == [[0, 1, 0]] * 5


@needs_open_spiel
def test_chance_is_a_role() -> None:
    import pyspiel
    from ludex.open_spiel import register

    rules = """
    (role random) (role you) (init open)
    (<= (legal random (roll ?n)) (true open) (side ?n)) (side 1) (side 2) (side 3)
    (<= (legal you (guess ?n)) (true open) (side ?n))
    (<= (next (rolled ?n)) (does random (roll ?n))) (<= (next (guessed ?n)) (does you (guess ?n)))
    (<= terminal (true (rolled ?n)))
    (<= right (true (rolled ?n)) (true (guessed ?n)))
    (<= (goal you 100) right) (<= (goal you 0) (not right)) (goal random 0)
    """
    game = pyspiel.load_game(register(ludex.load(rules), name="gdl_test_dice"))
    assert game.num_players() == 1
    state = game.new_initial_state()
    assert state.is_chance_node() and [p for _, p in state.chance_outcomes()] == pytest.approx([1 / 3] * 3)
    state.apply_action(state.chance_outcomes()[1][0])
    state.apply_actions([state.legal_actions(0)[1]])
    assert state.is_terminal() and state.returns() == [100.0]


@needs_open_spiel
def test_open_spiel_searches_against_ours() -> None:
    import pyspiel
    from ludex.open_spiel import register
    from open_spiel.python.algorithms import mcts

    ours = ludex.load("tictactoe")
    game = pyspiel.load_game(register(ours, name="gdl_test_duel"))
    random = np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    bot = mcts.MCTSBot(game, 2, 60, evaluator, random_state=random)
    lost = 0
    for match in range(4):
        state = game.new_initial_state()
        me = match % 2
        while not state.is_terminal():
            player = state.current_player()
            if player == me:
                best = ludex.search(state.gdl, iterations=600, seed=match).best
                action = ours.moves[player].index(best)
            else:
                action = bot.step(state)
            state.apply_action(action)
        lost += state.returns()[me] < 50
    assert lost == 0
