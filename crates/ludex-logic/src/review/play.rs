//! Random play with an eye on everything.

use super::declared::Declared;
use super::groups::{self, Break, Family};
use super::watched::TRACE;
use hashbrown::HashMap;
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::random::Random;
use ludex_engine::row;
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use ludex_gdl::Rules;
use std::collections::BTreeMap;
use std::sync::Arc;

/// So many joint moves are made in all,
const MOST_MOVES: usize = 60_000;

/// in so many matches,
const MOST_MATCHES: usize = 3_000;

/// none of which is longer than this.
pub(super) const LONGEST: usize = 500;

/// What was seen at a moment, and the moves that led there.
#[derive(Clone, Debug)]
pub(super) struct Witness<T> {
    pub(super) what: T,
    pub(super) moves: Vec<String>,
    /// The rules that fired: in the last move, or where the match ended.
    pub(super) fired: Vec<usize>,
}

/// How often a move did something, how often nothing, and the first time that it did nothing.
pub(super) type Effects = (usize, usize, Option<Witness<()>>);

/// What was seen.
pub(super) struct Record {
    pub(super) vocabulary: Arc<Vocabulary>,
    /// True if the rules left traces.
    pub(super) is_watched: bool,
    pub(super) matches: usize,
    pub(super) ended: usize,
    pub(super) moves: usize,
    pub(super) ends_at_once: bool,
    /// How often each rule fired.
    pub(super) fired: Vec<usize>,
    pub(super) families: Vec<Family>,
    /// The first break of each family,
    pub(super) breaks: Vec<Option<Witness<Break>>>,
    /// and whether it looks meant that there is none: a value came back later, or the group had gone through several before.
    pub(super) returns: Vec<bool>,
    /// The first fluent, and the first legal move, that `base` and `input` do not list.
    pub(super) undeclared: [Option<Witness<(String, String)>>; 2],
    /// How often the goals of an end added up to each sum, and the first time that they did.
    pub(super) sums: BTreeMap<Goal, (usize, Witness<()>)>,
    /// The first state in which each role was stuck.
    pub(super) stuck: Vec<Option<Witness<()>>>,
    /// The first end without a goal value for each role.
    pub(super) no_goal: Vec<Option<Witness<()>>>,
    pub(super) best: Vec<Option<Goal>>,
    /// By name of a move and how many arguments it has.
    pub(super) effects: HashMap<(String, usize), Effects>,
}

/// Plays at random until the budget or the moves are used up.
pub(super) fn play(engine: &dyn Engine, rules: &Rules, declared: &Declared, budget: &Budget) -> Record {
    let vocabulary = engine.vocabulary().clone();
    let mut worker = engine.worker();
    worker.obey(budget);
    let mut initial = vec![0; vocabulary.words()];
    worker.initial(&mut initial);
    let families = groups::families(rules, &vocabulary, &initial);
    let roles = vocabulary.role_count();
    let traces = traces(&vocabulary);
    let record = Record {
        is_watched: !traces.is_empty(),
        matches: 0,
        ended: 0,
        moves: 0,
        ends_at_once: false,
        fired: vec![0; rules.rules().len()],
        breaks: vec![None; families.len()],
        returns: vec![false; families.len()],
        undeclared: [None, None],
        sums: BTreeMap::new(),
        families,
        stuck: vec![None; roles],
        no_goal: vec![None; roles],
        best: vec![None; roles],
        effects: HashMap::new(),
        vocabulary,
    };
    let lost = vec![false; record.families.len()];
    let random = Random::new(21);
    let changes = vec![(0, None); record.families.len()];
    let mut player = Player { record, traces, rules, declared, random, line: Vec::new(), lost, changes };
    while player.record.matches < MOST_MATCHES && player.record.moves < MOST_MOVES && budget.check().is_ok() {
        // A question over a limit ends the match; what was seen before stays.
        let _ = player.play_one(&mut *worker, &initial, budget);
        player.record.matches += 1;
        if player.record.ends_at_once {
            break;
        }
    }
    player.record
}

