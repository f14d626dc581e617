//! From rules to the tree: one OR node for each question, one AND node for each rule remodelled for it.

use super::Options;
use super::cell::{Lexicon, Source};
use super::lookup::{Key, KeySpace, Values};
use super::node::{
    And, AndId, Component, ComponentId, Duplicates, FactPath, FluentPath, Group, Grouping, GroupingId, Merge,
    Op, Or, OrAndTree, OrId, Paths, Roots, Site, SiteId, Take, Target,
};
use super::order::{Asked, Sizes, Step, order, variable};
use super::remodel::{Slot, remodel};
use super::rulebook::{Atom, Condition, Place, RelationId, Rule, Rulebook};
use crate::budget::{Budget, Exceeded};
use crate::frontend::{Arg, Stay, TableId};
use crate::terms::TermId;
use hashbrown::{HashMap, HashSet};
use ludex_gdl::analysis::dependencies::Phase;
use ludex_gdl::analysis::graph;

/// A relation that is asked in more ways than this is no longer copied for constants that reach it from its
/// callers; they become inputs. Constants written in a condition always stay: stratification by rules
/// may depend on them.
const MOST_COPIES: usize = 64;

/// Builds the tree of a game.
pub(super) fn compile(
    book: &mut Rulebook,
    lexicon: &mut Lexicon,
    paths: &mut Paths,
    roles: &[TermId],
    sizes: &Sizes,
    options: &Options,
    budget: &Budget,
) -> Result<OrAndTree, Exceeded> {
    let mut compiler = Compiler {
        book,
        lexicon,
        paths,
        sizes,
        options,
        tree: OrAndTree::default(),
        by_question: HashMap::new(),
        copies: HashMap::new(),
        questions: Vec::new(),
        values: HashMap::new(),
        by_constant: HashMap::new(),
    };
    let roots = compiler.roots(roles);
    let mut done = 0;
    while done < compiler.tree.ors.len() {
        budget.check()?;
        compiler.rules(OrId(done as u32));
        done += 1;
    }
    compiler.tree.roots = roots;
    compiler.components();
    compiler.targets();
    compiler.duplicates();
    compiler.tree.names = compiler.book.names();
    compiler.tree.first_part = compiler.book.program.tables.len() as u32;
    Ok(compiler.tree)
}

struct Compiler<'b> {
    book: &'b mut Rulebook,
    lexicon: &'b mut Lexicon,
    paths: &'b mut Paths,
    sizes: &'b Sizes,
    options: &'b Options,
    tree: OrAndTree,
    by_question: HashMap<(RelationId, Vec<Slot>), OrId>,
    /// How many questions each relation has.
    copies: HashMap<RelationId, usize>,
    /// The question of each OR node.
    questions: Vec<Vec<Slot>>,
    /// The values of each column of each table that was asked for.
    values: HashMap<(TableId, usize), Option<Values>>,
    /// The rules of relations with many, by what stands at a position of the head.
    by_constant: HashMap<(RelationId, usize), Heads>,
}

/// The rules of a relation by what stands at one position of the head.
#[derive(Default)]
struct Heads {
    of_term: HashMap<TermId, Vec<usize>>,
    /// Those with a variable there.
    open: Vec<usize>,
}

/// The rules of a relation with more of them than this are found by a constant of the question.
const MANY_RULES: usize = 16;

