//! The file of a trained evaluation: what was learnt, the way there, and for which rules.
//!
//! It is text, a word and its values a line, and fluents by their names, so that it can be read, compared and kept under
//! version control. The first line has the version, the last one a checksum over what is above it. It is replaced as a whole
//! ([`ludex_logic::endgame::file::write`]), so it is also what a training that was interrupted goes on from.
//!
//! Whoever reads it may have been given anything: its size is bounded, every number is checked, and the rules must be
//! those that it was made for.

use super::{Detail, Evaluation, MOST_WEIGHT};
use crate::evaluation::pairs::Pairs;
use ludex_engine::vocabulary::{FluentId, Vocabulary};
use ludex_gdl::rules::Rules;
use ludex_logic::endgame::file::{self, RulesHash, checksum};
use std::fmt::{self, Write as _};
use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

const FIRST_LINE: &str = "ludex evaluation 1";
/// Larger files are not read.
const MOST_BYTES: u64 = 64 << 20;
const MOST_LESSONS: usize = 100_000;
const SEED: u64 = 19;

/// What a round of training came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lesson {
    /// The rounds before it, and itself.
    pub round: u32,
    /// Spent by then, in this and earlier runs.
    pub seconds: f64,
    /// Played to learn from by then.
    pub games: u64,
    /// How well the evaluation foretells games of the round that it was not learnt from.
    pub correlation: f64,
    /// Its part of the points against what was learnt before the first round, at equal numbers of states, 0 to 100, and
    /// half the width of the 95 % interval.
    pub points: f64,
    /// See [`Lesson::points`].
    pub confidence: f64,
    /// It beat the one before and took its place.
    pub is_better: bool,
}

/// A trained evaluation as it lies in a file: not bound yet to the numbers that a game's fluents have.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    rules: RulesHash,
    /// All random choices of the training come from it.
    pub seed: u64,
    /// Rounds, games to learn from and seconds, of all runs.
    pub rounds: u32,
    /// See [`Trained::rounds`].
    pub games: u64,
    /// See [`Trained::rounds`].
    pub seconds: f64,
    /// The rounds, in their order.
    pub lessons: Vec<Lesson>,
    untrained: Weights,
    trained: Weights,
}

/// An evaluation by the names of fluents.
#[derive(Clone, Debug, Default, PartialEq)]
struct Weights {
    detail: Option<Detail>,
    rounds: u32,
    correlation: f64,
    constant: i32,
    fluents: Vec<(String, i32, i32)>,
    /// By their places in `fluents`.
    pairs: Vec<(u32, u32, i32)>,
    words: Vec<(String, f64)>,
    pieces: Vec<(String, f64)>,
}

/// Why a file gives no evaluation for a game.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// It cannot be read.
    Io(io::Error),
    /// It is none of these files, or of another version.
    NoEvaluation,
    /// It is larger than any that was written.
    TooLarge,
    /// It is not what was written: which line is wrong, and how.
    Damaged(usize, &'static str),
    /// It was learnt for other rules.
    Foreign,
    /// It speaks of a fluent that the game does not have.
    UnknownFluent(String),
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Io(error) => error.fmt(f),
            FileError::NoEvaluation => write!(f, "the file does not begin with `{FIRST_LINE}`"),
            FileError::TooLarge => write!(f, "the file has more than {} MB", MOST_BYTES >> 20),
            FileError::Damaged(line, why) => write!(f, "the file is damaged: line {line}: {why}"),
            FileError::Foreign => f.write_str("the evaluation was learnt for other rules"),
            FileError::UnknownFluent(name) => write!(f, "the game has no fluent `{name}`"),
        }
    }
}

impl std::error::Error for FileError {}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> FileError {
        FileError::Io(error)
    }
}

