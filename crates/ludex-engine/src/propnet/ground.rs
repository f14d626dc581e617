//! The rules without variables.
//!
//! Every rule is instantiated by a join over the superset of what can hold (`Base::relaxed`), never by
//! enumerating domains: a nine-argument jump costs as many instances as there are jumps. Conditions on
//! static relations are decided on the way and leave no trace. Rules with very many instances are taken apart
//! first (`datalog/split.rs`), so that an instance binds no more variables at a time than it must.
//!
//! Where relations are computed on demand (`rewrite/demand.rs`), what is asked is only a filter: it restricts the
//! instances to what can matter, and does not appear in them. An atom that may be asked for is always right.

use crate::budget::{Budget, Exceeded, Meter};
use crate::frontend::{
    Base, Estimate, Extent, FlatAtom, FlatLiteral, FlatRule, Overrun, Plan, Sink, Store, TableId, split,
};
use ludex_gdl::analysis::dependencies::Phase;
use std::ops::Range;

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

impl std::ops::Not for GroundLiteral {
    type Output = GroundLiteral;

    fn not(self) -> GroundLiteral {
        GroundLiteral(self.0 ^ 1)
    }
}

/// How atoms are numbered.
#[derive(Debug)]
struct Atoms {
    /// The first atom of each table; tables that are decided when the rules are grounded have none.
    first: Vec<Option<u32>>,
    count: usize,
}

impl Atoms {
    fn new(base: &Base, store: &Store) -> Atoms {
        let mut atoms = Atoms { first: Vec::with_capacity(store.tables.len()), count: 0 };
        for (at, rows) in (0..).zip(&store.tables) {
            let table = TableId(at);
            let decided = base.program.table(table).phase == Phase::Static || base.is_question(table);
            atoms.first.push((!decided).then_some(atoms.count as u32));
            if !decided {
                atoms.count += rows.len();
            }
        }
        atoms
    }
}

/// The ground rules of a game.
#[derive(Debug)]
pub(crate) struct Ground {
    /// The tables with the superset; atoms are their rows.
    pub(crate) store: Store,
    first: Vec<Option<u32>>,
    pub(crate) atoms: usize,
    /// The bodies, end to end, sorted by head and without duplicates.
    literals: Vec<GroundLiteral>,
    /// For each body its range in `literals`, end exclusive.
    ends: Vec<u32>,
    /// For each atom the first of its bodies; one more at the end.
    bodies: Vec<u32>,
}

impl Ground {
    /// Rules with more than `few` instances, by estimate, are taken apart.
    pub(crate) fn new(base: &Base, budget: &Budget, few: f64) -> Result<Ground, Overrun> {
        let (base, mut store) = superset(base, budget, few)?;
        let mut estimates: Vec<Estimate> = store.tables.iter().map(|table| Estimate::of(table)).collect();
        let base = base.in_parts(split(&base.program, &estimates, few, &mut budget.clock())?);
        let overrun = |rule: &FlatRule, limit| Overrun {
            relations: vec![base.program.table(rule.head.table).relation],
            culprit: Some(base.program.table(rule.head.table).relation),
            limit,
        };
        let dynamic = || base.program.strata.iter().filter(|stratum| stratum.phase != Phase::Static);
        let mut meter = budget.meter();
        for part in dynamic().flat_map(|stratum| &stratum.rules) {
            // The superset is complete; what is missing is the parts, each after those that it reads.
            if part.head.table.index() == store.tables.len() {
                store.add_table(part.head.args.len());
                let applied = store.apply_once(&base.relaxed_rule(part), &estimates, &mut meter);
                applied.map_err(|limit| overrun(part, limit))?;
                estimates.push(Estimate::of(store.table(part.head.table)));
            }
        }
        let atoms = Atoms::new(&base, &store);
        let mut meter = budget.clone().with_rows(budget.rows().saturating_mul(MORE_LITERALS)).meter();
        let mut instances = Instances { heads: Vec::new(), literals: Vec::new(), ends: Vec::new() };
        for rule in dynamic().flat_map(|stratum| &stratum.rules) {
            if atoms.first[rule.head.table.index()].is_some() {
                let mut sink = Instantiate::new(&atoms, rule, &mut instances);
                let matched = store.each_match(&base.relaxed_rule(rule), &estimates, &mut sink, &mut meter);
                matched.map_err(|limit| overrun(rule, limit))?;
            }
        }
        Ok(instances.sorted(store, atoms, &mut budget.clock())?)
    }

    /// The atom at a row of a table that is not static.
    pub(crate) fn atom(&self, table: TableId, row: usize) -> AtomId {
        let first = self.first[table.index()].expect("static tables have no atoms");
        AtomId(first + row as u32)
    }

