//! The rules without variables.
//!
//! Every rule is instantiated by a join over the superset of what can hold (`Base::relaxed`), never by
//! enumerating domains: a nine-argument jump costs as many instances as there are jumps. Conditions on
//! static relations are decided on the way and leave no trace.

use crate::datalog::{
    Base, Estimate, Extent, FlatAtom, FlatLiteral, FlatRule, Overrun, Plan, Program, Sink, Store, TableId,
};
use crate::limits::{Budget, Exceeded, Limits};
use ludex_gdl::analysis::dependencies::Phase;

/// A ground atom that depends on the state or the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct AtomId(pub(crate) u32);

impl AtomId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An atom or its negation: the number of the atom twice, plus one if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct GroundLiteral(u32);

impl GroundLiteral {
    fn new(atom: AtomId, negative: bool) -> GroundLiteral {
        GroundLiteral(atom.0 << 1 | u32::from(negative))
    }

    pub(crate) fn atom(self) -> AtomId {
        AtomId(self.0 >> 1)
    }

    pub(crate) fn is_negative(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The ground rules of a game.
#[derive(Debug)]
pub(crate) struct Ground {
    /// The tables with the superset; atoms are their rows.
    pub(crate) store: Store,
    /// The first atom of each table; static tables have none.
    first: Vec<u32>,
    pub(crate) atoms: usize,
    /// The bodies, end to end, sorted by head and without duplicates.
    literals: Vec<GroundLiteral>,
    /// For each body its range in `literals`, end exclusive.
    ends: Vec<u32>,
    /// For each atom the first of its bodies; one more at the end.
    bodies: Vec<u32>,
}

impl Ground {
    pub(crate) fn new(base: &Base, limits: Limits) -> Result<Ground, Overrun> {
        let program = &base.program;
        let mut store = base.relaxed(Extent::Everything, limits)?;
        let mut first = Vec::with_capacity(program.tables.len());
        let mut atoms = 0;
        for (info, table) in program.tables.iter().zip(&store.tables) {
            first.push(atoms as u32);
            if info.phase != Phase::Static {
                atoms += table.len();
            }
        }
        let estimates: Vec<Estimate> = store.tables.iter().map(|table| Estimate::of(table)).collect();
        let mut budget = Budget::new(Limits { rows: limits.rows * 16, ..limits });
        let mut instances = Instances { heads: Vec::new(), literals: Vec::new(), ends: Vec::new() };
        for stratum in program.strata.iter().filter(|stratum| stratum.phase != Phase::Static) {
            for rule in &stratum.rules {
                let mut sink = Instantiate::new(program, &first, rule, &mut instances);
                let joined = sink.joined.clone();
                store
                    .each_match(&joined, &estimates, &mut sink, &mut budget)
                    .map_err(|limit| Overrun::new(program, &store, &stratum.heads(), limit))?;
            }
        }
        Ok(instances.sorted(store, first, atoms))
    }

    /// The atom at a row of a table that is not static.
    pub(crate) fn atom(&self, table: TableId, row: usize) -> AtomId {
        AtomId(self.first[table.index()] + row as u32)
    }

    /// The bodies of the rules for an atom.
    pub(crate) fn bodies(&self, atom: AtomId) -> impl Iterator<Item = &[GroundLiteral]> {
        let range = self.bodies[atom.index()] as usize..self.bodies[atom.index() + 1] as usize;
        range.map(|body| {
            let start = if body == 0 { 0 } else { self.ends[body - 1] };
            &self.literals[start as usize..self.ends[body] as usize]
        })
    }

    /// How many ground rules there are.
    pub(crate) fn rule_count(&self) -> usize {
        self.ends.len()
    }
}

/// Ground rules as they come.
struct Instances {
    heads: Vec<AtomId>,
    literals: Vec<GroundLiteral>,
    ends: Vec<u32>,
}

impl Instances {
    /// Groups the rules by head and drops duplicates.
    fn sorted(self, store: Store, first: Vec<u32>, atoms: usize) -> Ground {
        let body = |rule: u32| {
            let start = if rule == 0 { 0 } else { self.ends[rule as usize - 1] };
            &self.literals[start as usize..self.ends[rule as usize] as usize]
        };
        let mut order: Vec<u32> = (0..self.heads.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| {
            self.heads[a as usize].cmp(&self.heads[b as usize]).then_with(|| body(a).cmp(body(b)))
        });
        order.dedup_by(|a, b| self.heads[*a as usize] == self.heads[*b as usize] && body(*a) == body(*b));
        let mut ground = Ground {
            store,
            first,
            atoms,
            literals: Vec::with_capacity(self.literals.len()),
            ends: Vec::with_capacity(order.len()),
            bodies: vec![0; atoms + 1],
        };
        for &rule in &order {
            ground.literals.extend_from_slice(body(rule));
            ground.ends.push(ground.literals.len() as u32);
            ground.bodies[self.heads[rule as usize].index() + 1] += 1;
        }
        for atom in 0..atoms {
            ground.bodies[atom + 1] += ground.bodies[atom];
        }
        ground
    }
}

/// Turns each match of a rule into a ground rule.
struct Instantiate<'a> {
    program: &'a Program,
    first: &'a [u32],
    head: &'a FlatAtom,
    /// The rule without the negations that depend on the state.
    joined: FlatRule,
    positive: Vec<&'a FlatAtom>,
    negative: Vec<&'a FlatAtom>,
    out: &'a mut Instances,
    body: Vec<GroundLiteral>,
}

impl<'a> Instantiate<'a> {
    fn new(
        program: &'a Program,
        first: &'a [u32],
        rule: &'a FlatRule,
        out: &'a mut Instances,
    ) -> Instantiate<'a> {
        let is_dynamic = |atom: &FlatAtom| program.table(atom.table).phase != Phase::Static;
        let mut joined = rule.clone();
        joined.body.retain(|literal| !matches!(literal, FlatLiteral::Negative(atom) if is_dynamic(atom)));
        let (mut positive, mut negative) = (Vec::new(), Vec::new());
        for literal in &rule.body {
            match literal {
                FlatLiteral::Positive(atom) if is_dynamic(atom) => positive.push(atom),
                FlatLiteral::Negative(atom) if is_dynamic(atom) => negative.push(atom),
                _ => {}
            }
        }
        Instantiate { program, first, head: &rule.head, joined, positive, negative, out, body: Vec::new() }
    }

