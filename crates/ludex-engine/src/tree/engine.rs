//! The engine over the tree.

use super::Options;
use super::cell::{Cell, Lexicon};
use super::compile::compile;
use super::facts::{Facts, number_all};
use super::node::{OrAndTree, OrId, Target};
use super::order::{FluentSize, Sizes};
use super::prove::{Code, Prover};
use super::rulebook::Rulebook;
use super::tune::Tuner;
use super::unfold::unfold;
use crate::budget::{Budget, Exceeded, Stage};
use crate::engine::{Engine, Goal, Worker};
use crate::error::BuildError;
use crate::fault::{Fault, Question};
use crate::frontend::{Estimate, Program, Shape};
use crate::outputs::Outputs;
use crate::random::Random;
use crate::row::{self, Row};
use crate::terms::{TermId, Terms};
use crate::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use hashbrown::{HashMap, HashSet};
use ludex_gdl::Game;
use ludex_gdl::rewrite::trails::without_trails;
use std::sync::Arc;

/// The name by which users choose the engine.
const NAME: &str = "tree";

/// The OR-AND tree interpreter.
#[derive(Debug)]
pub struct Tree {
    vocabulary: Arc<Vocabulary>,
    machine: Machine,
}

/// The tree with cells of the width that the game needs.
#[derive(Debug)]
enum Machine {
    Narrow(Arc<Compiled<u16>>),
    Wide(Arc<Compiled<u32>>),
}

#[derive(Debug)]
pub(super) struct Compiled<C> {
    pub(super) vocabulary: Arc<Vocabulary>,
    pub(super) tree: OrAndTree,
    facts: Facts<C>,
    terms: Terms,
    /// For each shape of fluents how it is laid out, and in how many columns.
    shapes: Vec<(Shape, usize)>,
    initial: Vec<u64>,
    pub(super) options: Options,
    /// For questions: rows and steps.
    budget: Budget,
}

impl Tree {
    /// Prepares the rules.
    pub fn new(game: &Game, budget: &Budget) -> Result<Tree, BuildError> {
        Tree::with_options(game, Options::default(), budget)
    }

    /// As `new`, with other than the default options.
    pub fn with_options(game: &Game, options: Options, budget: &Budget) -> Result<Tree, BuildError> {
        let vocabulary = Arc::new(Vocabulary::new(game, budget)?);
        Tree::over(game, vocabulary, options, budget)
    }

    /// As `with_options`, with the game's vocabulary already at hand.
    pub fn over(
        game: &Game,
        vocabulary: Arc<Vocabulary>,
        options: Options,
        budget: &Budget,
    ) -> Result<Tree, BuildError> {
        budget.begin(Stage::Tree)?;
        let game = without_trails(game, &[]);
        let program = Program::new(&game, &Outputs::default(), vocabulary.terms().clone(), budget)?;
        let mut book = Rulebook::new(program, budget)?;
        unfold(&mut book);
        let mut lexicon = Lexicon::default();
        number_all(&book, &mut lexicon, &vocabulary);
        let narrow = !book.has_functions() && lexicon.terms.len() < usize::from(u16::MAX);
        let machine = if narrow {
            let compiled = Compiled::new(&book, &mut lexicon, vocabulary.clone(), options, budget);
            Machine::Narrow(Arc::new(Tuner { book, lexicon, compiled, budget }.best()?))
        } else {
            let compiled = Compiled::new(&book, &mut lexicon, vocabulary.clone(), options, budget);
            Machine::Wide(Arc::new(Tuner { book, lexicon, compiled, budget }.best()?))
        };
        Ok(Tree { vocabulary, machine })
    }

    /// The tree as text, with the questions and answers of each node in a few moves of play. For people: the
    /// form may change.
    pub fn show(&self) -> String {
        match &self.machine {
            Machine::Narrow(compiled) => compiled.show(),
            Machine::Wide(compiled) => compiled.show(),
        }
    }
}

