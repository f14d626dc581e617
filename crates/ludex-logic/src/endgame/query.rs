//! A state looked up, in words: its entries, plans, the moves to play, and what it is for each role.
//!
//! The database says how far a state is from a goal; which move gets there is found by trying the legal moves
//! with an engine and looking up where they lead, so moves and plans come instantiated and are legal by
//! construction.

use super::file::{self, Form};
use super::{Database, Kind};
use ludex_engine::engine::{Goal, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::perft::each_joint_move;
use ludex_engine::row::Row;
use ludex_engine::vocabulary::{MoveId, RoleId};
use std::fmt;

pub use ludex_engine::words::{StateError, read_state};

/// Something that knows ends of games: a file, or a folder.
pub trait Known {
    /// How many roles there are.
    fn role_count(&self) -> u32;

    /// Joint moves to the role's best goal.
    fn depth(&self, state: &Row, role: RoleId, kind: Kind) -> Option<u32>;

    /// What is known of a state that was visited.
    fn verdict(&self, state: &Row, role: RoleId) -> Option<file::Verdict>;

    /// The best goal of a role.
    fn best_goal(&self, role: RoleId) -> Option<Goal>;

    /// Why a state that is not over has no entry, if it was visited.
    fn beyond(&self) -> Gap;

    /// True if every state that play reaches is there.
    fn is_solution(&self) -> bool;
}

impl Known for Database {
    fn role_count(&self) -> u32 {
        self.overview().roles
    }

    fn depth(&self, state: &Row, role: RoleId, kind: Kind) -> Option<u32> {
        Database::depth(self, state, role, kind)
    }

    fn verdict(&self, state: &Row, role: RoleId) -> Option<file::Verdict> {
        Database::verdict(self, state, role)
    }

    fn best_goal(&self, role: RoleId) -> Option<Goal> {
        Database::best_goal(self, role)
    }

    fn beyond(&self) -> Gap {
        let reachable = |list: &&file::List| list.kind == Kind::Reachable;
        match self.form() {
            Form::Solution => Gap::Never,
            Form::Regression if self.lists().iter().filter(reachable).all(|list| list.complete) => Gap::Never,
            Form::Regression => Gap::Beyond { depth: self.overview().depth },
        }
    }

    fn is_solution(&self) -> bool {
        self.form() == Form::Solution
    }
}

/// What a state is for a role, by who has an entry of kind *reachable* for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The role has an entry and no other role has.
    Winning,
    /// The role has an entry and some other role has.
    Cooperative,
    /// The role has no entry and some other role has.
    Losing,
    /// Nobody has one.
    Unknown,
}

impl Class {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Class::Winning => "winning",
            Class::Cooperative => "cooperative",
            Class::Losing => "losing",
            Class::Unknown => "unknown",
        }
    }

    /// Formulas (37) to (39) of the paper.
    pub fn of(database: &dyn Known, state: &Row, role: RoleId) -> Class {
        let has = |role| database.depth(state, role, Kind::Reachable).is_some();
        let others = (0..database.role_count()).map(RoleId).any(|other| other != role && has(other));
        match (has(role), others) {
            (true, false) => Class::Winning,
            (true, true) => Class::Cooperative,
            (false, true) => Class::Losing,
            (false, false) => Class::Unknown,
        }
    }
}

/// An entry that a state matches.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Whose goal it leads to.
    pub role: RoleId,
    /// What it promises.
    pub kind: Kind,
    /// Joint moves to the goal.
    pub depth: u32,
    /// The joint moves; in a forced entry the others delay as long as they can.
    pub plan: Vec<Vec<MoveId>>,
}

/// Why nobody has an entry for a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Gap {
    /// The game is over there, with the best goal for nobody.
    Over,
    /// No best goal can be reached from there any more: the database goes on to where nothing is found.
    Never,
    /// A goal may be further away than the database goes.
    Beyond {
        /// The depth to which it goes.
        depth: u32,
    },
    /// Every state that play reaches was visited, and this is none of them.
    NotReached,
}

