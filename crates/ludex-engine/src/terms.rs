//! Ground terms as numbers.
//!
//! Terms share their parts, so a term that takes a few bytes here can be beyond all measure when it is written down: a
//! hundred rules of the form `p1(f(X, X)) if p0(X)` make one of 2^100 names. Each term knows its written size and its
//! depth, and what rules derive is refused beyond a limit (`Terms::derive`). Walks over terms may therefore recurse.

use crate::budget::Exceeded;
use hashbrown::HashTable;
use ludex_gdl::{Symbol, Symbols};
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::Arc;

/// The most characters of a term that rules derive. (The lists of visited cells in laiklee_hex have some hundreds.)
pub(crate) const MOST_WRITTEN: u64 = 1 << 16;

/// The deepest term that rules derive. The text nests 200 deep at most; a list of this length is no game's.
pub(crate) const MOST_DEPTH: u32 = 1_000;

/// A ground term in a [`Terms`] table: equal numbers, equal terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TermId(pub u32);

impl TermId {
    /// Position in the table, dense from zero.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    functor: Symbol,
    first: u32,
    count: u32,
    depth: u32,
    /// Characters of the term written down.
    written: u64,
}

/// Hash-consed ground terms: constants, and functions applied to terms of the table.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: Vec<Node>,
    arguments: Vec<TermId>,
    index: HashTable<TermId>,
    /// How long each name is; names that are not there count as one character.
    lengths: Arc<[u32]>,
}

impl Terms {
    /// The same terms; those that are made from now on know how long their names are.
    #[must_use]
    pub(crate) fn over(mut self, symbols: &Symbols) -> Terms {
        self.lengths = symbols.iter().map(|symbol| symbols.name(symbol).len() as u32).collect();
        self
    }

    /// The constant of that name.
    pub fn constant(&mut self, name: Symbol) -> TermId {
        self.intern(name, &[])
    }

    /// As [`Terms::intern`], for terms that rules put together: refuses what is too deep or too long to be written.
    pub(crate) fn derive(&mut self, functor: Symbol, arguments: &[TermId]) -> Result<TermId, Exceeded> {
        let (depth, written) = self.measures(functor, arguments);
        if depth > MOST_DEPTH {
            return Err(Exceeded::Depth(MOST_DEPTH));
        }
        if written > MOST_WRITTEN {
            return Err(Exceeded::Written(MOST_WRITTEN));
        }
        Ok(self.intern(functor, arguments))
    }

    fn measures(&self, functor: Symbol, arguments: &[TermId]) -> (u32, u64) {
        let name = u64::from(self.lengths.get(functor.index()).copied().unwrap_or(1));
        let inside = arguments.iter().map(|argument| self.nodes[argument.index()]);
        inside.fold((0, name + 1), |(depth, written), node| {
            (depth.max(node.depth.saturating_add(1)), written.saturating_add(node.written))
        })
    }

    /// Characters of the term written down, about.
    pub(crate) fn written(&self, id: TermId) -> u64 {
        self.nodes[id.index()].written
    }

    /// The function `functor` applied to `arguments`, or the constant if there are none.
    pub fn intern(&mut self, functor: Symbol, arguments: &[TermId]) -> TermId {
        let hash = hash(functor, arguments);
        let same = |id: &TermId| {
            let node = self.nodes[id.index()];
            node.functor == functor && self.slice(node) == arguments
        };
        if let Some(&id) = self.index.find(hash, same) {
            return id;
        }
        let id = TermId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms fit in memory"));
        let first = self.arguments.len() as u32;
        let (depth, written) = self.measures(functor, arguments);
        self.arguments.extend_from_slice(arguments);
        self.nodes.push(Node { functor, first, count: arguments.len() as u32, depth, written });
        let (nodes, all) = (&self.nodes, &self.arguments);
        self.index.insert_unique(hash, id, |id| {
            let node = nodes[id.index()];
            let range = node.first as usize..(node.first + node.count) as usize;
            self::hash(node.functor, &all[range])
        });
        id
    }

    /// The term, if it is in the table.
    pub fn find(&self, functor: Symbol, arguments: &[TermId]) -> Option<TermId> {
        let same = |id: &TermId| {
            let node = self.nodes[id.index()];
            node.functor == functor && self.slice(node) == arguments
        };
        self.index.find(hash(functor, arguments), same).copied()
    }

    /// A term of another table, made here if it is new. Both tables must use the same names.
    pub fn copy(&mut self, from: &Terms, id: TermId) -> TermId {
        let arguments: Vec<TermId> = from.arguments(id).iter().map(|&a| self.copy(from, a)).collect();
        self.intern(from.functor(id), &arguments)
    }

    fn slice(&self, node: Node) -> &[TermId] {
        &self.arguments[node.first as usize..(node.first + node.count) as usize]
    }

    /// The name in front.
    pub fn functor(&self, id: TermId) -> Symbol {
        self.nodes[id.index()].functor
    }

    /// The arguments; none for a constant.
    pub fn arguments(&self, id: TermId) -> &[TermId] {
        self.slice(self.nodes[id.index()])
    }

    /// True for a term without arguments.
    pub fn is_constant(&self, id: TermId) -> bool {
        self.nodes[id.index()].count == 0
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The term as a canonical s-expression: single blanks, constants bare and exactly as in the rules.
    pub fn show(&self, symbols: &Symbols, id: TermId) -> String {
        let mut out = String::new();
        self.write(symbols, id, &mut out);
        out
    }

    fn write(&self, symbols: &Symbols, id: TermId, out: &mut String) {
        if self.is_constant(id) {
            out.push_str(symbols.name(self.functor(id)));
            return;
        }
        out.push('(');
        out.push_str(symbols.name(self.functor(id)));
        for &argument in self.arguments(id) {
            out.push(' ');
            self.write(symbols, argument, out);
        }
        out.push(')');
    }
}

fn hash(functor: Symbol, arguments: &[TermId]) -> u64 {
    let mut hasher = BuildHasherDefault::<WordHasher>::default().build_hasher();
    hasher.write_u32(functor.index() as u32);
    for argument in arguments {
        hasher.write_u32(argument.0);
    }
    hasher.finish()
}

/// A multiplicative hash for short runs of numbers that we made ourselves (so no flooding to fear).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, word: u32) {
        self.0 = (self.0.rotate_left(5) ^ u64::from(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        // The table takes its tag from the top bits and its position from the bottom ones.
        self.0 ^ (self.0 >> 32)
    }
}
