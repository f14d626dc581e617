//! Proofs in a part of a game that does not depend on the rest.
//!
//! Whose turn it is in chess does not depend on how a bishop moves. Fluents are *autonomous* if what they are next
//! depends on nothing but themselves: neither on moves nor on other fluents. The rules of some of them make a small game
//! of their own in which nothing ever ends. Every sequence of states of the whole game, seen through these fluents, is
//! one of the part, so that a formula over them which looks ahead only to demand something holds in the whole game if it
//! holds in the part.
//!
//! For `turn-taking` the part has legal moves, too: each rule for `legal` with those of its conditions that depend on
//! autonomous fluents alone, and the others left out. Moves with variables become two moves of no further meaning.
//! Whoever has two legal moves in the whole game then has two in the part, so that who never has two there never has
//! two here.
//!
//! Where a game is too large to be compiled, what a few fluents are next is often worth asking whatever the legality of moves may depend on: that a
//! square of a board has one piece. Then the part has the rules for those fluents and all that they read, and any move that
//! the vocabulary has is legal for whoever has the turn ([`relaxed`]). More sequences of states are possible there than in
//! the game, and none fewer.
//!
//! A property that fails in the part says nothing, and neither does one that the part cannot express: the whole game
//! is asked then.

use super::{Answer, Options, Proof, Prover};
use crate::formula::{Named, Node, NodeKind, Quantifier, Request, Term as Written};
use crate::transition::System;
use hashbrown::HashSet;
use ludex_engine::budget::Budget;
use ludex_engine::prepared::Prepared;
use ludex_engine::terms::TermId;
use ludex_engine::vocabulary::{MoveId, Vocabulary};
use ludex_gdl::analysis::dependencies::Dependencies;
use ludex_gdl::analysis::strata::stratify;
use ludex_gdl::rules::{Atom, Literal, Places, RelationId, Rule, Rules, Term, Variable};
use ludex_gdl::{Game, Keyword, Symbol};

/// The name of a fluent and its number of arguments.
type Functor = (Symbol, usize);

/// A proof that the property holds, made in a part of the game; nothing if there is none within the limits.
pub fn prove_in_part(game: &Game, request: &Request, options: &Options) -> Option<Answer> {
    let part = part(game, request)?;
    prove_of(part, game, request, options)
}

/// As [`prove_in_part`], with the rules of the fluents and whatever moves there are ([`relaxed`]): for games that cannot be
/// compiled as a whole within the limits.
pub fn prove_relaxed(game: &Game, request: &Request, options: &Options) -> Option<Answer> {
    let part = relaxed(game, request, &options.budget.clone().within(options.time))?;
    prove_of(part, game, request, options)
}

fn prove_of(part: Game, game: &Game, request: &Request, options: &Options) -> Option<Answer> {
    let (rules, of) = (part.rules.rules().len(), game.rules.rules().len());
    let budget = options.budget.clone().within(options.time);
    let system = System::new(&Prepared::new(part), &[], &budget).ok()?;
    let options = Options { budget, ..options.clone() };
    match Prover::new(&system, options).answer(request) {
        Ok(Answer::Holds(proof)) => Some(Answer::Holds(Proof::Part { proof: Box::new(proof), rules, of })),
        _ => None,
    }
}

/// The rules of the part that a property is about.
pub fn part(game: &Game, request: &Request) -> Option<Game> {
    // In a translated game the successor is more than what `next` gives.
    if game.frame.is_some() {
        return None;
    }
    let reader = Reader::new(&game.rules)?;
    let mut rules = game.rules.clone();
    let is_turns = request.named() == Some(&Named::TurnTaking);
    let (wanted, legal) = if is_turns {
        reader.turns(&mut rules)?
    } else {
        let wanted = reader.fluents_of(request)?;
        (wanted, vec![reader.any_move(&mut rules)])
    };
    if wanted.is_empty() || !wanted.is_subset(&reader.autonomous) {
        return None;
    }
    let kept = reader.rules_of(wanted, legal);
    let rules = rules.with_rules(kept);
    let strata = stratify(&rules, &Dependencies::of(&rules)).ok()?;
    Some(Game { rules, strata, frame: None })
}

