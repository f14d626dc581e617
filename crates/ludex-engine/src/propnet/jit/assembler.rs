//! The few instructions of x86-64 that formulas need, as bytes.
//!
//! Registers, the same in all code: `rdi` points to the row, `rsi` to the findings, `edx` is the time, `rcx` points
//! to the flips; these stay as they are. `eax` carries results, `rax` and `r9` are free to use, `rbx` holds the guards that
//! are still to be looked at.

use crate::budget::{Exceeded, Meter};
use crate::propnet::formula::Test;

/// A place in the code, perhaps a later one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Label(u32);

/// What the last comparison must have found for a jump to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Zero = 0x84,
    NotZero = 0x85,
    Above = 0x87,
    NotBelow = 0x83,
}

/// A distance in the code that is filled in at the end: four bytes at `at`, counted from so far behind (or before) them.
#[derive(Clone, Copy, Debug)]
struct Distance {
    at: u32,
    from: i32,
    to: Label,
}

/// A jump: the operation at `at`, then the distance, of four bytes or of one.
#[derive(Clone, Copy, Debug)]
struct Jump {
    at: u32,
    /// `None`: always.
    found: Option<Found>,
    to: Label,
    is_short: bool,
}

impl Jump {
    /// Bytes of the operation.
    fn operation(self) -> u32 {
        if self.is_short || self.found.is_none() { 1 } else { 2 }
    }

    /// Where the jump ends, from where its distance counts.
    fn end(self) -> u32 {
        self.at + self.operation() + if self.is_short { 1 } else { 4 }
    }
}

const UNBOUND: u32 = u32::MAX;

/// What stands between functions.
const BREAKPOINT: u8 = 0xcc;

/// Code so far.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    bytes: Vec<u8>,
    labels: Vec<u32>,
    distances: Vec<Distance>,
    /// Ascending.
    jumps: Vec<Jump>,
    /// Where the code before a function ends, and where the function begins, ascending.
    functions: Vec<(u32, u32)>,
}

impl Assembler {
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// A new place, to be bound later.
    pub(super) fn label(&mut self) -> Label {
        self.labels.push(UNBOUND);
        Label(self.labels.len() as u32 - 1)
    }

    /// The label is here.
    pub(super) fn bind(&mut self, label: Label) {
        self.labels[label.0 as usize] = self.bytes.len() as u32;
    }

    /// Where a label is; `None` if it has not been bound.
    pub(super) fn place(&self, label: Label) -> Option<u32> {
        self.labels.get(label.0 as usize).copied().filter(|&at| at != UNBOUND)
    }

    /// Whether all code that is gone to is there. Otherwise it must not run: a jump would lead anywhere.
    fn is_whole(&self) -> bool {
        let goals = self.jumps.iter().map(|jump| jump.to).chain(self.distances.iter().map(|to| to.to));
        self.bytes.len() <= i32::MAX as usize && goals.into_iter().all(|to| self.place(to).is_some())
    }

    /// The code, all distances filled in; `None` if some code that is gone to was never written.
    pub(super) fn finish(mut self) -> Option<Vec<u8>> {
        if !self.is_whole() {
            return None;
        }
        for &Distance { at, from, to } in &self.distances {
            let distance = self.place(to)?.wrapping_sub(at.wrapping_add_signed(from)).to_le_bytes();
            self.bytes[at as usize..at as usize + 4].copy_from_slice(&distance);
        }
        for jump in &self.jumps {
            let distance = i64::from(self.place(jump.to)?) - i64::from(jump.end());
            let (from, to) = ((jump.at + jump.operation()) as usize, jump.end() as usize);
            if to - from == 1 {
                i8::try_from(distance).ok()?;
            }
            self.bytes[from..to].copy_from_slice(&distance.to_le_bytes()[..to - from]);
        }
        Some(self.bytes)
    }

