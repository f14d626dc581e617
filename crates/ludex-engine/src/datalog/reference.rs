//! The engine over the tables.

use crate::engine::{Engine, Goal, Worker};
use crate::error::BuildError;
use crate::frontend::{Base, Estimate, Overrun, Program, Questions, Shape, Stay, Store, StratumPlan};
use crate::limits::{Budget, Exceeded, Limits};
use crate::random::Random;
use crate::row::{self, Row};
use crate::terms::{TermId, Terms};
use crate::vocabulary::{MoveId, RoleId, Vocabulary};
use hashbrown::HashMap;
use ludex_gdl::Game;
use ludex_gdl::analysis::dependencies::Phase;
use ludex_gdl::rules::RelationId;
use std::sync::Arc;

/// The reference engine.
#[derive(Debug)]
pub struct Datalog {
    vocabulary: Arc<Vocabulary>,
    program: Arc<Program>,
    /// Static tables filled, all indexes made.
    store: Store,
    strata: Vec<Planned>,
    questions: Questions,
    codes: Codes,
    limits: Limits,
}

/// A stratum that depends on the state, planned.
#[derive(Debug)]
struct Planned {
    plan: StratumPlan,
    phase: Phase,
}

/// How table rows and the bits and numbers of the vocabulary translate.
#[derive(Debug)]
struct Codes {
    /// For each fluent its table, by position in `Program::fluents`, and its columns.
    fluents: Vec<(usize, Vec<TermId>)>,
    /// For each role and move its table, by position in `Program::moves`, and its columns with the role.
    moves: Vec<Vec<(usize, Vec<TermId>)>>,
    fluent_of: Vec<HashMap<Vec<TermId>, u32>>,
    move_of: Vec<HashMap<Vec<TermId>, (RoleId, MoveId)>>,
    roles: Vec<TermId>,
    /// The goal value that a term is, for terms that are numbers.
    values: HashMap<TermId, Goal>,
    /// The fluents that hold on unless they are said to end.
    staying: Vec<u64>,
}

/// How many joint moves are played to learn the sizes of the tables, and how many steps of work that may
/// take before it ends early (a step takes some ten nanoseconds).
const MEASURED_MOVES: usize = 12;
const MEASURED_STEPS: u64 = 5_000_000;

/// A relation with more rows than this in one state is tried on demand.
const MANY_ROWS: f64 = 1000.0;

/// How many relations are tried on demand.
const MOST_TRIALS: usize = 6;

/// What play has shown of an engine.
struct Trial {
    engine: Datalog,
    demanded: Vec<RelationId>,
    /// Steps of work a joint move.
    work: u64,
    /// The relations that had many rows in one state, those with most first.
    heavy: Vec<RelationId>,
}

impl Datalog {
    /// Prepares the rules. Relations that are large in play are computed on demand where that saves work.
    pub fn new(game: &Game, limits: Limits) -> Result<Datalog, BuildError> {
        Datalog::over(game, &Arc::new(Vocabulary::new(game, limits)?), limits)
    }

    /// As `new`, with the vocabulary of the game, or of the game that this one is a translation of, already at hand.
    pub fn over(game: &Game, vocabulary: &Arc<Vocabulary>, limits: Limits) -> Result<Datalog, BuildError> {
        let first = Datalog::attempt(game, vocabulary, Vec::new(), limits)?;
        Ok(Datalog::tuned(game, first, limits))
    }

    /// The engine as soon as there is one: every relation is computed whole. The vocabulary must be the game's.
    pub fn untuned(game: &Game, vocabulary: &Arc<Vocabulary>, limits: Limits) -> Result<Datalog, BuildError> {
        Ok(Datalog::attempt(game, vocabulary, Vec::new(), limits)?.engine)
    }

    /// Prepares the rules in two steps, for those who cannot wait: hands out the engine of
    /// [`Datalog::untuned`], and then the one that [`Datalog::new`] would give, if that is a better one.
    pub fn by_steps(
        game: &Game,
        vocabulary: &Arc<Vocabulary>,
        limits: Limits,
        give: &mut dyn FnMut(Datalog),
    ) -> Result<(), BuildError> {
        let first = Datalog::attempt(game, vocabulary, Vec::new(), limits)?;
        let is_final = first.heavy.is_empty();
        give(first.engine);
        if !is_final {
            let again = Datalog::attempt(game, vocabulary, Vec::new(), limits)?;
            give(Datalog::tuned(game, again, limits));
        }
        Ok(())
    }

    fn attempt(
        game: &Game,
        vocabulary: &Arc<Vocabulary>,
        demanded: Vec<RelationId>,
        limits: Limits,
    ) -> Result<Trial, BuildError> {
        Base::build_on_demand(game, demanded, vocabulary.terms(), limits, |base| {
            Datalog::trial(base, vocabulary.clone(), limits)
        })
    }

