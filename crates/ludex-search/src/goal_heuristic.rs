//! Goal heuristic: how close a state is to the goals, the degree to which their conditions are met, read off the rules.
//!
//! The conditions of each goal value are the formula that the network has for it. A fluent that holds counts 1 and
//! one that does not 0; a conjunction counts the mean of its parts, a disjunction its best part and a little for each
//! other one. So a goal that is reached has degree 1, three stones of a row of four have 3/4, and a puzzle with two tiles out of place is
//! closer than one with five. A role's goal_heuristic weighs its goal values by their degrees, the nearest most.
//!
//! That is a guess, and in many games a bad one: it knows nothing of what can still be reached. So it is
//! trusted only as far as it foretells the outcome of random games ([`GoalHeuristic::calibrate`]); where it does not, it
//! counts for nothing. It is used where random games alone tell little: to order the search of games for one
//! ([`crate::solitaire`]), and to value leaves of [`crate::uct`] together with a single random game. With lanes, whose
//! 512 games are the outcome that it was fitted to, it has nothing to add.
//!
//! What it cannot do: games without a network, and conditions that feed back into themselves (chains of stones), which
//! count a half.

use ludex_engine::engine::{PlayoutBuffer, Worker};
use ludex_engine::fault::Fault;
use ludex_engine::propnet::{Net, Node, Signal};
use ludex_engine::random::Random;
use ludex_engine::row::{self, Row};
use ludex_engine::vocabulary::{FluentId, RoleId};

/// A formula over earlier ones.
#[derive(Clone, Copy, Debug)]
enum Degree {
    /// What does not depend on the state, and what is not looked into.
    Constant(f32),
    Holds(u32),
    Lacks(u32),
    /// The mean of so many formulas from a place in `GoalHeuristic::parts` on.
    All(u32, u32),
    /// The greatest of them; what is missing from 1 is made good in part by how many are near it.
    Any(u32, u32),
}

/// How far the goal heuristic of a role foretells its outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trust {
    /// The correlation with the outcome of random games; 0 where it is not sure that there is one.
    pub correlation: f64,
    slope: f64,
    offset: f64,
}

/// The goals of a game as degrees.
#[derive(Clone, Debug)]
pub struct GoalHeuristic {
    degrees: Vec<Degree>,
    parts: Vec<u32>,
    /// For each role its goal values, each with its formula.
    goals: Vec<Vec<(f32, u32)>>,
    trust: Vec<Trust>,
}

/// Scratch memory for one thread.
#[derive(Clone, Debug, Default)]
pub struct Degrees(Vec<f32>);

/// Beyond so many parts looking at a state takes longer than a random game is worth.
const MOST_PARTS: usize = 50_000;

/// The nearest goal counts most: degrees are raised to this power before they are compared.
const SHARPNESS: i32 = 8;

