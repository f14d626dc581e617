//! A uniform random choice among legal moves, as bit logic.
//!
//! As the lanes of the CPU do it: the legal moves are counted (c), a number r below c is drawn as the integer
//! part of u*c for a random fraction u, and the r-th legal move is taken. Here counts are added in a tree, and
//! the tree is walked down from its root: all nodes of a level share one comparison, because only one of them
//! is entered in each game. A move costs about five operations.
//!
//! The choice is uniform to one part in 2^46: where the first digits of u leave r open, more are drawn.

use super::circuit::{Circuit, Plane, tables};

/// Moves are taken in groups of so many.
const GROUP: usize = 8;

/// Up to so many moves are counted down one by one.
const FEW: usize = 16;

/// Random digits beyond those that the result has. A game is left open by chance 2^-DIGITS.
const DIGITS: usize = 14;

/// Counts of up to so many digits are drawn without a loop: the code is short, and what is zero at first
/// costs nothing.
const UNROLLED: usize = 5;

/// What was chosen.
#[derive(Debug)]
pub(crate) struct Chosen {
    /// For each move two planes; it is made where both are set.
    pub(crate) does: Vec<(Plane, Plane)>,
}

/// The planes counted: kept for the choice.
#[derive(Debug)]
pub(crate) struct Counted {
    /// Where something is legal.
    pub(crate) some: Plane,
    /// Levels of counts; the first has one a group, the last is the whole.
    levels: Vec<Vec<Vec<Plane>>>,
}

/// Counts the legal moves.
pub(crate) fn count(circuit: &mut Circuit, legal: &[Plane]) -> Counted {
    let group = if legal.len() <= FEW { FEW } else { GROUP };
    let mut levels = vec![legal.chunks(group).map(|part| circuit.count(part)).collect::<Vec<_>>()];
    while let Some(level) = levels.last()
        && level.len() > 1
    {
        let next = level
            .chunks(2)
            .map(|pair| match pair {
                [a, b] => circuit.add(a, b),
                rest => rest[0].clone(),
            })
            .collect();
        levels.push(next);
    }
    let total = levels.last().and_then(|level| level.first()).cloned().unwrap_or_default();
    let some = circuit.any(&total);
    Counted { some, levels }
}

/// Chooses one of the legal moves that were counted.
pub(crate) fn choose(circuit: &mut Circuit, legal: &[Plane], counted: &Counted) -> Chosen {
    let Counted { levels, .. } = counted;
    let total = levels.last().and_then(|level| level.first()).cloned().unwrap_or_default();
    let mut rest = below(circuit, &total);
    if legal.len() <= FEW {
        let does = count_down(circuit, legal, rest);
        return Chosen { does: does.into_iter().map(|plane| (plane, Plane::TRUE)).collect() };
    }
    let mut entered = vec![Plane::TRUE];
    for level in levels[..levels.len() - 1].iter().rev() {
        let pairs: Vec<&[Vec<Plane>]> = level.chunks(2).collect();
        // What lies to the left, in each game by the node that it has entered. A node without a right side is
        // as one without a left side: nothing is taken off.
        let mut left: Vec<Plane> = Vec::new();
        for (pair, here) in pairs.iter().zip(&entered) {
            if let [a, _] = pair {
                for (place, digit) in a.iter().enumerate() {
                    if place == left.len() {
                        left.push(Plane::FALSE);
                    }
                    left[place] = circuit.table(tables::OR_AND, &[&left[place], here, digit]);
                }
            }
        }
        let mut borrow = Plane::FALSE;
        let mut less = Vec::new();
        for (place, digit) in rest.iter().enumerate() {
            let by = left.get(place).unwrap_or(&Plane::FALSE);
            less.push(circuit.table(tables::XOR3, &[digit, by, &borrow]));
            borrow = circuit.table(tables::BORROW, &[digit, by, &borrow]);
        }
        let largest = level.iter().map(Vec::len).max().unwrap_or(0);
        rest = rest
            .iter()
            .zip(&less)
            .take(largest)
            .map(|(old, new)| circuit.table(tables::BLEND, &[&borrow, old, new]))
            .collect();
        let mut below = Vec::new();
        for (pair, here) in pairs.iter().zip(&entered) {
            if let [_, _] = pair {
                below.push(circuit.and(here, &borrow));
                below.push(circuit.and(here, &borrow.inverse()));
            } else {
                below.push(here.clone());
            }
        }
        entered = below;
    }
    rest.truncate(GROUP.ilog2() as usize);
    let mut at = vec![Plane::FALSE; GROUP];
    for (part, here) in legal.chunks(GROUP).zip(&entered) {
        for (at, legal) in at.iter_mut().zip(part) {
            *at = circuit.table(tables::OR_AND, &[at, here, legal]);
        }
    }
    let at = count_down(circuit, &at, rest);
    let does =
        (0..legal.len()).map(|seat| (at[seat % GROUP].clone(), entered[seat / GROUP].clone())).collect();
    Chosen { does }
}

