//! How far the end is that alpha-beta calls certain, also where its table knew the value before.

use ludex::engine::engine::Engine;
use ludex::engine::propnet::Propnet;
use ludex::engine::vocabulary::RoleId;
use ludex::gdl::Sheet;
use ludex_search::alphabeta::AlphaBeta;
use ludex_search::clock::Clock;

/// One or two stones are taken from a pile by turns; who takes the last one wins.
fn pile(stones: u32) -> Propnet {
    let less: String = (1..=stones).map(|n| format!("(less {n} 1 {}) ", n - 1)).collect();
    let less: String = (2..=stones).fold(less, |text, n| text + &format!("(less {n} 2 {}) ", n - 2));
    let text = format!(
        "(role a) (role b) (init (pile {stones})) (init (turn a)) {less}
        (<= (legal ?r (take ?k)) (true (turn ?r)) (true (pile ?n)) (less ?n ?k ?m))
        (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
        (<= (next (pile ?m)) (does ?r (take ?k)) (true (pile ?n)) (less ?n ?k ?m))
        (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
        (<= terminal (true (pile 0)))
        (<= (goal ?r 0) (true (pile 0)) (true (turn ?r)))
        (<= (goal ?r 100) (role ?r) (true (pile 0)) (not (true (turn ?r))))
        (<= (goal ?r 50) (role ?r) (not (true (pile 0))))"
    );
    let game = Sheet::read(&text).into_game().unwrap_or_else(|findings| panic!("{findings:?}"));
    Propnet::new(&game, &Default::default()).expect("a small game")
}

/// By hand: multiples of three are lost; whoever wins hurries and whoever loses does not.
fn distance(stones: u32) -> u32 {
    let after = (1..=stones.min(2)).map(|k| stones - k);
    match stones {
        0 => 0,
        n if n % 3 == 0 => 1 + after.map(distance).max().unwrap_or(0),
        _ => 1 + after.filter(|n| n % 3 == 0).map(distance).min().unwrap_or(0),
    }
}

#[test]
fn what_the_table_knows_is_as_far_away_as_it_was() {
    assert_eq!([1, 2, 3, 7].map(distance), [1, 1, 2, 5]);
    for stones in [4, 7, 9, 11] {
        let engine = pile(stones);
        let mut worker = engine.worker();
        let mut state = vec![0; engine.vocabulary().words()];
        worker.initial(&mut state);
        let mut search = AlphaBeta::new(&*worker, 1 << 20).expect("two roles");
        let value = if stones % 3 == 0 { 0 } else { 100 };
        for time in ["first", "again"] {
            let mut clock = Clock::iterations(1_000_000);
            let found = search.search(&mut *worker, &state, RoleId(0), &mut clock);
            let found = found.expect("the network has no limits").expect("a turn");
            assert!(found.solved, "{stones}");
            let verdict = found.best().and_then(|best| best.verdict).expect("certain");
            assert_eq!((verdict.value, verdict.plies), (value, distance(stones)), "{stones}, {time}");
        }
    }
}
