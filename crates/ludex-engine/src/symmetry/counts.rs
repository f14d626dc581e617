//! Counts that the rules derive item by item, told without the order of the items.
//!
//! A sheet that counts the discs on a board goes through the squares one after the other: `tally(square, n)`
//! follows from `tally(square before, n - 1)` where a disc lies, and from `tally(square before, n)` where none
//! does. Written like this the rules have no symmetry but those that keep the order of the squares, although the
//! order makes no difference.
//!
//! Such a chain is a row of *items*, the squares, each with its *letters*, the conditions of which a step takes
//! one. A derivation spells a word, a letter an item, and an atom at the end of the chain holds if all letters of
//! one of its words do. The order of the items is free, since "and" does not care; if two neighbours can exchange
//! their letters in every word without leaving the words, they belong to one [`Group`], and the words of the end
//! are known by how often each letter of each group comes in them. That is what an atom becomes here ([`Tally`]).
//! It is another way to write the same condition: steps in between are put in place of what they derive.
//!
//! What is found is compared step by step with the ground rules, whatever the names in them. What is not found:
//! counts that are put together from two others in one step.

use crate::budget::{Exceeded, Meter};
use crate::frontend::{Program, TableId};
use crate::propnet::ground::{AtomId, Ground, GroundLiteral};
use hashbrown::{HashMap, HashSet};
use std::ops::Range;

/// A condition: all of one of these. Each is sorted, and so is the list.
pub(super) type Letter = Vec<Vec<GroundLiteral>>;

/// Items that can be exchanged: for each its letters. All have equally many, and a letter of one stands for that at
/// the same place of the others.
pub(super) type Group = Vec<Vec<Letter>>;

/// How often the letters of a group come, a number a letter.
type Frequencies = Vec<u32>;

/// An atom that holds if every item of some groups can be given a letter that holds, such that the letters come as
/// often as one of the rows says.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// The number of the first of the groups; each row has frequencies for this one and those behind it.
    pub(super) first: usize,
    pub(super) rows: Vec<Vec<Frequencies>>,
}

/// What there is of this in the ground rules of a game.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) groups: Vec<Group>,
    pub(super) tallies: HashMap<AtomId, Tally>,
}

/// Items with more letters are not looked at, nor chains with more groups, and no atom gets more rows.
const MOST_LETTERS: usize = 32;
const MOST_GROUPS: usize = 8;
const MOST_ROWS: usize = 1000;

/// Layers that become so many times larger in another order are left alone.
const MOST_GROWTH: usize = 2;

/// Finds the counts; `is_never` says which fluents and moves never hold.
pub(super) fn find(
    program: &Program,
    ground: &Ground,
    is_never: &dyn Fn(AtomId) -> bool,
    meter: &mut Meter,
) -> Result<Counts, Exceeded> {
    let mut counts = Counts::default();
    let mut rules = Rules { ground, is_never, plain: HashMap::new() };
    for stratum in program.strata.iter().filter(|stratum| stratum.recursive) {
        let tables = stratum.heads();
        if tables.iter().any(|&table| is_asked(program, table)) {
            continue;
        }
        let ranges: Vec<Range<u32>> = tables.iter().map(|&table| ground.atoms_of(table)).collect();
        let Some(family) = Family::new(&mut rules, ranges, meter)? else { continue };
        let mut ends = family.ends(&rules, meter)?;
        ends.sort_unstable();
        for connected in ends.chunk_by(|a, b| a.0.0 == b.0.0) {
            let lengths = connected.chunk_by(|a, b| a.0 == b.0);
            let one_length = lengths.clone().count() == 1;
            for group in lengths {
                let ends: Vec<AtomId> = group.iter().map(|&(_, atom)| atom).collect();
                family.tally(&ends, one_length, &mut counts, meter)?;
            }
        }
    }
    Ok(counts)
}

/// True for the tables of keywords.
fn is_asked(program: &Program, table: TableId) -> bool {
    let of_fluents = program.fluents.iter().any(|tables| {
        [tables.init, tables.holds, tables.next].contains(&table)
            || tables.stay == crate::frontend::Stay::Unless(table)
    });
    let of_moves = || program.moves.iter().any(|tables| [tables.legal, tables.does].contains(&table));
    of_fluents || of_moves() || [program.role, program.goal, program.terminal].contains(&table)
}

