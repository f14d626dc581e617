//! Planes to rows and numbers to planes: the way out of the lanes and the way in.
//!
//! A plane has one bit a game; callers want one row a game. Sixty-four planes become a [`Tile`], a word a game, by a
//! transposition of bits; a tile becomes bytes or floats by spreading its bits. The other way, numbers become
//! planes of their binary digits ([`digits`]), which the lanes decode.
//!
//! With AVX-512 and GFNI a transposition takes about one operation a game for sixty-four columns; elsewhere it is done
//! in words of eight by eight bits. Both give the same bits.

use super::LANES;
use super::plan::Slot;
use super::vector::Plane;
#[cfg(all(feature = "native", target_arch = "x86_64"))]
use crate::native;

/// A word a game: bit `c` is what plane `c` says.
#[repr(C, align(64))]
struct Tile([u64; LANES]);

/// Columns of a tile.
const WIDTH: usize = 64;

/// How bits are shuffled; results are equal bit for bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shuffle {
    /// AVX-512 with byte permutations and bit matrices.
    #[cfg(all(feature = "native", target_arch = "x86_64"))]
    Gfni,
    /// Words of 64 bits.
    Portable,
}

impl Shuffle {
    /// The best that this machine has.
    pub(super) fn detect() -> Shuffle {
        #[cfg(all(feature = "native", target_arch = "x86_64"))]
        if native::is_enabled()
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("gfni")
        {
            return Shuffle::Gfni;
        }
        Shuffle::Portable
    }
}

/// What a row is made of.
pub(super) trait Cell: Copy {
    /// Writes `width` columns of each row from column `start` on; rows have `stride` columns.
    fn spread(shuffle: Shuffle, tile: &[u64], width: usize, start: usize, stride: usize, out: &mut [Self]);
}

/// The planes that become columns.
pub(super) struct Shown<'p> {
    pub(super) planes: &'p [Plane],
    /// A slot a column.
    pub(super) slots: &'p [Slot],
    pub(super) turned: Option<Turned<'p>>,
}

/// Lanes in which other slots say the same.
pub(super) struct Turned<'p> {
    pub(super) flipped: &'p Plane,
    /// The other slot: of each column, or of each slot.
    pub(super) slots: &'p [Slot],
    pub(super) by_column: bool,
}

/// The slots of planes that lie one after the other.
static IN_ORDER: [Slot; WIDTH] = {
    let mut slots = [0; WIDTH];
    let mut at = 0;
    while at < WIDTH {
        slots[at] = at as Slot;
        at += 1;
    }
    slots
};

impl Shown<'_> {
    /// Makes a tile of at most 64 columns.
    fn fill(&self, shuffle: Shuffle, columns: std::ops::Range<usize>, keep: &Plane, tile: &mut Tile) {
        let slots = &self.slots[columns.clone()];
        let Some(turned) = &self.turned else { return fill(shuffle, self.planes, slots, keep, tile) };
        let mut planes = [Plane::ZERO; WIDTH];
        for (plane, (column, &slot)) in planes.iter_mut().zip(columns.zip(slots)) {
            let other = turned.slots[if turned.by_column { column } else { slot as usize }];
            let (this, other) = (self.planes[slot as usize], self.planes[other as usize]);
            *plane = this & !*turned.flipped | other & *turned.flipped;
        }
        fill(shuffle, &planes, &IN_ORDER[..slots.len()], keep, tile);
    }
}

/// Writes a row a game, as many as fit into `out`, with a column for each slot; rows of games that are not in `keep`
/// are zero. From 64 columns on the last tile overlaps the one before, so that all are full.
pub(super) fn rows<C: Cell>(shuffle: Shuffle, shown: &Shown<'_>, keep: &Plane, out: &mut [C]) {
    let slots = shown.slots;
    if slots.is_empty() {
        return;
    }
    let games = out.len() / slots.len();
    assert!(games <= LANES && out.len() == games * slots.len(), "whole rows of at most 512 games");
    let mut tile = Tile([0; LANES]);
    for at in (0..slots.len()).step_by(WIDTH) {
        let start = at.min(slots.len().saturating_sub(WIDTH));
        let columns = start..slots.len().min(start + WIDTH);
        shown.fill(shuffle, columns.clone(), keep, &mut tile);
        C::spread(shuffle, &tile.0[..games], columns.len(), start, slots.len(), out);
    }
}

