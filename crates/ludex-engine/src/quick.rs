//! An engine that answers at once and grows faster.
//!
//! Building the fastest engine takes minutes for some games, while an interpreter is ready in under a second.
//! [`Quick`] begins with the interpreter. From the first move on, before which nobody needs speed, it lets the portfolio
//! ([`crate::auto`]) build the others on a thread of its own, and changes over to each that plays faster. All engines of a game number states and moves alike and list moves
//! in the same order, so who asks notices nothing but the speed, and what is chosen from lists does not depend on
//! when the change comes. A question that the engine at hand cannot answer within its limits waits for a better one, if one is still being built.
//!
//! Use it where a first answer is wanted soon; [`crate::auto::Portfolio`] where the best engine is worth waiting for. Random
//! playouts ([`Worker::playout`]) are those of the engine at hand: their sequence depends on the moment.

use crate::auto::{Candidate, Portfolio};
use crate::budget::{Budget, Cancel};
use crate::engine::{Engine, Goal, PlayoutBuffer, Worker};
use crate::error::BuildError;
use crate::fault::Fault;
use crate::prepared::{Interpreter, Prepared};
use crate::random::Random;
use crate::row::Row;
use crate::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex_gdl::rewrite::fnext::Encoding;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Whatever engine is fastest at the moment.
#[derive(Debug)]
pub struct Quick {
    shared: Arc<Shared>,
    vocabulary: Arc<Vocabulary>,
    /// Ends the building of others.
    cancel: Cancel,
}

/// What the building thread and the workers share.
#[derive(Debug)]
struct Shared {
    best: Mutex<Best>,
    changed: Condvar,
    /// Grows with every change of the engine, so that workers notice without a lock.
    version: AtomicUsize,
    /// The building of others, until it begins.
    build: Mutex<Option<Build>>,
    begun: AtomicBool,
}

/// What others are built from.
#[derive(Debug)]
struct Build {
    prepared: Arc<Prepared>,
    budget: Budget,
}

#[derive(Debug)]
struct Best {
    engine: Arc<dyn Engine>,
    states_per_second: f64,
    /// True until all others are built.
    building: bool,
}

impl Shared {
    fn new(best: Best, build: Option<Build>) -> Shared {
        Shared {
            best: Mutex::new(best),
            changed: Condvar::new(),
            version: AtomicUsize::new(0),
            build: Mutex::new(build),
            begun: AtomicBool::new(false),
        }
    }

    fn best(&self) -> MutexGuard<'_, Best> {
        // What is there is replaced as a whole, so a thread that died has left nothing half done.
        self.best.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to build others, if that has not begun.
    #[cold]
    fn begin(self: &Arc<Shared>) {
        let build = self.build.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.begun.store(true, Ordering::Relaxed);
        let Some(Build { prepared, budget }) = build else { return };
        let finished = Finished(self.clone());
        let build = move || {
            let mut offer = |candidate| finished.0.offer(candidate);
            // The first one is there, so that no other takes the game is no failure.
            let _ = Portfolio::new(&budget).choose_telling(&prepared, &mut offer);
        };
        // Where there is no thread to be had, the first engine must do.
        let _ = std::thread::Builder::new().name("quick".to_owned()).spawn(build);
    }

    /// Takes a candidate that was measured to be faster.
    fn offer(&self, candidate: Candidate) {
        let mut best = self.best();
        if candidate.states_per_second > best.states_per_second {
            best.states_per_second = candidate.states_per_second;
            if !Arc::ptr_eq(&candidate.engine, &best.engine) {
                best.engine = candidate.engine;
                self.version.fetch_add(1, Ordering::Release);
                self.changed.notify_all();
            }
        }
    }
}

/// Says that nothing more will come, also if the building panics.
struct Finished(Arc<Shared>);

impl Drop for Finished {
    fn drop(&mut self) {
        self.0.best().building = false;
        self.0.changed.notify_all();
    }
}

impl Quick {
    /// Builds the first engine that takes the game.
    pub fn new(prepared: &Arc<Prepared>, budget: &Budget) -> Result<Quick, BuildError> {
        let engine = first(prepared, budget)?;
        let vocabulary = engine.vocabulary().clone();
        let best = Best { engine, states_per_second: 0.0, building: true };
        let cancel = Cancel::default();
        let build = Build { prepared: prepared.clone(), budget: budget.clone().with_cancel(cancel.clone()) };
        let shared = Arc::new(Shared::new(best, Some(build)));
        Ok(Quick { shared, vocabulary, cancel })
    }