    fn find(&self, store: &Store, atom: &FlatAtom) -> Option<AtomId> {
        debug_assert!(self.program.table(atom.table).phase != Phase::Static);
        let row = atom.args.iter().map(|arg| store.value(*arg));
        let position = store.table(atom.table).position(row)?;
        Some(AtomId(self.first[atom.table.index()] + position as u32))
    }
}

impl Sink for Instantiate<'_> {
    fn found(&mut self, store: &mut Store, _: &Plan, budget: &mut Budget) -> Result<(), Exceeded> {
        // The superset holds every head that a match derives.
        let Some(head) = self.find(store, self.head) else { return Ok(()) };
        self.body.clear();
        for atom in &self.positive {
            let Some(atom) = self.find(store, atom) else { return Ok(()) };
            self.body.push(GroundLiteral::new(atom, false));
        }
        for atom in &self.negative {
            // What is not in the superset never holds: its negation always does.
            if let Some(atom) = self.find(store, atom) {
                self.body.push(GroundLiteral::new(atom, true));
            }
        }
        self.body.sort_unstable();
        self.body.dedup();
        if self.body.windows(2).any(|pair| pair[0].atom() == pair[1].atom()) {
            // An atom and its negation: never true.
            return Ok(());
        }
        budget.spend(1 + self.body.len())?;
        self.out.heads.push(head);
        self.out.literals.extend_from_slice(&self.body);
        self.out.ends.push(self.out.literals.len() as u32);
        Ok(())
    }
}