    /// Tries the relations with many rows on demand.
    fn tuned(game: &Game, mut best: Trial, limits: Limits) -> Datalog {
        let vocabulary = best.engine.vocabulary.clone();
        for _ in 0..MOST_TRIALS {
            // All heavy relations together, since one that is asked often asks another; else the heaviest.
            let choices = [best.heavy.as_slice(), best.heavy.get(..1).unwrap_or_default()];
            let improved = choices.iter().filter(|more| !more.is_empty()).find_map(|more| {
                let demanded = [best.demanded.as_slice(), more].concat();
                let other = Datalog::attempt(game, &vocabulary, demanded, limits).ok()?;
                (other.work * 10 < best.work * 9).then_some(other)
            });
            match improved {
                Some(other) => best = other,
                None => break,
            }
        }
        best.engine
    }

    fn trial(base: &Base, vocabulary: Arc<Vocabulary>, limits: Limits) -> Result<Trial, Overrun> {
        let program = Arc::new(base.program.clone());
        let questions = Questions::new(&program);
        // Its terms begin with the vocabulary's, so rows can use the vocabulary's numbers.
        let store = base.store.clone();
        let codes = Codes::new(&program, &vocabulary, &store.terms);
        let mut engine = Datalog { vocabulary, program, store, strata: Vec::new(), questions, codes, limits };
        // Play a little with what can be guessed of the sizes, plan with those seen, and play again.
        let mut sizes = base.estimates();
        engine.plan(&sizes);
        engine.new_worker().measure(&mut sizes)?;
        engine.plan(&sizes);
        let work = engine.new_worker().measure(&mut sizes)?;
        let program = &engine.program;
        let mut heavy: Vec<(f64, RelationId)> = program
            .tables
            .iter()
            .zip(&sizes)
            .filter(|(info, size)| info.phase != Phase::Static && size.rows > MANY_ROWS)
            .filter(|(info, _)| info.relation.index() < base.original_relations)
            .filter(|(info, _)| program.rules.relation(info.relation).keyword.is_none())
            .filter(|(info, _)| !base.demanded.contains(&info.relation))
            .map(|(info, size)| (-size.rows, info.relation))
            .collect();
        heavy.sort_by(|a, b| a.0.total_cmp(&b.0));
        let heavy = heavy.into_iter().map(|(_, relation)| relation).collect();
        Ok(Trial { demanded: base.demanded.clone(), work, heavy, engine })
    }

    fn plan(&mut self, estimates: &[Estimate]) {
        let dynamic = self.program.strata.iter().filter(|stratum| stratum.phase != Phase::Static);
        let tables = &mut self.store.tables;
        self.strata = dynamic
            .map(|stratum| Planned {
                plan: StratumPlan::new(stratum, estimates, tables),
                phase: stratum.phase,
            })
            .collect();
    }

    /// What helper rules ask ([`crate::propnet::Asked`]): the first arguments of the goals of whoever is no
    /// role that hold in `state`, as terms of `terms`. For single questions: it starts a worker each time.
    pub fn asked(&self, state: &Row, terms: &mut Terms) -> Result<Vec<TermId>, Exceeded> {
        let mut worker = self.new_worker();
        worker.ask(state, Question::Goal).map_err(|overrun| overrun.limit)?;
        let rows = worker.store.table(self.program.goal).rows().map(|row| row[0]);
        let asked = rows.filter(|first| !self.codes.roles.contains(first));
        Ok(asked.map(|term| terms.copy(&worker.store.terms, term)).collect())
    }

    fn new_worker(&self) -> DatalogWorker<'_> {
        DatalogWorker {
            engine: self,
            store: self.store.clone(),
            base: self.store.tables.iter().map(|table| table.len()).collect(),
            state: None,
            done: vec![false; self.strata.len()],
            steps: 0,
            fault: None,
        }
    }
}

impl Engine for Datalog {
    fn name(&self) -> &'static str {
        "datalog"
    }

    fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    fn memory_usage(&self) -> usize {
        self.store.memory()
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(self.new_worker())
    }
}

