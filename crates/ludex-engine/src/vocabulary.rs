//! The numbering of a game's roles, fluents and moves that all engines share.
//!
//! A vocabulary holds every fluent and move that play can reach, and usually some that it cannot: it comes
//! from a fixpoint that ignores negation (`datalog::reach`). Numbers are given in the natural order of the
//! terms, so they do not depend on how an engine works. Every one of the 333 public rule sheets has a
//! finite vocabulary (docs/vocabulary.md: half have fewer than 200 fluents), so states are rows of bits; a
//! game whose vocabulary is beyond the limits is refused with a clean error when an engine is built.

use crate::budget::{Budget, Exceeded, Stage};
use crate::error::BuildError;
use crate::frontend::reach;
use crate::terms::{TermId, Terms};
use hashbrown::HashMap;
use ludex_gdl::syntax::tree::{Term as TreeTerm, TermKind, Tree};
use ludex_gdl::{Game, Rules, Symbol};
use std::cmp::Ordering;
use std::sync::Arc;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an array index.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A role, in the order in which the rules name them.
    RoleId,
    /// A fluent: a bit of a state.
    FluentId,
    /// A move of one role; each role's moves are numbered from zero.
    MoveId,
}

/// The roles, fluents and moves of one game.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    rules: Arc<Rules>,
    terms: Terms,
    roles: Vec<TermId>,
    role_ids: HashMap<TermId, RoleId>,
    fluents: Vec<TermId>,
    fluent_ids: HashMap<TermId, FluentId>,
    moves: Vec<Vec<TermId>>,
    move_ids: Vec<HashMap<TermId, MoveId>>,
}

/// The most characters that all fluents and moves take together, written down. (The 263,000 of amazonstorus take
/// some four million.)
const MOST_WRITTEN: u64 = 1 << 28;

impl Vocabulary {
    /// Computes the vocabulary of a game, or says that it is too large.
    pub fn new(game: &Game, budget: &Budget) -> Result<Vocabulary, BuildError> {
        budget.begin(Stage::Vocabulary)?;
        let (program, store) = reach(game, budget)?;
        let mut terms = store.terms.clone();
        let rules = &program.rules;
        let roles: Vec<TermId> = store.table(program.role).rows().map(|row| row[0]).collect();
        let mut fluents = Vec::new();
        for tables in &program.fluents {
            for row in store.table(tables.holds).rows() {
                fluents.push(tables.shape.intern(&mut terms, row));
            }
        }
        let role_ids: HashMap<TermId, RoleId> =
            (0..).map(RoleId).zip(&roles).map(|(id, &role)| (role, id)).collect();
        let mut moves = vec![Vec::new(); roles.len()];
        for tables in &program.moves {
            for row in store.table(tables.does).rows() {
                // A move of somebody who is no role can be derived, but never played.
                if let Some(&role) = role_ids.get(&row[0]) {
                    moves[role.index()].push(tables.shape.intern(&mut terms, &row[1..]));
                }
            }
        }
        let all = fluents.iter().chain(moves.iter().flatten());
        if all.fold(0u64, |sum, &term| sum.saturating_add(terms.written(term))) > MOST_WRITTEN {
            return Err(Exceeded::Written(MOST_WRITTEN).into());
        }
        let ranks = ranks(rules);
        let order = |terms: &Terms, list: &mut Vec<TermId>| match list
            .iter()
            .map(|&term| key(&ranks, terms, term))
            .collect::<Option<Vec<u128>>>()
        {
            Some(keys) => {
                let mut keyed: Vec<(u128, TermId)> = keys.into_iter().zip(list.iter().copied()).collect();
                keyed.sort_unstable();
                list.iter_mut().zip(keyed).for_each(|(place, (_, term))| *place = term);
            }
            None => list.sort_by(|&a, &b| natural_order(&ranks, terms, a, b)),
        };
        order(&terms, &mut fluents);
        moves.iter_mut().for_each(|list| order(&terms, list));
        let fluent_ids = (0u32..).zip(&fluents).map(|(i, &term)| (term, FluentId(i))).collect();
        let move_ids = moves
            .iter()
            .map(|list: &Vec<TermId>| (0u32..).zip(list).map(|(i, &term)| (term, MoveId(i))).collect())
            .collect();
        let rules = rules.clone();
        Ok(Vocabulary { rules, terms, roles, role_ids, fluents, fluent_ids, moves, move_ids })
    }

    /// The terms that fluents, moves and roles are made of.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The rules whose names the terms use.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// How many roles there are.
    pub fn role_count(&self) -> usize {
        self.roles.len()
    }

    /// All roles.
    pub fn roles(&self) -> impl ExactSizeIterator<Item = RoleId> + use<> {
        (0..self.roles.len() as u32).map(RoleId)
    }

    /// How many fluents there are.
    pub fn fluent_count(&self) -> usize {
        self.fluents.len()
    }

    /// All fluents.
    pub fn fluents(&self) -> impl ExactSizeIterator<Item = FluentId> + use<> {
        (0..self.fluents.len() as u32).map(FluentId)
    }