/// The ground rules without what never holds.
struct Rules<'g> {
    ground: &'g Ground,
    is_never: &'g dyn Fn(AtomId) -> bool,
    /// For atoms that have been asked for, what they say if that is a single body.
    plain: HashMap<AtomId, Option<Vec<GroundLiteral>>>,
}

impl Rules<'_> {
    /// The conditions of a body; `None` if it never holds.
    fn literals(&self, body: &[GroundLiteral]) -> Option<Vec<GroundLiteral>> {
        let mut literals = Vec::with_capacity(body.len());
        for literal in body {
            match ((self.is_never)(literal.atom()), literal.is_negative()) {
                (true, false) => return None,
                (true, true) => {}
                (false, _) => literals.push(*literal),
            }
        }
        Some(literals)
    }

    /// A condition with what an atom says in its place where it has a single body, so that atoms that say the same
    /// are the same.
    fn spelt_out(
        &mut self,
        condition: &[GroundLiteral],
        meter: &mut Meter,
    ) -> Result<Vec<GroundLiteral>, Exceeded> {
        let mut all = Vec::new();
        for &literal in condition {
            meter.tick()?;
            let said = match self.plain.get(&literal.atom()) {
                Some(said) => said.clone(),
                None => {
                    let mut bodies =
                        self.ground.bodies(literal.atom()).filter_map(|body| self.literals(body));
                    let (one, more) = (bodies.next(), bodies.next());
                    let said = one.filter(|_| more.is_none());
                    self.plain.insert(literal.atom(), said.clone());
                    said
                }
            };
            match (said, literal.is_negative()) {
                (Some(said), false) => all.extend(said),
                (Some(said), true) if said.len() == 1 => all.push(!said[0]),
                _ => all.push(literal),
            }
        }
        Ok(sorted(all.into_iter()))
    }
}

/// An atom at which a chain ends, behind what it has in common with those that end together: component and length.
type End = ((AtomId, u32), AtomId);

/// A derivation step: all of these, and the atom before, if the step is not the first.
type Step = (Vec<GroundLiteral>, Option<AtomId>);

/// Atoms that are derived from one another one at a time.
struct Family {
    /// The atoms of each table.
    ranges: Vec<Range<u32>>,
    steps: HashMap<AtomId, Vec<Step>>,
    /// How many steps lead to an atom; those to which ways of different lengths lead, or none, have no entry.
    lengths: HashMap<AtomId, u32>,
    /// For each atom one that all have in common that are connected by steps.
    component: HashMap<AtomId, AtomId>,
}

impl Family {
    /// `None` if some atom is derived from two others at a time.
    fn new(
        rules: &mut Rules<'_>,
        ranges: Vec<Range<u32>>,
        meter: &mut Meter,
    ) -> Result<Option<Family>, Exceeded> {
        let mut family =
            Family { ranges, steps: HashMap::new(), lengths: HashMap::new(), component: HashMap::new() };
        for atom in family.ranges.clone().into_iter().flatten().map(AtomId) {
            let mut steps = Vec::new();
            for body in rules.ground.bodies(atom) {
                meter.tick_by(1 + body.len() as u64)?;
                let Some(literals) = rules.literals(body) else { continue };
                let (own, letter): (Vec<GroundLiteral>, Vec<GroundLiteral>) =
                    literals.into_iter().partition(|literal| family.has(literal.atom()));
                let before = match own[..] {
                    [] => None,
                    [before] if !before.is_negative() => Some(before.atom()),
                    _ => return Ok(None),
                };
                let letter = rules.spelt_out(&letter, meter)?;
                // A condition that contradicts itself is none.
                if !letter.iter().any(|&literal| letter.binary_search(&!literal).is_ok()) {
                    steps.push((letter, before));
                }
            }
            family.steps.insert(atom, steps);
        }
        family.measure(meter)?;
        family.connect(meter)?;
        Ok(Some(family))
    }

