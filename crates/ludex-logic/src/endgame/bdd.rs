//! Binary decision diagrams (BDDs): sets of states, and functions of states, as shared graphs.
//!
//! A node asks one fluent and goes on to one of two nodes; a leaf is a number. Fluents are asked in one
//! fixed order, equal nodes are made once, and a node whose two ways are the same is left out, so equal
//! functions are equal numbers. A diagram whose leaves are 0 and 1 is a set of states.
//!
//! Why not lists of descriptions alone: regression negates (`not terminal`, `whatever the others do`), and a
//! negated list of conjunctions multiplies out, where a negated diagram has the size of the diagram.
//! What it cannot do: sets without a small diagram in the given order. Every operation therefore can end with
//! [`Stop`]; the nodes made so far stay valid.

use ludex_engine::budget::{Budget, Exceeded, Holding, Meter};

/// A function of states in a `Bdds`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bdd(pub(crate) u32);

impl Bdd {
    /// The empty set, and the leaf 0.
    pub const FALSE: Bdd = Bdd(0);
    /// The set of all states, and the leaf 1.
    pub const TRUE: Bdd = Bdd(1);
}

/// Why an operation was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// More nodes than allowed.
    Nodes(usize),
    /// More joint moves than allowed.
    JointMoves(usize),
    /// More entries than allowed.
    Entries(u64),
    /// What the work as a whole may take.
    Limit(Exceeded),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Nodes(most) => write!(f, "more than {most} nodes of diagrams"),
            Stop::JointMoves(most) => write!(f, "more than {most} joint moves"),
            Stop::Entries(most) => write!(f, "more than {most} entries"),
            Stop::Limit(limit) => limit.fmt(f),
        }
    }
}

impl std::error::Error for Stop {}

impl From<Exceeded> for Stop {
    fn from(limit: Exceeded) -> Stop {
        Stop::Limit(limit)
    }
}

/// The level of leaves: behind every fluent.
pub(crate) const LEAF: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    /// The place of the fluent in the order; [`LEAF`] for leaves, whose number is `low`.
    level: u32,
    low: Bdd,
    high: Bdd,
    /// The next node in the same bucket.
    next: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Operation {
    None,
    And,
    Or,
    IfThenElse,
    Simplify,
}

#[derive(Clone, Copy, Debug)]
struct Remembered {
    operation: Operation,
    operands: [u32; 3],
    result: Bdd,
}

const NOTHING: Remembered = Remembered { operation: Operation::None, operands: [0; 3], result: Bdd::FALSE };
const END: u32 = u32::MAX;

/// Results that are kept beside so many buckets: for a quarter as many triples as there can be nodes.
fn most_results(buckets: usize) -> usize {
    (buckets / 2).min(1 << 22)
}

/// All diagrams over one order of fluents.
#[derive(Debug)]
pub(crate) struct Bdds {
    nodes: Vec<Node>,
    buckets: Vec<u32>,
    cache: Vec<Remembered>,
    meter: Meter,
    most_nodes: usize,
    /// The bytes of the three lists.
    holding: Holding,
}

/// What [`Bdds::substituted`] puts in the place of a fluent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Substitute {
    pub(crate) level: u32,
    pub(crate) by: Bdd,
}

impl Bdds {
    pub(crate) fn new(most_nodes: usize, budget: &Budget) -> Bdds {
        let mut bdds = Bdds {
            nodes: Vec::new(),
            buckets: vec![END; 1 << 12],
            cache: vec![NOTHING; 1 << 14],
            meter: budget.meter(),
            most_nodes,
            holding: budget.holding(),
        };
        for value in 0..2 {
            bdds.insert(LEAF, Bdd(value), Bdd(value));
        }
        bdds
    }