/// The rules of the fluents that a property is about, whatever else they need, with all moves that the vocabulary has
/// in place of the legal ones: what a rule for `legal` asks of autonomous fluents, and of those of the property in plain
/// sight, is kept, the rest is not. Every match of
/// the game is one of these rules, which allow more and never end.
pub fn relaxed(game: &Game, request: &Request, budget: &Budget) -> Option<Game> {
    if game.frame.is_some() || request.named() == Some(&Named::TurnTaking) {
        return None;
    }
    let reader = Reader::new(&game.rules)?;
    let mut wanted = reader.fluents_of(request)?;
    let (about, holds) = (wanted.clone(), game.rules.keyword(Keyword::True));
    let vocabulary = Vocabulary::new(game, budget).ok()?;
    let mut rules = game.rules.clone();
    let may = rules.fresh_relation("may", 2);
    let mut kept: Vec<Rule> = Vec::new();
    for role in vocabulary.roles() {
        for action in (0..vocabulary.move_count(role) as u32).map(MoveId) {
            let terms = [vocabulary.role(role), vocabulary.action(role, action)];
            let arguments = terms.map(|term| written(&vocabulary, term, &mut rules)).to_vec();
            let head = Atom { relation: may, arguments };
            kept.push(Rule { head, body: Vec::new(), variables: Vec::new(), places: Places::default() });
        }
    }
    for &id in reader.rules.rules_for(reader.rules.keyword(Keyword::Legal)) {
        let rule = reader.rules.rule(id);
        let any = Literal::Positive(Atom { relation: may, arguments: rule.head.arguments.clone() });
        let mut bound: HashSet<Variable> = HashSet::new();
        any.variables(&mut |variable| {
            bound.insert(variable);
        });
        let mut body = vec![any];
        // What must hold where a move begins is often what the property needs.
        for literal in &rule.body {
            let mut is_bound = true;
            literal.variables(&mut |variable| is_bound &= bound.contains(&variable));
            let asked = literal.positive().filter(|atom| atom.relation == holds);
            let fluent = asked.and_then(|atom| functor(&atom.arguments[0]));
            if is_bound && fluent.is_some_and(|fluent| about.contains(&fluent)) {
                body.push(literal.clone());
            }
        }
        reader.autonomous_conditions(rule, &mut bound, &mut wanted, &mut body);
        let legal = Rule {
            head: rule.head.clone(),
            body,
            variables: rule.variables.clone(),
            places: Places::default(),
        };
        let legal = legal.renumbered();
        if !kept.contains(&legal) {
            kept.push(legal);
        }
    }
    let kept = reader.cone(wanted, kept)?;
    let rules = rules.with_rules(kept);
    let strata = stratify(&rules, &Dependencies::of(&rules)).ok()?;
    Some(Game { rules, strata, frame: None })
}

/// A ground term of the vocabulary as a term of rules.
fn written(vocabulary: &Vocabulary, term: TermId, rules: &mut Rules) -> Term {
    let terms = vocabulary.terms();
    let name = rules.symbols.intern(vocabulary.rules().symbols.name(terms.functor(term)));
    match terms.arguments(term) {
        [] => Term::Constant(name),
        inside => {
            Term::Compound(name, inside.iter().copied().map(|t| written(vocabulary, t, rules)).collect())
        }
    }
}

struct Reader<'r> {
    rules: &'r Rules,
    dependencies: Dependencies,
    autonomous: HashSet<Functor>,
}

