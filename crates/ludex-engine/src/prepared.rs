//! A game with what has been made for it, each thing once.
//!
//! Judge, players, prover and regression all begin with the same numbering of fluents and moves, and most of them with
//! the same engines, whose making takes most of the time of large games. [`Prepared`] makes each when somebody first asks
//! and hands the same one to everybody else, on any thread; who asks while it is being made waits for it.
//!
//! Only what succeeded is kept, and what would fail again: a failure by rows or steps is the rules' and stays one for
//! budgets that are no wider; where time, memory or a token ended the work, whoever asks next tries again. An engine
//! answers questions within the rows and steps of the budget that it was made with.

use crate::budget::{Budget, Exceeded};
use crate::datalog::Datalog;
use crate::engine::Engine;
use crate::error::BuildError;
use crate::frontend::Base;
use crate::outputs::Outputs;
use crate::propnet::{Compiled, Propnet, compile_for, compile_from};
use crate::tree::{Options, Tree};
use crate::vocabulary::Vocabulary;
use ludex_gdl::Game;
use ludex_gdl::rewrite::fnext::{Encoding, encode};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The rules of a game, its vocabulary, its network and its engines.
#[derive(Debug)]
pub struct Prepared {
    game: Arc<Game>,
    /// The rules translated for the frame problem, where there is something to translate.
    translated: Kept<Option<Arc<Game>>>,
    vocabulary: Kept<Arc<Vocabulary>>,
    base: Kept<Arc<Base>>,
    network: Network,
    /// Networks with other outputs, those that were asked for last.
    others: Mutex<VecDeque<(Outputs, Network)>>,
    propnet: Kept<Arc<Propnet>>,
    /// By kind, as written and translated.
    interpreters: [[Kept<Arc<dyn Engine>>; 2]; 2],
    fillings: AtomicUsize,
    groundings: AtomicUsize,
}

/// A network and who makes it, shared by those who wait for it.
type Network = Arc<Kept<Arc<Compiled>>>;

/// So many networks with other outputs than the usual ones are kept.
const MOST_OTHERS: usize = 4;

/// A kind of interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpreter {
    /// The OR-AND tree.
    Tree,
    /// The reference.
    Datalog,
}

impl Interpreter {
    /// The name by which users choose it.
    pub fn name(self) -> &'static str {
        match self {
            Interpreter::Tree => "tree",
            Interpreter::Datalog => "datalog",
        }
    }
}

impl Prepared {
    /// Nothing is made yet.
    pub fn new(game: impl Into<Arc<Game>>) -> Prepared {
        Prepared {
            game: game.into(),
            translated: Kept::default(),
            vocabulary: Kept::default(),
            base: Kept::default(),
            network: Network::default(),
            others: Mutex::default(),
            propnet: Kept::default(),
            interpreters: Default::default(),
            fillings: AtomicUsize::new(0),
            groundings: AtomicUsize::new(0),
        }
    }

    /// The rules.
    pub fn game(&self) -> &Arc<Game> {
        &self.game
    }

    /// The rules translated for the frame problem; `None` if there is nothing to translate, or no time to.
    pub fn translated(&self, budget: &Budget) -> Option<Arc<Game>> {
        let translated = self.translated.get(budget, || {
            let translated = encode(&self.game, Encoding::Relevant, &[], budget);
            // What ran out of time is not translated, which says nothing about the rules.
            budget.check()?;
            Ok(translated.frame.is_some().then(|| Arc::new(translated)))
        });
        translated.ok().flatten()
    }

    /// The numbering of roles, fluents and moves.
    pub fn vocabulary(&self, budget: &Budget) -> Result<Arc<Vocabulary>, BuildError> {
        self.vocabulary.get(budget, || Ok(Arc::new(Vocabulary::new(&self.game, budget)?)))
    }

    /// The flat rules with what depends on neither state nor moves, for play and for proofs about the goals.
    pub(crate) fn base(&self, budget: &Budget) -> Result<Arc<Base>, BuildError> {
        self.base.get(budget, || {
            let vocabulary = self.vocabulary(budget)?;
            self.fillings.fetch_add(1, Ordering::Relaxed);
            Ok(Arc::new(Base::new(&self.game, &Outputs::usual(&self.game), vocabulary.terms(), budget)?))
        })
    }

    /// The network.
    pub fn network(&self, budget: &Budget) -> Result<Arc<Compiled>, BuildError> {
        self.network.get(budget, || {
            let (vocabulary, base) = (self.vocabulary(budget)?, self.base(budget)?);
            self.groundings.fetch_add(1, Ordering::Relaxed);
            Ok(Arc::new(compile_from(&base, &self.game, &vocabulary, budget)?))
        })
    }

