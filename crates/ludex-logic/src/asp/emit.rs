//! Answer-set programs for base case and induction step.

use crate::formula::{Arg, Atom as FormulaAtom, Expression, Property, Question};
use crate::prove::Lemma;
use crate::transition::System;
use hashbrown::HashSet;
use ludex_engine::row;
use ludex_engine::terms::{TermId, Terms};
use ludex_engine::vocabulary::MoveId;
use ludex_gdl::analysis::dependencies::{Dependencies, Phase, phases};
use ludex_gdl::rules::{Atom, Literal, RelationId, Rule, Term};
use ludex_gdl::syntax::print::asp_name;
use ludex_gdl::{Keyword, Rules};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The programs of one property.
#[derive(Debug)]
pub struct Programs<'a> {
    system: &'a System,
    property: &'a Property,
    lemmas: &'a [Lemma],
    phases: Vec<Phase>,
    /// The relations whose rules matter.
    needed: Vec<bool>,
    words: Words,
}

/// The names of the program's own predicates, chosen so that no relation of the game has them.
#[derive(Debug)]
struct Words {
    time: String,
    step: String,
    ended: String,
    terminated: String,
    movable: String,
    moves: String,
    fluent: String,
    group: String,
    domain: String,
    part: String,
}

impl Words {
    fn new(rules: &Rules) -> Words {
        let taken: HashSet<String> =
            rules.relations().map(|id| asp_name(rules.symbols.name(rules.relation(id).name))).collect();
        let free = |name: &str| {
            let mut name = name.to_owned();
            // Parts and domains are numbered: no relation may begin like them.
            while taken.iter().any(|other| other.starts_with(&name)) {
                name.push('_');
            }
            name
        };
        Words {
            time: free("tdom"),
            step: free("mtime"),
            ended: free("ended"),
            terminated: free("terminated"),
            movable: free("movable"),
            moves: free("mdom"),
            fluent: free("fdom"),
            group: free("group"),
            domain: free("dom"),
            part: free("eta"),
        }
    }
}

