//! Why a game is not solved, or a folder is refused.

use ludex_engine::budget::Exceeded;
use ludex_engine::error::BuildError;
use ludex_engine::fault::Fault;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a game is not solved, or a folder is refused.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read or written.
    Io(PathBuf, io::Error),
    /// What the work as a whole may take.
    Limit(Exceeded),
    /// The engine could not answer a question about a reachable state.
    Engine(Fault),
    /// The game cannot be compiled.
    Build(BuildError),
    /// More bytes on disk than allowed.
    Disk(u64),
    /// Nothing can be done in so little memory: what there is, and what it takes at least, in bytes.
    Memory(usize, usize),
    /// Another process works in the folder.
    Locked(PathBuf),
    /// There is something in the folder that a new run would overwrite.
    Occupied(PathBuf),
    /// The folder holds no run.
    NoRun(PathBuf),
    /// A run of another version of the format.
    Version(PathBuf, String),
    /// A run of other rules.
    Foreign(PathBuf),
    /// The run is finished only up to here.
    Unfinished(PathBuf),
    /// A run of another kind: what it is, and what was wanted.
    Kind(PathBuf, &'static str, &'static str),
    /// A file is not as it was written; what is wrong.
    Damaged(PathBuf, &'static str),
    /// States take more bits than are packed.
    Wide(usize),
    /// A state that does not fit what is known of all states: knowledge that is wrong, so nothing is told.
    Misfit(String),
    /// A move that does not raise the counter: the game is not ranked by it.
    Unranked,
    /// A number that the format has no room for.
    TooMany(&'static str),
    /// The store of a cluster does not do what is asked, again and again.
    #[cfg(feature = "cluster")]
    Shared(String),
    /// Another run has gone on from where this one was.
    #[cfg(feature = "cluster")]
    Superseded(String),
    /// A process of a cluster is refused, or does not come; why.
    #[cfg(feature = "cluster")]
    Refused(String),
    /// What went wrong at another worker, and its number.
    #[cfg(feature = "cluster")]
    Elsewhere(usize, String),
}

/// What most functions here return.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of the operating system with its file.
    pub(crate) fn io(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
        move |error| Error::Io(path.to_path_buf(), error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io(path, error) => write!(f, "`{}`: {error}", path.display()),
            Error::Limit(limit) => write!(f, "it takes {limit}"),
            Error::Engine(fault) => write!(f, "in a reachable state {fault}"),
            Error::Build(error) => error.fmt(f),
            Error::Disk(bytes) => {
                write!(f, "it takes more than {} MB on disk; `--disk` allows more", bytes >> 20)
            }
            Error::Memory(have, least) => {
                write!(f, "{} MB of memory are too few, it takes {} MB", have >> 20, (least >> 20) + 1)
            }
            Error::Locked(path) => write!(f, "another process works in the folder `{}`", path.display()),
            Error::Occupied(path) => write!(
                f,
                "the folder `{}` is not empty: name another, or go on with a solving run by `ludex solve --resume`",
                path.display()
            ),
            Error::NoRun(path) => write!(f, "the folder `{}` holds no solving run", path.display()),
            Error::Version(path, found) => write!(
                f,
                "the folder `{}` was written in the format {found}; {} is read",
                path.display(),
                crate::folder::FORMAT
            ),
            Error::Foreign(path) => {
                write!(f, "the folder `{}` was made from other rules", path.display())
            }
            Error::Unfinished(path) => {
                write!(f, "the run in `{}` is not finished; `ludex solve --resume` goes on", path.display())
            }
            Error::Kind(path, is, wanted) => {
                write!(f, "the folder `{}` holds {is}, not {wanted}", path.display())
            }
            Error::Damaged(path, what) => write!(f, "`{}` is damaged: {what}", path.display()),
            Error::Wide(bits) => {
                write!(f, "a state takes {bits} bits; {} are packed at most", crate::packing::MOST_WORDS * 64)
            }
            Error::Misfit(why) => write!(f, "a state does not fit what was proved of all: {why}"),
            Error::Unranked => f.write_str("a move does not raise the counter that was found"),
            #[cfg(feature = "cluster")]
            Error::Shared(what) => write!(f, "the store fails: {what}"),
            #[cfg(feature = "cluster")]
            Error::Superseded(place) => {
                write!(f, "another run has gone on with `{place}` from where this one was")
            }
            #[cfg(feature = "cluster")]
            Error::Refused(why) => f.write_str(why),
            #[cfg(feature = "cluster")]
            Error::Elsewhere(worker, what) => write!(f, "worker {worker}: {what}"),
            Error::TooMany(what) => write!(f, "there are more {what} than the format has room for"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Exceeded> for Error {
    fn from(limit: Exceeded) -> Error {
        Error::Limit(limit)
    }
}

impl From<BuildError> for Error {
    fn from(error: BuildError) -> Error {
        match error.limit() {
            Some(limit) if limit.is_final() => Error::Limit(limit),
            _ => Error::Build(error),
        }
    }
}

impl From<Fault> for Error {
    /// A question that ended with the time of the whole is no fault of the engine.
    fn from(fault: Fault) -> Error {
        match fault.limit() {
            limit if limit.is_final() => Error::Limit(limit),
            _ => Error::Engine(fault),
        }
    }
}
