//! The moves of all roles but one, numbered: the last role's moves change fastest.

use ludex_engine::vocabulary::{MoveId, RoleId};

/// How many combinations there are; `None` if that is beyond any number.
pub(super) fn count(legal: &[Vec<MoveId>], role: RoleId) -> Option<usize> {
    let others = legal.iter().enumerate().filter(|(other, _)| *other != role.index());
    others.map(|(_, list)| list.len()).try_fold(1, |product: usize, length| product.checked_mul(length))
}

/// The joint move of the role's action and the combination of that number.
pub(super) fn joint(
    legal: &[Vec<MoveId>],
    role: RoleId,
    action: MoveId,
    number: usize,
    out: &mut Vec<MoveId>,
) {
    out.clear();
    out.resize(legal.len(), action);
    let mut rest = number;
    for (other, list) in legal.iter().enumerate().rev().filter(|(other, _)| *other != role.index()) {
        out[other] = list[rest % list.len()];
        rest /= list.len();
    }
}
