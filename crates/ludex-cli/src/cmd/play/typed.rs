//! What a person types: a move, by number or in words, or one of a few commands.
//!
//! A move can be typed as the rules spell it, without parentheses, in infix notation, in any case, and with
//! names cut short as long as one legal move is meant. Numbers inside a move are never cut short: `drop 1` is
//! not `(drop 10)`.

use ludex::gdl::spelling::nearest;

/// A move with the number it goes by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// What the person types instead of the words.
    pub number: usize,
    /// In the spelling of the rules.
    pub text: String,
}

/// What a person wants that is no move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// What the engine would do.
    Hint,
    /// What the engine thinks.
    View,
    /// The legal moves again.
    Moves,
    /// The moves that were made.
    History,
    /// Back to the last choice.
    Undo,
    /// Forward again.
    Redo,
    /// From the start.
    New,
    /// To a file.
    Save(String),
    /// From a file.
    Load(String),
    /// What can be typed.
    Help,
    /// Enough.
    Quit,
}

/// What can be typed beside moves, for those who ask.
pub const HELP: &str = "\
a move      by its number, which stays the same all game, or in words: `(drop 3)`, `drop 3`, `d 3`
moves       the legal moves again
hint        what the engine would play
view        what the engine thinks of your moves
history     the moves so far
undo, redo  your last move back, and forward again
new         from the start
save FILE   the game so far, as a record that `ludex replay` reads
load FILE   a saved game, or any record
quit        the end";