/// Takes the one with so many others before it.
fn count_down(circuit: &mut Circuit, legal: &[Plane], mut rest: Vec<Plane>) -> Vec<Plane> {
    let mut taken = Vec::new();
    for here in legal {
        // Counting below zero happens once, at the one that is taken: there are fewer than numbers.
        let mut borrow = here.clone();
        for digit in &mut rest {
            let old = digit.clone();
            *digit = circuit.table(tables::XOR, &[&old, &borrow]);
            borrow = circuit.table(tables::AND, &[&borrow, &old.inverse()]);
        }
        taken.push(borrow);
    }
    taken
}

/// One more random digit above those drawn so far: adds `count` to the sum where it is one, and halves the
/// sum. Returns what the halving drops.
fn digit(circuit: &mut Circuit, count: &[Plane], sum: &mut [Plane]) -> Plane {
    let u = circuit.name();
    circuit.line(&format!("DRAW({u})"));
    let u = Plane::word(u);
    let (a, b, c) = (tables::A, tables::B, tables::C);
    let dropped = circuit.table(a ^ (b & c), &[&sum[0], &count[0], &u]);
    let mut carry = circuit.table(a & b & c, &[&sum[0], &count[0], &u]);
    for place in 1..sum.len() {
        let addend = circuit.and(&count[place], &u);
        let old = sum[place].clone();
        sum[place - 1] = circuit.table(tables::XOR3, &[&old, &addend, &carry]);
        carry = circuit.table(tables::MAJORITY, &[&old, &addend, &carry]);
    }
    let last = sum.len() - 1;
    sum[last] = carry;
    dropped
}

/// Words that loops may change, each with the value of the plane.
fn variables(circuit: &mut Circuit, planes: &[Plane]) -> Vec<Plane> {
    planes
        .iter()
        .map(|plane| {
            let name = circuit.name();
            circuit.line(&format!("u32 {name} = {};", plane.text()));
            Plane::word(name)
        })
        .collect()
}

fn assign(circuit: &mut Circuit, to: &[Plane], from: &[Plane]) {
    for (to, from) in to.iter().zip(from) {
        if to != from {
            circuit.line(&format!("{} = {};", to.text(), from.text()));
        }
    }
}

/// A number below `count` in each game (anything where the count is zero), all equally likely.
fn below(circuit: &mut Circuit, count: &[Plane]) -> Vec<Plane> {
    let digits = count.len();
    let zero = vec![Plane::FALSE; digits];
    if digits <= UNROLLED {
        let mut sum = zero.clone();
        let low: Vec<Plane> = (0..digits).map(|_| digit(circuit, count, &mut sum)).collect();
        let mut open = Plane::TRUE;
        for _ in 0..DIGITS {
            let dropped = digit(circuit, count, &mut sum);
            open = circuit.and(&open, &dropped);
        }
        let sum = variables(circuit, &sum);
        more(circuit, count, &sum, &low, &open);
        return sum;
    }
    // The same in loops. What is dropped first is shifted through a chain of words.
    let sum = variables(circuit, &zero);
    let low = variables(circuit, &zero);
    circuit.line(&format!("#pragma unroll 1\nfor (int i = 0; i < {digits}; i++) {{"));
    let mut now = sum.clone();
    let dropped = digit(circuit, count, &mut now);
    let shifted: Vec<Plane> = low[1..].iter().cloned().chain([dropped]).collect();
    assign(circuit, &low, &shifted);
    assign(circuit, &sum, &now);
    circuit.line("}");
    let open = variables(circuit, &[Plane::TRUE]);
    circuit.line(&format!("#pragma unroll 2\nfor (int i = 0; i < {DIGITS}; i++) {{"));
    let mut now = sum.clone();
    let dropped = digit(circuit, count, &mut now);
    let still = circuit.and(&open[0], &dropped);
    assign(circuit, &open, &[still]);
    assign(circuit, &sum, &now);
    circuit.line("}");
    circuit.operations += (digits + DIGITS - 2) * 3 * digits;
    more(circuit, count, &sum, &low, &open[0]);
    sum
}

/// Where the fraction is so close to one that further digits could carry into the result, draws them.
fn more(circuit: &mut Circuit, count: &[Plane], sum: &[Plane], low: &[Plane], open: &Plane) {
    let before = circuit.operations;
    let digits = count.len();
    circuit.line(&format!("if ({}) {{", open.text()));
    let more = variables(circuit, &vec![Plane::FALSE; digits]);
    circuit.line("#pragma unroll 1\nfor (int i = 0; i < 32; i++) {");
    let mut now = more.clone();
    digit(circuit, count, &mut now);
    assign(circuit, &more, &now);
    circuit.line("}");
    let mut carry = Plane::FALSE;
    for (low, more) in low.iter().zip(&more) {
        carry = circuit.table(tables::MAJORITY, &[low, more, &carry]);
    }
    carry = circuit.and(&carry, open);
    for digit in sum {
        let flipped = circuit.table(tables::XOR, &[digit, &carry]);
        carry = circuit.and(&carry, digit);
        assign(circuit, std::slice::from_ref(digit), &[flipped]);
    }
    circuit.line("}");
    // It is rare.
    circuit.operations = before;
}
