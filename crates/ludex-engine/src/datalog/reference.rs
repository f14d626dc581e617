//! The engine over the tables.

use crate::budget::{Budget, Exceeded, Meter};
use crate::engine::{Engine, Goal, Worker};
use crate::error::BuildError;
use crate::fault::{Fault, Question};
use crate::frontend::{Base, Estimate, Overrun, Program, Questions, Shape, Stay, Store, StratumPlan};
use crate::outputs::{Instance, Outputs};
use crate::random::Random;
use crate::row::{self, Row};
use crate::terms::{TermId, Terms};
use crate::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use hashbrown::HashMap;
use ludex_gdl::Game;
use ludex_gdl::analysis::dependencies::Phase;
use ludex_gdl::rules::RelationId;
use std::sync::Arc;

/// The name by which users choose the engine.
const NAME: &str = "datalog";

/// The reference engine.
#[derive(Debug)]
pub struct Datalog {
    compiled: Arc<Compiled>,
}

/// What an engine has prepared, and its workers share.
#[derive(Debug)]
struct Compiled {
    vocabulary: Arc<Vocabulary>,
    program: Arc<Program>,
    /// Static tables filled, all indexes made.
    store: Store,
    strata: Vec<Planned>,
    questions: Questions,
    codes: Codes,
    /// For questions: rows and steps.
    budget: Budget,
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
    engine: Arc<Compiled>,
    demanded: Vec<RelationId>,
    /// Steps of work a joint move.
    work: u64,
    /// The relations that had many rows in one state, those with most first.
    heavy: Vec<RelationId>,
}

impl Datalog {
    /// Prepares the rules. Relations that are large in play are computed on demand where that saves work.
    pub fn new(game: &Game, budget: &Budget) -> Result<Datalog, BuildError> {
        Datalog::over(game, &Arc::new(Vocabulary::new(game, budget)?), budget)
    }

    /// As `new`, with the vocabulary of the game, or of the game that this one is a translation of, already at hand.
    pub fn over(game: &Game, vocabulary: &Arc<Vocabulary>, budget: &Budget) -> Result<Datalog, BuildError> {
        Datalog::with_outputs(game, vocabulary, &Outputs::default(), budget)
    }

    /// As `over`, which can also say what instances of some relations hold in a state ([`Datalog::asked`]).
    pub fn with_outputs(
        game: &Game,
        vocabulary: &Arc<Vocabulary>,
        outputs: &Outputs,
        budget: &Budget,
    ) -> Result<Datalog, BuildError> {
        let first = Datalog::attempt(game, vocabulary, outputs, Vec::new(), budget)?;
        Datalog::tuned(game, outputs, first, budget)
    }

    /// The engine as soon as there is one: every relation is computed whole. The vocabulary must be the game's.
    pub fn untuned(
        game: &Game,
        vocabulary: &Arc<Vocabulary>,
        budget: &Budget,
    ) -> Result<Datalog, BuildError> {
        let first = Datalog::attempt(game, vocabulary, &Outputs::default(), Vec::new(), budget)?;
        Ok(Datalog { compiled: first.engine })
    }

    /// Prepares the rules in two steps, for those who cannot wait: hands out the engine of
    /// [`Datalog::untuned`], and then the one that [`Datalog::new`] would give, if that is a better one.
    pub fn by_steps(
        game: &Game,
        vocabulary: &Arc<Vocabulary>,
        budget: &Budget,
        give: &mut dyn FnMut(Datalog),
    ) -> Result<(), BuildError> {
        let first = Datalog::attempt(game, vocabulary, &Outputs::default(), Vec::new(), budget)?;
        give(Datalog { compiled: first.engine.clone() });
        if !first.heavy.is_empty() {
            give(Datalog::tuned(game, &Outputs::default(), first, budget)?);
        }
        Ok(())
    }

