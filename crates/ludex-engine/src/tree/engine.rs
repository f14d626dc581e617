//! The engine over the tree.

use super::Options;
use super::cell::{Cell, Lexicon};
use super::compile::compile;
use super::facts::Facts;
use super::node::{OrAndTree, OrId, Target};
use super::order::Sizes;
use super::prove::Prover;
use super::rulebook::Rulebook;
use crate::datalog::{Estimate, Program};
use crate::engine::{Engine, Goal, Worker};
use crate::error::BuildError;
use crate::limits::{Exceeded, Limits};
use crate::random::Random;
use crate::row::{self, Row};
use crate::terms::{TermId, Terms};
use crate::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use hashbrown::{HashMap, HashSet};
use ludex_gdl::Game;
use std::sync::Arc;

/// How many joint moves are played to learn how many answers questions have, and how many answers that may
/// take before it ends early.
const MEASURED_MOVES: usize = 12;
const MEASURED_ROWS: usize = 300_000;

/// The OR-AND tree interpreter.
#[derive(Debug)]
pub struct Tree {
    vocabulary: Arc<Vocabulary>,
    machine: Machine,
}

/// The tree with cells of the width that the game needs.
#[derive(Debug)]
enum Machine {
    Narrow(Compiled<u16>),
    Wide(Compiled<u32>),
}

#[derive(Debug)]
struct Compiled<C> {
    vocabulary: Arc<Vocabulary>,
    tree: OrAndTree,
    facts: Facts<C>,
    terms: Terms,
    /// For each shape of fluents how many columns it has.
    widths: Vec<usize>,
    initial: Vec<u64>,
    options: Options,
    limits: Limits,
}

impl Tree {
    /// Prepares the rules.
    pub fn new(game: &Game, limits: Limits) -> Result<Tree, BuildError> {
        Tree::with_options(game, Options::default(), limits)
    }

    /// As `new`, with other than the default options.
    pub fn with_options(game: &Game, options: Options, limits: Limits) -> Result<Tree, BuildError> {
        let vocabulary = Arc::new(Vocabulary::new(game, limits)?);
        let mut book = Rulebook::new(Program::new(game, vocabulary.terms().clone()));
        let program = &book.program;
        let mut sizes = Sizes {
            facts: book.facts.iter().map(|table| Estimate::of(table)).collect(),
            fluents: program.fluents.iter().map(|f| program.guesses[f.holds.index()].clone()).collect(),
            roles: vocabulary.role_count() as f64,
            answers: HashMap::new(),
        };
        // Play a little in the order that can be guessed, and order anew by what was seen.
        for _ in 0..2 {
            let machine = Machine::new(&mut book, vocabulary.clone(), &sizes, options, limits)?;
            machine.measure(&mut sizes);
        }
        let machine = Machine::new(&mut book, vocabulary.clone(), &sizes, options, limits)?;
        Ok(Tree { vocabulary, machine })
    }
}

impl Machine {
    fn new(
        book: &mut Rulebook,
        vocabulary: Arc<Vocabulary>,
        sizes: &Sizes,
        options: Options,
        limits: Limits,
    ) -> Result<Machine, BuildError> {
        book.drop_parts();
        let roles: Vec<TermId> = vocabulary.roles().map(|role| vocabulary.role(role)).collect();
        let mut lexicon = Lexicon::default();
        let tree = compile(book, &mut lexicon, &roles, sizes, &options);
        super::facts::number_all(&tree, book, &mut lexicon, &vocabulary);
        let narrow = !tree.makes_terms && lexicon.terms.len() < usize::from(u16::MAX);
        Ok(if narrow {
            Machine::Narrow(Compiled::new(tree, book, lexicon, vocabulary, options, limits)?)
        } else {
            Machine::Wide(Compiled::new(tree, book, lexicon, vocabulary, options, limits)?)
        })
    }

    fn measure(&self, sizes: &mut Sizes) {
        match self {
            Machine::Narrow(compiled) => compiled.measure(sizes),
            Machine::Wide(compiled) => compiled.measure(sizes),
        }
    }
}

