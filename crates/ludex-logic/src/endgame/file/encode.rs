//! From a regression or a solution to the bytes of its file.

use super::{
    Form, HEADER, MAGIC, NO_DEPTH, NO_GOAL, Overview, RulesHash, TAGS, Tag, VERSION, checksum, hash_state,
    rules_text,
};
use crate::endgame::Kind;
use crate::endgame::bdd::{Bdd, Bdds};
use crate::endgame::cover::Covers;
use crate::endgame::regress::{Layers, Summary};
use crate::endgame::solve::Solution;
use ludex_engine::engine::Goal;
use ludex_engine::vocabulary::{FluentId, Vocabulary};
use ludex_gdl::Game;

/// What a regression puts into its file.
pub(crate) struct Content<'c> {
    pub(crate) game: &'c Game,
    pub(crate) vocabulary: &'c Vocabulary,
    pub(crate) bdds: &'c Bdds,
    pub(crate) covers: &'c Covers,
    pub(crate) lists: &'c [Layers],
    pub(crate) values: &'c [Vec<Option<Goal>>],
    pub(crate) groups: &'c [Vec<FluentId>],
    pub(crate) summary: &'c Summary,
}

/// The file of a regression. Levels of the diagrams are the numbers of the fluents.
pub(crate) fn regression(content: &Content<'_>) -> Vec<u8> {
    let mut nodes = Vec::with_capacity(content.bdds.len() * 12);
    for at in 0..content.bdds.len() as u32 {
        let (low, high) = content.bdds.ways(Bdd(at));
        for number in [content.bdds.level(Bdd(at)), low.0, high.0] {
            nodes.extend_from_slice(&number.to_le_bytes());
        }
    }
    let mut parts = Vec::with_capacity(content.covers.parts.len() * 16);
    for part in &content.covers.parts {
        for number in [part.level, part.without.0, part.with.0, part.free.0] {
            parts.extend_from_slice(&number.to_le_bytes());
        }
    }
    let mut lists = Vec::new();
    for list in content.lists {
        let kind = match list.kind {
            Kind::Reachable => 0,
            Kind::Forced => 1,
        };
        for number in
            [list.role.0, kind, list.depths.0, list.layers.len() as u32, u32::from(list.complete), 0]
        {
            lists.extend_from_slice(&number.to_le_bytes());
        }
        for layer in &list.layers {
            lists.extend_from_slice(&u64::from(layer.cover.0).to_le_bytes());
            lists.extend_from_slice(&layer.entries.to_le_bytes());
        }
    }
    let summary = content.summary;
    let overview = Overview {
        roles: content.vocabulary.role_count() as u32,
        words: content.vocabulary.words() as u32,
        fluents: content.vocabulary.fluent_count() as u32,
        depth: summary.depth,
        complete: summary.complete,
        sum: None,
        groups: summary.groups as u32,
    };
    let sections = [
        (Tag::Overview, overview.encode()),
        (Tag::Nodes, nodes),
        (Tag::Lists, lists),
        (Tag::Parts, parts),
        (Tag::Values, encode_values(content.values)),
        (Tag::Groups, encode_groups(content.groups)),
    ];
    assemble(Form::Regression, content.game, &sections)
}

/// Each group as its length and its fluents.
fn encode_groups(groups: &[Vec<FluentId>]) -> Vec<u8> {
    let numbers = groups
        .iter()
        .flat_map(|group| std::iter::once(group.len() as u32).chain(group.iter().map(|fluent| fluent.0)));
    numbers.flat_map(u32::to_le_bytes).collect()
}

fn encode_values(values: &[Vec<Option<Goal>>]) -> Vec<u8> {
    values.iter().flatten().flat_map(|value| value.unwrap_or(NO_GOAL).to_le_bytes()).collect()
}

/// The file of a solution.
pub(crate) fn solution(game: &Game, vocabulary: &Vocabulary, solution: &Solution) -> Vec<u8> {
    let space = &solution.space;
    let count = space.len();
    let states: Vec<u8> = (0..count).flat_map(|at| space.state(at)).flat_map(|w| w.to_le_bytes()).collect();
    let size = (count * 3 / 2).next_power_of_two().max(4);
    let mut slots = vec![u32::MAX; size];
    for at in 0..count {
        let mut slot = hash_state(space.state(at)) as usize & (size - 1);
        while slots[slot] != u32::MAX {
            slot = (slot + 1) & (size - 1);
        }
        slots[slot] = at as u32;
    }
    let slots = slots.iter().flat_map(|slot| slot.to_le_bytes()).collect();
    let mut records = Vec::with_capacity(count * vocabulary.role_count() * 8);
    for at in 0..count {
        for role in vocabulary.roles() {
            let verdict = solution.verdict(at, role);
            let depth =
                |depth: Option<u32>| depth.map_or(NO_DEPTH, |d| d.min(u32::from(NO_DEPTH) - 1) as u16);
            records.extend_from_slice(&verdict.value.unwrap_or(NO_GOAL).to_le_bytes());
            records.extend_from_slice(&depth(verdict.depth).to_le_bytes());
            records.extend_from_slice(&depth(verdict.reachable).to_le_bytes());
        }
    }
    let best: Vec<Vec<Option<Goal>>> = vec![solution.best.clone()];
    let overview = Overview {
        roles: vocabulary.role_count() as u32,
        words: vocabulary.words() as u32,
        fluents: vocabulary.fluent_count() as u32,
        depth: solution.depth(),
        complete: true,
        sum: solution.sum,
        groups: 0,
    };
    let sections = [
        (Tag::Overview, overview.encode()),
        (Tag::States, states),
        (Tag::Slots, slots),
        (Tag::Records, records),
        (Tag::Values, encode_values(&best)),
    ];
    assemble(Form::Solution, game, &sections)
}

fn assemble(form: Form, game: &Game, sections: &[(Tag, Vec<u8>)]) -> Vec<u8> {
    let rules = rules_text(&game.rules);
    let hash = RulesHash::of_text(&rules);
    let mut ranges = [(0u64, 0u64); TAGS];
    let mut body = vec![0; TAGS * 16];
    for (tag, bytes) in std::iter::once((Tag::Rules, rules.as_bytes()))
        .chain(sections.iter().map(|(tag, bytes)| (*tag, bytes.as_slice())))
    {
        body.resize(body.len().next_multiple_of(8), 0);
        ranges[tag as usize] = (body.len() as u64, bytes.len() as u64);
        body.extend_from_slice(bytes);
    }
    for (at, (start, length)) in ranges.iter().enumerate() {
        body[at * 16..at * 16 + 8].copy_from_slice(&start.to_le_bytes());
        body[at * 16 + 8..at * 16 + 16].copy_from_slice(&length.to_le_bytes());
    }
    let mut file = Vec::with_capacity(HEADER + body.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&VERSION.to_le_bytes());
    let form: u32 = if form == Form::Regression { 1 } else { 2 };
    file.extend_from_slice(&form.to_le_bytes());
    file.extend_from_slice(&hash.0);
    file.extend_from_slice(&(body.len() as u64).to_le_bytes());
    file.extend_from_slice(&checksum(&body, 0).to_le_bytes());
    file.extend_from_slice(&checksum(&file, 0).to_le_bytes());
    file.resize(HEADER, 0);
    file.extend_from_slice(&body);
    file
}
