//! What is known of a game: its size, how random play goes, what is proved, what its best play is worth.

use crate::opened::Opened;
use crate::refusal::Refusal;
use ludex::engine::budget::Budget;
use ludex::engine::engine::{Engine, PlayoutBuffer};
use ludex::engine::random::Random;
use ludex::logic::prove::{Answer, Proof, Refutation};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// For the gallery: time to play at random, and to prove.
const CARD: Duration = Duration::from_millis(60);
const CARD_FACTS: Duration = Duration::from_millis(400);

/// Longest random match.
const LONGEST: usize = 2000;

/// States up to which a game is solved for the page.
const MOST_STATES: usize = 500_000;

/// What the gallery shows of a game: its board, its players, how many moves there are, how long it goes on, what is
/// proved at first sight.
pub fn card(game: &Opened, budget: &Budget) -> Result<Value, Refusal> {
    if let Some(card) = game.card.get() {
        return Ok(card.clone());
    }
    let initial = game.initial()?;
    let scene = crate::scene::json(game.drawing()?, initial, None);
    let sample = sample(game, budget, CARD)?;
    let facts = game.game().facts().time(CARD_FACTS).budget(budget).run();
    let facts: Vec<&str> = facts.as_ref().map_or_else(
        |_| Vec::new(),
        |found| {
            let mut kinds: Vec<&str> = found.statements.iter().map(|statement| statement.kind).collect();
            kinds.dedup();
            kinds
        },
    );
    let card = json!({
        "id": game.id, "roles": game.roles()?, "scene": scene, "facts": facts,
        "branching": sample.branching, "length": sample.length, "matches": sample.matches,
    });
    Ok(game.card.get_or_init(|| card).clone())
}

struct Sampled {
    matches: u64,
    branching: f64,
    length: f64,
    lengths: BTreeMap<usize, u64>,
    choices: BTreeMap<usize, u64>,
    cut: u64,
}

/// Random matches, one by one, for so long: how many moves there are, and how long matches last.
fn sample(game: &Opened, budget: &Budget, time: Duration) -> Result<Sampled, Refusal> {
    let mut worker = game.engine()?.worker();
    worker.obey(budget);
    let vocabulary = game.vocabulary()?;
    let (mut random, began) = (Random::new(1), Instant::now());
    let mut sampled = Sampled {
        matches: 0,
        branching: 0.0,
        length: 0.0,
        lengths: BTreeMap::new(),
        choices: BTreeMap::new(),
        cut: 0,
    };
    let mut legal = Vec::new();
    let mut joint = Vec::new();
    let (mut state, mut next) = (game.initial()?.to_vec(), game.initial()?.to_vec());
    let met = |fault: ludex::engine::fault::Fault| Refusal::full(format!("the engine met a limit: {fault}"));
    'matches: while sampled.matches == 0 || began.elapsed() < time {
        state.copy_from_slice(game.initial()?);
        let mut steps = 0;
        while !worker.is_terminal(&state).map_err(met)? {
            if steps >= LONGEST {
                sampled.cut += 1;
                break;
            }
            // The first match of a slow game is cut where the time ends; its moves count.
            if began.elapsed() > 4 * time {
                break 'matches;
            }
            joint.clear();
            let mut choices = 0;
            for role in vocabulary.roles() {
                worker.legal(&state, role, &mut legal).map_err(met)?;
                if legal.is_empty() {
                    break;
                }
                choices = choices.max(legal.len());
                joint.push(legal[random.below(legal.len())]);
            }
            if joint.len() < vocabulary.role_count() {
                break;
            }
            *sampled.choices.entry(choices).or_default() += 1;
            worker.next(&state, &joint, &mut next).map_err(met)?;
            std::mem::swap(&mut state, &mut next);
            steps += 1;
        }
        sampled.matches += 1;
        *sampled.lengths.entry(steps).or_default() += 1;
    }
    let mean = |counts: &BTreeMap<usize, u64>| {
        let total: u64 = counts.values().sum();
        let sum: f64 = counts.iter().map(|(&value, &count)| value as f64 * count as f64).sum();
        if total == 0 { 0.0 } else { sum / total as f64 }
    };
    sampled.branching = mean(&sampled.choices);
    sampled.length = mean(&sampled.lengths);
    Ok(sampled)
}

