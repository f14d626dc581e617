//! A match followed without a vocabulary: the legal moves of the state at hand, in words.
//!
//! The vocabulary lists everything that any state can hold, which for some sheets takes seconds. [`Firsthand`] looks
//! at one state at a time: it is the reference evaluation over the same tables, with rows of terms for a state
//! instead of bits, so the first moves are known as soon as the static relations are.
//!
//! Use it until an engine is ready. It is no [`crate::engine::Engine`]: it numbers nothing, plans its joins anew for
//! each state and writes every move down, so it is far too slow to search with.

use crate::budget::{Budget, Exceeded};
use crate::error::BuildError;
use crate::frontend::{Base, Estimate, Overrun, Program, Questions, Stay, Store, TableId};
use crate::terms::{TermId, Terms};
use crate::vocabulary::RoleId;
use ludex_gdl::analysis::dependencies::{Dependencies, Phase};
use ludex_gdl::analysis::strata::stratify;
use ludex_gdl::{Game, Keyword};
use std::fmt;

/// One match from its first state on.
#[derive(Debug)]
pub struct Firsthand {
    program: Program,
    /// The static tables, and what follows from the current state.
    store: Store,
    /// The static length of each table.
    base: Vec<usize>,
    questions: Questions,
    /// Positions in `Program::strata` of those that depend on the state, as `questions` counts them.
    dynamic: Vec<usize>,
    /// Which of these have been applied to the current state.
    derived: Vec<bool>,
    /// How much the legal moves of a state may take.
    budget: Budget,
    roles: Vec<TermId>,
    /// The legal moves of each role.
    legal: Vec<Vec<Written>>,
}

/// A move in words, and where it is done.
#[derive(Clone, Debug)]
struct Written {
    text: String,
    does: TableId,
    /// The columns, the role first.
    row: Vec<TermId>,
}

/// Why a joint move could not be followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lost {
    /// Not one move for each role.
    Count(usize),
    /// A move that is not legal in the current state.
    Illegal(String),
    /// The state after it derives more than it may. There is no current state any more.
    Limit(Exceeded),
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Count(moves) => write!(f, "{moves} moves are not one for each role"),
            Lost::Illegal(text) => write!(f, "the move `{text}` is not legal here"),
            Lost::Limit(limit) => write!(f, "the next state derives {limit}"),
        }
    }
}

impl std::error::Error for Lost {}

/// A static relation with more atoms than this is tried on demand first: one state asks for few of them. (Chess has one
/// of millions; with the limit of an engine its first moves take two seconds.)
const FEW_ROWS: usize = 20_000;

impl Firsthand {
    /// Computes what is static, and the legal moves of the first state. The budget is that of the whole match.
    pub fn new(game: &Game, budget: &Budget) -> Result<Firsthand, BuildError> {
        let needed = moves_only(game);
        let game = needed.as_ref().unwrap_or(game);
        let build = |bound: &Budget| {
            Base::build(game, bound, |base| {
                let mut first = Firsthand::of(base, bound);
                first.begin()?;
                Ok(Firsthand { budget: budget.clone(), ..first })
            })
        };
        build(&budget.clone().with_rows(budget.rows().min(FEW_ROWS))).or_else(|_| build(budget))
    }

    fn of(base: &Base, budget: &Budget) -> Firsthand {
        let (program, store) = (base.program.clone(), base.store.clone());
        let is_dynamic = |&at: &usize| program.strata[at].phase != Phase::Static;
        let dynamic: Vec<usize> = (0..program.strata.len()).filter(is_dynamic).collect();
        Firsthand {
            questions: Questions::new(&program),
            derived: vec![false; dynamic.len()],
            dynamic,
            base: store.tables.iter().map(|table| table.len()).collect(),
            roles: store.table(program.role).rows().map(|row| row[0]).collect(),
            legal: Vec::new(),
            program,
            store,
            budget: budget.clone(),
        }
    }

    /// The roles in the order of the rules, which is that of every vocabulary of the game.
    pub fn roles(&self) -> impl Iterator<Item = String> {
        self.roles.iter().map(|&role| self.store.terms.show(&self.program.rules.symbols, role))
    }

    /// The legal moves of a role in the current state, in the spelling of the rules.
    pub fn legal(&self, role: RoleId) -> impl Iterator<Item = &str> {
        self.legal.get(role.index()).into_iter().flatten().map(|written| written.text.as_str())
    }

    /// Goes back to the first state.
    pub fn restart(&mut self) -> Result<(), Lost> {
        self.begin().map_err(|overrun| Lost::Limit(overrun.limit))
    }

    /// Goes on to the state after a joint move, given in the order of the roles.
    pub fn advance<S: AsRef<str>>(&mut self, joint: &[S]) -> Result<(), Lost> {
        if joint.len() != self.roles.len() {
            return Err(Lost::Count(joint.len()));
        }
        let mut done = Vec::with_capacity(joint.len());
        for (text, legal) in joint.iter().map(AsRef::as_ref).zip(&self.legal) {
            let found = legal.iter().find(|written| written.text == text);
            done.push(found.cloned().ok_or_else(|| Lost::Illegal(text.to_owned()))?);
        }
        self.forget_moves();
        for Written { does, row, .. } in done {
            self.store.table_mut(does).insert(&row);
        }
        self.follow().map_err(|overrun| Lost::Limit(overrun.limit))
    }

