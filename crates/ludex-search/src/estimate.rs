//! What a search thinks of the moves of one role: the answer of every search here, and how the answers of
//! several threads become one.

use ludex_engine::engine::Goal;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::MoveId;

/// A value that is certain, not estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The goal value that the role gets with best play of all.
    pub value: Goal,
    /// Within how many plies the match ends so, if whoever it favours plays as the search has found: true, but not
    /// always the fewest.
    pub plies: u32,
}

/// A legal move and what is known of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The move.
    pub action: MoveId,
    /// How often the search went through it.
    pub visits: u64,
    /// The mean outcome, 0 to 100.
    pub value: f64,
    /// The proved outcome, where there is one.
    pub verdict: Option<Verdict>,
}

/// What a search has found out about a state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The role's legal moves, ascending. Empty if the search did not get that far.
    pub candidates: Vec<Candidate>,
    /// Where roles choose at once: how likely each candidate should be played. Empty where one move is to be played.
    pub mixture: Vec<f64>,
    /// Random games played.
    pub playouts: u64,
    /// Random games a second, since the root is what it is.
    pub playouts_per_second: f64,
    /// States held in memory.
    pub nodes: usize,
    /// The joint moves that the search expects, as far as it has seen them often enough.
    pub line: Vec<Vec<MoveId>>,
    /// True if nothing more can be found out.
    pub solved: bool,
}

impl Estimate {
    /// Adds what another thread has found out about the same state and role.
    pub fn add(&mut self, other: &Estimate) {
        if self.mixture.is_empty() {
            self.mixture.clone_from(&other.mixture);
        } else {
            // Both are sure to have seen something: who has seen more counts for more.
            let share = other.playouts as f64 / (self.playouts + other.playouts).max(1) as f64;
            for (mine, theirs) in self.mixture.iter_mut().zip(&other.mixture) {
                *mine += (theirs - *mine) * share;
            }
        }
        self.playouts += other.playouts;
        self.playouts_per_second += other.playouts_per_second;
        self.nodes += other.nodes;
        self.solved |= other.solved;
        if self.line.len() < other.line.len() {
            self.line.clone_from(&other.line);
        }
        if self.candidates.is_empty() {
            self.candidates.clone_from(&other.candidates);
            return;
        }
        for (mine, theirs) in self.candidates.iter_mut().zip(&other.candidates) {
            debug_assert_eq!(mine.action, theirs.action);
            let visits = mine.visits + theirs.visits;
            if visits > 0 {
                let total = mine.value * mine.visits as f64 + theirs.value * theirs.visits as f64;
                mine.value = total / visits as f64;
            }
            mine.visits = visits;
            mine.verdict = mine.verdict.or(theirs.verdict);
        }
    }

    /// The same with what another search has found to be certain put in its place.
    #[must_use]
    pub fn with_certain(mut self, exact: &Estimate) -> Estimate {
        if exact.solved || self.candidates.is_empty() {
            let mut certain = exact.clone();
            (certain.playouts, certain.nodes) = (self.playouts, self.nodes);
            certain.playouts_per_second = self.playouts_per_second;
            for (mine, theirs) in certain.candidates.iter_mut().zip(&self.candidates) {
                (mine.visits, mine.value) = (theirs.visits, theirs.value);
            }
            if certain.line.is_empty() {
                certain.line = self.line;
            }
            return certain;
        }
        for (mine, theirs) in self.candidates.iter_mut().zip(&exact.candidates) {
            // Where both know what can be had, it is the same, but in games for one: there each may have seen a better line.
            mine.verdict = match (theirs.verdict, mine.verdict) {
                (Some(exact), Some(tree)) if tree.value > exact.value => Some(tree),
                (exact, tree) => exact.or(tree),
            };
        }
        self
    }

    /// The move to play, drawn by lot where that is what should be done.
    pub fn draw(&self, random: &mut Random) -> Option<&Candidate> {
        if self.solved || self.mixture.len() != self.candidates.len() {
            return self.best();
        }
        let mut left = (random.bits() >> 11) as f64 / (1u64 << 53) as f64 * self.mixture.iter().sum::<f64>();
        for (candidate, chance) in self.candidates.iter().zip(&self.mixture) {
            left -= chance;
            if left < 0.0 {
                return Some(candidate);
            }
        }
        self.best()
    }

