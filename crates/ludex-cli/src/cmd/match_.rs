//! `ludex match`: a GGP manager.

use super::play::typed::{self, Numbered};
use crate::args::Match;
use crate::progress::Progress;
use crate::status::{Misuse, Status};
use crate::{game, interrupt, json, limit};
use anyhow::{Context, Error, Result};
use ludex::engine::fault::Fault;
use ludex::engine::vocabulary::Vocabulary;
use ludex::gdl::spelling::did_you_mean;
use ludex::ggp::http::client::Address;
use ludex::ggp::manager::seat::{Briefing, Chance, Local, Remote, Reply, Seat};
use ludex::ggp::manager::tournament::{self, Score};
use ludex::ggp::manager::{self, Event, Joint, Played, Setting, Terms, Unfit};
use ludex::ggp::record::MatchRecord;
use ludex::ggp::sexp::canonical;
use ludex::search::agent;
use ludex::search::evaluation::Trained;
use ludex_board::Drawing;
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub fn run(args: &Match, out: &mut dyn Write) -> Result<Status> {
    let mut players = args.players.iter().map(|text| Player::read(text)).collect::<Result<Vec<_>>>()?;
    let loaded = game::read_at(&args.game.game, &args.position, &args.bounds.budget())?;
    let evaluations = args.evaluations.read(Some(&loaded.game()?.rules))?;
    for player in &mut players {
        if let Player::Ludex(own) = player {
            own.clone_from(&evaluations);
        }
    }
    let engine = loaded.quick(args.engine.engine, &args.bounds.budget())?;
    let setting = Setting {
        name: loaded.name.clone(),
        prepared: loaded.prepared()?.clone(),
        rules: loaded.kif().into(),
        engine,
    };
    let terms = Terms {
        start_clock: Duration::from_secs_f64(args.startclock),
        play_clock: Duration::from_secs_f64(args.playclock),
        most_steps: args.steps,
        scramble: args.scramble,
        seed: args.agent.seed,
    };
    let mut records = match &args.record {
        Some(path) => {
            let file = OpenOptions::new().create(true).append(true).open(path);
            let shown = path.display();
            Some(file.map_err(|error| Misuse(format!("`{shown}` cannot be written: {error}")))?)
        }
        None => None,
    };
    match args.matches {
        Some(matches) => many(args, &setting, &terms, &players, matches as usize, &mut records, out),
        None => one(args, &setting, &terms, &players, &mut records, out),
    }
}

/// One match, shown move by move.
fn one(
    args: &Match,
    setting: &Setting,
    terms: &Terms,
    players: &[Player],
    records: &mut Option<File>,
    out: &mut dyn Write,
) -> Result<Status> {
    let mut seats: Vec<Box<dyn Seat>> =
        players.iter().enumerate().map(|(number, player)| player.seat(args, number)).collect();
    let vocabulary: &Vocabulary = setting.engine.vocabulary();
    let roles: Vec<String> = vocabulary.roles().map(|role| vocabulary.show_role(role)).collect();
    let mut state = vec![0; vocabulary.words()];
    setting.engine.worker().initial(&mut state);
    let drawing = Drawing::find(setting.engine.vocabulary(), &state, &ludex::engine::Budget::default())?;
    manager::fits(vocabulary, seats.len()).map_err(unfit)?;
    if !args.json.json {
        let names: Vec<String> = seats.iter().map(|seat| seat.name()).collect();
        let played = manager::roles_to_play(vocabulary).into_iter().map(|role| &roles[role.index()]);
        let pairs: Vec<String> = played.zip(&names).map(|(role, name)| format!("{role} {name}")).collect();
        let (fluents, engine) = (vocabulary.fluent_count(), setting.engine.name());
        writeln!(out, "{}: {fluents} fluents, judge {engine}; {}", setting.name, pairs.join(", "))?;
    }
    let mut shown = Ok(());
    let mut watch = |event: Event<'_>| {
        if !args.json.json && shown.is_ok() {
            shown = show(&event, &roles, &drawing, out);
        }
    };
    let Played { record, fault } = manager::run(setting, &mut seats, terms, &mut watch).map_err(unfit)?;
    shown?;
    keep(records, &record)?;
    if args.json.json {
        json::line(out, &summary(setting, args.agent.seed, &record))?;
    }
    match fault {
        Some(fault) => Err(broken_off(setting, &record, &fault)),
        None => Ok(Status::of(record.is_completed)),
    }
}

/// The judge could not go on.
fn broken_off(setting: &Setting, record: &MatchRecord, fault: &Fault) -> Error {
    limit::met(&setting.name, format!("step {}", record.moves.len()), fault)
}

