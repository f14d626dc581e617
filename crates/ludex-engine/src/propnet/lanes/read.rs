//! Numbers of moves to planes: a plane a move, saying where it is made.
//!
//! Numbers become planes of binary digits, these become planes of their halves, one for each value that a half can
//! have, and a move is made where both halves are its own: an operation or two a move, whatever the numbers are. What
//! is negative or too large becomes the number behind the last move, so that it needs no plane of its own.

use super::LANES;
use super::memory::Memory;
use super::pass::{Kernel, Task};
use super::plan::{Plan, Slot};
use super::step::exchange;
use super::transpose::{self, Bytes, Shuffle};
use super::turn::Turn;
use super::vector::{Plane, Vector};
use crate::vocabulary::MoveId;
use std::ops::Range;

/// An integer that stands for a move.
pub trait Number: Copy {
    /// The number, or one that no move has.
    fn number(self) -> u32;

    /// The same numbers, if they are of 32 bits with a sign.
    fn words(_numbers: &[Self]) -> Option<&[i32]> {
        None
    }
}

macro_rules! numbers {
    ($($integer:ty)*) => {$(
        impl Number for $integer {
            #[inline(always)]
            fn number(self) -> u32 {
                u32::from(self)
            }
        }
    )*};
}

numbers!(u8 u16 u32);

impl Number for i32 {
    #[inline(always)]
    fn number(self) -> u32 {
        // A negative one becomes larger than any move: no role has 2^31.
        self as u32
    }

    #[inline(always)]
    fn words(numbers: &[i32]) -> Option<&[i32]> {
        Some(numbers)
    }
}

impl Number for i64 {
    #[inline(always)]
    fn number(self) -> u32 {
        (self as u64).min(u64::from(u32::MAX)) as u32
    }
}

/// The most digits of a number: a role has fewer than 2^24 moves.
const MOST_DIGITS: usize = 24;

/// How many binary digits the numbers up to `count` have.
fn digits(count: usize) -> usize {
    (usize::BITS - count.leading_zeros()) as usize
}

/// How the numbers of one choice are decoded: for each move the planes of the halves of its number.
///
/// The planes lie behind those of the plan; all slots are below `first + planes()`, which a workspace has.
#[derive(Debug)]
pub(super) struct Decoder {
    /// The first of the planes.
    first: Slot,
    low_digits: usize,
    high_digits: usize,
    /// The slots of the halves of each move.
    moves: Vec<[Slot; 2]>,
    /// The same of the number by which the other player knows the move, if that is another one for some move.
    turned: Option<Vec<[Slot; 2]>>,
    /// The number of the only move there is.
    only: Option<u32>,
}

impl Decoder {
    /// For moves of a role that has `count`, with planes from `first` on; `turned` has the other number of each.
    pub(super) fn new(moves: &[MoveId], count: usize, turned: Option<&[MoveId]>, first: usize) -> Decoder {
        let digits = digits(count);
        assert!(digits <= MOST_DIGITS, "a role has fewer than 2^24 moves");
        let (low_digits, high_digits) = (digits - digits / 2, digits / 2);
        let low = first as Slot;
        let high = low + (1 << low_digits);
        let halves = |high: Slot, number: u32| {
            [low + (number & ((1 << low_digits) - 1)), high + (number >> low_digits)]
        };
        let exchanged = turned.filter(|turned| moves.iter().any(|m| turned[m.index()] != *m));
        let high_flipped = high + (1 << high_digits);
        let decoder = Decoder {
            first: low,
            low_digits,
            high_digits,
            moves: moves.iter().map(|m| halves(high, m.0)).collect(),
            turned: exchanged
                .map(|turned| moves.iter().map(|m| halves(high_flipped, turned[m.index()].0)).collect()),
            only: if let (&[only], None) = (moves, exchanged) { Some(only.0) } else { None },
        };
        let end = (first + decoder.planes()) as Slot;
        let all = decoder.moves.iter().chain(decoder.turned.iter().flatten()).flatten();
        assert!(all.into_iter().all(|&slot| slot < end), "planes that are there");
        decoder
    }

