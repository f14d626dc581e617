//! Random numbers, and moves chosen by them, in all lanes at once.
//!
//! With a plane for each move that says in which lanes it is legal, a uniform choice needs no loop over the
//! games. The planes are counted by carry-save adders (c); a number r below c is drawn as the integer part of
//! u*c, where u is a random fraction, one plane a binary digit; then the r-th legal move is taken by counting
//! down, groups of eight first.
//!
//! The choice is uniform to one part in 2^46 or better: where the first digits of u leave r open, more are
//! drawn. That is rare enough to cost nothing.

use super::memory::Memory;
use super::plan::{Choice, GROUP, Slot};
use super::vector::{Plane, Vector};
use crate::random::Random;

/// Eight generators xoshiro256++ side by side.
#[derive(Clone, Debug)]
pub(super) struct Planes {
    state: [Plane; 4],
}

impl Planes {
    pub(super) fn new(seed: u64) -> Planes {
        let mut random = Random::new(seed);
        Planes { state: [(); 4].map(|()| Plane([(); 8].map(|()| random.bits()))) }
    }
}

/// The generators in registers.
pub(super) struct Draw<V> {
    state: [V; 4],
}

impl<V: Vector> Draw<V> {
    #[inline(always)]
    pub(super) fn new(machine: V::Machine, planes: &Planes) -> Draw<V> {
        let [a, b, c, d] = &planes.state;
        Draw { state: [V::load(machine, a), V::load(machine, b), V::load(machine, c), V::load(machine, d)] }
    }

    #[inline(always)]
    pub(super) fn save(&self, planes: &mut Planes) {
        for (vector, plane) in self.state.iter().zip(&mut planes.state) {
            vector.store(plane);
        }
    }

    #[inline(always)]
    fn plane(&mut self) -> V {
        let s = &mut self.state;
        let result = s[0].add(s[3]).rotate_left::<23>().add(s[0]);
        let t = s[1].shift_left::<17>();
        s[2] = s[2].xor(s[0]);
        s[3] = s[3].xor(s[1]);
        s[1] = s[1].xor(s[2]);
        s[0] = s[0].xor(s[3]);
        s[2] = s[2].xor(t);
        s[3] = s[3].rotate_left::<45>();
        result
    }
}

// No closures over vectors from here on: a closure is a function without the machine's instructions, and if
// it is not inlined, nor are the operations in it (measured: tictactoe 4611 ns a pass instead of 501).

#[inline(always)]
fn full<V: Vector>(a: V, b: V, c: V) -> (V, V) {
    (a.xor3(b, c), a.majority(b, c))
}

#[inline(always)]
fn half<V: Vector>(a: V, b: V) -> (V, V) {
    (a.xor(b), a.and(b))
}

/// Sums eight bits.
#[inline(always)]
fn count_group<V: Vector>(x: [V; GROUP]) -> [V; 4] {
    let (s0, c0) = full(x[0], x[1], x[2]);
    let (s1, c1) = full(x[3], x[4], x[5]);
    let (s2, c2) = full(x[6], x[7], s0);
    let (ones, c3) = half(s1, s2);
    let (t, d0) = full(c0, c1, c2);
    let (twos, d1) = half(t, c3);
    let (fours, eights) = half(d0, d1);
    [ones, twos, fours, eights]
}

/// Random digits of the first draw beyond those that the result has. A lane is left open by chance 2^-DIGITS.
const DIGITS: usize = 14;

/// One more random digit above those drawn so far: adds `count` to the sum in the lanes where it is one, and
/// halves the sum. Returns what the halving drops.
#[inline(always)]
fn digit<V: Vector, const B: usize>(draw: &mut Draw<V>, count: &[V; B], sum: &mut [V; B]) -> V {
    let u = draw.plane();
    let dropped = sum[0].xor(count[0].and(u));
    let mut carry = sum[0].and(count[0].and(u));
    for i in 1..B {
        let addend = count[i].and(u);
        sum[i - 1] = sum[i].xor3(addend, carry);
        carry = sum[i].majority(addend, carry);
    }
    sum[B - 1] = carry;
    dropped
}