    fn begin(&mut self) -> Result<(), Overrun> {
        self.forget();
        let tables = self.program.fluents.iter();
        let rows = tables.map(|t| (t.holds, rows(&self.store, t.init))).collect();
        self.load(rows)
    }

    /// From a state and what is done in it to the next.
    fn follow(&mut self) -> Result<(), Overrun> {
        let asked = self.questions.next.clone();
        self.derive(&asked)?;
        let mut next = Vec::with_capacity(self.program.fluents.len());
        for tables in &self.program.fluents {
            let mut list = rows(&self.store, tables.next);
            if let Stay::Unless(ends) = tables.stay {
                let ends = self.store.table(ends);
                let staying = self.store.table(tables.holds).rows().filter(|row| !ends.contains(row));
                list.extend(staying.map(<[TermId]>::to_vec));
            }
            next.push((tables.holds, list));
        }
        self.forget();
        self.load(next)
    }

    fn forget(&mut self) {
        self.legal.clear();
        self.derived.fill(false);
        self.store.forget(&self.base, |_| true);
    }

    /// Forgets what depends on moves. Legal moves do not, but they may have asked a relation on demand that what
    /// moves do asks more of.
    fn forget_moves(&mut self) {
        self.store.forget(&self.base, |table| self.program.tables[table].phase == Phase::Move);
        for (position, &stratum) in self.dynamic.iter().enumerate() {
            if self.program.strata[stratum].phase == Phase::Move {
                self.derived[position] = false;
            }
        }
    }

    /// Makes the rows the current state, and lists its legal moves.
    fn load(&mut self, state: Vec<(TableId, Vec<Vec<TermId>>)>) -> Result<(), Overrun> {
        for (table, rows) in state {
            for row in rows {
                self.store.table_mut(table).insert(&row);
            }
        }
        let asked = self.questions.legal.clone();
        self.derive(&asked)?;
        self.legal = vec![Vec::new(); self.roles.len()];
        let mut terms: Terms = self.store.terms.clone();
        for tables in &self.program.moves {
            for row in self.store.table(tables.legal).rows() {
                let Some(role) = self.roles.iter().position(|role| *role == row[0]) else { continue };
                let term = tables.shape.intern(&mut terms, &row[1..]);
                let text = terms.show(&self.program.rules.symbols, term);
                self.legal[role].push(Written { text, does: tables.does, row: row.to_vec() });
            }
        }
        Ok(())
    }

    /// Applies the strata in their order, each planned with the sizes of what is filled by then. Those that have been
    /// applied to the current state are not applied again.
    fn derive(&mut self, strata: &[usize]) -> Result<(), Overrun> {
        let mut meter = self.budget.meter();
        let mut sizes = self.sizes();
        for &position in strata {
            let stratum = &self.program.strata[self.dynamic[position]];
            if !std::mem::replace(&mut self.derived[position], true) {
                let applied = self.store.apply_unseen(stratum, &mut sizes, &mut meter);
                applied.map_err(|limit| Overrun::new(&self.program, &self.store, &stratum.heads(), limit))?;
            }
            for head in stratum.heads() {
                sizes[head.index()] = Estimate::of(self.store.table(head));
            }
        }
        Ok(())
    }

    /// The sizes of what is given, also where it is empty: static tables, the state, what is done. The rest by guess.
    fn sizes(&self) -> Vec<Estimate> {
        let Program { tables, fluents, moves, guesses, .. } = &self.program;
        let mut sizes = guesses.clone();
        let given = (0u32..).map(TableId).zip(tables).filter(|(_, info)| info.phase == Phase::Static);
        let given = given.map(|(table, _)| table);
        for table in given.chain(fluents.iter().map(|f| f.holds)).chain(moves.iter().map(|m| m.does)) {
            sizes[table.index()] = Estimate::of(self.store.table(table));
        }
        sizes
    }
}

/// The game without what only its end and its goals need, which can be most of it. `None` if the rest needs an order
/// that only the whole has.
fn moves_only(game: &Game) -> Option<Game> {
    let rules = &game.rules;
    let asked = [Keyword::Role, Keyword::Init, Keyword::Legal, Keyword::Next].map(|word| rules.keyword(word));
    let read = Dependencies::of(rules).closure(asked.into_iter().chain(game.frame));
    let kept = rules.rules().iter().filter(|rule| read[rule.head.relation.index()]);
    let rules = rules.with_rules(kept.cloned());
    let strata = stratify(&rules, &Dependencies::of(&rules)).ok()?;
    Some(Game { rules, strata, frame: game.frame })
}

fn rows(store: &Store, table: TableId) -> Vec<Vec<TermId>> {
    store.table(table).rows().map(<[TermId]>::to_vec).collect()
}