fn show(event: &Event<'_>, roles: &[String], drawing: &Drawing, out: &mut dyn Write) -> io::Result<()> {
    match event {
        Event::State { step, state, joint } => {
            if let Some(Joint { moves, errors, remarks }) = joint {
                let played = roles.iter().zip(*moves).zip(*errors).map(|((role, action), error)| {
                    let note = if error.is_empty() { String::new() } else { format!(" [{error}]") };
                    format!("{role} {action}{note}")
                });
                writeln!(out, "played: {}", played.collect::<Vec<_>>().join(", "))?;
                for (role, remark) in roles.iter().zip(*remarks).filter(|(_, remark)| !remark.is_empty()) {
                    writeln!(out, "{role} thinks: {remark}")?;
                }
            }
            if *step == 0 {
                out.write_all(drawing.legend().as_bytes())?;
            }
            writeln!(out, "\nStep {step}")?;
            out.write_all(drawing.scene(state).text().as_bytes())?;
        }
        Event::Over { fault: Some(_), .. } => {
            writeln!(out, "The match was broken off: the judge met a limit.")?;
        }
        Event::Over { goals, aborted, fault: None } => {
            if *aborted {
                writeln!(out, "The match was broken off.")?;
            }
            let goals = roles.iter().zip(*goals).map(|(role, goal)| match goal {
                Some(goal) => format!("{role} {goal}"),
                None => format!("{role} none"),
            });
            writeln!(out, "goals: {}", goals.collect::<Vec<_>>().join(", "))?;
        }
    }
    out.flush()
}

/// Players that do not fit the game are the caller's mistake; one that is not there is a failure.
fn unfit(error: Unfit) -> anyhow::Error {
    match error {
        Unfit::Unreachable { .. } => error.into(),
        error => Misuse(error.to_string()).into(),
    }
}

/// A round robin and its table.
fn many(
    args: &Match,
    setting: &Setting,
    terms: &Terms,
    players: &[Player],
    matches: usize,
    records: &mut Option<File>,
    out: &mut dyn Write,
) -> Result<Status> {
    let roles = manager::roles_to_play(setting.engine.vocabulary()).len();
    let count = tournament::pairings(players.len(), roles, matches).len();
    let progress = Progress::bar("playing", count as u64);
    let mut played = 0;
    let mut all_completed = true;
    let mut failed = Ok(());
    let mut stuck = None;
    // Each seat of each match has its own seed, or all matches would begin alike.
    let mut seats = 0;
    let mut make = |number: usize| {
        seats += 1;
        players[number].seat(args, seats)
    };
    // What is finished is told whatever happens: Ctrl-C, a player that has gone, the end.
    let finished: Arc<Mutex<Vec<Score>>> = Arc::default();
    let (told, as_json) = (finished.clone(), args.json.json);
    let armed = interrupt::closing(move |out| table(&locked(&told), as_json, out));
    let mut report = |one: &Played, scores: &[Score]| {
        let record = &one.record;
        played += 1;
        stuck = stuck.take().or(one.fault.as_ref().map(|fault| broken_off(setting, record, fault)));
        progress.set(played);
        all_completed &= record.is_completed;
        *locked(&finished) = scores.to_vec();
        let written = keep(records, record).and_then(|()| match as_json {
            true => Ok(json::line(out, &summary(setting, args.agent.seed, record))?),
            false => Ok(()),
        });
        if failed.is_ok() {
            failed = written;
        }
    };
    let ended = tournament::play(setting, players.len(), matches, terms, &mut make, &mut report);
    drop(armed);
    drop(progress);
    failed?;
    match ended {
        Ok(scores) => table(&scores, as_json, out)?,
        Err(error) => {
            let scores = locked(&finished);
            if !scores.is_empty() {
                table(&scores, as_json, out)?;
            }
            return Err(unfit(error));
        }
    }
    stuck.map_or(Ok(Status::of(all_completed)), Err)
}

fn locked(scores: &Mutex<Vec<Score>>) -> MutexGuard<'_, Vec<Score>> {
    scores.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The scores, a line for each player.
fn table(scores: &[Score], as_json: bool, out: &mut dyn Write) -> io::Result<()> {
    if !as_json {
        let (player, matches, mean) = ("player", "matches", "mean goal");
        writeln!(out, "{player:24} {matches:>8} {mean:>10} {:>8} {:>8} {:>8}", "+-95%", "best", "errors")?;
    }
    for score in scores {
        let confidence = score.confidence();
        if as_json {
            let answer = json!({
                "player": score.name,
                "matches": score.matches,
                "mean": score.mean(),
                "confidence": confidence,
                "best": score.best,
                "errors": score.errors,
            });
            json::line(out, &answer)?;
        } else {
            let width = confidence.map_or("-".to_owned(), |width| format!("{width:.1}"));
            let (mean, matches) = (score.mean(), score.matches);
            write!(out, "{:24} {matches:>8} {mean:>10.1} {width:>8} ", score.name)?;
            writeln!(out, "{:>8} {:>8}", score.best, score.errors)?;
        }
    }
    Ok(())
}