/// A number below `count` in each lane (zero where the count is), all equally likely.
#[inline(always)]
fn below<V: Vector, const B: usize>(draw: &mut Draw<V>, count: &[V; B], zero: V) -> [V; B] {
    let mut sum = [zero; B];
    let mut low = [zero; B];
    for place in &mut low {
        *place = digit(draw, count, &mut sum);
    }
    let mut open = zero.ones();
    for _ in 0..DIGITS {
        open = open.and(digit(draw, count, &mut sum));
    }
    // A fraction so close to one that further digits could carry into the result.
    if open.any() {
        let mut more = [zero; B];
        for _ in 0..32 {
            digit(draw, count, &mut more);
        }
        let mut carry = zero;
        for i in 0..B {
            carry = low[i].majority(more[i], carry);
        }
        carry = carry.and(open);
        for bit in &mut sum {
            let old = *bit;
            *bit = old.xor(carry);
            carry = carry.and(old);
        }
    }
    sum
}

/// Up to so many moves are counted down one by one.
const FEW: usize = 16;

/// Chooses a move in each lane: sets its plane there, and no other plane of the role. Returns the lanes in
/// which nothing is legal; no plane is set there. `B` bits can hold the number of moves; `scratch` has five planes a
/// group.
#[inline(always)]
pub(super) fn choose<V: Vector, const B: usize>(
    machine: V::Machine,
    memory: &mut Memory<'_>,
    choice: &Choice,
    draw: &mut Draw<V>,
    scratch: &mut [Plane],
) -> V {
    let zero = V::splat(machine, 0);
    let mut count = [zero; B];
    let few = choice.moves.len() <= FEW;
    for (group, legal) in choice.legal.chunks_exact(GROUP).enumerate() {
        let mut planes = [zero; GROUP];
        for (plane, &slot) in planes.iter_mut().zip(legal) {
            *plane = V::load(machine, memory.at(slot));
        }
        let sum = count_group(planes);
        let mut carry = zero;
        for i in 0..B {
            let addend = if i < 4 { sum[i] } else { zero };
            let old = count[i];
            count[i] = old.xor3(addend, carry);
            carry = old.majority(addend, carry);
        }
        if !few {
            for (plane, vector) in scratch[group * 5..][..4].iter_mut().zip(sum) {
                vector.store(plane);
            }
        }
    }
    let mut some = zero;
    for bit in count {
        some = some.or(bit);
    }
    let mut rest = below::<V, B>(draw, &count, zero);
    if few {
        for (seat, &legal) in (0..).zip(&choice.legal[..choice.moves.len()]) {
            // Counting below zero happens once, at the chosen move: there are fewer moves than numbers.
            let mut borrow = V::load(machine, memory.at(legal));
            for bit in &mut rest {
                let old = *bit;
                *bit = old.xor(borrow);
                borrow = borrow.minus(old);
            }
            borrow.store(memory.at_mut(choice.does + seat));
        }
        return some.not();
    }
    let mut within = [zero; 3];
    let mut legal_at = [zero; GROUP];
    for (group, legal) in choice.legal.chunks_exact(GROUP).enumerate() {
        let sums = &mut scratch[group * 5..][..5];
        let before = rest;
        let mut borrow = zero;
        for i in 0..B {
            let by = if i < 4 { V::load(machine, &sums[i]) } else { zero };
            let old = rest[i];
            rest[i] = old.xor3(by, borrow);
            borrow = old.borrow(by, borrow);
        }
        borrow.store(&mut sums[4]);
        for i in 0..3 {
            if i < B {
                within[i] = within[i].or_and(borrow, before[i]);
            }
        }
        for (at, &slot) in legal_at.iter_mut().zip(legal) {
            *at = at.or_and(borrow, V::load(machine, memory.at(slot)));
        }
    }
    for at in &mut legal_at {
        let mut borrow = *at;
        for bit in &mut within {
            let old = *bit;
            *bit = old.xor(borrow);
            borrow = borrow.minus(old);
        }
        *at = borrow;
    }
    for group in 0..choice.legal.len() / GROUP {
        let chosen = V::load(machine, &scratch[group * 5 + 4]);
        let first = choice.does + (group * GROUP) as Slot;
        for (seat, at) in (0..).zip(&legal_at) {
            at.and(chosen).store(memory.at_mut(first + seat));
        }
    }
    some.not()
}