impl Trained {
    /// The beginning of a training.
    pub(crate) fn begun(
        rules: &Rules,
        vocabulary: &Vocabulary,
        seed: u64,
        untrained: &Evaluation,
    ) -> Trained {
        let untrained = Weights::of(untrained, vocabulary);
        Trained {
            rules: RulesHash::of(rules),
            seed,
            rounds: 0,
            games: 0,
            seconds: 0.0,
            lessons: Vec::new(),
            trained: untrained.clone(),
            untrained,
        }
    }

    /// Puts a better evaluation into the place of the one before.
    pub(crate) fn improve(&mut self, vocabulary: &Vocabulary, evaluation: &Evaluation) {
        self.trained = Weights::of(evaluation, vocabulary);
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Trained, FileError> {
        let mut text = Vec::new();
        std::fs::File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut text)?;
        if text.len() as u64 > MOST_BYTES {
            return Err(FileError::TooLarge);
        }
        Trained::parse(&String::from_utf8(text).map_err(|_| FileError::NoEvaluation)?)
    }

    /// Writes it so that the file is there whole or not at all.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        file::write(path, self.to_string().as_bytes())
    }

    /// Refuses other rules than those that it was learnt for.
    pub fn check(&self, rules: &Rules) -> Result<(), FileError> {
        if self.rules == RulesHash::of(rules) { Ok(()) } else { Err(FileError::Foreign) }
    }

    /// The evaluation for a game, with the numbers of its vocabulary; refused for other rules.
    pub fn evaluation(&self, rules: &Rules, vocabulary: &Vocabulary) -> Result<Evaluation, FileError> {
        self.check(rules)?;
        self.trained.bound(vocabulary)
    }

    /// What was known before the first round.
    pub fn untrained(&self, rules: &Rules, vocabulary: &Vocabulary) -> Result<Evaluation, FileError> {
        self.check(rules)?;
        self.untrained.bound(vocabulary)
    }

    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<Trained, FileError> {
        if text.lines().next() != Some(FIRST_LINE) {
            return Err(FileError::NoEvaluation);
        }
        let last = text.lines().count();
        let (above, sum) = text.rsplit_once("checksum ").ok_or(FileError::Damaged(last, "no checksum"))?;
        if sum.strip_suffix('\n') != Some(&format!("{:016x}", checksum(above.as_bytes(), SEED))) {
            return Err(FileError::Damaged(last, "the checksum is another one"));
        }
        let mut lines = Lines { lines: above.lines(), number: 0, line: "" };
        lines.next();
        let rules = RulesHash(lines.hash("rules")?);
        let [seed, rounds, games] = lines.values("trained")?;
        let (seed, rounds, games) = (lines.number(seed)?, lines.number(rounds)?, lines.number(games)?);
        let [seconds] = lines.values("seconds")?;
        let seconds = lines.real(seconds, 1e12)?;
        let mut lessons = Vec::new();
        lines.next();
        while let Some(rest) = lines.line.strip_prefix("lesson ") {
            let [round, seconds, games, correlation, points, confidence, better] = lines.split(rest)?;
            lessons.push(Lesson {
                round: lines.number(round)?,
                seconds: lines.real(seconds, 1e12)?,
                games: lines.number(games)?,
                correlation: lines.real(correlation, 1.0)?,
                points: lines.real(points, 100.0)?,
                confidence: lines.real(confidence, 1e3)?,
                is_better: match better {
                    "kept" => true,
                    "dropped" => false,
                    _ => return Err(lines.wrong("neither kept nor dropped")),
                },
            });
            if lessons.len() > MOST_LESSONS {
                return Err(lines.wrong("too many lessons"));
            }
            lines.next();
        }
        let untrained = Weights::parse(&mut lines)?;
        let trained = Weights::parse(&mut lines)?;
        if !lines.line.is_empty() || lines.lines.next().is_some() {
            return Err(lines.wrong("more than two evaluations"));
        }
        Ok(Trained { rules, seed, rounds, games, seconds, lessons, untrained, trained })
    }
}