impl Compiler<'_> {
    fn roots(&mut self, roles: &[TermId]) -> Roots {
        let program = self.book.program.clone();
        let outputs = |table: TableId| vec![Slot::Output; program.table(table).width];
        let for_role = |table: TableId, role: TermId| {
            let mut slots = outputs(table);
            slots[0] = Slot::Constant(role);
            slots
        };
        let each_role = |compiler: &mut Self, table: TableId| -> Vec<OrId> {
            roles.iter().map(|&role| compiler.root(table, for_role(table, role))).collect()
        };
        let legal = roles
            .iter()
            .map(|&role| program.moves.iter().map(|m| self.root(m.legal, for_role(m.legal, role))).collect())
            .collect();
        let goal = each_role(self, program.goal);
        Roots {
            legal,
            goal,
            next: program.fluents.iter().map(|f| self.root(f.next, outputs(f.next))).collect(),
            ends: program
                .fluents
                .iter()
                .enumerate()
                .filter_map(|(shape, fluents)| match fluents.stay {
                    Stay::Unless(table) => Some((shape, self.root(table, outputs(table)))),
                    Stay::Never => None,
                })
                .collect(),
            init: program.fluents.iter().map(|f| self.root(f.init, outputs(f.init))).collect(),
            terminal: Some(self.root(program.terminal, outputs(program.terminal))),
        }
    }

    /// The node of a question from outside.
    fn root(&mut self, table: TableId, question: Vec<Slot>) -> OrId {
        let place = self.book.places[table.index()];
        let relation = match place {
            Place::Proof(relation) => relation,
            _ => {
                let args: Vec<Arg> = (0..question.len() as u32).map(Arg::Variable).collect();
                let written = vec![false; args.len()];
                let atom = Atom { place, args: args.clone(), negated: false, written };
                let rule = Rule { variables: args.len(), head: args, body: vec![Condition::Atom(atom)] };
                self.book.add_part(rule, Phase::Static)
            }
        };
        self.or(relation, question)
    }

    /// The node of a question, made if it is new.
    fn or(&mut self, relation: RelationId, question: Vec<Slot>) -> OrId {
        if let Some(&id) = self.by_question.get(&(relation, question.clone())) {
            return id;
        }
        let id = OrId(self.tree.ors.len() as u32);
        let inputs: Vec<usize> = (0..question.len()).filter(|&i| question[i] == Slot::Input).collect();
        let columns = inputs.iter().map(|&column| self.column_values(relation, column)).collect();
        self.tree.ors.push(Or {
            relation,
            passed: question.iter().map(|slot| *slot == Slot::Input).collect(),
            inputs: inputs.len(),
            outputs: question.iter().filter(|&&slot| slot == Slot::Output).count(),
            phase: self.book.relations[relation.index()].phase,
            ands: Vec::new(),
            component: ComponentId(0),
            recursive: false,
            space: KeySpace::new(columns),
            duplicates: Duplicates::Hashed,
            groupings: Vec::new(),
            target: None,
        });
        *self.copies.entry(relation).or_default() += 1;
        self.by_question.insert((relation, question.clone()), id);
        self.questions.push(question);
        id
    }

    /// The values that an argument of a relation can have, if they are few and known.
    fn column_values(&mut self, relation: RelationId, column: usize) -> Option<Values> {
        if let Some(table) = self.book.relations[relation.index()].table {
            return self.table_values(table, column);
        }
        // A part of a body: what the variable can be where it occurs first.
        let rule = &self.book.relations[relation.index()].rules[0];
        let arg = rule.head[column];
        let (table, column) = rule.body.iter().find_map(|condition| match condition {
            Condition::Atom(atom) if !atom.negated => {
                let column = atom.args.iter().position(|&a| a == arg)?;
                Some((self.table_of(atom.place)?, column))
            }
            _ => None,
        })?;
        self.table_values(table, column)
    }

    fn table_of(&self, place: Place) -> Option<TableId> {
        match place {
            Place::Fluents(shape) => Some(self.book.program.fluents[shape].holds),
            Place::Does(shape) => Some(self.book.program.moves[shape].does),
            Place::Facts(facts) if facts.index() < self.book.program.tables.len() => Some(TableId(facts.0)),
            Place::Facts(_) => None,
            Place::Proof(relation) => self.book.relations[relation.index()].table,
        }
    }

    fn table_values(&mut self, table: TableId, column: usize) -> Option<Values> {
        if let Some(values) = self.values.get(&(table, column)) {
            return values.clone();
        }
        let domain = &self.book.program.columns[table.index()][column];
        let values = if domain.functors.is_empty() {
            let terms = &mut self.book.terms;
            let numbers: Vec<u32> = domain
                .constants
                .iter()
                .map(|&name| {
                    let term = terms.constant(name);
                    self.lexicon.number(terms, term)
                })
                .collect();
            Values::new(&numbers)
        } else {
            None
        };
        self.values.insert((table, column), values.clone());
        values
    }

    /// Makes the AND nodes of a question.
    fn rules(&mut self, or: OrId) {
        let relation = self.tree.ors[or.index()].relation;
        let question = self.questions[or.index()].clone();
        let mut seen: HashSet<Rule> = HashSet::new();
        for position in self.candidates(relation, &question) {
            let rule = self.book.relations[relation.index()].rules[position].clone();
            let Some(rule) = remodel(&rule, &question, self.book) else { continue };
            if seen.insert(rule.clone()) {
                self.and(or, &question, rule);
            }
        }
    }

    /// The positions of the rules that can answer a question, as far as its first constant tells, ascending.
    fn candidates(&mut self, relation: RelationId, question: &[Slot]) -> Vec<usize> {
        let rules = &self.book.relations[relation.index()].rules;
        let constant = question.iter().enumerate().find_map(|(position, slot)| match slot {
            Slot::Constant(term) => Some((position, *term)),
            _ => None,
        });
        let Some((position, term)) = constant.filter(|_| rules.len() > MANY_RULES) else {
            return (0..rules.len()).collect();
        };
        let heads = self.by_constant.entry((relation, position)).or_insert_with(|| {
            let mut heads = Heads::default();
            for (at, rule) in rules.iter().enumerate() {
                match rule.head[position] {
                    Arg::Term(term) => heads.of_term.entry(term).or_default().push(at),
                    Arg::Variable(_) => heads.open.push(at),
                }
            }
            heads
        });
        let mut found = heads.of_term.get(&term).cloned().unwrap_or_default();
        found.extend(&heads.open);
        found.sort_unstable();
        found
    }

    fn and(&mut self, or: OrId, question: &[Slot], rule: Rule) {
        // A condition on a relation without rules decides itself.
        let mut rule = rule;
        let relations = &self.book.relations;
        let is_empty = |condition: &Condition, negated: bool| match condition {
            Condition::Atom(Atom { place: Place::Proof(relation), negated: n, .. }) => {
                *n == negated && relations[relation.index()].rules.is_empty()
            }
            _ => false,
        };
        if rule.body.iter().any(|condition| is_empty(condition, false)) {
            return;
        }
        rule.body.retain(|condition| !is_empty(condition, true));

        let mut known = vec![false; rule.variables];
        let mut wanted = Vec::new();
        for (slot, arg) in question.iter().zip(&rule.head) {
            if let (Slot::Input | Slot::Output, Some(v)) = (slot, variable(arg)) {
                wanted.push(v);
                known[v as usize] |= *slot == Slot::Input;
            }
        }
        let guess = |relation: RelationId| relations[relation.index()].guess.clone();
        let given: Vec<bool> =
            question.iter().map(|slot| matches!(slot, Slot::Input | Slot::Constant(_))).collect();
        let asked = Asked { relation: self.tree.ors[or.index()].relation, known: &given };
        let steps = order(&rule, asked, known, &wanted, self.sizes, &guess);
        let id = AndId(self.tree.ands.len() as u32);
        // Takes its place in the list before the calls, which refer to it.
        self.tree.ands.push(And {
            or,
            width: 0,
            start: Take::default(),
            ops: Vec::new(),
            answer: Vec::new(),
            place: Key::Hashed(Vec::new()),
            distinct: false,
        });
        let last_use = last_uses(&rule, &steps, &wanted);
        let mut ending = vec![Vec::new(); steps.len()];
        for (v, &last) in (0..).zip(&last_use) {
            if let Some(list) = ending.get_mut(last) {
                list.push(v);
            }
        }
        let mut emitter = Emitter {
            compiler: self,
            and: id,
            rule: &rule,
            columns: vec![None; rule.variables],
            free: Vec::new(),
            width: 0,
            ops: Vec::new(),
            last_use,
            distinct: true,
        };
        let start = emitter.start(question);
        for (at, step) in steps.iter().enumerate() {
            emitter.step(at, step);
            emitter.release(&ending[at]);
        }
        let answer: Vec<Source> = question
            .iter()
            .zip(&rule.head)
            .filter(|(slot, _)| **slot == Slot::Output)
            .map(|(_, &arg)| emitter.source(arg))
            .collect();
        // A variable that the answer leaves out can have several values for one answer.
        let read: HashSet<u32> = wanted.iter().copied().collect();
        let left_out = |v: usize| emitter.columns[v].is_some() && !read.contains(&(v as u32));
        let distinct = emitter.distinct && !(0..rule.variables).any(left_out);
        let (width, ops) = (emitter.width, emitter.ops);
        let place = Key::Hashed(answer.clone());
        self.tree.ands[id.index()] = And { or, width, start, ops, answer, place, distinct };
        self.tree.ors[or.index()].ands.push(id);
    }

    /// Which arguments of a relation its callers pass on. A part of a body means something only for what is known
    /// there.
    fn passes(&self, relation: RelationId, count: usize) -> Vec<bool> {
        let is_part = relation.index() >= self.book.program.tables.len();
        match self.sizes.passes.get(&relation) {
            _ if !self.options.filters && !is_part => vec![false; count],
            Some(passes) => passes.clone(),
            None => vec![true; count],
        }
    }

    /// Turns the checks of a call into a lookup of the answers by the values that are checked.
    fn group(&mut self, or: OrId, take: &mut Take) -> Option<Group> {
        if take.check.is_empty() {
            return None;
        }
        let (columns, values): (Vec<u16>, Vec<Source>) = std::mem::take(&mut take.check).into_iter().unzip();
        let relation = self.tree.ors[or.index()].relation;
        let question = &self.questions[or.index()];
        let outputs: Vec<usize> = (0..question.len()).filter(|&i| question[i] == Slot::Output).collect();
        let known = self.tree.ors[or.index()].groupings.iter().copied();
        let found = known.into_iter().find(|g| self.tree.groupings[g.index()].columns == columns);
        let grouping = found.unwrap_or_else(|| {
            let domains =
                columns.iter().map(|&c| self.column_values(relation, outputs[c as usize])).collect();
            let space = KeySpace::new(domains);
            let sources: Vec<Source> = columns.iter().map(|&column| Source::Column(column)).collect();
            let id = GroupingId(self.tree.groupings.len() as u32);
            let key = space.key(&sources);
            self.tree.groupings.push(Grouping { columns, space, key });
            self.tree.ors[or.index()].groupings.push(id);
            id
        });
        let key = self.tree.groupings[grouping.index()].space.key(&values);
        Some(Group { grouping, values, key })
    }

    /// Finds the nodes that need each other.
    fn components(&mut self) {
        let tree = &mut self.tree;
        let mut calls: Vec<Vec<u32>> = vec![Vec::new(); tree.ors.len()];
        for site in &tree.sites {
            calls[tree.ands[site.and.index()].or.index()].push(site.or.0);
        }
        calls.iter_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        for (number, members) in (0..).zip(graph::components(&calls)) {
            let recursive = members.len() > 1 || calls[members[0] as usize].contains(&members[0]);
            for &member in &members {
                tree.ors[member as usize].component = ComponentId(number);
                tree.ors[member as usize].recursive = recursive;
            }
            let members = members.into_iter().map(OrId).collect();
            tree.components.push(Component { members, sites: Vec::new() });
        }
        for (id, site) in (0..).map(SiteId).zip(&mut tree.sites) {
            let caller = tree.ors[tree.ands[site.and.index()].or.index()].component;
            let callee = &tree.ors[site.or.index()];
            site.waits = callee.recursive && caller == callee.component;
            if site.waits {
                tree.components[caller.index()].sites.push(id);
            }
        }
    }

    /// True if the rules of a node cannot derive an answer twice.
    fn cannot_repeat(&self, or: usize) -> bool {
        let or = &self.tree.ors[or];
        let ands: Vec<&And> = or.ands.iter().map(|and| &self.tree.ands[and.index()]).collect();
        let disjoint = |(at, and): (usize, &&And)| ands[..at].iter().all(|other| are_disjoint(other, and));
        !or.recursive
            && ands.len() <= 32
            && ands.iter().all(|and| and.distinct)
            && ands.iter().enumerate().all(disjoint)
    }

    /// Finds the roots whose answers nobody inside the tree reads.
    fn targets(&mut self) {
        let tree = &mut self.tree;
        let mut called = vec![false; tree.ors.len()];
        tree.sites.iter().for_each(|site| called[site.or.index()] = true);
        let mut aim = |or: OrId, target: Target| {
            if !called[or.index()] {
                tree.ors[or.index()].target = Some(target);
            }
        };
        for (role, roots) in tree.roots.legal.iter().enumerate() {
            roots.iter().enumerate().for_each(|(shape, &or)| aim(or, Target::Moves { role, shape }));
        }
        for &(shape, or) in &tree.roots.ends {
            aim(or, Target::Fluents { shape });
        }
        for roots in [&tree.roots.next, &tree.roots.init] {
            roots.iter().enumerate().for_each(|(shape, &or)| aim(or, Target::Fluents { shape }));
        }
    }

    /// Decides how each node keeps its answers distinct.
    fn duplicates(&mut self) {
        for at in 0..self.tree.ors.len() {
            if self.cannot_repeat(at) {
                self.tree.ors[at].duplicates = Duplicates::Impossible;
            }
            let or = &self.tree.ors[at];
            if or.inputs > 0 || or.outputs == 0 || matches!(or.duplicates, Duplicates::Impossible) {
                continue;
            }
            let relation = or.relation;
            let outputs: Vec<usize> =
                (0..self.questions[at].len()).filter(|&i| self.questions[at][i] == Slot::Output).collect();
            let columns = outputs.iter().map(|&column| self.column_values(relation, column)).collect();
            let space = KeySpace::new(columns);
            for and in &self.tree.ors[at].ands {
                let and = &mut self.tree.ands[and.index()];
                and.place = space.key(&and.answer);
            }
            self.tree.ors[at].duplicates = Duplicates::Checked(space);
        }
    }
}