    /// How many moves the role has.
    pub fn move_count(&self, role: RoleId) -> usize {
        self.moves[role.index()].len()
    }

    /// How many words a state takes.
    pub fn words(&self) -> usize {
        self.fluents.len().div_ceil(64)
    }

    /// The term of a role.
    pub fn role(&self, role: RoleId) -> TermId {
        self.roles[role.index()]
    }

    /// The term of a fluent.
    pub fn fluent(&self, fluent: FluentId) -> TermId {
        self.fluents[fluent.index()]
    }

    /// The term of a move.
    pub fn action(&self, role: RoleId, action: MoveId) -> TermId {
        self.moves[role.index()][action.index()]
    }

    /// The role that is this term.
    pub fn find_role(&self, term: TermId) -> Option<RoleId> {
        self.role_ids.get(&term).copied()
    }

    /// The fluent that is this term.
    pub fn find_fluent(&self, term: TermId) -> Option<FluentId> {
        self.fluent_ids.get(&term).copied()
    }

    /// The move of the role that is this term.
    pub fn find_move(&self, role: RoleId, term: TermId) -> Option<MoveId> {
        self.move_ids[role.index()].get(&term).copied()
    }

    /// The role's name.
    pub fn show_role(&self, role: RoleId) -> String {
        self.show(self.role(role))
    }

    /// The fluent as a canonical s-expression.
    pub fn show_fluent(&self, fluent: FluentId) -> String {
        self.show(self.fluent(fluent))
    }

    /// The move as a canonical s-expression.
    pub fn show_move(&self, role: RoleId, action: MoveId) -> String {
        self.show(self.action(role, action))
    }

    fn show(&self, term: TermId) -> String {
        self.terms.show(&self.rules.symbols, term)
    }

    /// Reads a ground term, in either notation, that the vocabulary has: the spelling must be the rules'.
    pub fn read_term(&self, text: &str) -> Option<TermId> {
        // A term reads like a fact.
        let parsed = ludex_gdl::syntax::parse(text, &ludex_gdl::syntax::TextLimits::default());
        let dotted = format!("{text}.");
        let parsed = if parsed.findings.is_empty() && parsed.tree.clauses.len() == 1 {
            parsed
        } else {
            ludex_gdl::syntax::parse(&dotted, &ludex_gdl::syntax::TextLimits::default())
        };
        let [clause] = parsed.tree.clauses.as_slice() else {
            // Numbers are no clauses, but they are terms.
            return self.terms.find(self.rules.symbols.get(text.trim())?, &[]);
        };
        self.ground(&parsed.tree, &clause.head)
    }

    fn ground(&self, tree: &Tree, term: &TreeTerm) -> Option<TermId> {
        let name = self.rules.symbols.get(tree.symbols.name(term.name()?))?;
        if matches!(term.kind, TermKind::Variable(_)) {
            return None;
        }
        let arguments: Vec<TermId> =
            term.arguments().iter().map(|a| self.ground(tree, a)).collect::<Option<_>>()?;
        self.terms.find(name, &arguments)
    }
}

/// The place of each symbol when names are ordered by letter and numbers, which come first, by value. Computed once:
/// some sheets have hundreds of thousands of moves to compare.
fn ranks(rules: &Rules) -> Vec<u32> {
    let mut symbols: Vec<Symbol> = rules.symbols.iter().collect();
    symbols.sort_by_cached_key(|&symbol| {
        let name = rules.symbols.name(symbol);
        let number = name.parse::<i64>().ok();
        (number.is_none(), number, name)
    });
    let mut ranks = vec![0; symbols.len()];
    for (rank, symbol) in (0..).zip(symbols) {
        ranks[symbol.index()] = rank;
    }
    ranks
}

/// A number for a term of a few constants; the numbers are in natural order. (Sorting the 259,202 moves of amazonstorus is 4 %
/// of what preparing the tree engine for it takes, by comparing terms it is 17.)
fn key(ranks: &[u32], terms: &Terms, term: TermId) -> Option<u128> {
    const BITS: usize = 16;
    const MOST: usize = u128::BITS as usize / BITS - 2;
    let rank = |term| u16::try_from(ranks[terms.functor(term).index()]).ok().map(u128::from);
    let args = terms.arguments(term);
    if args.len() > MOST || !args.iter().all(|&arg| terms.is_constant(arg)) {
        return None;
    }
    let start = rank(term)? << BITS | args.len() as u128;
    let key = args.iter().try_fold(start, |key, &arg| Some(key << BITS | rank(arg)?))?;
    Some(key << (BITS * (MOST - args.len())))
}

/// By name, constants before functions, then by the arguments.
fn natural_order(ranks: &[u32], terms: &Terms, a: TermId, b: TermId) -> Ordering {
    let rank = |id| ranks[terms.functor(id).index()];
    if a == b {
        return Ordering::Equal;
    }
    let (left, right) = (terms.arguments(a), terms.arguments(b));
    rank(a).cmp(&rank(b)).then(left.len().cmp(&right.len())).then_with(|| {
        left.iter()
            .zip(right)
            .map(|(&x, &y)| natural_order(ranks, terms, x, y))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    })
}
