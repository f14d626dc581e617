//! What a role can force, by search: `ludex solve --strategy` and `--check`, and `can-force` and `fair` of `ludex prove`.

use crate::args::{Solve, megabytes};
use crate::game::{self, Loaded};
use crate::json;
use crate::progress::{Progress, making};
use crate::report::count;
use crate::status::{Misuse, Status};
use anyhow::{Context, Result, anyhow};
use ludex::engine::budget::Budget;
use ludex::engine::datalog::Datalog;
use ludex::engine::engine::{Engine, Goal};
use ludex::engine::prepared::Prepared;
use ludex::engine::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex::engines;
use ludex::gdl::spelling::did_you_mean;
use ludex::logic::endgame::file::RulesHash;
use ludex::logic::formula::{Force, Formula, Named, Property, Wish as Written};
use ludex::logic::prove::{Prover, Reference};
use ludex::logic::transition::System;
use ludex_solve::strategy::{
    self, Aim, Certificate, Flaw, FormulaAim, GoalAim, Options, Outcome, Question, Searched, Why, Wish,
};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// `ludex solve GAME --strategy ROLE VALUE` and `ludex solve GAME --check FILE`.
pub fn run(args: &Solve, game: &Path, out: &mut dyn Write) -> Result<Status> {
    let budget = args.bounds.budget().within(Duration::from_secs_f64(args.time));
    let budget = budget.with_resident(megabytes(args.memory));
    let loaded = game::read_at(game, &args.position, &budget)?;
    if let Some(path) = &args.check {
        return check(args, &loaded, path, &budget, out);
    }
    let Some([role, value]) = args.strategy.as_deref() else {
        return Err(Misuse("--strategy takes a role and a value".to_owned()).into());
    };
    let value: Goal = value.parse().map_err(|_| Misuse(format!("`{value}` is no goal value")))?;
    let started = Instant::now();
    let engine = loaded.engine(args.engine.engine, &budget)?;
    let vocabulary = engine.vocabulary();
    let role = find_role(vocabulary, role)?;
    let usual = Options::default();
    let options = Options {
        memory: megabytes(args.memory),
        threads: args.threads.map_or(usual.threads, usize::from),
        symmetry: !args.disk.no_symmetry,
        ..usual
    };
    let (wish, aim) = (Wish::Goal(value), GoalAim { role, value });
    let question = Question { role, wish: &wish, aim: &aim, within: args.within };
    let searched = Arc::new(Searched::default());
    let outcome = {
        let (name, shown) = (loaded.name.clone(), searched.clone());
        let _progress = Progress::telling(move || format!("searching {name}: {shown}"));
        strategy::search(loaded.prepared()?, &*engine, question, &options, &budget, &searched)
            .map_err(|error| anyhow!("{}: {error}", loaded.name))?
    };
    let seconds = started.elapsed().as_secs_f64();
    let certificate = match &outcome {
        Outcome::Settled(certificate) => Some(certificate),
        Outcome::Unknown(_) => None,
    };
    if let (Some(path), Some(certificate)) = (&args.output, certificate) {
        save(certificate, path)?;
    }
    let can = certificate.is_some_and(|certificate| certificate.claim.can);
    let shown = vocabulary.show_role(role);
    if args.json.json {
        let why = if let Outcome::Unknown(why) = &outcome { Some(why.to_string()) } else { None };
        json::line(
            out,
            &json!({
                "game": loaded.name, "role": shown, "value": value, "within": args.within,
                "answer": certificate.map_or("unknown", |_| if can { "can force" } else { "cannot force" }),
                "limit": why, "strategy": certificate.map(|certificate| certificate.entries.len()),
                "moves": certificate.map(|certificate| first_moves(certificate, &*engine)),
                "searched": searched.states(), "seconds": seconds,
            }),
        )?;
        return Ok(Status::of(can));
    }
    let within =
        args.within.map_or(String::new(), |most| format!(" within {}", count(most as usize, "joint move")));
    match (&outcome, certificate) {
        (_, Some(certificate)) => {
            let word = if can { "can" } else { "cannot" };
            writeln!(out, "{}: {shown} {word} force at least {value}{within}", loaded.name)?;
            writeln!(out, "  {}", told(certificate, &*engine))?;
        }
        (Outcome::Unknown(why), _) => {
            writeln!(
                out,
                "{}: unknown whether {shown} can force at least {value}{within}: {why}",
                loaded.name
            )?;
        }
        _ => {}
    }
    writeln!(out, "  {searched}, {seconds:.2} s")?;
    Ok(Status::of(can))
}

