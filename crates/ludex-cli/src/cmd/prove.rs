//! `ludex prove`: what holds in every state, and what does not.

use super::{refutation, repair, strategy};
use crate::args::{Backend, Prove, megabytes};
use crate::game;
use crate::json;
use crate::progress::{Progress, making};
use crate::report::{self, Target, count};
use crate::status::{Misuse, Status};
use anyhow::{Result, anyhow};
use ludex::engine::vocabulary::{FluentId, MoveId, Vocabulary};
use ludex::gdl::rules::Term;
use ludex::gdl::syntax::print::infix_name;
use ludex::gdl::{Game, Keyword, Sheet};
use ludex::logic::asp::{self, Clingo, ClingoError, Programs};
use ludex::logic::discover::{discover, statements};
use ludex::logic::formula::{FormulaError, Property, Request};
use ludex::logic::prove::{
    Answer, Options, Proof, Prover, RankingKind, Reason, prove_in_part, prove_relaxed,
};
use ludex::logic::transition::System;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::time::{Duration, Instant};

pub fn run(args: &Prove, out: &mut dyn Write) -> Result<Status> {
    let time = Duration::from_secs_f64(args.time);
    let started = Instant::now();
    let budget = args.bounds.budget().with_resident(megabytes(args.memory));
    let loaded = game::read_at(&args.game.game, &args.position, &budget.clone().within(time))?;
    let game = loaded.game()?;
    let requests: Vec<Request> = args
        .formulas
        .iter()
        .map(|text| Request::read(text).map_err(|error| misuse(&error)))
        .collect::<Result<_, _>>()?;
    let options = Options {
        budget: budget.clone(),
        time: time.saturating_sub(started.elapsed()),
        ..Options::default()
    };
    // What does not depend on most of a large game is proved before the rest of it is compiled.
    let is_sat = args.emit.is_none() && args.backend == Backend::Sat;
    let in_part = |request: &Request| {
        let started = Instant::now();
        let answer = prove_in_part(game, request, &options).filter(|_| is_sat)?;
        Some((answer, started.elapsed()))
    };
    let known: Vec<Option<(Answer, Duration)>> = requests.iter().map(in_part).collect();
    if !args.discover && known.iter().all(Option::is_some) {
        for (request, (answer, seconds)) in requests.iter().zip(known.into_iter().flatten()) {
            print(args, &request.text, &answer, seconds, None, out)?;
        }
        return Ok(Status::Yes);
    }
    let mut relations = Vec::new();
    for request in &requests {
        relations.extend(request.relations(&game.rules).map_err(|error| misuse(&error))?);
    }
    if args.discover {
        relations.push(game.rules.keyword(Keyword::Goal));
    }
    relations.sort_unstable();
    relations.dedup();
    let prepared = loaded.prepared()?;
    let built =
        making(format!("compiling {}", loaded.name), &budget.clone().until(started + time), |budget| {
            System::new(prepared, &relations, budget)
        });
    let building = started.elapsed();
    let system = match built {
        Ok(system) => system,
        Err(error) => {
            let why = match error.limit() {
                Some(limit) if limit.is_final() => Reason::Limit(limit),
                _ => Reason::TooLarge(error.to_string()),
            };
            if args.discover {
                discover_in_part(args, game, &options, out)?;
            }
            // The time of the whole is over; parts are a few rules each.
            let options = Options { time: PART_TIME, budget: budget.within(5 * PART_TIME), ..options };
            return not_compiled(args, game, &requests, &options, why, building, out);
        }
    };
    // Whatever is wrong with the first one shows before anything is printed.
    for request in requests.iter().skip(1) {
        request.property(&system).map_err(|error| misuse(&error))?;
    }
    // Compiling the game is part of the time of each property.
    let options = Options { budget, time: time.saturating_sub(building), ..Options::default() };
    let prover = Prover::new(&system, options);
    let session = Session { args, sheet: &loaded.sheet, prover: &prover, building };
    let mut status = Status::Yes;
    for (request, known) in requests.iter().zip(&known) {
        if let Some((answer, seconds)) = known {
            print(args, &request.text, answer, *seconds, None, out)?;
        } else if args.emit.is_some() {
            session.emit(request, out)?;
        } else if let Some(asked) = strategy::Asked::of(request.named()) {
            let _progress = Progress::spinner(format!("searching for {}", request.text));
            let started = Instant::now();
            let budget = prover.budget();
            let found = strategy::answer(&loaded, &prover, &asked, args.memory, &budget)?;
            let seconds = building + started.elapsed();
            found.print(&request.text, seconds, args.json.json, args.strategy.as_deref(), out)?;
            if !found.holds() {
                status = Status::No;
            }
        } else if !session.decide(request, out)? {
            status = Status::No;
        }
    }
    if args.discover {
        session.discover(game, out)?;
    }
    Ok(status)
}