/// The rule that each trace belongs to.
fn traces(vocabulary: &Vocabulary) -> Vec<(FluentId, usize)> {
    let (terms, symbols) = (vocabulary.terms(), &vocabulary.rules().symbols);
    let name = |term| symbols.name(terms.functor(term));
    vocabulary
        .fluents()
        .filter(|&fluent| name(vocabulary.fluent(fluent)) == TRACE)
        .filter_map(|fluent| {
            let argument = *terms.arguments(vocabulary.fluent(fluent)).first()?;
            Some((fluent, name(argument).parse().ok()?))
        })
        .collect()
}

struct Player<'r> {
    record: Record,
    traces: Vec<(FluentId, usize)>,
    rules: &'r Rules,
    declared: &'r Declared,
    random: Random,
    /// The joint moves so far.
    line: Vec<Vec<MoveId>>,
    /// The families without a value in the state,
    lost: Vec<bool>,
    /// and how often the value of each has changed in the match, with the last.
    changes: Vec<(usize, Option<FluentId>)>,
}

/// A group that has had so many values may have come to its end.
const MANY_VALUES: usize = 3;

impl Player<'_> {
    fn play_one(&mut self, worker: &mut dyn Worker, initial: &[u64], budget: &Budget) -> Result<(), Fault> {
        let mut state = initial.to_vec();
        let mut next = vec![0; state.len()];
        let mut counts = Vec::new();
        let roles: Vec<RoleId> = self.record.vocabulary.roles().collect();
        self.line.clear();
        self.lost.fill(false);
        self.changes.fill((0, None));
        let mut legal = Vec::new();
        self.check_fluents(initial, &[]);
        for made in 0..LONGEST {
            if worker.is_terminal(&state)? {
                self.record.ends_at_once |= made == 0;
                self.record.ended += 1;
                return self.end(worker, &state, &roles);
            }
            let mut joint = Vec::new();
            for &role in &roles {
                worker.legal(&state, role, &mut legal)?;
                if legal.is_empty() {
                    let witness = self.witness((), Vec::new());
                    self.record.stuck[role.index()].get_or_insert(witness);
                    return Ok(());
                }
                self.check_moves(role, &legal);
                joint.push(legal[self.random.below(legal.len())]);
            }
            worker.next(&state, &joint, &mut next)?;
            self.record.moves += 1;
            self.line.push(joint);
            let fired = self.fired(&mut next);
            self.effects(&fired);
            self.check_fluents(&next, &fired);
            for at in 0..self.record.families.len() {
                if self.record.returns[at] || (self.record.breaks[at].is_some() && !self.lost[at]) {
                    continue;
                }
                let family = &self.record.families[at];
                if family.value.is_none() && self.changes[at].0 < MANY_VALUES {
                    let held = family.held(&state);
                    self.changes[at].0 += usize::from(held != self.changes[at].1);
                    self.changes[at].1 = held;
                }
                let broken = family.broken(&next, &mut counts);
                self.record.returns[at] |= self.lost[at] && broken.is_none();
                self.lost[at] = broken.is_some_and(|broken| broken.values == 0);
                self.record.returns[at] |= self.lost[at] && self.changes[at].0 >= MANY_VALUES;
                if self.record.breaks[at].is_none()
                    && let Some(broken) = broken
                {
                    self.record.breaks[at] = Some(self.witness(broken, fired.clone()));
                }
            }
            std::mem::swap(&mut state, &mut next);
            if budget.check().is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The goals, and the rules that fire where a match has ended: any move shows them.
    fn end(&mut self, worker: &mut dyn Worker, state: &[u64], roles: &[RoleId]) -> Result<(), Fault> {
        let mut next = vec![0; state.len()];
        let has_moves = roles.iter().all(|&role| self.record.vocabulary.move_count(role) > 0);
        let fired = if has_moves {
            worker.next(state, &vec![MoveId(0); roles.len()], &mut next)?;
            self.fired(&mut next)
        } else {
            Vec::new()
        };
        let mut sum = Some(0);
        for &role in roles {
            let goal = worker.goal(state, role)?;
            sum = sum.zip(goal).and_then(|(sum, goal): (Goal, Goal)| sum.checked_add(goal));
            match goal {
                Some(goal) => {
                    let best = &mut self.record.best[role.index()];
                    *best = Some(best.map_or(goal, |known| known.max(goal)));
                }
                None => {
                    let witness = self.witness((), fired.clone());
                    self.record.no_goal[role.index()].get_or_insert(witness);
                }
            }
        }
        if let Some(sum) = sum {
            let witness = self.witness((), fired);
            self.record.sums.entry(sum).or_insert((0, witness)).0 += 1;
        }
        Ok(())
    }

    /// Whether all that holds is listed.
    fn check_fluents(&mut self, state: &[u64], fired: &[usize]) {
        let Some(known) = self.declared.fluents.as_ref().filter(|_| self.record.undeclared[0].is_none())
        else {
            return;
        };
        let vocabulary = &self.record.vocabulary;
        let odd = row::fluents(state).find(|fluent| !known[fluent.index()]);
        if let Some(odd) = odd {
            let name = vocabulary.rules().symbols.name(vocabulary.terms().functor(vocabulary.fluent(odd)));
            let what = (vocabulary.show_fluent(odd), name.to_owned());
            self.record.undeclared[0] = Some(self.witness(what, fired.to_vec()));
        }
    }

    /// Whether all that is legal is listed.
    fn check_moves(&mut self, role: RoleId, legal: &[MoveId]) {
        let Some(known) = self.declared.moves.as_ref().filter(|_| self.record.undeclared[1].is_none()) else {
            return;
        };
        let vocabulary = &self.record.vocabulary;
        let known = &known[role.index()];
        if let Some(&odd) = legal.iter().find(|action| !known[action.index()]) {
            let term = vocabulary.action(role, odd);
            let name = vocabulary.rules().symbols.name(vocabulary.terms().functor(term));
            let shown = format!("{} {}", vocabulary.show_role(role), vocabulary.show_move(role, odd));
            let what = (shown, name.to_owned());
            self.record.undeclared[1] = Some(self.witness(what, Vec::new()));
        }
    }

    /// The rules whose traces the state has; they are wiped off.
    fn fired(&mut self, state: &mut [u64]) -> Vec<usize> {
        let mut fired = Vec::new();
        for &(fluent, rule) in &self.traces {
            if row::holds(state, fluent) {
                row::clear(state, fluent);
                fired.push(rule);
                self.record.fired[rule] += 1;
            }
        }
        fired
    }

    /// Whether each move of the last joint move was read by a rule that fired. Where two players make moves of one
    /// name it cannot be told.
    fn effects(&mut self, fired: &[usize]) {
        if !self.record.is_watched {
            return;
        }
        let Some(joint) = self.line.last() else { return };
        let vocabulary = &self.record.vocabulary;
        let (terms, symbols) = (vocabulary.terms(), &vocabulary.rules().symbols);
        let name = |(role, action): (RoleId, &MoveId)| {
            let term = vocabulary.action(role, *action);
            (symbols.name(terms.functor(term)).to_owned(), terms.arguments(term).len())
        };
        let names: Vec<(String, usize)> = vocabulary.roles().zip(joint).map(name).collect();
        for (at, name) in names.iter().enumerate() {
            if name.1 == 0 || names.iter().enumerate().any(|(other, twin)| other != at && twin == name) {
                continue;
            }
            let works = fired.iter().any(|&rule| super::judge::reads_move(self.rules, rule, &name.0, name.1));
            let witness = (!works).then(|| self.witness((), fired.to_vec()));
            let entry = self.record.effects.entry(name.clone()).or_insert((0, 0, None));
            if works {
                entry.0 += 1;
            } else {
                entry.1 += 1;
                entry.2 = entry.2.take().or(witness);
            }
        }
    }

    fn witness<T>(&self, what: T, fired: Vec<usize>) -> Witness<T> {
        let vocabulary = &self.record.vocabulary;
        let show = |joint: &Vec<MoveId>| {
            let moves = vocabulary.roles().zip(joint).map(|(role, &m)| vocabulary.show_move(role, m));
            moves.collect::<Vec<_>>().join(", ")
        };
        Witness { what, moves: self.line.iter().map(show).collect(), fired }
    }
}