impl<'a> Programs<'a> {
    /// Prepares the programs of a property; the lemmas are assumed of the first state of the induction step.
    pub fn new(system: &'a System, property: &'a Property, lemmas: &'a [Lemma]) -> Programs<'a> {
        let rules = &system.original().rules;
        let dependencies = Dependencies::of(rules);
        let mut wanted: Vec<RelationId> = [Keyword::Role, Keyword::Legal, Keyword::Next, Keyword::Terminal]
            .map(|k| rules.keyword(k))
            .to_vec();
        asked(&property.root, &mut wanted);
        let needed = dependencies.closure(wanted);
        let phases = phases(rules, &dependencies);
        Programs { system, property, lemmas, phases, needed, words: Words::new(rules) }
    }

    /// The program that has an answer set if the property fails `depth` moves from the initial state.
    pub fn base(&self, depth: usize) -> String {
        let mut out =
            format!("% Base case of {}, {depth} moves from the initial state.\n", self.property.text);
        let vocabulary = self.system.vocabulary();
        self.rules(depth + self.property.degree, &mut out);
        out.push_str("% The initial state.\n");
        for fluent in row::fluents(self.system.initial()) {
            let _ = writeln!(out, "true({},0).", self.term(vocabulary.terms(), vocabulary.fluent(fluent)));
        }
        for time in 0..depth {
            let _ = writeln!(out, ":- {}({time}).", self.words.ended);
        }
        let root = self.formula(depth, &mut out);
        let _ = writeln!(out, "% The property fails.\n:- {root}.");
        self.show(&mut out);
        out
    }

    /// The program that has an answer set if a state with the property has a successor without it.
    pub fn step(&self) -> String {
        let mut out = format!("% Induction step of {}.\n", self.property.text);
        self.rules(1 + self.property.degree, &mut out);
        self.any_state(&mut out);
        self.groups(&mut out);
        for time in 0..=1 {
            self.assume(time, &mut out);
        }
        let _ = writeln!(out, ":- {}(0).", self.words.ended);
        let now = self.formula(0, &mut out);
        let then = self.formula(1, &mut out);
        let _ = writeln!(out, "% It holds now and fails after a move.\n:- not {now}.\n:- {then}.");
        self.show(&mut out);
        out
    }

    /// The program that has an answer set if a move breaks one of the lemmas; `None` if there are none.
    pub fn lemma_step(&self) -> Option<String> {
        if self.lemmas.is_empty() {
            return None;
        }
        let mut out = "% Every move keeps the lemmas.\n".to_owned();
        self.rules(1, &mut out);
        self.any_state(&mut out);
        self.groups(&mut out);
        self.assume(0, &mut out);
        let _ = writeln!(out, ":- {}(0).", self.words.ended);
        let kept: Vec<String> = (0..self.lemmas.len()).map(|number| self.lemma(number, 1)).collect();
        let _ = writeln!(out, ":- {}.", kept.join("; "));
        self.show(&mut out);
        Some(out)
    }

    /// The joint moves that an answer set shows, from the first.
    pub fn joints(&self, model: &[String]) -> Vec<Vec<MoveId>> {
        let vocabulary = self.system.vocabulary();
        let shown: HashSet<&str> = model.iter().map(String::as_str).collect();
        let mut texts: Vec<Vec<(MoveId, String)>> = Vec::new();
        for role in vocabulary.roles() {
            let name = self.term(vocabulary.terms(), vocabulary.role(role));
            let text = |m: MoveId| {
                let term = self.term(vocabulary.terms(), vocabulary.action(role, m));
                (m, format!("does({name},{term},"))
            };
            texts.push(self.system.moves(role).map(text).collect());
        }
        let mut joints = Vec::new();
        loop {
            let time = joints.len();
            let joint: Option<Vec<MoveId>> = texts
                .iter()
                .map(|list| {
                    let made =
                        |(_, text): &&(MoveId, String)| shown.contains(format!("{text}{time})").as_str());
                    list.iter().find(made).map(|(action, _)| *action)
                })
                .collect();
            match joint {
                Some(joint) => joints.push(joint),
                None => return joints,
            }
        }
    }

    /// The temporal extension of the rules over so many moves, and legal play.
    fn rules(&self, moves: usize, out: &mut String) {
        let Words { time, step, ended, terminated, movable, moves: mdom, .. } = &self.words;
        let vocabulary = self.system.vocabulary();
        let rules = &self.system.original().rules;
        let _ = writeln!(out, "{time}(0..{moves}).");
        if moves > 0 {
            let _ = writeln!(out, "{step}(0..{}).", moves - 1);
        } else {
            let _ = writeln!(out, "#defined {step}/1.");
        }
        out.push_str("#defined true/2.\n#defined does/3.\n#defined legal/3.\n#defined terminal/1.\n");
        out.push_str("% The rules, with time.\n");
        for rule in rules.rules().iter().filter(|rule| self.needed[rule.head.relation.index()]) {
            self.rule(rule, out);
        }
        for relation in rules.relations() {
            let info = rules.relation(relation);
            if self.needed[relation.index()] && info.keyword.is_none() && rules.rules_for(relation).is_empty()
            {
                let arity = info.arity + usize::from(self.is_timed(relation));
                let _ = writeln!(out, "#defined {}/{arity}.", asp_name(rules.symbols.name(info.name)));
            }
        }
        out.push_str("% Each role makes a legal move until nothing can follow.\n");
        for role in vocabulary.roles() {
            let name = self.term(vocabulary.terms(), vocabulary.role(role));
            for action in self.system.moves(role) {
                let term = self.term(vocabulary.terms(), vocabulary.action(role, action));
                let _ = writeln!(out, "{mdom}({name},{term}).");
            }
        }
        let _ = writeln!(out, "#defined {mdom}/2.");
        let _ = writeln!(out, "{movable}(R,T) :- legal(R,M,T), {mdom}(R,M).");
        let _ = writeln!(out, "{ended}(T) :- terminal(T).");
        let _ = writeln!(out, "{ended}(T) :- role(R), {time}(T), not {movable}(R,T).");
        let _ = writeln!(out, "{terminated}(T) :- {ended}(T).");
        let _ = writeln!(out, "{terminated}(T+1) :- {terminated}(T), {time}(T+1).");
        let _ = writeln!(
            out,
            "1 {{ does(R,M,T) : {mdom}(R,M) }} 1 :- role(R), {step}(T), not {terminated}(T).\n\
             :- does(R,M,T), not legal(R,M,T)."
        );
    }

    fn rule(&self, rule: &Rule, out: &mut String) {
        let rules = &self.system.original().rules;
        let next = rules.keyword(Keyword::Next);
        let mut body: Vec<String> = Vec::new();
        // What is static may read what carries a time all the same, and is then true at every time.
        let reads = |literal: &Literal| {
            [literal.positive(), literal.negative()].into_iter().flatten().any(|a| self.is_timed(a.relation))
        };
        let timed = self.is_timed(rule.head.relation) || rule.body.iter().any(reads);
        let domain = if rule.head.relation == next { &self.words.step } else { &self.words.time };
        if timed {
            body.push(format!("{domain}(T)"));
        }
        for literal in &rule.body {
            body.push(match literal {
                Literal::Positive(atom) => self.timed(atom),
                Literal::Negative(atom) => format!("not {}", self.timed(atom)),
                Literal::Distinct(a, b) => format!("{} != {}", self.rule_term(a), self.rule_term(b)),
            });
        }
        let head = self.timed(&rule.head);
        let separator = if body.is_empty() { "" } else { " :- " };
        let _ = writeln!(out, "{head}{separator}{}.", body.join(", "));
    }

    /// True if atoms of the relation carry a time: where they depend on it, and where legal play asks for it.
    fn is_timed(&self, relation: RelationId) -> bool {
        let rules = &self.system.original().rules;
        let asked = [Keyword::Legal, Keyword::Next, Keyword::Terminal].map(|keyword| rules.keyword(keyword));
        self.phases[relation.index()] != Phase::Static || asked.contains(&relation)
    }

    /// An atom of a rule with its time.
    fn timed(&self, atom: &Atom) -> String {
        let rules = &self.system.original().rules;
        if atom.relation == rules.keyword(Keyword::Next) {
            return format!("true({},T+1)", self.rule_term(&atom.arguments[0]));
        }
        let info = rules.relation(atom.relation);
        let name =
            info.keyword.map_or_else(|| asp_name(rules.symbols.name(info.name)), |k| k.name().to_owned());
        let mut arguments: Vec<String> = atom.arguments.iter().map(|a| self.rule_term(a)).collect();
        if self.is_timed(atom.relation) {
            arguments.push("T".to_owned());
        }
        applied(&name, &arguments)
    }

    /// Variables are numbered: names of sheets need not be names of clingo.
    fn rule_term(&self, term: &Term) -> String {
        let symbols = &self.system.original().rules.symbols;
        match term {
            Term::Variable(v) => format!("V{}", v.0),
            Term::Constant(name) => asp_name(symbols.name(*name)),
            Term::Compound(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|a| self.rule_term(a)).collect();
                applied(&asp_name(symbols.name(*name)), &arguments)
            }
        }
    }