fn misuse(error: &FormulaError) -> Misuse {
    Misuse(format!("{error}\n{}", report::draw_formula(error, Target::Stderr)))
}

/// Every property is unknown if the game cannot be compiled, but for what a part of its rules shows.
fn not_compiled(
    args: &Prove,
    game: &Game,
    requests: &[Request],
    options: &Options,
    why: Reason,
    seconds: Duration,
    out: &mut dyn Write,
) -> Result<Status> {
    if args.emit.is_some() || requests.is_empty() {
        return Err(anyhow!("{why}"));
    }
    let unknown = Answer::Unknown(why);
    let mut status = Status::Yes;
    for request in requests {
        let in_part =
            || prove_in_part(game, request, options).or_else(|| prove_relaxed(game, request, options));
        let answer = if args.backend == Backend::Sat { in_part() } else { None };
        if answer.is_none() {
            status = Status::No;
        }
        print(args, &request.text, answer.as_ref().unwrap_or(&unknown), seconds, None, out)?;
    }
    Ok(status)
}

/// What can be proved without compiling the game: whose turn it is, and which fluents have one value.
fn discover_in_part(args: &Prove, game: &Game, options: &Options, out: &mut dyn Write) -> Result<()> {
    const TURNS: &str = "the players take turns: at most one has a choice at any time";
    const CONTROL: &str = "who has control has it again after as many moves as there are players";
    let mut asked: Vec<(&str, String, String)> = vec![
        ("turn-taking", "turn-taking".to_owned(), TURNS.to_owned()),
        ("control", "control".to_owned(), CONTROL.to_owned()),
    ];
    for (name, arity) in fluents(game) {
        let mut written = String::new();
        infix_name(&name, &mut written);
        let shape = format!("({name}{})", " *".repeat(arity - 1) + " _");
        let formula = format!("functional({written}({}))", vec!["_"; arity].join(","));
        asked.push(("at-most-one", formula, format!("at most one of {shape} holds for each choice of `*`")));
    }
    // The time of the whole is over; parts are a few rules each.
    let options =
        Options { time: PART_TIME, budget: options.budget.clone().within(5 * PART_TIME), ..options.clone() };
    for (kind, formula, text) in asked {
        let request = Request::read(&formula).map_err(|error| misuse(&error))?;
        let started = Instant::now();
        let found = prove_in_part(game, &request, &options);
        let found = match kind {
            "at-most-one" => found.or_else(|| prove_relaxed(game, &request, &options)),
            _ => found,
        };
        let Some(Answer::Holds(_)) = found else { continue };
        if args.json.json {
            let seconds = started.elapsed().as_secs_f64();
            let value = json!({
                "property": formula, "answer": "holds", "seconds": seconds, "trace": null,
                "kind": kind, "text": text, "count": 1,
            });
            json::line(out, &value)?;
        } else {
            writeln!(out, "{kind:<17} {text}")?;
        }
    }
    Ok(())
}

/// The names of fluents with arguments that the rules bring about, with how many they have.
fn fluents(game: &Game) -> BTreeSet<(String, usize)> {
    let heads =
        [Keyword::Init, Keyword::Next].map(|keyword| game.rules.rules_for(game.rules.keyword(keyword)));
    let heads = heads.into_iter().flatten().map(|&id| &game.rules.rule(id).head);
    heads
        .filter_map(|head| match head.arguments.first() {
            Some(Term::Compound(name, arguments)) => {
                Some((game.rules.symbols.name(*name).to_owned(), arguments.len()))
            }
            _ => None,
        })
        .collect()
}

/// Time for what is proved of a game that was not compiled in time.
const PART_TIME: Duration = Duration::from_millis(400);

struct Session<'p> {
    args: &'p Prove,
    sheet: &'p Sheet,
    prover: &'p Prover<'p>,
    building: Duration,
}

