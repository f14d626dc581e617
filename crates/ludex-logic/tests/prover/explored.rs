//! Exhaustive search by the reference engine: what is true of every reachable state, by definition.

use hashbrown::HashMap;
use ludex_engine::engine::Worker;
use ludex_engine::perft::each_joint_move;
use ludex_engine::vocabulary::MoveId;
use ludex_logic::formula::Property;
use ludex_logic::prove::{Moment, Reference};
use std::convert::Infallible;

/// Every reachable state, with what the reference says of it and its distinct successors.
pub struct Explored {
    pub moments: Vec<Moment>,
    pub successors: Vec<Vec<usize>>,
}

impl Explored {
    /// Explores up to `most` states; `None` if there are more, or too many joint moves to try them all.
    pub fn new(
        reference: &Reference<'_>,
        property: &Property,
        initial: &[u64],
        most: usize,
    ) -> Option<Explored> {
        let mut worker = reference.worker();
        let mut index: HashMap<Vec<u64>, usize> = HashMap::new();
        let mut states = vec![initial.to_vec()];
        index.insert(initial.to_vec(), 0);
        let mut explored = Explored { moments: Vec::new(), successors: Vec::new() };
        let mut at = 0;
        while at < states.len() {
            let state = states[at].clone();
            let moment = reference.moment(&mut *worker, &state, property)?;
            let mut successors = Vec::new();
            if !moment.is_last() {
                let joints = moment.legal.iter().map(Vec::len).product::<usize>();
                if joints > most {
                    return None;
                }
                for next in next_states(&mut *worker, &moment) {
                    let new = states.len();
                    let number = *index.entry(next.clone()).or_insert(new);
                    if number == new {
                        states.push(next);
                    }
                    successors.push(number);
                }
                successors.sort_unstable();
                successors.dedup();
            }
            if states.len() > most {
                return None;
            }
            explored.moments.push(moment);
            explored.successors.push(successors);
            at += 1;
        }
        Some(explored)
    }

    /// True if the property holds in every reachable state.
    pub fn holds(&self, reference: &Reference<'_>, property: &Property) -> bool {
        (0..self.moments.len()).all(|start| self.from(reference, property, &mut vec![start]))
    }

    fn from(&self, reference: &Reference<'_>, property: &Property, path: &mut Vec<usize>) -> bool {
        let last = path[path.len() - 1];
        if path.len() > property.degree || self.moments[last].is_last() {
            let moments: Vec<Moment> = path.iter().map(|&at| self.moments[at].clone()).collect();
            return reference.holds(property, &moments);
        }
        self.successors[last].iter().all(|&next| {
            path.push(next);
            let holds = self.from(reference, property, path);
            path.pop();
            holds
        })
    }
}

fn next_states(worker: &mut dyn Worker, moment: &Moment) -> Vec<Vec<u64>> {
    let mut joints: Vec<Vec<MoveId>> = Vec::new();
    each_joint_move(&moment.legal, &mut Vec::new(), &mut |joint| {
        joints.push(joint.to_vec());
        Ok::<(), Infallible>(())
    })
    .unwrap_or_else(|never| match never {});
    joints
        .iter()
        .map(|joint| {
            let mut next = vec![0; moment.state.len()];
            worker.next(&moment.state, joint, &mut next).expect("no limit is met");
            next
        })
        .collect()
}
