//! Names play no part in what is a board.

use crate::drawing;
use ludex_board::Layout;
use ludex_gdl::Sheet;
use ludex_ggp::scramble::Scrambler;
use ludex_testkit::corpus;

/// What must not depend on names: kinds, sizes, arguments that are clicked.
fn geometry(layout: &Layout) -> String {
    let boards = layout.boards.iter().map(|board| format!("{} {} {}", board.kind, board.width, board.height));
    let clicks = layout.clicks.iter().map(|click| format!("{:?} {:?}", click.from, click.to));
    boards.chain(clicks).collect::<Vec<_>>().join("; ")
}

/// A sample; with `LUDEX_SLOW=1` all.
#[test]
fn scrambled_sheets_have_the_same_boards() {
    let all = std::env::var_os("LUDEX_SLOW").is_some();
    let sheets = corpus::shared_games("boards of scrambled sheets");
    let sample = sheets.iter().enumerate().filter(|(number, _)| all || number % 14 == 0);
    let mut differences = Vec::new();
    for (_, source) in sample.chain(corpus::games().iter().enumerate()) {
        let text = String::from_utf8_lossy(&source.bytes);
        let Ok(game) = source.game() else { continue };
        let plain: String = text
            .lines()
            .map(|line| line.split(';').next().unwrap_or_default())
            .collect::<Vec<_>>()
            .join("\n")
            .to_lowercase();
        let scrambled = Scrambler::new(&plain, 11).scramble(&plain);
        // Sheets in the other notation are not scrambled by servers.
        let Ok(other) = Sheet::read(&scrambled).into_game() else { continue };
        let (as_written, as_scrambled) =
            (geometry(&drawing(game).0.layout()), geometry(&drawing(other).0.layout()));
        if as_written != as_scrambled {
            differences.push(format!("{}: {as_written} | {as_scrambled}", source.name));
        }
    }
    assert!(differences.is_empty(), "{differences:#?}");
}