/// True if no question can have an answer from both rules: a constant tells them apart.
fn are_disjoint(left: &And, right: &And) -> bool {
    let differ = |pair: (&Source, &Source)| match pair {
        (Source::Constant(a), Source::Constant(b)) => a != b,
        _ => false,
    };
    let asked = left
        .start
        .check
        .iter()
        .any(|(at, a)| right.start.check.iter().any(|(other, b)| at == other && differ((a, b))));
    asked || left.answer.iter().zip(&right.answer).any(differ)
}

/// For each variable the last step that reads it; those that the answer needs are read for ever.
fn last_uses(rule: &Rule, steps: &[Step], wanted: &[u32]) -> Vec<usize> {
    let mut last = vec![0; rule.variables];
    for (at, step) in steps.iter().enumerate() {
        let positions = match step {
            Step::Merge(position) => std::slice::from_ref(position),
            Step::Part(positions) => positions,
        };
        for &position in positions {
            rule.body[position].each_arg(&mut |arg| {
                if let Some(v) = variable(&arg) {
                    last[v as usize] = at;
                }
            });
        }
    }
    for &v in wanted {
        last[v as usize] = usize::MAX;
    }
    last
}

/// Writes the operations of one AND node.
struct Emitter<'c, 'b> {
    compiler: &'c mut Compiler<'b>,
    and: AndId,
    rule: &'c Rule,
    /// The column of each variable that is bound.
    columns: Vec<Option<u16>>,
    /// Columns whose variable is not read any more.
    free: Vec<u16>,
    width: usize,
    ops: Vec<Op>,
    last_use: Vec<usize>,
    /// True as long as no condition can give a row twice.
    distinct: bool,
}

