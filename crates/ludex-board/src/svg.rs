//! A scene as a picture (SVG): calm colours that follow the page around it, light or dark; every spot can be found by its number.

use crate::scene::{Board, Colour, Glyph, Hue, Mark, Outline, Point, Scene, Spot};
use std::fmt::Write;

const LINE: f64 = 20.0;
/// The width of a letter of the lists, roughly: what is longer is broken.
const LETTER: f64 = 8.0;

/// Colours as variables, so that a page may set its own; dark where the reader likes it dark.
const STYLE: &str = "\
.ludex{--ground:#fffdf8;--ink:#2b2a27;--soft:#8a8578;--line:#cfc7b4;--light:#f6efdf;--dark:#e7dbc0;--fault:#c0392b;\
--role-0:#f8f8f5;--role-1:#35322d;--role-2:#b5483a;--role-3:#3f6fa8;--role-4:#4f8a4b;--role-5:#d8b343;--role-6:#7d5aa0;--role-7:#cf7b34;--neutral:#5a564d;\
--on-0:#2b2a27;--on-1:#f8f8f5;--on-2:#fff;--on-3:#fff;--on-4:#fff;--on-5:#2b2a27;--on-6:#fff;--on-7:#fff;\
font-family:system-ui,sans-serif;font-size:14px}\
@media(prefers-color-scheme:dark){.ludex{--ground:#1d1f21;--ink:#e6e3db;--soft:#8f8b80;--line:#4a4a48;--light:#3a3b3a;--dark:#2f3030;--neutral:#b9b4a7}}\
.ludex .spot>.edge{stroke:var(--line);fill:var(--light)}.ludex .dark>.edge{fill:var(--dark)}\
.ludex .thin>.edge{fill:var(--ground);stroke-dasharray:2 3}\
.ludex .side{stroke:var(--ink);stroke-width:5}.ludex .wall{fill:var(--soft);opacity:.6}.ludex .note{fill:var(--soft);font-size:11px}.ludex .dot{fill:var(--ink)}\
.ludex .stroke{fill:none;stroke-width:5;stroke-linecap:round}.ludex .rim{fill:none;stroke:var(--soft);stroke-width:7;stroke-linecap:round}\
.ludex .fault>.edge{stroke:var(--fault);stroke-width:3}\
.ludex text{fill:var(--ink);text-anchor:middle;dominant-baseline:central}.ludex .label{fill:var(--soft);font-size:12px}\
.ludex .rest{text-anchor:start;fill:var(--soft)}.ludex .lines{stroke:var(--line);stroke-width:2}";

impl Scene {
    /// The scene as an SVG document.
    pub fn svg(&self) -> String {
        let width = self.width.max(320.0);
        let height = self.height + 12.0 + self.rest_lines(width).len() as f64 * LINE;
        let mut out = opened(width, height);
        self.draw_into(width, &mut out);
        out.push_str("</svg>\n");
        out
    }

    /// What stands below the boards.
    fn rest_lines(&self, width: f64) -> Vec<String> {
        let asides = self.asides.iter().map(|aside| aside.tooltip.as_str());
        let words: Vec<&str> = asides.chain(self.rest.iter().map(String::as_str)).collect();
        broken(&words, ((width - 24.0) / LETTER) as usize)
    }

    /// The colour of each role: that of its name where it is a colour, else one that is left.
    fn role_colours(&self) -> Vec<usize> {
        let named = |name: &String| Hue::of(name).map(|hue| hue as usize);
        let mut taken: Vec<Option<usize>> = self.roles.iter().map(named).collect();
        for role in 0..taken.len() {
            let free = (0..Hue::ALL.len()).find(|colour| !taken.contains(&Some(*colour)));
            taken[role] = taken[role].or(free);
        }
        taken.into_iter().map(|colour| colour.unwrap_or(0)).collect()
    }

    fn draw_into(&self, width: f64, out: &mut String) {
        for board in &self.boards {
            draw(board, &self.role_colours(), out);
        }
        for (number, line) in self.rest_lines(width).iter().enumerate() {
            let at = Point { x: 12.0, y: self.height + (number as f64 + 0.5) * LINE };
            text(out, at, "rest", "", line);
        }
    }
}

fn draw(board: &Board, colours: &[usize], out: &mut String) {
    out.push_str("<g class=\"board\">\n");
    for (from, to) in &board.lines {
        let _ = writeln!(
            out,
            "<line class=\"lines\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            from.x, from.y, to.x, to.y
        );
    }
    for spot in &board.spots {
        draw_spot(spot, colours, out);
    }
    for dot in &board.dots {
        let _ = writeln!(out, "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"5\"/>", dot.x, dot.y);
    }
    for label in &board.labels {
        text(out, label.at, "label", "", &label.text);
    }
    out.push_str("</g>\n");
}

