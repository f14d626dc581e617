//! Ways to treat rules that must not change what they mean.

use crate::corpus::into_game;
use ludex_gdl::analysis::turns::impossible_joint_moves;
use ludex_gdl::budget::Budget;
use ludex_gdl::rewrite::fnext::{Encoding, encode, explicit};
use ludex_gdl::syntax::print;
use ludex_gdl::{Game, Rules, Sheet};

/// What happens to a sheet before an engine sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// Nothing.
    AsWritten,
    /// Printed as KIF and read again.
    Kif,
    /// Printed in infix notation and read again.
    Infix,
    /// The lowered rules, printed as KIF and read again.
    RulesKif,
    /// The lowered rules, printed in infix notation and read again.
    RulesInfix,
    /// Translated for the frame problem.
    Encoded(Encoding),
    /// Translated, with the frame relation written into the rules, printed as KIF and read again.
    Explicit,
}

impl Treatment {
    /// All of them, the plain one first.
    pub const ALL: [Treatment; 9] = [
        Treatment::AsWritten,
        Treatment::Kif,
        Treatment::Infix,
        Treatment::RulesKif,
        Treatment::RulesInfix,
        Treatment::Encoded(Encoding::Direct),
        Treatment::Encoded(Encoding::Pruned),
        Treatment::Encoded(Encoding::Relevant),
        Treatment::Explicit,
    ];

    /// The game after the treatment. Unless it is a translation, its rules are those of the sheet, or it is
    /// an error.
    pub fn apply(self, sheet: &Sheet) -> Result<Game, String> {
        let game = into_game(sheet.clone())?;
        let text = match self {
            Treatment::AsWritten => return Ok(game),
            Treatment::Encoded(encoding) => return Ok(encoded(&game, encoding)),
            Treatment::Explicit => {
                let text = print::kif(&explicit(&encoded(&game, Encoding::Relevant)).rules.to_tree());
                return into_game(Sheet::read(&text)).map_err(|e| format!("{self:?}: {e}\n{text}"));
            }
            Treatment::Kif => print::kif(&sheet.tree),
            Treatment::Infix => print::infix(&sheet.tree),
            Treatment::RulesKif => print::kif(&game.rules.to_tree()),
            Treatment::RulesInfix => print::infix(&game.rules.to_tree()),
        };
        let again = into_game(Sheet::read(&text)).map_err(|e| format!("{self:?}: {e}"))?;
        if again.rules != game.rules {
            return Err(format!(
                "{self:?}: the rules have changed: {}",
                difference(&game.rules, &again.rules)
            ));
        }
        Ok(again)
    }
}

/// The game in that encoding, with what can be proved impossible left out.
pub fn encoded(game: &Game, encoding: Encoding) -> Game {
    encode(game, encoding, &impossible_joint_moves(game), &Budget::default())
}

/// The first rule in which two lists of rules differ.
pub fn difference(before: &Rules, after: &Rules) -> String {
    for at in 0..before.rules().len().max(after.rules().len()) {
        let one = |rules: &Rules| rules.with_rules(rules.rules().get(at).cloned());
        let (left, right) = (one(before), one(after));
        if left != right {
            let show =
                |rules: &Rules| print::kif(&rules.to_tree()).split_whitespace().collect::<Vec<_>>().join(" ");
            let (left, right) = (show(&left), show(&right));
            let same = if left == right { " (the variables are numbered in another order)" } else { "" };
            return format!("rule {at}: `{left}` became `{right}`{same}");
        }
    }
    "the rules are equal".to_owned()
}
