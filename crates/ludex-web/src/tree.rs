//! The positions of a match: a tree, because whoever goes back and plays something else opens a branch.

use ludex::engine::vocabulary::MoveId;
use serde_json::{Value, json};

/// A position and how it was reached.
#[derive(Clone, Debug)]
pub struct Position {
    /// Where it comes from; none for the first.
    pub parent: Option<usize>,
    /// The joint move that led here.
    pub joint: Vec<MoveId>,
    /// The fluents that hold.
    pub state: Vec<u64>,
    /// What was played from here, in the order in which it was first played.
    pub children: Vec<usize>,
    /// The one of them that was played or looked at last: where forward leads.
    pub forward: Option<usize>,
    /// Seconds that each role took for that move.
    pub took: Vec<f64>,
    /// What the engine expected for a role, 0 to 100, and whether that is certain.
    pub values: Vec<Option<(f64, bool)>>,
}

/// All positions of a match, and the one that is looked at.
#[derive(Clone, Debug)]
pub struct Positions {
    all: Vec<Position>,
    at: usize,
}

impl Positions {
    /// A match at its beginning.
    pub fn new(initial: Vec<u64>, roles: usize) -> Positions {
        let first = Position {
            parent: None,
            joint: Vec::new(),
            state: initial,
            children: Vec::new(),
            forward: None,
            took: vec![0.0; roles],
            values: vec![None; roles],
        };
        Positions { all: vec![first], at: 0 }
    }

    /// How many there are, in all branches.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The number of the current one.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The current one.
    pub fn current(&self) -> &Position {
        &self.all[self.at]
    }

    /// The position of that number.
    pub fn get(&self, number: usize) -> Option<&Position> {
        self.all.get(number)
    }

    /// The position of that number, to note what is known of it.
    pub fn get_mut(&mut self, number: usize) -> Option<&mut Position> {
        self.all.get_mut(number)
    }

    /// Goes on by a joint move, along a branch that is there or by a new one. `took` is how long each role thought.
    pub fn play(&mut self, joint: Vec<MoveId>, state: Vec<u64>, took: Vec<f64>) {
        let known = self.current().children.iter().copied().find(|&child| self.all[child].joint == joint);
        let next = known.unwrap_or_else(|| {
            let values = vec![None; self.current().values.len()];
            let (parent, children) = (Some(self.at), Vec::new());
            self.all.push(Position { parent, joint, state, children, forward: None, took, values });
            let number = self.all.len() - 1;
            self.all[self.at].children.push(number);
            number
        });
        self.all[self.at].forward = Some(next);
        self.at = next;
    }

    /// Looks at another position; false if there is none of that number.
    pub fn go(&mut self, number: usize) -> bool {
        if number >= self.all.len() {
            return false;
        }
        self.at = number;
        // Forward from any ancestor leads here again.
        let mut child = number;
        while let Some(parent) = self.all[child].parent {
            self.all[parent].forward = Some(child);
            child = parent;
        }
        true
    }

    /// From the first position to this one.
    pub fn path(&self, number: usize) -> Vec<usize> {
        let mut path = vec![number];
        while let Some(parent) = path.last().and_then(|&last| self.all[last].parent) {
            path.push(parent);
        }
        path.reverse();
        path
    }

    /// The line through the current position, to where forward ends.
    pub fn line(&self) -> Vec<usize> {
        let mut line = self.path(self.at);
        while let Some(next) = line.last().and_then(|&last| self.all[last].forward) {
            line.push(next);
        }
        line
    }

    /// How many moves were made from a position along what was looked at last.
    pub fn depth_below(&self, number: usize) -> usize {
        std::iter::successors(self.all[number].forward, |&next| self.all[next].forward).count()
    }

    /// The joint moves that lead to a position.
    pub fn joints(&self, number: usize) -> Vec<Vec<MoveId>> {
        self.path(number)[1..].iter().map(|&step| self.all[step].joint.clone()).collect()
    }

    /// All positions but the first, each with the one it comes from and its joint move in words.
    pub fn saved(&self, show: impl Fn(&[MoveId]) -> Vec<String>) -> Vec<Value> {
        self.all.iter().skip(1).map(|position| json!([position.parent, show(&position.joint)])).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Positions;
    use ludex::engine::vocabulary::MoveId;

    #[test]
    fn going_back_and_playing_something_else_opens_a_branch() {
        let mut positions = Positions::new(vec![0], 1);
        positions.play(vec![MoveId(1)], vec![1], vec![0.5]);
        positions.play(vec![MoveId(2)], vec![2], vec![0.5]);
        assert!(positions.go(1));
        positions.play(vec![MoveId(3)], vec![3], vec![0.5]);
        assert_eq!((positions.at(), positions.line()), (3, vec![0, 1, 3]));
        assert_eq!((positions.depth_below(0), positions.depth_below(1), positions.depth_below(2)), (2, 1, 0));
        assert!(positions.go(2) && positions.go(0));
        assert_eq!(positions.line(), [0, 1, 2], "forward leads to what was looked at last");
        positions.play(vec![MoveId(1)], vec![1], vec![9.0]);
        assert_eq!((positions.len(), positions.at()), (4, 1), "a move made twice is one branch");
        assert_eq!(positions.joints(3), [[MoveId(1)], [MoveId(3)]]);
        assert!(!positions.go(4));
    }
}