    fn has(&self, atom: AtomId) -> bool {
        self.ranges.iter().any(|range| range.contains(&atom.0))
    }

    /// Finds the lengths, from the first steps on. Steps from atoms to which none leads are dropped.
    fn measure(&mut self, meter: &mut Meter) -> Result<(), Exceeded> {
        let mut after: HashMap<AtomId, Vec<AtomId>> = HashMap::new();
        let mut waiting: HashMap<AtomId, usize> = HashMap::new();
        let mut ready = Vec::new();
        for (&atom, steps) in &self.steps {
            meter.tick_by(1 + steps.len() as u64)?;
            let before: HashSet<AtomId> = steps.iter().filter_map(|step| step.1).collect();
            if before.is_empty() {
                ready.push(atom);
            }
            waiting.insert(atom, before.len());
            before.into_iter().for_each(|other| after.entry(other).or_default().push(atom));
        }
        let mut never: HashSet<AtomId> = HashSet::new();
        while let Some(atom) = ready.pop() {
            meter.tick()?;
            let steps = self.steps.get_mut(&atom).expect("all atoms have steps");
            steps.retain(|step| step.1.is_none_or(|before| !never.contains(&before)));
            if steps.is_empty() {
                never.insert(atom);
            }
            let length = |step: &Step| step.1.map_or(Some(0), |before| self.lengths.get(&before).copied());
            let mut lengths = self.steps[&atom].iter().map(length);
            let first = lengths.next().flatten();
            if let Some(first) = first.filter(|first| lengths.all(|length| length == Some(*first))) {
                self.lengths.insert(atom, first + 1);
            }
            for next in after.get(&atom).into_iter().flatten() {
                let left = waiting.get_mut(next).expect("all atoms wait");
                *left -= 1;
                if *left == 0 {
                    ready.push(*next);
                }
            }
        }
        Ok(())
    }

    fn connect(&mut self, meter: &mut Meter) -> Result<(), Exceeded> {
        let mut parents: HashMap<AtomId, AtomId> = HashMap::new();
        let root = |parents: &mut HashMap<AtomId, AtomId>, mut atom: AtomId| {
            while let Some(&parent) = parents.get(&atom) {
                if let Some(&above) = parents.get(&parent) {
                    parents.insert(atom, above);
                }
                atom = parent;
            }
            atom
        };
        for (&atom, steps) in &self.steps {
            for before in steps.iter().filter_map(|step| step.1) {
                meter.tick()?;
                let (a, b) = (root(&mut parents, atom), root(&mut parents, before));
                if a != b {
                    parents.insert(a, b);
                }
            }
        }
        for &atom in self.steps.keys() {
            let component = root(&mut parents, atom);
            self.component.insert(atom, component);
        }
        Ok(())
    }

    /// The atoms that others than the family read, with what those have in common that end together: the component
    /// and the length.
    fn ends(&self, rules: &Rules<'_>, meter: &mut Meter) -> Result<Vec<End>, Exceeded> {
        let mut read: HashSet<AtomId> = HashSet::new();
        for head in (0..rules.ground.atoms as u32).map(AtomId).filter(|&head| !self.has(head)) {
            for body in rules.ground.bodies(head) {
                meter.tick_by(1 + body.len() as u64)?;
                read.extend(body.iter().map(|literal| literal.atom()).filter(|&atom| self.has(atom)));
            }
        }
        let end = |atom| Some(((self.component[&atom], *self.lengths.get(&atom)?), atom));
        Ok(read.into_iter().filter_map(end).collect())
    }

    /// Adds what the ends are, to which equally many steps lead. What is a single word is worth while only if
    /// nobody reads the beginnings of it: else it is a line on which things lie, not a sum.
    fn tally(
        &self,
        ends: &[AtomId],
        one_length: bool,
        counts: &mut Counts,
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        let Some(layers) = self.layers(ends, meter)? else { return Ok(()) };
        if !one_length && layers.iter().all(|layer| layer.letters.len() == 1) {
            return Ok(());
        }
        let Some(grouped) = Grouped::new(layers, meter)? else { return Ok(()) };
        let Some(rows) = grouped.rows(meter)? else { return Ok(()) };
        let first = counts.groups.len();
        counts.groups.extend(grouped.groups());
        for (&end, rows) in ends.iter().zip(rows) {
            counts.tallies.insert(end, Tally { first, rows });
        }
        Ok(())
    }

