//! The ground rules as a graph whose automorphisms are symmetries of the game.

use super::Symmetry;
use super::counts::{self, Counts};
use crate::budget::{Budget, Exceeded, Meter};
use crate::frontend::{Base, Stay, TableId};
use crate::propnet::ground::{AtomId, Ground, GroundLiteral};
use crate::vocabulary::{FluentId, MoveId, RoleId, Vocabulary};
use hashbrown::HashMap;
use ludex_gdl::analysis::dependencies::Phase;

/// A literal: a node, and whether it is negated.
type Literal = (u32, bool);

/// What is asked of the rules. Two answers can be exchanged only if they are of the same kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Next,
    Ends,
    Legal,
    Terminal,
    /// The value, as the rules spell it.
    Goal(String),
}

/// An answer: what is asked, about which node if any, and when it holds.
#[derive(Clone, Debug)]
struct Answer {
    kind: Kind,
    about: Option<u32>,
    holds: When,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum When {
    Always,
    Atom(u32),
}

/// When an atom holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Definition {
    /// If all of one body do. Each is sorted, and so is the list.
    Bodies(Vec<Vec<Literal>>),
    /// As [`counts::Tally`] says: rows of how often letters come. Each is sorted, and so is the list.
    Tally(Vec<Vec<Times>>),
}

/// How often a letter comes: the number of the group, that of the letter in it, and the frequency, which is not zero.
type Times = (u32, u32, u32);

/// The bodies of each letter of an item.
type Item = Vec<Vec<Vec<Literal>>>;

/// A [`counts::Group`]; sorted, since the order of its items makes no difference.
type Items = Vec<Item>;

/// Nodes are the fluents, the moves of each role, the roles, the atoms that some answer needs, then for each group
/// itself, its letters and its items.
#[derive(Debug)]
pub(super) struct RuleGraph {
    fluents: usize,
    /// The node of the first move of each role.
    moves: Vec<usize>,
    /// The node of the first role: nodes before it are fluents and moves.
    roles: usize,
    first_atom: usize,
    /// What each atom is.
    definitions: Vec<Definition>,
    groups: Vec<Items>,
    /// The node of each group; one more at the end.
    group_nodes: Vec<usize>,
    /// False if there was no time to look for counts.
    pub(super) all_counts: bool,
    answers: Vec<Answer>,
    /// A colour to begin with for each node.
    pub(super) colours: Vec<u64>,
    /// For each node where its edges begin.
    starts: Vec<u32>,
    /// Each edge with its kind.
    edges: Vec<(u32, u64)>,
    /// Nodes of the coloured graph: those above, and one for each body, row of a tally, letter of an item, and answer.
    pub(super) size: usize,
}