impl GoalHeuristic {
    /// Reads the goals off a network. `None` if they are too large. Nothing is trusted yet.
    pub fn new(net: &Net) -> Option<GoalHeuristic> {
        // Both polarities of each node: a formula and its negation differ in more than a sign.
        let mut place = vec![u32::MAX; 2 * net.nodes.len()];
        let wanted = |signal: Signal| 2 * signal.node() + usize::from(signal.is_inverted());
        let values = net.goals.iter().map(|goals| goals.iter().filter_map(|&(v, s)| Some((v?, s))));
        for (_, signal) in values.clone().flatten() {
            place[wanted(signal)] = 0;
        }
        // What a formula consists of comes before it, so one pass from the last to the first finds all that is needed.
        let mut conjuncts: Vec<(usize, Vec<Signal>)> = Vec::new();
        let mut count = 0;
        for node in (0..net.nodes.len()).rev() {
            let polarities = [place[2 * node], place[2 * node + 1]].map(|at| at != u32::MAX);
            let Node::And(..) = net.nodes[node] else { continue };
            if polarities == [false, false] {
                continue;
            }
            let list = conjunction(net, node);
            count += list.len() * polarities.iter().filter(|needed| **needed).count();
            if count > MOST_PARTS {
                return None;
            }
            for &part in &list {
                for (inverted, needed) in polarities.into_iter().enumerate() {
                    if needed {
                        place[wanted(if inverted == 1 { part.inverse() } else { part })] = 0;
                    }
                }
            }
            conjuncts.push((node, list));
        }
        let mut goal_heuristic =
            GoalHeuristic { degrees: Vec::new(), parts: Vec::new(), goals: Vec::new(), trust: Vec::new() };
        let mut conjuncts = conjuncts.into_iter().rev().peekable();
        for (node, kind) in net.nodes.iter().enumerate() {
            let list = conjuncts.next_if(|(at, _)| *at == node).map(|(_, list)| list).unwrap_or_default();
            for inverted in [false, true] {
                let at = 2 * node + usize::from(inverted);
                if place[at] == u32::MAX {
                    continue;
                }
                place[at] = goal_heuristic.degrees.len() as u32;
                let degree = match *kind {
                    Node::False => Degree::Constant(f32::from(u8::from(inverted))),
                    Node::Fluent(fluent) if inverted => Degree::Lacks(fluent),
                    Node::Fluent(fluent) => Degree::Holds(fluent),
                    Node::Move(..) | Node::Feedback => Degree::Constant(0.5),
                    Node::And(..) => {
                        let from = goal_heuristic.parts.len() as u32;
                        let part = |signal: &Signal| {
                            place[wanted(if inverted { signal.inverse() } else { *signal })]
                        };
                        goal_heuristic.parts.extend(list.iter().map(part));
                        let parts = (from, goal_heuristic.parts.len() as u32);
                        if inverted { Degree::Any(parts.0, parts.1) } else { Degree::All(parts.0, parts.1) }
                    }
                };
                goal_heuristic.degrees.push(degree);
            }
        }
        let goals = values.map(|goals| goals.map(|(v, s)| (v as f32 / 100.0, place[wanted(s)])).collect());
        goal_heuristic.goals = goals.collect();
        goal_heuristic.trust = vec![Trust::default(); goal_heuristic.goals.len()];
        Some(goal_heuristic)
    }

    /// The degree of each goal value of a role in a state.
    pub fn goals(&self, state: &Row, role: RoleId, scratch: &mut Degrees) -> Vec<(f32, f32)> {
        self.evaluate(state, scratch);
        self.goals[role.index()].iter().map(|&(value, at)| (value, scratch.0[at as usize])).collect()
    }

    /// How close each role is to what it wants, 0 to 1, in the order of the roles.
    pub fn of(&self, state: &Row, scratch: &mut Degrees, out: &mut Vec<f64>) {
        self.evaluate(state, scratch);
        out.clear();
        out.extend(self.goals.iter().map(|goals| {
            let (mut sum, mut weights) = (0.0, 0.0);
            for &(value, at) in goals {
                let weight = f64::from(scratch.0[at as usize]).powi(SHARPNESS);
                sum += weight * f64::from(value);
                weights += weight;
            }
            if weights > 0.0 { sum / weights } else { 0.5 }
        }));
    }

    fn evaluate(&self, state: &Row, scratch: &mut Degrees) {
        let values = &mut scratch.0;
        values.clear();
        let holds = |fluent: u32| f32::from(u8::from(row::holds(state, FluentId(fluent))));
        for degree in &self.degrees {
            let part = |at: &u32| values[*at as usize];
            values.push(match *degree {
                Degree::Constant(value) => value,
                Degree::Holds(fluent) => holds(fluent),
                Degree::Lacks(fluent) => 1.0 - holds(fluent),
                Degree::All(from, to) => {
                    let parts = &self.parts[from as usize..to as usize];
                    parts.iter().map(part).sum::<f32>() / parts.len() as f32
                }
                Degree::Any(from, to) => {
                    let parts = &self.parts[from as usize..to as usize];
                    let greatest = parts.iter().map(part).fold(0.0, f32::max);
                    let near = parts.iter().map(|at| part(at).powi(4)).sum::<f32>() / parts.len() as f32;
                    greatest + (1.0 - greatest) * near
                }
            });
        }
    }

    /// What is trusted of each role's goal heuristic.
    pub fn trust(&self) -> &[Trust] {
        &self.trust
    }

    /// True if it foretells the outcome of some role.
    pub fn is_trusted(&self) -> bool {
        self.trust.iter().any(|trust| trust.correlation > 0.0)
    }

    /// Plays so many random games, each twice: to its end, to see how long it is, and again to a random state of it and
    /// from there to an end. Learns how far goal heuristic in the middle foretells the end. Stops early when `is_over` says
    /// so, or a question runs into a limit, and keeps what it has learnt.
    pub fn calibrate(
        &mut self,
        worker: &mut dyn Worker,
        games: usize,
        random: &mut Random,
        is_over: &mut dyn FnMut() -> bool,
    ) {
        let mut sums = vec![Sums::default(); self.goals.len()];
        // A game that runs into a limit says nothing, and the next would too.
        let _ = self.sample(worker, games, random, is_over, &mut sums);
        self.trust = sums.iter().map(Sums::trust).collect();
    }