    /// The steps by which the ends are derived, the first ones first; those without a condition are passed over.
    /// `None` if there are fewer than two, or too many letters.
    fn layers(&self, ends: &[AtomId], meter: &mut Meter) -> Result<Option<Vec<Layer>>, Exceeded> {
        // For each place of the layer above, the atoms that it stands for.
        let mut places: Vec<Vec<AtomId>> = ends.iter().map(|&end| vec![end]).collect();
        let mut layers: Vec<Layer> = Vec::new();
        for left in (1..=self.lengths[&ends[0]]).rev() {
            let steps = || places.iter().map(|atoms| atoms.iter().flat_map(|atom| &self.steps[atom]));
            meter.tick_by(steps().flatten().map(|(letter, _)| 1 + letter.len() as u64).sum())?;
            if steps().flatten().all(|(letter, _)| letter.is_empty()) {
                let before = steps().map(|steps| sorted(steps.filter_map(|step| step.1)));
                let before: Vec<Vec<AtomId>> = before.collect();
                if left == 1 {
                    // Before the first step there is nothing to tell places apart.
                    if let Some(layer) = layers.last_mut() {
                        layer.edges.iter_mut().for_each(|edge| edge.2 = 0);
                        layer.edges.sort_unstable();
                        layer.edges.dedup();
                    }
                } else {
                    places = before;
                }
                continue;
            }
            let letters: Vec<Vec<GroundLiteral>> =
                sorted(steps().flatten().map(|(letter, _)| letter.clone()));
            let before: Vec<Option<AtomId>> = sorted(steps().flatten().map(|step| step.1));
            if letters.len() > MOST_LETTERS {
                return Ok(None);
            }
            let mut edges = Vec::new();
            for (place, steps) in (0..).zip(steps()) {
                for (letter, from) in steps {
                    let letter = letters.binary_search(letter).expect("all letters") as u32;
                    let from = before.binary_search(from).expect("all places") as u32;
                    edges.push((place, letter, from));
                }
            }
            layers.push(Layer::new(letters, &edges));
            places = before.into_iter().map(|atom| atom.into_iter().collect()).collect();
        }
        layers.reverse();
        Ok((layers.len() > 1).then_some(layers))
    }
}

/// One item: its letters, and the steps that take one: the place after, the letter, the place before. Sorted.
struct Layer {
    letters: Vec<Letter>,
    edges: Vec<Edge>,
}

type Edge = (u32, u32, u32);

impl Layer {
    /// Conditions that take the same steps are one letter. Letters are in an order in which those of one kind tend
    /// to be at the same place for all items: what is negated last.
    fn new(conditions: Vec<Vec<GroundLiteral>>, edges: &[Edge]) -> Layer {
        let mut steps: Vec<Vec<(u32, u32)>> = vec![Vec::new(); conditions.len()];
        edges.iter().for_each(|&(after, letter, before)| steps[letter as usize].push((after, before)));
        let mut by_steps: HashMap<Vec<(u32, u32)>, Letter> = HashMap::new();
        for (mut steps, condition) in steps.into_iter().zip(conditions) {
            steps.sort_unstable();
            steps.dedup();
            by_steps.entry(steps).or_default().push(condition);
        }
        let signs = |letter: &Letter| {
            let signs = |one: &Vec<GroundLiteral>| one.iter().map(|l| l.is_negative()).collect::<Vec<bool>>();
            letter.iter().map(signs).collect::<Vec<_>>()
        };
        let mut letters: Vec<(Letter, Vec<(u32, u32)>)> =
            by_steps.into_iter().map(|(steps, letter)| (letter, steps)).collect();
        letters.sort_by_cached_key(|(letter, _)| (signs(letter), letter.clone()));
        let edges = (0..)
            .zip(&letters)
            .flat_map(|(at, (_, steps))| steps.iter().map(move |&(after, before)| (after, at, before)));
        let mut edges: Vec<Edge> = edges.collect();
        edges.sort_unstable();
        Layer { letters: letters.into_iter().map(|(letter, _)| letter).collect(), edges }
    }
}

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