/// The command that was typed, if it is one; an error if it is one that lacks something.
pub fn command(typed: &str) -> Option<Result<Command, String>> {
    let (word, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
    let rest = rest.trim();
    let file = |make: fn(String) -> Command| {
        if rest.is_empty() {
            Err(format!("{word} needs a file: `{word} FILE`"))
        } else {
            Ok(make(rest.to_owned()))
        }
    };
    let plain = |command: Command| rest.is_empty().then_some(Ok(command));
    match word {
        "save" => Some(file(Command::Save)),
        "load" => Some(file(Command::Load)),
        "hint" | "h" => plain(Command::Hint),
        "view" | "v" => plain(Command::View),
        "moves" | "m" => plain(Command::Moves),
        "history" => plain(Command::History),
        "undo" | "u" => plain(Command::Undo),
        "redo" | "r" => plain(Command::Redo),
        "new" => plain(Command::New),
        "help" | "?" => plain(Command::Help),
        "quit" | "q" | "exit" => plain(Command::Quit),
        _ => None,
    }
}

/// The legal move that was typed, by its place in `legal`, or why there is none. `all` gives every move that the
/// game has for the role; it is asked only where no legal move is meant.
pub fn find(typed: &str, legal: &[Numbered], all: &dyn Fn() -> Vec<Numbered>) -> Result<usize, String> {
    match meant(typed, legal).as_slice() {
        [one] => return Ok(*one),
        [] => {}
        several => {
            let shown: Vec<&str> = several.iter().take(6).map(|&at| legal[at].text.as_str()).collect();
            let more = if several.len() > 6 { ", ..." } else { "" };
            return Err(format!("`{typed}` could be {}{more}: type more of it", shown.join(", ")));
        }
    }
    let all = all();
    if let Some(&at) = meant(typed, &all).first() {
        let Numbered { number, text } = &all[at];
        return Err(match typed.parse::<usize>() {
            Ok(_) => format!("move {number}, {text}, is not legal now; `moves` lists those that are"),
            Err(_) => format!("{text} is not legal now; `moves` lists those that are"),
        });
    }
    if typed.parse::<usize>().is_ok() {
        return Err(format!("there is no move number {typed}; `moves` lists the legal ones"));
    }
    // Parentheses say nothing about what was meant.
    let plain: Vec<String> = legal.iter().map(|action| words(&action.text).join(" ")).collect();
    let near = nearest(&words(typed).join(" "), plain.iter().map(String::as_str));
    let shown: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    Err(if shown.is_empty() {
        format!(
            "the game has no move `{typed}` for you; `moves` lists the legal ones, `help` what else can be typed"
        )
    } else {
        format!("the game has no move `{typed}` for you; did you mean {}?", shown.join(" or "))
    })
}

/// The moves that the text can mean, in the strictest sense in which it means any.
fn meant(typed: &str, moves: &[Numbered]) -> Vec<usize> {
    let by = |fits: &dyn Fn(&Numbered) -> bool| -> Vec<usize> {
        moves.iter().enumerate().filter(|(_, action)| fits(action)).map(|(at, _)| at).collect()
    };
    let spelt = words(typed);
    let lower: Vec<String> = spelt.iter().map(|word| word.to_lowercase()).collect();
    if spelt.is_empty() {
        return Vec::new();
    }
    // A move may be a number itself: what the rules say comes before our numbers.
    let exact = by(&|action| words(&action.text) == spelt);
    if !exact.is_empty() {
        return exact;
    }
    if let Ok(number) = typed.parse::<usize>() {
        return by(&|action| action.number == number);
    }
    let any_case = by(&|action| words(&action.text.to_lowercase()) == lower);
    if !any_case.is_empty() {
        return any_case;
    }
    by(&|action| {
        let name = action.text.to_lowercase();
        let name = words(&name);
        lower.len() <= name.len() && lower.iter().zip(name).all(|(typed, word)| begins(word, typed))
    })
}

fn begins(word: &str, typed: &str) -> bool {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number(word) || is_number(typed) { word == typed } else { word.starts_with(typed) }
}

/// The names in a move, in their order, whatever stands between them.
fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| c.is_whitespace() || "(),".contains(c)).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Command, Numbered, command, find};

    fn numbered(texts: &[&str]) -> Vec<Numbered> {
        let make = |(at, text): (usize, &&str)| Numbered { number: at + 1, text: (*text).to_owned() };
        texts.iter().enumerate().map(make).collect()
    }

    /// Drop in eight columns, of which the first is full; a move that is a number; names that differ in case.
    fn legal() -> (Vec<Numbered>, Vec<Numbered>) {
        let all = numbered(&["(drop 1)", "(drop 2)", "(drop 10)", "(Swap a b)", "(swap a c)", "noop", "7"]);
        (all.iter().filter(|action| action.text != "(drop 1)").cloned().collect(), all)
    }

    #[test]
    fn moves_are_understood_in_many_spellings() {
        let (legal, all) = legal();
        for (typed, text) in [
            ("(drop 2)", "(drop 2)"),
            ("drop 2", "(drop 2)"),
            ("drop(2)", "(drop 2)"),
            ("DROP 2", "(drop 2)"),
            ("d 10", "(drop 10)"),
            ("2", "(drop 2)"),
            ("3", "(drop 10)"),
            ("swap a b", "(Swap a b)"),
            ("sw a c", "(swap a c)"),
            ("n", "noop"),
            // The rules' own 7 comes before the number 7, which it happens to have too.
            ("7", "7"),
        ] {
            let found = find(typed, &legal, &|| all.clone()).map(|at| legal[at].text.clone());
            assert_eq!(found.as_deref(), Ok(text), "{typed}");
        }
    }

    #[test]
    fn what_is_refused_is_refused_with_a_reason() {
        let (legal, all) = legal();
        for (typed, reason) in [
            ("drop 1", "(drop 1) is not legal now"),
            ("1", "move 1, (drop 1), is not legal now"),
            ("99", "there is no move number 99"),
            ("drop", "`drop` could be (drop 2), (drop 10): type more of it"),
            ("swap a", "`swap a` could be (Swap a b), (swap a c)"),
            ("drpo 2", "no move `drpo 2` for you; did you mean `drop 2`"),
            ("castle", "no move `castle` for you; `moves` lists"),
            ("", "no move ``"),
            ("((", "no move `((`"),
        ] {
            let refused = find(typed, &legal, &|| all.clone()).expect_err(typed);
            assert!(refused.contains(reason), "{typed}: {refused}");
        }
    }

    #[test]
    fn commands_are_told_from_moves() {
        assert_eq!(command("undo"), Some(Ok(Command::Undo)));
        assert_eq!(command("save my game.jsonl"), Some(Ok(Command::Save("my game.jsonl".to_owned()))));
        assert!(matches!(command("load"), Some(Err(reason)) if reason.contains("load FILE")));
        // A move of the game may begin with the same word.
        assert_eq!(command("view 1 2"), None);
        assert_eq!(command("drop 3"), None);
    }
}
