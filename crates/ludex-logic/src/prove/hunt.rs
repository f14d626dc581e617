//! What play finds: states in which somebody is stuck, ends without a goal, ways to win, states that come back.
//!
//! A *survey* is random matches, all looked at for everything at once. What it does not find is *hunted*: a match in
//! which every move is the best of those that were tried, by what random matches from behind it came to, hundreds at a
//! time in lanes; all roles work together. For a role that is to be stuck, a move is good that leaves few moves.
//! Nothing that is found counts before the reference has replayed it.

use super::Prover;
use super::reference::Line;
use crate::discover;
use hashbrown::HashMap;
use ludex_engine::budget::Budget;
use ludex_engine::engine::{Engine, Goal, PlayoutBuffer, Worker};
use ludex_engine::perft::each_joint_move;
use ludex_engine::propnet::lanes::{Ended, LANES, Lanes, LanesRunner, Valuer};
use ludex_engine::random::Random;
use ludex_engine::vocabulary::{MoveId, RoleId};

/// Matches and joint moves of a survey, and the longest match.
const MATCHES: usize = 3_000;
const MOVES: usize = 150_000;
const LONGEST: usize = 2_000;

/// Joint moves that are tried in one state of a hunt.
const MOST_TRIED: usize = 512;
const FEW_TRIED: usize = 48;

/// Matches of a hunt, and those from which a way back is sought: without a deadline it ends all the same.
const HUNTS: usize = 2_000;
const RETRACED: usize = 500;

/// Larger networks are not compiled for lanes: the few passes that fit into the time do not pay for it.
const LARGEST_NETWORK: usize = 400_000;

/// What random play showed, each by the first line that did.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Somebody had no move before the end.
    pub(super) stuck: Option<Line>,
    /// A match ended, and somebody had no single goal value.
    pub(super) without_goal: Option<Line>,
    /// A state came back.
    pub(super) again: Option<Line>,
    /// The greatest goal value of each role.
    pub(super) best: Vec<Option<(Goal, Line)>>,
    /// The longest match that ended.
    pub(super) longest: usize,
}

/// What is hunted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prey {
    /// A state before the end in which a role has no move.
    Stuck,
    /// An end in which a role has this goal value.
    Goal(RoleId, Goal),
}