/// A role by its name.
fn find_role(vocabulary: &Vocabulary, name: &str) -> Result<RoleId> {
    let found = vocabulary.read_term(name).and_then(|term| vocabulary.find_role(term));
    found.ok_or_else(|| {
        let names: Vec<String> = vocabulary.roles().map(|role| vocabulary.show_role(role)).collect();
        let all = format!("the roles are {}", names.join(", "));
        let advice = did_you_mean(name, names.iter().map(String::as_str)).unwrap_or(all);
        Misuse(format!("there is no role `{name}`; {advice}")).into()
    })
}

fn save(certificate: &Certificate, path: &Path) -> Result<()> {
    Ok(certificate.write(path).map_err(|error| Misuse(format!("not written: {error}")))?)
}

/// The strategy in a few words.
fn told(certificate: &Certificate, engine: &dyn Engine) -> String {
    let states = count(certificate.entries.len(), "state");
    if !certificate.claim.can {
        return format!("the others prevent it: a strategy for {states}");
    }
    let measure = initial_entry(certificate, engine).map_or(0, |entry| entry.measure);
    match first_moves(certificate, engine).first() {
        Some(action) => format!(
            "by a strategy for {states}, within {}, that begins with {action}",
            count(measure as usize, "joint move")
        ),
        None => "at once".to_owned(),
    }
}

fn initial_entry<'c>(certificate: &'c Certificate, engine: &dyn Engine) -> Option<&'c strategy::Entry> {
    let mut initial = vec![0; engine.vocabulary().words()];
    engine.worker().initial(&mut initial);
    certificate.find(&initial)
}

/// The first move of a strategy of the role's own.
fn first_moves(certificate: &Certificate, engine: &dyn Engine) -> Vec<String> {
    let (vocabulary, claim) = (engine.vocabulary(), &certificate.claim);
    let entry = initial_entry(certificate, engine).filter(|_| claim.can);
    let moves = entry.into_iter().flat_map(|entry| entry.choices.iter());
    let known = moves.filter(|action| (**action as usize) < vocabulary.move_count(claim.role));
    known.map(|action| vocabulary.show_move(claim.role, MoveId(*action))).collect()
}

