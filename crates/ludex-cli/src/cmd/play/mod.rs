//! `ludex play`: a person against the engine, in the terminal.
//!
//! `typed.rs` understands what is typed, `saved.rs` keeps games in files; this file holds the conversation.

mod saved;
pub mod typed;

use super::player::settings;
use crate::args::Play;
use crate::progress::Progress;
use crate::status::{Misuse, Status};
use crate::{game, limit};
use anyhow::{Result, anyhow, bail};
use ludex::engine::engine::Engine;
use ludex::engine::fault::Fault;
use ludex::engine::prepared::Prepared;
use ludex::engine::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex::engines;
use ludex::gdl::spelling::did_you_mean;
use ludex::logic::endgame::file::RulesHash;
use ludex::search::agent::{self, Agent, AgentError};
use ludex::search::estimate::Estimate;
use ludex_board::Drawing;
use std::io::{self, BufRead, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use typed::{Command, Numbered};

/// The first engine must be there after this; nobody would wait longer before a first move.
const PREPARATION: Duration = Duration::from_secs(60);

pub fn run(args: &Play, out: &mut dyn Write) -> Result<Status> {
    if args.position.state.as_deref() == Some("-") {
        return Err(
            Misuse("standard input is for your moves; give the state itself to --state".to_owned()).into()
        );
    }
    let loaded = game::read_at(&args.game.game, &args.position, &args.bounds.budget())?;
    let engine = loaded.quick(engines::AUTO, &args.bounds.budget())?;
    let vocabulary: &Vocabulary = engine.vocabulary();
    let names: Vec<String> = vocabulary.roles().map(|role| vocabulary.show_role(role)).collect();
    let role = match &args.role {
        Some(name) => names.iter().position(|other| other == name).ok_or_else(|| {
            let near = did_you_mean(name, names.iter().map(String::as_str));
            let advice = near.unwrap_or_else(|| format!("its roles are {}", names.join(", ")));
            Misuse(format!("the game has no role `{name}`; {advice}"))
        })?,
        None => 0,
    };
    if names.is_empty() {
        return Err(Misuse("the game has no role".to_owned()).into());
    }
    let mut state = vec![0; vocabulary.words()];
    engine.worker().initial(&mut state);
    let drawing = Drawing::find(engine.vocabulary(), &state, &args.bounds.budget())?;
    let evaluations = args.evaluations.read(Some(&loaded.game()?.rules))?;
    let solved = super::player::solved(&args.solved)?;
    let rules = RulesHash::of(&loaded.game()?.rules);
    if let Some(foreign) = solved.iter().position(|solved| solved.rules != rules) {
        let shown = args.solved[foreign].display();
        bail!("`{shown}` is of no use here: it is of other rules, or of another first state");
    }
    writeln!(out, "{}: you are {}", loaded.name, names[role])?;
    out.write_all(drawing.legend().as_bytes())?;
    let clock = Duration::from_secs_f64(args.playclock);
    let settings =
        agent::Settings { ponder: false, evaluations, solved, ..settings(args.agent, args.bounds) };
    let mut session = Session {
        name: loaded.name.clone(),
        engine: &*engine,
        vocabulary,
        drawing,
        role: RoleId(role as u32),
        agents: agents(loaded.prepared()?, &names, &settings),
        names,
        states: vec![state],
        joints: Vec::new(),
        undone: Vec::new(),
        clock,
    };
    session.run(out)
}

/// One agent a role; the one of the person's own role gives hints.
fn agents(prepared: &Arc<Prepared>, names: &[String], settings: &agent::Settings) -> Vec<Agent> {
    let share = agent::Settings { memory: settings.memory / names.len(), ..settings.clone() };
    names
        .iter()
        .map(|name| {
            let agent = Agent::new(prepared.clone(), name, share.clone());
            agent.rest();
            agent
        })
        .collect()
}

/// A game between a person and the engine.
struct Session<'g> {
    name: String,
    engine: &'g dyn Engine,
    vocabulary: &'g Vocabulary,
    drawing: Drawing,
    role: RoleId,
    names: Vec<String>,
    agents: Vec<Agent>,
    states: Vec<Vec<u64>>,
    joints: Vec<Vec<MoveId>>,
    /// What was taken back, the next first, until another move is made.
    undone: Vec<Vec<MoveId>>,
    clock: Duration,
}

