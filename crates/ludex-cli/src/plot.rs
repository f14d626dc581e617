//! Figures as pictures: `ludex bench --plot`, `ludex stats --plot` and `ludex train --plot`.

use anyhow::Result;
use ludex::ask::Statistics;
use ludex::search::evaluation::Lesson;
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

/// Draws an SVG file: how long games are, and how much there is to choose in them.
pub fn statistics(path: &Path, game: &str, stats: &Statistics) -> Result<()> {
    let root = SVGBackend::new(path, (720, 640)).into_drawing_area();
    root.fill(&WHITE)?;
    let (above, below) = root.split_vertically(320);
    let lengths = &stats.duration.histogram;
    let end = stats.duration.longest as f64 + 1.0;
    let most = lengths.iter().map(|(_, count)| *count).max().unwrap_or(1) as f64;
    let share = |count: f64| 100.0 * count / stats.games.max(1) as f64;
    let mut chart = ChartBuilder::on(&above)
        .caption(format!("{game}: length of {} random games", stats.games), ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(32)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..end, 0.0..share(most) * 1.05)?;
    chart.configure_mesh().disable_x_mesh().x_desc("joint moves").y_desc("% of games").draw()?;
    chart.draw_series(lengths.iter().map(|&(length, count)| {
        let at = length as f64;
        Rectangle::new([(at - 0.45, 0.0), (at + 0.45, share(count as f64))], COLOURS[0].filled())
    }))?;
    let plies: Vec<(f64, f64)> = stats
        .plies
        .iter()
        .filter(|ply| ply.games > 0)
        .map(|ply| (ply.ply as f64, ply.branching.mean))
        .collect();
    let highest = plies.iter().map(|(_, branching)| *branching).fold(1.0, f64::max);
    let mut chart = ChartBuilder::on(&below)
        .caption(format!("joint moves to choose from, {} games", stats.sample), ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(32)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..end, 0.0..highest * 1.05)?;
    chart.configure_mesh().disable_x_mesh().x_desc("joint moves made").y_desc("branching").draw()?;
    chart.draw_series(std::iter::once(PathElement::new(plies, COLOURS[1].stroke_width(2))))?;
    root.present()?;
    Ok(())
}

/// Draws an SVG file: the points against what was known before the first round, with their 95 % intervals, and how well
/// outcomes are foretold, over the time of the training.
pub fn lessons(path: &Path, game: &str, lessons: &[Lesson]) -> Result<()> {
    let root = SVGBackend::new(path, (720, 400)).into_drawing_area();
    root.fill(&WHITE)?;
    let minutes = |lesson: &Lesson| lesson.seconds / 60.0;
    let end = lessons.iter().map(minutes).fold(0.1, f64::max) * 1.05;
    let mut chart = ChartBuilder::on(&root)
        .caption(format!("{game}: what training is worth"), ("sans-serif", 16))
        .margin(10)
        .x_label_area_size(32)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..end, 0.0..100.0)?;
    chart.configure_mesh().x_desc("minutes").y_desc("%").draw()?;
    chart.draw_series(lessons.iter().map(|lesson| {
        let bound = |sign: f64| (lesson.points + sign * lesson.confidence).clamp(0.0, 100.0);
        let at = minutes(lesson);
        PathElement::new([(at, bound(-1.0)), (at, bound(1.0))], COLOURS[4].stroke_width(1))
    }))?;
    let kinds = [
        ("points against the beginning", COLOURS[0], (|lesson| lesson.points) as fn(&Lesson) -> f64),
        ("correlation with outcomes, in hundredths", COLOURS[1], |lesson| 100.0 * lesson.correlation),
    ];
    for (name, colour, value) in kinds {
        let line: Vec<(f64, f64)> =
            lessons.iter().map(|lesson| (minutes(lesson), value(lesson).clamp(0.0, 100.0))).collect();
        chart.draw_series(line.iter().map(|&place| Circle::new(place, 3, colour.filled())))?;
        chart
            .draw_series(std::iter::once(PathElement::new(line, colour.stroke_width(2))))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
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
