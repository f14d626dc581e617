//! The suite: one method a part, each meant to be one `#[test]` of an engine.

use crate::corpus::{self, Source, testdata};
use crate::derived::{check_perft, check_play, perft_rows, plays};
use crate::differential::compare;
use crate::report::{Report, told};
use crate::state::Asker;
use crate::treatment::Treatment;
use crate::walk::{Length, check_function, check_names, check_playout, check_shape, walk};
use crate::{generate, golden, micro, oracle, playthrough, unsupported};
use ludex_engine::engine::Engine;
use ludex_engine::error::BuildError;
use ludex_gdl::{Game, Sheet};
use std::time::Duration;

/// Builds an engine for a game, or says why not.
pub type Build<'a> = dyn Fn(&Game) -> Result<Box<dyn Engine>, BuildError> + 'a;

/// How much each part does. The defaults keep the whole suite of the reference engine under a minute.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Nodes a game in the derived counts.
    pub nodes: u64,
    /// Nodes a game and treatment in the derived counts.
    pub treated_nodes: u64,
    /// Random walks on a bundled game.
    pub walk: Length,
    /// Random walks on a public sheet.
    pub shared_walk: Length,
    /// Random walks on a generated game.
    pub generated_walk: Length,
    /// Generated games.
    pub generated: u64,
    /// Playouts of each record of the oracle.
    pub playouts: usize,
    /// Nodes a game in the oracle's counts.
    pub oracle_nodes: u64,
}

impl Default for Effort {
    fn default() -> Effort {
        let second = Duration::from_secs(1);
        Effort {
            nodes: 60_000,
            treated_nodes: 2_000,
            walk: Length { games: 4, steps: 300, time: second },
            shared_walk: Length { games: 2, steps: 12, time: second / 25 },
            generated_walk: Length { games: 3, steps: 10, time: second },
            generated: 300,
            playouts: usize::MAX,
            oracle_nodes: 3000,
        }
    }
}

/// An engine, or a configuration of one, under test.
pub struct Suite<'a> {
    name: &'a str,
    build: Box<Build<'a>>,
    effort: Effort,
}