    /// As `over`, from a base of the usual outputs.
    pub(crate) fn from_base(
        base: &Base,
        game: &Game,
        vocabulary: &Arc<Vocabulary>,
        budget: &Budget,
    ) -> Result<Datalog, BuildError> {
        let outputs = Outputs::usual(game);
        let first = base.build_over(game, &outputs, vocabulary.terms(), budget, |base| {
            Datalog::trial(base, vocabulary.clone(), budget)
        })?;
        Datalog::tuned(game, &outputs, first, budget)
    }

    fn attempt(
        game: &Game,
        vocabulary: &Arc<Vocabulary>,
        outputs: &Outputs,
        demanded: Vec<RelationId>,
        budget: &Budget,
    ) -> Result<Trial, BuildError> {
        Base::build_on_demand(game, outputs, demanded, vocabulary.terms(), budget, |base| {
            Datalog::trial(base, vocabulary.clone(), budget)
        })
    }

    /// Tries the relations with many rows on demand.
    fn tuned(
        game: &Game,
        outputs: &Outputs,
        mut best: Trial,
        budget: &Budget,
    ) -> Result<Datalog, BuildError> {
        let vocabulary = best.engine.vocabulary.clone();
        for _ in 0..MOST_TRIALS {
            // All heavy relations together, since one that is asked often asks another; else the heaviest.
            let choices = [best.heavy.as_slice(), best.heavy.get(..1).unwrap_or_default()];
            let improved = choices.iter().filter(|more| !more.is_empty()).find_map(|more| {
                let demanded = [best.demanded.as_slice(), more].concat();
                let other = Datalog::attempt(game, &vocabulary, outputs, demanded, budget).ok()?;
                (other.work * 10 < best.work * 9).then_some(other)
            });
            budget.check()?;
            match improved {
                Some(other) => best = other,
                None => break,
            }
        }
        Ok(Datalog { compiled: best.engine })
    }

    fn trial(base: &Base, vocabulary: Arc<Vocabulary>, budget: &Budget) -> Result<Trial, Overrun> {
        let program = Arc::new(base.program.clone());
        let questions = Questions::new(&program);
        // Its terms begin with the vocabulary's, so rows can use the vocabulary's numbers.
        let store = base.store.clone();
        let codes = Codes::new(&program, &vocabulary, &store.terms);
        let strata = Vec::new();
        let lasting = budget.lasting();
        let mut engine = Compiled { vocabulary, program, store, strata, questions, codes, budget: lasting };
        // Play a little with what can be guessed of the sizes, plan with those seen, and play again.
        let mut sizes = base.estimates();
        engine.plan(&sizes);
        Memory::new(&engine, budget).measure(&engine, &mut sizes)?;
        engine.plan(&sizes);
        let work = Memory::new(&engine, budget).measure(&engine, &mut sizes)?;
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
        Ok(Trial { demanded: base.demanded.clone(), work, heavy, engine: Arc::new(engine) })
    }

    /// The instances of the relations among its outputs that hold in `state`, as terms of `terms`, which must begin with
    /// the vocabulary's. For single questions: it starts a worker each time.
    pub fn asked(&self, state: &Row, terms: &mut Terms) -> Result<Vec<Instance>, Exceeded> {
        let compiled = &*self.compiled;
        let mut memory = Memory::new(compiled, &compiled.budget);
        memory.ask(compiled, state, &compiled.questions.asked).map_err(|overrun| overrun.limit)?;
        let mut own = memory.store.terms.clone();
        let mut instances = Vec::new();
        for output in &compiled.program.outputs {
            let shape = compiled.program.table(output.table).shape;
            for row in memory.store.table(output.table).rows() {
                let arguments = output.arguments(shape, &mut own, row);
                let arguments = arguments.into_iter().map(|term| terms.copy(&own, term)).collect();
                instances.push(Instance { relation: output.relation, arguments });
            }
        }
        Ok(instances)
    }
}

impl Compiled {
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
}

