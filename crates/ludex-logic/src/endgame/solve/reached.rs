//! How far solving has got, for another thread that watches.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far solving has got: first states are visited, then layers are worked back from the ends, once for each role
/// and value.
#[derive(Debug, Default)]
pub struct Reached {
    states: AtomicU64,
    passes: AtomicU64,
    pass: AtomicU64,
    layer: AtomicU64,
}

impl Reached {
    /// States found so far.
    pub fn states(&self) -> u64 {
        self.states.load(Ordering::Relaxed)
    }

    pub(super) fn visit(&self, states: usize) {
        self.states.store(states as u64, Ordering::Relaxed);
    }

    /// All states are there; so many passes over them follow.
    pub(super) fn work_back(&self, passes: usize) {
        self.passes.store(passes as u64, Ordering::Relaxed);
    }

    pub(super) fn begin_pass(&self) {
        self.layer.store(0, Ordering::Relaxed);
        self.pass.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn begin_layer(&self, layer: u16) {
        self.layer.store(u64::from(layer), Ordering::Relaxed);
    }
}

impl fmt::Display for Reached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [states, passes, pass, layer] = [&self.states, &self.passes, &self.pass, &self.layer]
            .map(|number| number.load(Ordering::Relaxed));
        match passes {
            0 => write!(f, "visiting, {states} states found"),
            _ => write!(
                f,
                "{states} states, working back from the ends: pass {pass} of {passes}, layer {layer}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Reached;

    #[test]
    fn both_phases_are_told() {
        let reached = Reached::default();
        reached.visit(12);
        assert_eq!(reached.to_string(), "visiting, 12 states found");
        reached.work_back(3);
        reached.begin_pass();
        reached.begin_layer(7);
        let expected = "12 states, working back from the ends: pass 1 of 3, layer 7";
        assert_eq!(reached.to_string(), expected);
        reached.begin_pass();
        assert!(reached.to_string().ends_with("pass 2 of 3, layer 0"));
    }
}
