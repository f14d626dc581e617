//! The SAT solver, with the limits of a proof.
//!
//! A thin layer over `batsat`: literals of gates with constants folded, assumptions, cores, and a budget that
//! several solvers of one proof share. Nothing else in the crate knows which solver it is.

use batsat::{Callbacks, SolverInterface, lbool};
use hashbrown::HashMap;
use ludex_engine::budget::{Budget, Exceeded, Meter};
use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

pub use batsat::Lit;

/// What a solver knows of its limits while it searches.
struct Watch {
    budget: Budget,
    calls: Cell<u64>,
    /// Decisions until it pauses, and what is asked whether it should.
    left: Cell<u64>,
    pause: Option<Box<dyn Fn() -> bool>>,
    /// Once it is over it stays so: the solver asks again between two restarts.
    over: Rc<Cell<Option<Exceeded>>>,
    own: Rc<Cell<usize>>,
}

/// What a clause costs beside its literals: header, two watches, its place in the list.
const CLAUSE_BYTES: usize = 48;
/// What a variable costs.
const VARIABLE_BYTES: usize = 120;
/// A clause takes as long as some tens of steps elsewhere, and what folds to a constant as long as some.
const TICKS_A_CLAUSE: u64 = 32;
const TICKS_A_STEP: u64 = 8;
/// The budget is looked at once in so many decisions: in a large formula one takes milliseconds.
const DECISIONS_A_LOOK: u64 = 8;

impl Callbacks for Watch {
    fn on_new_clause(&mut self, clause: &[Lit], _: batsat::clause::Kind) {
        let bytes = CLAUSE_BYTES + 4 * clause.len();
        hold(&self.budget, &self.own, bytes);
    }

    fn on_delete_clause(&mut self, clause: &[Lit]) {
        let bytes = CLAUSE_BYTES + 4 * clause.len();
        let bytes = bytes.min(self.own.get());
        self.own.set(self.own.get() - bytes);
        self.budget.release(bytes);
    }

    fn stop(&self) -> bool {
        // The clock is read once in so many decisions.
        let calls = self.calls.get().wrapping_add(1);
        self.calls.set(calls);
        self.left.set(self.left.get().saturating_sub(1));
        if calls.is_multiple_of(DECISIONS_A_LOOK) && self.over.get().is_none() {
            self.over.set(self.budget.check().err());
            if self.pause.as_ref().is_some_and(|pause| pause()) {
                self.left.set(0);
            }
        }
        self.over.get().is_some() || self.left.get() == 0
    }
}

/// Counts bytes that a solver takes. Whether they are too many shows at the next look.
fn hold(budget: &Budget, own: &Cell<usize>, bytes: usize) {
    own.set(own.get() + bytes);
    let _ = budget.hold(bytes);
}

/// Of so many literals the pairs are written one by one.
const FEW_LITERALS: usize = 4;

/// The answer of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is a model; [`Solver::value`] reads it.
    Satisfiable,
    /// There is none; [`Solver::is_to_blame`] says which assumptions are to blame.
    Unsatisfiable,
}

/// A solver with gates. When its budget is used up while clauses are written it takes no more of them, so that whoever
/// writes them is soon done, and every answer is the limit that was met.
pub struct Solver {
    inner: batsat::Solver<Watch>,
    meter: Meter,
    over: Rc<Cell<Option<Exceeded>>>,
    own: Rc<Cell<usize>>,
    truth: Lit,
    gates: HashMap<(Lit, Lit), Lit>,
    buffer: Vec<Lit>,
}

impl fmt::Debug for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Solver({} variables, {} clauses)", self.inner.num_vars(), self.inner.num_clauses())
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        self.meter.budget().release(self.own.get());
    }
}

impl Solver {
    /// A solver without clauses.
    pub fn new(budget: &Budget) -> Solver {
        let own = Rc::new(Cell::new(0));
        let over = Rc::new(Cell::new(None));
        let left = Cell::new(u64::MAX);
        let watch = Watch {
            budget: budget.clone(),
            calls: Cell::new(0),
            left,
            pause: None,
            over: over.clone(),
            own: own.clone(),
        };
        let mut inner = batsat::Solver::new(batsat::SolverOpts::default(), watch);
        let truth = Lit::new(inner.new_var_default(), true);
        inner.add_clause_reuse(&mut vec![truth]);
        let meter = budget.clock();
        Solver { inner, meter, over, own, truth, gates: HashMap::new(), buffer: Vec::new() }
    }