    /// The atoms of a table; a static one has none.
    pub(crate) fn atoms_of(&self, table: TableId) -> Range<u32> {
        let first = self.first.get(table.index()).copied().flatten();
        first.map_or(0..0, |first| first..first + self.store.table(table).len() as u32)
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
    fn sorted(self, store: Store, atoms: Atoms, meter: &mut Meter) -> Result<Ground, Exceeded> {
        let Atoms { first, count: atoms } = atoms;
        let body = |rule: u32| {
            let start = if rule == 0 { 0 } else { self.ends[rule as usize - 1] };
            &self.literals[start as usize..self.ends[rule as usize] as usize]
        };
        // Twenty million rules are not unusual: sorting by head is counting.
        let mut starts = vec![0u32; atoms + 1];
        for head in &self.heads {
            meter.tick()?;
            starts[head.index() + 1] += 1;
        }
        for atom in 0..atoms {
            starts[atom + 1] += starts[atom];
        }
        let mut order = vec![0u32; self.heads.len()];
        let mut place = starts.clone();
        for (rule, head) in (0..).zip(&self.heads) {
            meter.tick()?;
            let at = &mut place[head.index()];
            order[*at as usize] = rule;
            *at += 1;
        }
        let mut ground = Ground {
            store,
            first,
            atoms,
            literals: Vec::with_capacity(self.literals.len()),
            ends: Vec::with_capacity(order.len()),
            bodies: vec![0; atoms + 1],
        };
        for atom in 0..atoms {
            let rules = &mut order[starts[atom] as usize..starts[atom + 1] as usize];
            meter.tick_by(1 + 16 * rules.len() as u64)?;
            rules.sort_unstable_by(|&a, &b| body(a).cmp(body(b)));
            for (at, &rule) in rules.iter().enumerate() {
                if at == 0 || body(rules[at - 1]) != body(rule) {
                    ground.literals.extend_from_slice(body(rule));
                    ground.ends.push(ground.literals.len() as u32);
                }
            }
            ground.bodies[atom + 1] = ground.ends.len() as u32;
        }
        Ok(ground)
    }
}

/// The superset of what can hold, and the rules that it was computed with: as they are, or else in parts.
fn superset(base: &Base, budget: &Budget, few: f64) -> Result<(Base, Store), Overrun> {
    let hasty = budget.clone().with_steps(budget.steps() / HASTE);
    match base.relaxed(Extent::Everything, &hasty) {
        Ok(store) => return Ok((base.clone(), store)),
        // Parts save work, not rows.
        Err(overrun) if !matches!(overrun.limit, Exceeded::Steps(_)) => return Err(overrun),
        Err(_) => {}
    }
    // What is known of fluents and moves tells where parts are worth while.
    let vocabulary = base.relaxed(Extent::Vocabulary, budget)?;
    let sizes = base.estimates().into_iter().zip(&vocabulary.tables);
    let estimates: Vec<Estimate> =
        sizes.map(|(guess, table)| if table.len() > 0 { Estimate::of(table) } else { guess }).collect();
    let base = base.in_parts(split(&base.program, &estimates, few, &mut budget.clock())?);
    let store = base.relaxed(Extent::Everything, budget)?;
    Ok((base, store))
}

/// The superset is first tried with this fraction of the steps allowed, then with rules in parts.
const HASTE: u64 = 16;

/// Ground rules may have so many times more literals than the superset may have rows, since literals are small:
/// four bytes.
const MORE_LITERALS: usize = 32;

/// Turns each match of a rule into a ground rule.
struct Instantiate<'a> {
    first: &'a [Option<u32>],
    head: &'a FlatAtom,
    positive: Vec<&'a FlatAtom>,
    negative: Vec<&'a FlatAtom>,
    out: &'a mut Instances,
    body: Vec<GroundLiteral>,
}

impl<'a> Instantiate<'a> {
    fn new(atoms: &'a Atoms, rule: &'a FlatRule, out: &'a mut Instances) -> Instantiate<'a> {
        let has_atoms = |atom: &FlatAtom| atoms.first[atom.table.index()].is_some();
        let (mut positive, mut negative) = (Vec::new(), Vec::new());
        for literal in &rule.body {
            match literal {
                FlatLiteral::Positive(atom) if has_atoms(atom) => positive.push(atom),
                FlatLiteral::Negative(atom) if has_atoms(atom) => negative.push(atom),
                _ => {}
            }
        }
        Instantiate { first: &atoms.first, head: &rule.head, positive, negative, out, body: Vec::new() }
    }

    fn find(&self, store: &Store, atom: &FlatAtom) -> Option<AtomId> {
        let first = self.first[atom.table.index()]?;
        let row = atom.args.iter().map(|arg| store.value(*arg));
        let position = store.table(atom.table).position(row)?;
        Some(AtomId(first + position as u32))
    }
}

impl Sink for Instantiate<'_> {
    fn found(&mut self, store: &mut Store, _: &Plan, meter: &mut Meter) -> Result<(), Exceeded> {
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
        meter.spend(1 + self.body.len())?;
        self.out.heads.push(head);
        self.out.literals.extend_from_slice(&self.body);
        self.out.ends.push(self.out.literals.len() as u32);
        Ok(())
    }
}
