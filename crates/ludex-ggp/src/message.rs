//! The messages of the GGP protocol.
//!
//! A manager sends them, a player answers. Keywords are read in any case; everything else keeps its
//! spelling. What is not understood is a [`Malformed`] with a reason, never a guess: only tokens behind the
//! last one that START expects are passed over, because managers are known to send some.

use crate::sexp;
use std::fmt;
use std::time::Duration;

/// What a manager says to a player.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Who are you, and are you free?
    Info,
    /// A match begins.
    Start(Start),
    /// Your move.
    Play {
        /// The match.
        id: String,
        /// The last joint move in the order of the roles; `None` before the first.
        moves: Option<Vec<String>>,
    },
    /// The match is over.
    Stop {
        /// The match.
        id: String,
        /// The last joint move.
        moves: Option<Vec<String>>,
    },
    /// The match is broken off.
    Abort {
        /// The match.
        id: String,
    },
    /// A match of this game may come.
    Preview {
        /// The rules in KIF.
        rules: String,
        /// Time to look at them.
        clock: Duration,
    },
}

/// The beginning of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// The match.
    pub id: String,
    /// The role that the player has.
    pub role: String,
    /// The rules in KIF, without the parentheses around the whole.
    pub rules: String,
    /// Time until the first move is asked for.
    pub start_clock: Duration,
    /// Time for each move.
    pub play_clock: Duration,
}

/// Why a text is no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Parentheses that do not match, or none around the whole.
    Parentheses,
    /// No word of the protocol in front.
    Keyword,
    /// Too few, or too many, parts for the word.
    Parts,
    /// A list where a word belongs, or the other way round.
    Shape,
    /// A clock that is no number of seconds between zero and a day.
    Clock,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Malformed::Parentheses => "a message is one list, and its parentheses match",
            Malformed::Keyword => "a message begins with INFO, START, PLAY, STOP, ABORT or PREVIEW",
            Malformed::Parts => "a part is missing, or there is one too many",
            Malformed::Shape => "a list stands where a word belongs, or a word where a list belongs",
            Malformed::Clock => "a clock is a number of seconds between zero and a day",
        })
    }
}

impl std::error::Error for Malformed {}

impl Message {
    /// Reads a message.
    pub fn read(text: &str) -> Result<Message, Malformed> {
        let whole = sexp::split(text).map_err(|_| Malformed::Parentheses)?;
        let [whole] = whole.as_slice() else { return Err(Malformed::Parentheses) };
        let inside = sexp::inside(whole).ok_or(Malformed::Parentheses)?;
        let parts = sexp::split(inside).map_err(|_| Malformed::Parentheses)?;
        let (keyword, parts) = parts.split_first().ok_or(Malformed::Keyword)?;
        let keyword = keyword.to_ascii_uppercase();
        match (keyword.as_str(), parts) {
            ("INFO", []) => Ok(Message::Info),
            ("START", [id, role, rules, start, play, ..]) => Ok(Message::Start(Start {
                id: word(id)?,
                role: word(role)?,
                rules: list(rules)?.to_owned(),
                start_clock: clock(start)?,
                play_clock: clock(play)?,
            })),
            ("PLAY", [id, moves]) => Ok(Message::Play { id: word(id)?, moves: joint(moves)? }),
            ("STOP", [id, moves]) => Ok(Message::Stop { id: word(id)?, moves: joint(moves)? }),
            ("ABORT", [id]) => Ok(Message::Abort { id: word(id)? }),
            ("PREVIEW", [rules, time]) => {
                Ok(Message::Preview { rules: list(rules)?.to_owned(), clock: clock(time)? })
            }
            ("INFO" | "START" | "PLAY" | "STOP" | "ABORT" | "PREVIEW", _) => Err(Malformed::Parts),
            _ => Err(Malformed::Keyword),
        }
    }
}

impl fmt::Display for Message {
    /// The message as managers write it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let joint = |moves: &Option<Vec<String>>| match moves {
            Some(moves) => format!("( {} )", spread(&moves.join(" "))),
            None => "NIL".to_owned(),
        };
        match self {
            Message::Info => f.write_str("( INFO )"),
            Message::Start(start) => {
                let Start { id, role, rules, start_clock, play_clock } = start;
                let [start, play] = [start_clock, play_clock].map(|clock| seconds(*clock));
                write!(f, "( START {id} {role} ( {} ) {start} {play} )", spread(rules))
            }
            Message::Play { id, moves } => write!(f, "( PLAY {id} {} )", joint(moves)),
            Message::Stop { id, moves } => write!(f, "( STOP {id} {} )", joint(moves)),
            Message::Abort { id } => write!(f, "( ABORT {id} )"),
            Message::Preview { rules, clock } => {
                write!(f, "( PREVIEW ( {} ) {} )", spread(rules), seconds(*clock))
            }
        }
    }
}

fn spread(text: &str) -> String {
    sexp::spaced(text, |_| None)
}

/// Clocks are whole seconds on the wire: at least as long as was meant, so that nobody is late.
fn seconds(clock: Duration) -> u64 {
    clock.as_secs() + u64::from(clock.subsec_nanos() > 0)
}

