//! `ludex debug`: the forms that a sheet takes on its way to an engine.

use super::gpu;
use crate::args::{Debug, Device, Form, GameArgument};
use crate::game::{self, Loaded};
use crate::report;
use crate::status::Status;
use anyhow::{Result, anyhow};
use cpu_time::ThreadTime;
use ludex::engine::budget::Budget;
use ludex::engine::propnet::lanes::{LANES, Lanes, PlanSizes};
use ludex::engine::propnet::{self, Compiled};
use ludex::engine::vocabulary::{MoveId, Vocabulary};
use ludex::gdl::Symbols;
use ludex::gdl::analysis::domains::{Domain, Domains, Functor};
use ludex::gdl::syntax::tree::{Clause, Formula, FormulaKind, Term, TermKind, Tree};
use ludex::gdl::syntax::{Lines, Span, print};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::Instant;

pub fn run(args: &Debug, out: &mut dyn Write) -> Result<Status> {
    let budget = &args.allowance.alone();
    let read = |game: &GameArgument| -> Result<Loaded> {
        let loaded = game::read(&game.game)?;
        budget.check().map_err(|limit| anyhow!("{}: reading it takes {limit}", loaded.name))?;
        Ok(loaded)
    };
    match &args.form {
        Form::Tree(game) => tree(&read(game)?, out)?,
        Form::Rules(game) => rules(&read(game)?, out)?,
        Form::Strata(game) => strata(&read(game)?, out)?,
        Form::Domains { game, full } => domains(&read(game)?, *full, budget, out)?,
        Form::Propnet { game, dot: true } => {
            out.write_all(dot(&read(game)?, budget)?.as_bytes())?;
        }
        Form::Propnet { game, dot: false } => propnet(&read(game)?, budget, out)?,
        Form::Lanes { game, device: Device::Cpu } => lanes(&read(game)?, budget, out)?,
        Form::Lanes { game, device: Device::Cuda(_) } => {
            gpu::explain(&read(game)?, budget, out)?;
        }
        Form::Proofs(game) => proofs(&read(game)?, budget, out)?,
    }
    Ok(Status::Yes)
}

fn tree(loaded: &Loaded, out: &mut dyn Write) -> io::Result<()> {
    let sheet = &loaded.sheet;
    let mut nodes = Nodes { lines: Lines::of(&sheet.text), symbols: &sheet.tree.symbols, out };
    sheet.tree.clauses.iter().try_for_each(|clause| nodes.clause(clause))
}

fn propnet(loaded: &Loaded, budget: &Budget, out: &mut dyn Write) -> Result<()> {
    let started = Instant::now();
    let compiled = loaded.network(budget)?;
    let Compiled { vocabulary, net, sizes, .. } = &*compiled;
    let seconds = started.elapsed().as_secs_f64();
    let moves: usize = vocabulary.roles().map(|role| vocabulary.move_count(role)).sum();
    let legal = net.cone_size(net.legal.iter().flatten().copied());
    let goals = net.cone_size(net.goals.iter().flatten().map(|(_, signal)| *signal));
    let lines = [
        ("fluents", vocabulary.fluent_count()),
        ("moves of all roles", moves),
        ("ground rules", sizes.rules),
        ("gates: frames turned round, literals taken out, equal gates shared", sizes.gates),
        ("gates that an output reads", sizes.swept),
        ("  for what holds next", net.cone_size(net.next.iter().copied())),
        ("  for legal moves", legal),
        ("  for the end of the game", net.cone_size([net.terminal])),
        ("  for goals", goals),
        ("blocks with feedback", net.blocks.len()),
    ];
    for (what, count) in lines {
        writeln!(out, "{count:>10}  {what}")?;
    }
    writeln!(out, "{seconds:>10.3}  seconds from rules to network")?;
    Ok(())
}

fn proofs(loaded: &Loaded, budget: &Budget, out: &mut dyn Write) -> Result<()> {
    let engine = ludex::engine::tree::Tree::new(loaded.game()?, budget)?;
    Ok(out.write_all(engine.show().as_bytes())?)
}

/// The network as a graph for Graphviz.
fn dot(loaded: &Loaded, budget: &Budget) -> Result<String> {
    /// Larger pictures show nothing, and Graphviz takes minutes for them.
    const MOST_GATES: usize = 1000;
    let compiled = loaded.network(budget)?;
    let gates = compiled.net.gate_count();
    anyhow::ensure!(gates <= MOST_GATES, "{gates} gates are too many for a picture, {MOST_GATES} the most");
    Ok(propnet::dot(&compiled))
}