impl fmt::Display for Trained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("{FIRST_LINE}\nrules {}\n", self.rules);
        writeln!(text, "trained {} {} {}\nseconds {}", self.seed, self.rounds, self.games, self.seconds)?;
        for lesson in &self.lessons {
            let Lesson { round, seconds, games, correlation, points, confidence, is_better } = lesson;
            let word = if *is_better { "kept" } else { "dropped" };
            writeln!(text, "lesson {round} {seconds} {games} {correlation} {points} {confidence} {word}")?;
        }
        self.untrained.write(&mut text)?;
        self.trained.write(&mut text)?;
        let sum = checksum(text.as_bytes(), SEED);
        writeln!(f, "{text}checksum {sum:016x}")
    }
}

/// The lines of a file, and which one is being read.
struct Lines<'t> {
    lines: std::str::Lines<'t>,
    number: usize,
    line: &'t str,
}

impl<'t> Lines<'t> {
    /// Goes on to the next line, which is empty at the end.
    fn next(&mut self) {
        self.line = self.lines.next().unwrap_or("");
        self.number += 1;
    }

    fn wrong(&self, why: &'static str) -> FileError {
        FileError::Damaged(self.number, why)
    }

    fn split<const N: usize>(&self, rest: &'t str) -> Result<[&'t str; N], FileError> {
        let all: Vec<&str> = rest.split(' ').take(N + 1).collect();
        all.try_into().map_err(|_| self.wrong("too many or too few values"))
    }

    /// The values of the next line, which begins with that word.
    fn values<const N: usize>(&mut self, word: &str) -> Result<[&'t str; N], FileError> {
        self.next();
        let rest = self.line.strip_prefix(word).and_then(|rest| rest.strip_prefix(' '));
        self.split(rest.ok_or(self.wrong("another word is expected here"))?)
    }

    fn hash(&mut self, word: &str) -> Result<[u8; 16], FileError> {
        let [text] = self.values(word)?;
        let bad = self.wrong("no hash of rules");
        let number = if text.len() == 32 { u128::from_str_radix(text, 16).ok() } else { None };
        number.map(u128::to_be_bytes).ok_or(bad)
    }

    fn number<T: FromStr>(&self, text: &str) -> Result<T, FileError> {
        text.parse().map_err(|_| self.wrong("no number, or one that is too large"))
    }

    fn real(&self, text: &str, most: f64) -> Result<f64, FileError> {
        let number: f64 = self.number(text)?;
        if number.abs() <= most { Ok(number) } else { Err(self.wrong("a number out of its bounds")) }
    }

    fn weight(&self, text: &str) -> Result<i32, FileError> {
        Ok(self.real(text, MOST_WEIGHT)? as i32)
    }
}

impl Weights {
    fn of(evaluation: &Evaluation, vocabulary: &Vocabulary) -> Weights {
        let pairs: Vec<(u32, u32, i32)> =
            evaluation.pairs.list().filter(|(_, _, weight)| *weight != 0).collect();
        let mut needed = vec![false; evaluation.weights.len()];
        pairs.iter().for_each(|&(a, b, _)| (needed[a as usize], needed[b as usize]) = (true, true));
        let mut places = vec![0; needed.len()];
        let mut fluents = Vec::new();
        for (at, &(weight, material)) in evaluation.weights.iter().enumerate() {
            if needed[at] || weight != 0 || material != 0 {
                places[at] = fluents.len() as u32;
                fluents.push((vocabulary.show_fluent(FluentId(at as u32)), weight, material));
            }
        }
        let place = |fluent: u32| places[fluent as usize];
        Weights {
            detail: Some(evaluation.detail),
            rounds: evaluation.rounds,
            correlation: evaluation.correlation,
            constant: evaluation.constant,
            pairs: pairs.into_iter().map(|(a, b, weight)| (place(a), place(b), weight)).collect(),
            fluents,
            words: evaluation.words.clone(),
            pieces: evaluation.pieces.clone(),
        }
    }

