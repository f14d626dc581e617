//! Once its buffers have grown, a worker allocates nothing.
//!
//! In a program of its own because it counts every allocation: by thread, or tests that run at the same
//! time would count each other's.

use ludex_engine::budget::Budget;
use ludex_engine::datalog::Datalog;
use ludex_engine::engine::{Engine, PlayoutBuffer};
use ludex_engine::error::BuildError;
use ludex_engine::propnet::Propnet;
use ludex_engine::random::Random;
use ludex_engine::tree::Tree;
use ludex_engine::vocabulary::MoveId;
use ludex_gdl::Game;
use ludex_testkit::corpus::games;
use ludex_testkit::report::Report;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // Fails only while the thread is being torn down, when nobody counts any more.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: every request is handed to the system allocator unchanged; counting touches a thread-local
// number without a destructor, which neither allocates nor panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promises about `layout` are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` through `alloc` or `realloc`, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`, and the caller's promises about `size` are passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The games that one run plays: the same ones each time, so the second run needs no larger buffers.
fn play(engine: &dyn Engine, worker: &mut dyn ludex_engine::engine::Worker, memory: &mut Memory) {
    let mut random = Random::new(1);
    for _ in 0..3 {
        worker.initial(&mut memory.state);
        worker.playout(&mut memory.state, 200, &mut random, &mut memory.buffer).expect("no limit is met");
        for role in engine.vocabulary().roles() {
            worker.goal(&memory.state, role).expect("no limit is met");
            worker.legal(&memory.state, role, &mut memory.legal).expect("no limit is met");
        }
    }
}

struct Memory {
    state: Vec<u64>,
    legal: Vec<MoveId>,
    buffer: PlayoutBuffer,
}

#[test]
fn a_warm_worker_of_the_reference_allocates_nothing() {
    check(|game| Ok(Box::new(Datalog::new(game, &Budget::default())?)));
}

#[test]
fn a_warm_worker_of_the_network_allocates_nothing() {
    check(|game| Ok(Box::new(Propnet::new(game, &Budget::default())?)));
}

#[test]
fn a_warm_worker_of_the_interpreter_allocates_nothing() {
    check(|game| Ok(Box::new(Tree::new(game, &Budget::default())?)));
}

fn check(build: impl Fn(&Game) -> Result<Box<dyn Engine>, BuildError>) {
    let mut report = Report::new("allocation");
    for source in games() {
        report.case(&source.name, || {
            let engine = build(&source.game()?).map_err(|e| e.to_string())?;
            let state = vec![0; engine.vocabulary().words()];
            let mut memory = Memory { state, legal: Vec::new(), buffer: PlayoutBuffer::default() };
            let mut worker = engine.worker();
            play(&*engine, &mut *worker, &mut memory);
            let before = ALLOCATIONS.get();
            play(&*engine, &mut *worker, &mut memory);
            match ALLOCATIONS.get() - before {
                0 => Ok(()),
                n => Err(format!("{n} allocations in three warm playouts")),
            }
        });
    }
    report.finish();
}
