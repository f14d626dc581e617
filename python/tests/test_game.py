"""Games and states: expectations are the rules of the games, counted by hand."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import ludex
import numpy as np
import pytest

from conftest import sheet

WALK = """
(role robot) (init (at 0)) (succ 0 1) (succ 1 2)
(<= (legal robot step) (true (at ?x)) (succ ?x ?y))
(legal robot wait)
(<= (next (at ?y)) (does robot step) (true (at ?x)) (succ ?x ?y))
(<= (next (at ?x)) (does robot wait) (true (at ?x)))
(<= terminal (true (at 2)))
(<= (goal robot 100) (true (at 2)))
"""


def test_a_match_in_words() -> None:
    game = ludex.load("tictactoe")
    assert game.roles == ("x", "o")
    state = game.start()
    assert state.turn == "x" and len(state.legal()) == 9 and state.legal("o") == ["noop"]
    for move in ["mark 1 1", "mark 2 1", "mark 1 2", "mark 2 2", "mark 1 3"]:
        assert not state.terminal
        state = state.play(move)
    assert state.terminal and state.goals == {"x": 100, "o": 0}
    assert state.step == 5 and state.history[0] == ["(mark 1 1)", "noop"]


def test_moves_by_role_by_order_and_by_number_are_the_same() -> None:
    start = ludex.load("tictactoe").start()
    number = start.game.moves[0].index("(mark 2 2)")
    noop = start.game.moves[1].index("noop")
    ways = [
        start.play("(mark 2 2)"),
        start.play({"x": "mark(2,2)"}),
        start.play(["mark 2 2", "noop"]),
        start.apply([number, noop]),
    ]
    assert len(set(ways)) == 1 and all(state == ways[0] for state in ways)
    assert ways[0] != start


def test_a_move_that_cannot_be_made_says_which_can() -> None:
    state = ludex.load("tictactoe").start().play("mark 2 2")
    with pytest.raises(ludex.IllegalMoveError, match=r"mark 2 2.*not legal for o"):
        state.play("mark 2 2")
    with pytest.raises(ludex.IllegalMoveError, match="no role `z`"):
        state.play({"z": "noop"})
    with pytest.raises(TypeError, match="moves are"):
        state.play(3)  # type: ignore[arg-type]
    with pytest.raises(ludex.IllegalMoveError):
        state.apply([10_000, 0])
    with pytest.raises(ludex.IllegalMoveError):
        state.apply([0])


def test_rules_with_errors_show_the_place() -> None:
    with pytest.raises(ludex.RulesError, match="not bound"):
        ludex.load(WALK.replace("(true (at ?x)) (succ ?x ?y))\n(<= (next (at ?x)", "(true (at ?x)))\n(<= (next (at ?x)"))
    with pytest.raises(ludex.RulesError, match="nosuchgame"):
        ludex.load("nosuchgame")


def test_rules_from_text_are_a_game() -> None:
    game = ludex.load(WALK)
    assert game.moves == (("step", "wait"),) and game.fluents == ("(at 0)", "(at 1)", "(at 2)")
    solution = game.solve()
    assert solution.states == 3 and solution.roles["robot"].value == 100 and solution.roles["robot"].depth == 2
    assert solution.roles["robot"].moves == ["step"]
    assert game.prove("exists 1..1 X: true(at(X))")
    refuted = game.prove("not true(at(2))")
    assert refuted.answer == "fails" and refuted.counterexample == [["step"], ["step"]]
    assert "terminal" in game.print("infix")


def test_copies_and_pickles_are_equal() -> None:
    state = ludex.load("connectfour").start().play("drop 3")
    for other in (copy.copy(state), copy.deepcopy(state), state.clone(), pickle.loads(pickle.dumps(state))):
        assert other == state and hash(other) == hash(state) and other.legal() == state.legal()
    game = pickle.loads(pickle.dumps(state.game))
    assert game == state.game and game.start() == state.game.start()


def test_observations_are_the_fluents_that_hold() -> None:
    state = ludex.load("tictactoe").start().play("mark 2 2")
    seen = state.observe()
    names = state.game.observation().names
    assert {name for name, value in zip(names, seen) if value} <= set(state.fluents)
    assert seen.sum() == len([name for name in names if name in state.fluents])
    board = state.game.observation("board")
    assert len(board.shape) == 3 and board.shape[1:] == (3, 3)
    array = state.observe("board")
    assert array.shape == board.shape and array.max() == 1


def test_flat_observations_leave_out_what_never_changes() -> None:
    # The wall is there from the beginning and stays; nothing ever opens the door.
    text = WALK + "(init wall) (<= (next wall) (true wall)) (<= (next (door open)) (true (door open)))"
    text += "(<= (legal robot knock) (true (door open)))"
    game = ludex.load(text)
    assert "wall" in game.fluents
    assert game.observation().names == ["(at 0)", "(at 1)", "(at 2)"]
    assert game.start().observe().tolist() == [1, 0, 0]
    assert ludex.VectorEnv(game, 600).observations.shape == (600, 3)


def test_playouts_count_and_search_finds_the_win() -> None:
    game = ludex.load("tictactoe")
    outcomes = ludex.playouts(game, 4096, seed=3)
    assert outcomes.count == 4096 and sum(outcomes.roles["x"].goals.values()) == 4096
    # x wins 58.5 % and draws 12.7 % of random games: 64.9 points.
    assert abs(outcomes.roles["x"].mean - 64.9) < 4
    assert ludex.playouts(game, 4096, seed=3) == outcomes
    state = game.start()
    for move in ["mark 1 1", "mark 2 1", "mark 1 2", "mark 2 2"]:
        state = state.play(move)
    found = ludex.search(state, iterations=200)
    assert found.best == "(mark 1 3)" and found.role == "x"
    assert found.candidates[0].certain == 100


def test_a_search_goes_by_what_was_trained_for_its_game_and_no_other(tmp_path: Path) -> None:
    missing = tmp_path / "nothing"
    state = ludex.load("tictactoe").start()
    with pytest.raises(ludex.LudexError):
        ludex.search(state, iterations=10, evaluation=missing)
    other = tmp_path / "other"
    other.write_text("no evaluation at all")
    with pytest.raises(ludex.LudexError, match="does not begin with"):
        ludex.search(state, iterations=10, evaluation=other)


def test_symmetries_of_the_board_are_permutations_that_keep_play() -> None:
    game = ludex.load("tictactoe")
    symmetries = [s for s in game.symmetries() if list(s.roles) == [0, 1]]
    # The square has eight.
    assert len(symmetries) == 8
    state = game.start().play("mark 1 2")
    for symmetry in symmetries:
        fluents = np.flatnonzero(np.unpackbits(state.row().view(np.uint8), bitorder="little"))
        image = game.state(game.fluents[symmetry.fluents[f]] for f in fluents)
        legal = sorted(symmetry.moves[1][a] for a in state.legal_actions("o"))
        assert legal == list(image.legal_actions("o"))


@pytest.mark.parametrize(("name", "kind"), [("tictactoe", "flat"), ("tictactoe", "board"), ("connectfour", "board")])
def test_observations_of_images_are_permutations_of_observations(name: str, kind: str) -> None:
    game = ludex.load(name)
    observation = game.observation(kind)
    state = game.start()
    for move in (1, 3, 0):
        state = state.play(state.legal()[move])
    fluents = np.flatnonzero(np.unpackbits(state.row().view(np.uint8), bitorder="little"))
    symmetries = [s for s in game.symmetries() if list(s.roles) == [0, 1]]
    assert len(symmetries) == {"tictactoe": 8, "connectfour": 2}[name]
    images = set()
    for symmetry in symmetries:
        image = game.state(game.fluents[symmetry.fluents[f]] for f in fluents)
        seen = observation.of(state).reshape(-1)[observation.permutation(symmetry)]
        assert (seen == observation.of(image).reshape(-1)).all()
        images.add(seen.tobytes())
    assert len(images) == len(symmetries)


def test_a_permutation_is_of_one_game_and_of_what_is_seen() -> None:
    # Both walls stay and are not seen, so nothing is missed if they change places; the lamp is seen and the wall is not.
    text = WALK + "(init wall) (<= (next wall) (true wall)) (init fence) (<= (next fence) (true fence))"
    game = ludex.load(text)
    place = {fluent: number for number, fluent in enumerate(game.fluents)}
    swapped = np.arange(len(place))
    swapped[[place["wall"], place["fence"]]] = swapped[[place["fence"], place["wall"]]]
    identity = game.symmetries()[0]
    exchange = ludex.Symmetry(identity.roles, swapped, identity.moves)
    assert game.observation().permutation(exchange).tolist() == [0, 1, 2]
    mixed = np.arange(len(place))
    mixed[[place["wall"], place["(at 0)"]]] = mixed[[place["(at 0)"], place["wall"]]]
    with pytest.raises(LookupError, match="does not show"):
        game.observation().permutation(ludex.Symmetry(identity.roles, mixed, identity.moves))
    with pytest.raises(LookupError, match="another game"):
        ludex.load("tictactoe").observation().permutation(identity)


def test_symmetries_of_games_that_count() -> None:
    # The square has eight; for sheets that count discs square by square, too.
    for source in ("reversi", sheet("othello-comp2007")):
        assert sum(list(symmetry.roles) == [0, 1] for symmetry in ludex.load(source).symmetries()) == 8


def test_own_first_is_the_view_of_each_role_where_the_rules_treat_them_alike() -> None:
    game = ludex.load("tictactoe")
    state = game.start().play("mark 1 1").play("mark 2 2")
    fluents = np.flatnonzero(np.unpackbits(state.row().view(np.uint8), bitorder="little"))
    views = game.own_first()
    assert [list(view.roles) for view in views] == [[0, 1], [1, 0]]
    seen = [{game.fluents[view.fluents[f]] for f in fluents} for view in views]
    # x has the corner and o the middle, and x is to move; o sees that as x would if it were o's.
    assert {"(cell 1 1 x)", "(cell 2 2 o)", "(control x)"} <= seen[0]
    assert {"(cell 2 2 x)", "(control o)"} <= seen[1] and sum("o)" in fluent for fluent in seen[1]) == 2
    with pytest.raises(LookupError, match="pursuit"):
        ludex.load("pursuit").own_first()
    # The same as observations: what o sees has the middle where x would have it.
    names = game.observation().names
    mine, theirs = names.index("(cell 2 2 x)"), names.index("(cell 1 1 x)")
    assert [state.observe()[at] for at in (mine, theirs)] == [0, 1]
    assert [state.observe(role="o")[at] for at in (mine, theirs)] == [1, 0]
    assert (state.observe(role="x") == state.observe()).all()
    board = game.observation("board", role="o")
    assert (board.of(state) == [state.observe("board", role="o")][0]).all()
    assert (board.of(state) != state.observe("board")).any()
    env = ludex.VectorEnv(game, 600, observation=game.observation(role="o"))
    env.set_state(np.repeat(state.row()[None], 600, axis=0))
    assert (env.observations == state.observe(role="o")).all()
    with pytest.raises(LookupError, match="pursuit"):
        ludex.load("pursuit").observation(role=ludex.load("pursuit").roles[1])
    with pytest.raises(ValueError, match="no role `z`"):
        game.observation(role="z")


def test_wrong_roles_and_starts_are_named() -> None:
    game = ludex.load("tictactoe")
    assert game.place("o") == 1 and game.place(0) == 0
    with pytest.raises(ValueError, match="no role `z` in tictactoe; there is x, o"):
        game.start().legal_actions("z")
    with pytest.raises(IndexError, match="no role 2"):
        game.start().legal_actions(2)
    with pytest.raises(TypeError, match="begins in a state"):
        ludex.search(game)  # type: ignore[arg-type]
    with pytest.raises(ludex.LimitError, match="tictactoe has more than 3 symmetries; `most`"):
        game.symmetries(most=3)
    assert ludex.playouts("tictactoe", 512).count == 512


def test_a_scrambled_game_is_the_same_game() -> None:
    plain, scrambled = ludex.load("tictactoe"), ludex.load("tictactoe", scramble=5)
    assert plain.roles != scrambled.roles
    assert len(plain.fluents) == len(scrambled.fluents)
    assert ludex.playouts(scrambled, 2048).mean_length == pytest.approx(7.63, abs=0.3)


def test_drawings() -> None:
    state = ludex.load("tictactoe").start().play("mark 2 2")
    assert "x" in state.draw()
    assert state.svg().startswith("<svg") and state.svg().rstrip().endswith("</svg>")