    fn term(&self, terms: &Terms, term: TermId) -> String {
        let name = asp_name(self.system.symbols().name(terms.functor(term)));
        let arguments: Vec<String> = terms.arguments(term).iter().map(|&a| self.term(terms, a)).collect();
        applied(&name, &arguments)
    }

    /// Frame 0 is any state.
    fn any_state(&self, out: &mut String) {
        let vocabulary = self.system.vocabulary();
        out.push_str("% Any state.\n");
        for fluent in vocabulary.fluents() {
            let term = self.term(vocabulary.terms(), vocabulary.fluent(fluent));
            let _ = writeln!(out, "{}({term}).", self.words.fluent);
        }
        let _ = writeln!(out, "#defined {0}/1.\n{{ true(F,0) : {0}(F) }}.", self.words.fluent);
    }

    /// The fluents of each lemma.
    fn groups(&self, out: &mut String) {
        let vocabulary = self.system.vocabulary();
        for (number, lemma) in self.lemmas.iter().enumerate() {
            if let Lemma::AtMostOne(fluents) | Lemma::ExactlyOne(fluents) = lemma {
                for &fluent in fluents {
                    let term = self.term(vocabulary.terms(), vocabulary.fluent(fluent));
                    let _ = writeln!(out, "{}({number},{term}).", self.words.group);
                }
            }
        }
    }

    /// The lemma as a condition on a frame.
    fn lemma(&self, number: usize, time: usize) -> String {
        let vocabulary = self.system.vocabulary();
        let group = &self.words.group;
        match &self.lemmas[number] {
            Lemma::ExactlyOne(_) => format!("1 {{ true(F,{time}) : {group}({number},F) }} 1"),
            Lemma::AtMostOne(_) => format!("{{ true(F,{time}) : {group}({number},F) }} 1"),
            Lemma::Clause(literals) => {
                let parts: Vec<String> = literals
                    .iter()
                    .map(|&(fluent, value)| {
                        let term = self.term(vocabulary.terms(), vocabulary.fluent(fluent));
                        let sign = if value { "" } else { "not " };
                        format!("{term} : {sign}true({term},{time})")
                    })
                    .collect();
                format!("1 <= #count {{ {} }}", parts.join("; "))
            }
        }
    }