    /// A network with at least these outputs: the one that everybody shares, where it has them and is there or goals are
    /// wanted; else one of its own, which is kept for the next one who asks for the same.
    pub fn network_for(&self, outputs: &Outputs, budget: &Budget) -> Result<Arc<Compiled>, BuildError> {
        let usual = Outputs::usual(&self.game);
        let is_usual = outputs.relations.iter().all(|relation| usual.relations.contains(relation));
        if is_usual && (outputs.goals || !outputs.relations.is_empty() || self.network.is_made()) {
            return self.network(budget);
        }
        self.other(outputs).get(budget, || {
            let vocabulary = self.vocabulary(budget)?;
            self.groundings.fetch_add(1, Ordering::Relaxed);
            Ok(Arc::new(compile_for(&self.game, &vocabulary, outputs, budget)?))
        })
    }

    /// The place of a network with outputs of its own; the one that was asked for longest ago makes room.
    fn other(&self, outputs: &Outputs) -> Network {
        let mut relations = outputs.relations.clone();
        relations.sort_unstable();
        relations.dedup();
        let outputs = Outputs { relations, ..*outputs };
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let known = others.iter().position(|(other, _)| *other == outputs);
        let kept = known.and_then(|at| others.remove(at)).map(|(_, kept)| kept).unwrap_or_default();
        others.push_back((outputs, kept.clone()));
        if others.len() > MOST_OTHERS {
            others.pop_front();
        }
        kept
    }

    /// The network compiled for speed.
    pub fn propnet(&self, budget: &Budget) -> Result<Arc<Propnet>, BuildError> {
        self.propnet.get(budget, || {
            let compiled = self.network(budget)?;
            Ok(Arc::new(Propnet::of((*compiled).clone(), budget)?))
        })
    }

    /// An interpreter of the rules as written, or translated where there is something to translate.
    pub fn interpreter(
        &self,
        kind: Interpreter,
        encoding: Encoding,
        budget: &Budget,
    ) -> Result<Arc<dyn Engine>, BuildError> {
        let is_translated = encoding != Encoding::Original;
        let translated = if is_translated { self.translated(budget) } else { None };
        let rules = translated.as_ref().unwrap_or(&self.game);
        self.interpreters[kind as usize][usize::from(is_translated)].get(budget, || {
            let vocabulary = self.vocabulary(budget)?;
            Ok(match kind {
                Interpreter::Tree => Arc::new(Tree::over(rules, vocabulary, Options::default(), budget)?),
                Interpreter::Datalog if translated.is_none() => {
                    Arc::new(Datalog::from_base(&*self.base(budget)?, rules, &vocabulary, budget)?)
                }
                Interpreter::Datalog => Arc::new(Datalog::over(rules, &vocabulary, budget)?),
            })
        })
    }

    /// How often the tables of what depends on neither state nor moves have been filled.
    pub fn fillings(&self) -> usize {
        self.fillings.load(Ordering::Relaxed)
    }

    /// How often the rules have been written out without variables.
    pub fn groundings(&self) -> usize {
        self.groundings.load(Ordering::Relaxed)
    }
}

/// Something that is made once.
#[derive(Debug)]
struct Kept<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
enum State<T> {
    Open,
    /// A thread is at it.
    Making,
    Made(T),
    /// It cannot be made within so many rows and steps.
    Failed(BuildError, usize, u64),
}

impl<T> Default for Kept<T> {
    fn default() -> Kept<T> {
        Kept { state: Mutex::new(State::Open), changed: Condvar::new() }
    }
}

/// Who waits for another thread looks so often at the own budget.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