impl Prover<'_> {
    /// Random play until it has shown everything that it could, or enough was played.
    pub(super) fn survey(&self, budget: &Budget) -> &Survey {
        self.survey.get_or_init(|| self.play(budget).unwrap_or_default())
    }

    fn play(&self, budget: &Budget) -> Option<Survey> {
        let mut worker = self.engine(budget).ok()?.worker();
        let (mut random, mut made) = (Random::new(17), 0);
        let roles: Vec<RoleId> = self.system().vocabulary().roles().collect();
        let mut survey = Survey { best: vec![None; roles.len()], ..Survey::default() };
        let mut seen: HashMap<Vec<u64>, usize> = HashMap::new();
        for _ in 0..MATCHES {
            let mut state = self.system().initial().to_vec();
            let mut joints: Vec<Vec<MoveId>> = Vec::new();
            seen.clear();
            while joints.len() < LONGEST && made < MOVES && budget.check().is_ok() {
                if survey.again.is_none() {
                    if let Some(&at) = seen.get(&state) {
                        survey.again = Some(Line { joints: joints.clone(), at });
                    }
                    seen.insert(state.clone(), joints.len());
                }
                let Ok(step) = discover::step(&mut *worker, &state, &mut random) else { break };
                if let Some((joint, next)) = step {
                    state = next;
                    joints.push(joint);
                    made += 1;
                    continue;
                }
                let line = || Line { joints: joints.clone(), at: joints.len() };
                if !worker.is_terminal(&state).ok()? {
                    survey.stuck.get_or_insert_with(line);
                    break;
                }
                survey.longest = survey.longest.max(joints.len());
                for (&role, best) in roles.iter().zip(&mut survey.best) {
                    match worker.goal(&state, role).ok()? {
                        None => {
                            survey.without_goal.get_or_insert_with(line);
                        }
                        Some(goal) if best.as_ref().is_none_or(|(known, _)| *known < goal) => {
                            *best = Some((goal, line()));
                        }
                        Some(_) => {}
                    }
                }
                break;
            }
            if made >= MOVES || budget.check().is_err() {
                break;
            }
        }
        Some(survey)
    }

    /// A line that ends with the prey, if it is found within the budget.
    pub(super) fn hunt(&self, prey: Prey, budget: &Budget) -> Option<Line> {
        let mut worker = self.engine(budget).ok()?.worker();
        let net = self.system().net();
        let lanes = (net.nodes.len() <= LARGEST_NETWORK && prey != Prey::Stuck)
            .then(|| Lanes::new(net, self.system().initial(), &budget.share(3)).ok())
            .flatten();
        let longest = (4 * self.survey(budget).longest).clamp(200, LONGEST);
        let mut hunter = Hunter {
            initial: self.system().initial(),
            budget,
            prey,
            lanes: lanes.as_ref().map(|lanes| lanes.runner(29)),
            random: Random::new(31),
            longest,
        };
        for _ in 0..HUNTS {
            budget.check().ok()?;
            if let Some(line) = hunter.run(&mut *worker) {
                return Some(line);
            }
        }
        None
    }

    /// A state that comes back: from a state of random play a few moves ahead and back again, each of those that lead back
    /// the one after which the state differs least.
    pub(super) fn retrace(&self, budget: &Budget) -> Option<Line> {
        let mut worker = self.engine(budget).ok()?.worker();
        let mut random = Random::new(37);
        let roles = self.system().vocabulary().role_count();
        for _ in 0..RETRACED {
            budget.check().ok()?;
            let (states, joints) = self.random_match(&mut *worker, &mut random);
            for _ in 0..8 {
                let at = random.below(states.len());
                let ahead = 1 + random.below(2 * roles);
                let mut line = Line { joints: joints[..at].to_vec(), at };
                let target = &states[at];
                let mut state = target.clone();
                for made in 0..3 * ahead + roles {
                    if made < ahead {
                        let Ok(Some((joint, next))) = discover::step(&mut *worker, &state, &mut random)
                        else {
                            break;
                        };
                        line.joints.push(joint);
                        state = next;
                    } else {
                        let tried = tried(&mut *worker, &state, MOST_TRIED, &mut random)?;
                        let differs = |next: &[u64]| -> u32 {
                            next.iter().zip(target).map(|(a, b)| (a ^ b).count_ones()).sum()
                        };
                        let nearest = tried.into_iter().min_by_key(|(_, next)| differs(next));
                        let Some((joint, next)) = nearest else { break };
                        line.joints.push(joint);
                        state = next;
                    }
                    if state == *target {
                        return Some(line);
                    }
                    if budget.check().is_err() {
                        return None;
                    }
                }
            }
        }
        None
    }
}

struct Hunter<'p> {
    initial: &'p [u64],
    budget: &'p Budget,
    prey: Prey,
    lanes: Option<LanesRunner<'p>>,
    random: Random,
    longest: usize,
}

