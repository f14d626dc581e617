//! `ludex play`: a person against the engine, in the terminal.

use super::player::settings;
use crate::args::Play;
use crate::status::{Misuse, Status};
use crate::{game, limit};
use anyhow::{Result, anyhow};
use ludex::engine::engine::Engine;
use ludex::engine::fault::Fault;
use ludex::engine::vocabulary::{MoveId, RoleId, Vocabulary};
use ludex::engines;
use ludex::gdl::Game;
use ludex::search::agent::{self, Agent, AgentError};
use ludex::search::estimate::Estimate;
use ludex_board::Boards;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The first engine must be there after this; nobody would wait longer before a first move.
const PREPARATION: Duration = Duration::from_secs(60);

pub fn run(args: &Play, out: &mut dyn Write) -> Result<Status> {
    let loaded = game::read(&args.game.game)?;
    let engine = loaded.engine(engines::AUTO, args.bounds)?;
    let vocabulary: &Vocabulary = engine.vocabulary();
    let names: Vec<String> = vocabulary.roles().map(|role| vocabulary.show_role(role)).collect();
    let role = match &args.role {
        Some(name) => names.iter().position(|other| other == name).ok_or_else(|| {
            Misuse(format!("the game has no role `{name}`; its roles are {}", names.join(", ")))
        })?,
        None => 0,
    };
    if names.is_empty() {
        return Err(Misuse("the game has no role".to_owned()).into());
    }
    let mut state = vec![0; vocabulary.words()];
    engine.worker().initial(&mut state);
    let boards = Boards::of(vocabulary, &state);
    writeln!(out, "{}: you are {}", loaded.name, names[role])?;
    out.write_all(boards.legend().as_bytes())?;
    let game = Arc::new(loaded.game()?.clone());
    let clock = Duration::from_secs_f64(args.playclock);
    let settings = agent::Settings { ponder: false, ..settings(args.agent, args.bounds) };
    let mut session = Session {
        game: loaded.name.clone(),
        engine: &*engine,
        vocabulary,
        boards,
        role: RoleId(role as u32),
        agents: agents(&game, &names, &settings),
        names,
        states: vec![state],
        joints: Vec::new(),
        clock,
    };
    session.run(out)
}

/// One agent a role; the one of the person's own role gives hints.
fn agents(game: &Arc<Game>, names: &[String], settings: &agent::Settings) -> Vec<Agent> {
    let share = agent::Settings { memory: settings.memory / names.len(), ..settings.clone() };
    names
        .iter()
        .map(|name| {
            let agent = Agent::new(game.clone(), name, share.clone());
            agent.rest();
            agent
        })
        .collect()
}

/// A game between a person and the engine.
struct Session<'g> {
    game: String,
    engine: &'g dyn Engine,
    vocabulary: &'g Vocabulary,
    boards: Boards,
    role: RoleId,
    names: Vec<String>,
    agents: Vec<Agent>,
    states: Vec<Vec<u64>>,
    joints: Vec<Vec<MoveId>>,
    clock: Duration,
}

/// What the person wants.
enum Wish {
    Move(MoveId),
    Hint,
    View,
    Undo,
    Quit,
}