/// What play has shown.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// True if a question went beyond the limits.
    pub(super) failed: bool,
    /// Steps of work, and the moves that took them. No number is larger than that of a failure.
    pub(super) work: u64,
    pub(super) moves: usize,
    /// For each shape how many fluents hold.
    pub(super) fluents: Vec<FluentSize>,
    /// For each node how many questions it was asked and how many answers it gave.
    pub(super) counts: Vec<(u64, u64)>,
    /// For each site how many rows came and how many went on.
    pub(super) flows: Vec<(u64, u64)>,
    /// For each site how often its filter left nothing out.
    pub(super) whole: Vec<u64>,
    /// For each rule its part of the work.
    pub(super) steps: Vec<u64>,
}

impl<C: Cell> Compiled<C> {
    /// Everything but the tree.
    fn new(
        book: &Rulebook,
        lexicon: &mut Lexicon,
        vocabulary: Arc<Vocabulary>,
        options: Options,
        budget: &Budget,
    ) -> Compiled<C> {
        let facts = Facts::new(book, lexicon, &vocabulary);
        let program = &book.program;
        Compiled {
            initial: vec![0; vocabulary.words()],
            shapes: program.fluents.iter().map(|f| (f.shape, program.table(f.holds).width)).collect(),
            tree: OrAndTree::default(),
            terms: Terms::default(),
            vocabulary,
            facts,
            options,
            budget: budget.lasting(),
        }
    }

    /// Builds another tree from the rules.
    pub(super) fn rebuild(
        &mut self,
        book: &mut Rulebook,
        lexicon: &mut Lexicon,
        sizes: &Sizes,
        budget: &Budget,
    ) -> Result<(), BuildError> {
        book.drop_parts();
        let roles: Vec<TermId> = self.vocabulary.roles().map(|role| self.vocabulary.role(role)).collect();
        let mut tree = compile(book, lexicon, &mut self.facts.paths, &roles, sizes, &self.options, budget)?;
        self.facts.extend(book, lexicon);
        self.facts.resolve_keys(&mut tree);
        self.terms = lexicon.terms.clone();
        self.tree = tree;
        let mut initial = vec![0; self.vocabulary.words()];
        Memory::new(self, budget).fluents_into(self.code(), &self.tree.roots.init, &mut initial)?;
        self.initial = initial;
        Ok(())
    }

    fn show(&self) -> String {
        super::show::show(&self.tree, &self.facts.paths, &self.try_out(20, u64::MAX, &self.budget))
    }

    fn code(&self) -> Code<'_, C> {
        Code { tree: &self.tree, facts: &self.facts }
    }

    /// Plays at random for at most so many moves, or until they take more than `most` steps of work.
    pub(super) fn try_out(&self, moves: usize, most: u64, budget: &Budget) -> Seen {
        // No single question may take more, either, nor leave more rows than that.
        let rows = budget.rows().min(usize::try_from(most).unwrap_or(usize::MAX));
        let short = budget.clone().with_rows(rows).with_steps(budget.steps().min(most));
        let mut memory = Memory::new(self, &short);
        let mut states = Vec::new();
        let failed = memory.play(self, moves, most, &mut states).is_err();
        Seen {
            work: if failed { u64::MAX } else { memory.prover.work() },
            failed,
            moves: states.len(),
            fluents: (0..self.shapes.len()).map(|shape| self.fluent_size(shape, &states)).collect(),
            counts: memory.prover.counts().collect(),
            flows: memory.prover.flows().to_vec(),
            whole: memory.prover.whole().to_vec(),
            steps: memory.prover.steps().to_vec(),
        }
    }

    /// How many fluents of a shape hold in some states, and how often each value stands in their columns.
    fn fluent_size(&self, shape: usize, states: &[Vec<u64>]) -> FluentSize {
        let terms = self.vocabulary.terms();
        let (layout, width) = self.shapes[shape];
        let mut rows = 0;
        let mut counts: Vec<HashMap<TermId, f64>> = vec![HashMap::new(); width];
        let mut distinct: Vec<HashSet<TermId>> = vec![HashSet::new(); width];
        let mut most = vec![1.0f64; width];
        for state in states {
            distinct.iter_mut().for_each(HashSet::clear);
            for fluent in row::fluents(state).filter(|f| self.facts.fluents.shape(f.0) == shape) {
                rows += 1;
                let term = [self.vocabulary.fluent(fluent)];
                let columns =
                    if let Shape::Function(_) = layout { terms.arguments(term[0]) } else { term.as_slice() };
                for ((count, seen), &value) in counts.iter_mut().zip(&mut distinct).zip(columns) {
                    *count.entry(value).or_default() += 1.0;
                    seen.insert(value);
                }
            }
            for (most, seen) in most.iter_mut().zip(&distinct) {
                *most = most.max(seen.len() as f64);
            }
        }
        counts.iter_mut().flat_map(HashMap::values_mut).for_each(|count| *count /= f64::from(rows.max(1)));
        let estimate = Estimate { rows: f64::from(rows) / states.len().max(1) as f64, distinct: most };
        FluentSize { estimate, shares: counts }
    }
}