fn draw_spot(spot: &Spot, colours: &[usize], out: &mut String) {
    let class = [
        ("spot", true),
        (" dark", spot.dark),
        (" thin", is_thin(&spot.outline)),
        (" fault", spot.fault.is_some()),
    ];
    let class: String = class.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    let _ = write!(
        out,
        "<g class=\"{class}\" data-spot=\"{}\" aria-label=\"{}\">",
        spot.id.0,
        escaped(&spot.name)
    );
    let mut tips: Vec<String> = vec![spot.name.clone()];
    tips.extend(spot.ground.iter().chain(&spot.marks).map(|mark| mark.tooltip.clone()));
    let _ = write!(out, "<title>{}</title>", escaped(&tips.join("\n")));
    draw_outline(spot, "edge", out);
    for mark in &spot.ground {
        match &mark.glyph {
            Glyph::Fill => draw_outline(spot, "wall", out),
            Glyph::Text(words) => {
                let reach = spot.outline.reach();
                let at = Point { x: spot.centre.x - reach.x * 0.6, y: spot.centre.y - reach.y * 0.68 };
                text(out, at, "note", "", words);
            }
            // A wall on that side.
            Glyph::Arrow(turn) => {
                let (reach, Point { x, y }) = (room(&spot.outline) / 2.0, spot.centre);
                let _ = write!(
                    out,
                    "<line class=\"side\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" \
                     transform=\"rotate({turn} {x:.1} {y:.1})\"/>",
                    x - reach,
                    y - reach,
                    x + reach,
                    y - reach
                );
            }
            _ => draw_mark(mark, spot.centre, room(&spot.outline) * 0.8, colours, out),
        }
    }
    draw_marks(spot, colours, out);
    out.push_str("</g>\n");
}

/// A spot too narrow to hold anything: it is filled or not.
fn is_thin(outline: &Outline) -> bool {
    let reach = outline.reach();
    reach.x.min(reach.y) < 10.0
}