/// `ludex solve GAME --check FILE`.
fn check(args: &Solve, loaded: &Loaded, path: &Path, budget: &Budget, out: &mut dyn Write) -> Result<Status> {
    let started = Instant::now();
    let certificate = Certificate::read(path)?;
    let game = loaded.game()?;
    if certificate.rules != RulesHash::of(&game.rules) {
        return Err(anyhow!(
            "`{}` is a strategy for other rules than those of {}",
            path.display(),
            loaded.name
        ));
    }
    let prepared = loaded.prepared()?;
    let claim = &certificate.claim;
    let vocabulary = prepared.vocabulary(budget)?;
    let threads = args.threads.map_or(Options::default().threads, usize::from);
    let checked = {
        let _progress = Progress::spinner(format!("checking {}", path.display()));
        match &claim.wish {
            Wish::Goal(value) => {
                let engine =
                    making(format!("reading {}", loaded.name), budget, |budget| Datalog::new(game, budget));
                let aim = GoalAim { role: claim.role, value: *value };
                strategy::check(&certificate, &engine.context("no reference engine")?, &aim, threads, budget)
            }
            Wish::Formula(text) => {
                let formula =
                    Formula::read(text).map_err(|error| anyhow!("its formula does not read: {error}"))?;
                let relations = ludex::logic::formula::Request::read(text)
                    .and_then(|request| request.relations(&game.rules))
                    .map_err(|error| anyhow!("its formula is none of this game: {error}"))?;
                let system = System::new(prepared, &relations, budget)?;
                let property = state_property(&formula, text, &system)?;
                let reference = Reference::new(&system, budget)?;
                let engine = Datalog::new(game, budget)?;
                let aim = FormulaAim { reference: &reference, property: &property };
                strategy::check(&certificate, &engine, &aim, threads, budget)
            }
        }
    };
    let word = if claim.can { "can" } else { "cannot" };
    let role = vocabulary.roles().nth(claim.role.index()).map(|role| vocabulary.show_role(role));
    let role = role.unwrap_or_else(|| "nobody".to_owned());
    let within =
        claim.within.map_or(String::new(), |most| format!(" within {}", count(most as usize, "joint move")));
    let claimed = format!("{role} {word} force {}{within}", claim.wish);
    let (seconds, entries) = (started.elapsed().as_secs_f64(), certificate.entries.len());
    if args.json.json {
        let flaw = checked.as_ref().err().map(Flaw::to_string);
        json::line(
            out,
            &json!({
                "game": loaded.name, "claim": claimed, "strategy": entries, "accepted": checked.is_ok(),
                "flaw": flaw, "seconds": seconds,
            }),
        )?;
    } else {
        match &checked {
            Ok(()) => {
                let states = count(entries, "state");
                writeln!(out, "{}: {claimed}, as {states} show, {seconds:.2} s", loaded.name)?;
            }
            Err(flaw) => writeln!(out, "{}: not shown that {claimed}: {flaw}", loaded.name)?,
        }
    }
    Ok(Status::of(checked.is_ok()))
}

/// A formula about single states.
fn state_property(formula: &Formula, text: &str, system: &System) -> Result<Property> {
    let property = Property::new(formula, &text.into(), system).map_err(|error| Misuse(error.drawn()))?;
    if property.degree > 0 {
        return Err(
            Misuse(format!("`{text}` looks ahead: what a role is to force is a property of states")).into()
        );
    }
    Ok(property)
}

/// What `ludex prove` is asked about strategies.
pub enum Asked<'a> {
    /// Whether a role can force something.
    Force(&'a Force),
    /// Whether all roles can force the same.
    Fair,
}

impl<'a> Asked<'a> {
    /// If it is asked about strategies.
    pub fn of(named: Option<&'a Named>) -> Option<Asked<'a>> {
        match named? {
            Named::CanForce(force) => Some(Asked::Force(force)),
            Named::Fair => Some(Asked::Fair),
            _ => None,
        }
    }
}

/// What a role can force at least, and what it cannot force; equal where nothing lies between.
pub struct Bounds {
    role: String,
    /// The greatest goal that it is proved to force, and the least that it is proved not to.
    can: Option<Goal>,
    cannot: Option<Goal>,
    /// No goal lies between the two.
    is_exact: bool,
}

/// An answer to print.
pub enum Found {
    Force(std::result::Result<(Certificate, String), String>),
    Fair { answer: Option<bool>, bounds: Vec<Bounds>, first: Option<usize>, why: Option<String> },
}

/// Decides what is asked; every strategy is checked on the reference engine before anybody is told.
pub fn answer(
    loaded: &Loaded,
    prover: &Prover<'_>,
    asked: &Asked<'_>,
    memory: u32,
    budget: &Budget,
) -> Result<Found> {
    let prepared = loaded.prepared()?;
    let engine = engines::AUTO.build_for(prepared, budget)?;
    let reference = Datalog::new(loaded.game()?, budget)?;
    let options = Options { memory: megabytes(memory), ..Options::default() };
    let judge = Judge { prepared, engine: &*engine, reference: &reference, options, budget };
    match asked {
        Asked::Force(force) => {
            let role = find_role(engine.vocabulary(), &force.role)?;
            let settled = match &force.wish {
                Written::Goal(value) => {
                    judge.settle(role, &Wish::Goal(*value), &GoalAim { role, value: *value }, force.within)
                }
                Written::Formula(formula) => {
                    let system = prover.system();
                    let property = state_property(formula, &formula.text, system)?;
                    let definition = Reference::new(system, budget)?;
                    let aim = FormulaAim { reference: &definition, property: &property };
                    judge.settle(role, &Wish::Formula(formula.text.to_string()), &aim, force.within)
                }
            };
            Ok(Found::Force(settled?.map(|certificate| {
                let told = told(&certificate, &*engine);
                (certificate, told)
            })))
        }
        Asked::Fair => fair(&judge, prover),
    }
}

struct Judge<'j> {
    prepared: &'j Prepared,
    engine: &'j dyn Engine,
    reference: &'j Datalog,
    options: Options,
    budget: &'j Budget,
}