impl Engine for Datalog {
    fn name(&self) -> &'static str {
        NAME
    }

    fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.compiled.vocabulary
    }

    fn memory_usage(&self) -> usize {
        self.compiled.store.memory()
    }

    fn worker(&self) -> Box<dyn Worker> {
        let memory = Memory::new(&self.compiled, &self.compiled.budget);
        Box::new(DatalogWorker { compiled: self.compiled.clone(), memory })
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

/// One thread's reasoner.
#[derive(Debug)]
struct DatalogWorker {
    compiled: Arc<Compiled>,
    memory: Memory,
}

/// One thread's tables: those of the engine, and what follows from the state at hand. It does not hold the engine:
/// every call takes the one that it was made for.
#[derive(Debug)]
struct Memory {
    store: Store,
    /// The static length of each table.
    base: Vec<usize>,
    /// The state that the tables speak of.
    state: Option<Vec<u64>>,
    /// The strata that have been applied to it.
    done: Vec<bool>,
    meter: Meter,
    /// Steps of work done so far.
    steps: u64,
}

impl Memory {
    fn new(engine: &Compiled, budget: &Budget) -> Memory {
        Memory {
            store: engine.store.clone(),
            base: engine.store.tables.iter().map(|table| table.len()).collect(),
            state: None,
            done: vec![false; engine.strata.len()],
            meter: budget.meter(),
            steps: 0,
        }
    }

    /// Makes the tables speak of `state`, forgetting any other.
    fn load(&mut self, engine: &Compiled, state: &Row) {
        if self.state.as_deref() == Some(state) {
            return;
        }
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

    /// Applies the strata that a question needs and that have not been applied to this state yet.
    fn ask(&mut self, engine: &Compiled, state: &Row, strata: &[usize]) -> Result<(), Overrun> {
        self.load(engine, state);
        self.apply(engine, strata)
    }

    fn apply(&mut self, engine: &Compiled, strata: &[usize]) -> Result<(), Overrun> {
        self.meter.restart();
        for &position in strata {
            if std::mem::replace(&mut self.done[position], true) {
                continue;
            }
            let plan = &engine.strata[position].plan;
            if let Err(limit) = self.store.apply(plan, &mut self.meter) {
                self.steps += self.meter.ticks();
                // What was derived is part of an answer: it is forgotten with the next question.
                self.state = None;
                return Err(Overrun::new(&engine.program, &self.store, &plan.heads, limit));
            }
        }
        self.steps += self.meter.ticks();
        Ok(())
    }

    fn compute_next(&mut self, engine: &Compiled, state: &Row, joint: &[MoveId]) -> Result<(), Overrun> {
        self.load(engine, state);
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
        self.apply(engine, &engine.questions.next)
    }

    fn initial(&self, engine: &Compiled, out: &mut Row) {
        out.fill(0);
        for (tables, codes) in engine.program.fluents.iter().zip(&engine.codes.fluent_of) {
            for columns in self.store.table(tables.init).rows() {
                if let Some(&fluent) = codes.get(columns) {
                    row::set(out, FluentId(fluent));
                }
            }
        }
    }

    fn is_terminal(&mut self, engine: &Compiled, state: &Row) -> Result<bool, Overrun> {
        self.ask(engine, state, &engine.questions.terminal)?;
        Ok(self.store.table(engine.program.terminal).len() > 0)
    }

    fn legal(
        &mut self,
        engine: &Compiled,
        state: &Row,
        role: RoleId,
        out: &mut Vec<MoveId>,
    ) -> Result<(), Overrun> {
        out.clear();
        self.ask(engine, state, &engine.questions.legal)?;
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
        Ok(())
    }

    fn next(
        &mut self,
        engine: &Compiled,
        state: &Row,
        joint: &[MoveId],
        out: &mut Row,
    ) -> Result<(), Overrun> {
        self.compute_next(engine, state, joint)?;
        for ((word, old), staying) in out.iter_mut().zip(state).zip(&engine.codes.staying) {
            *word = old & staying;
        }
        for (tables, codes) in engine.program.fluents.iter().zip(&engine.codes.fluent_of) {
            let Stay::Unless(ends) = tables.stay else { continue };
            for columns in self.store.table(ends).rows() {
                if let Some(&fluent) = codes.get(columns) {
                    row::clear(out, FluentId(fluent));
                }
            }
        }
        for (tables, codes) in engine.program.fluents.iter().zip(&engine.codes.fluent_of) {
            for columns in self.store.table(tables.next).rows() {
                if let Some(&fluent) = codes.get(columns) {
                    row::set(out, FluentId(fluent));
                }
            }
        }
        Ok(())
    }

    fn goal(&mut self, engine: &Compiled, state: &Row, role: RoleId) -> Result<Option<Goal>, Overrun> {
        self.ask(engine, state, &engine.questions.goal)?;
        let name = engine.codes.roles[role.index()];
        let mut values = self.store.table(engine.program.goal).rows().filter(|row| row[0] == name);
        let value = values.next().filter(|_| values.next().is_none());
        Ok(value.and_then(|row| engine.codes.values.get(&row[1]).copied()))
    }

    /// Plays a few moves and notes the largest size of every table. Returns the steps of work a move.
    fn measure(&mut self, engine: &Compiled, sizes: &mut [Estimate]) -> Result<u64, Overrun> {
        let vocabulary = &engine.vocabulary;
        let mut random = Random::new(1);
        let mut state = vec![0; vocabulary.words()];
        let mut next = state.clone();
        let mut legal = Vec::new();
        let mut seen = vec![false; sizes.len()];
        self.initial(engine, &mut state);
        let mut moves = 0;
        while moves < MEASURED_MOVES && self.steps < MEASURED_STEPS {
            moves += 1;
            let is_terminal = self.is_terminal(engine, &state)?;
            self.ask(engine, &state, &engine.questions.goal)?;
            let mut joint = Vec::new();
            for role in vocabulary.roles() {
                self.legal(engine, &state, role, &mut legal)?;
                if !legal.is_empty() {
                    joint.push(legal[random.below(legal.len())]);
                }
            }
            let playable = joint.len() == vocabulary.role_count() && !is_terminal;
            if playable {
                self.next(engine, &state, &joint, &mut next)?;
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
            state.copy_from_slice(&next);
        }
        Ok(self.steps / moves.max(1) as u64)
    }
}

impl DatalogWorker {
    /// The fault of a question that ran into a limit.
    fn fault(&self, question: Question, overrun: &Overrun) -> Fault {
        Fault::new(NAME, overrun.limit, question, &self.compiled.vocabulary)
    }
}

impl Worker for DatalogWorker {
    fn vocabulary(&self) -> &Vocabulary {
        &self.compiled.vocabulary
    }

    fn initial(&mut self, out: &mut Row) {
        self.memory.initial(&self.compiled, out);
    }

    fn is_terminal(&mut self, state: &Row) -> Result<bool, Fault> {
        let answer = self.memory.is_terminal(&self.compiled, state);
        answer.map_err(|overrun| self.fault(Question::Terminal, &overrun))
    }

    fn legal(&mut self, state: &Row, role: RoleId, out: &mut Vec<MoveId>) -> Result<(), Fault> {
        let answer = self.memory.legal(&self.compiled, state, role, out);
        answer.map_err(|overrun| self.fault(Question::Legal(role), &overrun))
    }

    fn next(&mut self, state: &Row, joint: &[MoveId], out: &mut Row) -> Result<(), Fault> {
        let answer = self.memory.next(&self.compiled, state, joint, out);
        answer.map_err(|overrun| self.fault(Question::Next, &overrun))
    }

    fn goal(&mut self, state: &Row, role: RoleId) -> Result<Option<Goal>, Fault> {
        let answer = self.memory.goal(&self.compiled, state, role);
        answer.map_err(|overrun| self.fault(Question::Goal(role), &overrun))
    }

    fn obey(&mut self, budget: &Budget) {
        self.memory.meter = self.compiled.budget.obeying(budget).meter();
    }
}