impl Gap {
    fn of(database: &dyn Known, worker: &mut dyn Worker, state: &Row) -> Result<Gap, Fault> {
        let visited =
            || (0..database.role_count()).any(|role| database.verdict(state, RoleId(role)).is_some());
        Ok(if database.is_solution() && !visited() {
            Gap::NotReached
        } else if worker.is_terminal(state)? {
            Gap::Over
        } else {
            database.beyond()
        })
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Gap::Over => f.write_str("the game is over here, with the best goal for nobody"),
            Gap::Never => f.write_str("no role can reach its best goal from here, whatever is played"),
            Gap::Beyond { depth } => {
                write!(f, "the database goes to depth {depth}: a best goal is further away, or out of reach")
            }
            Gap::NotReached => f.write_str("play never reaches this state; a solution knows no other"),
        }
    }
}

/// All that is known about a state.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What the state is, for each role.
    pub classes: Vec<Class>,
    /// Its entries.
    pub entries: Vec<Entry>,
    /// For each role the moves that its best entry recommends.
    pub moves: Vec<Vec<MoveId>>,
    /// Why there is no entry, where there is none.
    pub gap: Option<Gap>,
}

/// Looks the state up. The worker must be of the database's game.
pub fn query(database: &dyn Known, worker: &mut dyn Worker, state: &Row) -> Result<Answer, Fault> {
    let roles: Vec<RoleId> = worker.vocabulary().roles().collect();
    let mut entries = Vec::new();
    let mut moves = Vec::new();
    for &role in &roles {
        let mut recommended = Vec::new();
        for kind in [Kind::Forced, Kind::Reachable] {
            let Some(depth) = database.depth(state, role, kind) else { continue };
            if recommended.is_empty() {
                recommended = advice(database, worker, state, role, kind)?;
            }
            entries.push(Entry { role, kind, depth, plan: plan(database, worker, state, role, kind)? });
        }
        moves.push(recommended);
    }
    let classes: Vec<Class> = roles.iter().map(|&role| Class::of(database, state, role)).collect();
    let unknown = classes.iter().all(|class| *class == Class::Unknown);
    let gap = if unknown { Some(Gap::of(database, worker, state)?) } else { None };
    Ok(Answer { classes, entries, moves, gap })
}

/// A joint move and the depth it leads to, if the database knows one.
type Continuation = (Vec<MoveId>, Option<u32>);

/// Every joint move from the state with the depth it leads to.
fn options(
    database: &dyn Known,
    worker: &mut dyn Worker,
    state: &Row,
    role: RoleId,
    kind: Kind,
) -> Result<Vec<Continuation>, Fault> {
    let mut all = Vec::new();
    each_successor(worker, state, &mut |joint, next| {
        all.push((joint.to_vec(), database.depth(next, role, kind)));
    })?;
    Ok(all)
}

/// Every joint move from the state and where it leads; none if the game is over.
fn each_successor(
    worker: &mut dyn Worker,
    state: &Row,
    visit: &mut dyn FnMut(&[MoveId], &Row),
) -> Result<(), Fault> {
    if worker.is_terminal(state)? {
        return Ok(());
    }
    let mut legal = Vec::new();
    for role in worker.vocabulary().roles() {
        let mut list = Vec::new();
        worker.legal(state, role, &mut list)?;
        legal.push(list);
    }
    let mut next = vec![0; state.len()];
    each_joint_move(&legal, &mut Vec::new(), &mut |joint| {
        worker.next(state, joint, &mut next)?;
        visit(joint, &next);
        Ok(())
    })
}

/// For each own move the depth it leads to if the others help (reachable) or hinder (forced) as best they
/// can.
fn by_own_move(options: &[Continuation], role: RoleId, kind: Kind) -> Vec<(MoveId, Option<u32>)> {
    let mut own: Vec<MoveId> = options.iter().map(|(joint, _)| joint[role.index()]).collect();
    own.sort_unstable();
    own.dedup();
    let depths = |action: MoveId| {
        options.iter().filter(move |(joint, _)| joint[role.index()] == action).map(|(_, depth)| *depth)
    };
    own.into_iter()
        .map(|action| {
            let depth = match kind {
                Kind::Reachable => depths(action).flatten().min(),
                Kind::Forced => {
                    depths(action).collect::<Option<Vec<u32>>>().and_then(|all| all.into_iter().max())
                }
            };
            (action, depth)
        })
        .collect()
}

