//! Straight-line bit logic, written as statements of C.
//!
//! A [`Plane`] is one bit a game: a word of the thread, a constant, or the inverse of a word. [`Circuit::table`]
//! is the only way to make new ones: any function of three planes, which a GPU computes in one instruction
//! (LOP3). Constants, inverses and equal inputs are folded away before anything is written, so whoever writes
//! adders need not look for carries that are never set.

use std::fmt::Write;
use std::rc::Rc;

/// A word of the thread by name, possibly inverted, or a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Plane {
    Constant(bool),
    Word { name: Rc<str>, inverted: bool },
}

impl Plane {
    pub(crate) const FALSE: Plane = Plane::Constant(false);
    pub(crate) const TRUE: Plane = Plane::Constant(true);

    pub(crate) fn word(name: impl Into<Rc<str>>) -> Plane {
        Plane::Word { name: name.into(), inverted: false }
    }

    pub(crate) fn inverse(&self) -> Plane {
        self.inverse_if(true)
    }

    pub(crate) fn inverse_if(&self, invert: bool) -> Plane {
        match self {
            Plane::Constant(value) => Plane::Constant(value ^ invert),
            Plane::Word { name, inverted } => Plane::Word { name: name.clone(), inverted: inverted ^ invert },
        }
    }

    /// As an expression.
    pub(crate) fn text(&self) -> String {
        match self {
            Plane::Constant(false) => "0u".to_owned(),
            Plane::Constant(true) => "~0u".to_owned(),
            Plane::Word { name, inverted: false } => name.to_string(),
            Plane::Word { name, inverted: true } => format!("~{name}"),
        }
    }
}

/// Functions of three planes. Bit `4a + 2b + c` of a table is the value for the inputs a, b and c.
pub(crate) mod tables {
    pub(crate) const A: u8 = 0xF0;
    pub(crate) const B: u8 = 0xCC;
    pub(crate) const C: u8 = 0xAA;
    pub(crate) const XOR3: u8 = A ^ B ^ C;
    /// The carry of a + b + c.
    pub(crate) const MAJORITY: u8 = (A & B) | (A & C) | (B & C);
    /// The borrow of a - b - c.
    pub(crate) const BORROW: u8 = (B & C) | (!A & (B | C));
    /// a, or b and c.
    pub(crate) const OR_AND: u8 = A | (B & C);
    /// b where a is set, c elsewhere.
    pub(crate) const BLEND: u8 = (A & B) | (!A & C);
    pub(crate) const AND: u8 = A & B;
    pub(crate) const OR: u8 = A | B;
    pub(crate) const XOR: u8 = A ^ B;
}
use tables::{A, B, C};

/// Statements, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Circuit {
    pub(crate) text: String,
    names: u32,
    /// Instructions of three and of two inputs that were written: what the text costs, loops counted once.
    pub(crate) operations: usize,
}

impl Circuit {
    pub(crate) fn name(&mut self) -> Rc<str> {
        self.names += 1;
        format!("t{}", self.names).into()
    }

    pub(crate) fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// The function `table` of up to three planes; missing ones are constants.
    pub(crate) fn table(&mut self, table: u8, inputs: &[&Plane]) -> Plane {
        let mut table = table;
        let mut words: [Option<Rc<str>>; 3] = [None, None, None];
        let masks = [A, B, C];
        for (at, mask) in masks.into_iter().enumerate() {
            let [low, high] = cofactors(table, mask);
            match inputs.get(at) {
                None | Some(Plane::Constant(false)) => table = low,
                Some(Plane::Constant(true)) => table = high,
                Some(Plane::Word { name, inverted }) => {
                    if *inverted {
                        table = (low & mask) | (high & !mask);
                    }
                    // The same word twice: only where both agree.
                    if let Some(before) = words.iter().position(|word| word.as_ref() == Some(name)) {
                        let [low, high] = cofactors(table, mask);
                        table = (high & masks[before]) | (low & !masks[before]);
                    } else {
                        words[at] = Some(name.clone());
                    }
                }
            }
        }
        let used: Vec<(u8, Rc<str>)> = masks
            .into_iter()
            .zip(words)
            .filter(|(mask, _)| {
                let [low, high] = cofactors(table, *mask);
                low != high
            })
            .filter_map(|(mask, word)| word.map(|word| (mask, word)))
            .collect();
        match &used[..] {
            [] => return Plane::Constant(table & 1 == 1),
            [(mask, name)] => return Plane::Word { name: name.clone(), inverted: table != *mask },
            _ => {}
        }
        self.operations += 1;
        let to = self.name();
        let written = match &used[..] {
            [(a, x), (b, y)] => {
                let (a, b) = (*a, *b);
                let forms = [
                    (a & b, format!("{x} & {y}")),
                    (a & !b, format!("{x} & ~{y}")),
                    (!a & b, format!("~{x} & {y}")),
                    (!(a | b), format!("~({x} | {y})")),
                    (a | b, format!("{x} | {y}")),
                    (a | !b, format!("{x} | ~{y}")),
                    (!a | b, format!("~{x} | {y}")),
                    (!(a & b), format!("~({x} & {y})")),
                    (a ^ b, format!("{x} ^ {y}")),
                    (!(a ^ b), format!("~({x} ^ {y})")),
                ];
                // All ten functions that depend on both are there.
                let form =
                    forms.into_iter().find(|(f, _)| *f == table).map_or(String::new(), |(_, text)| text);
                writeln!(self.text, "u32 {to} = {form};")
            }
            [(_, x), (_, y), (_, z)] => writeln!(self.text, "L3({to}, {x}, {y}, {z}, 0x{table:02X})"),
            _ => Ok(()),
        };
        debug_assert!(written.is_ok(), "a string takes all that is written");
        Plane::word(to)
    }

