//! Goal regression: from the states in which a role has its goal, one joint move back at a time.
//!
//! Two kinds of entry. *Reachable*, as in the literature: the roles together have a plan of `n` joint moves
//! that ends in the role's goal. *Forced*: the role gets its goal within `n` joint moves whatever the others
//! do; where moves are simultaneous, without knowing theirs. For a single role they are the same.
//!
//! The goal of a role is the greatest value that the rules give it, in a state in which the game is over.
//! Layer `n` is
//!
//! - reachable: states in which the game goes on and some legal joint move leads into layer `n-1`;
//! - forced: states in which the game goes on, everybody can move, and some legal move of the role leads into
//!   the layers below `n` with every legal combination of the others' moves;
//!
//! each without the states of smaller layers. Both are exact: no approximation is made anywhere, so a
//! reachable state is in layer `n` if and only if search finds what the layer promises, and finds nothing
//! shorter. The exhaustive solver is the judge of that (`tests/endgame.rs`).
//!
//! Every layer is also written as a cover of state descriptions, between the states that are new and those
//! that may be taken in (ghosts, smaller layers): that is what keeps descriptions short, drops those that a
//! smaller depth already has, and makes the next step cheap.

use super::bdd::{Bdd, Bdds, Stop};
use super::cover::{Cover, Covers};
use super::invariants::Groups;
use super::transition::{JointMove, Transition};
use super::{Kind, file};
use crate::facts::Facts;
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal};
use ludex_engine::error::BuildError;
use ludex_engine::prepared::Prepared;
use ludex_engine::propnet::{self, Propnet};
use ludex_engine::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use ludex_gdl::Game;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// What is assumed about the states.
#[derive(Clone, Debug, Default)]
pub enum Assume {
    /// The exactly-one groups that are found and proved on the way.
    #[default]
    Derived,
    /// Facts that were proved elsewhere, and those found on the way.
    Given(Facts),
    /// Nothing: ghosts are described too.
    Nothing,
}

/// How to regress, and how far. What is finished when a limit is met is kept.
#[derive(Clone, Debug)]
pub struct Options<'a> {
    /// What it may take in all, the network included.
    pub budget: Budget,
    /// The greatest depth.
    pub depth: u32,
    /// Nodes of diagrams at a time, some 40 bytes each.
    pub nodes: usize,
    /// Entries in all.
    pub entries: u64,
    /// Joint moves that are told apart.
    pub joint_moves: usize,
    /// Steps of work on diagrams: the bound that does not depend on the machine.
    pub steps: u64,
    /// What may be assumed.
    pub assume: Assume,
    /// Regress moves that add and delete fixed fluents the short way. Changes the time, nothing else.
    pub strips: bool,
    /// Where it says how far it has got.
    pub reached: Option<&'a Reached>,
}

impl Default for Options<'_> {
    /// Four moves, twenty million nodes (under a gigabyte), a hundred thousand joint moves; any time.
    fn default() -> Self {
        Options {
            budget: Budget::default(),
            depth: 4,
            nodes: 20_000_000,
            entries: u64::MAX,
            joint_moves: 100_000,
            steps: u64::MAX,
            assume: Assume::default(),
            strips: true,
            reached: None,
        }
    }
}

/// How far a regression has got, for another thread that watches.
#[derive(Debug, Default)]
pub struct Reached {
    entries: AtomicU64,
    depth: AtomicU32,
}

impl Reached {
    /// The entries so far.
    pub fn entries(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }

    /// The depth to which all roles and kinds are finished.
    pub fn depth(&self) -> u32 {
        self.depth.load(Ordering::Relaxed)
    }
}

/// Why there is no database at all.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RegressError {
    /// The game has no propositional network.
    Network(BuildError),
    /// A limit was met before the goals were described.
    Goals(Stop),
    /// The system gave no thread.
    Thread(String),
}

impl fmt::Display for RegressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegressError::Network(error) => write!(f, "the game cannot be regressed: {error}"),
            RegressError::Goals(stop) => write!(f, "the goals could not be described: {stop}"),
            RegressError::Thread(error) => write!(f, "no thread for the regression: {error}"),
        }
    }
}

impl std::error::Error for RegressError {}

/// One layer of one role and kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layer {
    pub(crate) cover: Cover,
    pub(crate) entries: u64,
}

