//! Solver selection: which exhaustive search suits a game. What is proved of it decides, and where nothing is
//! proved the search that notices by itself when it does not fit.

use ludex_engine::engine::Goal;
use ludex_logic::facts::{Facts, Turns};
use std::fmt;

/// The sum of goals that [`crate::alphabeta`] is written for.
pub const SUM: Goal = 100;

/// A search that visits everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhaustive {
    /// [`crate::alphabeta`]: two who take turns for a constant sum is proved.
    Proved,
    /// The same, unproved: it ends with the first state that shows otherwise.
    Assumed,
    /// [`crate::solitaire`]: there is one role.
    Solitaire,
    /// None: three and more roles, or a proof that the goals add up to something else.
    Unfit,
}

impl Exhaustive {
    /// What suits a game of so many roles of which that is proved; `None` if nobody has tried to prove anything.
    pub fn of(roles: usize, facts: Option<&Facts>) -> Exhaustive {
        match (roles, facts) {
            (1, _) => Exhaustive::Solitaire,
            (2, Some(Facts { goal_sum: Some(sum), .. })) if *sum != SUM => Exhaustive::Unfit,
            (2, Some(Facts { goal_sum: Some(_), turns: Turns::Alternate { .. }, .. })) => Exhaustive::Proved,
            (2, _) => Exhaustive::Assumed,
            _ => Exhaustive::Unfit,
        }
    }

    /// The search gets one part in so many of a thread's time. One that is sure to fit finds more.
    pub fn share(self) -> u32 {
        match self {
            // Beside it the tree is one search of several.
            Exhaustive::Solitaire => 2,
            Exhaustive::Proved => 4,
            Exhaustive::Assumed | Exhaustive::Unfit => 6,
        }
    }
}

impl fmt::Display for Exhaustive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exhaustive::Proved => "alpha-beta, which is proved to fit",
            Exhaustive::Assumed => "alpha-beta, as long as it fits",
            Exhaustive::Solitaire => "search for one",
            Exhaustive::Unfit => "no exhaustive search",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Exhaustive;
    use ludex_logic::facts::{Facts, Turns};

    #[test]
    fn proofs_decide_and_their_absence_decides_nothing() {
        let turns = Turns::Alternate { control: Vec::new() };
        let fits = Facts { turns: turns.clone(), goal_sum: Some(100), ..Facts::default() };
        let cases = [
            (1, None, Exhaustive::Solitaire),
            (2, None, Exhaustive::Assumed),
            (2, Some(Facts::default()), Exhaustive::Assumed),
            (2, Some(Facts { turns, ..Facts::default() }), Exhaustive::Assumed),
            (2, Some(Facts { goal_sum: Some(100), ..Facts::default() }), Exhaustive::Assumed),
            (2, Some(Facts { goal_sum: Some(50), ..fits.clone() }), Exhaustive::Unfit),
            (2, Some(fits.clone()), Exhaustive::Proved),
            (3, Some(fits), Exhaustive::Unfit),
        ];
        for (roles, facts, expected) in cases {
            assert_eq!(Exhaustive::of(roles, facts.as_ref()), expected, "{roles} roles, {facts:?}");
        }
    }
}