    /// How many planes it needs.
    pub(super) fn planes(&self) -> usize {
        (1 << self.low_digits) + 2 * (1 << self.high_digits)
    }
}

pub(super) struct Read<'t, N> {
    pub(super) block: &'t [Plane],
    pub(super) memory: Memory<'t>,
    pub(super) plan: &'t Plan,
    /// Where the block says that the moves of each choice are legal.
    pub(super) legal: &'t [Vec<Slot>],
    pub(super) decoders: &'t [Decoder],
    /// Where the moves of each role are among all.
    pub(super) roles: &'t [Range<usize>],
    /// The symmetry by which the lanes are kept that are flipped.
    pub(super) turn: Option<(&'t Turn, Plane)>,
    /// A row a game and a number a role.
    pub(super) numbers: &'t [N],
    pub(super) shuffle: Shuffle,
    /// For each role where the number is that of a legal move.
    pub(super) out: &'t mut [Plane],
}

impl<N: Number> Read<'_, N> {
    /// The digits of a role's numbers.
    #[inline(always)]
    fn digits(&self, role: usize, out: &mut [Plane]) {
        let count = self.roles[role].len() as u32;
        let mut bytes = Bytes([0; LANES]);
        for (planes, shift) in out.chunks_mut(8).zip([0, 8, 16]) {
            // Lanes without a number.
            bytes.0.fill((count >> shift) as u8);
            let byte = |number: N| (number.number().min(count) >> shift) as u8;
            let roles = self.roles.len();
            for (out, row) in bytes.0.iter_mut().zip(self.numbers.chunks_exact(roles)) {
                *out = byte(row[role]);
            }
            transpose::digits(self.shuffle, &bytes, planes);
        }
    }

    /// The digits of both roles' numbers, which are bytes: all numbers in one go, then each second byte.
    #[inline(always)]
    fn two(&self, [first, second]: [&mut [Plane]; 2]) {
        if let Some(Ok(pairs)) = N::words(self.numbers).map(TryInto::try_into) {
            let greatest = [0, 1].map(|role: usize| self.roles[role].len() as u8);
            if transpose::digits_of_pairs(self.shuffle, pairs, greatest, [&mut *first, &mut *second]) {
                return;
            }
        }
        let mut bytes = [255; 2 * LANES];
        for (byte, number) in bytes.iter_mut().zip(self.numbers) {
            *byte = number.number().min(255) as u8;
        }
        for (role, planes) in [first, second].into_iter().enumerate() {
            let count = self.roles[role].len() as u8;
            let mut own = Bytes([0; LANES]);
            for (own, pair) in own.0.iter_mut().zip(bytes.as_chunks::<2>().0) {
                *own = ((u16::from_le_bytes(*pair) >> (8 * role)) as u8).min(count);
            }
            transpose::digits(self.shuffle, &own, planes);
        }
    }

    /// Makes the moves of one choice. Returns where one is made.
    #[inline(always)]
    fn make<V: Kernel>(&mut self, machine: V::Machine, role: usize, digits: &[Plane]) -> Plane {
        let choice = &self.plan.choices[role];
        let legal = &self.legal[role];
        let decoder = &self.decoders[role];
        let mut made = Plane::ZERO;
        if let Some(only) = decoder.only {
            let mut this = V::load(machine, &self.block[legal[0] as usize]);
            for (at, digit) in digits.iter().enumerate() {
                let digit = V::load(machine, digit);
                this = if only >> at & 1 == 1 { this.and(digit) } else { this.minus(digit) };
            }
            this.store(self.memory.at_mut(choice.does));
            this.store(&mut made);
            return made;
        }
        let flipped = match (&self.turn, &decoder.turned) {
            (Some((_, flipped)), Some(_)) => *flipped,
            _ => Plane::ZERO,
        };
        let (low_digits, high_digits) = digits.split_at(decoder.low_digits);
        let low = decoder.first;
        let high = low + (1 << decoder.low_digits);
        *self.memory.at_mut(low) = Plane::ONES;
        halves::<V>(machine, &mut self.memory, low, low_digits);
        *self.memory.at_mut(high) = !flipped;
        halves::<V>(machine, &mut self.memory, high, high_digits);
        let mut some = V::splat(machine, 0);
        let part = |memory: &Memory<'_>, [low, high]: [Slot; 2]| {
            V::load(machine, memory.at(low)).and(V::load(machine, memory.at(high)))
        };
        let moves = (choice.does..).zip(legal).zip(&decoder.moves);
        if let Some(turned) = &decoder.turned {
            let high = high + (1 << decoder.high_digits);
            *self.memory.at_mut(high) = flipped;
            halves::<V>(machine, &mut self.memory, high, high_digits);
            for (((does, &legal), &this), &other) in moves.zip(turned) {
                let this = part(&self.memory, this).or(part(&self.memory, other));
                let this = this.and(V::load(machine, &self.block[legal as usize]));
                this.store(self.memory.at_mut(does));
                some = some.or(this);
            }
        } else {
            for ((does, &legal), &this) in moves {
                let this = part(&self.memory, this).and(V::load(machine, &self.block[legal as usize]));
                this.store(self.memory.at_mut(does));
                some = some.or(this);
            }
        }
        some.store(&mut made);
        made
    }
}