    /// Gives jumps to near places one byte for the distance instead of four: the code should fit the caches.
    /// (`ludex bench hex.kif --engine propnet --seconds 2`, three times in turns: 216,000 states a second before, 226,000 after.)
    /// Code that is not whole stays as it is.
    pub(super) fn shorten(&mut self, meter: &mut Meter) -> Result<(), Exceeded> {
        if !self.is_whole() {
            return Ok(());
        }
        meter.tick_by(self.bytes.len() as u64)?;
        let place = |label: Label| self.labels[label.0 as usize];
        let function = |at: u32| self.functions.partition_point(|&(_, begin)| begin <= at);
        // Functions may move apart, where they are aligned; within one, what is made short brings all else nearer.
        let is_inside = |jump: &Jump| function(jump.at) == function(place(jump.to));
        let near: Vec<bool> = self.jumps.iter().map(is_inside).collect();
        let before = |at: u32| self.jumps.partition_point(|jump| jump.at < at);
        let targets: Vec<usize> = self.jumps.iter().map(|jump| before(place(jump.to))).collect();
        let mut is_short = vec![false; self.jumps.len()];
        // Bytes saved before each jump, and in all.
        let mut saved = vec![0; self.jumps.len() + 1];
        loop {
            meter.tick_by(2 * self.jumps.len() as u64)?;
            let mut news = false;
            for (at, jump) in self.jumps.iter().enumerate().filter(|&(at, _)| near[at]) {
                let to = i64::from(place(jump.to)) - saved[targets[at]];
                let distance = to - (i64::from(jump.end()) - saved[at]);
                if !is_short[at] && i8::try_from(distance).is_ok() {
                    (is_short[at], news) = (true, true);
                }
            }
            if !news {
                break;
            }
            for (at, jump) in self.jumps.iter().enumerate() {
                let short = Jump { is_short: true, ..*jump };
                saved[at + 1] =
                    saved[at] + if is_short[at] { i64::from(jump.end() - short.end()) } else { 0 };
            }
        }
        self.rewrite(&is_short);
        Ok(())
    }

    /// Writes the code anew, some jumps short.
    fn rewrite(&mut self, is_short: &[bool]) {
        let old = std::mem::take(&mut self.bytes);
        // Old places from which on everything up to the next has moved to the new one.
        let mut moved: Vec<(u32, u32)> = vec![(0, 0)];
        let mut copied = 0;
        let mut functions = std::mem::take(&mut self.functions).into_iter().peekable();
        let mut jumps = std::mem::take(&mut self.jumps);
        for (jump, &short) in jumps.iter_mut().zip(is_short) {
            while let Some(function) = functions.next_if(|&(_, begin)| begin <= jump.at) {
                self.begin_again(&old, &mut copied, function, &mut moved);
            }
            self.put(&old[copied as usize..jump.at as usize]);
            let old_end = jump.end();
            (jump.at, jump.is_short) = (self.bytes.len() as u32, short);
            self.put_jump(*jump);
            copied = old_end;
            moved.push((copied, self.bytes.len() as u32));
        }
        for function in functions {
            self.begin_again(&old, &mut copied, function, &mut moved);
        }
        self.put(&old[copied as usize..]);
        self.jumps = jumps;
        let new = |old: u32| {
            let (from, to) = moved[moved.partition_point(|&(from, _)| from <= old) - 1];
            to + (old - from)
        };
        self.labels.iter_mut().filter(|at| **at != UNBOUND).for_each(|at| *at = new(*at));
        self.distances.iter_mut().for_each(|distance| distance.at = new(distance.at));
    }

    /// Copies the code before a function, whose place is aligned anew.
    fn begin_again(
        &mut self,
        old: &[u8],
        copied: &mut u32,
        (end, begin): (u32, u32),
        moved: &mut Vec<(u32, u32)>,
    ) {
        self.put(&old[*copied as usize..end as usize]);
        self.align();
        *copied = begin;
        moved.push((begin, self.bytes.len() as u32));
    }

    /// Begins a function: where the processor likes it, at a multiple of sixteen.
    pub(super) fn align(&mut self) {
        let end = self.bytes.len();
        self.bytes.resize(end.next_multiple_of(16), BREAKPOINT);
        self.functions.push((end as u32, self.bytes.len() as u32));
    }

    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn put32(&mut self, number: u32) {
        self.put(&number.to_le_bytes());
    }

    /// The bytes of a jump, without the distance.
    fn put_jump(&mut self, jump: Jump) {
        match (jump.found, jump.is_short) {
            (None, false) => self.put(&[0xe9, 0, 0, 0, 0]),
            (None, true) => self.put(&[0xeb, 0]),
            (Some(found), false) => self.put(&[0x0f, found as u8, 0, 0, 0, 0]),
            (Some(found), true) => self.put(&[found as u8 - 0x10, 0]),
        }
    }

    fn add_jump(&mut self, found: Option<Found>, to: Label) {
        let jump = Jump { at: self.bytes.len() as u32, found, to, is_short: false };
        self.jumps.push(jump);
        self.put_jump(jump);
    }

