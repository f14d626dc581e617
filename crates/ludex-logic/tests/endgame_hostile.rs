//! End-game files that were damaged or made to do harm: refused, or answered within bounds; never a panic, never much
//! memory. Checksums are right in all of them: they protect from accidents, not from intent.

use ludex_engine::budget::Budget;
use ludex_engine::engine::Engine;
use ludex_engine::prepared::Prepared;
use ludex_engine::propnet::Propnet;
use ludex_engine::random::Random;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::Game;
use ludex_logic::endgame::regress::{Options, regress};
use ludex_logic::endgame::solve::{self, solve};
use ludex_logic::endgame::{Cover, Database, FileError, Kind, Oracle, file};
use ludex_testkit::corpus;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with the bytes that this thread holds and has held at most.
struct Counting;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
    static MOST: Cell<usize> = const { Cell::new(0) };
}

fn count(more: usize, less: usize) {
    // Wrapping: what another thread has allocated may be freed here.
    let held = HELD.get().wrapping_add(more).wrapping_sub(less);
    HELD.set(held);
    MOST.set(MOST.get().max(held));
}

// SAFETY: every request goes to the system's allocator unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the caller keeps the contract of `alloc`, which is the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(0, layout.size());
        // SAFETY: as above; the pointer came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Runs `work` and gives the most bytes that it held at a time beyond what was held before.
fn most_held<R>(work: impl FnOnce() -> R) -> (R, usize) {
    HELD.set(1 << 40);
    MOST.set(1 << 40);
    let result = work();
    (result, MOST.get() - (1 << 40))
}

const HEADER: usize = 64;

/// The sections, as their documentation numbers them.
#[derive(Clone, Copy)]
enum Section {
    Overview = 1,
    Nodes = 2,
    Lists = 3,
    Parts = 4,
    Slots = 7,
}

/// As `file/mod.rs` describes it, written down a second time.
fn checksum(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^ hash >> 32
    };
    let mut hash = mix(0, bytes.len() as u64);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        hash = mix(hash, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(mix(hash, u64::from_le_bytes(last)), 0)
}

/// Makes length and checksums right again.
fn reseal(bytes: &mut [u8]) {
    let length = (bytes.len() - HEADER) as u64;
    let body = checksum(&bytes[HEADER..]);
    bytes[32..40].copy_from_slice(&length.to_le_bytes());
    bytes[40..48].copy_from_slice(&body.to_le_bytes());
    let header = checksum(&bytes[..48]);
    bytes[48..56].copy_from_slice(&header.to_le_bytes());
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(*bytes[at..].first_chunk().expect("within the file"))
}

/// Where a section begins and ends.
fn section(bytes: &[u8], section: Section) -> std::ops::Range<usize> {
    let entry = HEADER + 16 * section as usize;
    let start = HEADER + number(bytes, entry) as usize;
    start..start + number(bytes, entry + 8) as usize
}

/// Gives a section another content, at the end of the file.
fn replace(bytes: &mut Vec<u8>, section: Section, content: &[u8]) {
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let entry = HEADER + 16 * section as usize;
    let start = (bytes.len() - HEADER) as u64;
    bytes[entry..entry + 8].copy_from_slice(&start.to_le_bytes());
    bytes[entry + 8..entry + 16].copy_from_slice(&(content.len() as u64).to_le_bytes());
    bytes.extend_from_slice(content);
    reseal(bytes);
}

