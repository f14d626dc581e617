//! What games came to that each began in a state of its own: the leaves of a search.
//!
//! The kernels of [`Ends::Kept`](super::Ends::Kept) tell a plane for each goal value of the rules; here they become a goal
//! a role for each game, as the lanes of the CPU tell it.

use super::source::Source;
use ludex_engine::engine::Goal;

impl Source {
    /// The goals of `games` games, a row each: `None` where the last state gives no single number. `told` has `words` words
    /// for each goal value.
    ///
    /// # Panics
    /// If there are fewer words than `words` for each goal value, or fewer than the games need.
    pub fn goals_told(&self, told: &[u32], words: usize, games: usize, goals: &mut Vec<Option<Goal>>) {
        let roles = self.goals.len();
        goals.clear();
        goals.resize(games * roles, None);
        let mut planes = told.chunks_exact(words.max(1));
        for (role, values) in self.goals.iter().enumerate() {
            let mut once = vec![0u32; words];
            for value in values {
                let plane = planes.next().expect("a plane for each goal value");
                for (word, bits) in plane.iter().enumerate().take(games.div_ceil(32)) {
                    // What is said twice is no single number.
                    let twice = once[word] & bits;
                    once[word] |= bits;
                    for game in games_of(word, *bits).take_while(|game| *game < games) {
                        let is_twice = twice >> (game % 32) & 1 == 1;
                        goals[game * roles + role] = value.filter(|_| !is_twice);
                    }
                }
            }
        }
    }

    /// Whether what was counted while `games` games were played to their ends in so many passes adds up.
    #[cfg(feature = "device")]
    pub(crate) fn check_kept(
        &self,
        tally: &[u64],
        games: u64,
        passes: u64,
    ) -> Result<(), super::error::CudaError> {
        use super::error::CudaError;
        use super::source::{LIVE, PLAYOUTS, STARTED, TRANSITIONS};
        let [ended, live, started] = [tally[PLAYOUTS], tally[LIVE], tally[STARTED]];
        if ended != games || live != 0 || started != 0 {
            return Err(CudaError::Tally(format!(
                "of {games} games {ended} ended and {live} are under way, and {started} others began"
            )));
        }
        if tally[TRANSITIONS] > passes * games {
            let made = tally[TRANSITIONS];
            return Err(CudaError::Tally(format!("{made} moves of {games} games in {passes} passes")));
        }
        Ok(())
    }
}

/// The numbers of the games whose bits are set.
fn games_of(word: usize, bits: u32) -> impl Iterator<Item = usize> {
    let mut left = bits;
    std::iter::from_fn(move || {
        let lane = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(32 * word + lane)
    })
}
