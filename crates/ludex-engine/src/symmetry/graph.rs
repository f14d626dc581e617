//! The ground rules as a graph whose automorphisms are symmetries of the game.

use super::Symmetry;
use crate::frontend::{Base, Stay, TableId};
use crate::propnet::ground::{AtomId, Ground};
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

/// Nodes are the fluents, the moves of each role, the roles, then the atoms that some answer needs.
#[derive(Debug)]
pub(super) struct RuleGraph {
    fluents: usize,
    /// The node of the first move of each role.
    moves: Vec<usize>,
    /// The node of the first role: nodes before it are fluents and moves.
    roles: usize,
    nodes: usize,
    /// For each atom its bodies, each sorted; the list sorted, too.
    bodies: Vec<Vec<Vec<Literal>>>,
    answers: Vec<Answer>,
    /// A colour to begin with for each node.
    pub(super) colours: Vec<u64>,
    /// For each node where its edges begin.
    starts: Vec<u32>,
    /// Each edge with its kind.
    edges: Vec<(u32, u64)>,
    /// Nodes of the coloured graph: those above, the bodies, and the answers.
    pub(super) size: usize,
}

impl RuleGraph {
    pub(super) fn new(base: &Base, ground: &Ground, vocabulary: &Vocabulary) -> RuleGraph {
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
        let mut numbering = Numbering {
            ground,
            inputs,
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
        let (atoms, bodies) = numbering.bodies();
        let nodes = roles + vocabulary.role_count() + atoms;
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
            nodes,
            bodies,
            answers,
            colours: Vec::new(),
            starts: Vec::new(),
            edges: Vec::new(),
            size: 0,
        };
        graph.merge_twins();
        graph.connect(&stays, vocabulary.role_count());
        graph
    }

    fn first_atom(&self) -> usize {
        self.nodes - self.bodies.len()
    }

    /// Atoms with the same bodies are one: else they could be exchanged, which is no symmetry worth telling.
    fn merge_twins(&mut self) {
        let first = self.first_atom() as u32;
        loop {
            let mut known: HashMap<&[Vec<Literal>], u32> = HashMap::new();
            let mut becomes: Vec<u32> = Vec::new();
            let mut kept = 0;
            for bodies in &self.bodies {
                let place = *known.entry(bodies).or_insert(first + kept);
                kept += u32::from(place == first + kept);
                becomes.push(place);
            }
            drop(known);
            if kept as usize == self.bodies.len() {
                return;
            }
            let moved = |node: u32| if node < first { node } else { becomes[(node - first) as usize] };
            let mut merged: Vec<Vec<Vec<Literal>>> = Vec::with_capacity(kept as usize);
            for (bodies, &place) in self.bodies.iter().zip(&becomes) {
                if (place - first) as usize == merged.len() {
                    merged.push(renamed(bodies, moved));
                }
            }
            for answer in &mut self.answers {
                if let When::Atom(node) = &mut answer.holds {
                    *node = moved(*node);
                }
            }
            self.nodes = first as usize + merged.len();
            self.bodies = merged;
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
        let mut links: Vec<(u32, u32, u64)> = Vec::new();
        let mut colours = vec![0; self.nodes];
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
        let first = self.first_atom();
        for (at, bodies) in self.bodies.iter().enumerate() {
            colours[first + at] = 5;
            for body in bodies {
                let node = colours.len() as u32;
                colours.push(6);
                links.push((node, (first + at) as u32, HEAD));
                for &(atom, negative) in body {
                    links.push((node, atom, if negative { NEGATIVE } else { POSITIVE }));
                }
            }
        }
        let mut kinds: Vec<&Kind> = self.answers.iter().map(|answer| &answer.kind).collect();
        kinds.sort_unstable_by_key(|kind| format!("{kind:?}"));
        kinds.dedup();
        let colour_of: HashMap<&Kind, u64> = kinds.into_iter().zip((10..).step_by(2)).collect();
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
            for (from, to, kind) in [(a, b, kind), (b, a, kind + 100)] {
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

    /// The nodes that a symmetry is told by: fluents, moves and roles; then the atoms.
    pub(super) fn nodes(&self) -> usize {
        self.nodes
    }

    /// True if the rules and answers are the same under a permutation of the nodes.
    pub(super) fn is_symmetric(&self, map: &[u32]) -> bool {
        let moved = |node: u32| map[node as usize];
        let first = self.first_atom();
        let kind = |node: usize| {
            let role = self.moves.partition_point(|&start| start <= node);
            match node {
                _ if node < self.fluents => (0, 0),
                _ if node < self.roles => (1, role - 1),
                _ if node < first => (2, 0),
                _ => (3, 0),
            }
        };
        let kinds_fit = (0..self.nodes).all(|node| {
            let ((a, role), (b, other)) = (kind(node), kind(map[node] as usize));
            a == b && (a != 1 || map[self.roles + role] as usize == self.roles + other)
        });
        let rules_fit = || {
            self.bodies.iter().enumerate().all(|(at, bodies)| {
                let becomes = map[first + at] as usize - first;
                renamed(bodies, moved) == self.bodies[becomes]
            })
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
        kinds_fit && rules_fit() && answers_fit()
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

fn renamed(bodies: &[Vec<Literal>], moved: impl Fn(u32) -> u32) -> Vec<Vec<Literal>> {
    let mut bodies: Vec<Vec<Literal>> = bodies
        .iter()
        .map(|body| {
            let mut body: Vec<Literal> = body.iter().map(|&(node, sign)| (moved(node), sign)).collect();
            body.sort_unstable();
            body.dedup();
            body
        })
        .collect();
    bodies.sort_unstable();
    bodies.dedup();
    bodies
}

/// Gives nodes to the atoms that are needed.
struct Numbering<'g> {
    ground: &'g Ground,
    /// Fluents and moves; `None` for those that never hold.
    inputs: HashMap<AtomId, Option<u32>>,
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

    /// The bodies of all atoms that have a node, or get one on the way. An input that never holds has no body.
    fn bodies(mut self) -> (usize, Vec<Vec<Vec<Literal>>>) {
        let ground = self.ground;
        let mut all = Vec::new();
        let mut at = 0;
        while at < self.atoms.len() {
            let atom = self.atoms[at];
            at += 1;
            let mut bodies = Vec::new();
            if !self.inputs.contains_key(&atom) {
                'bodies: for body in ground.bodies(atom) {
                    let mut literals = Vec::new();
                    for literal in body {
                        let never = self.inputs.get(&literal.atom()) == Some(&None);
                        match (never, literal.is_negative()) {
                            (true, false) => continue 'bodies,
                            (true, true) => {}
                            (false, negative) => literals.push((self.node(literal.atom()), negative)),
                        }
                    }
                    bodies.push(literals);
                }
            }
            all.push(renamed(&bodies, |node| node));
        }
        (all.len(), all)
    }
}
