//! What a batch does where the rules leave it open.

/// When a game that is over begins anew. The words are Gymnasium's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Autoreset {
    /// In the step after the one in which it ended; the action of that step is not looked at, its reward is zero.
    #[default]
    NextStep,
    /// In the step in which it ended: mask and observation are those of the new game, reward and flags those of
    /// the end. The last state of the old game is in [`Outputs::final_observation`](crate::Outputs::final_observation).
    SameStep,
    /// Never: it stays as it is until [`Batch::reset`](crate::Batch::reset). Actions are not looked at,
    /// rewards are zero, and the flags say again how it ended.
    Disabled,
}

/// What an action means that is not legal: a move that the role may not make, or a number that no move has.
/// In games that are over, and in those that begin anew in this step, actions are not looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Illegal {
    /// An error that names game, role and action; no game is stepped.
    #[default]
    Raise,
    /// The game ends without a move. The role gets its least value, each role whose action was legal its
    /// greatest; for two who share a constant sum that is the sum.
    Lose,
    /// A legal move is drawn instead, all equally likely, from the seed, the number of the game, that of the
    /// step and the role.
    Random,
}

/// What a role gets at the end of a game. Before the end it is zero, and also where a game is cut off or
/// cannot be played on. A role to which the rules give no single value at the end has the least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rewards {
    /// The goal value.
    #[default]
    Goals,
    /// The goal value moved so that the least that the rules name is -1 and the greatest 1.
    Scaled,
    /// The scaled value less the mean of the others', halved: the rewards of all roles sum to zero, and lie
    /// between -1 and 1. For two roles whose goals have a constant sum this is the scaled value.
    ZeroSum,
}

/// What is asked of a role that has one legal move only, as whoever waits for the turn has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Forced {
    /// The number of that move.
    #[default]
    Given,
    /// Anything: the move is made whatever the action is.
    Made,
}

/// How a batch plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// When a game that is over begins anew.
    pub autoreset: Autoreset,
    /// What an action means that is not legal.
    pub illegal: Illegal,
    /// What a role gets.
    pub rewards: Rewards,
    /// What is asked of a role without a choice.
    pub forced: Forced,
    /// A game is cut off (truncated) after so many steps; zero is no bound.
    pub length: u32,
    /// Where random moves come from.
    pub seed: u64,
    /// Threads that step; what comes out does not depend on it.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            autoreset: Autoreset::default(),
            illegal: Illegal::default(),
            rewards: Rewards::default(),
            forced: Forced::default(),
            length: 0,
            seed: 0,
            threads: 1,
        }
    }
}