impl Session<'_> {
    fn run(&mut self, out: &mut dyn Write) -> Result<Status> {
        let mut worker = self.engine.worker();
        loop {
            let state = self.states.last().cloned().unwrap_or_default();
            writeln!(out, "\nStep {}", self.joints.len())?;
            out.write_all(self.boards.draw(self.vocabulary, &state).as_bytes())?;
            let step = self.joints.len();
            let game = self.game.clone();
            let met = |fault: Fault| limit::met(&game, format!("step {step}"), &fault);
            if worker.is_terminal(&state).map_err(met)? {
                let goals = self.vocabulary.roles().zip(&self.names).map(|(role, name)| {
                    let goal = worker.goal(&state, role).map_err(met)?;
                    Ok(format!("{name} {}", goal.map_or("none".to_owned(), |goal| goal.to_string())))
                });
                let goals = goals.collect::<Result<Vec<_>>>()?;
                writeln!(out, "The game is over. goals: {}", goals.join(", "))?;
                return Ok(Status::Yes);
            }
            let mut legal = Vec::new();
            worker.legal(&state, self.role, &mut legal).map_err(met)?;
            let own = match legal.as_slice() {
                [] => return Err(anyhow!("you have no legal move: the rules do not let the game go on")),
                [only] => *only,
                _ => match self.ask(&legal, out)? {
                    Some(action) => action,
                    None => return Ok(Status::Yes),
                },
            };
            // After an undo the question is about another state.
            if self.states.last() != Some(&state) {
                continue;
            }
            let joint = self.joint(own, out)?;
            let mut next = vec![0; state.len()];
            worker.next(&state, &joint, &mut next).map_err(met)?;
            self.advance(joint, next)?;
        }
    }

    /// Talks with the person until there is a move; `None` if it is enough. After an undo any move is given
    /// back, for the caller to see that the state is another.
    fn ask(&mut self, legal: &[MoveId], out: &mut dyn Write) -> Result<Option<MoveId>> {
        let shown: Vec<String> =
            legal.iter().map(|&action| self.vocabulary.show_move(self.role, action)).collect();
        let width = shown.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        for (at, text) in shown.iter().enumerate() {
            let last = at + 1 == shown.len() || (at + 1).is_multiple_of((90 / (width + 7)).max(1));
            write!(out, "{:>4} {text:width$}{}", at + 1, if last { "\n" } else { "  " })?;
        }
        loop {
            write!(out, "{}> ", self.names[self.role.index()])?;
            out.flush()?;
            let mut line = String::new();
            if io::stdin().lock().read_line(&mut line)? == 0 {
                writeln!(out)?;
                return Ok(None);
            }
            match wish(line.trim(), legal, &shown) {
                Some(Wish::Move(action)) => return Ok(Some(action)),
                Some(Wish::Quit) => return Ok(None),
                Some(Wish::Hint) => {
                    let estimate = self.agents[self.role.index()].consider(self.clock);
                    match estimate.best() {
                        Some(best) => {
                            let action = self.vocabulary.show_move(self.role, best.action);
                            writeln!(out, "{action} would be the engine's move")?;
                        }
                        None => writeln!(out, "the engine is not ready yet")?,
                    }
                }
                Some(Wish::View) => {
                    let estimate = self.agents[self.role.index()].consider(self.clock);
                    self.view(&estimate, out)?;
                }
                Some(Wish::Undo) => {
                    if self.undo() {
                        return Ok(legal.first().copied());
                    }
                    writeln!(out, "there is nothing to take back")?;
                }
                None => writeln!(out, "a number, a move, or one of: hint, view, undo, quit")?,
            }
        }
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
        let texts: Vec<String> = self
            .vocabulary
            .roles()
            .zip(joint)
            .map(|(role, &id)| self.vocabulary.show_move(role, id))
            .collect();
        let busy: Vec<&String> = texts.iter().filter(|text| text.starts_with('(')).collect();
        if busy.is_empty() {
            return texts.join(" ");
        }
        busy.iter().map(|text| text.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// The person's move with those of the engine, who has not seen it.
    fn joint(&mut self, own: MoveId, out: &mut dyn Write) -> Result<Vec<MoveId>> {
        let mut joint = Vec::with_capacity(self.names.len());
        for role in self.vocabulary.roles() {
            if role == self.role {
                joint.push(own);
                continue;
            }
            let agent = &mut self.agents[role.index()];
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
            let waits = decision.estimate.candidates.len() < 2;
            if !waits {
                writeln!(out, "{} plays {}", self.names[role.index()], agent.describe(&decision))?;
            }
        }
        Ok(joint)
    }

    fn advance(&mut self, joint: Vec<MoveId>, state: Vec<u64>) -> Result<()> {
        let texts: Vec<String> = self
            .vocabulary
            .roles()
            .zip(&joint)
            .map(|(role, &id)| self.vocabulary.show_move(role, id))
            .collect();
        for agent in &mut self.agents {
            // An agent that meets a limit still answers, with any legal move.
            match agent.advance(&texts) {
                Ok(()) | Err(AgentError::Limit(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.joints.push(joint);
        self.states.push(state);
        Ok(())
    }

    /// Goes back to the last state in which the person had a choice; false if there is none.
    fn undo(&mut self) -> bool {
        let mut worker = self.engine.worker();
        let mut legal = Vec::new();
        let before = self.states[..self.joints.len()].iter().rposition(|state| {
            // These states were played through, so their moves are known.
            worker.legal(state, self.role, &mut legal).is_ok() && legal.len() > 1
        });
        let Some(before) = before else { return false };
        let count = self.joints.len() - before;
        self.states.truncate(before + 1);
        self.joints.truncate(before);
        for agent in &mut self.agents {
            agent.take_back(count);
        }
        true
    }
}

fn wish(typed: &str, legal: &[MoveId], shown: &[String]) -> Option<Wish> {
    match typed {
        "hint" | "h" => return Some(Wish::Hint),
        "view" | "v" => return Some(Wish::View),
        "undo" | "u" => return Some(Wish::Undo),
        "quit" | "q" | "exit" => return Some(Wish::Quit),
        _ => {}
    }
    // A move may be a number itself: what the rules say comes before the place in the list.
    let by_text = shown.iter().position(|text| text == typed);
    let by_number = || typed.parse::<usize>().ok()?.checked_sub(1).filter(|at| *at < legal.len());
    by_text.or_else(by_number).map(|at| Wish::Move(legal[at]))
}