    /// The move to play. Proved values count for more than visits: of several proved ones the best, and of
    /// equal ones a win that is near and a loss that is far; an unproved move only if its mean is better
    /// than every proved value, and none if the state is solved. Among unproved moves the one visited most.
    pub fn best(&self) -> Option<&Candidate> {
        let proved = self.candidates.iter().filter_map(|c| c.verdict.map(|verdict| (c, verdict)));
        let proved = proved.max_by_key(|(c, v)| {
            let plies = i64::from(v.plies);
            (v.value, if v.value > MIDDLE { -plies } else { plies }, c.visits)
        });
        // Of a solved state what is not proved is known to be no better.
        let settled = self.solved && self.candidates.iter().any(|c| c.verdict.is_some());
        let open = self.candidates.iter().filter(|c| c.verdict.is_none() && !settled);
        let open = open.max_by(|a, b| a.visits.cmp(&b.visits).then(a.value.total_cmp(&b.value)));
        match (proved, open) {
            (Some((proved, verdict)), Some(open)) => {
                let better = open.visits > 0 && open.value > f64::from(verdict.value);
                // A move about which nothing is known is better than a certain loss.
                let hope = open.visits == 0 && verdict.value <= 0;
                Some(if better || hope { open } else { proved })
            }
            (proved, open) => proved.map(|(candidate, _)| candidate).or(open),
        }
    }
}

/// Above it a value is a success, which is to come soon; below, a failure, which may come late.
const MIDDLE: Goal = 50;

#[cfg(test)]
mod tests {
    use super::{Candidate, Estimate, Random, Verdict};
    use ludex_engine::vocabulary::MoveId;

    fn candidate(action: u32, visits: u64, value: f64, verdict: Option<(i32, u32)>) -> Candidate {
        let verdict = verdict.map(|(value, plies)| Verdict { value, plies });
        Candidate { action: MoveId(action), visits, value, verdict }
    }

    fn best(candidates: Vec<Candidate>) -> Option<u32> {
        Estimate { candidates, ..Estimate::default() }.best().map(|c| c.action.0)
    }

    #[test]
    fn what_is_proved_counts_for_more_than_visits() {
        let open = candidate(0, 900, 60.0, None);
        assert_eq!(best(vec![open.clone(), candidate(1, 5, 90.0, Some((100, 3)))]), Some(1));
        assert_eq!(best(vec![open.clone(), candidate(1, 5, 90.0, Some((50, 3)))]), Some(0));
        assert_eq!(best(vec![open, candidate(1, 990, 90.0, Some((0, 3)))]), Some(0));
        assert_eq!(best(vec![candidate(0, 0, 0.0, None), candidate(1, 990, 0.0, Some((0, 3)))]), Some(0));
        assert_eq!(best(Vec::new()), None);
    }

    #[test]
    fn of_a_solved_state_only_what_is_proved_is_played() {
        let candidates = vec![candidate(0, 900, 60.0, None), candidate(1, 5, 10.0, Some((50, 3)))];
        let estimate = Estimate { candidates, solved: true, ..Estimate::default() };
        assert_eq!(estimate.best().map(|c| c.action.0), Some(1));
    }

    #[test]
    fn near_wins_and_far_losses_are_preferred() {
        let wins = vec![candidate(0, 9, 0.0, Some((100, 5))), candidate(1, 5, 0.0, Some((100, 3)))];
        assert_eq!(best(wins), Some(1));
        let losses = vec![candidate(0, 9, 0.0, Some((0, 5))), candidate(1, 5, 0.0, Some((0, 3)))];
        assert_eq!(best(losses), Some(0));
    }

    #[test]
    fn moves_are_drawn_as_often_as_the_mixture_says() {
        let candidates = vec![candidate(3, 9, 50.0, None), candidate(5, 1, 50.0, None)];
        let mut mixed =
            Estimate { candidates, mixture: vec![0.25, 0.75], playouts: 10, ..Estimate::default() };
        let mut random = Random::new(1);
        let count = |estimate: &Estimate, random: &mut Random| {
            (0..4000).filter(|_| estimate.draw(random).map(|c| c.action.0) == Some(3)).count()
        };
        // Four standard deviations are 110.
        let drawn = count(&mixed, &mut random);
        assert!((890..=1110).contains(&drawn), "{drawn}");
        mixed.add(&Estimate { mixture: vec![0.75, 0.25], playouts: 10, ..mixed.clone() });
        assert_eq!(mixed.mixture, [0.5, 0.5]);
        mixed.mixture.clear();
        assert_eq!(count(&mixed, &mut random), 4000);
    }

    #[test]
    fn threads_add_up() {
        let mut sum = Estimate { candidates: vec![candidate(0, 10, 40.0, None)], ..Estimate::default() };
        let other = Estimate {
            candidates: vec![candidate(0, 30, 80.0, Some((100, 1)))],
            playouts: 7,
            ..Estimate::default()
        };
        sum.add(&other);
        assert_eq!(sum.candidates, [candidate(0, 40, 70.0, Some((100, 1)))]);
        assert_eq!(sum.playouts, 7);
    }
}