impl Judge<'_> {
    /// A certificate that the checker accepts, or why there is none.
    fn settle(
        &self,
        role: RoleId,
        wish: &Wish,
        aim: &dyn Aim,
        within: Option<u32>,
    ) -> Result<std::result::Result<Certificate, String>> {
        let question = Question { role, wish, aim, within };
        let (options, searched) = (self.options, Searched::default());
        let outcome =
            strategy::search(self.prepared, self.engine, question, &options, self.budget, &searched)?;
        let certificate = match outcome {
            Outcome::Settled(certificate) => certificate,
            Outcome::Unknown(why) => return Ok(Err(why.to_string())),
        };
        match strategy::check(&certificate, self.reference, aim, options.threads, self.budget) {
            Ok(()) => Ok(Ok(certificate)),
            Err(Flaw::Limit(limit)) => Ok(Err(format!("checking a strategy: {}", Why::Limit(limit)))),
            Err(flaw) => Err(anyhow!("a strategy that was found is not accepted: {flaw}")),
        }
    }
}

/// What each role can force, by halving the list of its goals.
fn fair(judge: &Judge<'_>, prover: &Prover<'_>) -> Result<Found> {
    let vocabulary = judge.engine.vocabulary();
    let mut bounds = Vec::new();
    let mut why = None;
    for role in vocabulary.roles() {
        let mut goals: Vec<Goal> = prover.goal_values(role).into_iter().map(|(goal, _)| goal).collect();
        goals.sort_unstable();
        goals.dedup();
        // Below `low` it can force all, from `high` on none.
        let (mut low, mut high) = (0, goals.len());
        while low < high && why.is_none() {
            let middle = (low + high) / 2;
            let value = goals[middle];
            match judge.settle(role, &Wish::Goal(value), &GoalAim { role, value }, None)? {
                Ok(certificate) if certificate.claim.can => low = middle + 1,
                Ok(_) => high = middle,
                Err(reason) => why = Some(reason),
            }
        }
        let can = low.checked_sub(1).map(|at| goals[at]);
        let cannot = goals.get(high).copied();
        bounds.push(Bounds { role: vocabulary.show_role(role), can, cannot, is_exact: low == high });
    }
    let exact = bounds.iter().all(|bounds| bounds.is_exact);
    let apart = |a: &Bounds, b: &Bounds| {
        // One can force what the other cannot.
        a.can.is_some_and(|can| b.cannot.is_some_and(|cannot| can >= cannot))
    };
    let unfair = bounds.iter().any(|a| bounds.iter().any(|b| apart(a, b)));
    let same = exact && bounds.windows(2).all(|pair| pair[0].can == pair[1].can);
    let answer = if same {
        Some(true)
    } else if unfair || exact {
        Some(false)
    } else {
        None
    };
    Ok(Found::Fair { answer, bounds, first: first_mover(judge)?, why })
}