fn put(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn bundled(name: &str) -> Game {
    let source = corpus::games().into_iter().find(|source| source.name == name).expect("a bundled game");
    source.game().expect("a sound sheet")
}

fn regression() -> Vec<u8> {
    regress(&Prepared::new(bundled("nim")), &Options { depth: 3, ..Options::default() })
        .expect("it fits")
        .bytes
}

fn solution() -> Vec<u8> {
    let game = bundled("nim");
    let engine = Propnet::new(&game, &Budget::default()).expect("it has a network");
    let solution = solve(&engine, &solve::Options::default(), &Budget::default(), &solve::Reached::default())
        .expect("it fits");
    solution.encode(&game, &engine)
}

/// States of `nim`: the initial one, none, all bits, and some at random.
fn states(random: &mut Random) -> Vec<Vec<u64>> {
    let engine = Propnet::new(&bundled("nim"), &Budget::default()).expect("it has a network");
    let words = engine.vocabulary().words();
    let mut initial = vec![0; words];
    engine.worker().initial(&mut initial);
    let mut states = vec![initial, vec![0; words], vec![u64::MAX; words]];
    states.extend((0..5).map(|_| (0..words).map(|_| random.bits()).collect::<Vec<_>>()));
    states
}

/// Asks everything that a database can be asked. A good one answers a question in no time, so no bound is
/// needed but for the descriptions, of which there may be many.
fn ask_everything(database: &Database, states: &[Vec<u64>]) -> usize {
    let mut answered = database.groups().len() + database.item_count();
    for list in database.lists() {
        for (cover, _) in &list.layers {
            let mut left = 500;
            database.each_description(*cover, &mut |conditions| {
                answered += conditions.len().min(1);
                left -= 1;
                left > 0
            });
            answered += states.iter().filter(|state| database.matching(*cover, state).is_some()).count();
        }
    }
    for state in states {
        for role in [0, 1, 7, u32::MAX].map(RoleId) {
            let kinds = [Kind::Reachable, Kind::Forced];
            answered += kinds.iter().filter(|kind| database.depth(state, role, **kind).is_some()).count();
            answered += usize::from(database.verdict(state, role).is_some());
            let _knowledge = database.lookup(state, role);
        }
    }
    answered
}

/// What may be held beside the bytes themselves: lists and values, and the ways and covers of one question.
fn allowed(length: usize) -> usize {
    4 * length + (64 << 10)
}

/// Thousands of files with a few changed, absurd or missing numbers each. Some are found out when they are opened, some
/// answer nonsense; both kinds must occur, or the test tries nothing.
#[test]
fn changed_files_are_refused_or_answer() {
    let mut random = Random::new(1);
    let states = states(&mut random);
    for whole in [regression(), solution()] {
        let (sound, held) = most_held(|| {
            let database = Database::from_bytes(whole.clone()).expect("sound");
            ask_everything(&database, &states)
        });
        assert!(sound > 0 && held <= allowed(whole.len()) + whole.len(), "{held} of {}", whole.len());
        let (mut refused, mut answered) = (0, 0);
        for round in 0..6000 {
            let mut bytes = whole.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(bytes.len() - 8);
                let at = if random.below(3) == 0 { at } else { at / 4 * 4 };
                match random.below(5) {
                    0 => bytes[at] ^= 1 << random.below(8),
                    1 => put(&mut bytes, at, u32::MAX - random.below(3) as u32),
                    2 => put(&mut bytes, at, 1 << random.below(32)),
                    3 => put(&mut bytes, at, random.below(40) as u32),
                    _ => bytes.truncate(at.max(HEADER + 16)),
                }
            }
            // The magic, the version and the hash are looked at elsewhere.
            bytes[..12].copy_from_slice(&whole[..12]);
            reseal(&mut bytes);
            let length = bytes.len();
            let (opened, held) = most_held(|| {
                let database = Database::from_bytes(bytes).ok()?;
                Some(ask_everything(&database, &states))
            });
            assert!(held <= allowed(length), "round {round}: {held} bytes for a file of {length}");
            match opened {
                Some(_) => answered += 1,
                None => refused += 1,
            }
        }
        assert!(refused > 500 && answered > 500, "{refused} refused, {answered} answered");
    }
}

/// Four thousand million roles: no list of them is made before somebody asks how long the file is.
#[test]
fn absurd_counts_are_refused_before_they_are_believed() {
    for whole in [regression(), solution()] {
        for field in 0..3 {
            for absurd in [u32::MAX, 1 << 31, 1 << 20] {
                let mut bytes = whole.clone();
                let at = section(&bytes, Section::Overview).start + 4 * field;
                put(&mut bytes, at, absurd);
                reseal(&mut bytes);
                let length = bytes.len();
                let (opened, held) = most_held(|| Database::from_bytes(bytes));
                assert!(held <= allowed(length), "field {field}: {held} bytes");
                // The number of roles is in every length; that of words only in the length of states.
                if field == 0 {
                    assert!(matches!(opened, Err(FileError::Corrupt(_))), "{absurd} roles");
                }
            }
        }
    }
    let mut bytes = regression();
    let at = section(&bytes, Section::Lists).start + 12;
    put(&mut bytes, at, u32::MAX);
    reseal(&mut bytes);
    assert!(matches!(Database::from_bytes(bytes), Err(FileError::Corrupt("the list of layers"))));
}

/// A file of a regression whose parts are `parts`; its first cover is the last of them.
fn with_parts(parts: &[[u32; 4]]) -> Result<(Database, Cover), FileError> {
    let mut bytes = regression();
    let leaf = [u32::MAX, 0, 0, 0];
    let all = [leaf, leaf].into_iter().chain(parts.iter().copied()).flatten();
    let content: Vec<u8> = all.flat_map(u32::to_le_bytes).collect();
    let fluents = section(&bytes, Section::Overview).start + 8;
    put(&mut bytes, fluents, u32::MAX);
    let cover = section(&bytes, Section::Lists).start + 24;
    put(&mut bytes, cover, parts.len() as u32 + 1);
    replace(&mut bytes, Section::Parts, &content);
    let database = Database::from_bytes(bytes)?;
    let cover = database.lists()[0].layers[0].0;
    Ok((database, cover))
}