    /// The literal that is always true.
    pub fn truth(&self) -> Lit {
        self.truth
    }

    /// The literal that is always true, or its negation.
    pub fn constant(&self, value: bool) -> Lit {
        if value { self.truth } else { !self.truth }
    }

    /// The value of a literal that is a constant.
    pub fn known(&self, lit: Lit) -> Option<bool> {
        (lit.var() == self.truth.var()).then_some(lit == self.truth)
    }

    /// Counts a step of writing clauses that may need none; false if the budget is used up.
    pub(crate) fn step(&mut self) -> bool {
        if self.over.get().is_none() {
            self.over.set(self.meter.tick_by(TICKS_A_STEP).err());
        }
        self.over.get().is_none()
    }

    /// Counts what is about to be added; false if there is no room for anything more.
    fn charge(&mut self, bytes: usize) -> bool {
        if self.over.get().is_none() {
            hold(self.meter.budget(), &self.own, bytes);
            self.over.set(self.meter.tick_by(TICKS_A_CLAUSE).err());
        }
        self.over.get().is_none()
    }

    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        if !self.charge(VARIABLE_BYTES) {
            return self.truth;
        }
        Lit::new(self.inner.new_var_default(), true)
    }

    /// Adds a clause.
    pub fn clause(&mut self, literals: impl IntoIterator<Item = Lit>) {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend(literals);
        if self.charge(CLAUSE_BYTES + 4 * buffer.len()) {
            // A contradiction shows in the next answer.
            let _ = self.inner.add_clause_reuse(&mut buffer);
        }
        self.buffer = buffer;
    }

    /// The conjunction of two literals.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match (self.known(a), self.known(b)) {
            (Some(false), _) | (_, Some(false)) => return !self.truth,
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            _ => {}
        }
        if a == b {
            return a;
        }
        if a == !b {
            return !self.truth;
        }
        if let Some(&gate) = self.gates.get(&(a, b)) {
            return gate;
        }
        if self.over.get().is_some() {
            return self.truth;
        }
        let gate = self.fresh();
        self.clause([!gate, a]);
        self.clause([!gate, b]);
        self.clause([gate, !a, !b]);
        self.gates.insert((a, b), gate);
        gate
    }

    /// The disjunction of two literals.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// The conjunction of all, as one gate.
    pub fn and_all(&mut self, literals: impl IntoIterator<Item = Lit>) -> Lit {
        let mut list: Vec<Lit> = literals.into_iter().filter(|&lit| lit != self.truth).collect();
        list.sort_unstable();
        list.dedup();
        if list.contains(&!self.truth) || list.windows(2).any(|pair| pair[0] == !pair[1]) {
            return !self.truth;
        }
        match list.as_slice() {
            [] => self.truth,
            [only] => *only,
            [a, b] => self.and(*a, *b),
            _ => {
                let gate = self.fresh();
                for &lit in &list {
                    self.clause([!gate, lit]);
                }
                self.clause(list.iter().map(|&lit| !lit).chain([gate]));
                gate
            }
        }
    }

    /// The disjunction of all, as one gate.
    pub fn or_all(&mut self, literals: impl IntoIterator<Item = Lit>) -> Lit {
        let negated: Vec<Lit> = literals.into_iter().map(|lit| !lit).collect();
        !self.and_all(negated)
    }

    /// For each number from 1 to `most` a literal that says that at least so many of the literals are true.
    pub fn at_least(&mut self, literals: impl IntoIterator<Item = Lit>, most: usize) -> Vec<Lit> {
        let list: Vec<Lit> = literals.into_iter().filter(|&lit| self.known(lit) != Some(false)).collect();
        if most == 2 {
            return vec![self.or_all(list.iter().copied()), self.at_least_two(&list)];
        }
        let mut counts = vec![!self.truth; most];
        for lit in list {
            for number in (0..most).rev() {
                let below = if number == 0 { self.truth } else { counts[number - 1] };
                let grown = self.and(lit, below);
                counts[number] = self.or(counts[number], grown);
            }
        }
        counts
    }

    /// That two of the literals are true: laid out in a square, two of its rows are then occupied or two of its
    /// columns. Takes two clauses a literal, where counting takes nine; groups of hundreds of fluents are common.
    fn at_least_two(&mut self, list: &[Lit]) -> Lit {
        if list.len() <= FEW_LITERALS {
            let mut pairs = Vec::new();
            for (at, &a) in list.iter().enumerate() {
                for &b in &list[at + 1..] {
                    pairs.push(self.and(a, b));
                }
            }
            return self.or_all(pairs);
        }
        let side = list.len().isqrt() + usize::from(list.len().isqrt().pow(2) < list.len());
        let rows: Vec<Lit> = list.chunks(side).map(|row| self.or_all(row.iter().copied())).collect();
        let columns: Vec<Lit> =
            (0..side).map(|at| self.or_all(list.iter().copied().skip(at).step_by(side))).collect();
        let (rows, columns) = (self.at_least_two(&rows), self.at_least_two(&columns));
        self.or(rows, columns)
    }

    /// That the weights of those literals that are true add up to `enough` or more. Takes a gate or two for each
    /// literal and each sum that those before it can have: for short lists of small weights.
    pub fn weighs(&mut self, list: &[(Lit, u32)], enough: u64) -> Lit {
        // Back from the end: for each sum that is still missing, whether the literals from here on have it.
        let mut missing: Vec<Vec<u64>> = vec![vec![enough]];
        for &(_, weight) in list {
            let last = &missing[missing.len() - 1];
            let mut next: Vec<u64> =
                last.iter().flat_map(|&sum| [sum, sum.saturating_sub(u64::from(weight))]).collect();
            next.sort_unstable();
            next.dedup();
            missing.push(next);
        }
        let mut from_here: HashMap<u64, Lit> = HashMap::new();
        for sum in missing.pop().unwrap_or_default() {
            from_here.insert(sum, self.constant(sum == 0));
        }
        for (&(lit, weight), sums) in list.iter().zip(missing).rev() {
            let later = from_here;
            from_here = HashMap::new();
            for sum in sums {
                let (with, without) = (later[&sum.saturating_sub(u64::from(weight))], later[&sum]);
                let (taken, left) = (self.and(lit, with), self.and(!lit, without));
                from_here.insert(sum, self.or(taken, left));
            }
        }
        from_here.get(&enough).copied().unwrap_or(!self.truth)
    }

    /// Searches for a model in which the assumptions hold.
    pub fn solve(&mut self, assumptions: &[Lit]) -> Result<Outcome, Exceeded> {
        let answer = self.search(assumptions, u64::MAX, None)?;
        answer.map_or_else(|| Err(self.over.get().expect("the solver gives up only where it is told to")), Ok)
    }

    /// The same for at most so many decisions, and while `pause` does not say that it is time to do something else: `None`.
    /// What was learnt is kept, so that the next try goes on from there.
    pub fn solve_for(
        &mut self,
        assumptions: &[Lit],
        decisions: u64,
        pause: Box<dyn Fn() -> bool>,
    ) -> Result<Option<Outcome>, Exceeded> {
        let answer = self.search(assumptions, decisions, Some(pause));
        self.inner.cb_mut().pause = None;
        answer
    }

    fn search(
        &mut self,
        assumptions: &[Lit],
        decisions: u64,
        pause: Option<Box<dyn Fn() -> bool>>,
    ) -> Result<Option<Outcome>, Exceeded> {
        let watch = self.inner.cb_mut();
        watch.left.set(decisions);
        watch.pause = pause;
        if self.over.get().is_none() {
            self.over.set(self.meter.budget().check().err());
        }
        if let Some(limit) = self.over.get() {
            return Err(limit);
        }
        let answer = self.inner.solve_limited(assumptions);
        if answer == lbool::TRUE {
            Ok(Some(Outcome::Satisfiable))
        } else if answer == lbool::FALSE {
            Ok(Some(Outcome::Unsatisfiable))
        } else {
            self.over.get().map_or(Ok(None), Err)
        }
    }

    /// Decisions of all searches so far, roughly.
    pub fn decisions(&self) -> u64 {
        self.inner.cb().calls.get()
    }

    /// The value of a literal in the model that was found last. What the model leaves open is false.
    pub fn value(&self, lit: Lit) -> bool {
        self.inner.value_lit(lit) == lbool::TRUE
    }

    /// True if the assumption plays a part in the contradiction that was found last.
    pub fn is_to_blame(&self, assumption: Lit) -> bool {
        self.inner.unsat_core_contains_lit(assumption) || self.inner.unsat_core_contains_lit(!assumption)
    }
}

