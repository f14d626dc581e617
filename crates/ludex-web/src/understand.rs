//! What is known of a game: its size, how random play goes, what is proved, what its best play is worth.

use crate::opened::Opened;
use crate::refusal::Refusal;
use ludex::ask::{Contest, Share};
use ludex::engine::budget::Budget;
use ludex::engine::engine::{Engine, PlayoutBuffer};
use ludex::engine::random::Random;
use ludex::engine::vocabulary::Vocabulary;
use ludex::logic::endgame::Database;
use ludex::logic::endgame::describe::descriptions;
use ludex::logic::endgame::regress::{Options, regress};
use ludex::logic::prove::{Answer, Proof, Refutation};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// For the gallery: time to play at random, and to prove.
const CARD: Duration = Duration::from_millis(60);
const CARD_FACTS: Duration = Duration::from_millis(400);

/// Longest random match.
const LONGEST: usize = 2000;

/// States up to which a game is solved for the page.
const MOST_STATES: usize = 500_000;

/// Time and threads for random matches: others want the processors, too.
const STATISTICS: Duration = Duration::from_secs(6);
const THREADS: usize = 2;

/// Time for matches of Ludex against itself, and the iterations of its search.
const SKILL: Duration = Duration::from_secs(8);
const WEAK: u64 = 20;
const STRONG: u64 = 200;

/// Bounds of what is worked out about ends.
const ENDINGS: Duration = Duration::from_secs(5);
const DEEPEST: u32 = 6;
const MOST_NODES: usize = 5_000_000;
const MOST_ENTRIES: u64 = 20_000_000;

/// Lemmas of a proof that a page is told.
const MOST_LEMMAS: usize = 200;

/// What the gallery shows of a game at once: its board, its players, how many moves there are, how long it goes on.
pub fn card(game: &Opened, budget: &Budget) -> Result<Value, Refusal> {
    if let Some(card) = game.card.get() {
        return Ok(card.clone());
    }
    let initial = game.initial()?;
    let scene = crate::scene::json(game.drawing()?, initial, None);
    let sample = sample(game, budget, CARD)?;
    let card = json!({
        "id": game.id, "roles": game.roles()?, "scene": scene,
        "branching": sample.branching, "length": sample.length, "matches": sample.matches,
    });
    Ok(game.card.get_or_init(|| card).clone())
}

/// What is proved of a game at first sight: the kinds of facts, the most telling first.
pub fn known(game: &Opened, budget: &Budget) -> Result<Value, Refusal> {
    if let Some(known) = game.known.get() {
        return Ok(known.clone());
    }
    let found = game.game().facts().time(CARD_FACTS).budget(budget).run();
    // A game that cannot be compiled so fast has no facts at first sight.
    let mut facts: Vec<&str> = found.as_ref().map_or_else(
        |_| Vec::new(),
        |found| found.statements.iter().map(|statement| statement.kind).collect(),
    );
    facts.dedup();
    Ok(game.known.get_or_init(|| json!({ "facts": facts })).clone())
}

struct Sampled {
    matches: u64,
    branching: f64,
    length: f64,
}

/// Random matches, one by one, for so long: how many moves there are, and how long matches last. For more there is
/// [`statistics`], which builds an engine first.
fn sample(game: &Opened, budget: &Budget, time: Duration) -> Result<Sampled, Refusal> {
    let mut worker = game.engine()?.worker();
    worker.obey(budget);
    let vocabulary = game.vocabulary()?;
    let (mut random, began) = (Random::new(1), Instant::now());
    let (mut matches, mut joints, mut choices) = (0u64, 0u64, 0u64);
    let mut legal = Vec::new();
    let mut joint = Vec::new();
    let (mut state, mut next) = (game.initial()?.to_vec(), game.initial()?.to_vec());
    let met = |fault: ludex::engine::fault::Fault| Refusal::full(format!("the engine met a limit: {fault}"));
    'matches: while matches == 0 || began.elapsed() < time {
        state.copy_from_slice(game.initial()?);
        for step in 0.. {
            if worker.is_terminal(&state).map_err(met)? || step >= LONGEST {
                break;
            }
            // The first match of a slow game is cut where the time ends; its moves count.
            if began.elapsed() > 4 * time {
                break 'matches;
            }
            joint.clear();
            let mut most = 0;
            for role in vocabulary.roles() {
                worker.legal(&state, role, &mut legal).map_err(met)?;
                if legal.is_empty() {
                    break;
                }
                most = most.max(legal.len());
                joint.push(legal[random.below(legal.len())]);
            }
            if joint.len() < vocabulary.role_count() {
                break;
            }
            choices += most as u64;
            joints += 1;
            worker.next(&state, &joint, &mut next).map_err(met)?;
            std::mem::swap(&mut state, &mut next);
        }
        matches += 1;
    }
    let mean = |sum: u64, count: u64| sum as f64 / (count as f64).max(1.0);
    Ok(Sampled { matches, branching: mean(choices, joints), length: mean(joints, matches) })
}

