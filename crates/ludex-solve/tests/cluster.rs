//! Workers of a cluster against one process: the same bytes, also where the store fails now and then.

use async_trait::async_trait;
use futures_core::stream::BoxStream;
use ludex::engine::Engine;
use ludex::engine::budget::Budget;
use ludex::engine::prepared::Prepared;
use ludex::engines;
use ludex::gdl::Sheet;
use ludex_solve::cluster::{self, Outcome, Shared};
use ludex_solve::{Error, Options, Reached, Task, start};
use object_store::local::LocalFileSystem;
use object_store::path::Path as Name;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result as Stored,
};
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

mod place;
mod sheets;

use place::{Place, contents};

fn prepared(text: &str) -> (Prepared, Arc<dyn Engine>) {
    let prepared = Prepared::new(Sheet::read(text).into_game().expect("a sound sheet"));
    let engine = engines::AUTO.build_for(&prepared, &Budget::default()).expect("it is small");
    (prepared, engine)
}

fn bundled(name: &str) -> &'static str {
    ludex::games::find(name).expect("a bundled game").text
}

fn options() -> Options {
    Options { memory: 64 << 20, threads: 1, ..Options::default() }
}

fn alone(text: &str, place: &Path, options: &Options) {
    let (prepared, engine) = prepared(text);
    start(&prepared, &*engine, Task::Solve, place, options, &Budget::default(), &Reached::default())
        .expect("it is solved");
}

fn with_workers(
    text: &str,
    shared: Shared,
    workers: usize,
    options: &Options,
    budget: &Budget,
) -> Result<Outcome, Error> {
    let (prepared, engine) = prepared(text);
    let scratch = Place::new();
    let place = cluster::Place {
        hosts: Vec::new(),
        process: 0,
        workers,
        wait: Duration::from_secs(10),
        scratch: scratch.0.clone(),
    };
    cluster::run(&prepared, &engine, &Arc::new(shared), &place, options, budget, &Arc::default())
}

fn open(place: &Place) -> Shared {
    Shared::open(place.0.to_str().expect("a plain name")).expect("a folder")
}

#[test]
fn any_number_of_workers_gives_the_bytes_of_one_process() {
    // Ranked by a counter; with cycles; simultaneous moves; one role; roles that change places under a symmetry.
    let games = [
        ("tictactoe", bundled("tictactoe"), true),
        ("tictactoe as with cycles", bundled("tictactoe"), false),
        ("a walk", sheets::WALK, true),
        ("rockpaperscissors", bundled("rockpaperscissors"), true),
        ("threeway", bundled("threeway"), true),
        ("hanoi", bundled("hanoi"), true),
        ("buttonsandlights", bundled("buttonsandlights"), true),
    ];
    for (name, text, counter) in games {
        let options = Options { counter, ..options() };
        let whole = Place::new();
        alone(text, &whole.0, &options);
        for workers in [1, 2, 3] {
            let place = Place::new();
            let outcome = with_workers(text, open(&place), workers, &options, &Budget::default())
                .unwrap_or_else(|error| panic!("{name} by {workers}: {error}"));
            assert!(contents(&whole.0) == contents(&place.0), "{name} by {workers}");
            assert_eq!(outcome.traffic.messages > 0, workers > 1, "{name} by {workers}");
            assert_eq!(outcome.epoch, 1);
            // Nothing is left of the work.
            let left = fs::read_dir(place.0.join("cluster")).map_or(0, Iterator::count);
            assert_eq!(left, 0, "{name} by {workers}");
        }
    }
}

/// A store in which every so manyth step fails, some of them after they were done.
struct Faulty {
    inner: LocalFileSystem,
    every: u64,
    steps: AtomicU64,
    failures: Arc<AtomicU64>,
}

impl Faulty {
    fn new(place: &Place, every: u64) -> (Shared, Arc<AtomicU64>) {
        fs::create_dir_all(&place.0).expect("a folder");
        let inner = LocalFileSystem::new_with_prefix(&place.0).expect("a folder");
        let failures = Arc::new(AtomicU64::new(0));
        let store = Faulty { inner, every, steps: AtomicU64::new(0), failures: failures.clone() };
        (Shared::over(Arc::new(store), "a faulty store"), failures)
    }

    /// Whether this step fails: not, before it is done, or after.
    fn fails(&self) -> Option<bool> {
        let step = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        if step % self.every != 0 {
            return None;
        }
        let failure = self.failures.fetch_add(1, Ordering::Relaxed);
        Some(failure % 2 == 0)
    }

    async fn step<T>(&self, done: impl Future<Output = Stored<T>>) -> Stored<T> {
        let error = || object_store::Error::Generic { store: "faulty", source: "now and then".into() };
        match self.fails() {
            Some(true) => Err(error()),
            Some(false) => done.await.and(Err(error())),
            None => done.await,
        }
    }
}

impl fmt::Debug for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(&self, at: &Name, payload: PutPayload, options: PutOptions) -> Stored<PutResult> {
        self.step(self.inner.put_opts(at, payload, options)).await
    }

    async fn put_multipart_opts(
        &self,
        at: &Name,
        options: PutMultipartOptions,
    ) -> Stored<Box<dyn MultipartUpload>> {
        self.step(self.inner.put_multipart_opts(at, options)).await
    }

    async fn get_opts(&self, at: &Name, options: GetOptions) -> Stored<GetResult> {
        self.step(self.inner.get_opts(at, options)).await
    }

    fn delete_stream(&self, at: BoxStream<'static, Stored<Name>>) -> BoxStream<'static, Stored<Name>> {
        self.inner.delete_stream(at)
    }

    fn list(&self, prefix: Option<&Name>) -> BoxStream<'static, Stored<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Name>) -> Stored<ListResult> {
        self.step(self.inner.list_with_delimiter(prefix)).await
    }

    async fn copy_opts(&self, from: &Name, to: &Name, options: CopyOptions) -> Stored<()> {
        self.step(self.inner.copy_opts(from, to, options)).await
    }
}