/// The same with a bit a column: rows of whole words, the bits behind the last column zero.
pub(super) fn words(shuffle: Shuffle, shown: &Shown<'_>, keep: &Plane, out: &mut [u64]) {
    let stride = shown.slots.len().div_ceil(WIDTH);
    if stride == 0 {
        return;
    }
    let games = out.len() / stride;
    assert!(games <= LANES && out.len() == games * stride, "whole rows of at most 512 games");
    let mut tile = Tile([0; LANES]);
    for at in 0..stride {
        let columns = at * WIDTH..shown.slots.len().min((at + 1) * WIDTH);
        shown.fill(shuffle, columns, keep, &mut tile);
        for (row, word) in out.chunks_exact_mut(stride).zip(&tile.0) {
            row[at] = *word;
        }
    }
}

fn fill(shuffle: Shuffle, planes: &[Plane], slots: &[Slot], keep: &Plane, tile: &mut Tile) {
    assert!(slots.len() <= WIDTH && slots.iter().all(|&slot| (slot as usize) < planes.len()));
    match shuffle {
        #[cfg(all(feature = "native", target_arch = "x86_64"))]
        // SAFETY: `Gfni` is made by `detect` alone, if the machine has the instructions; slots lie in the planes.
        Shuffle::Gfni => unsafe { x86::fill(planes, slots, tile) },
        Shuffle::Portable => fill_portably(planes, slots, tile),
    }
    for (at, (&kept, words)) in keep.0.iter().zip(tile.0.chunks_exact_mut(64)).enumerate() {
        debug_assert!(at < 8);
        let mut gone = !kept;
        while gone != 0 {
            words[gone.trailing_zeros() as usize] = 0;
            gone &= gone - 1;
        }
    }
}

fn fill_portably(planes: &[Plane], slots: &[Slot], tile: &mut Tile) {
    tile.0.fill(0);
    for (group, slots) in slots.chunks(8).enumerate() {
        let mut eight = [Plane::ZERO; 8];
        for (plane, &slot) in eight.iter_mut().zip(slots) {
            *plane = planes[slot as usize];
        }
        for byte in 0..LANES / 8 {
            let mut square = 0;
            for (row, plane) in eight.iter().enumerate() {
                square |= (plane.0[byte / 8] >> (byte % 8 * 8) & 0xFF) << (row * 8);
            }
            let square = transposed(square);
            for (lane, word) in tile.0[byte * 8..][..8].iter_mut().enumerate() {
                *word |= (square >> (lane * 8) & 0xFF) << (group * 8);
            }
        }
    }
}

/// Eight by eight bits, a byte a row, with rows and columns exchanged.
fn transposed(mut square: u64) -> u64 {
    for (by, mask) in [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0x0000_0000_F0F0_F0F0)] {
        let swapped = (square ^ square >> by) & mask;
        square ^= swapped ^ swapped << by;
    }
    square
}

/// The other way: rows of whole words, at most 512 of them, become planes, a plane a column. Lanes without a row
/// get none.
pub(super) fn planes_of(rows: &[u64], stride: usize, planes: &mut [Plane]) {
    assert!(
        rows.len() <= LANES * stride && planes.len() <= stride * WIDTH,
        "at most 512 rows of whole words"
    );
    let mut tile = [0; WIDTH];
    for (group, rows) in
        (0..LANES / WIDTH).map(|group| (group, rows.get(group * WIDTH * stride..).unwrap_or(&[])))
    {
        for (at, planes) in planes.chunks_mut(WIDTH).enumerate() {
            tile.fill(0);
            for (word, row) in tile.iter_mut().zip(rows.chunks_exact(stride)) {
                *word = row[at];
            }
            exchange(&mut tile);
            for (plane, word) in planes.iter_mut().zip(tile) {
                plane.0[group] = word;
            }
        }
    }
}