impl Session<'_> {
    /// Decides a property and prints the answer; true if it holds.
    fn decide(&self, request: &Request, out: &mut dyn Write) -> Result<bool> {
        let started = Instant::now();
        let answer = {
            let _progress = Progress::spinner(format!("proving {}", request.text));
            match self.args.backend {
                Backend::Sat => self.prover.answer(request).map_err(|error| misuse(&error))?,
                Backend::Asp => self.by_clingo(request)?,
            }
        };
        let seconds = self.building + started.elapsed();
        match &answer {
            Answer::Fails(refutation) if self.args.repair => {
                let repairs = repair::search(self.sheet, request, refutation, self.prover, self.args.time);
                if self.args.json.json {
                    let mut value = as_json(&request.text, &answer, seconds, Some(self.prover));
                    repair::add(&repairs, self.sheet, &mut value);
                    json::line(out, &value)?;
                } else {
                    print(self.args, &request.text, &answer, seconds, Some(self.prover), out)?;
                    repair::write(&repairs, self.sheet, out)?;
                }
            }
            _ => print(self.args, &request.text, &answer, seconds, Some(self.prover), out)?,
        }
        Ok(matches!(answer, Answer::Holds(_)))
    }

    fn property(&self, request: &Request) -> Result<Property> {
        let property = request.property(self.prover.system()).map_err(|error| misuse(&error))?;
        let no_program = || Misuse(format!("`{}` is no single formula, so it has no program", request.text));
        Ok(property.ok_or_else(no_program)?)
    }

    fn by_clingo(&self, request: &Request) -> Result<Answer> {
        let property = self.property(request)?;
        let budget = self.prover.budget();
        let clingo = Clingo::new(&self.args.clingo);
        match asp::prove(self.prover, &property, self.prover.turns(&budget), &clingo, &budget) {
            Ok(answer) => Ok(answer),
            Err(ClingoError::Time) => {
                let limit = budget.check().err().map(Reason::Limit);
                Ok(Answer::Unknown(limit.unwrap_or(Reason::NothingFound("clingo took too long"))))
            }
            Err(error @ ClingoError::Start(..)) => Err(Misuse(error.to_string()).into()),
            Err(error) => Err(error.into()),
        }
    }

    fn emit(&self, request: &Request, out: &mut dyn Write) -> Result<()> {
        let property = self.property(request)?;
        let budget = self.prover.budget();
        let programs = Programs::new(self.prover.system(), &property, self.prover.turns(&budget));
        let parts = [Some(programs.base(0)), programs.lemma_step(), Some(programs.step())];
        for part in parts.into_iter().flatten() {
            writeln!(out, "{part}\n%%%%")?;
        }
        Ok(())
    }

    fn discover(&self, game: &Game, out: &mut dyn Write) -> Result<()> {
        let started = Instant::now();
        let facts = {
            let _progress = Progress::spinner("playing, guessing and proving");
            discover(self.prover)
        };
        let seconds = (self.building + started.elapsed()).as_secs_f64();
        let list = statements(&facts, self.prover.system().vocabulary());
        for statement in &list {
            if self.args.json.json {
                let value = json!({
                    "property": statement.formula, "answer": "holds", "seconds": seconds, "trace": null,
                    "kind": statement.kind, "text": statement.text, "count": statement.count,
                });
                json::line(out, &value)?;
            } else {
                writeln!(out, "{:<17} {}", statement.kind, statement.text)?;
            }
        }
        if !self.args.json.json {
            let rules = count(game.rules.rules().len(), "rule");
            let proved = count(list.iter().map(|statement| statement.count).sum(), "fact");
            writeln!(out, "{proved} proved of {rules} in {seconds:.2} s")?;
        }
        Ok(())
    }
}

/// The answer in a word.
fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Holds(_) => "holds",
        Answer::Fails(_) => "fails",
        Answer::Unknown(_) => "unknown",
    }
}

fn as_json(property: &str, answer: &Answer, seconds: Duration, prover: Option<&Prover<'_>>) -> Value {
    let mut value = json!({
        "property": property, "answer": word(answer), "seconds": seconds.as_secs_f64(), "trace": null,
    });
    if let (Answer::Fails(refutation), Some(prover)) = (answer, prover) {
        refutation::add(refutation, prover, &mut value);
    }
    if let Answer::Unknown(reason) = answer {
        value["reason"] = json!(reason.to_string());
    }
    let lines = match answer {
        Answer::Holds(Proof::Lines(lines)) => Some(lines),
        Answer::Holds(Proof::Parts(parts)) => parts.iter().find_map(|(_, proof)| match proof {
            Proof::Lines(lines) => Some(lines),
            _ => None,
        }),
        _ => None,
    };
    if let (Some(lines), Some(prover)) = (lines, prover) {
        let vocabulary = prover.system().vocabulary();
        let shown = lines.iter().map(|(role, goal, line)| {
            let trace = moves(vocabulary, &line.joints);
            json!({ "role": vocabulary.show_role(*role), "goal": goal, "trace": trace })
        });
        value["lines"] = Value::Array(shown.collect());
    }
    value
}