impl Emitter<'_, '_> {
    fn number(&mut self, term: TermId) -> u32 {
        self.compiler.lexicon.number(&self.compiler.book.terms, term)
    }

    /// Where the value of a known argument is.
    fn source(&mut self, arg: Arg) -> Source {
        match arg {
            Arg::Term(term) => Source::Constant(self.number(term)),
            Arg::Variable(v) => {
                Source::Column(self.columns[v as usize].expect("conditions come after what binds them"))
            }
        }
    }

    fn is_known(&self, arg: Arg) -> bool {
        variable(&arg).is_none_or(|v| self.columns[v as usize].is_some())
    }

    fn bind(&mut self, v: u32) -> u16 {
        let column = self.free.pop().unwrap_or_else(|| {
            self.width += 1;
            (self.width - 1) as u16
        });
        self.columns[v as usize] = Some(column);
        column
    }

    fn bound_count(&self) -> usize {
        self.columns.iter().flatten().count()
    }

    /// True if nobody but the condition at hand reads the variable, and that once.
    fn is_ignored(&self, at: usize, v: u32, args: &[Arg]) -> bool {
        self.last_use[v as usize] <= at && args.iter().filter(|a| variable(a) == Some(v)).count() == 1
    }

    /// How the values of the question enter the first row.
    fn start(&mut self, question: &[Slot]) -> Take {
        let mut take = Take::default();
        let inputs = question.iter().zip(&self.rule.head).filter(|(slot, _)| **slot == Slot::Input);
        for (position, (_, &arg)) in (0..).zip(inputs) {
            match arg {
                Arg::Variable(v) if !self.is_known(arg) => {
                    let column = self.bind(v);
                    take.bind.push((position, column));
                }
                _ => take.check.push((position, self.source(arg))),
            }
        }
        take
    }