    /// An instruction on memory: the operation, the register or further operation, and where in the row,
    /// the findings or the flips, which `base` names.
    fn memory(&mut self, operation: &[u8], register: u8, base: u8, offset: u32) {
        const SHORT: u8 = 0x40;
        const LONG: u8 = 0x80;
        self.put(operation);
        match i8::try_from(offset) {
            Ok(short) => self.put(&[SHORT | register << 3 | base, short as u8]),
            Err(_) => {
                self.put(&[LONG | register << 3 | base]);
                self.put32(offset);
            }
        }
    }

    pub(super) fn jump(&mut self, to: Label) {
        self.add_jump(None, to);
    }

    pub(super) fn jump_if(&mut self, found: Found, to: Label) {
        self.add_jump(Some(found), to);
    }

    pub(super) fn call(&mut self, function: Label) {
        self.put(&[0xe8]);
        self.distances.push(Distance { at: self.bytes.len() as u32, from: 4, to: function });
        self.put32(0);
    }

    /// Calls a function, and looks whether its result is zero.
    pub(super) fn ask(&mut self, function: Label) {
        self.call(function);
        self.put(&[0x85, 0xc0]); // test eax, eax
    }

    pub(super) fn return_zero(&mut self) {
        self.put(&[0x31, 0xc0, 0xc3]); // xor eax, eax; ret
    }

    pub(super) fn return_one(&mut self) {
        self.put(&[0xb8, 1, 0, 0, 0, 0xc3]); // mov eax, 1; ret
    }

    pub(super) fn return_(&mut self) {
        self.put(&[0xc3]);
    }

    pub(super) fn save_guards(&mut self) {
        self.put(&[0x53]); // push rbx
    }

    pub(super) fn restore_guards(&mut self) {
        self.put(&[0x5b]); // pop rbx
    }

    /// Jumps if the outcome of the test is not `wanted`.
    pub(super) fn test(&mut self, test: Test, wanted: bool, otherwise: Label) {
        let Test { word, inverted, mask, want } = test;
        let wanted = wanted != inverted;
        // Bits that cannot have their values, and no bits at all.
        if want & !mask != 0 || mask == 0 {
            let holds = want & !mask == 0;
            if holds != wanted {
                self.jump(otherwise);
            }
            return;
        }
        let holds = self.compare(word * 8, mask, want);
        let fails = if holds == Found::Zero { Found::NotZero } else { Found::Zero };
        self.jump_if(if wanted { fails } else { holds }, otherwise);
    }

    /// Compares bits at the offset in the row. Gives what is found if they have the values.
    fn compare(&mut self, offset: u32, mask: u64, want: u64) -> Found {
        let (first, last) = (mask.trailing_zeros() / 8, (63 - mask.leading_zeros()) / 8);
        if first == last && (want == 0 || mask.is_power_of_two()) {
            self.memory(&[0xf6], 0, ROW, offset + first); // test byte [rdi + offset], mask
            self.put(&[(mask >> (first * 8)) as u8]);
            return if want == 0 { Found::Zero } else { Found::NotZero };
        }
        if let Some(window) = Window::of(mask) {
            let (mask, want) = (window.part(mask), window.part(want));
            if want == 0 {
                self.memory(&[0xf7], 0, ROW, offset + window.first); // test dword [rdi + offset], mask
                self.put32(mask);
            } else {
                self.memory(&[0x8b], 0, ROW, offset + window.first); // mov eax, [rdi + offset]
                self.put(&[0x25]); // and eax, mask
                self.put32(mask);
                self.put(&[0x3d]); // cmp eax, want
                self.put32(want);
            }
            return Found::Zero;
        }
        const COMPARE: u8 = 0x39;
        self.load_and(COMPARE, offset, mask, want);
        Found::Zero
    }

    /// Loads bits of a word of the row into `rax`, and compares them with others or takes the exclusive or. With zero
    /// there is nothing to do: the flags tell whether all bits are zero.
    fn load_and(&mut self, operation: u8, offset: u32, mask: u64, other: u64) {
        self.memory(&[0x48, 0x8b], 0, ROW, offset); // mov rax, [rdi + offset]
        self.load_constant(mask);
        self.put(&[0x4c, 0x21, 0xc8]); // and rax, r9
        if other != 0 {
            if other != mask {
                self.load_constant(other);
            }
            self.put(&[0x4c, operation, 0xc8]); // the operation on rax and r9
        }
    }

    /// Into `r9`.
    fn load_constant(&mut self, constant: u64) {
        match u32::try_from(constant) {
            Ok(small) => {
                self.put(&[0x41, 0xb9]); // mov r9d, constant
                self.put32(small);
            }
            Err(_) => {
                self.put(&[0x49, 0xb9]); // mov r9, constant
                self.put(&constant.to_le_bytes());
            }
        }
    }