fn word(part: &str) -> Result<String, Malformed> {
    if part.starts_with('(') { Err(Malformed::Shape) } else { Ok(part.to_owned()) }
}

fn list(part: &str) -> Result<&str, Malformed> {
    sexp::inside(part).ok_or(Malformed::Shape)
}

/// A list of moves; any word in its place means that there are none yet.
fn joint(part: &str) -> Result<Option<Vec<String>>, Malformed> {
    match sexp::inside(part) {
        Some(moves) => sexp::canonical(moves).map(Some).map_err(|_| Malformed::Parentheses),
        None => Ok(None),
    }
}

fn clock(part: &str) -> Result<Duration, Malformed> {
    const DAY: f64 = 86_400.0;
    let seconds = part.parse::<f64>().ok().filter(|seconds| (0.0..=DAY).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or(Malformed::Clock)
}

#[cfg(test)]
mod tests {
    use super::{Malformed, Message, Start};
    use std::time::Duration;

    fn words(list: &[&str]) -> Option<Vec<String>> {
        Some(list.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn the_messages_of_both_managers_are_read() {
        assert_eq!(Message::read("( INFO )"), Ok(Message::Info));
        assert_eq!(Message::read("(info)"), Ok(Message::Info));
        let start = Start {
            id: "Match.1".to_owned(),
            role: "Red".to_owned(),
            rules: "(role Red) (init (p 1))".to_owned(),
            start_clock: Duration::from_secs(30),
            play_clock: Duration::from_secs(10),
        };
        for text in [
            "( START Match.1 Red ((role Red) (init (p 1))) 30 10 )",
            "(start Match.1 Red ((role Red) (init (p 1))) 30 10 extra (tokens))",
        ] {
            assert_eq!(Message::read(text), Ok(Message::Start(start.clone())), "{text}");
        }
        let play = |moves| Message::Play { id: "m".to_owned(), moves };
        assert_eq!(Message::read("( PLAY m NIL )"), Ok(play(None)));
        assert_eq!(Message::read("(Play m nil)"), Ok(play(None)));
        assert_eq!(
            Message::read("( PLAY m ( ( mark 1 1 ) noop ) )"),
            Ok(play(words(&["(mark 1 1)", "noop"])))
        );
        let stop = Message::Stop { id: "m".to_owned(), moves: words(&["A", "(B c)"]) };
        assert_eq!(Message::read("(STOP m (A (B c)))"), Ok(stop));
        assert_eq!(Message::read("( ABORT m )"), Ok(Message::Abort { id: "m".to_owned() }));
        let preview = Message::Preview { rules: " (role x) ".to_owned(), clock: Duration::from_secs(9) };
        assert_eq!(Message::read("( PREVIEW ( (role x) ) 9 )"), Ok(preview));
    }

    #[test]
    fn what_is_written_is_read_as_the_same() {
        let start = Start {
            id: "m1".to_owned(),
            role: "x".to_owned(),
            rules: "( role x ) ( <= terminal ( true ( at 1 ) ) )".to_owned(),
            start_clock: Duration::from_secs(5),
            play_clock: Duration::from_secs(2),
        };
        let all = [
            Message::Info,
            Message::Play { id: "m1".to_owned(), moves: None },
            Message::Play { id: "m1".to_owned(), moves: words(&["(mark 1 (at 2))", "noop"]) },
            Message::Stop { id: "m1".to_owned(), moves: words(&["a"]) },
            Message::Abort { id: "m1".to_owned() },
        ];
        for message in all {
            assert_eq!(Message::read(&message.to_string()), Ok(message));
        }
        let text = Message::Start(start.clone()).to_string();
        assert_eq!(text, "( START m1 x ( ( role x ) ( <= terminal ( true ( at 1 ) ) ) ) 5 2 )");
        let Ok(Message::Start(read)) = Message::read(&text) else { panic!("{text}") };
        assert_eq!(read.rules.trim(), start.rules);
    }

    #[test]
    fn what_is_no_message_is_refused_with_a_reason() {
        for (text, reason) in [
            ("", Malformed::Parentheses),
            ("INFO", Malformed::Parentheses),
            ("( INFO", Malformed::Parentheses),
            ("( INFO ) ( INFO )", Malformed::Parentheses),
            ("( )", Malformed::Keyword),
            ("( DANCE )", Malformed::Keyword),
            ("( (INFO) )", Malformed::Keyword),
            ("( INFO now )", Malformed::Parts),
            ("( PLAY )", Malformed::Parts),
            ("( PLAY m NIL NIL )", Malformed::Parts),
            ("( START m r ( ) 1 )", Malformed::Parts),
            ("( START (m) r ( ) 1 1 )", Malformed::Shape),
            ("( START m r rules 1 1 )", Malformed::Shape),
            ("( START m r ( ) soon 1 )", Malformed::Clock),
            ("( START m r ( ) 1 -1 )", Malformed::Clock),
            ("( START m r ( ) 1 NaN )", Malformed::Clock),
            ("( START m r ( ) 1 1e9 )", Malformed::Clock),
            ("( ABORT )", Malformed::Parts),
        ] {
            assert_eq!(Message::read(text), Err(reason), "{text}");
        }
    }
}
