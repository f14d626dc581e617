//! A step of games on a network allocates nothing.
//!
//! In a program of its own because it counts every allocation, by thread.

use ludex_engine::budget::Budget;
use ludex_env::{Autoreset, Batch, Cells, Encoder, Illegal, Model, Options, Outputs};
use ludex_testkit::corpus::games;
use ludex_testkit::report::Report;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // Fails only while the thread is being torn down, when nobody counts any more.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: every request is handed to the system allocator unchanged; counting touches a thread-local number without a
// destructor, which neither allocates nor panics.
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

#[test]
fn a_step_allocates_nothing() {
    let mut report = Report::new("allocation");
    for source in games() {
        report.case(&source.name, || {
            let model = Model::new(&source.game()?, &Budget::default()).map_err(|e| e.to_string())?;
            let model = Arc::new(model);
            let encoder = Arc::new(Encoder::flat(&model, None));
            let games = 1100;
            let options = Options {
                autoreset: Autoreset::SameStep,
                illegal: Illegal::Random,
                length: 30,
                ..Options::default()
            };
            let batch = Batch::new(model.clone(), games, options).map_err(|e| e.to_string())?;
            let mut batch = batch.with_encoder(encoder.clone()).map_err(|e| e.to_string())?;
            let mut actions = vec![0; games * model.role_count()];
            let mut legal = vec![0; games * model.move_count()];
            let mut rewards = vec![0.0; games * model.role_count()];
            let (mut terminated, mut turn) = (vec![0; games], vec![0; games]);
            let mut observation = vec![0.0; games * encoder.len()];
            let mut last = vec![0; games * encoder.len()];
            let before = ALLOCATIONS.get();
            for step in 0..40 {
                batch.sample(step, &mut actions).map_err(|e| e.to_string())?;
                actions[step as usize] = -1;
                let outputs = Outputs {
                    legal: Some(&mut legal),
                    rewards: Some(&mut rewards),
                    terminated: Some(&mut terminated),
                    turn: Some(&mut turn),
                    observation: Some(Cells::Floats(&mut observation)),
                    final_observation: Some(Cells::Bytes(&mut last)),
                    ..Outputs::default()
                };
                batch.step(&actions[..], outputs).map_err(|e| e.to_string())?;
            }
            match ALLOCATIONS.get() - before {
                0 => Ok(()),
                n => Err(format!("{n} allocations in forty steps")),
            }
        });
    }
    report.finish();
}
