//! The contract of all engines.
//!
//! An [`Engine`] is the compiled rules of one game: immutable and shared by all threads. A [`Worker`] is one
//! thread's scratch memory over it and does the reasoning; it shares the compiled rules and can be kept beside, or
//! outlive, its engine. All engines of a game use the same [`Vocabulary`], so their states and moves can be compared
//! bit by bit and exchanged in mid-match.
//!
//! Every question about a state has an answer or a [`Fault`]: the limit that was met on the way. A fault says nothing
//! about the state; another engine, or more time, may answer. The network never has one.

use crate::budget::Budget;
use crate::fault::Fault;
use crate::random::Random;
use crate::row::Row;
use crate::vocabulary::{MoveId, RoleId, Vocabulary};
use std::fmt::Debug;
use std::sync::Arc;

/// A goal value. The specification has 0 to 100; sheets that go beyond are answered as they stand.
pub type Goal = i32;

/// The compiled rules of one game.
pub trait Engine: Debug + Send + Sync {
    /// The name by which users choose the engine.
    fn name(&self) -> &'static str;

    /// The numbering of roles, fluents and moves.
    fn vocabulary(&self) -> &Arc<Vocabulary>;

    /// Bytes held, roughly.
    fn memory_usage(&self) -> usize;

    /// Scratch memory for one thread. The only call that allocates for good.
    fn worker(&self) -> Box<dyn Worker>;
}

/// One thread's reasoner. Once its buffers have grown nothing allocates.
pub trait Worker: Send {
    /// The numbering of roles, fluents and moves.
    fn vocabulary(&self) -> &Vocabulary;

    /// Writes the initial state, which is computed when the engine is built.
    fn initial(&mut self, out: &mut Row);

    /// True if the game is over.
    fn is_terminal(&mut self, state: &Row) -> Result<bool, Fault>;

    /// Replaces `out` by the role's legal moves, ascending. Empty in a state that is not terminal means
    /// that the game cannot be played on, which callers must survive; terminal states may have some.
    fn legal(&mut self, state: &Row, role: RoleId, out: &mut Vec<MoveId>) -> Result<(), Fault>;

    /// Writes the successor of `state` when each role plays its move in `joint`, in the order of the roles.
    /// After a fault `out` means nothing.
    fn next(&mut self, state: &Row, joint: &[MoveId], out: &mut Row) -> Result<(), Fault>;

    /// The role's goal value, or `None` where the rules give none, several, or one that is no number.
    fn goal(&mut self, state: &Row, role: RoleId) -> Result<Option<Goal>, Fault>;

    /// From now on questions also end, as over a limit, when the deadline of `budget` passes, its token is
    /// cancelled or its memory is used up. How many rows and steps a question may take stays as the engine
    /// was built. Workers that cannot meet a limit, as their work is bounded when the engine is built, need
    /// not look.
    fn obey(&mut self, _budget: &Budget) {}

    /// Plays at random from `state` until the game is over, somebody cannot move, or `most` moves are made.
    /// `state` becomes the last state; returns the number of joint moves. After a fault `state` is the one that
    /// was asked about.
    ///
    /// Every legal move of a role is equally likely. Engines that play otherwise inside have the same
    /// distribution, not the same sequence.
    fn playout(
        &mut self,
        state: &mut Row,
        most: usize,
        random: &mut Random,
        buffer: &mut PlayoutBuffer,
    ) -> Result<usize, Fault> {
        let roles = self.vocabulary().role_count();
        for made in 0..most {
            if self.is_terminal(state)? {
                return Ok(made);
            }
            buffer.joint.clear();
            for role in 0..roles as u32 {
                self.legal(state, RoleId(role), &mut buffer.legal)?;
                if buffer.legal.is_empty() {
                    return Ok(made);
                }
                buffer.joint.push(buffer.legal[random.below(buffer.legal.len())]);
            }
            buffer.next.resize(state.len(), 0);
            self.next(state, &buffer.joint, &mut buffer.next)?;
            state.copy_from_slice(&buffer.next);
        }
        Ok(most)
    }
}

/// Memory that [`Worker::playout`] reuses.
#[derive(Clone, Debug, Default)]
pub struct PlayoutBuffer {
    legal: Vec<MoveId>,
    pub(crate) joint: Vec<MoveId>,
    next: Vec<u64>,
}