impl<C: Cell> Compiled<C> {
    fn new(
        mut tree: OrAndTree,
        book: &Rulebook,
        mut lexicon: Lexicon,
        vocabulary: Arc<Vocabulary>,
        options: Options,
        limits: Limits,
    ) -> Result<Compiled<C>, BuildError> {
        let facts = Facts::new(&tree, book, &mut lexicon, &vocabulary);
        facts.resolve_keys(&mut tree);
        let initial = vec![0; vocabulary.words()];
        let program = &book.program;
        let widths = program.fluents.iter().map(|f| program.table(f.holds).width).collect();
        let terms = lexicon.terms;
        let mut compiled = Compiled { vocabulary, tree, facts, terms, widths, initial, options, limits };
        let mut initial = compiled.initial.clone();
        let mut worker = compiled.worker();
        worker.fluents_into(&compiled.tree.roots.init, &mut initial).map_err(BuildError::too_large)?;
        compiled.initial = initial;
        Ok(compiled)
    }

    fn worker(&self) -> TreeWorker<'_, C> {
        let words = self.vocabulary.words();
        let prover = Prover::new(&self.tree, &self.facts, &self.terms, words, self.options, self.limits);
        TreeWorker { compiled: self, prover, legal: Vec::new(), fault: None }
    }

    /// Plays a few moves and notes how many fluents hold and how many answers questions have.
    fn measure(&self, sizes: &mut Sizes) {
        let mut worker = self.worker();
        let mut random = Random::new(1);
        let (mut state, mut next) = (self.initial.clone(), self.initial.clone());
        let (mut legal, mut joint) = (Vec::new(), Vec::new());
        let mut states = Vec::new();
        for _ in 0..MEASURED_MOVES {
            states.push(state.clone());
            worker.is_terminal(&state);
            joint.clear();
            for role in self.vocabulary.roles() {
                worker.goal(&state, role);
                worker.legal(&state, role, &mut legal);
                if !legal.is_empty() {
                    joint.push(legal[random.below(legal.len())]);
                }
            }
            if joint.len() < self.vocabulary.role_count() || worker.is_terminal(&state) {
                break;
            }
            worker.next(&state, &joint, &mut next);
            state.copy_from_slice(&next);
            if worker.fault.is_some() || worker.prover.rows_ever() > MEASURED_ROWS as u64 {
                break;
            }
        }
        for (shape, estimate) in sizes.fluents.iter_mut().enumerate() {
            *estimate = self.fluent_estimate(shape, &states);
        }
        sizes.answers.clear();
        for (or, (asked, answered)) in self.tree.ors.iter().zip(worker.prover.counts()) {
            if asked > 0 {
                let answers = answered as f64 / asked as f64;
                let seen = sizes.answers.entry((or.relation, or.known.clone())).or_insert(0.0);
                *seen = seen.max(answers);
            }
        }
    }

    /// How many fluents of a shape hold in some states, and how many values their columns have.
    fn fluent_estimate(&self, shape: usize, states: &[Vec<u64>]) -> Estimate {
        let mut rows = 0;
        let mut distinct: Vec<HashSet<C>> = Vec::new();
        let mut most: Vec<f64> = Vec::new();
        for state in states {
            distinct.iter_mut().for_each(HashSet::clear);
            for fluent in row::fluents(state).filter(|f| self.facts.fluents.shape(f.0) == shape) {
                rows += 1;
                let cells = self.facts.fluents.row(fluent.0);
                distinct.resize(cells.len(), HashSet::new());
                for (seen, &cell) in distinct.iter_mut().zip(cells) {
                    seen.insert(cell);
                }
            }
            most.resize(distinct.len(), 1.0);
            for (most, seen) in most.iter_mut().zip(&distinct) {
                *most = most.max(seen.len() as f64);
            }
        }
        most.resize(self.widths[shape], 1.0);
        Estimate { rows: rows as f64 / states.len().max(1) as f64, distinct: most }
    }
}