/// All layers of one role and kind.
#[derive(Clone, Debug)]
pub(crate) struct Layers {
    pub(crate) role: RoleId,
    pub(crate) kind: Kind,
    /// By depth.
    pub(crate) layers: Vec<Layer>,
    /// States that are in some layer.
    known: Bdd,
    /// The states of the last layer.
    last: Bdd,
    /// For each state one more than its depth, or 0.
    pub(crate) depths: Bdd,
    /// True if there is no further layer.
    pub(crate) complete: bool,
}

/// How a regression went.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The depth to which all roles and kinds are finished.
    pub depth: u32,
    /// Entries in all.
    pub entries: u64,
    /// True if there is nothing beyond that depth.
    pub complete: bool,
    /// The limit that ended it, if one did.
    pub stop: Option<Stop>,
    /// Groups of which exactly one fluent holds, given or found.
    pub groups: usize,
    /// Joint moves that were told apart.
    pub joint_moves: usize,
    /// Those of them that add and delete fixed fluents.
    pub strips_moves: usize,
    /// Bdd nodes in the end.
    pub nodes: usize,
    /// Seconds for the network, the diagrams of the rules and what is assumed.
    pub preparation_seconds: f64,
    /// Seconds in all.
    pub seconds: f64,
}

impl Summary {
    /// True if every joint move adds and deletes fixed fluents.
    pub fn is_strips(&self) -> bool {
        self.strips_moves == self.joint_moves
    }
}

/// A finished regression: its database as the bytes of a file, and how it went.
#[derive(Clone, Debug)]
pub struct Regression {
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// How it went.
    pub summary: Summary,
}

/// Regresses the goals of all roles.
pub fn regress(prepared: &Prepared, options: &Options<'_>) -> Result<Regression, RegressError> {
    let started = Instant::now();
    // What a question on diagrams may take, a stage of the network may.
    let budget = options.budget.clone().with_steps(options.steps.min(options.budget.steps()));
    let network = |budget| -> Result<Propnet, BuildError> {
        // A few hundred moves are played; compiling for speed would take longer.
        Ok(Propnet::plain((*prepared.network(budget)?).clone(), budget)?)
    };
    let engine = network(&budget).map_err(RegressError::Network)?;
    // Bdds are walked recursively, as deep as there are fluents.
    let stack = (16 << 20) + engine.vocabulary().fluent_count() * 2048;
    std::thread::scope(|scope| {
        let run = || Builder::run(prepared.game(), &engine, options, started);
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, run);
        match thread {
            Ok(thread) => match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            Err(error) => Err(RegressError::Thread(error.to_string())),
        }
    })
}

/// The greatest goal value that the rules give the role.
pub(crate) fn best_goal(net: &propnet::Net, role: RoleId) -> Option<Goal> {
    let possible = net.goals[role.index()].iter().filter(|(_, signal)| *signal != propnet::Signal::FALSE);
    possible.filter_map(|(value, _)| *value).max()
}

struct Builder<'a> {
    bdds: Bdds,
    transition: Transition<'a>,
    covers: Covers,
    joint_moves: Vec<JointMove>,
    /// The states that what is assumed allows.
    care: Bdd,
    /// States that descriptions may take in for their shortness, since no play reaches them: all of them, and
    /// those that are easy to tell.
    ghosts: [Bdd; 2],
    /// The states in which the game goes on and everybody has a legal move.
    alive: Bdd,
    lists: Vec<Layers>,
    strips: bool,
    most_entries: u64,
    collected: usize,
    reached: Option<&'a Reached>,
}