    fn step(&mut self, at: usize, step: &Step) {
        match step {
            Step::Merge(position) => self.condition(at, &self.rule.body[*position]),
            Step::Part(positions) => {
                let atom = self.part(positions);
                self.proof(at, &atom);
            }
        }
    }

    /// These variables are read for the last time. They keep their columns, so that they count as known; others may
    /// overwrite them.
    fn release(&mut self, variables: &[usize]) {
        self.free.extend(variables.iter().filter_map(|&v| self.columns[v]));
    }

    /// Makes a relation of some conditions, of which the known variables are the arguments.
    fn part(&mut self, positions: &[usize]) -> Atom {
        let body: Vec<Condition> = positions.iter().map(|&i| self.rule.body[i].clone()).collect();
        let mut head: Vec<Arg> = Vec::new();
        let mut seen: HashSet<Arg> = HashSet::new();
        for condition in &body {
            condition.each_arg(&mut |arg| {
                if variable(&arg).is_some() && self.is_known(arg) && seen.insert(arg) {
                    head.push(arg);
                }
            });
        }
        let phase = body.iter().map(|c| self.compiler.book.phase(c)).max().unwrap_or(Phase::Static);
        let rule = Rule { head: head.clone(), body, variables: self.rule.variables };
        let relation = self.compiler.book.add_part(rule, phase);
        let written = vec![false; head.len()];
        Atom { place: Place::Proof(relation), args: head, negated: false, written }
    }

