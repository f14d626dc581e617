//! Interned names, and the names that GDL reserves.

use hashbrown::HashMap;
use std::sync::Arc;

/// A name in a [`Symbols`] table. Spelling is kept: `Red` and `red` are two symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

impl Symbol {
    /// Position in the table, dense from zero.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The names of one game. Symbols of different tables must not be mixed.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    names: Vec<Arc<str>>,
    index: HashMap<Arc<str>, Symbol>,
}

impl Symbols {
    /// The symbol for `name`, made if it is new.
    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.index.get(name) {
            return symbol;
        }
        let symbol = Symbol(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        let name: Arc<str> = name.into();
        self.names.push(name.clone());
        self.index.insert(name, symbol);
        symbol
    }

    /// The symbol for `name`, if any text has used it.
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.index.get(name).copied()
    }

    /// The spelling of `symbol`.
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol.index()]
    }

    /// The symbol at a position of the table.
    pub(crate) fn at(&self, index: usize) -> Symbol {
        debug_assert!(index < self.names.len());
        Symbol(index as u32)
    }

    /// All symbols.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Symbol> + use<> {
        (0..self.names.len() as u32).map(Symbol)
    }

    /// How many symbols there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True if nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// A symbol whose name begins with `stem` and that nothing uses yet.
    pub fn fresh(&mut self, stem: &str) -> Symbol {
        if !self.index.contains_key(stem) {
            return self.intern(stem);
        }
        // A number behind it: one that is free while the one before is not. Numbers are usually given without gaps, and
        // there may be thousands.
        let is_used = |count: u64| self.index.contains_key(format!("{stem}{count}").as_str());
        let (mut used, mut free) = (1, 2);
        while is_used(free) {
            (used, free) = (free, free * 2);
        }
        while free - used > 1 {
            let middle = used + (free - used) / 2;
            if is_used(middle) { used = middle } else { free = middle }
        }
        self.intern(&format!("{stem}{free}"))
    }
}

/// The reserved names. Outside the place of a relation they are ordinary constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Keyword {
    Role,
    Base,
    Input,
    Init,
    True,
    Does,
    Legal,
    Next,
    Terminal,
    Goal,
    Distinct,
    Not,
    Or,
    And,
}

impl Keyword {
    /// The keywords that are relations: they can stand as an atom.
    pub const RELATIONS: [Keyword; 10] = [
        Keyword::Role,
        Keyword::Base,
        Keyword::Input,
        Keyword::Init,
        Keyword::True,
        Keyword::Does,
        Keyword::Legal,
        Keyword::Next,
        Keyword::Terminal,
        Keyword::Goal,
    ];

    /// Recognises a keyword in any case: old sheets are written in capitals.
    pub fn of(name: &str) -> Option<Keyword> {
        let connectives = [Keyword::Distinct, Keyword::Not, Keyword::Or, Keyword::And];
        let mut all = Keyword::RELATIONS.into_iter().chain(connectives);
        all.find(|k| k.name().eq_ignore_ascii_case(name))
    }

    /// The name in its usual spelling.
    pub fn name(self) -> &'static str {
        match self {
            Keyword::Role => "role",
            Keyword::Base => "base",
            Keyword::Input => "input",
            Keyword::Init => "init",
            Keyword::True => "true",
            Keyword::Does => "does",
            Keyword::Legal => "legal",
            Keyword::Next => "next",
            Keyword::Terminal => "terminal",
            Keyword::Goal => "goal",
            Keyword::Distinct => "distinct",
            Keyword::Not => "not",
            Keyword::Or => "or",
            Keyword::And => "and",
        }
    }

    /// How many arguments the relation takes; `None` for the connectives, which take any number.
    pub fn arity(self) -> Option<usize> {
        match self {
            Keyword::Terminal => Some(0),
            Keyword::Role | Keyword::Base | Keyword::Init | Keyword::True | Keyword::Next => Some(1),
            Keyword::Input | Keyword::Does | Keyword::Legal | Keyword::Goal | Keyword::Distinct => Some(2),
            Keyword::Not => Some(1),
            Keyword::Or | Keyword::And => None,
        }
    }
}