/// Sixty-four by sixty-four bits with rows and columns exchanged: halves, then quarters, ... of it change places.
fn exchange(tile: &mut [u64; WIDTH]) {
    let (mut width, mut mask) = (WIDTH / 2, u64::MAX >> 32);
    while width > 0 {
        for block in tile.chunks_exact_mut(2 * width) {
            let (upper, lower) = block.split_at_mut(width);
            for (a, b) in upper.iter_mut().zip(lower) {
                let swapped = (*a >> width ^ *b) & mask;
                *a ^= swapped << width;
                *b ^= swapped;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}

/// The bits of a byte as eight bytes.
const SPREAD: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][bit] = (byte >> bit & 1) as u8;
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The lanes of a set as bytes, one or zero.
pub(super) fn flags(plane: &Plane, out: &mut [u8]) {
    let byte = |at: usize| (plane.0[at / 8] >> (at % 8 * 8) & 0xFF) as usize;
    let (eights, rest) = out.as_chunks_mut::<8>();
    for (at, out) in eights.iter_mut().enumerate() {
        *out = SPREAD[byte(at)];
    }
    if !rest.is_empty() {
        rest.copy_from_slice(&SPREAD[byte(eights.len())][..rest.len()]);
    }
}

impl Cell for u8 {
    fn spread(shuffle: Shuffle, tile: &[u64], width: usize, start: usize, stride: usize, out: &mut [u8]) {
        match shuffle {
            #[cfg(all(feature = "native", target_arch = "x86_64"))]
            // SAFETY: as in `fill`; the rows of the tile lie in `out`, which is checked there.
            Shuffle::Gfni => unsafe { x86::spread_bytes(tile, width, start, stride, out) },
            Shuffle::Portable => {
                for (row, word) in out.chunks_exact_mut(stride).zip(tile) {
                    for (at, out) in row[start..start + width].chunks_mut(8).enumerate() {
                        let bytes = &SPREAD[(word >> (at * 8) & 0xFF) as usize];
                        out.copy_from_slice(&bytes[..out.len()]);
                    }
                }
            }
        }
    }
}

impl Cell for f32 {
    fn spread(shuffle: Shuffle, tile: &[u64], width: usize, start: usize, stride: usize, out: &mut [f32]) {
        match shuffle {
            #[cfg(all(feature = "native", target_arch = "x86_64"))]
            // SAFETY: as for bytes.
            Shuffle::Gfni => unsafe { x86::spread_floats(tile, width, start, stride, out) },
            Shuffle::Portable => {
                for (row, word) in out.chunks_exact_mut(stride).zip(tile) {
                    for (column, out) in row[start..start + width].iter_mut().enumerate() {
                        *out = (word >> column & 1) as f32;
                    }
                }
            }
        }
    }
}

/// A byte a game.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(super) struct Bytes(pub(super) [u8; LANES]);

/// The lowest binary digits of a byte a game, a plane each.
pub(super) fn digits(shuffle: Shuffle, bytes: &Bytes, out: &mut [Plane]) {
    assert!(out.len() <= 8, "a byte has eight digits");
    match shuffle {
        #[cfg(all(feature = "native", target_arch = "x86_64"))]
        // SAFETY: as in `fill`.
        Shuffle::Gfni => unsafe { x86::digits(bytes, out) },
        Shuffle::Portable => {
            for (word, lanes) in bytes.0.chunks_exact(64).enumerate() {
                for (at, eight) in lanes.as_chunks::<8>().0.iter().enumerate() {
                    let square = transposed(u64::from_le_bytes(*eight));
                    for (digit, plane) in out.iter_mut().enumerate() {
                        plane.0[word] &= !(0xFF << (at * 8));
                        plane.0[word] |= (square >> (digit * 8) & 0xFF) << (at * 8);
                    }
                }
            }
        }
    }
}

/// The lowest binary digits of the numbers of two roles in all games: a pair of numbers a game, of which each
/// counts as the greatest of its role if it is larger or negative. False, and nothing done, where that takes
/// instructions that are not there.
#[cfg_attr(not(all(feature = "native", target_arch = "x86_64")), allow(unused_variables))]
pub(super) fn digits_of_pairs(
    shuffle: Shuffle,
    numbers: &[i32; 2 * LANES],
    greatest: [u8; 2],
    out: [&mut [Plane]; 2],
) -> bool {
    assert!(out.iter().all(|planes| planes.len() <= 8), "a byte has eight digits");
    match shuffle {
        #[cfg(all(feature = "native", target_arch = "x86_64"))]
        // SAFETY: as in `fill`.
        Shuffle::Gfni => unsafe { x86::digits_of_pairs(numbers, greatest, out) },
        Shuffle::Portable => return false,
    }
    #[cfg(all(feature = "native", target_arch = "x86_64"))]
    true
}

#[cfg(all(feature = "native", target_arch = "x86_64"))]
mod x86 {
    use super::{Bytes, LANES, Plane, Slot, Tile, WIDTH};
    use std::arch::x86_64::*;

    /// For each byte of a register, read as eight rows of eight bytes, where it comes from when rows and columns are
    /// exchanged; in each new row from the last to the first if `reversed`.
    const fn exchanged(reversed: bool) -> [u8; 64] {
        let mut table = [0; 64];
        let mut at = 0;
        while at < 64 {
            let (row, column) = (at / 8, at % 8);
            table[at] = (if reversed { 7 - column } else { column } * 8 + row) as u8;
            at += 1;
        }
        table
    }

    static EXCHANGED: [u8; 64] = exchanged(false);
    static REVERSED: [u8; 64] = exchanged(true);

    /// Eight registers of eight words with rows and columns exchanged.
    #[target_feature(enable = "avx512f")]
    fn transposed(rows: [__m512i; 8]) -> [__m512i; 8] {
        let [a, b, c, d, e, f, g, h] = rows;
        let low = [
            _mm512_unpacklo_epi64(a, b),
            _mm512_unpacklo_epi64(c, d),
            _mm512_unpacklo_epi64(e, f),
            _mm512_unpacklo_epi64(g, h),
        ];
        let high = [
            _mm512_unpackhi_epi64(a, b),
            _mm512_unpackhi_epi64(c, d),
            _mm512_unpackhi_epi64(e, f),
            _mm512_unpackhi_epi64(g, h),
        ];
        let [c0, c2, c4, c6] = quarters(low);
        let [c1, c3, c5, c7] = quarters(high);
        [c0, c1, c2, c3, c4, c5, c6, c7]
    }

    /// Four registers of four quarters with rows and columns exchanged.
    #[target_feature(enable = "avx512f")]
    fn quarters(rows: [__m512i; 4]) -> [__m512i; 4] {
        let [a, b, c, d] = rows;
        let (ab, cd) = (_mm512_shuffle_i64x2::<0x88>(a, b), _mm512_shuffle_i64x2::<0x88>(c, d));
        let (ab1, cd1) = (_mm512_shuffle_i64x2::<0xDD>(a, b), _mm512_shuffle_i64x2::<0xDD>(c, d));
        [
            _mm512_shuffle_i64x2::<0x88>(ab, cd),
            _mm512_shuffle_i64x2::<0x88>(ab1, cd1),
            _mm512_shuffle_i64x2::<0xDD>(ab, cd),
            _mm512_shuffle_i64x2::<0xDD>(ab1, cd1),
        ]
    }

    /// # Safety
    /// The machine has the instructions, there are at most 64 slots, and they lie in `planes`.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vbmi,gfni")]
    pub(super) unsafe fn fill(planes: &[Plane], slots: &[Slot], tile: &mut Tile) {
        // Eight columns of 64 games a register, by 64 games and eight columns.
        let mut columns = [[Plane::ZERO; 8]; 8];
        let memory = planes.as_ptr();
        // SAFETY: slots lie in the planes; tables, planes and tiles are of the size that is read or written.
        unsafe {
            let reversed = _mm512_loadu_si512(REVERSED.as_ptr().cast());
            let exchanged = _mm512_loadu_si512(EXCHANGED.as_ptr().cast());
            // One bit in each byte of a word: the matrix times these is its own transposition.
            let units = _mm512_set1_epi64(0x8040_2010_0804_0201_u64 as i64);
            for (group, slots) in slots.chunks(8).enumerate() {
                let mut rows = [_mm512_setzero_si512(); 8];
                for (row, &slot) in rows.iter_mut().zip(slots) {
                    *row = _mm512_load_si512(memory.add(slot as usize).cast());
                }
                for (word, row) in transposed(rows).into_iter().enumerate() {
                    let squares = _mm512_permutexvar_epi8(reversed, row);
                    let done = _mm512_gf2p8affine_epi64_epi8::<0>(units, squares);
                    _mm512_store_si512(std::ptr::from_mut(&mut columns[word][group]).cast(), done);
                }
            }
            for (word, columns) in columns.iter().enumerate() {
                let mut rows = [_mm512_setzero_si512(); 8];
                for (row, column) in rows.iter_mut().zip(columns) {
                    *row = _mm512_load_si512(std::ptr::from_ref(column).cast());
                }
                for (at, row) in transposed(rows).into_iter().enumerate() {
                    let words = _mm512_permutexvar_epi8(exchanged, row);
                    _mm512_store_si512(tile.0.as_mut_ptr().add(word * 64 + at * 8).cast(), words);
                }
            }
        }
    }

    /// # Safety
    /// The machine has the instructions.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) unsafe fn spread_bytes(
        tile: &[u64],
        width: usize,
        start: usize,
        stride: usize,
        out: &mut [u8],
    ) {
        assert!(width <= WIDTH && start + width <= stride && out.len() == tile.len() * stride);
        // A store may write beyond its row where the next row's store mends it: not at the end, and not if other
        // columns are there already.
        let wide = match width {
            0..=16 => 16,
            17..=32 => 32,
            _ => 64,
        };
        let inside = if width == wide {
            tile.len()
        } else if width == stride {
            (out.len().saturating_sub(wide) / stride).min(tile.len())
        } else {
            0
        };
        let mut to = out.as_mut_ptr().wrapping_add(start);
        // SAFETY: a store of `wide` bytes at these rows ends within `out`: rows are whole, and of a narrower row those
        // are left out from which it would reach beyond.
        unsafe {
            match wide {
                16 => {
                    for &word in &tile[..inside] {
                        _mm_storeu_si128(to.cast(), _mm_maskz_set1_epi8(word as u16, 1));
                        to = to.wrapping_add(stride);
                    }
                }
                32 => {
                    for &word in &tile[..inside] {
                        _mm256_storeu_si256(to.cast(), _mm256_maskz_set1_epi8(word as u32, 1));
                        to = to.wrapping_add(stride);
                    }
                }
                _ => {
                    for &word in &tile[..inside] {
                        _mm512_storeu_si512(to.cast(), _mm512_maskz_set1_epi8(word, 1));
                        to = to.wrapping_add(stride);
                    }
                }
            }
        }
        for (row, word) in out.chunks_exact_mut(stride).zip(tile).skip(inside) {
            for (column, out) in row[start..start + width].iter_mut().enumerate() {
                *out = (word >> column & 1) as u8;
            }
        }
    }

    /// # Safety
    /// The machine has the instructions.
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    pub(super) unsafe fn spread_floats(
        tile: &[u64],
        width: usize,
        start: usize,
        stride: usize,
        out: &mut [f32],
    ) {
        assert!(width <= WIDTH && start + width <= stride && out.len() == tile.len() * stride);
        let one = _mm512_set1_ps(1.0);
        for (row, word) in out.chunks_exact_mut(stride).zip(tile) {
            let row = &mut row[start..start + width];
            if width < 16 {
                let mask = (1 << width) - 1;
                // SAFETY: the mask has the columns of the row alone.
                unsafe {
                    let values = _mm512_maskz_mov_ps(*word as u16, one);
                    _mm512_mask_storeu_ps(row.as_mut_ptr(), mask, values);
                }
                continue;
            }
            for at in (0..width).step_by(16) {
                let at = at.min(width - 16);
                let values = _mm512_maskz_mov_ps((word >> at) as u16, one);
                // SAFETY: sixteen columns from here on are in the row.
                unsafe { _mm512_storeu_ps(row.as_mut_ptr().add(at), values) };
            }
        }
    }

    /// # Safety
    /// The machine has the instructions.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) unsafe fn digits(bytes: &Bytes, out: &mut [Plane]) {
        for word in 0..8 {
            // SAFETY: there are eight times 64 bytes, aligned.
            let lanes = unsafe { _mm512_load_si512(bytes.0.as_ptr().add(word * 64).cast()) };
            for (digit, plane) in out.iter_mut().enumerate() {
                plane.0[word] =
                    _mm512_test_epi8_mask(lanes, _mm512_set1_epi8(1_u8.wrapping_shl(digit as u32) as i8));
            }
        }
    }

    /// Where the bytes of a role are, game by game, in two registers of words of four bytes: words of one role and
    /// the other by turns, a word for every eighth game.
    const fn of_role(role: usize) -> [u8; 64] {
        let mut table = [0; 64];
        let mut game = 0;
        while game < 64 {
            let (part, lane) = (game / 8, game % 8);
            table[game] = (part / 4 * 64 + 4 * (2 * lane + role) + part % 4) as u8;
            game += 1;
        }
        table
    }

    static OF_ROLE: [[u8; 64]; 2] = [of_role(0), of_role(1)];

    /// # Safety
    /// The machine must have these instructions.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) unsafe fn digits_of_pairs(
        numbers: &[i32; 2 * LANES],
        greatest: [u8; 2],
        mut out: [&mut [Plane]; 2],
    ) {
        let greatest = _mm512_set1_epi64(i64::from(greatest[1]) << 32 | i64::from(greatest[0]));
        // SAFETY: there are 64 bytes each.
        let of_role = OF_ROLE.each_ref().map(|table| unsafe { _mm512_loadu_si512(table.as_ptr().cast()) });
        for (word, numbers) in numbers.as_chunks::<128>().0.iter().enumerate() {
            let part = |at: usize| {
                // SAFETY: there are eight times sixteen numbers.
                let numbers = unsafe { _mm512_loadu_si512(numbers.as_ptr().add(at * 16).cast()) };
                _mm512_min_epu32(numbers, greatest)
            };
            // All are bytes now: four registers fit into one.
            let four = |first: usize| {
                let low = _mm512_or_si512(part(first), _mm512_slli_epi32::<8>(part(first + 1)));
                let high = _mm512_or_si512(part(first + 2), _mm512_slli_epi32::<8>(part(first + 3)));
                _mm512_or_si512(low, _mm512_slli_epi32::<16>(high))
            };
            let (first, second) = (four(0), four(4));
            for (planes, of_role) in out.iter_mut().zip(of_role) {
                let bytes = _mm512_permutex2var_epi8(first, of_role, second);
                for (digit, plane) in planes.iter_mut().enumerate() {
                    let bit = _mm512_set1_epi8(1_u8.wrapping_shl(digit as u32) as i8);
                    plane.0[word] = _mm512_test_epi8_mask(bytes, bit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn shuffles() -> Vec<Shuffle> {
        let mut list = vec![Shuffle::Portable];
        list.extend((Shuffle::detect() != Shuffle::Portable).then(Shuffle::detect));
        list
    }

    #[test]
    fn rows_have_the_bits_of_the_planes() {
        let mut random = Random::new(1);
        let planes: Vec<Plane> = (0..300).map(|_| Plane([(); 8].map(|()| random.bits()))).collect();
        for shuffle in shuffles() {
            for columns in [1, 7, 8, 9, 15, 16, 17, 20, 31, 32, 33, 63, 64, 65, 100, 128, 130, 299] {
                for games in [1, 5, 64, 500, 512] {
                    let slots: Vec<Slot> = (0..columns).map(|_| random.below(planes.len()) as Slot).collect();
                    let keep = Plane([(); 8].map(|()| random.bits() | random.bits()));
                    let expected = |game: usize, column: usize| {
                        keep.bit(game) && planes[slots[column] as usize].bit(game)
                    };
                    let shown = Shown { planes: &planes, slots: &slots, turned: None };
                    let mut bytes = vec![9u8; games * columns];
                    rows(shuffle, &shown, &keep, &mut bytes);
                    let mut floats = vec![9f32; games * columns];
                    rows(shuffle, &shown, &keep, &mut floats);
                    let stride = columns.div_ceil(64);
                    let mut packed = vec![9u64; games * stride];
                    words(shuffle, &shown, &keep, &mut packed);
                    for game in 0..games {
                        for column in 0..columns {
                            let bit = expected(game, column);
                            let at = format!("{shuffle:?}: game {game}, column {column} of {columns}");
                            assert_eq!(bytes[game * columns + column], u8::from(bit), "{at}");
                            assert_eq!(floats[game * columns + column], f32::from(u8::from(bit)), "{at}");
                            let word = packed[game * stride + column / 64];
                            assert_eq!(word >> (column % 64) & 1 == 1, bit, "{at}");
                        }
                        let tail = packed[(game + 1) * stride - 1];
                        assert!(
                            columns % 64 == 0 || tail >> (columns % 64) == 0,
                            "bits behind the last column"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn planes_have_the_bits_of_the_rows() {
        let mut random = Random::new(3);
        for columns in [1, 8, 63, 64, 65, 130, 256] {
            for games in [0, 1, 64, 65, 511, 512] {
                let stride = usize::div_ceil(columns, WIDTH);
                let rows: Vec<u64> = (0..games * stride).map(|_| random.bits()).collect();
                let mut planes = vec![Plane::ONES; columns];
                planes_of(&rows, stride, &mut planes);
                for (column, plane) in planes.iter().enumerate() {
                    for lane in 0..LANES {
                        let word = rows.get(lane * stride + column / WIDTH).copied().unwrap_or(0);
                        assert_eq!(
                            plane.bit(lane),
                            word >> (column % WIDTH) & 1 == 1,
                            "{columns} columns, {lane}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn digits_of_pairs_are_those_of_the_numbers() {
        let mut random = Random::new(3);
        let odd = [i32::MIN, -1, 0, 1, 254, 255, 256, 257, 65_536, i32::MAX];
        for greatest in [[9, 9], [0, 1], [255, 3], [128, 255]] {
            let mut numbers = [0; 2 * LANES];
            for number in &mut numbers {
                *number = if random.below(4) == 0 { odd[random.below(10)] } else { random.below(300) as i32 };
            }
            for shuffle in shuffles() {
                let mut planes = [[Plane::ZERO; 8]; 2];
                let [first, second] = &mut planes;
                let done = digits_of_pairs(shuffle, &numbers, greatest, [first, &mut second[..7]]);
                assert_eq!(done, shuffle != Shuffle::Portable);
                for (at, number) in numbers.iter().enumerate().filter(|_| done) {
                    let (game, role) = (at / 2, at % 2);
                    let expected = u32::min(*number as u32, u32::from(greatest[role]));
                    let written = if role == 0 { 8 } else { 7 };
                    for (digit, plane) in planes[role][..written].iter().enumerate() {
                        let expected = expected >> digit & 1 == 1;
                        assert_eq!(plane.bit(game), expected, "game {game}, role {role}, digit {digit}");
                    }
                }
            }
        }
    }

    #[test]
    fn digits_are_those_of_the_numbers() {
        let mut random = Random::new(2);
        let bytes = Bytes([(); LANES].map(|()| random.bits() as u8));
        for shuffle in shuffles() {
            for count in 0..=8 {
                let mut planes = vec![Plane([(); 8].map(|()| random.bits())); count];
                digits(shuffle, &bytes, &mut planes);
                for (digit, plane) in planes.iter().enumerate() {
                    for (lane, byte) in bytes.0.iter().enumerate() {
                        assert_eq!(plane.bit(lane), byte >> digit & 1 == 1, "{shuffle:?}, lane {lane}");
                    }
                }
            }
        }
    }

    #[test]
    fn flags_are_the_lanes_of_a_set() {
        let mut random = Random::new(3);
        let plane = Plane([(); 8].map(|()| random.bits()));
        for games in [0, 1, 9, 512] {
            let mut out = vec![7; games];
            flags(&plane, &mut out);
            assert!((0..games).all(|lane| out[lane] == u8::from(plane.bit(lane))));
        }
    }
}