impl<N: Number> Task for Read<'_, N> {
    type Output = ();

    #[inline(always)]
    fn run<V: Kernel>(mut self, machine: V::Machine) {
        let count = |role: usize| self.roles[role].len();
        if let [_, _] = self.roles {
            let (a, b) = (digits(count(0)), digits(count(1)));
            if count(0) < 256 && count(1) < 256 {
                let mut planes = [[Plane::ZERO; 8]; 2];
                let [first, second] = &mut planes;
                self.two([&mut first[..a], &mut second[..b]]);
                self.make_two::<V>(machine, &mut first[..a], &mut second[..b]);
            } else {
                let mut planes = [[Plane::ZERO; MOST_DIGITS]; 2];
                let [first, second] = &mut planes;
                self.digits(0, &mut first[..a]);
                self.digits(1, &mut second[..b]);
                self.make_two::<V>(machine, &mut first[..a], &mut second[..b]);
            }
        } else {
            let mut planes = [Plane::ZERO; MOST_DIGITS];
            for role in 0..self.roles.len() {
                let planes = &mut planes[..digits(count(role))];
                self.digits(role, planes);
                self.out[role] = self.make::<V>(machine, role, planes);
            }
        }
    }
}

impl<N: Number> Read<'_, N> {
    /// Makes the moves of two roles by the digits of their numbers.
    #[inline(always)]
    fn make_two<V: Kernel>(&mut self, machine: V::Machine, first: &mut [Plane], second: &mut [Plane]) {
        let flipped = self.turn.as_ref().map(|(_, flipped)| *flipped);
        if let Some(flipped) = &flipped {
            first.iter_mut().zip(&mut *second).for_each(|(a, b)| exchange(a, b, flipped));
        }
        let mut made = [self.make::<V>(machine, 0, first), self.make::<V>(machine, 1, second)];
        if let Some(flipped) = &flipped {
            let [a, b] = &mut made;
            exchange(a, b, flipped);
        }
        self.out.copy_from_slice(&made);
    }
}

/// From the plane at `table` and some digits a plane for each number that the digits can be: where that is the number.
#[inline(always)]
fn halves<V: Vector>(machine: V::Machine, memory: &mut Memory<'_>, table: Slot, digits: &[Plane]) {
    for (at, digit) in digits.iter().enumerate() {
        let digit = V::load(machine, digit);
        for number in 0..1 << at {
            let plane = V::load(machine, memory.at(table + number));
            plane.and(digit).store(memory.at_mut(table + number + (1 << at)));
            plane.minus(digit).store(memory.at_mut(table + number));
        }
    }
}