#[test]
fn a_store_that_fails_now_and_then_changes_nothing_and_one_that_always_fails_is_told() {
    for (text, counter) in [(bundled("tictactoe"), true), (sheets::WALK, true)] {
        let options = Options { counter, ..options() };
        let whole = Place::new();
        alone(text, &whole.0, &options);
        for every in [3, 4, 7] {
            let place = Place::new();
            let (shared, failures) = Faulty::new(&place, every);
            with_workers(text, shared, 2, &options, &Budget::default()).expect("it is tried again");
            assert!(failures.load(Ordering::Relaxed) > 3);
            assert!(contents(&whole.0) == contents(&place.0), "every {every}");
        }
        let place = Place::new();
        let (shared, _) = Faulty::new(&place, 1);
        let failed = with_workers(text, shared, 2, &options, &Budget::default());
        assert!(matches!(failed, Err(Error::Shared(_))), "{failed:?}");
    }
}

/// Ends a run by its bound on disk, after some rounds.
fn begun(text: &str, place: &Place, workers: usize, options: &Options, disk: u64) -> bool {
    let options = Options { disk, ..*options };
    match with_workers(text, open(place), workers, &options, &Budget::default()) {
        Ok(_) => false,
        Err(Error::Disk(_)) => true,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_run_that_ended_goes_on_with_more_or_fewer_workers() {
    for (text, counter) in [(bundled("tictactoe"), true), (bundled("tictactoe"), false), (sheets::WALK, true)]
    {
        let options = Options { counter, ..options() };
        let whole = Place::new();
        alone(text, &whole.0, &options);
        let mut stopped = 0;
        // Too little for one layer after another.
        for step in 0.. {
            let disk = 400 << step;
            let place = Place::new();
            if !begun(text, &place, 2, &options, disk) {
                break;
            }
            stopped += 1;
            // What is not finished is never taken for a solution.
            assert!(!place.0.join("manifest").exists());
            for (workers, more) in [(3, disk / 2), (1, disk / 4)] {
                if begun(text, &place, workers, &options, disk + more) {
                    assert!(!place.0.join("manifest").exists());
                }
            }
            with_workers(text, open(&place), 2, &options, &Budget::default()).expect("it goes on");
            assert!(contents(&whole.0) == contents(&place.0), "{disk} bytes");
        }
        assert!(stopped > 2, "{stopped}");
    }
}

#[test]
fn other_rules_other_settings_old_versions_and_damage_are_refused() {
    let options = options();
    let place = Place::new();
    assert!(begun(bundled("tictactoe"), &place, 2, &options, 4_000));
    let on = |text: &str, options: &Options| with_workers(text, open(&place), 2, options, &Budget::default());
    let foreign = on(bundled("nim"), &options);
    assert!(matches!(foreign, Err(Error::Foreign(_))), "{foreign:?}");
    let settings = on(bundled("tictactoe"), &Options { symmetry: false, ..options });
    assert!(matches!(settings, Err(Error::Refused(_))), "{settings:?}");
    // The last entry of the log, of another version and damaged; and every file that it names.
    let work = place.0.join("cluster");
    let files = contents(&work);
    let (last, text) = files.iter().rfind(|(name, _)| name.starts_with("log-")).expect("a log");
    let old = String::from_utf8(text.clone()).expect("text").replace("ludex-cluster 1", "ludex-cluster 0");
    fs::write(work.join(last), old).expect("written");
    let version = on(bundled("tictactoe"), &options);
    assert!(matches!(version, Err(Error::Version(..))), "{version:?}");
    fs::write(work.join(last), text).expect("written");
    let restore = || {
        contents(&work).iter().for_each(|(name, _)| fs::remove_file(work.join(name)).expect("it is there"));
        files.iter().for_each(|(name, bytes)| fs::write(work.join(name), bytes).expect("written"));
    };
    let named = files.iter().filter(|(name, _)| !name.starts_with("log-") || name == last);
    let mut tried = 0;
    for (name, bytes) in named.filter(|(_, bytes)| !bytes.is_empty()) {
        for cut in [false, true] {
            let mut damaged = bytes.clone();
            match cut {
                true => damaged.truncate(bytes.len() / 2),
                false => damaged[bytes.len() / 2] ^= 16,
            }
            fs::write(work.join(name), damaged).expect("written");
            let refused = on(bundled("tictactoe"), &options);
            let told = matches!(refused, Err(Error::Damaged(..) | Error::Elsewhere(..) | Error::Shared(_)));
            assert!(told, "{name}: {refused:?}");
            tried += 1;
            restore();
        }
    }
    assert!(tried > 4);
    on(bundled("tictactoe"), &options).expect("it is whole again");
    // What is finished is told again, and nothing else is made of it.
    let again = on(bundled("tictactoe"), &options).expect("it is finished");
    assert_eq!(again.epoch, 0);
    assert!(matches!(on(bundled("nim"), &options), Err(Error::Foreign(_))));
    // A folder with something else in it.
    let other = Place::new();
    fs::create_dir_all(&other.0).expect("a folder");
    fs::write(other.0.join("letter"), "text").expect("written");
    let occupied = with_workers(bundled("nim"), open(&other), 1, &options, &Budget::default());
    assert!(matches!(occupied, Err(Error::Occupied(_))), "{occupied:?}");
}
