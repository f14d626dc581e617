//! Which places in the rules hold the same thing.
//!
//! Where a rule says `(true (cell ?x ?y b))` and `(legal r (mark ?x ?y))`, the two arguments of the move are the two of the
//! fluent, whatever they are called and whatever values they have: two variables side by side that stand side by side
//! elsewhere in the same rule. Places that rules connect so, however long the way, are one class.

use ludex_engine::budget::{Exceeded, Meter};
use ludex_gdl::rules::{Atom, Literal, RelationId, Rule, Rules, Term, Variable};
use ludex_gdl::{Keyword, Symbol};
use std::collections::{HashMap, HashSet};

/// Of what a place is an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// Of a fluent of this name and number of arguments.
    Fluent(Symbol, usize),
    /// Of a move.
    Action(Symbol, usize),
    /// Of a relation.
    Relation(RelationId),
}

/// Two neighbouring arguments: of what, and where the first of them stands.
pub type Pair = (Owner, Vec<usize>);

/// The classes of pairs.
#[derive(Debug, Default)]
pub struct Joins {
    numbers: HashMap<Pair, usize>,
    /// The class of each pair, by its least member.
    classes: Vec<usize>,
    /// Pairs of fluents and moves that one rule names by the same variables, the smaller number first.
    together: HashSet<(usize, usize)>,
}

/// Rules with more arguments than this are passed over.
const WIDEST: usize = 400;

impl Joins {
    /// Reads the rules.
    pub fn of(rules: &Rules, meter: &mut Meter) -> Result<Joins, Exceeded> {
        let mut joins = Joins::default();
        for rule in rules.rules() {
            let pairs = pairs(rules, rule);
            meter.tick_by(1 + pairs.len() as u64)?;
            let mut same: HashMap<(Variable, Variable), Vec<usize>> = HashMap::new();
            let mut play: HashMap<(Variable, Variable), Vec<usize>> = HashMap::new();
            for (variables, pair) in pairs {
                let is_play = !matches!(pair.0, Owner::Relation(_));
                let number = joins.number(pair);
                same.entry(variables).or_default().push(number);
                if is_play {
                    play.entry(variables).or_default().push(number);
                }
            }
            for numbers in same.values() {
                numbers.iter().for_each(|&number| joins.unite(number, numbers[0]));
            }
            for numbers in play.values() {
                for (at, &one) in numbers.iter().enumerate() {
                    meter.tick_by((numbers.len() - at) as u64)?;
                    joins
                        .together
                        .extend(numbers[at..].iter().map(|&other| (one.min(other), one.max(other))));
                }
            }
        }
        Ok(joins)
    }

    fn number(&mut self, pair: Pair) -> usize {
        let next = self.classes.len();
        let number = *self.numbers.entry(pair).or_insert(next);
        if number == next {
            self.classes.push(number);
        }
        number
    }

    fn root(&self, mut number: usize) -> usize {
        while self.classes[number] != number {
            number = self.classes[number];
        }
        number
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.classes[one.max(other)] = one.min(other);
    }

    /// The class of the arguments at `path` and behind it, if rules name them by variables.
    pub fn class(&self, owner: Owner, path: &[usize]) -> Option<usize> {
        self.numbers.get(&(owner, path.to_vec())).map(|&number| self.root(number))
    }

    /// True if a rule names both pairs, of fluents or moves, by the same two variables: not only by way of relations that
    /// speak of any board, such as which cells are different ones.
    pub fn are_together(&self, one: &Pair, other: &Pair) -> bool {
        let (Some(&one), Some(&other)) = (self.numbers.get(one), self.numbers.get(other)) else {
            return false;
        };
        self.together.contains(&(one.min(other), one.max(other)))
    }

    /// All places of a class.
    pub fn members(&self, class: usize) -> impl Iterator<Item = &Pair> {
        self.numbers.iter().filter(move |(_, number)| self.root(**number) == class).map(|(pair, _)| pair)
    }
}

/// All pairs of variables side by side in the rule, with their places.
fn pairs(rules: &Rules, rule: &Rule) -> Vec<((Variable, Variable), Pair)> {
    let mut out = Vec::new();
    let atoms = rule.body.iter().filter_map(|literal: &Literal| literal.positive().or(literal.negative()));
    for atom in std::iter::once(&rule.head).chain(atoms) {
        of_atom(rules, atom, &mut out);
        if out.len() > WIDEST {
            return Vec::new();
        }
    }
    out
}

fn of_atom(rules: &Rules, atom: &Atom, out: &mut Vec<((Variable, Variable), Pair)>) {
    let inner = |at: usize, owner: fn(Symbol, usize) -> Owner| match atom.arguments.get(at) {
        Some(Term::Compound(name, arguments)) => Some((owner(*name, arguments.len()), arguments.as_slice())),
        _ => None,
    };
    let found = match rules.relation(atom.relation).keyword {
        Some(Keyword::True | Keyword::Init | Keyword::Next | Keyword::Base) => inner(0, Owner::Fluent),
        Some(Keyword::Legal | Keyword::Does | Keyword::Input) => inner(1, Owner::Action),
        Some(_) => None,
        None => Some((Owner::Relation(atom.relation), atom.arguments.as_slice())),
    };
    if let Some((owner, arguments)) = found {
        of_arguments(owner, &mut Vec::new(), arguments, out);
    }
}

fn of_arguments(
    owner: Owner,
    path: &mut Vec<usize>,
    arguments: &[Term],
    out: &mut Vec<((Variable, Variable), Pair)>,
) {
    for (number, argument) in arguments.iter().enumerate() {
        path.push(number);
        match (argument, arguments.get(number + 1)) {
            (Term::Variable(one), Some(Term::Variable(other))) => {
                out.push(((*one, *other), (owner, path.clone())));
            }
            (Term::Compound(_, inner), _) if path.len() < 4 => of_arguments(owner, path, inner, out),
            _ => {}
        }
        path.pop();
    }
}
