//! Whether code for this processor may be used: machine code and vector instructions.
//!
//! Where it is not, the portable path answers: formulas are interpreted and lanes run on plain words, as on every
//! machine that is not an x86-64. The answers are the same, so this is for tests of that path, for finding out
//! whether a fault lies in the machine code, and for systems that forbid memory that is written and then executed.
//!
//! The feature `native` (on by default) decides when Ludex is built; without it there is no `unsafe` in this crate.
//! The variable `LUDEX_NATIVE` decides when it runs: `LUDEX_NATIVE=0` switches native code off. It is read once.

#[cfg(all(feature = "native", target_arch = "x86_64"))]
use std::sync::LazyLock;

/// Whether native code is used: it was built in, and nobody has switched it off.
#[cfg(all(feature = "native", target_arch = "x86_64"))]
pub fn is_enabled() -> bool {
    static ENABLED: LazyLock<bool> =
        LazyLock::new(|| std::env::var_os("LUDEX_NATIVE").is_none_or(|value| value != "0"));
    *ENABLED
}

/// Whether native code is used: there is none for this machine or in this build.
#[cfg(not(all(feature = "native", target_arch = "x86_64")))]
pub fn is_enabled() -> bool {
    false
}