impl RuleGraph {
    pub(super) fn new(
        base: &Base,
        ground: &Ground,
        vocabulary: &Vocabulary,
        budget: &Budget,
    ) -> Result<RuleGraph, Exceeded> {
        let meter = &mut budget.meter();
        let program = &base.program;
        let fluents = vocabulary.fluent_count();
        let mut moves = Vec::new();
        let mut first = fluents;
        for role in vocabulary.roles() {
            moves.push(first);
            first += vocabulary.move_count(role);
        }
        let roles = first;
        // What each atom is: an input, never true, or yet to be numbered.
        let mut inputs: HashMap<AtomId, Option<u32>> = HashMap::new();
        let fluent_of = |shape: crate::frontend::Shape, columns: &[crate::terms::TermId]| {
            shape.find(vocabulary.terms(), columns).and_then(|term| vocabulary.find_fluent(term))
        };
        let move_of = |shape: crate::frontend::Shape, columns: &[crate::terms::TermId]| {
            let role = vocabulary.roles().find(|&role| vocabulary.role(role) == columns[0])?;
            let term = shape.find(vocabulary.terms(), &columns[1..])?;
            Some((role, vocabulary.find_move(role, term)?))
        };
        for tables in &program.fluents {
            for (row, columns) in ground.store.table(tables.holds).rows().enumerate() {
                let node = fluent_of(tables.shape, columns).map(|fluent| fluent.0);
                inputs.insert(ground.atom(tables.holds, row), node);
            }
        }
        for tables in &program.moves {
            for (row, columns) in ground.store.table(tables.does).rows().enumerate() {
                let node =
                    move_of(tables.shape, columns).map(|(role, m)| (moves[role.index()] + m.index()) as u32);
                inputs.insert(ground.atom(tables.does, row), node);
            }
        }
        let is_never = |atom: AtomId| inputs.get(&atom) == Some(&None);
        // Counts that take too long are left as they are written.
        let mut patience = budget.clone().with_steps(budget.steps() / COUNTING).meter();
        let (counts, all_counts) = match counts::find(program, ground, &is_never, &mut patience) {
            Ok(counts) => (counts, true),
            Err(Exceeded::Steps(_)) => (Counts::default(), false),
            Err(other) => return Err(other),
        };
        let mut numbering = Numbering {
            ground,
            inputs,
            counts,
            first: roles + vocabulary.role_count(),
            places: HashMap::new(),
            atoms: Vec::new(),
        };
        let mut answers = Vec::new();
        let mut ask = |numbering: &mut Numbering<'_>, kind, about, table: TableId, row| {
            let holds = match program.table(table).phase {
                Phase::Static => When::Always,
                _ => When::Atom(numbering.node(ground.atom(table, row))),
            };
            answers.push(Answer { kind, about, holds });
        };
        for tables in &program.fluents {
            let mut each = |numbering: &mut Numbering<'_>, table: TableId, kind: &Kind| {
                for (row, columns) in ground.store.table(table).rows().enumerate() {
                    if let Some(fluent) = fluent_of(tables.shape, columns) {
                        ask(numbering, kind.clone(), Some(fluent.0), table, row);
                    }
                }
            };
            each(&mut numbering, tables.next, &Kind::Next);
            if let Stay::Unless(ends) = tables.stay {
                each(&mut numbering, ends, &Kind::Ends);
            }
        }
        for tables in &program.moves {
            for (row, columns) in ground.store.table(tables.legal).rows().enumerate() {
                if let Some((role, m)) = move_of(tables.shape, columns) {
                    let node = (moves[role.index()] + m.index()) as u32;
                    ask(&mut numbering, Kind::Legal, Some(node), tables.legal, row);
                }
            }
        }
        if ground.store.table(program.terminal).len() > 0 {
            ask(&mut numbering, Kind::Terminal, None, program.terminal, 0);
        }
        for (row, columns) in ground.store.table(program.goal).rows().enumerate() {
            if let Some(role) = vocabulary.roles().find(|&role| vocabulary.role(role) == columns[0]) {
                let value = ground.store.terms.show(&program.rules.symbols, columns[1]);
                ask(
                    &mut numbering,
                    Kind::Goal(value),
                    Some((roles + role.index()) as u32),
                    program.goal,
                    row,
                );
            }
        }
        let (definitions, groups) = numbering.definitions(meter)?;
        // Whether a function's fluents stay by themselves is part of the rules.
        let mut stays = vec![false; fluents];
        for tables in program.fluents.iter().filter(|tables| tables.stay != Stay::Never) {
            for columns in ground.store.table(tables.holds).rows() {
                if let Some(fluent) = fluent_of(tables.shape, columns) {
                    stays[fluent.index()] = true;
                }
            }
        }
        let mut graph = RuleGraph {
            fluents,
            moves,
            roles,
            first_atom: roles + vocabulary.role_count(),
            definitions,
            groups,
            group_nodes: Vec::new(),
            all_counts,
            answers,
            colours: Vec::new(),
            starts: Vec::new(),
            edges: Vec::new(),
            size: 0,
        };
        graph.merge_twins(meter)?;
        graph.connect(&stays, vocabulary.role_count());
        Ok(graph)
    }

    /// Atoms with the same definition are one: else they could be exchanged, which is no symmetry worth telling.
    fn merge_twins(&mut self, meter: &mut Meter) -> Result<(), Exceeded> {
        let first = self.first_atom as u32;
        loop {
            meter.tick_by(self.definitions.len() as u64)?;
            let group_becomes = firsts(&self.groups);
            self.groups = kept(std::mem::take(&mut self.groups), &group_becomes);
            for definition in &mut self.definitions {
                if let Definition::Tally(rows) = definition {
                    rows.iter_mut().flatten().for_each(|times| times.0 = group_becomes[times.0 as usize]);
                    rows.iter_mut().for_each(|row| row.sort_unstable());
                    rows.sort_unstable();
                }
            }
            let becomes = firsts(&self.definitions);
            let before = self.definitions.len();
            self.definitions = kept(std::mem::take(&mut self.definitions), &becomes);
            if self.definitions.len() == before {
                return Ok(());
            }
            let moved =
                |node: u32| if node < first { node } else { first + becomes[(node - first) as usize] };
            for definition in &mut self.definitions {
                if let Definition::Bodies(bodies) = definition {
                    *bodies = renamed(bodies, moved);
                }
            }
            for items in &mut self.groups {
                for letter in items.iter_mut().flatten() {
                    *letter = renamed(letter, moved);
                }
                items.sort_unstable();
            }
            for answer in &mut self.answers {
                if let When::Atom(node) = &mut answer.holds {
                    *node = moved(*node);
                }
            }
        }
    }

    /// Makes the coloured graph: a node for each body and each answer beside those that there are.
    fn connect(&mut self, stays: &[bool], role_count: usize) {
        const MADE_BY: u64 = 1;
        const HEAD: u64 = 2;
        const POSITIVE: u64 = 3;
        const NEGATIVE: u64 = 4;
        const ABOUT: u64 = 5;
        const HOLDS: u64 = 6;
        const OF_GROUP: u64 = 7;
        const LETTER: u64 = 8;
        const ITEM: u64 = 9;
        // Above all others: how often a letter comes.
        const TIMES: u64 = 10;
        let mut node = self.first_atom + self.definitions.len();
        for items in &self.groups {
            self.group_nodes.push(node);
            node += 1 + letters(items) + items.len();
        }
        self.group_nodes.push(node);
        let mut links: Vec<(u32, u32, u64)> = Vec::new();
        let mut colours = vec![0; node];
        for (fluent, &stays) in stays.iter().enumerate() {
            colours[fluent] = 1 + u64::from(stays);
        }
        for role in 0..role_count {
            let node = self.roles + role;
            colours[node] = 3;
            let end = self.moves.get(role + 1).copied().unwrap_or(self.roles);
            colours[self.moves[role]..end].fill(4);
            for action in self.moves[role]..end {
                links.push((action as u32, node as u32, MADE_BY));
            }
        }
        let add_bodies = |links: &mut Vec<_>, colours: &mut Vec<u64>, head: u32, bodies: &[Vec<Literal>]| {
            for body in bodies {
                let node = colours.len() as u32;
                colours.push(6);
                links.push((node, head, HEAD));
                for &(atom, negative) in body {
                    links.push((node, atom, if negative { NEGATIVE } else { POSITIVE }));
                }
            }
        };
        for (at, definition) in self.definitions.iter().enumerate() {
            let head = (self.first_atom + at) as u32;
            match definition {
                Definition::Bodies(bodies) => {
                    colours[head as usize] = 5;
                    add_bodies(&mut links, &mut colours, head, bodies);
                }
                Definition::Tally(rows) => {
                    colours[head as usize] = 7;
                    for row in rows {
                        let node = colours.len() as u32;
                        colours.push(8);
                        links.push((node, head, HEAD));
                        for &(group, letter, times) in row {
                            let letter = self.group_nodes[group as usize] as u32 + 1 + letter;
                            links.push((node, letter, TIMES + u64::from(times)));
                        }
                    }
                }
            }
        }
        for (items, &group) in self.groups.iter().zip(&self.group_nodes) {
            let first_letter = group + 1;
            let first_item = first_letter + letters(items);
            colours[group] = 9;
            colours[first_letter..first_item].fill(10);
            colours[first_item..first_item + items.len()].fill(11);
            for member in first_letter..first_item + items.len() {
                links.push((member as u32, group as u32, OF_GROUP));
            }
            for (item, row) in (first_item as u32..).zip(items) {
                for (letter, bodies) in (first_letter as u32..).zip(row) {
                    let node = colours.len() as u32;
                    colours.push(12);
                    links.push((node, item, ITEM));
                    links.push((node, letter, LETTER));
                    add_bodies(&mut links, &mut colours, node, bodies);
                }
            }
        }
        let mut kinds: Vec<&Kind> = self.answers.iter().map(|answer| &answer.kind).collect();
        kinds.sort_unstable_by_key(|kind| format!("{kind:?}"));
        kinds.dedup();
        let colour_of: HashMap<&Kind, u64> = kinds.into_iter().zip((FIRST_KIND..).step_by(2)).collect();
        for answer in &self.answers {
            let node = colours.len() as u32;
            colours.push(colour_of[&answer.kind] + u64::from(answer.holds == When::Always));
            if let Some(about) = answer.about {
                links.push((node, about, ABOUT));
            }
            if let When::Atom(atom) = answer.holds {
                links.push((node, atom, HOLDS));
            }
        }
        self.size = colours.len();
        self.starts = vec![0; self.size + 1];
        for &(a, b, _) in &links {
            self.starts[a as usize + 1] += 1;
            self.starts[b as usize + 1] += 1;
        }
        for node in 0..self.size {
            self.starts[node + 1] += self.starts[node];
        }
        let mut ends = self.starts.clone();
        self.edges = vec![(0, 0); self.starts[self.size] as usize];
        for &(a, b, kind) in &links {
            for (from, to, kind) in [(a, b, kind), (b, a, !kind)] {
                self.edges[ends[from as usize] as usize] = (to, kind);
                ends[from as usize] += 1;
            }
        }
        self.colours = colours;
    }

    pub(super) fn edges(&self, node: usize) -> &[(u32, u64)] {
        &self.edges[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The nodes that a symmetry is told by: all but those that [`RuleGraph::connect`] adds.
    pub(super) fn nodes(&self) -> usize {
        *self.group_nodes.last().expect("one more than groups")
    }

    /// What a node is; nodes of different places are never exchanged, and those of one group become those of one group.
    fn place(&self, node: usize) -> Place {
        if node < self.fluents {
            return Place::Fluent;
        }
        if node < self.roles {
            return Place::Move(self.moves.partition_point(|&start| start <= node) - 1);
        }
        if node < self.first_atom {
            return Place::Role;
        }
        if node < self.first_atom + self.definitions.len() {
            return Place::Atom;
        }
        let group = self.group_nodes.partition_point(|&start| start <= node) - 1;
        match node - self.group_nodes[group] {
            0 => Place::Group,
            at if at <= letters(&self.groups[group]) => Place::Letter(group),
            _ => Place::Item(group),
        }
    }

    /// True if the rules and answers are the same under a permutation of the nodes.
    pub(super) fn is_symmetric(&self, map: &[u32]) -> bool {
        let moved = |node: u32| map[node as usize];
        // What group a group becomes, if it becomes one.
        let group_of =
            |group: usize| self.group_nodes.binary_search(&(map[self.group_nodes[group]] as usize)).ok();
        let places_fit =
            (0..self.nodes()).all(|node| match (self.place(node), self.place(map[node] as usize)) {
                (Place::Move(a), Place::Move(b)) => map[self.roles + a] as usize == self.roles + b,
                (Place::Letter(a), Place::Letter(b)) | (Place::Item(a), Place::Item(b)) => {
                    group_of(a) == Some(b)
                }
                (a, b) => a == b,
            });
        // From here on groups become groups, and their letters and items are those of what they become.
        let letter_of = |group: usize, letter: usize| {
            let becomes = group_of(group).expect("a group");
            (becomes, map[self.group_nodes[group] + 1 + letter] as usize - self.group_nodes[becomes] - 1)
        };
        let times_moved = |&(group, letter, times): &Times| {
            let (group, letter) = letter_of(group as usize, letter as usize);
            (group as u32, letter as u32, times)
        };
        let definition_fits = |(at, definition): (usize, &Definition)| {
            let becomes = &self.definitions[map[self.first_atom + at] as usize - self.first_atom];
            match (definition, becomes) {
                (Definition::Bodies(bodies), Definition::Bodies(others)) => renamed(bodies, moved) == *others,
                (Definition::Tally(rows), Definition::Tally(others)) => {
                    let moved = rows.iter().map(|row| sorted(row.iter().map(times_moved)));
                    sorted(moved) == *others
                }
                _ => false,
            }
        };
        let definitions_fit = || self.definitions.iter().enumerate().all(definition_fits);
        let item_fits = |group: usize, at: usize, item: &Item| {
            let becomes = group_of(group).expect("a group");
            let first = |group: usize| self.group_nodes[group] + 1 + letters(&self.groups[group]);
            let other = &self.groups[becomes][map[first(group) + at] as usize - first(becomes)];
            item.iter()
                .enumerate()
                .all(|(at, bodies)| renamed(bodies, moved) == other[letter_of(group, at).1])
        };
        let groups_fit = || {
            self.groups
                .iter()
                .enumerate()
                .all(|(group, items)| items.iter().enumerate().all(|(at, item)| item_fits(group, at, item)))
        };
        let all: hashbrown::HashSet<(&Kind, Option<u32>, When)> =
            self.answers.iter().map(|a| (&a.kind, a.about, a.holds)).collect();
        let answers_fit = || {
            self.answers.iter().all(|answer| {
                let holds = match answer.holds {
                    When::Always => When::Always,
                    When::Atom(atom) => When::Atom(moved(atom)),
                };
                all.contains(&(&answer.kind, answer.about.map(moved), holds))
            })
        };
        places_fit && groups_fit() && definitions_fit() && answers_fit()
    }

    /// The symmetry that a permutation of the nodes is.
    pub(super) fn symmetry(&self, map: &[u32]) -> Symmetry {
        let role = |role: usize| map[self.roles + role] as usize - self.roles;
        let moves = |of: usize| {
            let end = self.moves.get(of + 1).copied().unwrap_or(self.roles);
            let first = self.moves[role(of)];
            (self.moves[of]..end).map(|node| MoveId((map[node] as usize - first) as u32)).collect()
        };
        Symmetry {
            roles: (0..self.moves.len()).map(|at| RoleId(role(at) as u32)).collect(),
            fluents: map[..self.fluents].iter().map(|&node| FluentId(node)).collect(),
            moves: (0..self.moves.len()).map(moves).collect(),
        }
    }
}

/// What a node of the graph is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Fluent,
    /// Of which role.
    Move(usize),
    Role,
    Atom,
    Group,
    /// Of which group.
    Letter(usize),
    /// Of which group.
    Item(usize),
}