#[cfg(test)]
mod tests {
    use super::{Budget, Exceeded, Lit, Outcome, Solver};
    use std::time::Duration;

    /// For every assignment of some literals the counts are forced to what counting by hand gives.
    #[test]
    fn counts_are_those_of_every_assignment() {
        for size in 0..=10usize {
            let mut solver = Solver::new(&Budget::default());
            let list: Vec<Lit> = (0..size).map(|_| solver.fresh()).collect();
            for most in 1..=3 {
                let counts = solver.at_least(list.iter().copied(), most);
                for assignment in 0..1usize << size {
                    let mut assumptions: Vec<Lit> = (0..size)
                        .map(|at| if assignment >> at & 1 == 1 { list[at] } else { !list[at] })
                        .collect();
                    for (below, &count) in counts.iter().enumerate() {
                        let reached = assignment.count_ones() as usize > below;
                        assumptions.push(if reached { !count } else { count });
                        assert_eq!(solver.solve(&assumptions), Ok(Outcome::Unsatisfiable), "{size} {most}");
                        assumptions.pop();
                    }
                    assert_eq!(solver.solve(&assumptions), Ok(Outcome::Satisfiable));
                }
            }
        }
    }

    /// The same for weights, with sums that several subsets have and one that none reaches.
    #[test]
    fn weights_are_those_of_every_assignment() {
        let weights = [3u32, 1, 0, 5, 2, 2, 1];
        for enough in 0..=15u64 {
            let mut solver = Solver::new(&Budget::default());
            let list: Vec<(Lit, u32)> = weights.iter().map(|&weight| (solver.fresh(), weight)).collect();
            let weighs = solver.weighs(&list, enough);
            for assignment in 0..1usize << list.len() {
                let on = |at: usize| assignment >> at & 1 == 1;
                let mut assumptions: Vec<Lit> =
                    list.iter().enumerate().map(|(at, &(lit, _))| if on(at) { lit } else { !lit }).collect();
                let sum: u32 = (0..list.len()).filter(|&at| on(at)).map(|at| weights[at]).sum();
                assumptions.push(if u64::from(sum) >= enough { !weighs } else { weighs });
                assert_eq!(solver.solve(&assumptions), Ok(Outcome::Unsatisfiable), "{enough} {assignment:b}");
            }
        }
    }