impl Codes {
    fn new(program: &Program, vocabulary: &Vocabulary, terms: &Terms) -> Codes {
        let shapes: HashMap<_, usize> = program.fluents.iter().map(|f| f.shape).zip(0..).collect();
        let move_shapes: HashMap<_, usize> = program.moves.iter().map(|m| m.shape).zip(0..).collect();
        let columns = |term: TermId| {
            let arguments = terms.arguments(term);
            match arguments.len() {
                0 => (Shape::Constant, vec![term]),
                count => (Shape::Function((terms.functor(term), count)), arguments.to_vec()),
            }
        };
        let mut codes = Codes {
            fluents: Vec::new(),
            moves: Vec::new(),
            fluent_of: vec![HashMap::new(); program.fluents.len()],
            move_of: vec![HashMap::new(); program.moves.len()],
            roles: vocabulary.roles().map(|role| vocabulary.role(role)).collect(),
            values: HashMap::new(),
            staying: vec![0; vocabulary.words()],
        };
        for fluent in vocabulary.fluents() {
            let (shape, columns) = columns(vocabulary.fluent(fluent));
            let table = shapes[&shape];
            if program.fluents[table].stay != Stay::Never {
                row::set(&mut codes.staying, fluent);
            }
            codes.fluent_of[table].insert(columns.clone(), fluent.0);
            codes.fluents.push((table, columns));
        }
        for role in vocabulary.roles() {
            let mut list = Vec::new();
            for action in (0..vocabulary.move_count(role) as u32).map(MoveId) {
                let (shape, mut columns) = columns(vocabulary.action(role, action));
                let table = move_shapes[&shape];
                columns.insert(0, vocabulary.role(role));
                codes.move_of[table].insert(columns.clone(), (role, action));
                list.push((table, columns));
            }
            codes.moves.push(list);
        }
        for id in (0..terms.len() as u32).map(TermId) {
            if terms.is_constant(id)
                && let Ok(value) = program.rules.symbols.name(terms.functor(id)).parse::<Goal>()
            {
                codes.values.insert(id, value);
            }
        }
        codes
    }
}

/// One thread's tables: those of the engine, and what follows from the state at hand.
#[derive(Debug)]
struct DatalogWorker<'e> {
    engine: &'e Datalog,
    store: Store,
    /// The static length of each table.
    base: Vec<usize>,
    /// The state that the tables speak of.
    state: Option<Vec<u64>>,
    /// The strata that have been applied to it.
    done: Vec<bool>,
    /// Steps of work done so far.
    steps: u64,
    fault: Option<Exceeded>,
}

#[derive(Clone, Copy)]
enum Question {
    Legal,
    Terminal,
    Goal,
}

impl DatalogWorker<'_> {
    /// Remembers a question that ran into a limit. What was derived is forgotten with the next state.
    fn failed(&mut self, answered: &Result<(), Overrun>) -> bool {
        if let Err(overrun) = answered {
            self.fault = Some(overrun.limit);
            self.state = None;
        }
        answered.is_err()
    }

    /// Makes the tables speak of `state`, forgetting any other.
    fn load(&mut self, state: &Row) {
        if self.state.as_deref() == Some(state) {
            return;
        }
        let engine = self.engine;
        self.store.forget(&self.base, |_| true);
        self.done.fill(false);
        for fluent in row::fluents(state) {
            let (table, columns) = &engine.codes.fluents[fluent.index()];
            self.store.table_mut(engine.program.fluents[*table].holds).insert(columns);
        }
        match &mut self.state {
            Some(old) => old.copy_from_slice(state),
            None => self.state = Some(state.to_vec()),
        }
    }

    /// Applies what the question needs and has not been applied to this state yet.
    fn ask(&mut self, state: &Row, question: Question) -> Result<(), Overrun> {
        self.load(state);
        let engine = self.engine;
        let strata = match question {
            Question::Legal => &engine.questions.legal,
            Question::Terminal => &engine.questions.terminal,
            Question::Goal => &engine.questions.goal,
        };
        self.apply(strata)
    }

    fn apply(&mut self, strata: &[usize]) -> Result<(), Overrun> {
        let engine = self.engine;
        let mut budget = Budget::new(engine.limits);
        for &position in strata {
            if std::mem::replace(&mut self.done[position], true) {
                continue;
            }
            let plan = &engine.strata[position].plan;
            if let Err(limit) = self.store.apply(plan, &mut budget) {
                self.steps += budget.ticks();
                return Err(Overrun::new(&engine.program, &self.store, &plan.heads, limit));
            }
        }
        self.steps += budget.ticks();
        Ok(())
    }

    fn compute_next(&mut self, state: &Row, joint: &[MoveId]) -> Result<(), Overrun> {
        self.load(state);
        let engine = self.engine;
        // Forget what followed from other moves in the same state.
        self.store.forget(&self.base, |table| engine.program.tables[table].phase == Phase::Move);
        for (position, planned) in engine.strata.iter().enumerate() {
            if planned.phase == Phase::Move {
                self.done[position] = false;
            }
        }
        for (role, action) in joint.iter().enumerate() {
            let (table, columns) = &engine.codes.moves[role][action.index()];
            self.store.table_mut(engine.program.moves[*table].does).insert(columns);
        }
        self.apply(&engine.questions.next)
    }

    /// Plays a few moves and notes the largest size of every table. Returns the steps of work a move.
    fn measure(&mut self, sizes: &mut [Estimate]) -> Result<u64, Overrun> {
        let engine = self.engine;
        let vocabulary = engine.vocabulary.clone();
        let mut random = Random::new(1);
        let mut state = vec![0; vocabulary.words()];
        let mut next = state.clone();
        let mut legal = Vec::new();
        let mut seen = vec![false; sizes.len()];
        self.initial(&mut state);
        let mut moves = 0;
        while moves < MEASURED_MOVES && self.steps < MEASURED_STEPS {
            moves += 1;
            for question in [Question::Terminal, Question::Goal, Question::Legal] {
                self.ask(&state, question)?;
            }
            let mut joint = Vec::new();
            for role in vocabulary.roles() {
                self.legal(&state, role, &mut legal);
                if !legal.is_empty() {
                    joint.push(legal[random.below(legal.len())]);
                }
            }
            let playable = joint.len() == vocabulary.role_count() && !self.is_terminal(&state);
            if playable {
                self.compute_next(&state, &joint)?;
            }
            for (position, info) in engine.program.tables.iter().enumerate() {
                if info.phase == Phase::Static {
                    continue;
                }
                let now = Estimate::of(&self.store.tables[position]);
                if !seen[position] || now.rows > sizes[position].rows {
                    seen[position] = true;
                    sizes[position] = now;
                }
            }
            if !playable {
                break;
            }
            self.next(&state, &joint, &mut next);
            state.copy_from_slice(&next);
        }
        Ok(self.steps / moves.max(1) as u64)
    }
}

