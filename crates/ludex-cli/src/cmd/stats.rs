//! `ludex stats`: what play of a game is like.

use crate::args::Stats;
use crate::progress::making;
use crate::status::{Misuse, Status};
use crate::{game, json, plot};
use anyhow::{Context, Result};
use ludex::ask::{Contest, Mean, Share, Statistics};
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};

pub fn run(args: &Stats, out: &mut dyn Write) -> Result<Status> {
    let time = Duration::from_secs_f64(args.time);
    let started = Instant::now();
    let loaded = game::read_at(&args.game.game, &args.position, &args.budget().within(time))?;
    let game = loaded.for_people()?;
    let stats = making(format!("playing {}", loaded.name), &args.budget(), |budget| {
        let mut stats = game.stats().games(args.games).sample(args.sample).seed(args.seed);
        stats = stats.longest(args.steps).time(time.saturating_sub(started.elapsed())).budget(budget);
        if let Some(threads) = args.threads {
            stats = stats.threads(threads.into());
        }
        if let Some(skill) = args.skill {
            stats = stats.skill(Duration::from_secs_f64(skill), args.weak, args.strong);
        }
        stats.run()
    });
    let stats = stats.with_context(|| format!("no statistics of {}", loaded.name))?;
    if let Some(path) = &args.plot {
        plot::statistics(path, &loaded.name, &stats)
            .map_err(|error| Misuse(format!("`{}` cannot be written: {error}", path.display())))?;
    }
    if args.json.json {
        json::line(out, &object(&loaded.name, &stats))?;
    } else {
        text(&loaded.name, &stats, out)?;
    }
    Ok(Status::Yes)
}

fn object(name: &str, stats: &Statistics) -> Value {
    let roles = stats.roles.iter().map(|role| {
        let goals = role.goals.iter().map(|(goal, count)| json!({ "goal": goal, "games": count }));
        json!({
            "role": role.role, "wins": share(role.wins), "goal": role.goal, "goals": goals.collect::<Vec<_>>(),
        })
    });
    let plies = stats.plies.iter().map(|ply| {
        json!({
            "ply": ply.ply, "games": ply.games, "branching": ply.branching.mean,
            "decisions": ply.decisions.value(), "seen": ply.seen, "states": ply.states, "estimate": ply.estimate,
        })
    });
    let histogram = stats.duration.histogram.iter();
    let histogram = histogram.map(|(length, count)| json!({ "length": length, "games": count }));
    json!({
        "game": name,
        "engine": stats.engine,
        "games": stats.games,
        "ended": share(stats.ended),
        "timeouts": share(stats.timeouts),
        "stuck": share(stats.stuck),
        "roles": roles.collect::<Vec<_>>(),
        "drawishness": stats.drawishness.map(share),
        "completion": stats.completion.map(share),
        "balance": stats.balance,
        "first_mover": stats.first_mover.as_ref().map(|first| json!({
            "role": first.role, "wins": share(first.wins), "advantage": first.advantage,
        })),
        "duration": {
            "turns": mean(stats.duration.turns),
            "shortest": stats.duration.shortest,
            "longest": stats.duration.longest,
            "histogram": histogram.collect::<Vec<_>>(),
        },
        "sample": stats.sample,
        "branching_factor": mean(stats.branching_factor),
        "decision_moves": share(stats.decision_moves),
        "plies": plies.collect::<Vec<_>>(),
        "game_tree_complexity": stats.game_tree_complexity,
        "lines": stats.lines_estimate,
        "states": {
            "exact": stats.states.exact, "seen": stats.states.seen, "estimate": stats.states.estimate,
        },
        "last_mover": stats.last_mover.map(share),
        "values": stats.values.as_ref().map(|values| json!({
            "roles": values.roles.iter().map(|(role, value)| json!({ "role": role, "value": value })).collect::<Vec<_>>(),
            "games": values.games,
            "lead_change": share(values.lead_change),
            "decisiveness": mean(values.decisiveness),
        })),
        "skill": stats.skill.as_ref().map(|skill| json!({
            "iterations": skill.iterations,
            "weak": contest(&skill.weak), "strong": contest(&skill.strong), "mixed": contest(&skill.mixed),
        })),
    })
}

fn share(share: Share) -> Value {
    let (low, high) = share.interval();
    json!({ "count": share.count, "of": share.of, "share": share.value(), "low": low, "high": high })
}

fn mean(mean: Mean) -> Value {
    let (low, high) = mean.interval();
    json!({ "mean": mean.mean, "deviation": mean.deviation, "low": low, "high": high })
}

fn contest(contest: &Contest) -> Value {
    json!({
        "games": contest.games,
        "wins": contest.wins.iter().map(|&wins| share(wins)).collect::<Vec<_>>(),
        "draws": share(contest.draws),
        "goal": mean(contest.goal),
    })
}

/// `55.6 % [55.5, 55.7]`.
fn percent(share: Share) -> String {
    let (low, high) = share.interval();
    format!("{:.1} % [{:.1}, {:.1}]", 100.0 * share.value(), 100.0 * low, 100.0 * high)
}