    /// Waits until all others are built.
    pub fn settle(&self) {
        self.shared.begin();
        let mut best = self.shared.best();
        while best.building {
            best = self.shared.changed.wait(best).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The engine that answers at the moment.
    pub fn current(&self) -> Arc<dyn Engine> {
        self.shared.best().engine.clone()
    }
}

/// The first engine that takes the game, by the time that their building takes.
fn first(prepared: &Prepared, budget: &Budget) -> Result<Arc<dyn Engine>, BuildError> {
    let interpreter = |kind| prepared.interpreter(kind, Encoding::Original, budget);
    let network = || prepared.propnet(budget).map(|engine| engine as Arc<dyn Engine>);
    let again = |error: &BuildError| !error.limit().is_some_and(|limit| limit.is_final());
    interpreter(Interpreter::Tree)
        .or_else(|error| if again(&error) { interpreter(Interpreter::Datalog) } else { Err(error) })
        .or_else(|error| if again(&error) { network() } else { Err(error) })
}

impl Drop for Quick {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Engine for Quick {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    fn memory_usage(&self) -> usize {
        self.current().memory_usage()
    }

    fn worker(&self) -> Box<dyn Worker> {
        let version = self.shared.version.load(Ordering::Acquire);
        let worker = self.current().worker();
        Box::new(QuickWorker { shared: self.shared.clone(), version, worker, obeyed: None })
    }
}

/// A worker of the engine that is fastest at the moment.
struct QuickWorker {
    shared: Arc<Shared>,
    /// The change that `worker` belongs to; it may belong to a later one already.
    version: usize,
    worker: Box<dyn Worker>,
    /// What was asked of the worker, for those that come after it.
    obeyed: Option<Budget>,
}

/// Who waits for a better engine looks so often at the own budget.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

impl QuickWorker {
    /// The worker to ask: of another engine, if there is a faster one by now.
    #[inline]
    fn current(&mut self) -> &mut dyn Worker {
        let version = self.shared.version.load(Ordering::Acquire);
        if version != self.version {
            self.change(version);
        }
        &mut *self.worker
    }

    #[cold]
    fn change(&mut self, version: usize) {
        let engine = self.shared.best().engine.clone();
        self.worker = engine.worker();
        if let Some(budget) = &self.obeyed {
            self.worker.obey(budget);
        }
        self.version = version;
    }

    /// Asks; after a fault again, as long as there comes a better engine.
    fn ask<T>(&mut self, mut question: impl FnMut(&mut dyn Worker) -> Result<T, Fault>) -> Result<T, Fault> {
        loop {
            match question(self.current()) {
                Err(fault) if !fault.limit().is_final() && self.is_relieved() => {}
                answer => return answer,
            }
        }
    }

    /// Waits for another engine; false if there comes none.
    #[cold]
    fn is_relieved(&self) -> bool {
        self.shared.begin();
        let mut best = self.shared.best();
        loop {
            if self.shared.version.load(Ordering::Acquire) != self.version {
                return true;
            }
            if !best.building || self.obeyed.as_ref().is_some_and(|budget| budget.check().is_err()) {
                return false;
            }
            let waited = self.shared.changed.wait_timeout(best, BETWEEN_LOOKS);
            best = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Worker for QuickWorker {
    fn vocabulary(&self) -> &Vocabulary {
        self.worker.vocabulary()
    }

    fn initial(&mut self, out: &mut Row) {
        self.current().initial(out);
    }

    fn is_terminal(&mut self, state: &Row) -> Result<bool, Fault> {
        self.ask(|worker| worker.is_terminal(state))
    }

    fn legal(&mut self, state: &Row, role: RoleId, out: &mut Vec<MoveId>) -> Result<(), Fault> {
        self.ask(|worker| worker.legal(state, role, out))
    }

    fn next(&mut self, state: &Row, joint: &[MoveId], out: &mut Row) -> Result<(), Fault> {
        if !self.shared.begun.load(Ordering::Relaxed) {
            self.shared.begin();
        }
        self.ask(|worker| worker.next(state, joint, out))
    }

    fn goal(&mut self, state: &Row, role: RoleId) -> Result<Option<Goal>, Fault> {
        self.ask(|worker| worker.goal(state, role))
    }

    fn obey(&mut self, budget: &Budget) {
        self.obeyed = Some(budget.clone());
        self.worker.obey(budget);
    }

    fn playout(
        &mut self,
        state: &mut Row,
        most: usize,
        random: &mut Random,
        buffer: &mut PlayoutBuffer,
    ) -> Result<usize, Fault> {
        if !self.shared.begun.load(Ordering::Relaxed) {
            self.shared.begin();
        }
        self.current().playout(state, most, random, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::{Best, Quick, Shared};
    use crate::auto::Candidate;
    use crate::budget::{Budget, Exceeded};
    use crate::datalog::Datalog;
    use crate::engine::{Engine, Goal, Worker};
    use crate::fault::{Fault, Question};
    use crate::prepared::Prepared;
    use crate::random::Random;
    use crate::row::Row;
    use crate::vocabulary::{MoveId, RoleId, Vocabulary};
    use ludex_gdl::rewrite::fnext::Encoding;
    use ludex_gdl::{Game, Sheet};
    use std::sync::Arc;

    /// Two who take turns to take one or two of seven.
    const TAKING: &str = "(role a) (role b) (init (left 7)) (init (turn a))
        (less 7 1 6) (less 6 1 5) (less 5 1 4) (less 4 1 3) (less 3 1 2) (less 2 1 1) (less 1 1 0)
        (<= (less ?x 2 ?z) (less ?x 1 ?y) (less ?y 1 ?z))
        (other a b) (other b a)
        (<= (legal ?r (take ?n)) (true (turn ?r)) (true (left ?x)) (less ?x ?n ?y))
        (<= (legal ?r wait) (true (turn ?o)) (other ?r ?o))
        (<= (next (left ?y)) (does ?r (take ?n)) (true (left ?x)) (less ?x ?n ?y))
        (<= (next (turn ?o)) (true (turn ?r)) (other ?r ?o))
        (<= terminal (true (left 0)))
        (<= (goal ?r 0) (true (turn ?r)) (true (left 0)))
        (<= (goal ?r 100) (true (turn ?o)) (other ?r ?o) (true (left 0)))";

    fn game() -> Game {
        Sheet::read(TAKING).into_game().expect("a sound sheet")
    }

    /// The joint moves of a match that are drawn from the lists of legal moves, and the goals at its end.
    fn played(worker: &mut dyn Worker, seed: u64) -> (Vec<Vec<MoveId>>, Vec<Option<Goal>>) {
        let mut random = Random::new(seed);
        let roles: Vec<RoleId> = worker.vocabulary().roles().collect();
        let mut state = vec![0; worker.vocabulary().words()];
        let (mut next, mut legal, mut joints) = (state.clone(), Vec::new(), Vec::new());
        worker.initial(&mut state);
        while !worker.is_terminal(&state).expect("no limit is met") {
            let mut joint = Vec::new();
            for &role in &roles {
                worker.legal(&state, role, &mut legal).expect("no limit is met");
                joint.push(legal[random.below(legal.len())]);
            }
            worker.next(&state, &joint, &mut next).expect("no limit is met");
            std::mem::swap(&mut state, &mut next);
            joints.push(joint);
        }
        let goals = roles.iter().map(|&role| worker.goal(&state, role).expect("no limit is met"));
        (joints, goals.collect())
    }

    #[test]
    fn it_changes_over_and_plays_the_same_match_before_and_after() {
        let quick = Quick::new(&Arc::new(Prepared::new(game())), &Budget::default()).expect("small");
        let reference = Datalog::new(&game(), &Budget::default()).expect("small");
        let mut worker = quick.worker();
        for seed in 0..20 {
            // In the middle, so that some matches are played before the change and some after it.
            if seed == 10 {
                quick.settle();
            }
            assert_eq!(played(&mut *worker, seed), played(&mut *reference.worker(), seed), "seed {seed}");
        }
        assert_eq!(quick.current().name(), "propnet");
    }

    /// An engine that can answer nothing.
    #[derive(Debug)]
    struct Mute(Arc<Vocabulary>);

    struct MuteWorker(Arc<Vocabulary>);

    impl Engine for Mute {
        fn name(&self) -> &'static str {
            "mute"
        }

        fn vocabulary(&self) -> &Arc<Vocabulary> {
            &self.0
        }

        fn memory_usage(&self) -> usize {
            0
        }

        fn worker(&self) -> Box<dyn Worker> {
            Box::new(MuteWorker(self.0.clone()))
        }
    }

    impl MuteWorker {
        fn fault<T>(&self, question: Question) -> Result<T, Fault> {
            Err(Fault::new("mute", Exceeded::Steps(1), question, &self.0))
        }
    }

    impl Worker for MuteWorker {
        fn vocabulary(&self) -> &Vocabulary {
            &self.0
        }

        fn initial(&mut self, out: &mut Row) {
            out.fill(0);
        }

        fn is_terminal(&mut self, _: &Row) -> Result<bool, Fault> {
            self.fault(Question::Terminal)
        }

        fn legal(&mut self, _: &Row, role: RoleId, _: &mut Vec<MoveId>) -> Result<(), Fault> {
            self.fault(Question::Legal(role))
        }

        fn next(&mut self, _: &Row, _: &[MoveId], _: &mut Row) -> Result<(), Fault> {
            self.fault(Question::Next)
        }

        fn goal(&mut self, _: &Row, role: RoleId) -> Result<Option<Goal>, Fault> {
            self.fault(Question::Goal(role))
        }
    }

    #[test]
    fn a_question_beyond_the_limits_waits_for_a_better_engine_while_one_is_built() {
        let reference = Arc::new(Datalog::new(&game(), &Budget::default()).expect("small"));
        let vocabulary = reference.vocabulary().clone();
        for building in [true, false] {
            let best = Best { engine: Arc::new(Mute(vocabulary.clone())), states_per_second: 0.0, building };
            let shared = Arc::new(Shared::new(best, None));
            let quick = Quick {
                shared: shared.clone(),
                vocabulary: vocabulary.clone(),
                cancel: crate::budget::Cancel::default(),
            };
            let mut worker = quick.worker();
            let state = vec![0; vocabulary.words()];
            std::thread::scope(|scope| {
                let asked = scope.spawn(move || worker.is_terminal(&state));
                if building {
                    let (engine, encoding) = (reference.clone(), Encoding::Original);
                    shared.offer(Candidate { engine, encoding, states_per_second: 1.0 });
                }
                let answer = asked.join().expect("no panic");
                // Nothing is left of no state, so the game goes on there.
                assert_eq!(answer.ok(), building.then_some(false));
            });
        }
    }
}