impl Engine for Tree {
    fn name(&self) -> &'static str {
        NAME
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

    fn worker(&self) -> Box<dyn Worker> {
        match &self.machine {
            Machine::Narrow(compiled) => Box::new(TreeWorker::new(compiled)),
            Machine::Wide(compiled) => Box::new(TreeWorker::new(compiled)),
        }
    }
}

/// One thread's reasoner.
#[derive(Debug)]
struct TreeWorker<C> {
    compiled: Arc<Compiled<C>>,
    memory: Memory<C>,
}

/// One thread's prover and buffers. It does not hold the engine: every call takes the one that it was made for.
#[derive(Debug)]
struct Memory<C> {
    prover: Prover<C>,
    /// Legal moves as bits.
    legal: Vec<u64>,
    /// Fluents that end, as bits.
    ended: Vec<u64>,
}

impl<C: Cell> Memory<C> {
    fn new(compiled: &Compiled<C>, budget: &Budget) -> Memory<C> {
        let words = compiled.vocabulary.words();
        let prover = Prover::new(&compiled.tree, &compiled.terms, words, compiled.options, budget);
        Memory { prover, legal: Vec::new(), ended: Vec::new() }
    }

    /// Sets the bits of the fluents that the roots derive, one root a shape.
    fn fluents_into(&mut self, code: Code<'_, C>, roots: &[OrId], out: &mut Row) -> Result<(), Exceeded> {
        for (shape, &root) in roots.iter().enumerate() {
            self.prover.prove_bits(code, root, Target::Fluents { shape }, out)?;
        }
        Ok(())
    }

    fn is_terminal(&mut self, compiled: &Compiled<C>, state: &Row) -> Result<bool, Exceeded> {
        self.prover.set_state(state);
        let Some(root) = compiled.tree.roots.terminal else { return Ok(false) };
        Ok(self.prover.prove(compiled.code(), root)?.len() > 0)
    }

    fn legal(
        &mut self,
        compiled: &Compiled<C>,
        state: &Row,
        role: RoleId,
        out: &mut Vec<MoveId>,
    ) -> Result<(), Exceeded> {
        out.clear();
        self.prover.set_state(state);
        self.legal.clear();
        self.legal.resize(compiled.vocabulary.move_count(role).div_ceil(64), 0);
        for (shape, &root) in compiled.tree.roots.legal[role.index()].iter().enumerate() {
            let target = Target::Moves { role: role.index(), shape };
            self.prover.prove_bits(compiled.code(), root, target, &mut self.legal)?;
        }
        out.extend(row::fluents(&self.legal).map(|FluentId(bit)| MoveId(bit)));
        Ok(())
    }

    fn next(
        &mut self,
        compiled: &Compiled<C>,
        state: &Row,
        joint: &[MoveId],
        out: &mut Row,
    ) -> Result<(), Exceeded> {
        out.fill(0);
        self.prover.set_state(state);
        self.prover.set_moves(joint);
        // What holds on is what held and does not end.
        for &(shape, root) in &compiled.tree.roots.ends {
            self.ended.clear();
            self.ended.resize(out.len(), 0);
            self.prover.prove_bits(compiled.code(), root, Target::Fluents { shape }, &mut self.ended)?;
            for span in &compiled.facts.fluents.bits[shape] {
                let at = span.word as usize;
                out[at] |= state[at] & span.mask & !self.ended[at];
            }
        }
        self.fluents_into(compiled.code(), &compiled.tree.roots.next, out)
    }