/// How random play goes: outcomes by role with their intervals, lengths, numbers of moves.
pub fn statistics(game: &Opened, budget: &Budget, count: u64) -> Result<Value, Refusal> {
    let sampled = sample(game, budget, Duration::from_millis(400))?;
    let began = Instant::now();
    let failed = |error: ludex::Error| Refusal::full(error.to_string());
    // As many as the time is likely to allow: what cannot be played 512 at a time is slow.
    let few = sampled.matches.max(1) * 5;
    let is_fast = game.prepared().network(budget).is_ok();
    let count = if is_fast { count } else { count.min(few) };
    let outcomes = game.game().playouts(count).longest(LONGEST as u64).run().map_err(failed)?;
    let roles = outcomes.roles.iter().map(|role| {
        let total: u64 = role.goals.iter().map(|(_, count)| count).sum::<u64>() + role.none;
        let values = role.goals.iter().map(|&(goal, count)| {
            let (low, high) = interval(count, total);
            json!({ "goal": goal, "count": count, "low": low, "high": high })
        });
        json!({ "role": role.role, "mean": role.mean(), "none": role.none, "goals": values.collect::<Vec<_>>() })
    });
    let pairs = |counts: &BTreeMap<usize, u64>| {
        counts.iter().map(|(&value, &count)| json!([value, count])).collect::<Vec<_>>()
    };
    Ok(json!({
        "playouts": outcomes.playouts, "seconds": began.elapsed().as_secs_f64(), "stuck": outcomes.stuck,
        "cut": outcomes.cut, "length": outcomes.mean_length(), "roles": roles.collect::<Vec<_>>(),
        "sampled": sampled.matches, "branching": sampled.branching,
        "lengths": pairs(&sampled.lengths), "choices": pairs(&sampled.choices),
    }))
}

/// Wilson's interval for a share, with 95 % confidence, in percent.
fn interval(count: u64, total: u64) -> (f64, f64) {
    const Z: f64 = 1.96;
    if total == 0 {
        return (0.0, 100.0);
    }
    let (n, share) = (total as f64, count as f64 / total as f64);
    let middle = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 100.0 / (1.0 + Z * Z / n);
    (((middle - spread) * scale).max(0.0), ((middle + spread) * scale).min(100.0))
}

/// What is found and proved, as sentences.
pub fn facts(game: &Opened, budget: &Budget) -> Result<Value, Refusal> {
    let found = game.game().facts().time(Duration::from_secs(8)).budget(budget).run();
    let found =
        found.map_err(|error| Refusal::full(format!("nothing can be proved of {}: {error}", game.name)))?;
    let list = found.statements.iter().map(|statement| {
        json!({ "kind": statement.kind, "text": statement.text, "formula": statement.formula, "count": statement.count })
    });
    Ok(json!({ "facts": list.collect::<Vec<_>>() }))
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
    Ok(json!({
        "formula": formula, "answer": answer, "how": how, "line": proved.counterexample(),
        "seconds": began.elapsed().as_secs_f64(),
    }))
}

fn proof_in_words(proof: &Proof) -> String {
    match proof {
        Proof::Induction(certificate) if certificate.lemmas.is_empty() => "by induction".to_owned(),
        Proof::Induction(certificate) => format!("by induction, with {} lemmas", certificate.lemmas.len()),
        Proof::Ranking(ranking) => format!("after at most {} moves", ranking.bound),
        Proof::Lines(lines) => format!("{} lines of play show it", lines.len()),
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
        Refutation::Unreachable(_, goal, _) => format!("nobody can get {goal} there"),
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
