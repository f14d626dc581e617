//! What a role holds: relations that say for each role, and for each of some things, how many of them it has, or whether it
//! has it. A thing in a hand can be clicked where a move names it.

use crate::evidence::Evidence;
use crate::placed::{Place, Placed};
use crate::scene::Glyph;
use ludex_engine::terms::TermId;
use std::collections::HashSet;

/// More things than this are no hand.
const MOST: usize = 24;

/// The hands of all roles, numbered from `first`, if the table is one of hands: a column of roles, one of things that moves
/// name, and at most one more.
pub fn of(evidence: &Evidence, number: usize, first: u32, places: &mut [Place]) -> Vec<Placed> {
    let table = &evidence.tables[number];
    if table.width() == 1 {
        return pool(evidence, number, first, places).into_iter().collect();
    }
    if !(2..=3).contains(&table.width()) {
        return Vec::new();
    }
    let Some(owner) = (0..table.width()).find(|&k| evidence.are_roles(&table.columns[k].values)) else {
        return Vec::new();
    };
    let is_thing = |k: usize| {
        let values = &table.columns[k].values;
        (2..=MOST).contains(&values.len()) && evidence.named_by_move(values) && !evidence.are_roles(values)
    };
    let Some(thing) = (0..table.width()).find(|&k| k != owner && is_thing(k)) else { return Vec::new() };
    let counts = (0..table.width()).find(|&k| k != owner && k != thing);
    if evidence.initially(number).is_empty() && counts.is_none() {
        return Vec::new();
    }
    // With nothing to count, one thing for each role is a value, such as which marker it plays with.
    let owners: Vec<_> = evidence.initially(number).iter().map(|row| row[owner]).collect();
    let distinct: HashSet<_> = owners.iter().collect();
    if counts.is_none() && distinct.len() == owners.len() {
        return Vec::new();
    }
    // With nothing to count, what a role has is what the thing is; a number of its own is a score.
    let things = evidence.axis(&table.columns[thing].values);
    if counts.is_none() && things.trust >= crate::axis::Trust::Numbers {
        return Vec::new();
    }
    let roles = evidence.axis(&table.columns[owner].values);
    let mut out: Vec<Placed> = Vec::new();
    let mut next = first;
    for &role in &roles.names {
        let has = |name: TermId| table.rows.iter().any(|row| row[owner] == role && row[thing] == name);
        let held: Vec<TermId> = things.names.iter().copied().filter(|&name| has(name)).collect();
        if held.is_empty() {
            continue;
        }
        let keys: Vec<Vec<TermId>> = held
            .iter()
            .map(|&name| if owner < thing { vec![role, name] } else { vec![name, role] })
            .collect();
        let mut placed = Placed::of_hand(evidence, number, keys, next);
        let key = [owner.min(thing), owner.max(thing)];
        let content: Vec<usize> = counts.into_iter().collect();
        placed.place(evidence, number, &key, &content, false, places);
        placed.holder = Some((role, owner < thing));
        next += placed.spots.len() as u32;
        out.push(placed);
    }
    out
}

/// What nobody holds and everybody can take: a relation of one argument, of which some things hold that moves name.
fn pool(evidence: &Evidence, number: usize, first: u32, places: &mut [Place]) -> Option<Placed> {
    let things = &evidence.tables[number].columns[0].values;
    let is_pool = (3..=MOST).contains(&things.len())
        && evidence.initially(number).len() > 1
        && evidence.named_by_move(things)
        && !evidence.are_roles(things);
    if !is_pool {
        return None;
    }
    let keys = evidence.axis(things).names.into_iter().map(|name| vec![name]).collect();
    let mut placed = Placed::of_hand(evidence, number, keys, first);
    placed.place(evidence, number, &[0], &[], false, places);
    // The spot says which thing it is.
    for place in places {
        if let Place::Spot { table, mark: Some(mark), .. } = place
            && *table == number
        {
            mark.glyph = Glyph::Disc;
        }
    }
    Some(placed)
}