/// Prints an answer.
fn print(
    args: &Prove,
    property: &str,
    answer: &Answer,
    seconds: Duration,
    prover: Option<&Prover<'_>>,
    out: &mut dyn Write,
) -> Result<()> {
    if args.json.json {
        return Ok(json::line(out, &as_json(property, answer, seconds, prover))?);
    }
    let vocabulary = prover.map(|prover| prover.system().vocabulary().as_ref());
    let (words, seconds) = (word(answer), seconds.as_secs_f64());
    writeln!(out, "{property}: {words}")?;
    match (answer, vocabulary) {
        (Answer::Holds(proof), vocabulary) => write_proof(proof, vocabulary, out)?,
        (Answer::Fails(refutation), _) => {
            if let Some(prover) = prover {
                refutation::write(property.trim(), refutation, prover, out)?;
            }
        }
        (Answer::Unknown(reason), _) => writeln!(out, "  {reason}")?,
    }
    writeln!(out, "  {seconds:.3} s")?;
    out.flush()?;
    Ok(())
}

fn write_proof(proof: &Proof, vocabulary: Option<&Vocabulary>, out: &mut dyn Write) -> Result<()> {
    match proof {
        Proof::Induction(certificate) => {
            let lemmas = count(certificate.lemmas.len(), "lemma");
            match certificate.depth {
                0 => writeln!(out, "  follows from {lemmas} that every move keeps")?,
                1 if certificate.lemmas.is_empty() => writeln!(out, "  by induction")?,
                depth => writeln!(out, "  by induction over {}, with {lemmas}", count(depth, "state"))?,
            }
        }
        Proof::Ranking(ranking) => {
            let bound = count(ranking.bound, "move");
            match &ranking.kind {
                RankingKind::Counters(orders) => {
                    let ends = |order: &Vec<FluentId>| {
                        let name = |fluent: Option<&FluentId>| Some(vocabulary?.show_fluent(*fluent?));
                        let (first, last) = (name(order.first()), name(order.last()));
                        format!("{} towards {}", first.unwrap_or_default(), last.unwrap_or_default())
                    };
                    let shown: Vec<String> = orders.iter().take(4).map(ends).collect();
                    let more = if orders.len() > 4 { ", ..." } else { "" };
                    writeln!(
                        out,
                        "  after at most {bound}: every move counts from {}{more}",
                        shown.join(", ")
                    )?;
                }
                RankingKind::Settling(values, window) => {
                    let settled = count(values.len(), "value");
                    writeln!(
                        out,
                        "  after at most {bound}: within {} one more of {settled} is settled for good",
                        count(*window, "move")
                    )?;
                }
                RankingKind::Measure(weights) => {
                    let fluents = count(weights.len(), "fluent");
                    writeln!(
                        out,
                        "  after at most {bound}: every move lowers what the weights of {fluents} add up to"
                    )?;
                }
            }
        }
        Proof::Visit { states, longest } => {
            let bound =
                longest.map_or(String::new(), |most| format!("after at most {}: ", count(most, "move")));
            writeln!(out, "  {bound}all of {} were visited", count(*states, "state"))?;
        }
        Proof::Lines(lines) => {
            let Some(vocabulary) = vocabulary else { return Ok(()) };
            for (role, goal, line) in lines {
                writeln!(out, "  {} gets {goal}:", vocabulary.show_role(*role))?;
                write_moves(vocabulary, &line.joints, out)?;
            }
        }
        Proof::Part { proof, rules, of } => {
            writeln!(out, "  in a part of {rules} of {of} rules, which does not depend on the others:")?;
            write_proof(proof, vocabulary, out)?;
        }
        Proof::Parts(parts) => {
            for (name, proof) in parts {
                writeln!(out, "  {name}")?;
                write_proof(proof, vocabulary, out)?;
            }
        }
    }
    Ok(())
}

pub(super) fn write_moves(
    vocabulary: &Vocabulary,
    joints: &[Vec<MoveId>],
    out: &mut dyn Write,
) -> Result<()> {
    for (number, joint) in moves(vocabulary, joints).iter().enumerate() {
        writeln!(out, "  {:>4}. {}", number + 1, joint.join("  "))?;
    }
    Ok(())
}

pub(super) fn moves(vocabulary: &Vocabulary, joints: &[Vec<MoveId>]) -> Vec<Vec<String>> {
    let show = |joint: &Vec<MoveId>| {
        vocabulary.roles().zip(joint).map(|(role, &action)| vocabulary.show_move(role, action)).collect()
    };
    joints.iter().map(show).collect()
}
