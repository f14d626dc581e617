//! A contact sheet: every rule sheet of a folder drawn in its initial state, or after some random moves, to be looked at.
//!
//!     cargo run --release -p ludex-board --example contact -- FOLDER OUT [STEPS]
//!
//! writes OUT/NAME.svg, pages OUT/page-N.html of thumbnails, and OUT/boards.tsv: for each sheet what was found. How to make
//! pictures of the pages is in scripts/contact-sheet.sh.

use ludex_board::Drawing;
use ludex_engine::Random;
use ludex_engine::budget::Budget;
use ludex_engine::prepared::{Interpreter, Prepared};
use ludex_gdl::rewrite::fnext::Encoding;
use ludex_gdl::{Game, Sheet};
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Thumbnails on a page.
const A_PAGE: usize = 30;
/// A sheet may take so long.
const PATIENCE: Duration = Duration::from_secs(20);

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, out, steps @ ..] = arguments.as_slice() else { return Err("FOLDER OUT [STEPS]".into()) };
    let steps: usize = steps.first().map_or(Ok(0), |steps| steps.parse())?;
    let is_sheet = |path: &PathBuf| path.extension().is_some_and(|name| name == "kif" || name == "gdl");
    let all = std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut sheets: Vec<PathBuf> = all.collect::<Result<_, _>>()?;
    sheets.retain(is_sheet);
    sheets.sort();
    std::fs::create_dir_all(out)?;
    let out = Path::new(out);
    let mut table = "sheet\tmain\trelation\twidth\theight\tothers\tclicks\tlisted\n".to_owned();
    let mut names = Vec::new();
    for path in &sheets {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match draw(path, steps) {
            Ok((row, svg)) => {
                std::fs::write(out.join(format!("{name}.svg")), svg)?;
                writeln!(table, "{name}\t{row}")?;
                names.push(name);
            }
            Err(error) => writeln!(table, "{name}\terror: {error}")?,
        }
    }
    std::fs::write(out.join("boards.tsv"), table)?;
    for (number, names) in names.chunks(A_PAGE).enumerate() {
        std::fs::write(out.join(format!("page-{}.html", number + 1)), page(names))?;
    }
    Ok(())
}

/// What was found of a sheet, as a row of the table, and its picture.
fn draw(path: &Path, steps: usize) -> Result<(String, String), Box<dyn Error>> {
    let sheet = Sheet::read_bytes(&std::fs::read(path)?, &ludex_gdl::syntax::TextLimits::default());
    let game: Game = sheet.into_game().map_err(|_| "the sheet has errors")?;
    let budget = Budget::default().within(PATIENCE);
    let engine = Prepared::new(game).interpreter(Interpreter::Tree, Encoding::Original, &budget)?;
    let vocabulary = engine.vocabulary().clone();
    let mut worker = engine.worker();
    let mut state = vec![0; vocabulary.words()];
    worker.initial(&mut state);
    let drawing = Drawing::find(&vocabulary, &state, &budget)?;
    let mut random = Random::new(1);
    for _ in 0..steps {
        if worker.is_terminal(&state)? {
            break;
        }
        let mut joint = Vec::new();
        for role in vocabulary.roles() {
            let mut legal = Vec::new();
            worker.legal(&state, role, &mut legal)?;
            let Some(&action) = legal.get(random.below(legal.len().max(1))) else { break };
            joint.push(action);
        }
        if joint.len() < vocabulary.role_count() {
            break;
        }
        let mut next = vec![0; vocabulary.words()];
        worker.next(&state, &joint, &mut next)?;
        state = next;
    }
    let layout = drawing.layout();
    let scene = drawing.scene(&state);
    let main = layout.boards.first().map_or("none\t-\t0\t0".to_owned(), |board| {
        format!("{}\t{}\t{}\t{}", board.kind, board.relation, board.width, board.height)
    });
    let others: Vec<String> = layout
        .boards
        .iter()
        .skip(1)
        .map(|board| format!("{} {} {}x{}", board.kind, board.relation, board.width, board.height))
        .collect();
    let clicks: Vec<String> = layout
        .clicks
        .iter()
        .map(|click| format!("{} {:?} {:?}", click.action, click.from, click.to))
        .collect();
    let row = format!("{main}\t{}\t{}\t{}", others.join(", "), clicks.join("; "), scene.rest.len());
    Ok((row, scene.svg()))
}

fn page(names: &[String]) -> String {
    let mut html = "<!doctype html><meta charset=\"utf-8\"><style>body{display:grid;grid-template-columns:repeat(6,1fr);\
                    gap:8px;font:12px sans-serif}figure{margin:0}img{width:100%;height:260px;object-fit:contain}</style>"
        .to_owned();
    for name in names {
        let _ = write!(
            html,
            "<figure><img src=\"{name}.svg\" alt=\"{name}\"><figcaption>{name}</figcaption></figure>"
        );
    }
    html
}