    fn assume(&self, time: usize, out: &mut String) {
        for number in 0..self.lemmas.len() {
            let _ = writeln!(out, ":- not {}.", self.lemma(number, time));
        }
    }

    fn show(&self, out: &mut String) {
        out.push_str("#show does/3.\n");
    }

    /// Encodes the property at a time; returns the atom that stands for it.
    fn formula(&self, time: usize, out: &mut String) -> String {
        let _ = writeln!(out, "% The property at time {time}.");
        let mut domains = BTreeMap::new();
        collect_domains(&self.property.root, &mut domains);
        for (variable, values) in &domains {
            for &value in *values {
                let term = self.term(&self.property.terms, value);
                let _ = writeln!(out, "{}{variable}({term}).", self.words.domain);
            }
        }
        let mut encoder = Encoder { programs: self, out, count: 0, start: time };
        encoder.encode(&self.property.root, time).0
    }
}

/// Writes the rules of a formula's parts: one predicate for each part and time, with the part's free variables.
struct Encoder<'p, 'a, 'o> {
    programs: &'p Programs<'a>,
    out: &'o mut String,
    count: usize,
    start: usize,
}

impl Encoder<'_, '_, '_> {
    /// Writes a part; returns its atom and its free variables, ascending.
    fn encode(&mut self, expression: &Expression, time: usize) -> (String, Vec<usize>) {
        self.count += 1;
        let name = format!("{}{}_{}", self.programs.words.part, self.start, self.count);
        let mut free = Vec::new();
        free_variables(expression, &mut free);
        free.sort_unstable();
        free.dedup();
        let head = applied(&name, &free.iter().map(|v| format!("X{v}")).collect::<Vec<_>>());
        let guards: Vec<String> = free.iter().map(|&v| self.domain(v)).collect();
        match expression {
            Expression::Atom(atom) => {
                let condition = self.atom(atom, time);
                self.rule(&head, &guards, &[condition]);
            }
            Expression::Equal(a, b) => {
                let condition = format!("{} = {}", self.argument(a), self.argument(b));
                self.rule(&head, &guards, &[condition]);
            }
            Expression::Not(inner) => {
                let (inner, _) = self.encode(inner, time);
                self.rule(&head, &guards, &[format!("not {inner}")]);
            }
            Expression::And(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.encode(part, time).0).collect();
                self.rule(&head, &guards, &parts);
            }
            Expression::Or(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.encode(part, time).0).collect();
                let _ = writeln!(self.out, "#defined {name}/{}.", free.len());
                for part in parts {
                    self.rule(&head, &guards, &[part]);
                }
            }
            Expression::Iff(a, b) => {
                let (a, b) = (self.encode(a, time).0, self.encode(b, time).0);
                self.rule(&head, &guards, &[format!("not {a}"), format!("not {b}")]);
                self.rule(&head, &guards, &[a, b]);
            }
            Expression::Next(inner) => {
                let (inner, _) = self.encode(inner, time + 1);
                self.rule(&head, &guards, &[format!("{}({time})", self.programs.words.ended)]);
                self.rule(&head, &guards, &[inner]);
            }
            Expression::All { variables, body } => {
                let (body, _) = self.encode(body, time);
                let values: Vec<String> = variables.iter().map(|(v, _)| self.domain(*v)).collect();
                self.rule(&head, &guards, &[format!("{body} : {}", values.join(", "))]);
            }
            Expression::Count { variables, least, most, body } => {
                let (body, _) = self.encode(body, time);
                let values: Vec<String> = variables.iter().map(|(v, _)| self.domain(*v)).collect();
                let names: Vec<String> = variables.iter().map(|(v, _)| format!("X{v}")).collect();
                let upper = most.map_or(String::new(), |most| format!(" <= {most}"));
                let count = format!(
                    "{least} <= #count {{ {} : {body}, {} }}{upper}",
                    names.join(","),
                    values.join(", ")
                );
                self.rule(&head, &guards, &[count]);
            }
        }
        (head, free)
    }

    /// Conditions are separated by semicolons: a comma would go on with a condition that has values behind a
    /// colon.
    fn rule(&mut self, head: &str, guards: &[String], conditions: &[String]) {
        let body = [guards, conditions].concat().join("; ");
        let separator = if body.is_empty() { "" } else { " :- " };
        let _ = writeln!(self.out, "{head}{separator}{body}.");
    }

    fn domain(&self, variable: usize) -> String {
        format!("{}{variable}(X{variable})", self.programs.words.domain)
    }

    fn atom(&self, atom: &FormulaAtom, time: usize) -> String {
        let programs = self.programs;
        let rules = &programs.system.original().rules;
        let mut arguments: Vec<String> = atom.arguments.iter().map(|a| self.argument(a)).collect();
        let (name, timed) = match atom.question {
            Question::True => ("true".to_owned(), true),
            Question::Legal => ("legal".to_owned(), true),
            Question::Terminal => ("terminal".to_owned(), true),
            Question::Role => ("role".to_owned(), false),
            Question::Relation(relation) => {
                let info = rules.relation(relation);
                let name = info
                    .keyword
                    .map_or_else(|| asp_name(rules.symbols.name(info.name)), |k| k.name().to_owned());
                (name, programs.is_timed(relation))
            }
        };
        if timed {
            arguments.push(time.to_string());
        }
        applied(&name, &arguments)
    }

    fn argument(&self, argument: &Arg) -> String {
        let programs = self.programs;
        match argument {
            Arg::Variable(number) => format!("X{number}"),
            Arg::Ground(term) => programs.term(&programs.property.terms, *term),
            Arg::Compound(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|a| self.argument(a)).collect();
                applied(&asp_name(programs.system.symbols().name(*name)), &arguments)
            }
        }
    }
}