impl Hunter<'_> {
    /// One match.
    fn run(&mut self, worker: &mut dyn Worker) -> Option<Line> {
        let mut state = self.initial.to_vec();
        let mut joints = Vec::new();
        while joints.len() < self.longest {
            self.budget.check().ok()?;
            if self.is_caught(worker, &state) {
                return Some(Line { at: joints.len(), joints });
            }
            if worker.is_terminal(&state).ok()? {
                return None;
            }
            let most = if self.lanes.is_some() { MOST_TRIED } else { FEW_TRIED };
            let mut tried = tried(worker, &state, most, &mut self.random)?;
            if tried.is_empty() {
                return None;
            }
            // A random move now and then: the best by few matches is not always the way.
            let best = if tried.len() == 1 || self.random.below(8) == 0 {
                self.random.below(tried.len())
            } else {
                self.best(worker, &tried)?
            };
            let (joint, next) = tried.swap_remove(best);
            joints.push(joint);
            state = next;
        }
        None
    }

    fn is_caught(&self, worker: &mut dyn Worker, state: &[u64]) -> bool {
        let Ok(terminal) = worker.is_terminal(state) else { return false };
        match self.prey {
            Prey::Goal(role, goal) => terminal && worker.goal(state, role) == Ok(Some(goal)),
            Prey::Stuck => !terminal && mobility(worker, state).is_some_and(|(least, _)| least == 0),
        }
    }

    /// The move that looks best.
    fn best(&mut self, worker: &mut dyn Worker, tried: &[(Vec<MoveId>, Vec<u64>)]) -> Option<usize> {
        let mut values = vec![(0.0, 0u32); tried.len()];
        match (self.prey, &mut self.lanes) {
            (Prey::Stuck, _) => {
                for (value, (_, next)) in values.iter_mut().zip(tried) {
                    let ended = worker.is_terminal(next).ok()?;
                    let (least, sum) = mobility(worker, next)?;
                    *value = match (ended, least) {
                        (true, _) => (f64::NEG_INFINITY, 1),
                        (false, 0) => (f64::INFINITY, 1),
                        (false, _) => (-(sum as f64), 1),
                    };
                }
            }
            (Prey::Goal(role, goal), Some(runner)) => {
                let copies = (LANES / tried.len()).max(1);
                let states: Vec<u64> = tried
                    .iter()
                    .flat_map(|(_, next)| std::iter::repeat_n(next, copies))
                    .flatten()
                    .copied()
                    .collect();
                let phases = tried.iter().map(|(_, next)| runner.lanes().phase_of(next));
                let first = runner.lanes().phase_of(&tried[0].1);
                let phase = first.filter(|_| { phases }.all(|phase| phase == first));
                let mut ended = Ended::default();
                runner.playouts_each(phase, &states, self.longest as u64, &mut ended);
                let roles = worker.vocabulary().role_count();
                for (lane, goals) in ended.goals.chunks_exact(roles).enumerate() {
                    weigh(&mut values[lane / copies], goals[role.index()], goal);
                }
            }
            (Prey::Goal(role, goal), None) => {
                let mut buffer = PlayoutBuffer::default();
                for (value, (_, next)) in values.iter_mut().zip(tried) {
                    let mut state = next.clone();
                    worker.playout(&mut state, self.longest, &mut self.random, &mut buffer).ok()?;
                    let ended = worker.is_terminal(&state).ok()?;
                    weigh(value, worker.goal(&state, role).ok()?.filter(|_| ended), goal);
                    self.budget.check().ok()?;
                }
            }
        }
        let mean = |&(sum, count): &(f64, u32)| sum / f64::from(count.max(1));
        let best = values.iter().map(mean).fold(f64::NEG_INFINITY, f64::max);
        let equal: Vec<usize> = (0..values.len()).filter(|&at| mean(&values[at]) >= best).collect();
        equal.get(self.random.below(equal.len().max(1))).copied()
    }
}

/// Adds what a match came to: the goal that is wanted outweighs all others.
fn weigh(value: &mut (f64, u32), goal: Option<Goal>, wanted: Goal) {
    let bonus = if goal == Some(wanted) { 10.0 * f64::from(wanted.max(1)) } else { 0.0 };
    value.0 += f64::from(goal.unwrap_or(0)) + bonus;
    value.1 += 1;
}

/// The fewest moves of a role, and those of all roles.
fn mobility(worker: &mut dyn Worker, state: &[u64]) -> Option<(usize, usize)> {
    let roles = worker.vocabulary().role_count() as u32;
    let (mut least, mut sum, mut legal) = (usize::MAX, 0, Vec::new());
    for role in (0..roles).map(RoleId) {
        worker.legal(state, role, &mut legal).ok()?;
        least = least.min(legal.len());
        sum += legal.len();
    }
    Some((least, sum))
}

/// Joint moves with the states behind them: all, or so many by chance.
fn tried(
    worker: &mut dyn Worker,
    state: &[u64],
    most: usize,
    random: &mut Random,
) -> Option<Vec<(Vec<MoveId>, Vec<u64>)>> {
    let roles = worker.vocabulary().role_count();
    let mut legal = vec![Vec::new(); roles];
    for (role, list) in (0..roles as u32).map(RoleId).zip(&mut legal) {
        worker.legal(state, role, list).ok()?;
    }
    let all = legal.iter().map(Vec::len).try_fold(1usize, usize::checked_mul);
    let mut joints: Vec<Vec<MoveId>> = Vec::new();
    match all {
        Some(0) => {}
        Some(count) if count <= most => {
            let _ = each_joint_move(&legal, &mut Vec::new(), &mut |joint| -> Result<(), ()> {
                joints.push(joint.to_vec());
                Ok(())
            });
        }
        _ => {
            let drawn = |_| legal.iter().map(|list| list[random.below(list.len())]).collect();
            joints.extend((0..most).map(drawn));
        }
    }
    let mut found = Vec::with_capacity(joints.len());
    for joint in joints {
        let mut next = vec![0; state.len()];
        worker.next(state, &joint, &mut next).ok()?;
        found.push((joint, next));
    }
    Some(found)
}