    /// Marks the bits among `mask` whose values in the row are not those of `want`.
    ///
    /// What is stored is whole words, here and below: reading a word right after half of it was stored would
    /// wait for the store.
    pub(super) fn mark_unlike(&mut self, word: u32, mask: u64, want: u64) {
        const EXCLUSIVE_OR: u8 = 0x31;
        self.load_and(EXCLUSIVE_OR, word * 8, mask, want);
        self.memory(&[0x48, 0x09], 0, FLIPS, word * 8); // or [rcx + offset], rax
    }

    /// Marks bits.
    pub(super) fn mark(&mut self, word: u32, mask: u64) {
        match i32::try_from(mask) {
            Ok(small) => {
                self.memory(&[0x48, 0x81], 1, FLIPS, word * 8); // or qword [rcx + offset], mask
                self.put32(small as u32);
            }
            Err(_) if mask.is_power_of_two() => {
                self.memory(&[0x48, 0x0f, 0xba], 5, FLIPS, word * 8); // bts qword [rcx + offset], bit
                self.put(&[mask.trailing_zeros() as u8]);
            }
            Err(_) => {
                self.load_constant(mask);
                self.memory(&[0x4c, 0x09], 1, FLIPS, word * 8); // or [rcx + offset], r9
            }
        }
    }

    /// Flips the bits of a word of the row that are marked, and takes the marks away.
    pub(super) fn flip(&mut self, word: u32) {
        self.memory(&[0x48, 0x8b], 0, FLIPS, word * 8); // mov rax, [rcx + offset]
        self.memory(&[0x48, 0x31], 0, ROW, word * 8); // xor [rdi + offset], rax
        self.memory(&[0x48, 0xc7], 0, FLIPS, word * 8); // mov qword [rcx + offset], 0
        self.put32(0);
    }

    /// Gives bits of the row their values.
    pub(super) fn set(&mut self, word: u32, mask: u64, want: u64) {
        self.memory(&[0x48, 0x8b], 0, ROW, word * 8); // mov rax, [rdi + offset]
        if mask.is_power_of_two() {
            // bts rax, bit; or btr rax, bit
            self.put(&[0x48, 0x0f, 0xba, if want == 0 { 0xf0 } else { 0xe8 }, mask.trailing_zeros() as u8]);
        } else {
            if want != mask {
                self.load_constant(!mask);
                self.put(&[0x4c, 0x21, 0xc8]); // and rax, r9
            }
            if want != 0 {
                self.load_constant(want);
                self.put(&[0x4c, 0x09, 0xc8]); // or rax, r9
            }
        }
        self.memory(&[0x48, 0x89], 0, ROW, word * 8); // mov [rdi + offset], rax
    }

    /// Loads those of the guards that are on, and jumps if there are none.
    pub(super) fn load_guards(&mut self, word: u32, mask: u64, none: Label) {
        self.memory(&[0x48, 0x8b], 3, ROW, word * 8); // mov rbx, [rdi + offset]
        self.load_constant(mask);
        self.put(&[0x4c, 0x21, 0xcb]); // and rbx, r9
        self.jump_if(Found::Zero, none);
    }

    /// Jumps if guards are left.
    pub(super) fn jump_if_guards(&mut self, to: Label) {
        self.put(&[0x48, 0x85, 0xdb]); // test rbx, rbx
        self.jump_if(Found::NotZero, to);
    }

    /// Takes the lowest guard and goes to its label: those of all bits from `first` on.
    pub(super) fn take_guard(&mut self, first: u32, labels: &[Label]) {
        self.put(&[0xf3, 0x48, 0x0f, 0xbc, 0xc3]); // tzcnt rax, rbx (rbx is not zero: bsf does the same)
        self.put(&[0x4c, 0x8d, 0x4b, 0xff]); // lea r9, [rbx - 1]
        self.put(&[0x4c, 0x21, 0xcb]); // and rbx, r9
        self.jump_by_table(first, labels);
    }

    /// Goes to the label whose number, counted from `first`, is in `rax`.
    fn jump_by_table(&mut self, first: u32, labels: &[Label]) {
        self.put(&[0x4c, 0x8d, 0x0d]); // lea r9, [rip + distance to the table]
        let distance_at = self.bytes.len();
        self.put32(0);
        self.put(&[0x49, 0x63, 0x04, 0x81]); // movsxd rax, dword [r9 + rax * 4]
        self.put(&[0x4c, 0x01, 0xc8]); // add rax, r9
        self.put(&[0xff, 0xe0]); // jmp rax
        // The table would begin here if its first number were zero.
        let table = (self.bytes.len() as u32).wrapping_sub(first * 4);
        let distance = table.wrapping_sub(distance_at as u32 + 4).to_le_bytes();
        self.bytes[distance_at..distance_at + 4].copy_from_slice(&distance);
        for &to in labels {
            let at = self.bytes.len() as u32;
            self.distances.push(Distance { at, from: table.wrapping_sub(at) as i32, to });
            self.put32(0);
        }
    }