/// The search for counts may take one part in so many of the steps.
const COUNTING: u64 = 4;

/// Colours below this are not those of answers.
const FIRST_KIND: u64 = 16;

/// How many letters each item has.
fn letters(items: &Items) -> usize {
    items.first().map_or(0, Vec::len)
}

/// For each thing the number of the first that is equal, if only such are counted.
fn firsts<T: Eq + std::hash::Hash>(things: &[T]) -> Vec<u32> {
    let mut known: HashMap<&T, u32> = HashMap::new();
    things
        .iter()
        .map(|thing| {
            let next = known.len() as u32;
            *known.entry(thing).or_insert(next)
        })
        .collect()
}

/// The first of each number.
fn kept<T>(things: Vec<T>, numbers: &[u32]) -> Vec<T> {
    let mut kept = Vec::new();
    for (thing, &number) in things.into_iter().zip(numbers) {
        if number as usize == kept.len() {
            kept.push(thing);
        }
    }
    kept
}

/// In order and without duplicates.
fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort_unstable();
    items.dedup();
    items
}

fn renamed(bodies: &[Vec<Literal>], moved: impl Fn(u32) -> u32) -> Vec<Vec<Literal>> {
    sorted(bodies.iter().map(|body| sorted(body.iter().map(|&(node, sign)| (moved(node), sign)))))
}