    fn sample(
        &self,
        worker: &mut dyn Worker,
        games: usize,
        random: &mut Random,
        is_over: &mut dyn FnMut() -> bool,
        sums: &mut [Sums],
    ) -> Result<(), Fault> {
        const MOST_PLIES: usize = 500;
        let mut state = vec![0; worker.vocabulary().words()];
        let mut buffer = PlayoutBuffer::default();
        let (mut scratch, mut close) = (Degrees::default(), Vec::new());
        for _ in 0..games {
            if is_over() {
                break;
            }
            worker.initial(&mut state);
            let length = worker.playout(&mut state, MOST_PLIES, random, &mut buffer)?;
            worker.initial(&mut state);
            let depth = random.below(length.max(1));
            worker.playout(&mut state, depth, random, &mut buffer)?;
            if worker.is_terminal(&state)? {
                continue;
            }
            self.of(&state, &mut scratch, &mut close);
            worker.playout(&mut state, MOST_PLIES, random, &mut buffer)?;
            for (role, (sums, &close)) in (0..).zip(sums.iter_mut().zip(&close)) {
                let goal = worker.goal(&state, RoleId(role))?.unwrap_or(0);
                sums.add(close, f64::from(goal.clamp(0, 100)) / 100.0);
            }
        }
        Ok(())
    }

    /// The outcome of each role as a mixture of what a random game gave and what goal heuristic foretells, weighed by how
    /// well it does.
    pub fn mix(&self, state: &Row, scratch: &mut Degrees, close: &mut Vec<f64>, outcome: &mut [f64]) {
        self.of(state, scratch, close);
        for ((outcome, &close), trust) in outcome.iter_mut().zip(&*close).zip(&self.trust) {
            let foretold = (trust.offset + trust.slope * close).clamp(0.0, 1.0);
            *outcome += trust.correlation * (foretold - *outcome);
        }
    }
}

/// The conjunction that a gate is the top of: what its chain of gates ends in, each once.
pub(crate) fn conjunction(net: &Net, top: usize) -> Vec<Signal> {
    let mut open = vec![net.signal(top)];
    let (mut parts, mut seen) = (Vec::new(), hashbrown::HashSet::new());
    while let Some(signal) = open.pop() {
        if !seen.insert(signal) {
            continue;
        }
        match net.nodes[signal.node()] {
            Node::And(a, b) if !signal.is_inverted() => open.extend([a, b]),
            _ => parts.push(signal),
        }
    }
    parts
}

/// What a regression needs.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Sums {
    fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.yy += y * y;
        self.xy += x * y;
    }

    /// The line through the points, if it rises and chance alone would hardly show it: three standard errors.
    fn trust(&self) -> Trust {
        const LEAST: f64 = 30.0;
        let n = self.count;
        let (xx, yy) = (self.xx - self.x * self.x / n, self.yy - self.y * self.y / n);
        let xy = self.xy - self.x * self.y / n;
        if n < LEAST || xx <= 1e-9 || yy <= 1e-9 || xy <= 0.0 {
            return Trust::default();
        }
        let correlation = (xy / (xx * yy).sqrt()).min(1.0);
        let is_sure = correlation * correlation * (n - 2.0) > 9.0 * (1.0 - correlation * correlation);
        let slope = xy / xx;
        let trust = Trust { correlation, slope, offset: (self.y - slope * self.x) / n };
        if is_sure { trust } else { Trust::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::Sums;

    #[test]
    fn only_what_is_sure_is_trusted() {
        let mut line = Sums::default();
        let mut noise = Sums::default();
        for k in 0..40 {
            let x = f64::from(k % 4) / 4.0;
            line.add(x, 0.1 + 0.8 * x);
            noise.add(x, f64::from((k / 4) % 2));
        }
        let trust = line.trust();
        assert!((trust.correlation - 1.0).abs() < 1e-9, "{trust:?}");
        assert!((trust.slope - 0.8).abs() < 1e-9 && (trust.offset - 0.1).abs() < 1e-9, "{trust:?}");
        assert_eq!(noise.trust().correlation, 0.0);
        assert_eq!(Sums::default().trust().correlation, 0.0);
    }
}