    fn condition(&mut self, at: usize, condition: &Condition) {
        match condition {
            Condition::Atom(atom) => match atom.place {
                Place::Fluents(_) | Place::Facts(_) => self.leaf(at, atom),
                Place::Does(shape) => self.does(at, shape, atom),
                Place::Proof(_) => self.proof(at, atom),
            },
            Condition::Distinct(left, right) => {
                let op = Op::Distinct(self.source(*left), self.source(*right));
                self.ops.push(op);
            }
            Condition::Constant(arg) => {
                let op = Op::Constant(self.source(*arg));
                self.ops.push(op);
            }
            Condition::Function { whole, functor, args } => {
                let functor = *functor;
                let op = if !self.is_known(*whole) {
                    let args = args.iter().map(|&arg| self.source(arg)).collect();
                    let v = variable(whole).expect("ground terms are known");
                    Op::PutTogether { functor, args, to: self.bind(v) }
                } else if args.iter().all(|&arg| self.is_known(arg)) {
                    let whole = self.source(*whole);
                    let args = args.iter().map(|&arg| self.source(arg)).collect();
                    Op::Equals { whole, functor, args }
                } else {
                    let whole = self.source(*whole);
                    let (_, take) = self.split(at, args, &[], |position| position as u16);
                    Op::TakeApart { whole, functor, count: args.len(), take }
                };
                self.ops.push(op);
            }
        }
    }

    /// Which arguments are looked up by (those known and not `skipped`), and how the others are taken.
    /// `place` says where a match has the value of an argument.
    fn split(
        &mut self,
        at: usize,
        args: &[Arg],
        key: &[usize],
        place: impl Fn(usize) -> u16,
    ) -> (usize, Take) {
        let mut take = Take::default();
        let (mut common, mut ignored) = (0, false);
        for (position, &arg) in args.iter().enumerate() {
            let in_row = matches!(arg, Arg::Variable(v) if self.columns[v as usize].is_some());
            common += usize::from(in_row);
            if key.contains(&position) {
                continue;
            }
            match arg {
                Arg::Variable(v) if !self.is_known(arg) => {
                    if self.is_ignored(at, v, args) {
                        ignored = true;
                    } else {
                        let column = self.bind(v);
                        take.bind.push((place(position), column));
                    }
                }
                _ => take.check.push((place(position), self.source(arg))),
            }
        }
        self.distinct &= !ignored || take.bind.is_empty();
        (common, take)
    }