fn draw_outline(spot: &Spot, class: &str, out: &mut String) {
    let Point { x, y } = spot.centre;
    match &spot.outline {
        Outline::Rectangle(width, height) => {
            let (left, top) = (x - width / 2.0, y - height / 2.0);
            let _ = write!(
                out,
                "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width}\" height=\"{height}\"/>"
            );
        }
        Outline::Circle(radius) => {
            let _ = write!(out, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>");
        }
        Outline::Polygon(corners) => {
            let corners: Vec<String> =
                corners.iter().map(|c| format!("{:.1},{:.1}", x + c.x, y + c.y)).collect();
            let _ = write!(out, "<polygon class=\"{class}\" points=\"{}\"/>", corners.join(" "));
        }
    }
}

/// The side of the square in which marks are drawn.
fn room(outline: &Outline) -> f64 {
    let reach = outline.reach();
    reach.x.min(reach.y) * 2.0
}

/// Several marks stand side by side; what fills its spot fills it.
fn draw_marks(spot: &Spot, colours: &[usize], out: &mut String) {
    let (fills, marks): (Vec<&Mark>, Vec<&Mark>) =
        spot.marks.iter().partition(|mark| mark.glyph == Glyph::Fill);
    for mark in fills {
        let style = match number(mark.colour, colours) {
            Some(hue) => format!("fill:var(--role-{hue})"),
            None => "fill:var(--neutral)".to_owned(),
        };
        let _ = write!(out, "<g style=\"{style}\">");
        draw_outline(spot, "mark", out);
        out.push_str("</g>");
    }
    let room = room(&spot.outline);
    // In a square of squares, as few to a side as will do.
    let across = (marks.len() as f64).sqrt().ceil().max(1.0);
    let down = (marks.len() as f64 / across).ceil();
    for (number, mark) in marks.into_iter().enumerate() {
        let (column, row) = ((number as f64) % across, (number as f64 / across).floor());
        let at = Point {
            x: spot.centre.x + room * ((column + 0.5) / across - 0.5),
            y: spot.centre.y + room * (row + 0.5 - down / 2.0) / across,
        };
        draw_mark(mark, at, room / across, colours, out);
    }
}

/// The number of a colour in `STYLE`.
fn number(colour: Colour, colours: &[usize]) -> Option<usize> {
    match colour {
        Colour::Role(role) => Some(colours.get(role.index()).copied().unwrap_or(0)),
        Colour::Named(hue) => Some(hue as usize),
        Colour::Neutral => None,
    }
}

/// A mark in a square of this side: a shape in the colour of its role, or letters; letters that are somebody's stand on a disc.
fn draw_mark(mark: &Mark, at: Point, room: f64, colours: &[usize], out: &mut String) {
    let hue = number(mark.colour, colours);
    let fill = hue.map_or("var(--neutral)".to_owned(), |hue| format!("var(--role-{hue})"));
    let Point { x, y } = at;
    let scale = room / 36.0;
    let shape = |path: &str, class: &str, style: &str, turn: u16, out: &mut String| {
        let _ = write!(
            out,
            "<path class=\"{class}\" d=\"{path}\" transform=\"translate({x:.1} {y:.1}) scale({scale:.2}) rotate({turn})\" \
             style=\"{style}\"/>"
        );
    };
    let solid = format!("fill:{fill};stroke:var(--soft)");
    let disc = |radius: f64, out: &mut String| {
        let radius = room * radius;
        let _ = write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" style=\"{solid}\"/>");
    };
    match &mark.glyph {
        Glyph::Chess(piece) => shape(piece.path(), "mark", &solid, 0, out),
        Glyph::Arrow(turn) => shape("M0 -13L9 -2H3.5V12H-3.5V-2H-9Z", "mark", &solid, *turn, out),
        Glyph::Cross | Glyph::Ring => {
            let path = match mark.glyph {
                Glyph::Cross => "M-9 -9L9 9M9 -9L-9 9",
                _ => "M-10 0A10 10 0 1 0 10 0A10 10 0 1 0 -10 0",
            };
            shape(path, "rim", "", 0, out);
            shape(path, "stroke", &format!("stroke:{fill}"), 0, out);
        }
        Glyph::Disc | Glyph::Fill => disc(0.36, out),
        Glyph::Crowned => {
            disc(0.4, out);
            let on = hue.map_or("var(--ground)".to_owned(), |hue| format!("var(--on-{hue})"));
            shape("M-7 6H7L9 -6L4 0L0 -8L-4 0L-9 -6Z", "mark", &format!("fill:{on}"), 0, out);
        }
        Glyph::Text(shown) => {
            let letters = shown.chars().count().max(1) as f64;
            // On a disc there is less room.
            let wide = if hue.is_some() { 1.1 } else { 1.3 };
            let size = (room * 0.44).min(room * wide / letters).max(6.0);
            let mut style = format!("font-size:{size:.1}px");
            if let Some(hue) = hue {
                disc(0.4, out);
                let _ = write!(style, ";fill:var(--on-{hue})");
            }
            text(out, at, "mark", &style, shown);
        }
    }
}

fn text(out: &mut String, at: Point, class: &str, style: &str, words: &str) {
    let _ = write!(out, "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\"", at.x, at.y);
    if !style.is_empty() {
        let _ = write!(out, " style=\"{style}\"");
    }
    let _ = writeln!(out, ">{}</text>", escaped(words));
}

/// The words as XML text: what XML cannot hold is shown as what it is, unreadable.
pub(crate) fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push('\n'),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}');
            }
            letter => out.push(letter),
        }
    }
    out
}

/// The words in lines of at most so many letters; a longer word has a line of its own.
fn broken(words: &[&str], letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + word.chars().count() <= letters => {
                line.push_str("  ");
                line.push_str(word);
            }
            _ => lines.push((*word).to_owned()),
        }
    }
    lines
}

/// The scenes of a match one after the other, each for so many seconds; the last one stays.
pub fn animated(scenes: &[Scene], seconds: f64) -> String {
    let width = scenes.iter().map(|scene| scene.width).fold(320.0, f64::max);
    let lines = |scene: &Scene| scene.rest_lines(width).len() as f64;
    let height = scenes.iter().map(|scene| scene.height + 12.0 + lines(scene) * LINE).fold(0.0, f64::max);
    let mut out = opened(width, height);
    for (number, scene) in scenes.iter().enumerate() {
        let begin = number as f64 * seconds;
        let end = if number + 1 == scenes.len() {
            "fill=\"freeze\"".to_owned()
        } else {
            format!("dur=\"{seconds}s\"")
        };
        let _ = writeln!(
            out,
            "<g visibility=\"hidden\"><set attributeName=\"visibility\" to=\"visible\" begin=\"{begin}s\" {end}/>"
        );
        scene.draw_into(width, &mut out);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// The beginning of a picture: its size, its colours, its ground.
fn opened(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ludex\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n<style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" style=\"fill:var(--ground)\"/>\n"
    )
}