    fn goal(&mut self, compiled: &Compiled<C>, state: &Row, role: RoleId) -> Result<Option<Goal>, Exceeded> {
        self.prover.set_state(state);
        let answers = self.prover.prove(compiled.code(), compiled.tree.roots.goal[role.index()])?;
        Ok(match answers.len() {
            1 => compiled.facts.goals.get(&answers.answer(0)[0].number()).copied(),
            _ => None,
        })
    }

    /// Plays one game at random for at most so many moves, or until they take more than `most` steps of work, and
    /// asks for the goals at its end. Notes the states it went through.
    fn play(
        &mut self,
        compiled: &Compiled<C>,
        moves: usize,
        most: u64,
        states: &mut Vec<Vec<u64>>,
    ) -> Result<(), Exceeded> {
        let vocabulary = &compiled.vocabulary;
        let mut random = Random::new(1);
        let (mut state, mut next) = (compiled.initial.clone(), compiled.initial.clone());
        let (mut legal, mut joint) = (Vec::new(), Vec::new());
        while states.len() < moves {
            states.push(state.clone());
            let over = self.is_terminal(compiled, &state)?;
            joint.clear();
            for role in vocabulary.roles() {
                self.legal(compiled, &state, role, &mut legal)?;
                if !legal.is_empty() {
                    joint.push(legal[random.below(legal.len())]);
                }
            }
            if over || joint.len() < vocabulary.role_count() {
                break;
            }
            self.next(compiled, &state, &joint, &mut next)?;
            state.copy_from_slice(&next);
            if self.prover.work() > most {
                break;
            }
        }
        // Goals are asked for once a game.
        for role in vocabulary.roles() {
            self.goal(compiled, &state, role)?;
        }
        Ok(())
    }
}

impl<C: Cell> TreeWorker<C> {
    fn new(compiled: &Arc<Compiled<C>>) -> TreeWorker<C> {
        TreeWorker { memory: Memory::new(compiled, &compiled.budget), compiled: compiled.clone() }
    }

    /// The fault of a question that ran into a limit.
    fn fault(&self, question: Question, limit: Exceeded) -> Fault {
        Fault::new(NAME, limit, question, &self.compiled.vocabulary)
    }
}

impl<C: Cell> Worker for TreeWorker<C> {
    fn vocabulary(&self) -> &Vocabulary {
        &self.compiled.vocabulary
    }

    fn initial(&mut self, out: &mut Row) {
        out.copy_from_slice(&self.compiled.initial);
    }

    fn is_terminal(&mut self, state: &Row) -> Result<bool, Fault> {
        let answer = self.memory.is_terminal(&self.compiled, state);
        answer.map_err(|limit| self.fault(Question::Terminal, limit))
    }

    fn legal(&mut self, state: &Row, role: RoleId, out: &mut Vec<MoveId>) -> Result<(), Fault> {
        let answer = self.memory.legal(&self.compiled, state, role, out);
        answer.map_err(|limit| self.fault(Question::Legal(role), limit))
    }

    fn next(&mut self, state: &Row, joint: &[MoveId], out: &mut Row) -> Result<(), Fault> {
        let answer = self.memory.next(&self.compiled, state, joint, out);
        answer.map_err(|limit| self.fault(Question::Next, limit))
    }

    fn goal(&mut self, state: &Row, role: RoleId) -> Result<Option<Goal>, Fault> {
        let answer = self.memory.goal(&self.compiled, state, role);
        answer.map_err(|limit| self.fault(Question::Goal(role), limit))
    }

    fn obey(&mut self, budget: &Budget) {
        self.memory.prover.set_budget(&self.compiled.budget.obeying(budget));
    }
}