impl Builder<'_> {
    fn run(
        game: &Game,
        engine: &Propnet,
        options: &Options<'_>,
        started: Instant,
    ) -> Result<Regression, RegressError> {
        let levels: Vec<u32> = (0..engine.vocabulary().fluent_count() as u32).collect();
        let rules = Rules::read(engine, &levels, options).map_err(RegressError::Goals)?;
        let mut builder = Builder {
            care: rules.care,
            ghosts: rules.ghosts,
            bdds: rules.bdds,
            transition: rules.transition,
            covers: Covers::new(),
            joint_moves: Vec::new(),
            alive: Bdd::FALSE,
            lists: Vec::new(),
            strips: options.strips,
            most_entries: options.entries,
            collected: 0,
            reached: options.reached,
        };
        let values = builder.goals(engine.net()).map_err(RegressError::Goals)?;
        let prepared = rules.joint_moves.and_then(|joint_moves| builder.prepare(joint_moves));
        let preparation_seconds = started.elapsed().as_secs_f64();
        let stop = prepared.and_then(|()| builder.layers(options.depth)).err();
        let seconds = started.elapsed().as_secs_f64();
        let summary = builder.summary(rules.groups.len(), stop, preparation_seconds, seconds);
        let bytes = builder.encode(game, engine.vocabulary(), &values, &rules.groups, &summary);
        Ok(Regression { bytes, summary })
    }

    /// Layer zero of every role and kind. Returns for each pair of roles the value that the second has in the
    /// goals of the first, where it is always the same.
    fn goals(&mut self, net: &propnet::Net) -> Result<Vec<Vec<Option<Goal>>>, Stop> {
        let roles = net.goals.len();
        let mut values = vec![vec![None; roles]; roles];
        for role in (0..roles as u32).map(RoleId) {
            let Some(best) = best_goal(net, role) else { continue };
            let given = self.value_states(role, best)?;
            let goal = self.bdds.and(given, self.transition.terminal)?;
            let possible = self.bdds.and(goal, self.care)?;
            for other in (0..roles as u32).map(RoleId) {
                values[role.index()][other.index()] = self.constant_value(other, possible)?;
            }
            let kinds: &[Kind] =
                if roles == 1 { &[Kind::Reachable] } else { &[Kind::Reachable, Kind::Forced] };
            for &kind in kinds {
                let mut list = Layers {
                    role,
                    kind,
                    layers: Vec::new(),
                    known: Bdd::FALSE,
                    last: Bdd::FALSE,
                    depths: Bdd::FALSE,
                    complete: false,
                };
                self.push_layer(&mut list, goal)?;
                self.lists.push(list);
            }
        }
        Ok(values)
    }

    /// The states in which the role has this goal value and no other.
    fn value_states(&mut self, role: RoleId, value: Goal) -> Result<Bdd, Stop> {
        let mut given = Bdd::FALSE;
        let mut others = Bdd::FALSE;
        for (other, states) in self.transition.goals[role.index()].clone() {
            let side = if other == Some(value) { &mut given } else { &mut others };
            *side = self.bdds.or(*side, states)?;
        }
        self.bdds.without(given, others)
    }

    /// The one goal value that the role has in all these states, if there is one.
    fn constant_value(&mut self, role: RoleId, states: Bdd) -> Result<Option<Goal>, Stop> {
        for (value, _) in self.transition.goals[role.index()].clone() {
            let Some(value) = value else { continue };
            let given = self.value_states(role, value)?;
            if states != Bdd::FALSE && self.bdds.without(states, given)? == Bdd::FALSE {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn prepare(&mut self, joint_moves: Vec<JointMove>) -> Result<(), Stop> {
        self.joint_moves = joint_moves;
        self.transition.forget_nodes();
        self.alive = self.bdds.not(self.transition.terminal)?;
        for role in 0..self.transition.legal.len() {
            let able = self.bdds.or_all(self.transition.legal[role].clone())?;
            self.alive = self.bdds.and(self.alive, able)?;
        }
        Ok(())
    }

    /// Layer by layer, all roles and kinds in step, so that a limit leaves something even.
    fn layers(&mut self, depth: u32) -> Result<(), Stop> {
        for _ in 1..=depth {
            for at in 0..self.lists.len() {
                if self.lists[at].complete {
                    continue;
                }
                self.collect_if_worthwhile();
                let mut list = self.lists[at].clone();
                let previous = match list.kind {
                    Kind::Reachable => self.some_move_into(list.last)?,
                    Kind::Forced => self.forced_into(list.role, list.known)?,
                };
                self.push_layer(&mut list, previous)?;
                self.lists[at] = list;
                if let Some(reached) = self.reached {
                    reached.entries.store(self.entries(), Ordering::Relaxed);
                    reached.depth.store(self.depth(), Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }

    /// The depth to which all roles and kinds are finished.
    fn depth(&self) -> u32 {
        let open = self.lists.iter().filter(|list| !list.complete).map(|list| list.layers.len()).min();
        let deepest = || self.lists.iter().map(|list| list.layers.len()).max().unwrap_or(1);
        open.unwrap_or_else(deepest).saturating_sub(1) as u32
    }

    fn entries(&self) -> u64 {
        self.lists.iter().map(Layers::entries).fold(0, u64::saturating_add)
    }

    /// The states from which some joint move leads into `target`.
    fn some_move_into(&mut self, target: Bdd) -> Result<Bdd, Stop> {
        let mut all = Vec::with_capacity(self.joint_moves.len());
        for at in 0..self.joint_moves.len() {
            let next = self.next_in(at, target)?;
            let states = self.bdds.and(self.joint_moves[at].guard, next)?;
            if states != Bdd::FALSE {
                all.push(states);
            }
        }
        self.bdds.or_all(all)
    }

    /// The states from which some move of the role leads into `target` whatever the others do.
    fn forced_into(&mut self, role: RoleId, target: Bdd) -> Result<Bdd, Stop> {
        let own = |joint: &JointMove| joint.moves[role.index()];
        let mut order: Vec<usize> = (0..self.joint_moves.len()).collect();
        order.sort_by_key(|&at| own(&self.joint_moves[at]));
        let groups: Vec<Vec<usize>> = order
            .chunk_by(|&a, &b| own(&self.joint_moves[a]) == own(&self.joint_moves[b]))
            .map(<[usize]>::to_vec)
            .collect();
        let mut all = Vec::new();
        for group in groups {
            let action: MoveId = own(&self.joint_moves[group[0]]);
            let legal = self.transition.legal[role.index()][action.index()];
            let mut states = self.bdds.and(self.alive, legal)?;
            for at in group {
                if states == Bdd::FALSE {
                    break;
                }
                let next = self.next_in(at, target)?;
                let failing = self.bdds.without(self.joint_moves[at].guard, next)?;
                states = self.bdds.without(states, failing)?;
            }
            if states != Bdd::FALSE {
                all.push(states);
            }
        }
        self.bdds.or_all(all)
    }

    /// The states after which, by the joint move, `target` is reached. Right in the states of the move's
    /// guard.
    fn next_in(&mut self, at: usize, target: Bdd) -> Result<Bdd, Stop> {
        let changes = &self.joint_moves[at].changes;
        let mut done = hashbrown::HashMap::new();
        if self.strips {
            self.bdds.substituted(target, changes, &mut done)
        } else {
            self.bdds.substituted_at_length(target, changes, &mut done)
        }
    }

    /// Adds the layer of the states in `states` that are not known yet.
    fn push_layer(&mut self, list: &mut Layers, states: Bdd) -> Result<(), Stop> {
        let new = self.bdds.without(states, list.known)?;
        let must = self.bdds.and(new, self.care)?;
        if must == Bdd::FALSE && !list.layers.is_empty() {
            list.complete = true;
            return Ok(());
        }
        let cover = self.covers.between(&mut self.bdds, must, list.known, &self.ghosts)?;
        let entries = self.covers.count(cover);
        let before: u64 = self.lists.iter().chain([&*list]).map(Layers::entries).fold(0, u64::saturating_add);
        if before.saturating_add(entries) > self.most_entries {
            return Err(Stop::Entries(self.most_entries));
        }
        // What is outside of `care` does not matter: the simplest function will do.
        let new = self.bdds.simplified(must, self.care)?;
        let leaf = self.bdds.leaf(list.layers.len() as u32 + 1);
        let depths = self.bdds.if_then_else(must, leaf, list.depths)?;
        list.depths = self.bdds.simplified(depths, self.care)?;
        let known = self.bdds.or(list.known, new)?;
        list.known = self.bdds.simplified(known, self.care)?;
        list.last = new;
        list.layers.push(Layer { cover, entries });
        Ok(())
    }

    /// Throws away what is no longer needed once there is much of it.
    fn collect_if_worthwhile(&mut self) {
        if self.bdds.len() < (2 * self.collected).max(1 << 20) {
            return;
        }
        let moves = self.joint_moves.iter_mut().flat_map(|joint| {
            std::iter::once(&mut joint.guard).chain(joint.changes.iter_mut().map(|change| &mut change.by))
        });
        let lists =
            self.lists.iter_mut().flat_map(|list| [&mut list.known, &mut list.last, &mut list.depths]);
        let others = [&mut self.care, &mut self.alive].into_iter().chain(&mut self.ghosts);
        self.bdds.collect(self.transition.bdds_mut().chain(moves).chain(lists).chain(others));
        self.collected = self.bdds.len();
    }

    fn summary(&self, groups: usize, stop: Option<Stop>, preparation_seconds: f64, seconds: f64) -> Summary {
        Summary {
            depth: self.depth(),
            entries: self.entries(),
            complete: self.lists.iter().all(|list| list.complete),
            stop,
            groups,
            joint_moves: self.joint_moves.len(),
            strips_moves: self.joint_moves.iter().filter(|joint| joint.is_strips()).count(),
            nodes: self.bdds.len(),
            preparation_seconds,
            seconds,
        }
    }

    fn encode(
        mut self,
        game: &Game,
        vocabulary: &Arc<Vocabulary>,
        values: &[Vec<Option<Goal>>],
        groups: &[Vec<FluentId>],
        summary: &Summary,
    ) -> Vec<u8> {
        self.bdds.collect(self.lists.iter_mut().map(|list| &mut list.depths));
        file::regression(&file::Content {
            game,
            vocabulary,
            bdds: &self.bdds,
            covers: &self.covers,
            lists: &self.lists,
            values,
            groups,
            summary,
        })
    }
}

impl Layers {
    fn entries(&self) -> u64 {
        self.layers.iter().fold(0, |sum, layer| sum.saturating_add(layer.entries))
    }
}

/// The rules over sets of states, with what may be assumed about the states.
struct Rules<'a> {
    bdds: Bdds,
    transition: Transition<'a>,
    care: Bdd,
    ghosts: [Bdd; 2],
    groups: Vec<Vec<FluentId>>,
    joint_moves: Result<Vec<JointMove>, Stop>,
}

impl<'a> Rules<'a> {
    /// Reads the rules with the candidates assumed, drops the candidates that turn out wrong, and begins
    /// again until none does.
    fn read(engine: &'a Propnet, levels: &'a [u32], options: &Options<'_>) -> Result<Rules<'a>, Stop> {
        let nothing = Facts::default();
        let given = match &options.assume {
            Assume::Given(given) => given,
            Assume::Derived | Assume::Nothing => &nothing,
        };
        let mut groups = Groups::given(given);
        if !matches!(options.assume, Assume::Nothing) {
            groups.add_candidates(engine);
        }
        let vocabulary = engine.vocabulary();
        let name = |role: RoleId, action: MoveId| {
            let term = vocabulary.action(role, action);
            let terms = vocabulary.terms();
            (role, (terms.functor(term), terms.arguments(term).len()))
        };
        let is_impossible = |moves: &[MoveId]| {
            let names: Vec<_> = vocabulary.roles().zip(moves).map(|(role, &made)| name(role, made)).collect();
            let last = names.len() - 1;
            !given.impossible.is_empty()
                && names[..last].iter().any(|&one| given.is_impossible(one, names[last]))
        };
        loop {
            let mut bdds = Bdds::new(options.nodes, &options.budget.clone().with_steps(options.steps));
            let care = groups.allowed(levels, &mut bdds)?;
            let mut transition = Transition::new(engine.net(), levels, care, &mut bdds)?;
            let most = options.joint_moves;
            let joint_moves = transition.joint_moves(&mut bdds, &is_impossible, most);
            let broken = match &joint_moves {
                Ok(joint_moves) => groups.drop_broken(levels, joint_moves, care, &mut bdds),
                Err(stop) => Err(*stop),
            };
            match broken {
                Ok(true) => {}
                // Without joint moves nothing is proved, and nothing can be regressed: only the goals are
                // described.
                Err(_) if groups.has_candidates() => groups.drop_candidates(),
                _ => {
                    let told_apart = groups.told_apart(levels, &mut bdds)?;
                    let ghosts = [bdds.not(care)?, bdds.not(told_apart)?];
                    return Ok(Rules {
                        bdds,
                        transition,
                        care,
                        ghosts,
                        groups: groups.exactly_one(),
                        joint_moves,
                    });
                }
            }
        }
    }
}
