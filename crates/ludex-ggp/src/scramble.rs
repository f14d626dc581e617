//! Names made meaningless, as tournament servers do it: every constant and variable that is neither a
//! keyword nor a whole number becomes a random word, the same one throughout a match.

use crate::sexp;
use ludex_engine::random::Random;
use ludex_gdl::Keyword;
use std::collections::HashMap;

/// The words of one match, there and back. The words of an unscrambled match are themselves.
#[derive(Clone, Debug, Default)]
pub struct Scrambler {
    there: HashMap<String, String>,
    back: HashMap<String, String>,
}

impl Scrambler {
    /// Gives every name in `rules` a random word.
    pub fn new(rules: &str, seed: u64) -> Scrambler {
        let mut random = Random::new(seed);
        let mut scrambler = Scrambler::default();
        let text = sexp::spaced(rules, |_| None);
        for token in text.split(' ').filter(|token| has_meaning(token)) {
            if scrambler.there.contains_key(token) {
                continue;
            }
            let word = loop {
                let word = word(&mut random, token.starts_with('?'));
                // A word that is a name of the rules would be scrambled again by whoever reads it back.
                if !scrambler.back.contains_key(&word) && !text.split(' ').any(|other| other == word) {
                    break word;
                }
            };
            scrambler.back.insert(word.clone(), token.to_owned());
            scrambler.there.insert(token.to_owned(), word);
        }
        scrambler
    }

    /// The text in scrambled words.
    pub fn scramble(&self, text: &str) -> String {
        sexp::spaced(text, |token| self.there.get(token).cloned())
    }

    /// The text in the words of the rules. Words that were never given stay as they are.
    pub fn unscramble(&self, text: &str) -> String {
        sexp::spaced(text, |token| self.back.get(token).cloned())
    }
}

fn has_meaning(token: &str) -> bool {
    let is_number = token.parse::<i64>().is_ok();
    !matches!(token, "" | "(" | ")" | "<=" | "?") && !is_number && Keyword::of(token).is_none()
}

/// A word of a few syllables.
fn word(random: &mut Random, variable: bool) -> String {
    const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
    const VOWELS: &[u8] = b"aeiou";
    let mut word = String::from(if variable { "?" } else { "" });
    for _ in 0..2 + random.below(3) {
        word.push(char::from(CONSONANTS[random.below(CONSONANTS.len())]));
        word.push(char::from(VOWELS[random.below(VOWELS.len())]));
    }
    word
}

#[cfg(test)]
mod tests {
    use super::Scrambler;

    #[test]
    fn names_change_and_come_back_but_keywords_and_numbers_stay() {
        let rules = "( <= ( legal ?p ( mark ?x 3 ) ) ( TRUE ( control ?p ) ) ( distinct ?p oNE ) )";
        let scrambler = Scrambler::new(rules, 7);
        let scrambled = scrambler.scramble(rules);
        for kept in ["<=", "legal", "TRUE", "distinct", "3"] {
            assert!(scrambled.split(' ').any(|token| token == kept), "{kept}: {scrambled}");
        }
        for gone in ["mark", "control", "?p", "?x", "oNE"] {
            assert!(!scrambled.split(' ').any(|token| token == gone), "{gone}: {scrambled}");
        }
        assert_eq!(scrambled.matches('?').count(), rules.matches('?').count());
        assert_eq!(scrambler.unscramble(&scrambled), rules);
        assert_eq!(scrambler.unscramble("stranger"), "stranger");
        assert_eq!(Scrambler::default().scramble("(a b)"), "( a b )");
    }
}