/// The role's moves that lead to its goal soonest.
fn advice(
    database: &dyn Known,
    worker: &mut dyn Worker,
    state: &Row,
    role: RoleId,
    kind: Kind,
) -> Result<Vec<MoveId>, Fault> {
    let options = options(database, worker, state, role, kind)?;
    let moves = by_own_move(&options, role, kind);
    let best = moves.iter().filter_map(|(_, depth)| *depth).min();
    let soonest = moves.into_iter().filter(|(_, depth)| best.is_some() && *depth == best);
    Ok(soonest.map(|(action, _)| action).collect())
}

/// A line of play to the goal.
fn plan(
    database: &dyn Known,
    worker: &mut dyn Worker,
    state: &Row,
    role: RoleId,
    kind: Kind,
) -> Result<Vec<Vec<MoveId>>, Fault> {
    let mut state = state.to_vec();
    let mut plan = Vec::new();
    while database.depth(&state, role, kind).is_some_and(|depth| depth > 0) {
        let options = options(database, worker, &state, role, kind)?;
        let own = by_own_move(&options, role, kind);
        let Some((action, Some(depth))) = own
            .into_iter()
            .filter(|(_, depth)| depth.is_some())
            .min_by_key(|(action, depth)| (*depth, *action))
        else {
            break;
        };
        let chosen =
            options.into_iter().find(|(joint, leads)| joint[role.index()] == action && *leads == Some(depth));
        let Some((joint, _)) = chosen else { break };
        let mut next = vec![0; state.len()];
        worker.next(&state, &joint, &mut next)?;
        state = next;
        plan.push(joint);
    }
    Ok(plan)
}

/// For each role the moves that keep what a solution says it can force; where that is its best goal, those
/// that get there soonest.
pub fn best_moves(
    database: &dyn Known,
    worker: &mut dyn Worker,
    state: &Row,
) -> Result<Vec<Vec<MoveId>>, Fault> {
    let roles: Vec<RoleId> = worker.vocabulary().roles().collect();
    let wanted: Vec<Option<i32>> =
        roles.iter().map(|&role| database.verdict(state, role).and_then(|verdict| verdict.value)).collect();
    let mut kept: Vec<Vec<(MoveId, bool, u32)>> = vec![Vec::new(); roles.len()];
    each_successor(worker, state, &mut |joint, next| {
        for &role in &roles {
            let verdict = database.verdict(next, role);
            let value = verdict.and_then(|verdict| verdict.value);
            let holds = value >= wanted[role.index()];
            // A greater value than wanted can take longer, but is none the worse.
            let depth = verdict.filter(|_| holds).and_then(|verdict| verdict.depth).unwrap_or(u32::MAX);
            let list = &mut kept[role.index()];
            match list.iter_mut().find(|(action, ..)| *action == joint[role.index()]) {
                Some((_, all, longest)) => (*all, *longest) = (*all && holds, (*longest).max(depth)),
                None => list.push((joint[role.index()], holds, depth)),
            }
        }
    })?;
    let moves = roles
        .iter()
        .zip(kept)
        .map(|(&role, list)| {
            let hold: Vec<(MoveId, u32)> = list
                .into_iter()
                .filter(|(_, holds, _)| *holds)
                .map(|(action, _, depth)| (action, depth))
                .collect();
            let is_best = wanted[role.index()].is_some() && wanted[role.index()] == database.best_goal(role);
            let soonest = hold.iter().map(|(_, depth)| *depth).min();
            let mut moves: Vec<MoveId> = hold
                .into_iter()
                .filter(|(_, depth)| !is_best || Some(*depth) == soonest)
                .map(|(action, _)| action)
                .collect();
            moves.sort_unstable();
            moves
        })
        .collect();
    Ok(moves)
}