/// The steps that two neighbouring layers take together: the place after, the letter above, the letter below, the
/// place before. Sorted.
fn both(below: &Layer, above: &Layer, meter: &mut Meter) -> Result<Vec<(u32, u32, u32, u32)>, Exceeded> {
    let mut by_place: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
    for &(after, letter, before) in &below.edges {
        by_place.entry(after).or_default().push((letter, before));
    }
    let mut steps = Vec::new();
    for &(after, upper, between) in &above.edges {
        for &(lower, before) in by_place.get(&between).into_iter().flatten() {
            meter.tick_by(2)?;
            steps.push((after, upper, lower, before));
        }
    }
    steps.sort_unstable();
    steps.dedup();
    Ok(steps)
}

/// The same two layers, the upper one below the other.
fn swapped(below: Layer, above: Layer, meter: &mut Meter) -> Result<[Layer; 2], Exceeded> {
    // What can follow once the letter of the upper one is taken from a place; where the same can follow is one place.
    let mut follows: HashMap<(u32, u32), Vec<(u32, u32)>> = HashMap::new();
    for (after, upper, lower, before) in both(&below, &above, meter)? {
        follows.entry((upper, before)).or_default().push((after, lower));
    }
    let mut starts: Vec<_> = follows.into_iter().collect();
    starts.sort_unstable();
    let mut places: HashMap<Vec<(u32, u32)>, u32> = HashMap::new();
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for ((upper, before), follows) in starts {
        meter.tick_by(follows.len() as u64)?;
        let next = places.len() as u32;
        let place = *places.entry(follows).or_insert_with_key(|follows| {
            second.extend(follows.iter().map(|&(after, lower)| (after, lower, next)));
            next
        });
        first.push((place, upper, before));
    }
    first.sort_unstable();
    second.sort_unstable();
    Ok([Layer { letters: above.letters, edges: first }, Layer { letters: below.letters, edges: second }])
}

/// For each letter of the layer below one of that above, such that the two can exchange their letters in every
/// word; `None` if there is no such way.
fn exchange(below: &Layer, above: &Layer, meter: &mut Meter) -> Result<Option<Vec<usize>>, Exceeded> {
    let count = below.letters.len();
    if above.letters.len() != count {
        return Ok(None);
    }
    // For each two letters the places that they connect, as a number.
    let mut connected: Vec<Vec<(u32, u32)>> = vec![Vec::new(); count * count];
    for (after, upper, lower, before) in both(below, above, meter)? {
        connected[upper as usize * count + lower as usize].push((after, before));
    }
    let mut known: HashMap<Vec<(u32, u32)>, usize> = HashMap::new();
    let mut numbers = Vec::with_capacity(connected.len());
    for list in connected {
        let next = known.len();
        numbers.push(*known.entry(list).or_insert(next));
    }
    // Partners such that for every two letters below, `a` and `b`, what the partner of `a` above `b` connects is
    // what the partner of `b` above `a` does.
    let connects = |upper: usize, lower: usize| numbers[upper * count + lower];
    let mut chosen: Vec<usize> = Vec::new();
    // The next one to try at each place; the letter at the same place comes first.
    let mut tried = vec![0];
    while let Some(next) = tried.last_mut() {
        meter.tick_by(1 + chosen.len() as u64)?;
        let at = chosen.len();
        if at == count {
            return Ok(Some(chosen));
        }
        if *next == count {
            tried.pop();
            chosen.pop();
            continue;
        }
        let upper = (at + *next) % count;
        *next += 1;
        let fits = |(a, &partner): (usize, &usize)| connects(partner, at) == connects(upper, a);
        if !chosen.contains(&upper) && chosen.iter().enumerate().all(fits) {
            chosen.push(upper);
            tried.push(0);
        }
    }
    Ok(None)
}

/// Layers in an order in which those that can be exchanged are neighbours.
struct Grouped {
    /// Each with its letters in the order of those of the first of its group.
    layers: Vec<(Layer, Vec<usize>)>,
    /// How many layers each group has.
    sizes: Vec<usize>,
}