    fn leaf(&mut self, at: usize, atom: &Atom) {
        let before = self.bound_count();
        let known: Vec<usize> = (0..atom.args.len()).filter(|&i| self.is_known(atom.args[i])).collect();
        let key: Vec<Source> = known.iter().map(|&i| self.source(atom.args[i])).collect();
        let common = key.iter().filter(|s| matches!(s, Source::Column(_))).count();
        match atom.place {
            Place::Fluents(shape) => {
                let (_, take) = self.split(at, &atom.args, &known, |position| position as u16);
                let merge = Merge::of(atom.negated, take.bind.len(), common, before);
                let index = self.compiler.paths.fluent(FluentPath { shape, key: known });
                self.ops.push(Op::Fluents { index, key: Key::Hashed(key), merge, take });
            }
            Place::Facts(facts) => {
                // Only the columns that are read become part of a match.
                let values: Vec<usize> = (0..atom.args.len())
                    .filter(|i| !known.contains(i))
                    .filter(|&i| variable(&atom.args[i]).is_some_and(|v| !self.is_ignored(at, v, &atom.args)))
                    .collect();
                let place =
                    |position: usize| values.iter().position(|&v| v == position).unwrap_or_default() as u16;
                let (_, take) = self.split(at, &atom.args, &known, place);
                let merge = Merge::of(atom.negated, take.bind.len(), common, before);
                let index = self.compiler.paths.fact(FactPath { facts, key: known, values });
                self.ops.push(Op::Facts { index, key: Key::Hashed(key), merge, take });
            }
            Place::Does(_) | Place::Proof(_) => {}
        }
    }

    fn does(&mut self, at: usize, shape: usize, atom: &Atom) {
        let before = self.bound_count();
        let (common, take) = self.split(at, &atom.args, &[], |position| position as u16);
        let merge = Merge::of(atom.negated, take.bind.len(), common, before);
        self.ops.push(Op::Does { shape, merge, take });
    }

    fn proof(&mut self, at: usize, atom: &Atom) {
        let Place::Proof(relation) = atom.place else { return };
        let before = self.bound_count();
        let copied = self.compiler.copies.get(&relation).copied().unwrap_or(0) < MOST_COPIES;
        let passes = self.compiler.passes(relation, atom.args.len());
        let known: Vec<bool> = atom.args.iter().map(|&arg| self.is_known(arg)).collect();
        let (mut question, mut key) = (Vec::new(), Vec::new());
        let mut take = Take::default();
        let (mut outputs, mut common) = (0, 0);
        for (position, &arg) in atom.args.iter().enumerate() {
            let first = atom.args[..position].iter().position(|&a| a == arg);
            let slot = match (arg, first) {
                (Arg::Term(term), _) if copied || atom.written[position] || !passes[position] => {
                    Slot::Constant(term)
                }
                (Arg::Variable(_), Some(first)) => Slot::Same(first),
                (Arg::Variable(v), None) if !self.is_known(arg) => {
                    if self.is_ignored(at, v, &atom.args) {
                        Slot::Any
                    } else {
                        let column = self.bind(v);
                        take.bind.push((outputs, column));
                        Slot::Output
                    }
                }
                (_, None) | (Arg::Term(_), _) => {
                    let source = self.source(arg);
                    common += usize::from(matches!(source, Source::Column(_)));
                    if passes[position] {
                        key.push(source);
                        Slot::Input
                    } else {
                        take.check.push((outputs, source));
                        Slot::Output
                    }
                }
            };
            outputs += u16::from(slot == Slot::Output);
            question.push(slot);
        }
        let merge = Merge::of(atom.negated, take.bind.len(), common, before);
        let or = self.compiler.or(relation, question);
        let id = SiteId(self.compiler.tree.sites.len() as u32);
        let op = self.ops.len() + 1;
        let values = key.clone();
        let key = self.compiler.tree.ors[or.index()].space.key(&key);
        let group = if values.is_empty() { self.compiler.group(or, &mut take) } else { None };
        let site = Site { or, and: self.and, known, group, op, values, key, merge, take, waits: false };
        self.compiler.tree.sites.push(site);
        self.ops.extend([Op::Ask(id), Op::Merge(id)]);
    }
}