/// How random play goes: outcomes by role with their intervals, lengths, numbers of moves, who begins.
pub fn statistics(game: &Opened, budget: &Budget, count: u64) -> Result<Value, Refusal> {
    let began = Instant::now();
    let stats = game.game().stats().games(count).time(STATISTICS).threads(THREADS).budget(budget);
    let stats = stats.run().map_err(|error| Refusal::full(error.to_string()))?;
    let roles = stats.roles.iter().map(|role| {
        let goals = role.goals.iter().map(|&(goal, count)| {
            json!({ "goal": goal, "share": share(Share { count, of: stats.games }) })
        });
        json!({ "role": role.role, "mean": role.goal, "wins": share(role.wins), "goals": goals.collect::<Vec<_>>() })
    });
    let first = stats.first_mover.as_ref().map(|first| {
        json!({ "role": first.role, "wins": share(first.wins), "advantage": 100.0 * first.advantage })
    });
    let plies = stats.plies.iter().map(|ply| json!([ply.ply, ply.branching.mean, ply.games]));
    Ok(json!({
        "games": stats.games, "seconds": began.elapsed().as_secs_f64(), "engine": stats.engine,
        "ended": share(stats.ended), "timeouts": share(stats.timeouts), "stuck": share(stats.stuck),
        "roles": roles.collect::<Vec<_>>(), "draws": stats.drawishness.map(share), "first": first,
        "length": stats.duration.turns.mean, "lengths": stats.duration.histogram,
        "branching": stats.branching_factor.mean, "plies": plies.collect::<Vec<_>>(), "sample": stats.sample,
        "states": stats.states.exact, "estimate": stats.states.estimate, "complexity": stats.game_tree_complexity,
    }))
}

/// Ludex against itself, weak, strong and mixed: does skill pay, and who gains by it?
pub fn skill(game: &Opened, budget: &Budget) -> Result<Value, Refusal> {
    let stats = game.game().stats().games(1).sample(1).time(STATISTICS).threads(1).budget(budget);
    let stats = stats.skill(SKILL, WEAK, STRONG).run().map_err(|error| Refusal::full(error.to_string()))?;
    let skill = stats.skill.ok_or_else(|| Refusal::full("no match was finished in time"))?;
    let contest = |contest: &Contest, names: &[String]| {
        let wins = names
            .iter()
            .zip(&contest.wins)
            .map(|(name, &wins)| json!({ "name": name, "share": share(wins) }));
        json!({ "games": contest.games, "wins": wins.collect::<Vec<_>>(), "draws": share(contest.draws) })
    };
    let roles = game.roles()?;
    let sides = ["strong".to_owned(), "weak".to_owned()];
    let mixed = if roles.len() == 1 { Value::Null } else { contest(&skill.mixed, &sides) };
    Ok(json!({
        "iterations": skill.iterations, "weak": contest(&skill.weak, &roles), "strong": contest(&skill.strong, &roles),
        "mixed": mixed,
    }))
}

/// A share in percent, with the interval in which it lies 95 times of 100.
fn share(share: Share) -> Value {
    let (low, high) = share.interval();
    json!({ "count": share.count, "value": 100.0 * share.value(), "low": 100.0 * low, "high": 100.0 * high })
}

