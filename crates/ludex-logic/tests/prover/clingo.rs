//! A real clingo for the tests.

/// The clingo program, or `None` after saying loudly that `what` is not run.
pub fn clingo(what: &str) -> Option<ludex_logic::asp::Clingo> {
    let script = ludex_testkit::corpus::root().join("scripts/get-clingo.sh");
    let output = std::process::Command::new("bash").arg(&script).output();
    match output {
        Ok(output) if output.status.success() => {
            let path = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or_default().to_owned();
            Some(ludex_logic::asp::Clingo::new(path))
        }
        other => {
            let why =
                other.map_or_else(|e| e.to_string(), |o| String::from_utf8_lossy(&o.stderr).into_owned());
            ludex_testkit::report::not_run(what, why.trim());
            None
        }
    }
}