/// Measures the parts of a pass by doing each of them again and again.
fn lanes(loaded: &Loaded, budget: &Budget, out: &mut dyn Write) -> Result<()> {
    /// Processor time for each part.
    const SECONDS: f64 = 0.5;
    /// Playouts longer than this are cut off.
    const MOST_PLIES: u64 = 10_000;
    let compiled = loaded.network(budget)?;
    let lanes = Lanes::new(&compiled.net, &compiled.initial, budget)?;
    let mut runner = lanes.runner(1);
    // Lanes fill with games in every state of progress before anything is measured.
    runner.run(&compiled.initial, 500, MOST_PLIES);
    let (mut passes, mut transitions) = (0, 0);
    let whole = seconds_each(SECONDS, &mut |times| {
        let result = runner.run(&compiled.initial, u64::from(times), MOST_PLIES);
        passes += result.passes;
        transitions += result.transitions;
    });
    let period = lanes.period() as f64;
    let gates = seconds_each(SECONDS, &mut |times| runner.repeat_gates(times)) / period;
    runner.run(&compiled.initial, 500, MOST_PLIES);
    let choices = seconds_each(SECONDS, &mut |times| runner.repeat_choices(times)) / period;
    let share = |seconds: f64| 100.0 * seconds / whole;
    writeln!(out, "{:>10}  phases that play goes through", lanes.period())?;
    for (phase, sizes) in lanes.sizes().iter().enumerate() {
        let PlanSizes { head, legal, next, goals, moves, .. } = sizes;
        writeln!(
            out,
            "{:>10}  gates a pass in phase {phase}, and {goals} for goals; moves to choose from {moves:?}",
            head + legal + next
        )?;
    }
    writeln!(out, "{:>10.3}  microseconds a pass of 512 games", whole * 1e6)?;
    writeln!(out, "{:>9.1}%  of it gates", share(gates))?;
    writeln!(out, "{:>9.1}%  choice of moves", share(choices))?;
    writeln!(
        out,
        "{:>9.1}%  the rest: ends, goals, refilling",
        (100.0 - share(gates) - share(choices)).max(0.0)
    )?;
    let full = transitions as f64 / (passes as f64 * LANES as f64);
    writeln!(out, "{:>9.1}%  of the lanes are at play", 100.0 * full)?;
    writeln!(out, "{:>10.0}  states a second", full * LANES as f64 / whole)?;
    Ok(())
}

/// Seconds of processor time for each of many repetitions: `repeat` is called with how many to make.
fn seconds_each(seconds: f64, repeat: &mut dyn FnMut(u32)) -> f64 {
    let started = ThreadTime::now();
    let (mut made, mut times) = (0, 1);
    loop {
        repeat(times);
        made += u64::from(times);
        let spent = started.elapsed().as_secs_f64();
        if spent >= seconds {
            return spent / made as f64;
        }
        times = times.saturating_mul(2).min(1 << 16);
    }
}

/// Prints the nodes of a tree, one a line, each with its place.
struct Nodes<'t> {
    lines: Lines<'t>,
    symbols: &'t Symbols,
    out: &'t mut dyn Write,
}

impl Nodes<'_> {
    fn node(&mut self, depth: usize, span: Span, what: &str) -> io::Result<()> {
        let (line, column) = self.lines.line_column(span.start);
        let place = format!("{line}:{column}");
        let length = span.end.saturating_sub(span.start);
        writeln!(self.out, "{place:>8} +{length:<5} {:indent$}{what}", "", indent = 2 * depth)
    }

    fn clause(&mut self, clause: &Clause) -> io::Result<()> {
        self.node(0, clause.span, if clause.body.is_some() { "rule" } else { "fact" })?;
        self.term(1, &clause.head)?;
        clause.body.iter().flatten().try_for_each(|condition| self.formula(1, condition))
    }

    fn formula(&mut self, depth: usize, formula: &Formula) -> io::Result<()> {
        let (name, parts): (&str, &[Formula]) = match &formula.kind {
            FormulaKind::Atom(term) => {
                self.node(depth, formula.span, "atom")?;
                return self.term(depth + 1, term);
            }
            FormulaKind::Distinct(left, right) => {
                self.node(depth, formula.span, "distinct")?;
                self.term(depth + 1, left)?;
                return self.term(depth + 1, right);
            }
            FormulaKind::Not(inner) => ("not", std::slice::from_ref(inner)),
            FormulaKind::Or(parts) => ("or", parts),
            FormulaKind::And(parts) => ("and", parts),
        };
        self.node(depth, formula.span, name)?;
        parts.iter().try_for_each(|part| self.formula(depth + 1, part))
    }

    fn term(&mut self, depth: usize, term: &Term) -> io::Result<()> {
        let (kind, name) = match term.kind {
            TermKind::Variable(name) => ("variable", name),
            TermKind::Constant(name) => ("constant", name),
            TermKind::Compound(name, _) => ("compound", name),
        };
        let what = format!("{kind} {}", self.symbols.name(name));
        self.node(depth, term.span, &what)?;
        term.arguments().iter().try_for_each(|argument| self.term(depth + 1, argument))
    }
}