/// What comes of talking with the person.
enum Turn {
    /// This move.
    Move(MoveId),
    /// The state is another now.
    Elsewhere,
    /// Enough.
    Quit,
}

impl Session<'_> {
    fn run(&mut self, out: &mut dyn Write) -> Result<Status> {
        let mut worker = self.engine.worker();
        loop {
            let state = self.states.last().cloned().unwrap_or_default();
            writeln!(out, "\nStep {}", self.joints.len())?;
            out.write_all(self.drawing.scene(&state).text().as_bytes())?;
            let over = worker.is_terminal(&state).map_err(|fault| self.met(&fault))?;
            let mut legal = Vec::new();
            if over {
                let goals = self.vocabulary.roles().zip(&self.names).map(|(role, name)| {
                    let goal = worker.goal(&state, role).map_err(|fault| self.met(&fault))?;
                    Ok(format!("{name} {}", goal.map_or("none".to_owned(), |goal| goal.to_string())))
                });
                let goals = goals.collect::<Result<Vec<_>>>()?;
                writeln!(out, "The game is over. goals: {}", goals.join(", "))?;
            } else {
                worker.legal(&state, self.role, &mut legal).map_err(|fault| self.met(&fault))?;
            }
            let turn = match legal.as_slice() {
                [] if !over => {
                    return Err(anyhow!("you have no legal move: the rules do not let the game go on"));
                }
                [only] => Turn::Move(*only),
                _ => self.ask(&legal, out)?,
            };
            match turn {
                Turn::Quit => return Ok(Status::Yes),
                Turn::Elsewhere => {}
                Turn::Move(own) => {
                    let joint = self.joint(own, out)?;
                    self.undone.clear();
                    self.advance(joint)?;
                }
            }
        }
    }

    /// Talks with the person until there is a move, another state, or enough. Where the game is over there is no
    /// legal move.
    fn ask(&mut self, legal: &[MoveId], out: &mut dyn Write) -> Result<Turn> {
        let numbered: Vec<Numbered> = legal.iter().map(|&action| self.numbered(action)).collect();
        list(&numbered, out)?;
        loop {
            write!(out, "{}> ", self.names[self.role.index()])?;
            out.flush()?;
            let mut line = String::new();
            if io::stdin().lock().read_line(&mut line)? == 0 {
                writeln!(out)?;
                return Ok(Turn::Quit);
            }
            let typed = line.trim();
            if typed.is_empty() {
                continue;
            }
            let command = match typed::command(typed) {
                Some(Ok(command)) => command,
                Some(Err(reason)) => {
                    writeln!(out, "{reason}")?;
                    continue;
                }
                None if legal.is_empty() => {
                    writeln!(out, "the game is over; undo, new, history, save FILE, load FILE or quit")?;
                    continue;
                }
                None => {
                    let count = self.vocabulary.move_count(self.role) as u32;
                    let all = || (0..count).map(|id| self.numbered(MoveId(id))).collect();
                    match typed::find(typed, &numbered, &all) {
                        Ok(at) => return Ok(Turn::Move(legal[at])),
                        Err(reason) => writeln!(out, "{reason}")?,
                    }
                    continue;
                }
            };
            match command {
                Command::Quit => return Ok(Turn::Quit),
                Command::Help => writeln!(out, "{}", typed::HELP)?,
                Command::Moves => list(&numbered, out)?,
                Command::History => self.history(out)?,
                Command::Hint | Command::View if legal.is_empty() => writeln!(out, "the game is over")?,
                Command::Hint => match self.consider().best() {
                    Some(best) => {
                        let action = self.vocabulary.show_move(self.role, best.action);
                        writeln!(out, "{action} would be the engine's move")?;
                    }
                    None => writeln!(out, "the engine is not ready yet")?,
                },
                Command::View => {
                    let estimate = self.consider();
                    self.view(&estimate, out)?;
                }
                Command::Undo if self.undo() => return Ok(Turn::Elsewhere),
                Command::Undo => writeln!(out, "there is nothing to take back")?,
                Command::Redo if self.redo()? => return Ok(Turn::Elsewhere),
                Command::Redo => writeln!(out, "nothing was taken back")?,
                Command::New => {
                    self.take_back_to(0);
                    self.undone.clear();
                    return Ok(Turn::Elsewhere);
                }
                Command::Save(file) => match self.save(Path::new(&file)) {
                    Ok(()) => writeln!(out, "saved to {file}")?,
                    Err(error) => writeln!(out, "{error:#}")?,
                },
                Command::Load(file) => match self.load(Path::new(&file)) {
                    Ok(()) => return Ok(Turn::Elsewhere),
                    Err(error) => writeln!(out, "{error:#}")?,
                },
            }
        }
    }

    /// The limit that an engine met in the current state.
    fn met(&self, fault: &Fault) -> anyhow::Error {
        limit::met(&self.name, format!("step {}", self.joints.len()), fault)
    }

    /// A move of the person with the number it has all game: its place in the vocabulary, from one.
    fn numbered(&self, action: MoveId) -> Numbered {
        let text = self.vocabulary.show_move(self.role, action);
        Numbered { number: action.index() + 1, text }
    }

    /// What the engine thinks in the person's place.
    fn consider(&mut self) -> Estimate {
        let _progress = thinking(&self.names[self.role.index()], self.clock);
        self.agents[self.role.index()].consider(self.clock)
    }

    /// The moves so far, one joint move a line.
    fn history(&self, out: &mut dyn Write) -> Result<()> {
        if self.joints.is_empty() {
            writeln!(out, "no move has been made")?;
        }
        for (number, joint) in self.joints.iter().enumerate() {
            let moves = self.show(joint);
            let by_role = self.names.iter().zip(&moves).map(|(name, action)| format!("{name} {action}"));
            writeln!(out, "{:>4}. {}", number + 1, by_role.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }

    fn show(&self, joint: &[MoveId]) -> Vec<String> {
        self.vocabulary.roles().zip(joint).map(|(role, &id)| self.vocabulary.show_move(role, id)).collect()
    }

    fn save(&self, path: &Path) -> Result<()> {
        saved::save(path, &self.name, &mut *self.engine.worker(), &self.states, &self.joints)
    }

    /// Goes on with a recorded game. One that does not fit changes nothing.
    fn load(&mut self, path: &Path) -> Result<()> {
        let joints = saved::load(path, &mut *self.engine.worker(), &self.states[0])?;
        self.take_back_to(0);
        self.undone.clear();
        joints.into_iter().try_for_each(|joint| self.advance(joint))
    }

    /// The engine's opinion of the person's moves, best first, and the line it expects.
    fn view(&self, estimate: &Estimate, out: &mut dyn Write) -> Result<()> {
        const SHOWN: usize = 8;
        let mut candidates = estimate.candidates.clone();
        candidates.sort_by_key(|c| {
            let certain = c.verdict.map_or(-1, |verdict| i64::from(verdict.value));
            (std::cmp::Reverse(certain), std::cmp::Reverse(c.visits))
        });
        writeln!(out, "{:>10} {:>8}  move", "visits", "value")?;
        for candidate in candidates.iter().take(SHOWN) {
            let action = self.vocabulary.show_move(self.role, candidate.action);
            let value = match candidate.verdict {
                Some(verdict) => format!("={}", verdict.value),
                // A search by evaluation has a value of the best move only.
                None if candidate.visits == 0 => "-".to_owned(),
                None => format!("{:.1}", candidate.value),
            };
            writeln!(out, "{:>10} {value:>8}  {action}", candidate.visits)?;
        }
        let line: Vec<String> = estimate.line.iter().map(|joint| self.active(joint)).collect();
        writeln!(out, "expected: {}", line.join(", "))?;
        writeln!(out, "{} playouts, {} states in memory", estimate.playouts, estimate.nodes)?;
        Ok(())
    }

    /// A joint move, without those who only wait where somebody does more.
    fn active(&self, joint: &[MoveId]) -> String {
        let texts = self.show(joint);
        let busy: Vec<&String> = texts.iter().filter(|text| text.starts_with('(')).collect();
        if busy.is_empty() {
            return texts.join(" ");
        }
        busy.iter().map(|text| text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The person's move with those of the engine, who has not seen it.
    fn joint(&mut self, own: MoveId, out: &mut dyn Write) -> Result<Vec<MoveId>> {
        // The board stands there while the engine thinks.
        out.flush()?;
        let mut joint = Vec::with_capacity(self.names.len());
        for role in self.vocabulary.roles() {
            if role == self.role {
                joint.push(own);
                continue;
            }
            let agent = &mut self.agents[role.index()];
            let _progress = thinking(&self.names[role.index()], self.clock);
            match agent.ready(Instant::now() + PREPARATION) {
                Ok(()) | Err(AgentError::Limit(_)) => {}
                Err(error) => return Err(error.into()),
            }
            let decision = agent.choose(Instant::now() + self.clock)?;
            let named = || {
                let term = self.vocabulary.read_term(&decision.action)?;
                self.vocabulary.find_move(role, term)
            };
            joint.push(decision.id.or_else(named).ok_or(AgentError::NotReady)?);
            // Who can only wait is not worth a line.
            if decision.legal > 1 {
                writeln!(out, "{} plays {}", self.names[role.index()], agent.describe(&decision))?;
            }
        }
        Ok(joint)
    }

    /// Goes on by a joint move.
    fn advance(&mut self, joint: Vec<MoveId>) -> Result<()> {
        let texts = self.show(&joint);
        let state = self.states.last().cloned().unwrap_or_default();
        let mut next = vec![0; state.len()];
        self.engine.worker().next(&state, &joint, &mut next).map_err(|fault| self.met(&fault))?;
        for agent in &mut self.agents {
            // An agent that meets a limit still answers, with any legal move.
            match agent.advance(&texts) {
                Ok(()) | Err(AgentError::Limit(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.joints.push(joint);
        self.states.push(next);
        Ok(())
    }

    /// Whether the person has a choice in the state after so many joint moves.
    fn has_choice(&self, step: usize) -> bool {
        let mut legal = Vec::new();
        // These states were played through, so their moves are known.
        self.engine.worker().legal(&self.states[step], self.role, &mut legal).is_ok() && legal.len() > 1
    }

    /// Goes back to the last state in which the person had a choice; false if there is none.
    fn undo(&mut self) -> bool {
        let Some(before) = (0..self.joints.len()).rev().find(|&step| self.has_choice(step)) else {
            return false;
        };
        self.take_back_to(before);
        true
    }

    /// Goes forward again to the next state in which the person had a choice, or the end; false if nothing was taken back.
    fn redo(&mut self) -> Result<bool> {
        if self.undone.is_empty() {
            return Ok(false);
        }
        while let Some(joint) = self.undone.pop() {
            self.advance(joint)?;
            if self.has_choice(self.joints.len()) {
                break;
            }
        }
        Ok(true)
    }

    fn take_back_to(&mut self, step: usize) {
        let count = self.joints.len() - step;
        self.undone.extend(self.joints.drain(step..).rev());
        self.states.truncate(step + 1);
        for agent in &mut self.agents {
            agent.take_back(count);
        }
    }
}

/// The moves in columns.
fn list(moves: &[Numbered], out: &mut dyn Write) -> io::Result<()> {
    let width = moves.iter().map(|action| action.text.chars().count()).max().unwrap_or(0);
    let digits = moves.iter().map(|action| action.number.to_string().len()).max().unwrap_or(0).max(4);
    for (at, Numbered { number, text }) in moves.iter().enumerate() {
        let last = at + 1 == moves.len() || (at + 1).is_multiple_of((90 / (width + digits + 3)).max(1));
        write!(out, "{number:>digits$} {text:width$}{}", if last { "\n" } else { "  " })?;
    }
    Ok(())
}

/// Shows that an engine thinks, and for how long.
fn thinking(name: &str, clock: Duration) -> Progress {
    let (name, started) = (name.to_owned(), Instant::now());
    Progress::at_once(move || {
        let spent = started.elapsed().as_secs_f64();
        format!("{name} thinks, {spent:.1} of {:.1} s", clock.as_secs_f64())
    })
}
