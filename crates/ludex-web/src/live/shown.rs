//! What pages, lists and files are told of a match.

use super::{Inner, Live};
use crate::refusal::Refusal;
use ludex::engine::vocabulary::{MoveId, RoleId};
use serde_json::{Value, json};

/// Branches beside the line that a page is told of, for each position.
const MOST_BRANCHES: usize = 30;

impl Live {
    /// A line for the list of matches.
    pub fn summary(&self) -> Value {
        let inner = self.inner();
        let depth = inner.positions.path(inner.positions.at()).len() - 1;
        json!({
            "id": self.id, "game": self.game.id, "name": self.game.name, "title": self.game.title,
            "step": depth, "over": inner.now.over, "began": inner.began, "seats": inner.seats,
            "goals": if inner.now.over { json!(inner.now.goals) } else { Value::Null },
        })
    }

    /// Everything that is needed to go on with it later, the rules included.
    pub fn saved(&self) -> Value {
        let inner = self.inner();
        let show = |joint: &[MoveId]| self.game.show(joint).unwrap_or_default();
        let mut summary = json!({
            "ludex_match": 1, "id": self.id, "game": self.game.id, "name": self.game.name, "rules": &*self.game.text,
            "seats": inner.seats, "clock": inner.clock, "limit": inner.limit, "began": inner.began,
            "at": inner.positions.at(), "over": inner.now.over,
        });
        summary["played"] = Value::Array(inner.positions.saved(show));
        summary
    }

    /// The position that is looked at as a picture of its own (SVG).
    pub fn picture(&self) -> Result<String, Refusal> {
        let drawing = self.game.drawing()?;
        Ok(drawing.scene(&self.inner().positions.current().state).svg())
    }

    /// Everything that a page shows of the match.
    pub fn page(&self) -> Result<Value, Refusal> {
        let inner = self.inner();
        if inner.removed {
            return Err(Refusal::missing("this match was removed"));
        }
        let vocabulary = self.game.vocabulary()?;
        let asked = self.asked(&inner);
        let drawing = self.game.drawing()?;
        let state = &inner.positions.current().state;
        let before = inner.positions.current().parent.and_then(|parent| inner.positions.get(parent));
        let scene = crate::scene::json(drawing, state, before.map(|position| &*position.state));
        let ends = inner.now.over || inner.is_stuck();
        let since = inner.times.since.elapsed().as_secs_f64();
        let roles = vocabulary.roles().zip(&self.roles).map(|(role, name)| {
            let number = role.index();
            let open = !ends && inner.chosen[number].is_none();
            let asked = asked[number] && open;
            let thinks = !inner.paused && inner.seats[number].is_asked_by_us() && open && inner.now.legal[number].len() > 1;
            Ok(json!({
                "name": name, "seat": inner.seats[number], "asked": asked, "legal": inner.now.legal[number].len(),
                "in": inner.chosen[number].is_some(), "thinks": thinks,
                "goal": inner.now.goals[number], "colour": scene["colours"][number],
                "spent": inner.spent(number), "since": if asked || thinks { json!(since) } else { Value::Null },
                "moves": if asked { self.moves(role, &inner.now.legal[number])? } else { Value::Null },
            }))
        });
        let roles = roles.collect::<Result<Vec<Value>, Refusal>>()?;
        Ok(json!({
            "id": self.id, "version": inner.version, "at": inner.positions.at(),
            "game": { "id": self.game.id, "name": self.game.name, "title": self.game.title },
            "over": inner.now.over, "stuck": inner.is_stuck(), "paused": inner.paused,
            "thinks": roles.iter().any(|role| role["thinks"] == true),
            "view": inner.view, "clock": inner.clock, "limit": inner.limit, "problem": inner.problem, "note": inner.note,
            "engine": self.game.engine()?.current().name(),
            "roles": roles, "scene": scene, "line": self.line(&inner)?,
            "forward": inner.positions.current().forward.is_some(),
        }))
    }

    /// The line through the current position: each position with its joint move, what else was played there, and what
    /// the engine expected.
    fn line(&self, inner: &Inner) -> Result<Vec<Value>, Refusal> {
        let line = inner.positions.line();
        let told = |number: usize| -> Result<Value, Refusal> {
            let joint =
                inner.positions.get(number).map(|position| position.joint.clone()).unwrap_or_default();
            Ok(json!({ "at": number, "moves": self.game.show(&joint)? }))
        };
        line.iter()
            .map(|&number| {
                let mut step = told(number)?;
                let position = inner.positions.get(number);
                let parent = position.and_then(|position| inner.positions.get(position.parent?));
                let others = parent.map(|parent| parent.children.as_slice()).unwrap_or_default().iter();
                let others = others.filter(|&&other| other != number).take(MOST_BRANCHES);
                let others = others.map(|&other| {
                    let mut told = told(other)?;
                    told["steps"] = json!(inner.positions.depth_below(other));
                    Ok(told)
                });
                step["others"] = Value::Array(others.collect::<Result<_, Refusal>>()?);
                step["values"] = json!(position.map(|position| position.values.clone()));
                Ok(step)
            })
            .collect()
    }

    fn moves(&self, role: RoleId, legal: &[MoveId]) -> Result<Value, Refusal> {
        if legal.len() > self.limits.moves {
            return Err(Refusal::full(format!("{} legal moves are more than a page can show", legal.len())));
        }
        let (vocabulary, drawing) = (self.game.vocabulary()?, self.game.drawing()?);
        let told = legal.iter().map(|&action| {
            let steps = crate::scene::steps(drawing, role, action);
            json!([action.index(), vocabulary.show_move(role, action), steps])
        });
        Ok(Value::Array(told.collect()))
    }
}
