//! How much everybody together may have. Whoever meets a limit is told which one, and nothing grows beyond it.

use std::time::Duration;

/// The bounds of a server.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at a time; further ones wait to be accepted.
    pub connections: usize,
    /// Time for the head of a request.
    pub head: Duration,
    /// Time for a request that is no stream, its work included.
    pub request: Duration,
    /// Bytes of a request's body: a rule sheet or a record, with some room.
    pub body: usize,
    /// Streams at a time.
    pub streams: usize,
    /// Matches that are kept, on disk and in memory.
    pub matches: usize,
    /// Matches in memory; those that nobody looks at make room, and come back from the disk.
    pub awake: usize,
    /// Positions of one match, all branches together.
    pub positions: usize,
    /// Moves of one role in one position that a page is told.
    pub moves: usize,
    /// Rule sheets that were pasted, on disk.
    pub sheets: usize,
    /// Bytes of one pasted rule sheet.
    pub sheet: usize,
    /// Games whose engines are held.
    pub games: usize,
    /// Agents at a time; the one that was used longest ago makes room.
    pub agents: usize,
    /// Bytes of one agent's tree.
    pub agent_memory: usize,
    /// Conversations with players at addresses.
    pub players: usize,
    /// Agents that think at the same moment.
    pub thinking: usize,
    /// How long one position is looked at for the engine's view.
    pub view: Duration,
    /// Questions (proofs, statistics, checks) at the same moment.
    pub jobs: usize,
    /// Questions that wait for their turn.
    pub waiting: usize,
    /// Time for one question.
    pub job: Duration,
    /// Bytes for one question.
    pub job_memory: usize,
    /// After so long without anybody looking a match leaves memory, and an agent ends.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 256,
            head: Duration::from_secs(10),
            request: Duration::from_secs(60),
            body: 2 << 20,
            streams: 128,
            matches: 200,
            awake: 32,
            positions: 5000,
            moves: 20_000,
            sheets: 100,
            sheet: 1 << 20,
            games: 24,
            agents: 8,
            agent_memory: 128 << 20,
            players: 8,
            thinking: 2,
            view: Duration::from_secs(20),
            jobs: 2,
            waiting: 16,
            job: Duration::from_secs(20),
            job_memory: 1 << 30,
            idle: Duration::from_secs(300),
        }
    }
}