/// The split rules in KIF, each as a text of its own, by number.
fn texts(loaded: &Loaded) -> Result<Vec<String>> {
    let Tree { symbols, clauses } = loaded.game()?.rules.to_tree();
    let mut single = Tree { symbols, clauses: Vec::new() };
    let texts = clauses.into_iter().map(|clause| {
        single.clauses = vec![clause];
        print::kif(&single).trim_end().to_owned()
    });
    Ok(texts.collect())
}

fn rules(loaded: &Loaded, out: &mut dyn Write) -> Result<()> {
    let texts = texts(loaded)?;
    let rules = &loaded.game()?.rules;
    let lines = Lines::of(&loaded.sheet.text);
    for (number, (rule, text)) in rules.rules().iter().zip(&texts).enumerate() {
        let line = lines.line(rule.places.clause.start);
        let variables: Vec<&str> = rule.variables.iter().map(|&name| rules.symbols.name(name)).collect();
        write!(out, "rule {number}, line {line}")?;
        if !variables.is_empty() {
            write!(out, ", variables {}", variables.join(" "))?;
        }
        writeln!(out, "\n{text}")?;
    }
    Ok(())
}

fn strata(loaded: &Loaded, out: &mut dyn Write) -> Result<()> {
    let texts = texts(loaded)?;
    for (number, stratum) in loaded.game()?.strata.iter().enumerate() {
        let recursive = if stratum.recursive { ", recursive" } else { "" };
        writeln!(out, "stratum {number}: {}{recursive}", report::count(stratum.rules.len(), "rule"))?;
        for rule in &stratum.rules {
            writeln!(out, "{}", indented(&texts[rule.index()]))?;
        }
    }
    Ok(())
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn domains(loaded: &Loaded, full: bool, budget: &Budget, out: &mut dyn Write) -> Result<()> {
    let game = loaded.game()?;
    let rules = &game.rules;
    let domains = Domains::of(rules);
    let mut functors: BTreeSet<Functor> = BTreeSet::new();
    let mut pending: Vec<Functor> = Vec::new();
    writeln!(out, "arguments of relations")?;
    for id in rules.relations() {
        let relation = rules.relation(id);
        for position in 0..relation.arity {
            let domain = domains.argument(id, position);
            let place = format!("{}/{} {}", rules.symbols.name(relation.name), relation.arity, position + 1);
            // Keywords that a sheet does not use, such as `base`, have no domain worth a line.
            if !domain.is_empty() || !rules.rules_for(id).is_empty() {
                writeln!(out, "  {place}: {}", show(&rules.symbols, domain))?;
            }
            pending.extend(&domain.functors);
        }
    }
    while let Some(functor) = pending.pop() {
        if functors.insert(functor) {
            (0..functor.1).for_each(|position| pending.extend(&domains.inside(functor, position).functors));
        }
    }
    writeln!(out, "arguments of functions")?;
    for functor in functors {
        for position in 0..functor.1 {
            let domain = show(&rules.symbols, domains.inside(functor, position));
            writeln!(out, "  {}/{} {}: {domain}", rules.symbols.name(functor.0), functor.1, position + 1)?;
        }
    }
    // The argument domains are always finite; the vocabulary may be too large to compute.
    out.flush()?;
    vocabulary(&Vocabulary::new(game, budget)?, full, out)?;
    Ok(())
}

fn show(symbols: &Symbols, domain: &Domain) -> String {
    let constants = domain.constants.iter().map(|&name| symbols.name(name).to_owned());
    let functors = domain.functors.iter().map(|&(name, arity)| format!("{}/{arity}", symbols.name(name)));
    let mut names: Vec<String> = constants.chain(functors).collect();
    // Numbers by value, then names by letter.
    names.sort_by_cached_key(|name| (name.parse::<i64>().map_or((true, 0), |n| (false, n)), name.clone()));
    if names.is_empty() { "nothing".to_owned() } else { names.join(" ") }
}

fn vocabulary(vocabulary: &Vocabulary, full: bool, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "vocabulary")?;
    writeln!(out, "  {}", report::count(vocabulary.fluent_count(), "fluent"))?;
    if full {
        for fluent in vocabulary.fluents() {
            writeln!(out, "    {}", vocabulary.show_fluent(fluent))?;
        }
    }
    for role in vocabulary.roles() {
        let moves = vocabulary.move_count(role);
        writeln!(out, "  {} of {}", report::count(moves, "move"), vocabulary.show_role(role))?;
        for id in (0..moves as u32).filter(|_| full) {
            writeln!(out, "    {}", vocabulary.show_move(role, MoveId(id)))?;
        }
    }
    Ok(())
}
