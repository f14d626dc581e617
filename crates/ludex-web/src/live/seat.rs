//! Who plays a role, and the word for it that pages send and files keep.

use ludex::ggp::http::client::Address;
use serde::{Deserialize, Serialize};

/// Who plays a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Seat {
    /// Somebody at a page.
    Person,
    /// This program.
    Ludex,
    /// Chance.
    Random,
    /// A player that listens at an address.
    Player(Address),
}

impl Seat {
    /// True for those who are asked for a move by this program.
    pub fn is_asked_by_us(&self) -> bool {
        matches!(self, Seat::Ludex | Seat::Player(_))
    }
}

impl From<Seat> for String {
    fn from(seat: Seat) -> String {
        match seat {
            Seat::Person => "person".to_owned(),
            Seat::Ludex => "ludex".to_owned(),
            Seat::Random => "random".to_owned(),
            Seat::Player(address) => format!("http://{address}"),
        }
    }
}

impl TryFrom<String> for Seat {
    type Error = String;

    fn try_from(word: String) -> Result<Seat, String> {
        match word.as_str() {
            "person" => Ok(Seat::Person),
            "ludex" => Ok(Seat::Ludex),
            "random" => Ok(Seat::Random),
            text => {
                let address = text.strip_prefix("http://").and_then(|_| Address::read(text));
                address.map(Seat::Player).ok_or_else(|| {
                    format!("`{text}` is no seat: person, ludex, random, or the address of a player, http://HOST:PORT")
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Seat;

    #[test]
    fn seats_are_read_as_they_are_written() {
        for word in
            ["person", "ludex", "random", "http://127.0.0.1:9147", "http://[::1]:80", "http://host.example:1"]
        {
            let seat = Seat::try_from(word.to_owned()).expect("a seat");
            assert_eq!(String::from(seat), word);
        }
        let usual = Seat::try_from("http://host".to_owned()).expect("a seat at the usual port");
        assert_eq!(String::from(usual), "http://host:9147");
        for word in [
            "",
            "human",
            "http://",
            "http://a b:1",
            "file:///etc/passwd",
            "127.0.0.1:9147",
            "http://host:99999",
        ] {
            assert!(Seat::try_from(word.to_owned()).is_err(), "{word}");
        }
    }
}