    /// How many nodes there are, also those that nothing needs any more.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn level(&self, bdd: Bdd) -> u32 {
        self.nodes[bdd.0 as usize].level
    }

    /// The two ways of a node: where the fluent does not hold, and where it does.
    pub(crate) fn ways(&self, bdd: Bdd) -> (Bdd, Bdd) {
        let node = self.nodes[bdd.0 as usize];
        (node.low, node.high)
    }

    /// How many nodes a diagram has.
    pub(crate) fn size(&self, bdd: Bdd) -> usize {
        let mut seen = hashbrown::HashSet::new();
        let mut open = vec![bdd];
        while let Some(at) = open.pop() {
            if self.level(at) != LEAF && seen.insert(at) {
                let (low, high) = self.ways(at);
                open.extend([low, high]);
            }
        }
        seen.len()
    }

    /// The ways below `level`: a node of a later level goes on unchanged whatever that fluent is.
    pub(crate) fn split(&self, bdd: Bdd, level: u32) -> (Bdd, Bdd) {
        if self.level(bdd) == level { self.ways(bdd) } else { (bdd, bdd) }
    }

    fn bucket(&self, level: u32, low: Bdd, high: Bdd) -> usize {
        mix(level, low.0, high.0) as usize & (self.buckets.len() - 1)
    }

    fn insert(&mut self, level: u32, low: Bdd, high: Bdd) -> Bdd {
        let id = self.nodes.len() as u32;
        let bucket = self.bucket(level, low, high);
        self.nodes.push(Node { level, low, high, next: self.buckets[bucket] });
        self.buckets[bucket] = id;
        Bdd(id)
    }

    /// Asks for the memory that the next nodes take, and gets it: lists double, and the buckets and results that go with
    /// them. Nothing has changed where there is none.
    fn make_room(&mut self) -> Result<(), Stop> {
        let nodes = if self.nodes.len() == self.nodes.capacity() { self.nodes.len().max(1024) } else { 0 };
        let grown = if self.nodes.len() >= self.buckets.len() { self.buckets.len() * 4 } else { 0 };
        let results = most_results(grown).saturating_sub(self.cache.len());
        // Beside the new buckets there are for a while the old ones and the new chains.
        let chains = if grown > 0 { self.nodes.len() } else { 0 };
        let more = nodes * size_of::<Node>() + (grown + chains) * 4 + results * size_of::<Remembered>();
        self.meter.budget().has_room(more)?;
        let now = (self.nodes.capacity() + nodes) * size_of::<Node>() + self.buckets.len().max(grown) * 4;
        self.holding.set(now + (self.cache.len() + results) * size_of::<Remembered>())?;
        self.nodes.reserve_exact(nodes);
        if grown > 0 {
            self.grow(grown)?;
        }
        Ok(())
    }

    /// Spreads the nodes over more buckets.
    fn grow(&mut self, size: usize) -> Result<(), Stop> {
        // No step of work on diagrams: those do not depend on how they are stored.
        let mut clock = self.meter.budget().clock();
        let mut buckets = vec![END; size];
        let mut chains = Vec::with_capacity(self.nodes.len());
        for (index, &Node { level, low, high, .. }) in (0u32..).zip(&self.nodes) {
            // All over memory, each of them.
            clock.tick_by(16)?;
            let bucket = mix(level, low.0, high.0) as usize & (size - 1);
            chains.push(buckets[bucket]);
            buckets[bucket] = index;
        }
        self.nodes.iter_mut().zip(chains).for_each(|(node, next)| node.next = next);
        self.buckets = buckets;
        // What was remembered is lost either way; the old list need not stand beside the new one.
        self.cache = Vec::new();
        self.cache = vec![NOTHING; most_results(size)];
        Ok(())
    }

    fn find(&self, level: u32, low: Bdd, high: Bdd) -> Option<Bdd> {
        let mut at = self.buckets[self.bucket(level, low, high)];
        while at != END {
            let node = &self.nodes[at as usize];
            if node.level == level && node.low == low && node.high == high {
                return Some(Bdd(at));
            }
            at = node.next;
        }
        None
    }

    /// The node that asks `level` and goes on to `low` or `high`, both of later levels.
    pub(crate) fn node(&mut self, level: u32, low: Bdd, high: Bdd) -> Result<Bdd, Stop> {
        if low == high {
            return Ok(low);
        }
        if let Some(known) = self.find(level, low, high) {
            return Ok(known);
        }
        if self.nodes.len() >= self.most_nodes {
            return Err(Stop::Nodes(self.most_nodes));
        }
        if self.nodes.len() == self.nodes.capacity() || self.nodes.len() >= self.buckets.len() {
            self.make_room()?;
        }
        Ok(self.insert(level, low, high))
    }

    /// The leaf with that number.
    pub(crate) fn leaf(&mut self, value: u32) -> Bdd {
        let value = Bdd(value);
        self.find(LEAF, value, value).unwrap_or_else(|| self.insert(LEAF, value, value))
    }

    /// The states in which the fluent at `level` holds.
    pub(crate) fn fluent(&mut self, level: u32) -> Result<Bdd, Stop> {
        self.node(level, Bdd::FALSE, Bdd::TRUE)
    }

    /// Counts a step of work, and looks at the limits now and then.
    pub(crate) fn step(&mut self) -> Result<(), Stop> {
        Ok(self.meter.tick()?)
    }

    /// `yes` in the states of the set `condition`, `no` in the others.
    pub(crate) fn if_then_else(&mut self, condition: Bdd, yes: Bdd, no: Bdd) -> Result<Bdd, Stop> {
        let (mut yes, mut no) = (yes, no);
        if yes == condition {
            yes = Bdd::TRUE;
        }
        if no == condition {
            no = Bdd::FALSE;
        }
        if condition == Bdd::TRUE || yes == no {
            return Ok(yes);
        }
        if condition == Bdd::FALSE {
            return Ok(no);
        }
        if yes == Bdd::TRUE && no == Bdd::FALSE {
            return Ok(condition);
        }
        let key = [condition.0, yes.0, no.0];
        if let Some(known) = self.recall(Operation::IfThenElse, key) {
            return Ok(known);
        }
        self.step()?;
        let level = self.level(condition).min(self.level(yes)).min(self.level(no));
        let (c0, c1) = self.split(condition, level);
        let (y0, y1) = self.split(yes, level);
        let (n0, n1) = self.split(no, level);
        let low = self.if_then_else(c0, y0, n0)?;
        let high = self.if_then_else(c1, y1, n1)?;
        let result = self.node(level, low, high)?;
        self.remember(Operation::IfThenElse, key, result);
        Ok(result)
    }

    /// The intersection of two sets.
    pub(crate) fn and(&mut self, a: Bdd, b: Bdd) -> Result<Bdd, Stop> {
        self.symmetric(Operation::And, Bdd::FALSE, Bdd::TRUE, a, b)
    }

    /// The union of two sets.
    pub(crate) fn or(&mut self, a: Bdd, b: Bdd) -> Result<Bdd, Stop> {
        self.symmetric(Operation::Or, Bdd::TRUE, Bdd::FALSE, a, b)
    }

    /// Intersection or union: `decides` is the set that gives itself with any other, `keeps` the one that gives
    /// the other.
    fn symmetric(
        &mut self,
        operation: Operation,
        decides: Bdd,
        keeps: Bdd,
        a: Bdd,
        b: Bdd,
    ) -> Result<Bdd, Stop> {
        // Either order is the same question: one is remembered. The constants come first.
        let (a, b) = (a.min(b), a.max(b));
        if a == decides || a == b {
            return Ok(a);
        }
        if a == keeps {
            return Ok(b);
        }
        let key = [a.0, b.0, 0];
        if let Some(known) = self.recall(operation, key) {
            return Ok(known);
        }
        self.step()?;
        let level = self.level(a).min(self.level(b));
        let ((a0, a1), (b0, b1)) = (self.split(a, level), self.split(b, level));
        let low = self.symmetric(operation, decides, keeps, a0, b0)?;
        let high = self.symmetric(operation, decides, keeps, a1, b1)?;
        let result = self.node(level, low, high)?;
        self.remember(operation, key, result);
        Ok(result)
    }

    pub(crate) fn not(&mut self, a: Bdd) -> Result<Bdd, Stop> {
        self.if_then_else(a, Bdd::FALSE, Bdd::TRUE)
    }

    /// The states of `a` that are not in `b`.
    pub(crate) fn without(&mut self, a: Bdd, b: Bdd) -> Result<Bdd, Stop> {
        self.if_then_else(b, Bdd::FALSE, a)
    }

    /// The union of all, pairwise: halves of like size meet, which keeps the intermediate results small.
    pub(crate) fn or_all(&mut self, mut list: Vec<Bdd>) -> Result<Bdd, Stop> {
        while list.len() > 1 {
            let mut half = Vec::with_capacity(list.len().div_ceil(2));
            for pair in list.chunks(2) {
                half.push(match *pair {
                    [a, b] => self.or(a, b)?,
                    _ => pair[0],
                });
            }
            list = half;
        }
        Ok(list.pop().unwrap_or(Bdd::FALSE))
    }

    /// A function that agrees with `function` in the states of `care`, and is usually smaller (the
    /// *restrict* operator of Coudert and Madre).
    pub(crate) fn simplified(&mut self, function: Bdd, care: Bdd) -> Result<Bdd, Stop> {
        if care == Bdd::TRUE || care == Bdd::FALSE || self.level(function) == LEAF {
            return Ok(function);
        }
        if function == care {
            return Ok(Bdd::TRUE);
        }
        let key = [function.0, care.0, 0];
        if let Some(known) = self.recall(Operation::Simplify, key) {
            return Ok(known);
        }
        self.step()?;
        let (level, care_level) = (self.level(function), self.level(care));
        let result = if care_level < level {
            let (c0, c1) = self.ways(care);
            let either = self.or(c0, c1)?;
            self.simplified(function, either)?
        } else {
            let (f0, f1) = self.ways(function);
            let (c0, c1) = self.split(care, level);
            if c0 == Bdd::FALSE {
                self.simplified(f1, c1)?
            } else if c1 == Bdd::FALSE {
                self.simplified(f0, c0)?
            } else {
                let low = self.simplified(f0, c0)?;
                let high = self.simplified(f1, c1)?;
                self.node(level, low, high)?
            }
        };
        self.remember(Operation::Simplify, key, result);
        Ok(result)
    }

    /// `function` of the state in which each fluent of `substitutes` (ascending by level) is what its diagram
    /// says of the present one. `done` is scratch memory, by node.
    pub(crate) fn substituted(
        &mut self,
        function: Bdd,
        substitutes: &[Substitute],
        done: &mut hashbrown::HashMap<Bdd, Bdd>,
    ) -> Result<Bdd, Stop> {
        done.clear();
        let constants = substitutes.iter().all(|s| s.by <= Bdd::TRUE);
        if constants {
            self.put_constants(function, substitutes, done)
        } else {
            self.put(function, substitutes, done)
        }
    }

    /// The same by the general way, also where only constants are put in: what the short way saves can be
    /// measured.
    pub(crate) fn substituted_at_length(
        &mut self,
        function: Bdd,
        substitutes: &[Substitute],
        done: &mut hashbrown::HashMap<Bdd, Bdd>,
    ) -> Result<Bdd, Stop> {
        done.clear();
        self.put(function, substitutes, done)
    }

    /// Substitution of constants only: the order of the fluents stays, so no node is computed twice over.
    fn put_constants(
        &mut self,
        function: Bdd,
        substitutes: &[Substitute],
        done: &mut hashbrown::HashMap<Bdd, Bdd>,
    ) -> Result<Bdd, Stop> {
        let level = self.level(function);
        let rest = &substitutes[substitutes.partition_point(|s| s.level < level)..];
        if rest.is_empty() || level == LEAF {
            return Ok(function);
        }
        if let Some(&known) = done.get(&function) {
            return Ok(known);
        }
        self.step()?;
        let (low, high) = self.ways(function);
        let result = if rest[0].level == level {
            let way = if rest[0].by == Bdd::TRUE { high } else { low };
            self.put_constants(way, rest, done)?
        } else {
            let low = self.put_constants(low, rest, done)?;
            let high = self.put_constants(high, rest, done)?;
            self.node(level, low, high)?
        };
        done.insert(function, result);
        Ok(result)
    }

    fn put(
        &mut self,
        function: Bdd,
        substitutes: &[Substitute],
        done: &mut hashbrown::HashMap<Bdd, Bdd>,
    ) -> Result<Bdd, Stop> {
        let level = self.level(function);
        let rest = &substitutes[substitutes.partition_point(|s| s.level < level)..];
        if rest.is_empty() || level == LEAF {
            return Ok(function);
        }
        if let Some(&known) = done.get(&function) {
            return Ok(known);
        }
        self.step()?;
        let (low, high) = self.ways(function);
        let low = self.put(low, rest, done)?;
        let high = self.put(high, rest, done)?;
        let condition = if rest[0].level == level { rest[0].by } else { self.fluent(level)? };
        let result = self.if_then_else(condition, high, low)?;
        done.insert(function, result);
        Ok(result)
    }

    /// Drops every node that the `kept` diagrams do not need, and gives the others new numbers.
    pub(crate) fn collect<'k>(&mut self, kept: impl Iterator<Item = &'k mut Bdd>) {
        let kept: Vec<&mut Bdd> = kept.collect();
        let mut needed = vec![false; self.nodes.len()];
        let mut open: Vec<u32> = kept.iter().map(|bdd| bdd.0).chain([0, 1]).collect();
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut needed[at as usize], true) && self.nodes[at as usize].level != LEAF {
                let (low, high) = self.ways(Bdd(at));
                open.extend([low.0, high.0]);
            }
        }
        let old = std::mem::take(&mut self.nodes);
        self.buckets.fill(END);
        self.cache.fill(NOTHING);
        // Nodes are made after those they lead to, so one pass in order renumbers all.
        let mut place = vec![0u32; old.len()];
        for (index, node) in old.iter().enumerate().filter(|(index, _)| needed[*index]) {
            let moved = |way: Bdd| if node.level == LEAF { way } else { Bdd(place[way.0 as usize]) };
            place[index] = self.insert(node.level, moved(node.low), moved(node.high)).0;
        }
        for bdd in kept {
            *bdd = Bdd(place[bdd.0 as usize]);
        }
    }

    fn slot(&self, operation: Operation, operands: [u32; 3]) -> usize {
        let hash = mix(operands[0] ^ (operation as u32) << 28, operands[1], operands[2]);
        hash as usize & (self.cache.len() - 1)
    }

    fn recall(&self, operation: Operation, operands: [u32; 3]) -> Option<Bdd> {
        let entry = &self.cache[self.slot(operation, operands)];
        (entry.operation == operation && entry.operands == operands).then_some(entry.result)
    }

    fn remember(&mut self, operation: Operation, operands: [u32; 3], result: Bdd) {
        let slot = self.slot(operation, operands);
        self.cache[slot] = Remembered { operation, operands, result };
    }
}