fn text(name: &str, stats: &Statistics, out: &mut dyn Write) -> Result<()> {
    let Statistics { games, engine, sample, .. } = stats;
    writeln!(out, "{name}: {games} random games ({engine}), {sample} seen state by state; [95 % intervals]")?;
    let alone = stats.roles.len() == 1;
    for role in &stats.roles {
        let goal = role.goal.map_or("none".to_owned(), |goal| format!("{goal:.1}"));
        let word = if alone { "gets the best goal seen" } else { "wins" };
        writeln!(out, "  {:<16} {word} {}, mean goal {goal}", role.role, percent(role.wins))?;
    }
    if let Some(draws) = stats.drawishness {
        writeln!(out, "  {:<16} {}", "draws", percent(draws))?;
    }
    if let Some(first) = &stats.first_mover {
        let advantage = 100.0 * first.advantage;
        writeln!(
            out,
            "  {:<16} {}: wins {}, with half of the draws {advantage:.1} %",
            "first mover",
            first.role,
            percent(first.wins)
        )?;
    }
    if let Some(balance) = stats.balance {
        writeln!(out, "  {:<16} {balance:.3}", "balance")?;
    }
    for (word, share) in [("broken off", stats.timeouts), ("stuck", stats.stuck)] {
        if share.count > 0 {
            writeln!(out, "  {word:<16} {}", percent(share))?;
        }
    }
    let duration = &stats.duration;
    let Mean { mean, deviation, .. } = duration.turns;
    let (shortest, longest) = (duration.shortest, duration.longest);
    writeln!(
        out,
        "  {:<16} {mean:.2} joint moves, deviation {deviation:.2}, {shortest} to {longest}",
        "length"
    )?;
    histogram(&duration.histogram, out)?;
    let branching = stats.branching_factor;
    writeln!(
        out,
        "  {:<16} {:.2} joint moves to choose from, deviation {:.2}",
        "branching", branching.mean, branching.deviation
    )?;
    writeln!(out, "  {:<16} {}", "with a choice", percent(stats.decision_moves))?;
    let lines =
        stats.lines_estimate.map_or(String::new(), |lines| format!("; 10^{lines:.1} by random matches"));
    writeln!(
        out,
        "  {:<16} 10^{:.1} by branching and length{lines}",
        "lines of play", stats.game_tree_complexity
    )?;
    let states = stats.states;
    match states.exact {
        Some(exact) => writeln!(out, "  {:<16} {exact}", "states")?,
        None => writeln!(
            out,
            "  {:<16} at least {}; by what was seen once and twice {:.2e}",
            "states", states.seen, states.estimate
        )?,
    }
    if let Some(last) = stats.last_mover {
        writeln!(out, "  {:<16} wins {} of the games with a winner", "last to choose", percent(last))?;
    }
    if let Some(values) = &stats.values {
        let shown: Vec<String> = values.roles.iter().map(|(role, value)| format!("{role} {value}")).collect();
        writeln!(out, "  {:<16} {}", "best play", shown.join(", "))?;
        writeln!(out, "  {:<16} after {} of the moves", "lead changes", percent(values.lead_change))?;
        writeln!(
            out,
            "  {:<16} for the last {:.1} % of a match",
            "settled",
            100.0 * values.decisiveness.mean
        )?;
    }
    if let Some(skill) = &stats.skill {
        let [weak, strong] = skill.iterations;
        writeln!(out, "  Ludex against itself, {weak} and {strong} iterations a move:")?;
        let by_role = |contest: &Contest| {
            let wins = stats.roles.iter().zip(&contest.wins);
            let wins: Vec<String> =
                wins.map(|(role, wins)| format!("{} {}", role.role, percent(*wins))).collect();
            format!("{} games, {}, mean goal {:.1}", contest.games, wins.join(", "), contest.goal.mean)
        };
        writeln!(out, "  {:<16} {}", "weak", by_role(&skill.weak))?;
        writeln!(out, "  {:<16} {}", "strong", by_role(&skill.strong))?;
        if let [won, lost] = skill.mixed.wins[..]
            && !alone
        {
            let games = skill.mixed.games;
            writeln!(
                out,
                "  {:<16} {games} games, strong wins {}, weak {}",
                "strong and weak",
                percent(won),
                percent(lost)
            )?;
        }
    }
    Ok(())
}

/// At most so many bars.
const BARS: usize = 12;

/// Lengths as bars, several lengths a bar where there are many.
fn histogram(lengths: &[(u64, u64)], out: &mut dyn Write) -> Result<()> {
    let [Some(&(first, _)), Some(&(last, _))] = [lengths.first(), lengths.last()] else { return Ok(()) };
    let width = (last - first + 1).div_ceil(BARS as u64).max(1);
    let mut bars = vec![0; ((last - first) / width + 1) as usize];
    lengths.iter().for_each(|(length, count)| bars[((length - first) / width) as usize] += count);
    let most = bars.iter().copied().max().unwrap_or(1).max(1);
    for (number, count) in (0..).zip(bars) {
        let (from, to) = (first + number * width, (first + (number + 1) * width - 1).min(last));
        let label = if from == to { from.to_string() } else { format!("{from}-{to}") };
        writeln!(out, "    {label:>11} {:<40} {count}", "#".repeat((count * 40).div_ceil(most) as usize))?;
    }
    Ok(())
}