impl<'r> Reader<'r> {
    /// Finds the autonomous fluents; nothing if a rule speaks of fluents without a name.
    fn new(rules: &'r Rules) -> Option<Reader<'r>> {
        let [init, next] = [Keyword::Init, Keyword::Next].map(|keyword| rules.keyword(keyword));
        let heads = [init, next].into_iter().flat_map(|relation| rules.rules_for(relation));
        let autonomous =
            heads.map(|&id| functor(rules.rule(id).head.arguments.first()?)).collect::<Option<_>>()?;
        let mut reader = Reader { rules, dependencies: Dependencies::of(rules), autonomous };
        // The greatest set of fluents that depend on nothing outside of it.
        loop {
            let broken: HashSet<Functor> = reader
                .rules_for(Keyword::Next)
                .filter(|(_, rule)| !rule.body.iter().all(|literal| reader.is_inside(literal)))
                .map(|(fluent, _)| fluent)
                .collect();
            let before = reader.autonomous.len();
            reader.autonomous.retain(|fluent| !broken.contains(fluent));
            if reader.autonomous.len() == before {
                return Some(reader);
            }
        }
    }

    /// The rules for `init` or `next` with their fluents.
    fn rules_for(&self, keyword: Keyword) -> impl Iterator<Item = (Functor, &'r Rule)> + '_ {
        let rules = self.rules;
        rules.rules_for(rules.keyword(keyword)).iter().filter_map(move |&id| {
            let rule = rules.rule(id);
            Some((functor(rule.head.arguments.first()?)?, rule))
        })
    }

    /// True if the condition depends on autonomous fluents alone.
    fn is_inside(&self, literal: &Literal) -> bool {
        let Some(atom) = atom(literal) else { return true };
        self.fluents_read(atom).is_some_and(|fluents| fluents.is_subset(&self.autonomous))
    }

    /// The fluents that an atom depends on; nothing if it depends on moves, or on fluents without a name.
    fn fluents_read(&self, atom: &Atom) -> Option<HashSet<Functor>> {
        let holds = self.rules.keyword(Keyword::True);
        if atom.relation == holds {
            return Some(HashSet::from([functor(&atom.arguments[0])?]));
        }
        let read = self.dependencies.closure([atom.relation]);
        let outside =
            [Keyword::Does, Keyword::Legal, Keyword::Next, Keyword::Init, Keyword::Terminal, Keyword::Goal];
        if outside.iter().any(|&keyword| read[self.rules.keyword(keyword).index()]) {
            return None;
        }
        let mut fluents = HashSet::new();
        for rule in self.rules.rules().iter().filter(|rule| read[rule.head.relation.index()]) {
            for atom in rule.body.iter().filter_map(self::atom).filter(|atom| atom.relation == holds) {
                fluents.insert(functor(&atom.arguments[0])?);
            }
        }
        Some(fluents)
    }

    /// The rules for legal moves with what depends on autonomous fluents alone, and those fluents.
    fn turns(&self, rules: &mut Rules) -> Option<(HashSet<Functor>, Vec<Rule>)> {
        let mut wanted = HashSet::new();
        let mut all = Vec::new();
        let role = self.rules.keyword(Keyword::Role);
        for &id in self.rules.rules_for(self.rules.keyword(Keyword::Legal)) {
            let rule = self.rules.rule(id);
            let mut body: Vec<Literal> = Vec::new();
            let mut bound: HashSet<Variable> = HashSet::new();
            if let Term::Variable(who) = rule.head.arguments[0] {
                body.push(Literal::Positive(Atom { relation: role, arguments: vec![Term::Variable(who)] }));
                bound.insert(who);
            }
            self.autonomous_conditions(rule, &mut bound, &mut wanted, &mut body);
            let action = &rule.head.arguments[1];
            let actions = match action.is_ground() {
                true => vec![action.clone()],
                false => ["any", "other"].map(|stem| Term::Constant(rules.symbols.fresh(stem))).to_vec(),
            };
            for action in actions {
                let arguments = vec![rule.head.arguments[0].clone(), action];
                let head = Atom { relation: rule.head.relation, arguments };
                let places = Places::default();
                all.push(
                    Rule { head, body: body.clone(), variables: rule.variables.clone(), places }.renumbered(),
                );
            }
        }
        Some((wanted, all))
    }

    /// Adds the conditions of a rule that depend on autonomous fluents alone, and those fluents.
    fn autonomous_conditions(
        &self,
        rule: &Rule,
        bound: &mut HashSet<Variable>,
        wanted: &mut HashSet<Functor>,
        body: &mut Vec<Literal>,
    ) {
        let reads = |literal: &&Literal| {
            let fluents = atom(literal).and_then(|atom| self.fluents_read(atom));
            fluents.filter(|fluents| !fluents.is_empty() && fluents.is_subset(&self.autonomous))
        };
        for literal in rule.body.iter().filter(|literal| literal.positive().is_some()) {
            if let Some(fluents) = reads(&literal) {
                wanted.extend(fluents);
                literal.variables(&mut |variable| {
                    bound.insert(variable);
                });
                body.push(literal.clone());
            }
        }
        // What is negated must be bound; else it is left out like all others.
        for literal in rule.body.iter().filter(|literal| literal.negative().is_some()) {
            let mut is_bound = true;
            literal.variables(&mut |variable| is_bound &= bound.contains(&variable));
            if let Some(fluents) = reads(&literal).filter(|_| is_bound) {
                wanted.extend(fluents);
                body.push(literal.clone());
            }
        }
    }

    /// The rules for these fluents and all that they read, moves included, beside those that are given; nothing if they
    /// read what the part does not have: legal moves, the end, goals.
    fn cone(&self, mut wanted: HashSet<Functor>, mut kept: Vec<Rule>) -> Option<Vec<Rule>> {
        let holds = self.rules.keyword(Keyword::True);
        let outside = [Keyword::Legal, Keyword::Next, Keyword::Init, Keyword::Terminal, Keyword::Goal];
        let mut needed;
        loop {
            let before = wanted.len();
            let changing = [Keyword::Init, Keyword::Next].into_iter().flat_map(|k| self.rules_for(k));
            let changing: Vec<&Rule> =
                changing.filter(|(fluent, _)| wanted.contains(fluent)).map(|(_, rule)| rule).collect();
            let given = kept.iter().flat_map(|rule| rule.body.iter().filter_map(atom));
            let read = changing.iter().flat_map(|rule| rule.body.iter().filter_map(atom)).chain(given);
            let read = read.map(|atom| atom.relation).filter(|r| r.index() < self.rules.relations().count());
            let role = self.rules.keyword(Keyword::Role);
            needed = self.dependencies.closure(read.chain([role]));
            if outside.iter().any(|&keyword| needed[self.rules.keyword(keyword).index()]) {
                return None;
            }
            let helpers = self.rules.rules().iter().filter(|rule| needed[rule.head.relation.index()]);
            let bodies = changing.iter().copied().chain(helpers).chain(&kept);
            for atom in bodies.flat_map(|rule| rule.body.iter().filter_map(atom)) {
                if atom.relation == holds {
                    wanted.insert(functor(&atom.arguments[0])?);
                }
            }
            if wanted.len() == before {
                kept.extend(changing.into_iter().cloned());
                break;
            }
        }
        kept.extend(self.rules.rules().iter().filter(|rule| needed[rule.head.relation.index()]).cloned());
        Some(kept)
    }

    /// One move for everybody, so that play goes on.
    fn any_move(&self, rules: &mut Rules) -> Rule {
        let [role, legal] = [Keyword::Role, Keyword::Legal].map(|keyword| self.rules.keyword(keyword));
        let (who, action) = (Term::Variable(Variable(0)), Term::Constant(rules.symbols.fresh("any")));
        Rule {
            head: Atom { relation: legal, arguments: vec![who.clone(), action] },
            body: vec![Literal::Positive(Atom { relation: role, arguments: vec![who] })],
            variables: vec![rules.symbols.intern("r")],
            places: Places::default(),
        }
    }

    /// The fluents of a property that the part can express.
    fn fluents_of(&self, request: &Request) -> Option<HashSet<Functor>> {
        let mut fluents = HashSet::new();
        match (request.named(), request.formula()) {
            (Some(Named::Control), _) => {
                fluents.insert((self.rules.symbols.get("control")?, 1));
            }
            (Some(Named::Functional(fluent) | Named::Persistence { fluent, .. }), _) => {
                fluents.insert(self.written(fluent)?);
            }
            (None, Some(formula)) => self.collect(&formula.root, true, &mut fluents)?,
            _ => return None,
        }
        Some(fluents)
    }

    fn written(&self, term: &Written) -> Option<Functor> {
        let name = self.rules.symbols.get(&term.name).filter(|_| !term.is_variable)?;
        Some((name, term.arguments.len()))
    }

    /// The fluents of a formula; nothing if it speaks of anything else, or looks ahead where less is demanded the more
    /// moves there are.
    fn collect(&self, node: &Node, demands: bool, out: &mut HashSet<Functor>) -> Option<()> {
        let plain = |node: &Node| !has_next(node);
        match &node.kind {
            NodeKind::Atom(term) if term.name == "true" && term.arguments.len() == 1 => {
                out.insert(self.written(&term.arguments[0])?);
                Some(())
            }
            NodeKind::Atom(_) => None,
            NodeKind::Equal(..) => Some(()),
            NodeKind::Not(inner) => self.collect(inner, !demands, out),
            NodeKind::And(list) | NodeKind::Or(list) => {
                list.iter().try_for_each(|node| self.collect(node, demands, out))
            }
            NodeKind::Implies(left, right) => {
                self.collect(left, !demands, out)?;
                self.collect(right, demands, out)
            }
            NodeKind::Iff(left, right) if plain(left) && plain(right) => {
                self.collect(left, demands, out)?;
                self.collect(right, demands, out)
            }
            NodeKind::Next(inner) if demands => self.collect(inner, demands, out),
            NodeKind::Quantifier { kind: Quantifier::Forall, body, .. } => self.collect(body, demands, out),
            NodeKind::Quantifier { body, .. } if plain(body) => self.collect(body, demands, out),
            NodeKind::Iff(..) | NodeKind::Next(_) | NodeKind::Quantifier { .. } => None,
        }
    }

    /// The rules of the part with these fluents and those that they depend on.
    fn rules_of(&self, mut wanted: HashSet<Functor>, legal: Vec<Rule>) -> Vec<Rule> {
        loop {
            let before = wanted.len();
            for (fluent, rule) in self.rules_for(Keyword::Next) {
                if wanted.contains(&fluent) {
                    let read = rule.body.iter().filter_map(atom).filter_map(|atom| self.fluents_read(atom));
                    wanted.extend(read.flatten().collect::<Vec<_>>());
                }
            }
            if wanted.len() == before {
                break;
            }
        }
        let changing = [Keyword::Init, Keyword::Next].into_iter().flat_map(|keyword| self.rules_for(keyword));
        let changing = changing.filter(|(fluent, _)| wanted.contains(fluent)).map(|(_, rule)| rule.clone());
        let mut kept: Vec<Rule> = changing.chain(legal).collect();
        let holds = self.rules.keyword(Keyword::True);
        let read: Vec<RelationId> = kept
            .iter()
            .flat_map(|rule| rule.body.iter().filter_map(atom))
            .map(|atom| atom.relation)
            .collect();
        let read =
            read.into_iter().chain([self.rules.keyword(Keyword::Role)]).filter(|relation| *relation != holds);
        let needed = self.dependencies.closure(read);
        kept.extend(self.rules.rules().iter().filter(|rule| needed[rule.head.relation.index()]).cloned());
        kept
    }
}

fn functor(term: &Term) -> Option<Functor> {
    match term {
        Term::Variable(_) => None,
        Term::Constant(name) => Some((*name, 0)),
        Term::Compound(name, arguments) => Some((*name, arguments.len())),
    }
}

fn atom(literal: &Literal) -> Option<&Atom> {
    literal.positive().or(literal.negative())
}

fn has_next(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Next(_) => true,
        NodeKind::Atom(_) | NodeKind::Equal(..) => false,
        NodeKind::Not(inner) => has_next(inner),
        NodeKind::And(list) | NodeKind::Or(list) => list.iter().any(has_next),
        NodeKind::Implies(left, right) | NodeKind::Iff(left, right) => has_next(left) || has_next(right),
        NodeKind::Quantifier { body, .. } => has_next(body),
    }
}
