//! What can be typed after `ludex`.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use ludex::engines::{self, Choice};
use std::path::PathBuf;

/// General Game Playing: give it the rules of any game.
///
/// Ludex reads games in the Game Description Language (GDL), in KIF or in infix notation, checks them,
/// and computes states, legal moves and outcomes. GAME is a file, `-` for standard input, or the name of
/// a bundled game (`ludex games`).
///
/// Exit status: 0 for yes or done, 1 for no or failed, 2 for misuse.
#[derive(Debug, Parser)]
#[command(name = "ludex", version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(Check),
    Print(Print),
    Perft(Perft),
    Simulate(Simulate),
    Replay(Replay),
    Bench(Bench),
    Prove(Prove),
    Play(Play),
    Player(Player),
    Match(Match),
    Frame(Frame),
    Minimax(Minimax),
    Endgame(Endgame),
    Solve(Solve),
    Debug(Debug),
    Games(Games),
}

/// Find out whether the rules of a game have a meaning
///
/// Draws every finding with its place and a hint, and closes with a summary line for each game. Errors
/// are findings that leave the rules without a meaning; warnings break the letter of the specification
/// only. Exit status 1 if there is an error.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex check tictactoe
  ludex check mygame.kif --json
  ludex check games/*.kif
  generate-rules | ludex check -")]
pub struct Check {
    /// Rule sheets: files, `-`, or names of bundled games
    #[arg(value_name = "GAME", required = true)]
    pub games: Vec<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

/// Write the rules of a game in another notation
///
/// KIF and infix keep the shape of the sheet (clauses, `or`, `not`, names), not its comments and layout.
/// What is printed reads back as the same rules. ASP is for answer-set solvers such as clingo: the rules
/// with disjunctions split, without a state or moves. AIGER is for model checkers and circuit tools: the
/// propositional network, with an input for each move, a latch for each fluent, and a symbol table.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex print tictactoe --as infix
  ludex print mygame.kif --as asp > mygame.lp
  ludex print mygame.kif --as aiger > mygame.aag
  ludex print mygame.kif --as kif --rules")]
pub struct Print {
    #[command(flatten)]
    pub game: GameArgument,
    /// The notation to write
    #[arg(long = "as", value_name = "NOTATION", default_value = "kif")]
    pub target: Target,
    /// Print the rules as the engines see them: disjunctions split, negation in front of atoms only
    #[arg(long)]
    pub rules: bool,
}

/// What to print a game as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// Prefix notation with parentheses
    Kif,
    /// Prolog-like notation
    Infix,
    /// A program for answer-set solvers
    Asp,
    /// The network as an and-inverter graph, ASCII
    Aiger,
}

/// A notation to print rules in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Notation {
    /// Prefix notation with parentheses
    Kif,
    /// Prolog-like notation
    Infix,
    /// A program for answer-set solvers
    Asp,
}

/// Count the ways to play a game
///
/// Prints for each depth up to N the number of sequences of joint moves of that length, the classic
/// check of a move generator. Terminal states are not expanded, nor are states in which somebody has no
/// legal move. Sequences count one by one, also where they lead to the same state.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex perft tictactoe --depth 5
  ludex perft connectfour --depth 4 --divide
  ludex perft mygame.kif --depth 3 --engine datalog --json")]
pub struct Perft {
    #[command(flatten)]
    pub game: GameArgument,
    /// The greatest depth to count
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub depth: u16,
    /// Count depth N only, separately for each first joint move
    #[arg(long)]
    pub divide: bool,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub json: Json,
}

/// Play one match at random and show it
///
/// Draws each state, as a board where the game has one, with the moves that were made, and closes with
/// the goals. With --json it writes a record that `ludex replay` reads.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex simulate tictactoe
  ludex simulate reversi --seed 7 --steps 5
  ludex simulate nim --json > nim.jsonl && ludex replay nim nim.jsonl")]
pub struct Simulate {
    #[command(flatten)]
    pub game: GameArgument,
    /// The seed of the random moves; without it another one is chosen each time, and shown
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Stop after N joint moves
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub steps: usize,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub json: Json,
}

/// Compare an engine with recorded matches
///
/// Compares everything that the records say with what the engine computes: initial state, legal moves,
/// end, goals, and the successor under each recorded joint move. Stops at the first difference, prints
/// it in full, and ends with exit status 1.
///
/// Two formats are read, plain or compressed with gzip: lines of JSON as `ludex simulate --json` writes
/// them, and match records of GGP.org servers.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex replay mygame.kif mygame.jsonl.gz
  ludex replay tictactoe match1.json match2.json --json")]
pub struct Replay {
    #[command(flatten)]
    pub game: GameArgument,
    /// Recorded matches
    #[arg(value_name = "RECORD", required = true)]
    pub records: Vec<PathBuf>,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub json: Json,
}

/// Measure random play
///
/// Plays from the initial state to the end at random, again and again, on one thread, until S seconds of
/// processor time are spent. A playout that is not finished by then counts for its states only. The
/// time to build (from the text to an engine ready to play) is wall-clock time.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex bench connectfour
  ludex bench tictactoe reversi hex --seconds 5
  ludex bench breakthrough --batch
  ludex bench mygame.kif --engine datalog --json
  ludex bench --gdl-perf mygame.kif result.txt 10")]
pub struct Bench {
    /// Rule sheets: files, `-`, or names of bundled games
    #[arg(value_name = "GAME", required_unless_present = "gdl_perf")]
    pub games: Vec<PathBuf>,
    /// The contract of the gdl-perf speed contest: play GAME at random for SECONDS, write the counts to
    /// RESULT
    #[arg(long, num_args = 3, value_names = ["GAME", "RESULT", "SECONDS"],
          conflicts_with_all = ["games", "seconds", "batch", "json"])]
    pub gdl_perf: Option<Vec<String>>,
    /// Processor time to spend on each game
    #[arg(long, value_name = "S", default_value = "2", value_parser = seconds)]
    pub seconds: f64,
    /// The seed of the random moves
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Play 512 games at a time on the propositional network, one bit a game, instead of one by one
    #[arg(long, conflicts_with = "engine")]
    pub batch: bool,
    /// Draw states a second as an SVG picture; without --engine and --batch, of every engine
    #[arg(long, value_name = "FILE", conflicts_with = "gdl_perf")]
    pub plot: Option<PathBuf>,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub json: Json,
}

/// Prove or refute what should hold in every state of a game
///
/// FORMULA is a formula in infix notation, or a named property: turn-taking, control, playable, unique-goals,
/// constant-sum, terminates, weakly-winnable, well-formed, persistence(FLUENT), functional(FLUENT). What holds
/// comes with a certificate that was checked; what fails comes with a line of play that was replayed.
/// --discover finds by itself what is worth knowing, and proves it.
///
/// Exit status 0 if all properties hold, 1 if one fails or is not decided within the limits.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex prove tictactoe turn-taking control 'persistence(not cell(_,_,b))'
  ludex prove mygame.kif well-formed
  ludex prove mygame.kif 'forall X: true(open(X)) => next not true(open(X))' --time 10
  ludex prove tictactoe --discover
  ludex prove tictactoe playable --emit asp")]
pub struct Prove {
    #[command(flatten)]
    pub game: GameArgument,
    /// Formulas and named properties
    #[arg(value_name = "FORMULA", required_unless_present = "discover")]
    pub formulas: Vec<String>,
    /// Find what is worth knowing, and prove it
    #[arg(long)]
    pub discover: bool,
    /// What decides: the built-in SAT procedures, or clingo on the programs that --emit asp prints
    #[arg(long, value_name = "B", default_value = "sat", conflicts_with = "discover")]
    pub backend: Backend,
    /// Print the programs of base case and induction step instead of deciding
    #[arg(long, value_name = "NOTATION", conflicts_with = "discover")]
    pub emit: Option<Emit>,
    /// The clingo program; by default the one on the path
    #[arg(long, value_name = "FILE", default_value = "clingo")]
    pub clingo: PathBuf,
    /// Time for each property, and for the whole of --discover, in seconds
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    pub time: f64,
    /// Memory for the clauses of a proof, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(1..))]
    pub memory: u32,
    #[command(flatten)]
    pub json: Json,
}

/// What decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// Induction and property-directed reachability on the propositional network
    Sat,
    /// Induction by an answer-set solver
    Asp,
}

/// A notation for the programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Emit {
    /// Programs for clingo
    Asp,
}

/// Play against Ludex in the terminal
///
/// Draws the board, lists your legal moves, and plays all other roles. Type the number of a move or the
/// move itself; `hint` asks the engine what it would do, `view` shows what it thinks, `undo` takes your
/// last move back, `quit` ends.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex play tictactoe
  ludex play connectfour --role red --playclock 5
  ludex play mygame.kif --threads 1")]
pub struct Play {
    #[command(flatten)]
    pub game: GameArgument,
    /// The role that you play; the first one of the rules by default
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    /// Seconds that the engine takes for a move
    #[arg(long, value_name = "S", default_value = "2", value_parser = seconds)]
    pub playclock: f64,
    #[command(flatten)]
    pub mind: MindArguments,
}

/// Play matches for a General Game Playing manager
///
/// Listens for the messages of the GGP protocol (INFO, START, PLAY, STOP, ABORT, PREVIEW) and plays one
/// match at a time. Engines are built while the start clock runs; the search changes to a better one as
/// soon as it is ready. Runs until it is interrupted.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex player
  ludex player --port 9148 --name red-ludex -v
  ludex player --bind 0.0.0.0 --threads 4 --memory 2000")]
pub struct Player {
    /// The port; 0 takes a free one, which is shown
    #[arg(long, value_name = "PORT", default_value_t = 9147)]
    pub port: u16,
    /// The address to listen at; the default is reached from this machine only
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: std::net::IpAddr,
    /// The name that managers see
    #[arg(long, value_name = "NAME", default_value = "ludex", value_parser = token)]
    pub name: String,
    /// Tell what it knows and does, on standard error
    #[arg(short, long)]
    pub verbose: bool,
    /// Play plain UCT on the reference engine, one thread: the measuring stick
    #[arg(long)]
    pub plain: bool,
    #[command(flatten)]
    pub mind: MindArguments,
}

/// Run matches between players
///
/// Each PLAYER is an address (`http://host:port`, `host:port`) of a player that speaks the GGP protocol, or
/// one of: `ludex` (this program), `plain` (plain UCT on the reference engine, the measuring stick),
/// `random`, and `human` (moves are read from standard input). A role called `random` is played by chance
/// and takes no player.
///
/// Illegal moves (IL), late ones (TO) and broken connections (CE) are replaced by random legal moves. With
/// --matches everybody meets everybody so often, taking turns at the roles, and a table closes the answer.
/// Exit status 1 if a match did not come to its end.
#[derive(Debug, Args)]
#[command(
    name = "match",
    after_help = "EXAMPLES:
  ludex match tictactoe ludex random
  ludex match connectfour http://localhost:9147 http://localhost:9148 --startclock 20 --playclock 5
  ludex match breakthrough ludex plain --matches 100 --playclock 0.2 --threads 1
  ludex match mygame.kif localhost:9147 random --scramble --record matches.json"
)]
pub struct Match {
    #[command(flatten)]
    pub game: GameArgument,
    /// Who plays, in the order of the roles
    #[arg(value_name = "PLAYER", required = true)]
    pub players: Vec<String>,
    /// Seconds until the first move
    #[arg(long, value_name = "S", default_value = "10", value_parser = seconds)]
    pub startclock: f64,
    /// Seconds for each move; whole seconds for players at an address
    #[arg(long, value_name = "S", default_value = "5", value_parser = seconds)]
    pub playclock: f64,
    /// How often each group of players meets
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub matches: Option<u32>,
    /// Break matches off after N joint moves
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub steps: usize,
    /// Send the rules with every name replaced by a random word
    #[arg(long)]
    pub scramble: bool,
    /// Append the records of the matches to FILE, in the format of GGP.org servers, one a line
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub mind: MindArguments,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct MindArguments {
    /// Threads that search; all cores by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Megabytes for what the search remembers
    #[arg(long, value_name = "MB", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub memory: u32,
    /// The seed of all random choices
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
}

/// Translate a game so that what does not change costs nothing
///
/// Frame rules (`next` rules that say what stays) are replaced by rules for a relation `fnext` of the fluents
/// that end. A last rule, `next(F) :- true(F), not fnext(F)`, ties both together, so that what is printed is
/// the same game in ordinary GDL, for any system; the engines of Ludex take what ends from the state instead
/// of applying that rule (`ludex minimax --encoding`). A game without frame rules is printed as it is.
///
/// A covering says which combinations of moves get a rule: all (direct), all that are not known to be
/// impossible (pruned), or those that the frame rules of each fluent speak of (relevant).
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex frame tictactoe
  ludex frame mygame.kif --covering relevant --as infix
  ludex frame mygame.kif > translated.kif && ludex perft translated.kif --depth 3")]
pub struct Frame {
    #[command(flatten)]
    pub game: GameArgument,
    /// Which combinations of moves get a rule
    #[arg(long, value_name = "COVERING", default_value = "pruned")]
    pub covering: Covering,
    /// The notation to write
    #[arg(long = "as", value_name = "NOTATION", default_value = "kif")]
    pub notation: Notation,
}

/// Which combinations of moves a translation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Covering {
    /// Every combination of the names of moves
    Direct,
    /// The same without those that are known to be impossible
    Pruned,
    /// Only the roles and moves that the frame rules of a fluent mention
    Relevant,
}

/// Search a game tree in full
///
/// Visits every state down to a depth, without memory and without cuts: the measuring stick for encodings and
/// engines. Prints the number of states from depth 0 on, each way to reach one counted, the seconds of
/// processor time that the search took, and the value for the first role if all others are against it, where the depth decides it.
///
/// An encoding is the way in which the successor is computed: by the rules as they are, or by the rules that
/// `ludex frame` makes of them with one of its coverings; `auto` measures for a moment and takes the faster.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex minimax tictactoe --depth 9
  ludex minimax tictactoe --depth 9 --ignore-terminal --engine datalog --encoding pruned
  ludex minimax mygame.kif --depth 4 --encoding auto --json")]
pub struct Minimax {
    #[command(flatten)]
    pub game: GameArgument,
    /// How many joint moves deep
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub depth: u16,
    /// How successors are written down
    #[arg(long, value_name = "ENCODING", default_value = "original")]
    pub encoding: EncodingChoice,
    /// Expand terminal states like any other, as long as every role has a legal move there
    #[arg(long)]
    pub ignore_terminal: bool,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub json: Json,
}

/// An encoding, or the choice of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EncodingChoice {
    /// The rules as they are
    Original,
    /// Translated, every combination of moves
    Direct,
    /// Translated, combinations known to be impossible left out
    Pruned,
    /// Translated, only the moves that matter to each fluent
    Relevant,
    /// The faster of original and translated, by measurement
    Auto,
}

/// Build, ask and inspect end-game databases
///
/// A database knows for each state how many joint moves it is from a role's best goal: *reachable* if all
/// roles help, *forced* whatever the others do. It is made by regression from the goals, and is one file that
/// carries the rules of its game.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex endgame build tictactoe --depth 4 -o tictactoe.end
  ludex endgame query tictactoe.end --state '(cell 1 1 x) (cell 1 2 x) ... (control xplayer)'
  ludex endgame info tictactoe.end")]
pub struct Endgame {
    #[command(subcommand)]
    pub action: EndgameAction,
}

/// What to do with an end-game database.
#[derive(Debug, Subcommand)]
pub enum EndgameAction {
    Build(EndgameBuild),
    Query(EndgameQuery),
    Info(EndgameInfo),
}

/// Regress the goals of a game
///
/// Goes back from the best goals of all roles, one joint move at a time, until depth N, the end, or a limit.
/// What is finished when a limit is met is written, and the limit is named. The file is written under another
/// name and renamed, so it is there whole or not at all.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex endgame build tictactoe --depth 4 -o tictactoe.end
  ludex endgame build mygame.kif --time 30 -o mygame.end --json
  ludex endgame build nim --no-invariants -o nim.end")]
pub struct EndgameBuild {
    #[command(flatten)]
    pub game: GameArgument,
    /// Stop at depth N; without it, where nothing more is to be found
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=60_000))]
    pub depth: Option<u32>,
    /// The file to write
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Stop after S seconds
    #[arg(long, value_name = "S", default_value = "60", value_parser = seconds)]
    pub time: f64,
    /// Stop at N million diagram nodes, some 40 megabytes each
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=2000))]
    pub memory: u32,
    /// Stop at N entries
    #[arg(long, value_name = "N")]
    pub entries: Option<u64>,
    /// Assume nothing about reachable states
    #[arg(long)]
    pub no_invariants: bool,
    /// Spend up to S seconds on finding and proving facts first, beside those that are found on the way
    #[arg(long, value_name = "S", value_parser = seconds, conflicts_with = "no_invariants")]
    pub prove: Option<f64>,
    /// Regress moves that add and delete fixed fluents like all others
    #[arg(long)]
    pub no_strips: bool,
    #[command(flatten)]
    pub json: Json,
}

/// Look up a state
///
/// Prints the state's entries with their plans, what it is for each role (winning: only this role has an
/// entry; cooperative: others have one too; losing: only others have one; unknown), and the moves to play.
/// STATE is a list of fluents in KIF, `-` for standard input; `initial` is the initial state.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex endgame query maze.end --state '(cell a) (gold i) (step 5)'
  ludex endgame query tictactoe.end --state initial --json
  ludex endgame query nim.end --state - < state.kif")]
pub struct EndgameQuery {
    /// An end-game database
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The state
    #[arg(long, value_name = "STATE")]
    pub state: String,
    /// The role that `class` is about; the first one if not given
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,
    #[command(flatten)]
    pub json: Json,
}

/// Say what a database holds
///
/// Checks the file, and prints its size and the number of entries of each role, kind and depth; with
/// --descriptions also the entries, with --ghosts how many of them no reachable state meets (every reachable
/// state is visited for that).
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex endgame info tictactoe.end
  ludex endgame info tictactoe.end --descriptions 5
  ludex endgame info tictactoe.end --ghosts --json")]
pub struct EndgameInfo {
    /// An end-game database
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Show N descriptions of each layer
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub descriptions: usize,
    /// Time N lookups in states of random play, and the opening of the file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub lookups: Option<u64>,
    /// Count the entries that no reachable state meets
    #[arg(long)]
    pub ghosts: bool,
    #[command(flatten)]
    pub json: Json,
}

/// Solve a game by visiting every state
///
/// Visits every reachable state on several threads and works back from the ends: the value of the game for
/// each role, how soon, the best first moves, and how many states there are. In two-player turn-taking games
/// whose goals add up to a constant these are the values under best play; elsewhere what each role can force
/// by itself. Exit status 1 if the game does not fit the limits.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex solve tictactoe
  ludex solve nim -o nim.end && ludex endgame query nim.end --state initial
  ludex solve mygame.kif --states 50000000 --json")]
pub struct Solve {
    #[command(flatten)]
    pub game: GameArgument,
    /// Write a database of all states
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Give up at N states
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    pub states: usize,
    /// Give up after S seconds
    #[arg(long, value_name = "S", default_value = "600", value_parser = seconds)]
    pub time: f64,
    /// Threads to use; all processors if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub engine: Engine,
    #[command(flatten)]
    pub json: Json,
}

/// Show what Ludex makes of a sheet on the way to an engine
///
/// The forms are for reading, not for programs: they may change from version to version.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex debug tree mygame.kif
  ludex debug strata tictactoe
  ludex debug domains tictactoe --full")]
pub struct Debug {
    #[command(subcommand)]
    pub form: Form,
}

/// A form on the way.
#[derive(Debug, Subcommand)]
pub enum Form {
    /// The syntax tree with the place of every node; also for sheets with errors
    #[command(after_help = "EXAMPLES:\n  ludex debug tree mygame.kif")]
    Tree(GameArgument),
    /// The interned rules, numbered, with the clause that each comes from
    #[command(after_help = "EXAMPLES:\n  ludex debug rules mygame.kif")]
    Rules(GameArgument),
    /// The order in which the rules are applied, and which of them are recursive
    #[command(after_help = "EXAMPLES:\n  ludex debug strata mygame.kif")]
    Strata(GameArgument),
    /// What each argument can hold, and the vocabulary of fluents and moves
    #[command(after_help = "EXAMPLES:
  ludex debug domains tictactoe
  ludex debug domains tictactoe --full")]
    Domains {
        #[command(flatten)]
        game: GameArgument,
        /// List all fluents and moves
        #[arg(long)]
        full: bool,
    },
    /// The size of the propositional network after each step of its making, and of its parts
    #[command(after_help = "EXAMPLES:
  ludex debug propnet tictactoe
  ludex debug propnet breakthrough
  ludex debug propnet nim --dot | dot -Tsvg > nim.svg")]
    Propnet {
        #[command(flatten)]
        game: GameArgument,
        /// Write the network as a graph for Graphviz instead; for small games
        #[arg(long)]
        dot: bool,
    },
    /// Where the time of a batch of 512 games goes: gates, choice of moves, the rest
    #[command(after_help = "EXAMPLES:
  ludex debug lanes tictactoe
  ludex debug lanes breakthrough")]
    Lanes(GameArgument),
    /// The OR-AND tree of the engine `tree`, with what each node was asked in a few moves of play
    #[command(after_help = "EXAMPLES:\n  ludex debug proofs tictactoe")]
    Proofs(GameArgument),
}

/// List the bundled games
///
/// Their names can stand wherever a command asks for a GAME.
#[derive(Debug, Args)]
#[command(after_help = "EXAMPLES:
  ludex games
  ludex games --json
  ludex print tictactoe --as kif")]
pub struct Games {
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Args)]
pub struct GameArgument {
    /// The rule sheet: a file, `-` for standard input, or the name of a bundled game
    #[arg(value_name = "GAME")]
    pub game: PathBuf,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct Json {
    /// Answer in JSON, one object a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, Args)]
pub struct Engine {
    /// The engine that computes
    #[arg(long, value_name = "E", default_value = engines::AUTO.name, value_parser = engine_names())]
    pub engine: Choice,
}

fn engine_names() -> impl TypedValueParser<Value = Choice> {
    let names = engines::ALL.iter().map(|choice| PossibleValue::new(choice.name).help(choice.about));
    // The parser lets only known names through.
    PossibleValuesParser::new(names).map(|name| engines::find(&name).unwrap_or(engines::AUTO))
}

pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 1e6 => Ok(seconds),
        _ => Err("a number of seconds above 0, at most a million".to_owned()),
    }
}

/// A name that is one token of the protocol.
fn token(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_graphic() && c != '(' && c != ')';
    if !text.is_empty() && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("a name without blanks and parentheses".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        super::Arguments::command().debug_assert();
    }
}
