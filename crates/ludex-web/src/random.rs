//! Words that nobody can guess: tokens, and the names of matches.

/// Twenty-six letters and digits: a hundred and thirty bits.
pub fn word() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0; 26];
    // A system without random numbers has no secrets to keep, and no server to run.
    getrandom::fill(&mut bytes).expect("the system has random numbers");
    bytes.iter().map(|byte| LETTERS[usize::from(byte % 32)] as char).collect()
}