    /// Returns what has been found about the conjunction at this time, if anything has.
    pub(super) fn return_finding(&mut self, number: u32) {
        let unknown = self.label();
        self.memory(&[0x8b], 0, FINDINGS, number * 8); // mov eax, [time of the finding]
        self.put(&[0x31, 0xd0]); // xor eax, edx
        self.put(&[0x83, 0xf8, 1]); // cmp eax, 1
        self.jump_if(Found::Above, unknown);
        self.return_();
        self.bind(unknown);
    }

    /// Writes down that the conjunction holds or does not.
    pub(super) fn write_finding(&mut self, number: u32, holds: bool) {
        if holds {
            self.put(&[0x8d, 0x42, 1]); // lea eax, [rdx + 1]
            self.memory(&[0x89], 0, FINDINGS, number * 8); // mov [time of the finding], eax
        } else {
            self.memory(&[0x89], 2, FINDINGS, number * 8); // mov [time of the finding], edx
        }
    }

    /// Goes to the label of the part that decided about the conjunction the last time; to the first if that one has none.
    pub(super) fn jump_to_decided(&mut self, number: u32, labels: &[Label]) {
        self.memory(&[0x8b], 0, FINDINGS, number * 8 + 4); // mov eax, [part]
        self.put(&[0x3d]); // cmp eax, how many
        self.put32(labels.len() as u32);
        self.jump_if(Found::NotBelow, labels[0]);
        self.jump_by_table(0, labels);
    }

    /// Writes down which part decides.
    pub(super) fn write_decided(&mut self, number: u32, part: u32) {
        self.memory(&[0xc7], 0, FINDINGS, number * 8 + 4); // mov dword [part], number
        self.put32(part);
    }

    /// Looks whether the first part is the one that decided.
    pub(super) fn is_first_decided(&mut self, number: u32) {
        self.memory(&[0x83], 7, FINDINGS, number * 8 + 4); // cmp dword [part], 0
        self.put(&[0]);
    }
}

/// The numbers of the registers that point to memory.
const ROW: u8 = 7;
const FINDINGS: u8 = 6;
const FLIPS: u8 = 1;

/// Four bytes of a word: constants of 32 bits stand in the instruction.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// The first of them.
    first: u32,
}

impl Window {
    /// One with all bits of the mask, which has some.
    fn of(mask: u64) -> Option<Window> {
        let window = Window { first: (mask.trailing_zeros() / 8).min(4) };
        (u64::from(window.part(mask)) << (window.first * 8) == mask).then_some(window)
    }

    fn part(self, word: u64) -> u32 {
        (word >> (self.first * 8)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::{Assembler, Found};
    use crate::budget::Budget;

    /// A jump, a call and a table of jumps to places that nobody has bound: no code, rather than wild jumps.
    #[test]
    fn code_with_an_unbound_label_is_refused() {
        let writers: [fn(&mut Assembler, super::Label); 4] = [
            |code, label| code.jump(label),
            |code, label| code.jump_if(Found::Zero, label),
            |code, label| code.call(label),
            |code, label| code.jump_to_decided(0, &[label]),
        ];
        for (at, write) in writers.into_iter().enumerate() {
            for bound in [false, true] {
                let mut code = Assembler::default();
                let label = code.label();
                code.align();
                write(&mut code, label);
                assert_eq!(code.place(label), None, "writer {at}");
                if bound {
                    code.bind(label);
                    assert!(code.place(label).is_some(), "writer {at}");
                }
                code.return_zero();
                code.shorten(&mut Budget::default().clock()).expect("no limit");
                assert_eq!(code.finish().is_some(), bound, "writer {at}");
            }
        }
    }

    /// `jmp +2; xor eax, eax; ret` by hand: the short form counts from its end.
    #[test]
    fn a_short_jump_counts_from_its_end() {
        let mut code = Assembler::default();
        let label = code.label();
        code.align();
        code.jump(label);
        code.return_();
        code.return_();
        code.bind(label);
        code.return_zero();
        code.shorten(&mut Budget::default().clock()).expect("no limit");
        assert_eq!(code.finish(), Some(vec![0xeb, 2, 0xc3, 0xc3, 0x31, 0xc0, 0xc3]));
    }
}