    fn bound(&self, vocabulary: &Vocabulary) -> Result<Evaluation, FileError> {
        let mut weights = vec![(0, 0); vocabulary.fluent_count()];
        let mut numbers = Vec::new();
        for (name, weight, material) in &self.fluents {
            let found = vocabulary.read_term(name).and_then(|term| vocabulary.find_fluent(term));
            let fluent = found.ok_or_else(|| FileError::UnknownFluent(name.clone()))?;
            weights[fluent.index()] = (*weight, *material);
            numbers.push(fluent.0);
        }
        let pair = |&(a, b, weight): &(u32, u32, i32)| {
            let (a, b) = (numbers[a as usize], numbers[b as usize]);
            (a.min(b), a.max(b), weight)
        };
        let pairs: Vec<(u32, u32, i32)> = self.pairs.iter().map(pair).collect();
        Ok(Evaluation {
            constant: self.constant,
            pairs: Pairs::new(weights.len(), &pairs),
            weights,
            detail: self.detail.unwrap_or(Detail::Counts),
            correlation: self.correlation,
            rounds: self.rounds,
            words: self.words.clone(),
            pieces: self.pieces.clone(),
        })
    }

    fn write(&self, text: &mut String) -> fmt::Result {
        let Weights { rounds, correlation, constant, .. } = self;
        let detail = self.detail.map_or("", Detail::name);
        writeln!(text, "evaluation {detail} {rounds} {correlation} {constant}")?;
        for (name, weight, material) in &self.fluents {
            writeln!(text, "fluent {weight} {material} {name}")?;
        }
        for (a, b, weight) in &self.pairs {
            writeln!(text, "pair {weight} {a} {b}")?;
        }
        for (word, list) in [("word", &self.words), ("piece", &self.pieces)] {
            for (name, weight) in list {
                writeln!(text, "{word} {weight} {name}")?;
            }
        }
        Ok(())
    }

    /// What begins with the line that is being read, and ends before the next evaluation.
    fn parse(lines: &mut Lines<'_>) -> Result<Weights, FileError> {
        let rest = lines.line.strip_prefix("evaluation ");
        let rest = rest.ok_or(lines.wrong("an evaluation is expected here"))?;
        let [detail, rounds, correlation, constant] = lines.split(rest)?;
        let mut weights = Weights {
            detail: Some(Detail::read(detail).ok_or(lines.wrong("no kind of features"))?),
            rounds: lines.number(rounds)?,
            correlation: lines.real(correlation, 1.0)?,
            constant: lines.weight(constant)?,
            ..Weights::default()
        };
        loop {
            lines.next();
            let Some((word, rest)) = lines.line.split_once(' ') else { break };
            match word {
                "fluent" => {
                    let mut parts = rest.splitn(3, ' ');
                    let mut part = || parts.next().unwrap_or("");
                    let (weight, material, name) = (part(), part(), part());
                    let (weight, material) = (lines.weight(weight)?, lines.weight(material)?);
                    weights.fluents.push((name.to_owned(), weight, material));
                }
                "pair" => {
                    let [weight, a, b] = lines.split(rest)?;
                    let (a, b): (u32, u32) = (lines.number(a)?, lines.number(b)?);
                    if a == b || a.max(b) as usize >= weights.fluents.len() {
                        return Err(lines.wrong("a pair of fluents that are not there"));
                    }
                    weights.pairs.push((a, b, lines.weight(weight)?));
                }
                "word" | "piece" => {
                    let list = if word == "word" { &mut weights.words } else { &mut weights.pieces };
                    let (weight, name) = rest.split_once(' ').ok_or(lines.wrong("no name"))?;
                    list.push((name.to_owned(), lines.real(weight, 1e12)?));
                }
                _ => break,
            }
        }
        Ok(weights)
    }
}