/// A match in one line.
fn summary(setting: &Setting, seed: u64, record: &MatchRecord) -> serde_json::Value {
    let vocabulary = setting.engine.vocabulary();
    let roles: Vec<String> = vocabulary.roles().map(|role| vocabulary.show_role(role)).collect();
    // Records have blanks around parentheses, as servers write them; everything else spells moves as the rules do.
    let spelt = |joint: &Vec<String>| canonical(&joint.join(" ")).unwrap_or_else(|_| joint.clone());
    json!({
        "match": record.match_id,
        "game": setting.name,
        "roles": roles,
        "players": record.player_names_from_host,
        "seed": seed,
        "steps": record.moves.len(),
        "moves": record.moves.iter().map(spelt).collect::<Vec<_>>(),
        "completed": record.is_completed,
        "goals": record.goal_values,
        "errors": record.errors.iter().flatten().filter(|error| !error.is_empty()).collect::<Vec<_>>(),
    })
}

fn keep(records: &mut Option<File>, record: &MatchRecord) -> Result<()> {
    match records {
        Some(file) => writeln!(file, "{}", record.line()).context("the record cannot be written"),
        None => Ok(()),
    }
}

/// What can be typed for a player.
enum Player {
    At(Address),
    Ludex(Vec<Arc<Trained>>),
    Untrained,
    Plain,
    Random,
    Human,
}

impl Player {
    fn read(text: &str) -> Result<Player> {
        Ok(match text {
            "ludex" => Player::Ludex(Vec::new()),
            "untrained" => Player::Untrained,
            "plain" => Player::Plain,
            "random" => Player::Random,
            "human" => Player::Human,
            // A bare word is a misspelling more often than a machine.
            other if other.contains([':', '.']) || other == "localhost" => match Address::read(other) {
                Some(address) => Player::At(address),
                None => return Err(Misuse(format!("`{other}` is no address")).into()),
            },
            other => {
                let known = "a player is an address, or one of ludex, untrained, plain, random, human";
                let near = did_you_mean(other, ["ludex", "untrained", "plain", "random", "human"]);
                let advice = near.unwrap_or_else(|| known.to_owned());
                return Err(Misuse(format!("`{other}` is no player: {advice}")).into());
            }
        })
    }

    fn seat(&self, args: &Match, number: usize) -> Box<dyn Seat> {
        let seed = args.agent.seed.wrapping_add(number as u64);
        match self {
            Player::At(address) => Box::new(Remote::new(address.clone())),
            Player::Random => Box::new(Chance),
            Player::Human => Box::new(Human::default()),
            Player::Ludex(evaluations) => {
                let settings = super::player::settings(args.agent, args.bounds);
                let evaluations = evaluations.clone();
                Box::new(Local::new("ludex", agent::Settings { seed, evaluations, ..settings }))
            }
            Player::Untrained => {
                let settings = super::player::settings(args.agent, args.bounds);
                Box::new(Local::new("untrained", agent::Settings { seed, ..settings }))
            }
            Player::Plain => {
                let settings = super::player::plain(args.agent, args.bounds);
                Box::new(Local::new("plain", agent::Settings { seed, ..settings }))
            }
        }
    }
}

/// A person at the terminal, without a clock.
#[derive(Default)]
struct Human {
    role: String,
}

impl Seat for Human {
    fn name(&self) -> String {
        "human".to_owned()
    }

    fn is_human(&self) -> bool {
        true
    }

    fn start(&mut self, briefing: &Briefing) -> Reply {
        self.role.clone_from(&briefing.role);
        Reply::Pass
    }

    fn play(&mut self, _: Option<&[String]>, legal: &[String]) -> Reply {
        if let [only] = legal {
            return Reply::Move(only.clone());
        }
        let mut err = io::stderr();
        let numbered: Vec<Numbered> = legal
            .iter()
            .enumerate()
            .map(|(at, text)| Numbered { number: at + 1, text: text.clone() })
            .collect();
        let list: Vec<String> =
            numbered.iter().map(|action| format!("{} {}", action.number, action.text)).collect();
        let list = list.join("   ");
        let _ = writeln!(err, "{list}");
        loop {
            let _ = write!(err, "{}> ", self.role);
            let mut line = String::new();
            // Who has gone away leaves the rest to chance.
            if !matches!(io::stdin().lock().read_line(&mut line), Ok(count) if count > 0) {
                return Reply::Pass;
            }
            if line.trim() == "moves" {
                let _ = writeln!(err, "{list}");
                continue;
            }
            match typed::find(line.trim(), &numbered, &|| numbered.clone()) {
                Ok(at) => return Reply::Move(legal[at].clone()),
                Err(reason) => {
                    let _ = writeln!(err, "{reason}");
                }
            }
        }
    }

    fn stop(&mut self, _: Option<&[String]>) {}
}
