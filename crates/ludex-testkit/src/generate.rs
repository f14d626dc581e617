//! Small random games from a seed: valid, stratified, finite, and full of what real sheets do.
//!
//! Relations stand in layers, as in the table below; a rule reads its own layer only positively and negates
//! lower layers only, so every game is stratified. Arguments have types, and no type contains itself, so
//! every game is finite. Each variable that no positive condition binds gets one that does, so every rule
//! is safe. A counter ends every game after a few steps.
//!
//! | layer | relations |
//! |---|---|
//! | 0 | facts: `role`, `dom`, `pair`, `mark` |
//! | 1, 2 | derived from facts, with recursion; `init` reads up to here |
//! | 3 | `true` |
//! | 4, 5 | derived from the state, with recursion |
//! | 6, 7, 8 | `legal`; `terminal`; `goal` |
//! | 9 | `does` |
//! | 10, 11 | derived from the moves, with recursion; `next` |
//!
//! The games make no sense and need none: they serve to compare two ways of computing the same thing.

use ludex_engine::random::Random;

/// What may stand in an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    /// A constant of the domain.
    Domain,
    /// Two of them in a term.
    Pair,
    Role,
    Fluent,
    Move,
}

#[derive(Clone, Debug)]
struct Relation {
    name: String,
    types: Vec<Type>,
    layer: usize,
}

/// A function that makes fluents or moves; a constant if it has no arguments.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    types: Vec<Type>,
}

const TRUE: usize = 3;
const LEGAL: usize = 6;
const TERMINAL: usize = 7;
const GOAL: usize = 8;
const DOES: usize = 9;
const NEXT: usize = 11;

/// Names as sheets have them: numbers, two spellings of one word, signs, and keywords as mere constants.
const CONSTANTS: [&str; 14] =
    ["a", "b", "c", "1", "2", "10", "Red", "red", "x-y", "+", "_", "true", "not", "c.1"];

struct Generator {
    random: Random,
    roles: Vec<String>,
    constants: Vec<String>,
    fluents: Vec<Function>,
    moves: Vec<Function>,
    relations: Vec<Relation>,
    clauses: Vec<String>,
}

/// The rules of a random game, in KIF. The same seed gives the same game.
pub fn game(seed: u64) -> String {
    let mut generator = Generator {
        random: Random::new(seed),
        roles: Vec::new(),
        constants: Vec::new(),
        fluents: Vec::new(),
        moves: Vec::new(),
        relations: Vec::new(),
        clauses: Vec::new(),
    };
    generator.names();
    generator.facts();
    generator.derived();
    generator.play();
    generator.shuffle();
    let mut text = format!("; generated from seed {seed}\n");
    for clause in &generator.clauses {
        text.push_str(clause);
        text.push('\n');
    }
    text
}

impl Generator {
    fn one_in(&mut self, n: usize) -> bool {
        self.random.below(n) == 0
    }

    fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.random.below(high - low + 1)
    }

    fn pick<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.random.below(list.len())].clone()
    }

    fn shuffle(&mut self) {
        for last in (1..self.clauses.len()).rev() {
            let other = self.random.below(last + 1);
            self.clauses.swap(last, other);
        }
    }

    fn relation(&mut self, name: &str, types: &[Type], layer: usize) {
        self.relations.push(Relation { name: name.to_owned(), types: types.to_vec(), layer });
    }

    // ---- vocabulary ----

    fn names(&mut self) {
        self.roles = (0..self.between(1, 3)).map(|i| ["white", "Black", "r3"][i].to_owned()).collect();
        let count = self.between(2, 4);
        while self.constants.len() < count {
            let name = self.pick(&CONSTANTS).to_owned();
            if !self.constants.contains(&name) {
                self.constants.push(name);
            }
        }
        for i in 0..self.between(2, 4) {
            let types = self.argument_types(2);
            self.fluents.push(Function { name: format!("f{i}"), types });
        }
        for i in 0..self.between(1, 3) {
            let types = self.argument_types(2);
            self.moves.push(Function { name: format!("m{i}"), types });
        }
    }

    fn argument_types(&mut self, most: usize) -> Vec<Type> {
        let count = self.between(0, most);
        (0..count).map(|_| if self.one_in(4) { Type::Pair } else { Type::Domain }).collect()
    }

    fn facts(&mut self) {
        self.relation("role", &[Type::Role], 0);
        self.relation("dom", &[Type::Domain], 0);
        // The function `pair` has the same name: a reader must keep the two apart.
        self.relation("pair", &[Type::Domain, Type::Domain], 0);
        self.relation("mark", &[Type::Domain], 0);
        for role in self.roles.clone() {
            self.clauses.push(format!("(role {role})"));
        }
        for constant in self.constants.clone() {
            self.clauses.push(format!("(dom {constant})"));
            if self.one_in(2) {
                self.clauses.push(format!("(mark {constant})"));
            }
        }
        for _ in 0..self.between(1, 5) {
            let (from, to) = (self.pick(&self.constants.clone()), self.pick(&self.constants.clone()));
            self.clauses.push(format!("(pair {from} {to})"));
        }
        self.relation("pairs", &[Type::Pair], 0);
        self.clauses.push("(<= (pairs (pair ?x ?y)) (pair ?x ?y))".to_owned());
    }

    fn derived(&mut self) {
        self.relation("true", &[Type::Fluent], TRUE);
        self.relation("legal", &[Type::Role, Type::Move], LEGAL);
        self.relation("terminal", &[], TERMINAL);
        self.relation("does", &[Type::Role, Type::Move], DOES);
        for layer in [1, 2, 4, 5, 10] {
            let first = self.relations.len();
            for i in 0..self.between(1, 2) {
                let mut types = self.argument_types(2);
                if layer > TRUE && self.one_in(5) {
                    types.push(Type::Fluent);
                }
                let name = format!("h{layer}{}", ["a", "b"][i]);
                self.relation(&name, &types, layer);
            }
            for index in first..self.relations.len() {
                let relation = self.relations[index].clone();
                for _ in 0..self.between(1, 3) {
                    self.rule(&relation.name, &relation.types, layer);
                }
            }
        }
    }

    fn play(&mut self) {
        for fluent in self.fluents.clone() {
            if self.one_in(2) {
                self.rule("init", &[Type::Fluent], 2);
            }
            let ground = self.ground(&fluent);
            self.clauses.push(format!("(init {ground})"));
        }
        self.clauses.push("(<= (legal ?r noop) (role ?r))".to_owned());
        for _ in 0..self.between(1, 4) {
            self.rule("legal", &[Type::Role, Type::Move], LEGAL);
        }
        let last = self.between(2, 6);
        self.clauses.push("(init (step 0))".to_owned());
        for step in 0..last {
            self.clauses.push(format!("(succ {step} {})", step + 1));
        }
        self.clauses.push("(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))".to_owned());
        self.clauses.push(format!("(<= terminal (true (step {last})))"));
        if self.one_in(3) {
            self.rule("terminal", &[], TERMINAL);
        }
        for role in self.roles.clone() {
            for _ in 0..self.between(1, 3) {
                let value = self.pick(&[0, 25, 50, 75, 100]);
                let (body, _) = self.body(GOAL, &[]);
                self.clauses.push(format!("(<= (goal {role} {value}) {body})"));
            }
        }
        for _ in 0..self.between(2, 6) {
            self.rule("next", &[Type::Fluent], NEXT);
        }
        if self.one_in(2) {
            // A frame rule for whatever holds, the counter apart.
            let keep = "(true ?f) (not (touched ?f))";
            self.clauses.push(format!("(<= (next ?f) {keep})"));
            self.clauses.push("(<= (touched (step ?n)) (true (step ?n)))".to_owned());
            self.rule("touched", &[Type::Fluent], 10);
        }
    }

    // ---- rules ----

    /// Adds a rule for a relation of `layer`.
    fn rule(&mut self, name: &str, types: &[Type], layer: usize) {
        let head: Vec<String> = types.iter().map(|&t| self.term(t, false)).collect();
        let needed = variables(&head.join(" "));
        let (body, bound) = self.body(layer, &needed);
        debug_assert!(needed.iter().all(|v| bound.contains(v)));
        let head = if head.is_empty() { name.to_owned() } else { format!("({name} {})", head.join(" ")) };
        self.clauses.push(format!("(<= {head} {body})"));
    }

    /// A body that binds at least `needed`, and the variables it binds.
    fn body(&mut self, layer: usize, needed: &[String]) -> (String, Vec<String>) {
        let mut conditions = Vec::new();
        let mut bound: Vec<String> = Vec::new();
        let mut free: Vec<String> = needed.to_vec();
        for _ in 0..self.between(1, 3) {
            match self.random.below(8) {
                0..4 => {
                    let atom = self.atom(layer, true);
                    bound.extend(variables(&atom));
                    conditions.push(atom);
                }
                4 | 5 => conditions.push(format!("(not {})", self.atom(layer, false))),
                6 => conditions.push(self.distinct()),
                _ => conditions.push(self.connective(layer, true, 2)),
            }
        }
        if self.one_in(6) {
            conditions.push(format!("(not {})", self.connective(layer, false, 2)));
        }
        free.extend(conditions.iter().flat_map(|condition| variables(condition)));
        for variable in free {
            if !bound.contains(&variable) {
                let binder = self.binder(&variable, layer);
                bound.extend(variables(&binder));
                // Anywhere: the order of conditions has no meaning.
                let at = self.random.below(conditions.len() + 1);
                conditions.insert(at, binder);
            }
        }
        (conditions.join(" "), bound)
    }

    /// An atom that a rule of `layer` may read; if not `own`, one that it may also negate.
    fn atom(&mut self, layer: usize, own: bool) -> String {
        let recursive = own && matches!(layer, 1 | 2 | 4 | 5 | 10);
        let readable: Vec<Relation> = self
            .relations
            .iter()
            .filter(|r| r.layer < layer || (recursive && r.layer == layer))
            .cloned()
            .collect();
        // Half the time one of the newest, so that layers really build on each other.
        let newest = readable.len() - readable.len().min(4);
        let relation = if self.one_in(2) { self.pick(&readable[newest..]) } else { self.pick(&readable) };
        if relation.types.is_empty() {
            return relation.name;
        }
        let arguments: Vec<String> = relation.types.iter().map(|&t| self.term(t, true)).collect();
        format!("({} {})", relation.name, arguments.join(" "))
    }

    fn distinct(&mut self) -> String {
        let left = if self.one_in(4) { Type::Pair } else { Type::Domain };
        let right = if self.one_in(6) { Type::Pair } else { left };
        let text = format!("(distinct {} {})", self.term(left, true), self.term(right, true));
        if self.one_in(5) { format!("(not {text})") } else { text }
    }

    /// `or`, or `and`, of a few conditions, nested up to `depth`.
    fn connective(&mut self, layer: usize, own: bool, depth: usize) -> String {
        let parts: Vec<String> = (0..self.between(1, 3))
            .map(|_| match self.random.below(8) {
                0..4 => self.atom(layer, own),
                4 | 5 => format!("(not {})", self.atom(layer, false)),
                6 => self.distinct(),
                _ if depth > 0 => self.connective(layer, own, depth - 1),
                _ => self.atom(layer, own),
            })
            .collect();
        format!("({} {})", if self.one_in(3) { "and" } else { "or" }, parts.join(" "))
    }

    /// A condition that binds a variable, by the first letter of its name.
    fn binder(&mut self, variable: &str, layer: usize) -> String {
        match &variable[1..2] {
            "d" => format!("(dom {variable})"),
            "p" => format!("(pairs {variable})"),
            "r" => format!("(role {variable})"),
            "f" => format!("(true {variable})"),
            _ if layer > DOES => format!("(does ?r1 {variable})"),
            _ => format!("(legal ?r1 {variable})"),
        }
    }

    // ---- terms ----

    /// A term of the type; whole fluents and moves may be variables in bodies only, where something
    /// binds them.
    fn term(&mut self, of: Type, in_body: bool) -> String {
        match of {
            Type::Domain if self.one_in(4) => self.pick(&self.constants.clone()),
            Type::Domain => self.pick(&["?d1", "?d2", "?d3"]).to_owned(),
            Type::Pair if self.one_in(2) => self.pick(&["?p1", "?p2"]).to_owned(),
            Type::Pair => {
                let (left, right) = (self.term(Type::Domain, in_body), self.term(Type::Domain, in_body));
                format!("(pair {left} {right})")
            }
            Type::Role if self.one_in(2) => self.pick(&self.roles.clone()),
            Type::Role => self.pick(&["?r1", "?r2"]).to_owned(),
            Type::Fluent if in_body && self.one_in(6) => "?f1".to_owned(),
            Type::Move if in_body && self.one_in(6) => "?m1".to_owned(),
            Type::Fluent => {
                let function = self.pick(&self.fluents.clone());
                self.application(&function, in_body)
            }
            Type::Move if in_body && self.one_in(8) => "noop".to_owned(),
            Type::Move => {
                let function = self.pick(&self.moves.clone());
                self.application(&function, in_body)
            }
        }
    }

    fn application(&mut self, function: &Function, in_body: bool) -> String {
        let arguments: Vec<String> = function.types.iter().map(|&t| self.term(t, in_body)).collect();
        written(&function.name, &arguments)
    }

    fn ground(&mut self, function: &Function) -> String {
        let arguments: Vec<String> = function
            .types
            .iter()
            .map(|of| {
                let constants = self.constants.clone();
                match of {
                    Type::Pair => format!("(pair {} {})", self.pick(&constants), self.pick(&constants)),
                    _ => self.pick(&constants),
                }
            })
            .collect();
        written(&function.name, &arguments)
    }
}

fn written(name: &str, arguments: &[String]) -> String {
    if arguments.is_empty() { name.to_owned() } else { format!("({name} {})", arguments.join(" ")) }
}

/// The variables in a piece of KIF, each once.
fn variables(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split([' ', '(', ')']).filter(|word| word.starts_with('?')) {
        if found.iter().all(|v| v != word) {
            found.push(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use ludex_gdl::Sheet;

    #[test]
    fn every_game_is_sound() {
        for seed in 0..2000 {
            let text = super::game(seed);
            let sheet = Sheet::read(&text);
            let errors: Vec<_> = sheet.errors().collect();
            assert!(errors.is_empty(), "seed {seed}: {errors:?}\n{text}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_game() {
        assert_eq!(super::game(7), super::game(7));
        assert_ne!(super::game(7), super::game(8));
    }
}
