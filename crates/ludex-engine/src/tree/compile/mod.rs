//! From rules to the tree: one OR node for each question, one AND node for each rule remodelled for it.
//!
//! `emit.rs` writes the operations of an AND node, `finish.rs` looks at the tree as a whole once all nodes are there.

mod emit;
mod finish;

use super::Options;
use super::cell::{Lexicon, Source};
use super::lookup::{Key, KeySpace, Values};
use super::node::{
    And, AndId, ComponentId, Duplicates, Group, Grouping, GroupingId, Or, OrAndTree, OrId, Paths, Roots, Take,
};
use super::order::{Asked, Sizes, order, variable};
use super::remodel::{Slot, remodel};
use super::rulebook::{Atom, Condition, Place, RelationId, Rule, Rulebook};
use crate::budget::{Budget, Exceeded};
use crate::frontend::{Arg, Stay, TableId};
use crate::terms::TermId;
use emit::emit;
use hashbrown::{HashMap, HashSet};
use ludex_gdl::analysis::dependencies::Phase;

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
    compiler.finish();
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
        self.tree.ands[id.index()] = emit(self, id, or, question, &rule, &steps, &wanted);
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
}