/// The only role that has a choice at the beginning.
fn first_mover(judge: &Judge<'_>) -> Result<Option<usize>> {
    let vocabulary = judge.engine.vocabulary();
    let mut worker = judge.engine.worker();
    let mut initial = vec![0; vocabulary.words()];
    worker.initial(&mut initial);
    let mut choosing = Vec::new();
    let mut legal = Vec::new();
    for role in vocabulary.roles() {
        worker.legal(&initial, role, &mut legal).map_err(|fault| anyhow!("{fault}"))?;
        if legal.len() > 1 {
            choosing.push(role.index());
        }
    }
    Ok(if let [only] = choosing[..] { Some(only) } else { None })
}

impl Found {
    /// True if what was asked holds.
    pub fn holds(&self) -> bool {
        match self {
            Found::Force(settled) => settled.as_ref().is_ok_and(|(certificate, _)| certificate.claim.can),
            Found::Fair { answer, .. } => *answer == Some(true),
        }
    }

    /// Prints the answer, and writes the strategy.
    pub fn print(
        &self,
        property: &str,
        seconds: Duration,
        as_json: bool,
        file: Option<&Path>,
        out: &mut dyn Write,
    ) -> Result<()> {
        let seconds = seconds.as_secs_f64();
        let known = match self {
            Found::Force(settled) => settled.is_ok(),
            Found::Fair { answer, .. } => answer.is_some(),
        };
        let word = if !known {
            "unknown"
        } else if self.holds() {
            "holds"
        } else {
            "fails"
        };
        let mut value = json!({ "property": property, "answer": word, "seconds": seconds, "trace": null });
        let mut lines = Vec::new();
        match self {
            Found::Force(Ok((certificate, told))) => {
                if let Some(path) = file {
                    save(certificate, path)?;
                }
                value["strategy"] = json!(certificate.entries.len());
                lines.push(format!("{told}, checked on the reference engine"));
            }
            Found::Force(Err(why)) => {
                value["reason"] = json!(why);
                lines.push(why.clone());
            }
            Found::Fair { bounds, first, why, .. } => {
                let shown =
                    bounds.iter().map(|b| json!({ "role": b.role, "can": b.can, "cannot": b.cannot }));
                value["values"] = Value::Array(shown.collect());
                lines.extend(bounds.iter().map(Bounds::told));
                lines.extend(advantage(bounds, *first));
                if let Some(why) = why {
                    value["reason"] = json!(why);
                    lines.push(why.clone());
                }
            }
        }
        if as_json {
            return Ok(json::line(out, &value)?);
        }
        writeln!(out, "{property}: {word}")?;
        lines.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
        writeln!(out, "  {seconds:.3} s")?;
        Ok(out.flush()?)
    }
}

impl Bounds {
    fn told(&self) -> String {
        match (self.can, self.cannot, self.is_exact) {
            (Some(can), _, true) => format!("{} can force {can} and no more", self.role),
            (None, _, true) => format!("{} cannot force an end", self.role),
            (can, cannot, false) => {
                let least = can.map_or("unknown whether any end".to_owned(), |can| format!("at least {can}"));
                let most = cannot.map_or(String::new(), |cannot| format!(", not {cannot}"));
                format!("{} can force {least}{most}", self.role)
            }
        }
    }
}

/// What moving first is worth.
fn advantage(bounds: &[Bounds], first: Option<usize>) -> Option<String> {
    let own = bounds.get(first?)?;
    let others = bounds.iter().enumerate().filter(|(at, _)| Some(*at) != first);
    let best = others.filter_map(|(_, bounds)| bounds.can).max()?;
    let exact = bounds.iter().all(|bounds| bounds.is_exact);
    let gain = own.can.filter(|_| exact)?.checked_sub(best)?;
    Some(match gain {
        0 => format!("{} moves first, which is worth nothing", own.role),
        1.. => format!("{} moves first and can force {gain} more", own.role),
        _ => format!("{} moves first and can force {} less", own.role, gain.unsigned_abs()),
    })
}
