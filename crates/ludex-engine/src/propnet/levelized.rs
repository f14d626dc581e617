//! Levelized evaluation: gates computed one after the other, in an order in which inputs come first.
//!
//! For what is asked seldom (goals) or feeds back into itself (blocks). Values are numbered from zero, which
//! is the constant false; a signal is the number of a value twice, plus one if it is inverted.

/// Gates in an order in which each reads earlier values only, variables of a block apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Levelized {
    /// The first value that is computed; each gate adds one.
    pub(super) first: usize,
    pub(super) gates: Vec<(u32, u32)>,
    /// The variables of a block, and the signal that gives the next value of each.
    pub(super) feedback: Vec<(u32, u32)>,
}

impl Levelized {
    /// Computes all gates from the values before them; a block from variables that are false, until they no
    /// longer change.
    pub(super) fn compute(&self, values: &mut [u8]) {
        for &(variable, _) in &self.feedback {
            values[variable as usize] = 0;
        }
        loop {
            for (at, &(a, b)) in (self.first..).zip(&self.gates) {
                values[at] = read(values, a) & read(values, b);
            }
            let mut changed = false;
            for &(variable, signal) in &self.feedback {
                let value = read(values, signal);
                changed |= std::mem::replace(&mut values[variable as usize], value) != value;
            }
            if !changed {
                break;
            }
        }
    }
}

/// The value of a signal.
#[inline]
pub(super) fn read(values: &[u8], signal: u32) -> u8 {
    values[(signal >> 1) as usize] ^ (signal & 1) as u8
}