    pub(crate) fn and(&mut self, a: &Plane, b: &Plane) -> Plane {
        self.table(tables::AND, &[a, b])
    }

    pub(crate) fn or(&mut self, a: &Plane, b: &Plane) -> Plane {
        self.table(tables::OR, &[a, b])
    }

    pub(crate) fn full_add(&mut self, a: &Plane, b: &Plane, c: &Plane) -> (Plane, Plane) {
        (self.table(tables::XOR3, &[a, b, c]), self.table(tables::MAJORITY, &[a, b, c]))
    }

    /// The disjunction of all planes.
    pub(crate) fn any(&mut self, planes: &[Plane]) -> Plane {
        let mut open = planes.to_vec();
        while open.len() > 1 {
            open = open
                .chunks(3)
                .map(|part| match part {
                    [a, b, c] => self.table(A | B | C, &[a, b, c]),
                    [a, b] => self.table(A | B, &[a, b]),
                    rest => rest[0].clone(),
                })
                .collect();
        }
        open.pop().unwrap_or(Plane::FALSE)
    }

    /// How many of the planes are set, as binary digits, the lowest first.
    pub(crate) fn count(&mut self, planes: &[Plane]) -> Vec<Plane> {
        let mut digits = Vec::new();
        let mut column: Vec<Plane> = planes.to_vec();
        while !column.is_empty() {
            let mut carries = Vec::new();
            while column.len() > 1 {
                let third = if column.len() > 2 { column.remove(2) } else { Plane::FALSE };
                let second = column.remove(1);
                let first = column.remove(0);
                let (sum, carry) = self.full_add(&first, &second, &third);
                column.push(sum);
                if carry != Plane::FALSE {
                    carries.push(carry);
                }
            }
            digits.append(&mut column);
            column = carries;
        }
        digits
    }

    /// The sum of two numbers.
    pub(crate) fn add(&mut self, a: &[Plane], b: &[Plane]) -> Vec<Plane> {
        let mut carry = Plane::FALSE;
        let mut sum = Vec::new();
        for place in 0..a.len().max(b.len()) {
            let digit = |number: &[Plane]| number.get(place).cloned().unwrap_or(Plane::FALSE);
            let (low, high) = self.full_add(&digit(a), &digit(b), &carry);
            sum.push(low);
            carry = high;
        }
        if carry != Plane::FALSE {
            sum.push(carry);
        }
        sum
    }
}

/// The table with the input of `mask` false, and with it true, both spread over all places.
fn cofactors(table: u8, mask: u8) -> [u8; 2] {
    let shift = match mask {
        A => 4,
        B => 2,
        _ => 1,
    };
    let low = table & !mask;
    let high = table & mask;
    [low | (low << shift), high | (high >> shift)]
}

#[cfg(test)]
mod tests {
    use super::{Circuit, Plane, tables};

    #[test]
    fn folds_constants_inverses_and_equal_inputs() {
        let mut circuit = Circuit::default();
        let [x, y] = ["x", "y"].map(Plane::word);
        assert_eq!(circuit.table(tables::XOR3, &[&x, &x, &y]), y);
        assert_eq!(circuit.table(tables::MAJORITY, &[&x, &y, &x.inverse()]), y);
        assert_eq!(circuit.table(tables::MAJORITY, &[&x, &y, &y]), y);
        assert_eq!(circuit.table(tables::AND, &[&x, &Plane::FALSE]), Plane::FALSE);
        assert_eq!(circuit.table(tables::XOR, &[&x, &Plane::TRUE]), x.inverse());
        assert_eq!(circuit.table(tables::OR, &[&x, &x.inverse()]), Plane::TRUE);
        assert_eq!(circuit.operations, 0);
        let carry = circuit.table(tables::MAJORITY, &[&x.inverse(), &y, &Plane::FALSE]);
        assert_eq!(carry, Plane::word("t1"));
        assert_eq!(circuit.text, "u32 t1 = ~x & y;\n");
    }

    #[test]
    fn nine_planes_are_counted_by_seven_adders() {
        let mut circuit = Circuit::default();
        let planes: Vec<Plane> = (0..9).map(|i| Plane::word(format!("x{i}"))).collect();
        assert_eq!(circuit.count(&planes).len(), 4);
        // Four full adders of weight one, one and a half of weight two, a half of weight four.
        assert_eq!(circuit.operations, 2 * 7);
    }
}
