//! The few instructions of x86-64 that formulas need, as bytes.
//!
//! Registers, the same in all code: `rdi` points to the row, `rsi` to the findings, `edx` is the time, `rcx` points
//! to the flips; these stay as they are. `eax` carries results, `rax` and `r9` are free to use, `rbx` holds the guards that
//! are still to be looked at.

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

/// A distance in the code that is filled in at the end: four bytes at `at`, counted from `from`.
#[derive(Clone, Copy, Debug)]
struct Distance {
    at: u32,
    from: u32,
    to: Label,
}

const UNBOUND: u32 = u32::MAX;

/// Code so far.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    bytes: Vec<u8>,
    labels: Vec<u32>,
    distances: Vec<Distance>,
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

    /// Where a label is that has been bound.
    pub(super) fn place(&self, label: Label) -> u32 {
        self.labels[label.0 as usize]
    }

    /// The code, all distances filled in.
    pub(super) fn finish(mut self) -> Vec<u8> {
        for &Distance { at, from, to } in &self.distances {
            let to = self.labels[to.0 as usize];
            debug_assert_ne!(to, UNBOUND, "every label is bound");
            let distance = to.wrapping_sub(from).to_le_bytes();
            self.bytes[at as usize..at as usize + 4].copy_from_slice(&distance);
        }
        self.bytes
    }

    /// Begins a function: where the processor likes it, at a multiple of sixteen.
    pub(super) fn align(&mut self) {
        const BREAKPOINT: u8 = 0xcc;
        self.bytes.resize(self.bytes.len().next_multiple_of(16), BREAKPOINT);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn put32(&mut self, number: u32) {
        self.put(&number.to_le_bytes());
    }

    /// A distance from behind itself.
    fn put_distance(&mut self, to: Label) {
        let at = self.bytes.len() as u32;
        self.distances.push(Distance { at, from: at + 4, to });
        self.put32(0);
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
        self.put(&[0xe9]);
        self.put_distance(to);
    }

    pub(super) fn jump_if(&mut self, found: Found, to: Label) {
        self.put(&[0x0f, found as u8]);
        self.put_distance(to);
    }

    pub(super) fn call(&mut self, function: Label) {
        self.put(&[0xe8]);
        self.put_distance(function);
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
        if let Some(half) = Half::of(mask) {
            let (mask, want) = (half.part(mask), half.part(want));
            if want == 0 {
                self.memory(&[0xf7], 0, ROW, offset + half.offset()); // test dword [rdi + offset], mask
                self.put32(mask);
            } else {
                self.memory(&[0x8b], 0, ROW, offset + half.offset()); // mov eax, [rdi + offset]
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
            self.distances.push(Distance { at: self.bytes.len() as u32, from: table, to });
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

/// Half a word: constants of 32 bits stand in the instruction.
#[derive(Clone, Copy, Debug)]
enum Half {
    Low,
    High,
}

impl Half {
    /// The half in which all bits of the mask are.
    fn of(mask: u64) -> Option<Half> {
        if mask >> 32 == 0 {
            Some(Half::Low)
        } else if mask << 32 == 0 {
            Some(Half::High)
        } else {
            None
        }
    }

    fn part(self, word: u64) -> u32 {
        match self {
            Half::Low => word as u32,
            Half::High => (word >> 32) as u32,
        }
    }

    /// Where it is in the word, in bytes.
    fn offset(self) -> u32 {
        match self {
            Half::Low => 0,
            Half::High => 4,
        }
    }
}