    /// A pigeonhole too many takes more decisions than one; with pauses the answer is the same.
    #[test]
    fn a_search_that_pauses_goes_on() {
        let mut solver = Solver::new(&Budget::default());
        let holes: Vec<Vec<Lit>> = (0..7).map(|_| (0..6).map(|_| solver.fresh()).collect()).collect();
        for pigeon in &holes {
            solver.clause(pigeon.iter().copied());
        }
        for (at, pigeon) in holes.iter().enumerate() {
            for other in &holes[..at] {
                for (&mine, &theirs) in pigeon.iter().zip(other) {
                    solver.clause([!mine, !theirs]);
                }
            }
        }
        assert_eq!(solver.solve_for(&[], 1, Box::new(|| false)), Ok(None));
        assert_eq!(solver.solve_for(&[], u64::MAX, Box::new(|| true)), Ok(None));
        let mut pauses = 0;
        let answer = loop {
            match solver.solve_for(&[], 20 << pauses, Box::new(|| false)).expect("no limit is met") {
                Some(answer) => break answer,
                None => pauses += 1,
            }
        };
        assert_eq!(answer, Outcome::Unsatisfiable);
        assert!(pauses > 0);
        assert_eq!(solver.solve(&[]), Ok(Outcome::Unsatisfiable));
    }

    /// A solver that has met its limit answers nothing, and writing clauses into it costs next to nothing.
    #[test]
    fn a_limit_met_while_clauses_are_written_is_the_answer() {
        let mut solver = Solver::new(&Budget::default().within(Duration::ZERO));
        let list: Vec<Lit> = (0..10_000).map(|_| solver.fresh()).collect();
        let all = solver.and_all(list.iter().copied());
        solver.clause([!all]);
        assert_eq!(solver.solve(&[all]), Err(Exceeded::Time(Duration::ZERO)));
        let small = Budget::default().with_bytes(1000);
        let mut solver = Solver::new(&small);
        (0..10_000).for_each(|_| {
            solver.fresh();
        });
        assert_eq!(solver.solve(&[]), Err(Exceeded::Bytes(1000)));
        drop(solver);
        assert_eq!(Solver::new(&small).solve(&[]), Ok(Outcome::Satisfiable));
    }
}
