//! The commands, one file each.

mod bench;
mod check;
#[cfg_attr(not(feature = "cluster"), path = "no_cluster.rs")]
mod cluster;
mod cluster_plan;
mod count;
mod debug;
mod draw;
mod endgame;
mod frame;
mod games;
mod gdl_perf;
#[cfg_attr(not(feature = "cuda"), path = "no_gpu.rs")]
mod gpu;
mod lsp;
mod match_;
mod minimax;
mod perft;
mod play;
mod player;
mod print;
mod prove;
mod refutation;
mod repair;
mod replay;
mod shell;
mod simulate;
mod solve;
mod stats;
mod strategy;
mod train;
#[cfg(feature = "web")]
mod web;

use crate::args::Command;
use crate::status::Status;
use anyhow::Result;
use std::io::Write;

/// Runs a command; its answer goes to `out`.
pub fn run(command: &Command, out: &mut dyn Write) -> Result<Status> {
    match command {
        Command::Check(args) => check::run(args, out),
        Command::Print(args) => print::run(args, out),
        Command::Perft(args) => perft::run(args, out),
        Command::Simulate(args) => simulate::run(args, out),
        Command::Draw(args) => draw::run(args, out),
        Command::Replay(args) => replay::run(args, out),
        Command::Bench(args) => bench::run(args, out),
        Command::Stats(args) => stats::run(args, out),
        Command::Train(args) => train::run(args, out),
        Command::Prove(args) => prove::run(args, out),
        Command::Frame(args) => frame::run(args, out),
        Command::Minimax(args) => minimax::run(args, out),
        Command::Endgame(args) => endgame::run(args, out),
        Command::Solve(args) => solve::run(args, out),
        Command::Count(args) => count::run(args, out),
        Command::Cluster(args) => cluster_plan::run(args, out),
        Command::Debug(args) => debug::run(args, out),
        Command::Play(args) => play::run(args, out),
        Command::Player(args) => player::run(args, out),
        Command::Match(args) => match_::run(args, out),
        #[cfg(feature = "web")]
        Command::Web(args) => web::run(args, out),
        Command::Games(args) => games::run(args, out),
        Command::Lsp(args) => lsp::run(args, out),
        Command::Completions(args) => shell::completions(args, out),
        Command::Man(args) => shell::man(args, out),
    }
}