impl Worker for DatalogWorker<'_> {
    fn vocabulary(&self) -> &Vocabulary {
        &self.engine.vocabulary
    }

    fn initial(&mut self, out: &mut Row) {
        out.fill(0);
        let engine = self.engine;
        for (tables, codes) in engine.program.fluents.iter().zip(&engine.codes.fluent_of) {
            for columns in self.store.table(tables.init).rows() {
                if let Some(&fluent) = codes.get(columns) {
                    row::set(out, crate::vocabulary::FluentId(fluent));
                }
            }
        }
    }

    fn is_terminal(&mut self, state: &Row) -> bool {
        let answered = self.ask(state, Question::Terminal);
        self.failed(&answered) || self.store.table(self.engine.program.terminal).len() > 0
    }

    fn legal(&mut self, state: &Row, role: RoleId, out: &mut Vec<MoveId>) {
        out.clear();
        let answered = self.ask(state, Question::Legal);
        if self.failed(&answered) {
            return;
        }
        let engine = self.engine;
        let name = engine.codes.roles[role.index()];
        for (tables, codes) in engine.program.moves.iter().zip(&engine.codes.move_of) {
            for columns in self.store.table(tables.legal).rows() {
                if columns[0] == name
                    && let Some(&(_, action)) = codes.get(columns)
                {
                    out.push(action);
                }
            }
        }
        out.sort_unstable();
    }

    fn next(&mut self, state: &Row, joint: &[MoveId], out: &mut Row) {
        out.fill(0);
        let answered = self.compute_next(state, joint);
        if self.failed(&answered) {
            return;
        }
        let engine = self.engine;
        for ((word, old), staying) in out.iter_mut().zip(state).zip(&engine.codes.staying) {
            *word = old & staying;
        }
        for (tables, codes) in engine.program.fluents.iter().zip(&engine.codes.fluent_of) {
            let Stay::Unless(ends) = tables.stay else { continue };
            for columns in self.store.table(ends).rows() {
                if let Some(&fluent) = codes.get(columns) {
                    row::clear(out, crate::vocabulary::FluentId(fluent));
                }
            }
        }
        for (tables, codes) in engine.program.fluents.iter().zip(&engine.codes.fluent_of) {
            for columns in self.store.table(tables.next).rows() {
                if let Some(&fluent) = codes.get(columns) {
                    row::set(out, crate::vocabulary::FluentId(fluent));
                }
            }
        }
    }

    fn goal(&mut self, state: &Row, role: RoleId) -> Option<Goal> {
        let answered = self.ask(state, Question::Goal);
        if self.failed(&answered) {
            return None;
        }
        let name = self.engine.codes.roles[role.index()];
        let mut values = self.store.table(self.engine.program.goal).rows().filter(|row| row[0] == name);
        let value = values.next()?;
        if values.next().is_some() {
            return None;
        }
        self.engine.codes.values.get(&value[1]).copied()
    }

    fn fault(&self) -> Option<Exceeded> {
        self.fault
    }
}