impl<T: Clone> Kept<T> {
    /// What was made, or is made now.
    fn get(&self, budget: &Budget, make: impl FnOnce() -> Result<T, BuildError>) -> Result<T, BuildError> {
        let mut state = self.lock();
        loop {
            match &*state {
                State::Made(value) => return Ok(value.clone()),
                State::Failed(error, rows, steps) if budget.rows() <= *rows && budget.steps() <= *steps => {
                    return Err(error.clone());
                }
                State::Open | State::Failed(..) => break,
                State::Making => {}
            }
            budget.check()?;
            let waited = self.changed.wait_timeout(state, BETWEEN_LOOKS);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *state = State::Making;
        drop(state);
        let mut making = Making(self, State::Open);
        let made = make();
        making.1 = match &made {
            Ok(value) => State::Made(value.clone()),
            Err(error) if error.limit().is_some_and(Exceeded::is_final) => State::Open,
            Err(error) => State::Failed(error.clone(), budget.rows(), budget.steps()),
        };
        made
    }

    fn is_made(&self) -> bool {
        matches!(*self.lock(), State::Made(_))
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // States are replaced as a whole, so a thread that died has left nothing half done.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The work of one thread; whatever becomes of it, also if it panics, those who wait go on.
struct Making<'k, T: Clone>(&'k Kept<T>, State<T>);

impl<T: Clone> Drop for Making<'_, T> {
    fn drop(&mut self) {
        *self.0.lock() = std::mem::replace(&mut self.1, State::Open);
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::{Interpreter, Kept, Prepared};
    use crate::budget::{Budget, Cancel, Exceeded};
    use crate::error::BuildError;
    use crate::outputs::Outputs;
    use crate::symmetry::Symmetries;
    use ludex_gdl::rewrite::fnext::Encoding;
    use ludex_gdl::{Keyword, Sheet};
    use std::sync::Arc;

    fn prepared() -> Prepared {
        let text = "(role a) (init (at 0)) (legal a go) (after 0 1) (after 1 2)
            (<= (next (at ?y)) (true (at ?x)) (after ?x ?y)) (<= terminal (true (at 2))) (goal a 50)";
        Prepared::new(Sheet::read(text).into_game().expect("a sound sheet"))
    }

    #[test]
    fn everybody_gets_the_same_and_it_is_made_once() {
        let (prepared, budget) = (prepared(), Budget::default());
        let all: Vec<_> = std::thread::scope(|scope| {
            let ask = || prepared.network(&budget).expect("small");
            let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            asked.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(all.iter().all(|network| Arc::ptr_eq(network, &all[0])));
        assert!(Arc::ptr_eq(&all[0].vocabulary, &prepared.vocabulary(&budget).expect("small")));
        prepared.propnet(&budget).expect("small");
        assert_eq!(prepared.groundings(), 1);
    }

    #[test]
    fn static_tables_are_filled_once_for_all_engines_and_symmetries() {
        let (prepared, budget) = (prepared(), Budget::default());
        let datalog = prepared.interpreter(Interpreter::Datalog, Encoding::Original, &budget);
        let (datalog, network) = (datalog.expect("small"), prepared.network(&budget).expect("small"));
        Symmetries::of(&prepared, &budget).expect("small");
        assert_eq!((prepared.fillings(), prepared.groundings()), (1, 1));
        // They begin where engines begin that are made by themselves.
        let mut initial = vec![0; network.vocabulary.words()];
        datalog.worker().initial(&mut initial);
        assert_eq!(initial, network.initial);
    }

    #[test]
    fn networks_for_other_relations_are_kept_as_long_as_they_are_few() {
        let (prepared, budget) = (prepared(), Budget::default());
        let rules = &prepared.game().rules;
        let after = rules.relations().find(|&id| rules.symbols.name(rules.relation(id).name) == "after");
        let legal = rules.keyword(Keyword::Legal);
        let after = after.expect("a relation of the sheet");
        let asked = |goals, relations: &[_]| {
            let outputs = Outputs { goals, relations: relations.to_vec() };
            prepared.network_for(&outputs, &budget).expect("small")
        };
        let first = asked(false, &[after, legal]);
        // The order in which they are named does not matter.
        assert!(Arc::ptr_eq(&first, &asked(false, &[legal, after])));
        assert_eq!(prepared.groundings(), 1);
        let all =
            [asked(false, &[after]), asked(false, &[legal]), asked(true, &[after]), asked(true, &[legal])];
        assert_eq!(prepared.groundings(), 5);
        assert!(Arc::ptr_eq(&all[3], &asked(true, &[legal])));
        assert!(!Arc::ptr_eq(&first, &asked(false, &[after, legal])), "four others came after it");
        assert_eq!(prepared.groundings(), 6);
    }

    #[test]
    fn what_fails_by_rows_is_not_tried_again_but_within_a_wider_budget() {
        let prepared = prepared();
        let narrow = Budget::default().with_rows(1);
        for _ in 0..2 {
            let error = prepared.network(&narrow).expect_err("two fluents");
            assert_eq!(error.limit(), Some(Exceeded::Rows(1)));
        }
        assert!(prepared.network(&Budget::default()).is_ok());
        // What is there is there for everybody.
        assert!(prepared.network(&narrow).is_ok());
    }

    #[test]
    fn failures_of_the_caller_are_not_kept_and_those_of_the_rules_are() {
        let (kept, budget) = (Kept::default(), Budget::default());
        let failing = |limit: Exceeded| move || Err::<u32, _>(BuildError::from(limit));
        assert!(kept.get(&budget, failing(Exceeded::Cancelled)).is_err());
        assert!(kept.get(&budget, failing(Exceeded::Steps(5))).is_err());
        assert!(kept.get(&budget, || Ok(1)).is_err());
        assert_eq!(kept.get(&budget.clone().with_steps(u64::MAX), || Ok(2)), Ok(2));
        assert_eq!(kept.get(&budget, || Ok(3)), Ok(2));
    }

    #[test]
    fn who_waits_can_be_called_off() {
        let (kept, cancel) = (Kept::default(), Cancel::default());
        cancel.cancel();
        let waiting = Budget::default().with_cancel(cancel);
        let made = kept.get(&Budget::default(), || {
            // Somebody else asks while this is being made.
            let other = kept.get(&waiting, || Ok(1));
            assert_eq!(other.expect_err("called off").limit(), Some(Exceeded::Cancelled));
            Ok(2)
        });
        assert_eq!(made, Ok(2));
    }
}
