//! A token by which one thread ends the work of others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A token; its clones are the same token. Once it is cancelled it stays so.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Token>);

#[derive(Debug, Default)]
struct Token {
    cancelled: AtomicBool,
    /// With any of these the token is cancelled too.
    parents: Vec<Cancel>,
}

impl Cancel {
    /// A token of its own that is also cancelled when this one is: for a part of the work.
    #[must_use]
    pub fn child(&self) -> Cancel {
        Cancel(Arc::new(Token { cancelled: AtomicBool::new(false), parents: vec![self.clone()] }))
    }

    /// A token that is cancelled when one of the two is.
    pub(super) fn either(a: &Cancel, b: &Cancel) -> Cancel {
        Cancel(Arc::new(Token { cancelled: AtomicBool::new(false), parents: vec![a.clone(), b.clone()] }))
    }

    /// Ends the work.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// True if the work is to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed) || self.0.parents.iter().any(Cancel::is_cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::Cancel;

    #[test]
    fn a_child_ends_with_its_parent_and_not_the_other_way_round() {
        let whole = Cancel::default();
        let (one, two) = (whole.child(), whole.child());
        one.cancel();
        assert!(one.is_cancelled() && !whole.is_cancelled() && !two.is_cancelled());
        let both = Cancel::either(&one, &two);
        assert!(both.is_cancelled());
        whole.cancel();
        assert!(two.is_cancelled());
    }
}