impl Grouped {
    /// `None` if there are too many groups, or if an item comes twice: it could be exchanged with itself, which is
    /// no symmetry worth telling.
    fn new(layers: Vec<Layer>, meter: &mut Meter) -> Result<Option<Grouped>, Exceeded> {
        let mut grouped = Grouped { layers: Vec::new(), sizes: Vec::new() };
        for layer in layers {
            if !grouped.add(layer, meter)? || grouped.sizes.len() > MOST_GROUPS {
                return Ok(None);
            }
        }
        let mut items: Vec<&Vec<Letter>> = grouped.layers.iter().map(|(layer, _)| &layer.letters).collect();
        items.sort_unstable();
        let twice = items.windows(2).any(|pair| pair[0] == pair[1]);
        Ok((!twice).then_some(grouped))
    }

    /// Puts a layer on top, and below others until it is with those with which it can be exchanged, or at the
    /// bottom. False if that becomes too large.
    fn add(&mut self, mut layer: Layer, meter: &mut Meter) -> Result<bool, Exceeded> {
        let mut at = self.layers.len();
        // Those that it has passed, the topmost first.
        let mut passed = Vec::new();
        for group in (0..self.sizes.len()).rev() {
            let (top, order) = self.layers.last().expect("a group has layers");
            if let Some(partner) = exchange(top, &layer, meter)? {
                let order = order.iter().map(|&letter| partner[letter]).collect();
                self.layers.push((layer, order));
                self.layers.extend(passed.into_iter().rev());
                self.sizes[group] += 1;
                return Ok(true);
            }
            for _ in 0..self.sizes[group] {
                at -= 1;
                let (below, order) = self.layers.pop().expect("all layers");
                let most = MOST_GROWTH * (below.edges.len() + layer.edges.len());
                let [first, second] = swapped(below, layer, meter)?;
                if first.edges.len() + second.edges.len() > most {
                    return Ok(false);
                }
                passed.push((second, order));
                layer = first;
            }
        }
        debug_assert_eq!(at, 0, "it has passed all");
        let order = (0..layer.letters.len()).collect();
        self.layers.push((layer, order));
        self.layers.extend(passed.into_iter().rev());
        self.sizes.insert(0, 1);
        Ok(true)
    }

    fn groups(&self) -> impl Iterator<Item = Group> {
        let mut layers = self.layers.iter();
        self.sizes.iter().map(move |&size| {
            let items = layers.by_ref().take(size);
            let letters = |(layer, order): &(Layer, Vec<usize>)| {
                order.iter().map(|&letter| layer.letters[letter].clone()).collect()
            };
            items.map(letters).collect()
        })
    }

    /// For each end how often each letter of each group comes in its words.
    fn rows(&self, meter: &mut Meter) -> Result<Option<Vec<Vec<Vec<Frequencies>>>>, Exceeded> {
        let mut rows: Vec<Vec<Vec<Frequencies>>> = vec![vec![Vec::new()]];
        let mut layers = self.layers.iter();
        for &size in &self.sizes {
            for (at, (layer, order)) in layers.by_ref().take(size).enumerate() {
                let mut column = vec![0; order.len()];
                order.iter().zip(0..).for_each(|(&letter, at)| column[letter] = at);
                let places = layer.edges.last().map_or(0, |edge| edge.0 as usize + 1);
                let mut next: Vec<Vec<Vec<Frequencies>>> = vec![Vec::new(); places];
                for &(after, letter, before) in &layer.edges {
                    for row in &rows[before as usize] {
                        meter.tick_by((row.len() * order.len()) as u64)?;
                        let mut row = row.clone();
                        if at == 0 {
                            row.push(vec![0; order.len()]);
                        }
                        let frequencies = row.last_mut().expect("one of this group");
                        frequencies[column[letter as usize]] += 1;
                        next[after as usize].push(row);
                    }
                }
                for list in &mut next {
                    list.sort_unstable();
                    list.dedup();
                    if list.len() > MOST_ROWS {
                        return Ok(None);
                    }
                }
                rows = next;
            }
        }
        Ok(Some(rows))
    }
}
