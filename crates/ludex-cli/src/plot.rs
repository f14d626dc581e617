//! `ludex bench --plot`: engines and games as a picture.

use anyhow::Result;
use plotters::prelude::*;
use std::path::Path;

/// One measurement.
pub struct Figure {
    pub game: String,
    /// The engine, or the way it plays.
    pub engine: &'static str,
    pub states_per_second: f64,
}

/// Colours that stay apart for readers who do not see all of them.
const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
];

/// Draws an SVG file: a column for each game, a dot for each engine, states a second on a logarithmic scale.
pub fn draw(path: &Path, figures: &[Figure]) -> Result<()> {
    let games = in_order(figures.iter().map(|figure| figure.game.as_str()));
    let engines = in_order(figures.iter().map(|figure| figure.engine));
    let rates = || figures.iter().map(|figure| figure.states_per_second.max(1.0));
    let lowest = 10f64.powf(rates().fold(f64::INFINITY, f64::min).log10().floor());
    let highest = 10f64.powf(rates().fold(1.0, f64::max).log10().ceil()).max(lowest * 10.0);
    // The last column is empty: room for the legend.
    let width = 120 + 104 * (games.len() as u32 + 1);
    let root = SVGBackend::new(path, (width, 520)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption("random play, one thread", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d((0..games.len() as i32).into_segmented(), (lowest..highest).log_scale())?;
    let name = |value: &SegmentValue<i32>| match value {
        SegmentValue::CenterOf(game) => {
            games.get(*game as usize).map_or_else(String::new, |g| (*g).to_owned())
        }
        SegmentValue::Exact(_) | SegmentValue::Last => String::new(),
    };
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(games.len() + 1)
        .x_label_formatter(&name)
        .x_label_style(("sans-serif", 12))
        .y_label_formatter(&|rate| short(*rate))
        .y_desc("states a second of processor time")
        .draw()?;
    for (at, engine) in engines.iter().enumerate() {
        let style = COLOURS[at % COLOURS.len()].filled();
        let dots = figures.iter().filter(|figure| figure.engine == *engine).filter_map(|figure| {
            let game = games.iter().position(|game| *game == figure.game)?;
            let place = (SegmentValue::CenterOf(game as i32), figure.states_per_second.max(1.0));
            Some(Circle::new(place, 5, style))
        });
        chart.draw_series(dots)?.label(*engine).legend(move |(x, y)| Circle::new((x + 8, y), 5, style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::MiddleRight)
        .background_style(WHITE.mix(0.8))
        .border_style(BLACK)
        .draw()?;
    root.present()?;
    Ok(())
}

/// Each name once, in the order of first appearance.
fn in_order<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut seen = Vec::new();
    names.for_each(|name| {
        if !seen.contains(&name) {
            seen.push(name);
        }
    });
    seen
}

/// 1500 as 1.5k.
fn short(rate: f64) -> String {
    match rate {
        r if r >= 1e9 => format!("{}G", r / 1e9),
        r if r >= 1e6 => format!("{}M", r / 1e6),
        r if r >= 1e3 => format!("{}k", r / 1e3),
        r => format!("{r}"),
    }
}
