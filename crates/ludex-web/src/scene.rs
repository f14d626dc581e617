//! Drawings for the page: what `ludex-board` found, as JSON. The page draws it; it decides nothing.

use ludex::engine::vocabulary::{MoveId, RoleId};
use ludex_board::scene::{Board, Colour, Fault, Glyph, Hue, Label, Mark, Outline, Point, Scene, Spot};
use ludex_board::{Drawing, Step};
use serde_json::{Value, json};
use std::collections::HashMap;

/// A position as the page draws it, with the spots that changed since the one before.
pub fn json(drawing: &Drawing, state: &[u64], before: Option<&[u64]>) -> Value {
    let scene = drawing.scene(state);
    let changed = before.map_or_else(Vec::new, |before| changed(&drawing.scene(before), &scene));
    let colours = Colours(scene.roles.iter().enumerate().map(colour_of).collect());
    let boards: Vec<Value> = scene.boards.iter().map(|board| colours.board(board)).collect();
    let asides = scene.asides.iter().map(|aside| {
        let colour = colours.name(aside.colour);
        json!({ "label": aside.label, "value": aside.value, "colour": colour, "tip": aside.tooltip })
    });
    json!({
        "width": scene.width, "height": scene.height, "colours": colours.0, "boards": boards, "changed": changed,
        "asides": asides.collect::<Vec<_>>(), "rest": scene.rest,
    })
}

/// What is clicked for a move: for each step the numbers of the spots that will do, or the words of a button.
pub fn steps(drawing: &Drawing, role: RoleId, action: MoveId) -> Vec<Value> {
    let step = |step: &Step| match step {
        Step::Spot(spot) => json!([spot.0]),
        Step::Spots(spots) => json!(spots.iter().map(|spot| spot.0).collect::<Vec<_>>()),
        Step::Button(words) => json!(words),
        _ => Value::Null,
    };
    drawing.clicks(role, action).iter().map(step).collect()
}

fn changed(before: &Scene, after: &Scene) -> Vec<u32> {
    // A thing of a tower has moved where it stands elsewhere.
    let spots = |scene: &Scene| -> HashMap<u32, (Vec<Mark>, Point)> {
        let all = scene.boards.iter().flat_map(|board| &board.spots);
        all.map(|spot| (spot.id.0, (spot.marks.clone(), spot.centre))).collect()
    };
    let (before, after) = (spots(before), spots(after));
    let mut changed: Vec<u32> =
        after.into_iter().filter(|(id, seen)| before.get(id) != Some(seen)).map(|(id, _)| id).collect();
    changed.sort_unstable();
    changed
}

/// Colours of the page for roles with other names.
const OTHERS: usize = 6;

/// The word for the colour of a role: the one it is named after (`white`, `red_player`), else one by its number.
fn colour_of((number, name): (usize, &String)) -> String {
    Hue::of(name).map_or_else(|| format!("role{}", number % OTHERS), |hue| hue.name().to_owned())
}

/// The words for the colours of the roles.
struct Colours(Vec<String>);

impl Colours {
    /// The name of a colour; none for what is nobody's.
    fn name(&self, colour: Colour) -> Option<&str> {
        match colour {
            Colour::Role(role) => self.0.get(role.index()).map(String::as_str),
            Colour::Named(hue) => Some(hue.name()),
            Colour::Neutral => None,
        }
    }

    fn board(&self, board: &Board) -> Value {
        let label = |label: &Label| json!([label.at.x, label.at.y, label.text]);
        json!({
            "kind": board.kind.name(), "title": board.title, "x": board.at.x, "y": board.at.y,
            "width": board.width, "height": board.height,
            "spots": board.spots.iter().map(|spot| self.spot(spot)).collect::<Vec<_>>(),
            "labels": board.labels.iter().map(label).collect::<Vec<_>>(),
            "dots": board.dots.iter().map(|dot| json!([dot.x, dot.y])).collect::<Vec<_>>(),
            "lines": board.lines.iter().map(|(from, to)| json!([from.x, from.y, to.x, to.y])).collect::<Vec<_>>(),
        })
    }

    fn spot(&self, spot: &Spot) -> Value {
        let outline = match &spot.outline {
            Outline::Rectangle(width, height) => json!({ "width": width, "height": height }),
            Outline::Circle(radius) => json!({ "radius": radius }),
            Outline::Polygon(points) => {
                json!({ "points": points.iter().map(|p| json!([p.x, p.y])).collect::<Vec<_>>() })
            }
        };
        let fault = spot.fault.map(|fault| match fault {
            Fault::NoValue => "nothing holds here, which should not be",
            Fault::Several => "several things hold here, which should not be",
        });
        json!({
            "id": spot.id.0, "name": spot.name, "x": spot.centre.x, "y": spot.centre.y, "outline": outline,
            "dark": spot.dark, "column": spot.column, "row": spot.row, "fault": fault,
            "ground": spot.ground.iter().map(|mark| self.mark(mark)).collect::<Vec<_>>(),
            "marks": spot.marks.iter().map(|mark| self.mark(mark)).collect::<Vec<_>>(),
        })
    }

    fn mark(&self, mark: &Mark) -> Value {
        json!({
            "glyph": glyph(&mark.glyph), "text": mark.text, "colour": self.name(mark.colour), "tip": mark.tooltip,
        })
    }
}

fn glyph(glyph: &Glyph) -> Value {
    match glyph {
        Glyph::Text(text) => json!({ "text": text }),
        Glyph::Chess(piece) => json!({ "shape": "path", "path": piece.path() }),
        Glyph::Arrow(turn) => json!({ "shape": "arrow", "turn": turn }),
        Glyph::Disc => json!({ "shape": "disc" }),
        Glyph::Crowned => json!({ "shape": "crowned" }),
        Glyph::Cross => json!({ "shape": "cross" }),
        Glyph::Ring => json!({ "shape": "ring" }),
        Glyph::Fill => json!({ "shape": "fill" }),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::colour_of;

    #[test]
    fn roles_have_the_colour_that_they_are_named_after() {
        for (role, colour) in [
            ("White", "white"),
            ("red_player", "red"),
            ("player2-blue", "blue"),
            ("x", "role3"),
            ("whitish", "role3"),
        ] {
            assert_eq!(colour_of((3, &role.to_owned())), colour, "{role}");
        }
        assert_eq!(colour_of((7, &"h".to_owned())), "role1", "there are six");
    }
}