fn applied(name: &str, arguments: &[String]) -> String {
    if arguments.is_empty() { name.to_owned() } else { format!("{name}({})", arguments.join(",")) }
}

fn free_variables(expression: &Expression, out: &mut Vec<usize>) {
    fn of_argument(argument: &Arg, out: &mut Vec<usize>) {
        match argument {
            Arg::Variable(number) => out.push(*number),
            Arg::Ground(_) => {}
            Arg::Compound(_, arguments) => arguments.iter().for_each(|a| of_argument(a, out)),
        }
    }
    match expression {
        Expression::Atom(atom) => atom.arguments.iter().for_each(|a| of_argument(a, out)),
        Expression::Equal(a, b) => [a, b].into_iter().for_each(|a| of_argument(a, out)),
        Expression::Not(inner) | Expression::Next(inner) => free_variables(inner, out),
        Expression::And(parts) | Expression::Or(parts) => parts.iter().for_each(|p| free_variables(p, out)),
        Expression::Iff(a, b) => [a, b].into_iter().for_each(|part| free_variables(part, out)),
        Expression::All { variables, body } | Expression::Count { variables, body, .. } => {
            free_variables(body, out);
            out.retain(|number| variables.iter().all(|(bound, _)| bound != number));
        }
    }
}

/// The values of all quantified variables; each variable has one quantifier.
fn collect_domains<'e>(expression: &'e Expression, out: &mut BTreeMap<usize, &'e [TermId]>) {
    match expression {
        Expression::Atom(_) | Expression::Equal(..) => {}
        Expression::Not(inner) | Expression::Next(inner) => collect_domains(inner, out),
        Expression::And(parts) | Expression::Or(parts) => parts.iter().for_each(|p| collect_domains(p, out)),
        Expression::Iff(a, b) => [a, b].into_iter().for_each(|part| collect_domains(part, out)),
        Expression::All { variables, body } | Expression::Count { variables, body, .. } => {
            for (variable, values) in variables {
                out.insert(*variable, values);
            }
            collect_domains(body, out);
        }
    }
}

/// The relations that a formula asks.
fn asked(expression: &Expression, out: &mut Vec<RelationId>) {
    match expression {
        Expression::Atom(atom) => {
            if let Question::Relation(relation) = atom.question {
                out.push(relation);
            }
        }
        Expression::Equal(..) => {}
        Expression::Not(inner) | Expression::Next(inner) => asked(inner, out),
        Expression::And(parts) | Expression::Or(parts) => parts.iter().for_each(|part| asked(part, out)),
        Expression::Iff(a, b) => [a, b].into_iter().for_each(|part| asked(part, out)),
        Expression::All { body, .. } | Expression::Count { body, .. } => asked(body, out),
    }
}