/// A description of a million conditions: a walk that calls itself for each would leave the stack.
#[test]
fn ways_may_be_as_long_as_the_file() {
    const LONG: u32 = 1_000_000;
    // Each part needs the fluent of its level not to hold; the first one leads to the description without conditions.
    let chain: Vec<[u32; 4]> = (0..LONG).map(|at| [at, at + 1, 0, 0]).collect();
    let (database, cover) = with_parts(&chain).expect("sound");
    let mut lengths = Vec::new();
    database.each_description(cover, &mut |conditions| {
        lengths.push(conditions.len());
        true
    });
    assert_eq!(lengths, [LONG as usize]);
    let nothing_holds = vec![0; LONG as usize / 64 + 1];
    assert_eq!(database.matching(cover, &nothing_holds).map(|found| found.len()), Some(LONG as usize));
    assert_eq!(database.matching(cover, &[1]), None, "the first fluent holds");
}

/// Sixty parts, each with two ways to the one before: 2^60 ways. If they led nowhere, whoever looks for a
/// description would never come back.
#[test]
fn parts_without_a_description_are_refused() {
    let ladder = |first: [u32; 4]| {
        let rungs = (3..63).map(|at| [at, at - 1, at - 1, at - 1]);
        std::iter::once(first).chain(rungs).collect::<Vec<_>>()
    };
    for bad in [[0, 0, 0, 0], [0, 0, 0, 1], [0, 2, 0, 0], [0, 9, 1, 0], [u32::MAX, 1, 1, 1]] {
        assert!(matches!(with_parts(&ladder(bad)), Err(FileError::Corrupt("the descriptions"))), "{bad:?}");
    }
    let (database, cover) = with_parts(&ladder([0, 1, 0, 0])).expect("sound");
    let mut seen = 0;
    database.each_description(cover, &mut |conditions| {
        assert!(!conditions.is_empty());
        seen += 1;
        seen < 1000
    });
    assert_eq!(seen, 1000);
    // Fluent 0 must not hold, whatever the way: a state in which it does meets none of the 2^60, found in sixty steps.
    assert_eq!(database.matching(cover, &[1]), None);
    assert!(database.matching(cover, &[0]).is_some());
}

/// Nodes of a depth diagram that lead to themselves, and an index full of states that are not there.
#[test]
fn diagrams_and_indexes_that_go_round_end() {
    let mut random = Random::new(2);
    let states = states(&mut random);
    let mut bytes = regression();
    let nodes = section(&bytes, Section::Nodes);
    for at in (nodes.start + 24..nodes.end).step_by(12) {
        let number = ((at - nodes.start) / 12) as u32;
        put(&mut bytes, at + 4, number);
        put(&mut bytes, at + 8, number);
    }
    reseal(&mut bytes);
    let database = Database::from_bytes(bytes).expect("whole");
    for role in [0, 1].map(RoleId) {
        assert!(states.iter().all(|state| database.depth(state, role, Kind::Reachable).is_none()));
    }
    let mut bytes = solution();
    let slots = section(&bytes, Section::Slots);
    for at in slots.step_by(4) {
        put(&mut bytes, at, 0);
    }
    reseal(&mut bytes);
    let database = Database::from_bytes(bytes).expect("whole");
    assert!(states[1..].iter().all(|state| database.verdict(state, RoleId(0)).is_none()));
}

/// Somebody truncates the file while it is open, and writes something else into it.
#[test]
fn what_happens_to_an_open_file_does_not_matter() {
    let mut random = Random::new(3);
    let states = states(&mut random);
    let path = std::env::temp_dir().join(format!("ludex-endgame-hostile-{}.end", std::process::id()));
    for whole in [regression(), solution()] {
        file::write(&path, &whole).expect("written");
        let database = Database::open(&path).expect("sound");
        let before: Vec<_> = states.iter().map(|state| database.lookup(state, RoleId(0))).collect();
        let handle = std::fs::OpenOptions::new().write(true).open(&path).expect("there");
        handle.set_len(0).expect("truncated");
        let after: Vec<_> = states.iter().map(|state| database.lookup(state, RoleId(0))).collect();
        assert_eq!(before, after);
        assert!(matches!(Database::open(&path), Err(FileError::NotADatabase)));
        std::fs::write(&path, vec![b'x'; whole.len()]).expect("written");
        assert_eq!(ask_everything(&database, &states), ask_everything(&database, &states));
        assert!(matches!(Database::open(&path), Err(FileError::NotADatabase)));
        handle.set_len(whole.len() as u64 / 2).expect("cut");
        assert!(Database::open(&path).is_err());
    }
    std::fs::remove_file(&path).expect("removed");
}
