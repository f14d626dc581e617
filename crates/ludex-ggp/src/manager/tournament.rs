//! Many matches between the same players, and what they come to.
//!
//! Every choice of players for the roles meets as often as every other: all rotations of a group take
//! turns, so that whoever gains from a role gains as often as the others.

use super::seat::Seat;
use super::{Event, Played, Setting, Terms, Unfit, roles_to_play, run};
use ludex_engine::random::Random;

/// What one player has reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// The player.
    pub name: String,
    /// Matches finished.
    pub matches: usize,
    /// Matches in which nobody had a higher goal.
    pub best: usize,
    /// Moves of this player that had to be replaced.
    pub errors: usize,
    sum: f64,
    squares: f64,
}

impl Score {
    /// The mean goal.
    pub fn mean(&self) -> f64 {
        if self.matches == 0 { 0.0 } else { self.sum / self.matches as f64 }
    }

    /// Half the width of the interval in which the true mean lies with 95 %, by the normal approximation.
    /// `None` for fewer than two matches.
    pub fn confidence(&self) -> Option<f64> {
        let n = self.matches as f64;
        let variance = (self.squares - self.sum * self.sum / n) / (n - 1.0);
        (self.matches >= 2).then(|| 1.96 * (variance.max(0.0) / n).sqrt())
    }

    fn add(&mut self, goal: i32, best: bool, errors: usize) {
        self.matches += 1;
        self.best += usize::from(best);
        self.errors += errors;
        self.sum += f64::from(goal);
        self.squares += f64::from(goal) * f64::from(goal);
    }
}

/// Who plays in each of `matches` matches of every group, by number: for each role a player.
pub fn pairings(players: usize, roles: usize, matches: usize) -> Vec<Vec<usize>> {
    let groups = groups(players, roles);
    (0..matches)
        .flat_map(|number| groups.iter().map(move |group| (number, group)))
        .map(|(number, group)| {
            let mut seats = group.clone();
            seats.rotate_left(number % roles.max(1));
            seats
        })
        .collect()
}

/// All ways to choose `size` of `players`, ascending.
fn groups(players: usize, size: usize) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new()];
    for _ in 0..size {
        groups = groups
            .into_iter()
            .flat_map(|group: Vec<usize>| {
                let first = group.last().map_or(0, |last| last + 1);
                (first..players).map(move |player| [group.as_slice(), &[player]].concat())
            })
            .collect();
    }
    groups
}

/// Plays the matches one after the other. `make` seats a player by number; `report` gets each match.
pub fn play(
    setting: &Setting,
    players: usize,
    matches: usize,
    terms: &Terms,
    make: &mut dyn FnMut(usize) -> Box<dyn Seat>,
    report: &mut dyn FnMut(&Played, &[Score]),
) -> Result<Vec<Score>, Unfit> {
    let vocabulary = setting.engine.vocabulary();
    let roles = roles_to_play(vocabulary);
    let pairings = pairings(players, roles.len(), matches);
    if pairings.is_empty() {
        return Err(Unfit::Seats { roles: roles.len(), seats: players });
    }
    let mut scores: Vec<Score> =
        (0..players).map(|player| Score { name: make(player).name(), ..Score::default() }).collect();
    let mut seeds = Random::new(terms.seed);
    for pairing in pairings {
        let mut seats: Vec<Box<dyn Seat>> = pairing.iter().map(|&player| make(player)).collect();
        let terms = Terms { seed: seeds.bits(), ..*terms };
        let played = run(setting, &mut seats, &terms, &mut |_: Event<'_>| {})?;
        let record = &played.record;
        if record.is_completed {
            let goals: Vec<i32> = roles.iter().map(|role| record.goal_values[role.index()]).collect();
            let top = goals.iter().max().copied().unwrap_or(0);
            for ((&player, &goal), role) in pairing.iter().zip(&goals).zip(&roles) {
                let errors = record.errors.iter().filter(|errors| !errors[role.index()].is_empty()).count();
                scores[player].add(goal, goal == top, errors);
            }
        }
        report(&played, &scores);
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::{Score, pairings};

    #[test]
    fn everybody_meets_everybody_from_every_side() {
        assert_eq!(pairings(2, 2, 3), [[0, 1], [1, 0], [0, 1]]);
        assert_eq!(pairings(3, 2, 2), [[0, 1], [0, 2], [1, 2], [1, 0], [2, 0], [2, 1]]);
        assert_eq!(pairings(3, 1, 1), [[0], [1], [2]]);
        assert_eq!(pairings(3, 3, 2), [[0, 1, 2], [1, 2, 0]]);
        assert!(pairings(1, 2, 5).is_empty());
    }

    #[test]
    fn means_and_intervals_are_those_of_the_textbook() {
        let mut score = Score::default();
        assert_eq!((score.mean(), score.confidence()), (0.0, None));
        for goal in [100, 100, 0, 50] {
            score.add(goal, goal == 100, 0);
        }
        // Mean 62.5; squared distances 1406.25 + 1406.25 + 3906.25 + 156.25 = 6875; variance 2291.67.
        assert_eq!(score.mean(), 62.5);
        let expected = 1.96 * (6875.0_f64 / 3.0 / 4.0).sqrt();
        assert!((score.confidence().expect("four matches") - expected).abs() < 1e-9);
        assert_eq!((score.matches, score.best), (4, 2));
    }
}