impl Engine for Tree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    fn memory_usage(&self) -> usize {
        match &self.machine {
            Machine::Narrow(compiled) => compiled.facts.memory(),
            Machine::Wide(compiled) => compiled.facts.memory(),
        }
    }

    fn worker(&self) -> Box<dyn Worker + '_> {
        match &self.machine {
            Machine::Narrow(compiled) => Box::new(compiled.worker()),
            Machine::Wide(compiled) => Box::new(compiled.worker()),
        }
    }
}

/// One thread's prover.
#[derive(Debug)]
struct TreeWorker<'e, C> {
    compiled: &'e Compiled<C>,
    prover: Prover<'e, C>,
    /// Legal moves as bits.
    legal: Vec<u64>,
    fault: Option<Exceeded>,
}

impl<C: Cell> TreeWorker<'_, C> {
    /// Sets the bits of the fluents that the roots derive, one root a shape.
    fn fluents_into(&mut self, roots: &[OrId], out: &mut Row) -> Result<(), Exceeded> {
        for (shape, &root) in roots.iter().enumerate() {
            self.prover.prove_bits(root, Target::Fluents { shape }, out)?;
        }
        Ok(())
    }

    fn successor(&mut self, state: &Row, joint: &[MoveId], out: &mut Row) -> Result<(), Exceeded> {
        self.prover.set_state(state);
        let moves = &self.compiled.facts.moves;
        self.prover.set_moves(joint.iter().zip(moves).map(|(movement, moves)| &moves[movement.index()]));
        self.fluents_into(&self.compiled.tree.roots.next, out)
    }

    fn legal_bits(&mut self, role: RoleId) -> Result<(), Exceeded> {
        let compiled = self.compiled;
        self.legal.clear();
        self.legal.resize(compiled.vocabulary.move_count(role).div_ceil(64), 0);
        for (shape, &root) in compiled.tree.roots.legal[role.index()].iter().enumerate() {
            let target = Target::Moves { role: role.index(), shape };
            self.prover.prove_bits(root, target, &mut self.legal)?;
        }
        Ok(())
    }

    /// Remembers a limit that was hit, and gives the answer for that case.
    fn answered<T>(&mut self, answer: Result<T, Exceeded>, otherwise: T) -> T {
        answer.unwrap_or_else(|limit| {
            self.fault = Some(limit);
            otherwise
        })
    }
}

impl<C: Cell> Worker for TreeWorker<'_, C> {
    fn vocabulary(&self) -> &Vocabulary {
        &self.compiled.vocabulary
    }

    fn initial(&mut self, out: &mut Row) {
        out.copy_from_slice(&self.compiled.initial);
    }

    fn is_terminal(&mut self, state: &Row) -> bool {
        self.prover.set_state(state);
        let Some(root) = self.compiled.tree.roots.terminal else { return false };
        let proved = self.prover.prove(root).map(|answers| answers.len() > 0);
        self.answered(proved, true)
    }

    fn legal(&mut self, state: &Row, role: RoleId, out: &mut Vec<MoveId>) {
        out.clear();
        self.prover.set_state(state);
        let proved = self.legal_bits(role);
        if proved.is_ok() {
            out.extend(row::fluents(&self.legal).map(|FluentId(bit)| MoveId(bit)));
        }
        self.answered(proved, ());
    }

    fn next(&mut self, state: &Row, joint: &[MoveId], out: &mut Row) {
        out.fill(0);
        let proved = self.successor(state, joint, out);
        if proved.is_err() {
            out.fill(0);
        }
        self.answered(proved, ());
    }

    fn goal(&mut self, state: &Row, role: RoleId) -> Option<Goal> {
        self.prover.set_state(state);
        let root = self.compiled.tree.roots.goal[role.index()];
        let goals = &self.compiled.facts.goals;
        let proved = self.prover.prove(root).map(|answers| match answers.len() {
            1 => goals.get(&answers.answer(0)[0].number()).copied(),
            _ => None,
        });
        self.answered(proved, None)
    }

    fn fault(&self) -> Option<Exceeded> {
        self.fault
    }
}