/// What is found and proved, as sentences.
pub fn facts(game: &Opened, budget: &Budget) -> Result<Value, Refusal> {
    let found = game.game().facts().time(Duration::from_secs(8)).budget(budget).run();
    let found =
        found.map_err(|error| Refusal::full(format!("nothing can be proved of {}: {error}", game.name)))?;
    let drawing = game.drawing()?;
    let list = found.statements.iter().map(|statement| {
        let spots: BTreeSet<u32> =
            statement.fluents.iter().filter_map(|&fluent| Some(drawing.spot_of(fluent)?.0)).collect();
        json!({
            "kind": statement.kind, "text": statement.text, "formula": statement.formula, "count": statement.count,
            "spots": spots,
        })
    });
    Ok(
        json!({ "facts": list.collect::<Vec<_>>(), "scene": crate::scene::json(drawing, game.initial()?, None) }),
    )
}

/// The answer to a formula: a proof, or a line of play that shows where it fails, or why it is not known.
pub fn prove(game: &Opened, budget: &Budget, formula: &str) -> Result<Value, Refusal> {
    let began = Instant::now();
    let proved = game.game().prove(formula).time(Duration::from_secs(15)).budget(budget).run();
    let proved = proved.map_err(|error| Refusal::bad(error.to_string()))?;
    let (answer, how) = match proved.answer() {
        Answer::Holds(proof) => ("holds", proof_in_words(proof)),
        Answer::Fails(refutation) => ("fails", refutation_in_words(refutation)),
        Answer::Unknown(reason) => ("unknown", reason.to_string()),
    };
    let mut lemmas = Vec::new();
    if let Answer::Holds(proof) = proved.answer() {
        tell_lemmas(proof, game.vocabulary()?, &mut lemmas);
    }
    Ok(json!({
        "formula": formula, "answer": answer, "how": how, "line": proved.counterexample(), "lemmas": lemmas,
        "seconds": began.elapsed().as_secs_f64(),
    }))
}

/// What the proof rests on, in words. The lemmas of a part have numbers of their own, which mean nothing here.
fn tell_lemmas(proof: &Proof, vocabulary: &Vocabulary, lemmas: &mut Vec<String>) {
    match proof {
        Proof::Induction(certificate) => {
            let room = MOST_LEMMAS.saturating_sub(lemmas.len());
            lemmas.extend(certificate.lemmas.iter().take(room).map(|lemma| lemma.show(vocabulary)));
        }
        Proof::Parts(parts) => parts.iter().for_each(|(_, proof)| tell_lemmas(proof, vocabulary, lemmas)),
        Proof::Ranking(_) | Proof::Lines(_) | Proof::Visit { .. } | Proof::Part { .. } => {}
    }
}

fn proof_in_words(proof: &Proof) -> String {
    match proof {
        Proof::Induction(certificate) if certificate.lemmas.is_empty() => "by induction".to_owned(),
        Proof::Induction(certificate) => format!("by induction, with {} lemmas", certificate.lemmas.len()),
        Proof::Ranking(ranking) => format!("after at most {} moves", ranking.bound),
        Proof::Lines(lines) => format!("{} lines of play show it", lines.len()),
        Proof::Visit { states, longest: Some(most) } => {
            format!("after at most {most} moves, as all of {states} states show")
        }
        Proof::Visit { states, longest: None } => format!("all of {states} states were visited"),
        Proof::Part { proof, rules, of } => {
            format!("{}, in {rules} of {of} rules that do not depend on the others", proof_in_words(proof))
        }
        Proof::Parts(parts) => {
            let parts = parts.iter().map(|(name, proof)| format!("{name}: {}", proof_in_words(proof)));
            parts.collect::<Vec<_>>().join("; ")
        }
    }
}

fn refutation_in_words(refutation: &Refutation) -> String {
    match refutation {
        Refutation::Line(line) => format!("in the state after {} moves", line.at),
        Refutation::Repetition(line) => format!("the state after {} moves comes back", line.at),
        Refutation::Unreachable { goal, .. } => format!("one role can never get {goal}"),
        Refutation::Part(name, part) => format!("not {name}: {}", refutation_in_words(part)),
    }
}

