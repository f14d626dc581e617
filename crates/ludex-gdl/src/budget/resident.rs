//! How much memory the process has, by the operating system's account.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

/// The figure is read anew once in so many milliseconds: reading takes some ten microseconds, and no more than a few
/// megabytes can be touched in between.
const MILLISECONDS: u64 = 2;

static NEXT_LOOK: AtomicU64 = AtomicU64::new(0);
static LAST: AtomicUsize = AtomicUsize::new(0);
static START: OnceLock<Instant> = OnceLock::new();

/// Bytes in memory; 0 where the system does not tell.
pub(super) fn bytes() -> usize {
    let now = START.get_or_init(Instant::now).elapsed().as_millis() as u64;
    // Of several threads that come at once one reads.
    let due = NEXT_LOOK.load(Ordering::Relaxed);
    if now >= due
        && NEXT_LOOK.compare_exchange(due, now + MILLISECONDS, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    {
        LAST.store(read().unwrap_or(0), Ordering::Relaxed);
    }
    LAST.load(Ordering::Relaxed)
}

#[cfg(target_os = "linux")]
fn read() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: usize = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}

#[cfg(not(target_os = "linux"))]
fn read() -> Option<usize> {
    None
}