/// Gives nodes to the atoms that are needed.
struct Numbering<'g> {
    ground: &'g Ground,
    /// Fluents and moves; `None` for those that never hold.
    inputs: HashMap<AtomId, Option<u32>>,
    counts: Counts,
    first: usize,
    places: HashMap<AtomId, u32>,
    atoms: Vec<AtomId>,
}

impl Numbering<'_> {
    fn node(&mut self, atom: AtomId) -> u32 {
        if let Some(Some(node)) = self.inputs.get(&atom) {
            return *node;
        }
        let next = (self.first + self.atoms.len()) as u32;
        let node = *self.places.entry(atom).or_insert(next);
        if node == next {
            self.atoms.push(atom);
        }
        node
    }

    fn literal(&mut self, literal: GroundLiteral) -> Literal {
        (self.node(literal.atom()), literal.is_negative())
    }

    /// What all atoms are that have a node, or get one on the way, and the groups that they need.
    fn definitions(mut self, meter: &mut Meter) -> Result<(Vec<Definition>, Vec<Items>), Exceeded> {
        let counts = std::mem::take(&mut self.counts);
        let mut definitions = Vec::new();
        let mut groups: Vec<Items> = Vec::new();
        let mut numbers: HashMap<usize, u32> = HashMap::new();
        while let Some(&atom) = self.atoms.get(definitions.len()) {
            let Some(tally) = counts.tallies.get(&atom) else {
                definitions.push(Definition::Bodies(self.bodies(atom, meter)?));
                continue;
            };
            let mut rows: Vec<Vec<Times>> = vec![Vec::new(); tally.rows.len()];
            for at in 0..tally.rows.first().map_or(0, Vec::len) {
                let number = match numbers.get(&(tally.first + at)) {
                    Some(&number) => number,
                    None => {
                        let group = self.group(&counts.groups[tally.first + at], meter)?;
                        groups.push(group);
                        numbers.insert(tally.first + at, groups.len() as u32 - 1);
                        groups.len() as u32 - 1
                    }
                };
                for (row, frequencies) in rows.iter_mut().zip(&tally.rows) {
                    let times = (0..).zip(&frequencies[at]).filter(|(_, times)| **times > 0);
                    row.extend(times.map(|(letter, &times)| (number, letter, times)));
                }
            }
            rows.iter_mut().for_each(|row| row.sort_unstable());
            definitions.push(Definition::Tally(sorted(rows.into_iter())));
        }
        Ok((definitions, groups))
    }

    /// The bodies of an atom. An input that never holds has none.
    fn bodies(&mut self, atom: AtomId, meter: &mut Meter) -> Result<Vec<Vec<Literal>>, Exceeded> {
        let mut bodies = Vec::new();
        if self.inputs.contains_key(&atom) {
            return Ok(bodies);
        }
        let ground = self.ground;
        'bodies: for body in ground.bodies(atom) {
            meter.tick_by(1 + body.len() as u64)?;
            let mut literals = Vec::new();
            for &literal in body {
                let never = self.inputs.get(&literal.atom()) == Some(&None);
                match (never, literal.is_negative()) {
                    (true, false) => continue 'bodies,
                    (true, true) => {}
                    (false, _) => literals.push(self.literal(literal)),
                }
            }
            bodies.push(literals);
        }
        Ok(renamed(&bodies, |node| node))
    }

    fn group(&mut self, group: &counts::Group, meter: &mut Meter) -> Result<Items, Exceeded> {
        let mut items: Items = Vec::with_capacity(group.len());
        for item in group {
            meter.tick_by(item.len() as u64)?;
            let mut letters = Item::with_capacity(item.len());
            for letter in item {
                let mut body = |body: &Vec<GroundLiteral>| {
                    body.iter().map(|&literal| self.literal(literal)).collect::<Vec<Literal>>()
                };
                let bodies: Vec<Vec<Literal>> = letter.iter().map(&mut body).collect();
                letters.push(renamed(&bodies, |node| node));
            }
            items.push(letters);
        }
        items.sort_unstable();
        Ok(items)
    }
}