/// What each role gets with best play, where the game is small enough to visit every state.
pub fn solved(game: &Opened, budget: &Budget) -> Result<Value, Refusal> {
    let solved =
        game.game().solve().states(MOST_STATES).time(Duration::from_secs(10)).threads(1).budget(budget).run();
    match solved {
        Err(error) => Ok(json!({ "solved": false, "why": error.to_string() })),
        Ok(solved) => {
            let roles = solved.roles.iter().map(|role| {
                json!({ "role": role.role, "value": role.value, "depth": role.depth, "moves": role.moves })
            });
            Ok(json!({
                "solved": true, "states": solved.states, "exact": solved.exact, "roles": roles.collect::<Vec<_>>(),
            }))
        }
    }
}

/// What is known of the ends of a game: states from which a role can still get its best, or force it, by the number of
/// moves that are left. They are described, not listed, so there is something to say of games that nobody can solve.
pub fn endings(game: &Opened, budget: &Budget) -> Result<Value, Refusal> {
    let options = Options {
        budget: budget.clone().within(ENDINGS),
        nodes: MOST_NODES,
        entries: MOST_ENTRIES,
        depth: DEEPEST,
        ..Options::default()
    };
    let declined = |why: String| Ok(json!({ "lists": [], "why": why }));
    let regression = match regress(game.prepared(), &options) {
        Ok(regression) => regression,
        Err(error) => return declined(error.to_string()),
    };
    let summary = regression.summary;
    let database = match Database::from_bytes(regression.bytes) {
        Ok(database) => database,
        Err(error) => return declined(error.to_string()),
    };
    let vocabulary = game.vocabulary()?;
    let lists = database.lists().iter().map(|list| {
        let entries: Vec<u64> = list.layers.iter().map(|(_, entries)| *entries).collect();
        let first = list.layers.iter().map(|(cover, _)| *cover).next();
        let example =
            first.and_then(|cover| descriptions(&database, vocabulary, cover, 1).into_iter().next());
        json!({
            "role": vocabulary.show_role(list.role), "kind": list.kind.name(), "entries": entries,
            "complete": list.complete, "example": example,
        })
    });
    Ok(json!({
        "depth": summary.depth, "entries": summary.entries, "complete": summary.complete,
        "stop": summary.stop.map(|stop| stop.to_string()), "bytes": database.size(),
        "lists": lists.collect::<Vec<_>>(),
    }))
}

/// The sizes of the rules and of the network, and how fast each engine plays.
pub fn engines(game: &Opened, budget: &Budget) -> Result<Value, Refusal> {
    let rules = &game.game().rules().rules;
    let vocabulary = game.vocabulary()?;
    let moves: Vec<usize> = vocabulary.roles().map(|role| vocabulary.move_count(role)).collect();
    let network = game.prepared().network(budget);
    let gates = network.as_ref().map(|compiled| compiled.net.gate_count());
    let mut speeds = Vec::new();
    for choice in ludex::engines::ALL.iter().filter(|choice| choice.name != "auto") {
        let built = choice.build_for(game.prepared(), budget);
        let told = built.map_err(|error| error.to_string()).and_then(|engine| speed(&*engine, game, budget));
        speeds.push(match told {
            Ok(speed) => json!({ "engine": choice.name, "about": choice.about, "speed": speed }),
            Err(why) => json!({ "engine": choice.name, "about": choice.about, "why": why }),
        });
    }
    Ok(json!({
        "rules": rules.rules().len(), "fluents": vocabulary.fluent_count(), "moves": moves,
        "gates": gates.as_ref().ok(), "why": network.as_ref().err().map(ToString::to_string), "engines": speeds,
    }))
}

/// Joint moves a second of random play.
fn speed(engine: &dyn Engine, game: &Opened, budget: &Budget) -> Result<f64, String> {
    const TIME: Duration = Duration::from_millis(150);
    let mut worker = engine.worker();
    worker.obey(budget);
    let (mut random, mut buffer) = (Random::new(1), PlayoutBuffer::default());
    let initial = game.initial().map_err(|refusal| refusal.why)?;
    let mut state = initial.to_vec();
    let (began, mut made) = (Instant::now(), 0);
    while began.elapsed() < TIME {
        state.copy_from_slice(initial);
        made += worker
            .playout(&mut state, LONGEST, &mut random, &mut buffer)
            .map_err(|fault| fault.to_string())?;
    }
    Ok(made as f64 / began.elapsed().as_secs_f64())
}