impl<'a> Suite<'a> {
    /// The suite for the engine called `name`, which is also the name of its list of declined games.
    pub fn new(
        name: &'a str,
        build: impl Fn(&Game) -> Result<Box<dyn Engine>, BuildError> + 'a,
    ) -> Suite<'a> {
        Suite { name, build: Box::new(build), effort: Effort::default() }
    }

    /// The same suite with another effort.
    #[must_use]
    pub fn with_effort(mut self, effort: Effort) -> Suite<'a> {
        self.effort = effort;
        self
    }

    fn report(&self, part: &str) -> Report {
        Report::new(format!("{}: {part}", self.name))
    }

    /// The engine for a game, or a mark that it was declined.
    fn engine(&self, game: &Game, name: &str, declined: &mut Declined) -> Option<Box<dyn Engine>> {
        match (self.build)(game) {
            Ok(engine) => Some(engine),
            Err(reason) => {
                declined.push((name.to_owned(), reason.to_string()));
                None
            }
        }
    }

    /// Runs `check` for each game of a group, and compares the declined ones with the golden list.
    fn each(
        &self,
        report: &mut Report,
        group: &str,
        sources: &[Source],
        not_tried: &[String],
        check: impl Fn(&Source, &dyn Engine) -> Result<(), String>,
    ) {
        let mut declined = Vec::new();
        for source in sources {
            report.case(&source.name, || {
                let game = source.game()?;
                let engine = self.engine(&game, &source.name, &mut declined);
                engine.map_or(Ok(()), |engine| check(source, &*engine))
            });
        }
        report.case("declined games", || unsupported::compare(self.name, group, &declined, not_tried));
    }

    /// The micro games of `testdata/rules`.
    pub fn rules(&self) {
        let mut report = self.report("rules");
        let mut declined = Vec::new();
        for game in micro::load() {
            report.case(&game.name, || {
                let rules = corpus::into_game(Sheet::read(&game.rules))?;
                let engine = self.engine(&rules, &game.name, &mut declined);
                engine.map_or(Ok(()), |engine| game.check(&*engine))
            });
        }
        report.case("declined games", || unsupported::compare(self.name, "rules", &declined, &[]));
        report.finish();
    }

    /// The derived counts of `testdata/perft`.
    pub fn perft(&self) {
        let mut report = self.report("perft");
        self.each(&mut report, "games", &corpus::games(), &[], |source, engine| {
            check_perft(engine, &perft_rows(&source.name)?, self.effort.nodes)
        });
        report.finish();
    }

    /// The recorded games of `testdata/perft`.
    pub fn plays(&self) {
        let mut report = self.report("plays");
        self.each(&mut report, "games", &corpus::games(), &[], |source, engine| {
            let mut asker = Asker::new(engine);
            for (number, play) in plays(&source.name)?.iter().enumerate() {
                check_play(&mut asker, play).map_err(|e| format!("game {}: {e}", number + 1))?;
            }
            Ok(())
        });
        report.finish();
    }

    /// The golden traces of `testdata/playthroughs`, one for each bundled game and none besides.
    pub fn playthroughs(&self) {
        let mut report = self.report("playthroughs");
        let folder = testdata("playthroughs");
        let games = corpus::games();
        self.each(&mut report, "games", &games, &[], |source, engine| {
            let trace = told(playthrough::trace(&source.name, engine, 1))?;
            golden::compare(&folder.join(format!("{}.txt", source.name)), &trace)
        });
        report.case("playthroughs without a game", || {
            let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
                let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
                let trace = path.extension().is_some_and(|ending| ending == "txt");
                if trace && !games.iter().any(|game| Some(&game.name) == name.as_ref()) {
                    return Err(format!("{} belongs to no game", path.display()));
                }
            }
            Ok(())
        });
        report.finish();
    }

    /// Random walks on the bundled games: what must hold in every game.
    pub fn walks(&self) {
        let mut report = self.report("walks");
        self.each(&mut report, "games", &corpus::games(), &[], |_, engine| {
            check_names(engine.vocabulary())?;
            self.walk_all(engine, self.effort.walk)?;
            for seed in 0..4 {
                if !check_playout(engine, seed, 2000)? {
                    return Err("a playout did not end with a terminal state".to_owned());
                }
            }
            Ok(())
        });
        report.finish();
    }

    /// The public sheets without the slow ones, and the slow ones' names.
    fn shared(&self, what: &str) -> (Vec<Source>, Vec<String>) {
        let mut sources = corpus::shared_games(what);
        let mut slow = Vec::new();
        if !sources.is_empty() {
            slow = corpus::slow_sheets(self.name, what);
            for name in &slow {
                assert!(
                    sources.iter().any(|source| source.name == *name),
                    "the slow sheet {name} does not exist"
                );
            }
            sources.retain(|source| !slow.contains(&source.name));
        }
        (sources, slow)
    }

    /// Short random walks on the public sheets, where they are there.
    pub fn shared_walks(&self) {
        let what = format!("{}: walks on the public sheets", self.name);
        let (sources, slow) = self.shared(&what);
        if sources.is_empty() {
            return;
        }
        let mut report = Report::new(what);
        self.each(&mut report, "shared", &sources, &slow, |_, engine| {
            self.walk_all(engine, self.effort.shared_walk)?;
            check_playout(engine, 1, 5).map(|_| ())
        });
        report.finish();
    }

    fn walk_all(&self, engine: &dyn Engine, length: Length) -> Result<(), String> {
        let views = told(walk(engine, 1, length))?;
        check_shape(engine.vocabulary(), &views)?;
        check_function(engine, &views, 2)
    }

    /// The micro games, counts and recorded games again, with the rules printed and read back in each way.
    pub fn treatments(&self) {
        let mut report = self.report("treatments");
        let mut declined = Vec::new();
        for game in micro::load() {
            let sheet = Sheet::read(&game.rules);
            for treatment in Treatment::ALL {
                let name = format!("{} {treatment:?}", game.name);
                report.case(&name, || {
                    let rules = treatment.apply(&sheet)?;
                    let engine = self.engine(&rules, &name, &mut declined);
                    engine.map_or(Ok(()), |engine| game.check(&*engine))
                });
            }
        }
        for source in corpus::games() {
            let sheet = source.sheet();
            for treatment in Treatment::ALL {
                let name = format!("{} {treatment:?}", source.name);
                report.case(&name, || {
                    let rules = treatment.apply(&sheet)?;
                    let Some(engine) = self.engine(&rules, &name, &mut declined) else {
                        return Ok(());
                    };
                    check_perft(&*engine, &perft_rows(&source.name)?, self.effort.treated_nodes)?;
                    let mut asker = Asker::new(&*engine);
                    plays(&source.name)?.iter().try_for_each(|play| check_play(&mut asker, play))
                });
            }
        }
        report.case("declined games", || unsupported::compare(self.name, "treatments", &declined, &[]));
        report.finish();
    }

    /// What an independent implementation has recorded, where it is there: playouts and counts.
    pub fn oracle(&self) {
        let what = format!("{}: the oracle's records", self.name);
        let Some(games) = oracle::load(&what) else { return };
        let (sources, mut not_tried) = self.shared(&what);
        let mut report = Report::new(what);
        let mut declined = Vec::new();
        let is_recorded = |source: &&Source| games.contains_key(&source.name);
        not_tried
            .extend(sources.iter().filter(|source| !is_recorded(source)).map(|source| source.name.clone()));
        for (name, oracle) in games.iter().filter(|(name, _)| !not_tried.contains(name)) {
            report.case(name, || {
                let source = sources.iter().find(|source| source.name == *name);
                let game = source.ok_or("there is no such sheet")?.game()?;
                let Some(engine) = self.engine(&game, name, &mut declined) else { return Ok(()) };
                oracle::check_records(&*engine, &oracle.records, self.effort.playouts)?;
                // Some large games have playouts only.
                match &oracle.perft[..] {
                    [] if !oracle.records.is_empty() => Ok(()),
                    rows => check_perft(&*engine, rows, self.effort.oracle_nodes),
                }
            });
        }
        report.case("declined games", || unsupported::compare(self.name, "shared", &declined, &not_tried));
        report.finish();
    }

    /// Generated games: the invariants, and that no treatment changes what the engine says.
    pub fn generated(&self) {
        let mut report = self.report("generated games");
        let length = self.effort.generated_walk;
        for seed in 0..self.effort.generated {
            report.case(&format!("seed {seed}"), || {
                let sheet = Sheet::read(&generate::game(seed));
                let mut declined = Vec::new();
                let plain = Treatment::AsWritten.apply(&sheet)?;
                let Some(engine) = self.engine(&plain, "", &mut declined) else {
                    // Small games with a finite vocabulary: there is no reason to decline one.
                    return Err(format!("declined: {declined:?}"));
                };
                check_names(engine.vocabulary())?;
                self.walk_all(&*engine, length)?;
                for treatment in &Treatment::ALL[1..] {
                    let game = treatment.apply(&sheet)?;
                    let treated = (self.build)(&game).map_err(|e| format!("{treatment:?}: declined: {e}"))?;
                    compare(&*engine, &*treated, seed, length).map_err(|e| format!("{treatment:?}: {e}"))?;
                }
                Ok(())
            });
        }
        report.finish();
    }

    /// The engine against the engine of another suite, the reference, on the bundled games, the micro games,
    /// the public sheets and generated games. What the engine declines must be what its list says. On the public sheets
    /// it includes what [`Suite::shared_walks`] does, also where the reference is too slow for a comparison.
    pub fn differential(&self, reference: &Suite<'_>) {
        let mut report = self.report("differential");
        let games = corpus::games().into_iter().map(|source| (source.name.clone(), 3, source.game()));
        self.compare_each(&mut report, reference, "games", games, self.effort.walk);
        let length = self.effort.generated_walk;
        let read = |text: &str| corpus::into_game(Sheet::read(text));
        let games = micro::load().into_iter().map(|game| (game.name, 3, read(&game.rules)));
        self.compare_each(&mut report, reference, "rules", games, length);
        // Small games with a finite vocabulary: none is on the list of the declined.
        let games = (0..self.effort.generated)
            .map(|seed| (format!("seed {seed}"), seed, read(&generate::game(seed))));
        self.compare_each(&mut report, reference, "generated", games, length);
        let what = format!("{}: comparison on the public sheets", self.name);
        let (sources, slow) = self.shared(&what);
        if !sources.is_empty() {
            // One engine a sheet for the walks too: building it is most of the work.
            let alone = corpus::slow_sheets(reference.name, &what);
            self.each(&mut report, "shared", &sources, &slow, |source, engine| {
                self.walk_all(engine, self.effort.shared_walk)?;
                check_playout(engine, 1, 5)?;
                if alone.contains(&source.name) {
                    return Ok(());
                }
                self.compare_with(reference, &source.game()?, engine, 3, self.effort.shared_walk)
            });
        }
        report.finish();
    }

    fn compare_with(
        &self,
        reference: &Suite<'_>,
        game: &Game,
        engine: &dyn Engine,
        seed: u64,
        length: Length,
    ) -> Result<(), String> {
        let reference = (reference.build)(game).map_err(|e| format!("the reference declines: {e}"))?;
        compare(&*reference, engine, seed, length)
    }

    /// Compares the engine with the reference on each game of a group, given with its name and the seed of the walks.
    fn compare_each(
        &self,
        report: &mut Report,
        reference: &Suite<'_>,
        group: &str,
        games: impl Iterator<Item = (String, u64, Result<Game, String>)>,
        length: Length,
    ) {
        let mut declined = Vec::new();
        for (name, seed, game) in games {
            report.case(&name, || {
                let game = game?;
                let Some(engine) = self.engine(&game, &name, &mut declined) else { return Ok(()) };
                self.compare_with(reference, &game, &*engine, seed, length)
            });
        }
        report.case("declined games", || unsupported::compare(self.name, group, &declined, &[]));
    }
}

/// Names and reasons of declined games.
type Declined = Vec<(String, String)>;

/// Every part that needs no second engine, in one call. Tests that call the parts one by one
/// ([`Suite`]) show more of what failed.
pub fn run(name: &str, build: impl Fn(&Game) -> Result<Box<dyn Engine>, BuildError>) {
    let suite = Suite::new(name, build);
    suite.rules();
    suite.perft();
    suite.plays();
    suite.playthroughs();
    suite.walks();
    suite.shared_walks();
    suite.treatments();
    suite.oracle();
    suite.generated();
}