fn mix(a: u32, b: u32, c: u32) -> u64 {
    let mut hash = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash = (hash ^ hash >> 29 ^ u64::from(c)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    hash ^ hash >> 32
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use ludex_engine::random::Random;

    /// Functions of five fluents, as bits by state.
    pub(crate) const FLUENTS: u32 = 5;

    pub(crate) fn bdds() -> Bdds {
        Bdds::new(100_000, &Budget::default())
    }

    pub(crate) fn truth(bdds: &Bdds, bdd: Bdd) -> u32 {
        (0..1 << FLUENTS).fold(0, |bits, state: u32| {
            let mut at = bdd;
            while bdds.level(at) != LEAF {
                let (low, high) = bdds.ways(at);
                at = if state >> bdds.level(at) & 1 == 1 { high } else { low };
            }
            bits | u32::from(at == Bdd::TRUE) << state
        })
    }

    /// A random set with its truth table, made from the table state by state.
    pub(crate) fn random_set(bdds: &mut Bdds, random: &mut Random) -> (Bdd, u32) {
        let bits = random.below(1 << 16) as u32 | (random.below(1 << 16) as u32) << 16;
        let mut all = Bdd::FALSE;
        for state in (0..1u32 << FLUENTS).filter(|state| bits >> state & 1 == 1) {
            let mut one = Bdd::TRUE;
            for level in (0..FLUENTS).rev() {
                let (low, high) = if state >> level & 1 == 1 { (Bdd::FALSE, one) } else { (one, Bdd::FALSE) };
                one = bdds.node(level, low, high).expect("small");
            }
            all = bdds.or(all, one).expect("small");
        }
        (all, bits)
    }

    #[test]
    fn operations_are_those_of_sets() {
        let mut bdds = bdds();
        let mut random = Random::new(3);
        for _ in 0..200 {
            let (mut a, x) = random_set(&mut bdds, &mut random);
            let (mut b, y) = random_set(&mut bdds, &mut random);
            let (c, z) = random_set(&mut bdds, &mut random);
            assert_eq!(truth(&bdds, a), x);
            let results = [
                (bdds.and(a, b), x & y),
                (bdds.or(a, b), x | y),
                (bdds.not(a), !x),
                (bdds.without(a, b), x & !y),
                (bdds.if_then_else(a, b, c), x & y | !x & z),
                (bdds.or_all(vec![a, b, c]), x | y | z),
            ];
            for (result, expected) in results {
                assert_eq!(truth(&bdds, result.expect("small")), expected);
            }
            let simple = bdds.simplified(a, b).expect("small");
            assert_eq!(truth(&bdds, simple) & y, x & y);
            bdds.collect([&mut a, &mut b].into_iter());
            assert_eq!((truth(&bdds, a), truth(&bdds, b)), (x, y));
            // Equal functions are equal numbers, also after a collection.
            let both = bdds.and(a, b).expect("small");
            assert_eq!(both, bdds.and(b, a).expect("small"));
        }
    }

    #[test]
    fn substitution_is_simultaneous() {
        let mut bdds = bdds();
        let mut random = Random::new(4);
        for round in 0..200 {
            let (function, x) = random_set(&mut bdds, &mut random);
            let (mut one, y) = random_set(&mut bdds, &mut random);
            let (mut other, z) = random_set(&mut bdds, &mut random);
            let (mut y, mut z) = (y, z);
            if round % 2 == 0 {
                (one, y, other, z) = (Bdd::TRUE, u32::MAX, Bdd::FALSE, 0);
            }
            let substitutes = [Substitute { level: 1, by: one }, Substitute { level: 3, by: other }];
            let mut done = hashbrown::HashMap::new();
            let expected = (0..1u32 << FLUENTS).fold(0, |bits, state| {
                let put = |state: u32, level: u32, by: u32| state & !(1 << level) | by << level;
                let next = put(put(state, 1, y >> state & 1), 3, z >> state & 1);
                bits | (x >> next & 1) << state
            });
            let short = bdds.substituted(function, &substitutes, &mut done).expect("small");
            let long = bdds.substituted_at_length(function, &substitutes, &mut done).expect("small");
            assert_eq!(truth(&bdds, short), expected);
            assert_eq!(short, long);
        }
    }

    #[test]
    fn limits_stop_and_leave_what_is_there() {
        let mut bdds = bdds();
        let mut random = Random::new(5);
        let (a, x) = random_set(&mut bdds, &mut random);
        bdds.most_nodes = bdds.len();
        let most = bdds.len();
        let stopped = (0..50).find_map(|_| bdds.node(random.below(5) as u32, a, Bdd::TRUE).err());
        assert_eq!(stopped, Some(Stop::Nodes(most)));
        assert_eq!(truth(&bdds, a), x);
    }
}
