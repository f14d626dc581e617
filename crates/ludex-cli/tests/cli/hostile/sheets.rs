//! Sheets written to break what reads, compiles, plays or proves them. Most are games with a meaning, and
//! small as texts; what makes each hostile is one thing, and its name says which.
//!
//! Every sheet is a function of its size. [`all`] gives the set for the tests, which takes seconds, or ten
//! to a hundred times larger, as an attacker would send it.

use std::fmt::Write;

/// A sheet with the name of what is hostile in it.
pub struct Hostile {
    pub name: &'static str,
    pub text: String,
}

/// How large the sheets are.
#[derive(Clone, Copy, PartialEq)]
pub enum Size {
    /// Large enough for what recurses, doubles or squares to show.
    Test,
    /// Megabytes, and what takes hours if anything is quadratic.
    Attack,
}

/// A counter to three, which every sheet below extends or replaces a part of.
const CORE: &str = "(role a) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)\n\
    (<= (next (at ?y)) (does a go) (true (at ?x)) (succ ?x ?y))\n\
    (<= terminal (true (at 3)))\n\
    (<= (goal a 100) (true (at 3)))\n\
    (<= (goal a 0) (not (true (at 3))))\n";

/// The counter with `(legal a go)` everywhere, and more rules.
fn game(more: &str) -> String {
    format!("{CORE}(legal a go)\n{more}")
}

/// The counter that asks `condition` for its only move, and more rules.
fn asking(condition: &str, more: &str) -> String {
    format!("{CORE}(<= (legal a go) {condition})\n{more}")
}

/// `line` for every number below `count`, each on its own line.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for i in 0..count {
        writeln!(text, "{}", line(i)).expect("a string takes all");
    }
    text
}

/// The pieces for every number below `count` with blanks between.
fn list(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect::<Vec<_>>().join(" ")
}

/// `term` inside `depth` applications of the function `f`.
fn wrapped(depth: usize, term: &str) -> String {
    format!("{}{term}{}", "(f ".repeat(depth), ")".repeat(depth))
}

/// The whole set.
pub fn all(size: Size) -> Vec<Hostile> {
    // The second number is for the attack.
    let pick = |test: usize, attack: usize| if size == Size::Test { test } else { attack };
    let mut set = Vec::new();
    let mut add = |name: &'static str, text: String| set.push(Hostile { name, text });

    texts(&mut add, &pick);
    terms(&mut add, &pick);
    bodies(&mut add, &pick);
    relations(&mut add, &pick);
    widths(&mut add, &pick);
    states(&mut add, &pick);
    set
}

type Add<'a> = dyn FnMut(&'static str, String) + 'a;
type Pick<'a> = dyn Fn(usize, usize) -> usize + 'a;

/// Hostile as texts.
fn texts(add: &mut Add, pick: &Pick) {
    let n = pick(100_000, 4_000_000);
    add("text_empty", String::new());
    add("text_blank", " \n".repeat(n / 2));
    add("text_zeros", "\0".repeat(n));
    add("text_comment", format!(";{}", "x".repeat(n)));
    add("text_opening", "(".repeat(n));
    add("text_closing", ")".repeat(n));
    add("text_pairs", "()".repeat(n / 2));
    add("text_deep_fact", game(&format!("(p {})", wrapped(n / 4, "x"))));
    add("text_at_depth_limit", game(&format!("(p {})", wrapped(190, "x"))));
    add("text_deep_not", game(&format!("(<= q {}(p){})", "(not ".repeat(190), ")".repeat(190))));
    add("text_deep_or", game(&format!("(<= q {}r{}) r", "(or ".repeat(190), ")".repeat(190))));
    add("text_deep_and", game(&format!("(<= q {}r{}) r", "(and ".repeat(190), ")".repeat(190))));
    add("text_unclosed", format!("{}(<= (legal a go", CORE));
    add(
        "text_long_name",
        game(&format!("(p {0}) (<= (q ?{0}) (p ?{0}))", "n".repeat(pick(1 << 18, 1 << 20)))),
    );
    add("text_long_number", format!("{CORE}(legal a go) (<= (goal a {}) (true (at 1)))", "9".repeat(n)));
    add("text_unicode", game("(p \u{1F3B2}\u{0301}\u{202E}\u{FEFF}\u{E000}) (<= (q ?\u{3BB}) (p ?\u{3BB}))"));
    add("text_crlf", game("(p x)\n(<= (q ?x) (p ?x))").replace('\n', "\r\n"));
    add("text_control", game("(p \u{1}\u{1b}[31m\u{7f})"));
    add("text_infix_deep", format!("role(a).\np({}x{}).\n", "f(".repeat(n / 4), ")".repeat(n / 4)));
    add("text_infix_not", format!("role(a).\np.\nq :- {}p{}.\n", "not (".repeat(190), ")".repeat(190)));
    add("text_infix_or", format!("role(a).\np.\nq :- {}.\n", vec!["p"; n / 8].join(" or ")));
    add("text_infix_and", format!("role(a).\np.\nq :- {}.\n", vec!["p"; n / 8].join(", ")));
    add("text_infix_quotes", format!("role(a).\n'{}", "\\'".repeat(n / 2)));
    add("text_infix_dots", ". ".repeat(n / 2));
}

/// Terms that rules make large, although every rule is small.
fn terms(add: &mut Add, pick: &Pick) {
    // Each relation holds a term twice as large as the one before: written out, 2^n names.
    let doubling = |base: &str, count: usize| {
        format!("{base}\n{}", lines(count, |i| format!("(<= (p{} (f ?x ?x)) (p{i} ?x))", i + 1)))
    };
    let n = pick(100, 100);
    let last = format!("(p{n} ?x)");
    add("terms_doubled_static", asking(&last, &doubling("(p0 c)", n)));
    add("terms_doubled_state", asking(&last, &doubling("(<= (p0 ?x) (true (at ?x)))", n)));
    add("terms_doubled_unused", game(&doubling("(p0 c)", n)));
    add(
        "terms_doubled_move",
        game(&format!("{}(<= (next (seen ?x)) {last})", doubling("(<= (p0 ?x) (does a ?x))", n))),
    );
    add("terms_doubled_init", game(&format!("{}(<= (init (big ?x)) {last})", doubling("(p0 c)", n))));
    add("terms_doubled_goal", game(&format!("{}(<= (goal a ?x) {last})", doubling("(p0 c)", n))));
    add("terms_doubled_role", game(&format!("{}(<= (role ?x) {last})", doubling("(p0 c)", n))));
    add("terms_doubled_legal", format!("{CORE}(<= (legal a ?x) {last})\n{}", doubling("(p0 c)", n)));
    // A few doublings: each is within reason, all together are not.
    add(
        "terms_doubled_often",
        asking("(p18 ?x)", &doubling(&lines(pick(8, 64), |i| format!("(p0 c{i})")), 18)),
    );
    add("terms_doubled_next", game("(init (big c))\n(<= (next (big (f ?x ?x))) (true (big ?x)))"));
    add("terms_grown_next", game("(init (big c))\n(<= (next (big (s ?x))) (true (big ?x)))"));
    add(
        "terms_fibonacci",
        asking(
            "(p95 ?x)",
            &format!(
                "(p0 a) (p1 b)\n{}",
                lines(95, |i| format!("(<= (p{} (f ?x ?y)) (p{i} ?x) (p{} ?y))", i + 2, i + 1))
            ),
        ),
    );
    // Each rule wraps the term of the one before a hundred and eighty deep.
    let wrapping = |base: &str, count: usize| {
        format!("{base}\n{}", lines(count, |i| format!("(<= (p{} {}) (p{i} ?x))", i + 1, wrapped(180, "?x"))))
    };
    let n = pick(600, 2_000);
    let last = format!("(p{n} ?x)");
    add("terms_wrapped_static", asking(&last, &wrapping("(p0 c)", n)));
    add("terms_wrapped_state", asking(&last, &wrapping("(<= (p0 ?x) (true (at ?x)))", n)));
    add("terms_wrapped_unused", game(&wrapping("(p0 c)", n)));
    add(
        "terms_wrapped_move",
        game(&format!("{}(<= (next (seen ?x)) {last})", wrapping("(<= (p0 ?x) (does a ?x))", n))),
    );
    add("terms_wrapped_init", game(&format!("{}(<= (init (big ?x)) {last})", wrapping("(p0 c)", n))));
    add("terms_successor", asking("(n ?x)", "(n 0)\n(<= (n (s ?x)) (n ?x))"));
    add("terms_successor_bounded", {
        let n = pick(3_000, 60_000);
        asking(
            "(n 0 ?x)",
            &format!(
                "{}(n {n} z)\n(<= (n ?i (s ?x)) (n ?j ?x) (before ?i ?j))",
                lines(n, |i| format!("(before {i} {})", i + 1))
            ),
        )
    });
    add("terms_pairs", asking("(n ?x)", "(n 0)\n(<= (n (f ?x ?y)) (n ?x) (n ?y))"));
    // Unification that doubles: x1 = f(x0,x0), x2 = f(x1,x1), ... through one atom.
    add("terms_unified", {
        let n = 60;
        let left = list(n, |i| format!("?x{}", i + 1));
        let right = list(n, |i| format!("(f ?x{i} ?x{i})"));
        asking(
            "(q ?x)",
            &format!(
                "(<= (q ?z) (p ?z {}) (true (at ?z)))\n(<= (p ?x0 {right}) (r ?x0))\n(r 0)\n(<= (t ?x0) (r ?x0) (p ?x0 {left}))",
                list(n, |_| "?z".into())
            ),
        )
    });
    add(
        "terms_distinct_large",
        asking(
            "(q ?x)",
            &format!("(s c)\n(<= (q ?x) (s ?x) (distinct {} {}))", wrapped(180, "?x"), wrapped(180, "c")),
        ),
    );
    // Equalities that nest terms in each other, deeper than any text may.
    add("terms_equal_nested", {
        let m = pick(100, 500);
        let steps = list(m, |i| format!("(not (distinct ?x{} {}))", i + 1, wrapped(90, &format!("?x{i}"))));
        asking("(q ?x)", &format!("(<= (q ?x{m}) (succ ?x0 ?y) {steps})"))
    });
    add(
        "terms_goal_values",
        game(&lines(pick(500, 20_000), |i| format!("(<= (goal a {i}00000000000000000000) (true (at 2)))"))),
    );
    add("terms_goal_compound", game("(<= (goal a (f ?x)) (true (at ?x)))"));
}

/// Rules with bodies that nobody would write.
fn bodies(add: &mut Add, pick: &Pick) {
    let n = pick(3_000, 100_000);
    add("body_negated", asking("q", &format!("(<= q {}) (p x)", list(n, |i| format!("(not (p {i}))")))));
    add(
        "body_negated_state",
        asking("q", &format!("(<= q {})", list(n, |i| format!("(not (true (at m{i})))")))),
    );
    add(
        "body_negated_relations",
        asking(
            "q",
            &format!(
                "(<= q {})\n{}",
                list(n, |i| format!("(not p{i})")),
                lines(n, |i| format!("(<= p{i} (true (at m{i})))"))
            ),
        ),
    );
    add(
        "body_distinct",
        asking("q", &format!("(<= q (true (at ?x)) {})", list(n, |i| format!("(distinct ?x c{i})")))),
    );
    add(
        "body_positive",
        asking(
            "q",
            &format!("(<= q {}) {}", list(n, |i| format!("(p {i})")), list(n, |i| format!("(p {i})"))),
        ),
    );
    add(
        "body_positive_state",
        asking(
            "q",
            &format!(
                "(<= q {}) {}",
                list(n, |i| format!("(true (bit {i}))")),
                list(n, |i| format!("(init (bit {i}))"))
            ),
        ),
    );
    add(
        "body_positive_next",
        game(&format!(
            "(<= (next (bit 0)) {})\n{}",
            list(n, |i| format!("(true (bit {i}))")),
            list(n, |i| format!("(init (bit {i}))"))
        )),
    );
    add("body_same", asking("q", &format!("(<= q {})", vec!["(true (at ?x))"; n].join(" "))));
    add("body_same_does", game(&format!("(<= (next q) {})", vec!["(does a go)"; n].join(" "))));
    let m = pick(600, 2_000);
    add("body_chained", asking("q", &format!("(<= q {})", list(m, |i| format!("(succ ?x{i} ?x{})", i + 1)))));
    add(
        "body_chained_state",
        asking("q", &format!("(<= q {})", list(m, |i| format!("(true (edge ?x{i} ?x{}))", i + 1))))
            + "(init (edge 0 1)) (init (edge 1 0)) (init (edge 0 0))",
    );
    add(
        "body_chained_facts",
        asking(
            "q",
            &format!(
                "(<= q {}) (e 0 1) (e 1 0) (e 1 1) (e 0 0)",
                list(m, |i| format!("(e ?x{i} ?x{})", i + 1))
            ),
        ),
    );
    add(
        "body_chained_head",
        game(&format!(
            "(<= (q {}) {}) (e 0 1) (e 1 0) (e 1 1)",
            list(m + 1, |i| format!("?x{i}")),
            list(m, |i| format!("(e ?x{i} ?x{})", i + 1))
        )),
    );
    add("body_star", asking("q", &format!("(<= q {})", list(m, |i| format!("(succ ?x ?y{i})")))));
    add("body_loose", asking("q", &format!("(<= q {})", list(m, |i| format!("(succ ?x{i} ?y{i})")))));
    add("body_loose_state", asking("q", &format!("(<= q {})", list(m, |i| format!("(true (at ?x{i}))")))));
    add(
        "body_loose_head",
        game(&format!(
            "(<= (q {}) {})",
            list(30, |i| format!("?x{i}")),
            list(30, |i| format!("(succ ?x{i} ?y{i})"))
        )),
    );
    add(
        "body_loose_legal",
        format!(
            "{CORE}(<= (legal a (m {})) {})",
            list(30, |i| format!("?x{i}")),
            list(30, |i| format!("(succ ?x{i} ?y{i})"))
        ),
    );
    add(
        "body_loose_next",
        game(&format!(
            "(<= (next (f {})) {})\n{}",
            list(30, |i| format!("?x{i}")),
            list(30, |i| format!("(true (f{i} ?x{i}))")),
            lines(30, |i| format!("(init (f{i} 0)) (init (f{i} 1))"))
        )),
    );
    let k = 26;
    add(
        "body_clique",
        asking(
            "q",
            &format!(
                "(<= q {})\n{}",
                list(k * k, |i| format!("(e ?x{} ?x{})", i / k, i % k)),
                lines(400, |i| format!("(e {} {})", i / 20, (i * 7 + i / 20) % 20))
            ),
        ),
    );
    add("body_or_product", asking("q", &format!("(<= q {}) r s", vec!["(or r s)"; 40].join(" "))));
    add("body_or_wide", asking("q", &format!("(<= q (or {})) (p x)", list(n, |i| format!("(p {i})")))));
    add(
        "body_or_nested",
        asking("q", &format!("(<= q {}r{}) r s", "(or (and s ".repeat(90), "))".repeat(90))),
    );
    add("body_not_or", asking("q", &format!("(<= q (not (or {}))) (p x)", list(n, |i| format!("(p {i})")))));
    add(
        "body_not_and",
        asking("q", &format!("(<= q (not (and {}))) (p x)", list(n, |i| format!("(p {i})")))),
    );
    add(
        "body_goal",
        game(&format!(
            "(<= (goal a 50) {})",
            list(m, |i| format!("(true (at ?x{i})) (not (true (at n{i})))"))
        )),
    );
    add(
        "body_terminal",
        game(&format!(
            "(<= terminal {})",
            list(m, |i| format!("(true (at ?x{i})) (distinct ?x{i} ?x{})", i / 2))
        )),
    );
    add("body_next_moves", game(&format!("(<= (next seen) {})", list(m, |i| format!("(does ?r{i} ?m{i})")))));
}

/// Many relations, in chains, fans and cycles.
fn relations(add: &mut Add, pick: &Pick) {
    let n = pick(4_000, 100_000);
    let last = format!("(p{n} ?x)");
    let chain =
        |base: &str, n: usize| format!("{base}\n{}", lines(n, |i| format!("(<= (p{} ?x) (p{i} ?x))", i + 1)));
    add("chain_static", asking(&last, &chain("(p0 c)", n)));
    add("chain_state", asking(&last, &chain("(<= (p0 ?x) (true (at ?x)))", n)));
    add("chain_move", game(&format!("{}(<= (next (seen ?x)) {last})", chain("(<= (p0 ?x) (does a ?x))", n))));
    add("chain_unused", game(&chain("(p0 c)", n)));
    add("chain_unused_state", game(&chain("(<= (p0 ?x) (true (at ?x)))", n)));
    add(
        "chain_backwards",
        asking(
            "(p0 ?x)",
            &format!(
                "{}(<= (p{n} ?x) (true (at ?x)))",
                lines(n, |i| format!("(<= (p{i} ?x) (p{} ?x))", i + 1))
            ),
        ),
    );
    add(
        "chain_without_arguments",
        asking(
            &format!("p{n}"),
            &format!("(<= p0 (true (at ?x)))\n{}", lines(n, |i| format!("(<= p{} p{i})", i + 1))),
        ),
    );
    add(
        "chain_negated",
        asking(
            &format!("p{n}"),
            &format!("(<= p0 (true (at 0)))\n{}", lines(n, |i| format!("(<= p{} (not p{i}))", i + 1))),
        ),
    );
    add(
        "chain_negated_arguments",
        asking(
            &last,
            &format!(
                "(<= (p0 ?x) (true (at ?x)))\n{}",
                lines(n, |i| format!("(<= (p{} ?x) (true (at ?x)) (not (p{i} ?x)))", i + 1))
            ),
        ),
    );
    add(
        "chain_doubled",
        asking(
            &format!("p{n}"),
            &format!(
                "(<= p0 (true (at 0)))\n{}",
                lines(n, |i| format!("(<= p{0} p{i})\n(<= p{0} (not p{i}))", i + 1))
            ),
        ),
    );
    add(
        "chain_paired",
        asking(
            &last,
            &format!(
                "(<= (p0 ?x) (true (at ?x)))\n(<= (p1 ?x) (true (at ?x)))\n{}",
                lines(n, |i| format!("(<= (p{} ?x) (p{i} ?x) (p{} ?x))", i + 2, i + 1))
            ),
        ),
    );
    add(
        "chain_next",
        game(&format!(
            "(init (bit 0))\n{}",
            lines(n, |i| format!("(<= (next (bit {})) (true (bit {i})))", i + 1))
        )),
    );
    add(
        "chain_next_functions",
        game(&format!(
            "(init (b0 x))\n{}",
            lines(n, |i| format!("(<= (next (b{} ?x)) (true (b{i} ?x)))", i + 1))
        )),
    );
    add(
        "chain_of_facts",
        asking(
            "(q ?x)",
            &format!(
                "{}(<= (q 0)) (<= (q ?y) (q ?x) (step ?x ?y))",
                lines(n, |i| format!("(step {i} {})", i + 1))
            ),
        ),
    );
    add(
        "chain_of_facts_state",
        asking(
            "(q ?x)",
            &format!(
                "{}(<= (q ?x) (true (at ?x))) (<= (q ?y) (q ?x) (step ?x ?y))",
                lines(n, |i| format!("(step {i} {})", i + 1))
            ),
        ),
    );
    // Every relation holds all constants so far and one more.
    add(
        "chain_domains",
        asking(
            &last,
            &format!("(p0 c)\n{}", lines(n, |i| format!("(<= (p{0} ?x) (p{i} ?x))\n(p{0} c{i})", i + 1))),
        ),
    );
    add(
        "cycle",
        asking(
            "(p0 ?x)",
            &format!(
                "(<= (p0 ?x) (true (at ?x)))\n(<= (p0 ?x) (p{n} ?x))\n{}",
                lines(n, |i| format!("(<= (p{} ?x) (p{i} ?x))", i + 1))
            ),
        ),
    );
    add(
        "cycle_static",
        asking(
            "(p0 ?x)",
            &format!(
                "(p0 c)\n(<= (p0 ?x) (p{n} ?x))\n{}",
                lines(n, |i| format!("(<= (p{} ?x) (p{i} ?x))", i + 1))
            ),
        ),
    );
    add(
        "cycle_negated",
        game(&format!("(<= p0 (not p{n}))\n{}", lines(n, |i| format!("(<= p{} p{i})", i + 1)))),
    );
    add("fan_in", asking("q", &lines(n, |i| format!("(<= q (true (at c{i})))"))));
    add("fan_in_relations", asking("q", &lines(n, |i| format!("(<= q p{i})\n(<= p{i} (true (at {i})))"))));
    add(
        "fan_out",
        game(&format!("(<= (q ?x) (true (at ?x)))\n{}", lines(n, |i| format!("(<= (p{i} ?x) (q ?x))")))),
    );
    add("fan_legal", format!("{CORE}{}", lines(n, |i| format!("(<= (legal a (m {i})) (true (at ?x)))"))));
    add("fan_next", game(&lines(n, |i| format!("(<= (next (b {i})) (true (at ?x)) (not (true (b {i}))))"))));
    add(
        "fan_frame",
        game(&lines(n, |i| format!("(init (b {i}))\n(<= (next (b {i})) (true (b {i})) (does a go))"))),
    );
    add(
        "fan_frame_functions",
        game(&lines(n, |i| {
            format!("(init (b{i} 0))\n(<= (next (b{i} ?x)) (true (b{i} ?x)) (not (does a stop)))")
        })),
    );
    add("fan_terminal", game(&lines(n, |i| format!("(<= terminal (true (at t{i})))"))));
    add("clauses_same", asking("q", &lines(n, |_| "(<= q (true (at ?x)))".into())));
    add("clauses_facts", asking("(p 0)", &lines(n, |i| format!("(p {i})"))));
    add("grid_complete", {
        let m = pick(120, 1_200);
        asking(
            "p0",
            &format!(
                "{}(<= p{m} (true (at 0)))",
                lines(m, |i| list(m - i, |j| format!("(<= p{i} p{})", i + j + 1)))
            ),
        )
    });
    add("grid_complete_conditions", {
        let m = pick(120, 1_200);
        asking(
            "p0",
            &format!(
                "{}(<= p{m} (true (at 0)))",
                lines(m, |i| format!("(<= p{i} {})", list(m - i, |j| format!("p{}", i + j + 1))))
            ),
        )
    });
}

/// Very many of one thing: arguments, roles, variables, constants, functions.
fn widths(add: &mut Add, pick: &Pick) {
    let n = pick(3_000, 100_000);
    add("wide_fact", game(&format!("(p {})", list(n, |i| format!("c{i}")))));
    add(
        "wide_relation",
        asking(
            "(q ?x)",
            &format!(
                "(p {})\n(<= (q ?x0) (p {}))",
                list(n, |i| format!("c{i}")),
                list(n, |i| format!("?x{i}"))
            ),
        ),
    );
    add(
        "wide_fluent",
        game(&format!(
            "(init (f {0}))\n(<= (next (f {1})) (true (f {1})))",
            list(n, |i| format!("c{i}")),
            list(n, |i| format!("?x{i}"))
        )),
    );
    add("wide_move", format!("{CORE}(legal a go)\n(legal a (m {}))", list(n, |i| format!("c{i}"))));
    add(
        "wide_repeated",
        asking(
            "(q ?x)",
            &format!("(p {})\n(<= (q ?x) (p {}))", vec!["c"; n].join(" "), vec!["?x"; n].join(" ")),
        ),
    );
    let m = pick(300, 10_000);
    let roles = lines(m, |i| format!("(role r{i})"));
    add(
        "roles_many",
        format!(
            "{roles}(init (at 0)) (succ 0 1) (succ 1 2)\n(<= (legal ?r go) (role ?r))\n(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))\n(<= terminal (true (at 2)))\n(<= (goal ?r 50) (role ?r))"
        ),
    );
    add(
        "roles_many_moves",
        format!(
            "{roles}(init (at 0)) (succ 0 1) (succ 1 2)\n(<= (legal ?r (go ?x)) (role ?r) (succ ?x ?y))\n(<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))\n(<= (next (did ?r ?x)) (does ?r (go ?x)))\n(<= terminal (true (at 2)))\n(<= (goal ?r 50) (role ?r))"
        ),
    );
    add(
        "roles_pairs",
        format!(
            "{}(init (at 0))\n(<= (legal ?r (to ?s)) (role ?r) (role ?s))\n(<= (next (at 1)) (does ?r (to ?s)) (does ?s (to ?r)))\n(<= terminal (true (at 1)))\n(<= (goal ?r 50) (role ?r))",
            lines(pick(40, 1_000), |i| format!("(role r{i})"))
        ),
    );
    add(
        "constants_square",
        asking(
            "(q ?x ?y)",
            &format!("{}(<= (q ?x ?y) (c ?x) (c ?y))", lines(pick(400, 20_000), |i| format!("(c {i})"))),
        ),
    );
    add(
        "constants_power",
        asking(
            "q",
            &format!(
                "{}(<= q (p {1}))\n(<= (p {0}) {2})",
                list(12, |i| format!("?x{i}")),
                list(12, |i| format!("?y{i}")),
                list(12, |i| format!("(c ?x{i})"))
            )
            .replacen("(<= q", &format!("{}(<= q", lines(10, |i| format!("(c {i})"))), 1),
        ),
    );
    add(
        "state_power",
        game(
            &format!(
                "{}(<= (next (f {0})) (true (f {0})))\n(<= (init (f {0})) {1})",
                list(9, |i| format!("?x{i}")),
                list(9, |i| format!("(c ?x{i})"))
            )
            .replacen("(<= (next", &format!("{}(<= (next", lines(10, |i| format!("(c {i})"))), 1),
        ),
    );
    add(
        "moves_power",
        format!(
            "{CORE}{}(<= (legal a (m {})) {})",
            lines(10, |i| format!("(c {i})")),
            list(9, |i| format!("?x{i}")),
            list(9, |i| format!("(c ?x{i})"))
        ),
    );
    add(
        "moves_many",
        format!(
            "{CORE}{}(<= (legal a (m ?x ?y)) (c ?x) (c ?y))\n(<= (next (did ?x)) (does a (m ?x ?y)))",
            lines(pick(60, 1_500), |i| format!("(c {i})"))
        ),
    );
    add(
        "functions_many",
        game(&lines(n, |i| format!("(init (f{i} x))\n(<= (next (f{i} ?x)) (true (f{i} ?x)))"))),
    );
    add("names_many", game(&lines(n, |i| format!("(name{i} other{i})"))));
    add("arities_many", game(&lines(pick(200, 2_000), |i| format!("(p {})", list(i, |_| "c".into())))));
}

/// Games whose states or matches are what is large.
fn states(add: &mut Add, pick: &Pick) {
    let n = pick(24, 64);
    let bits = lines(n, |i| format!("(next-bit {i} {})", i + 1));
    add(
        "match_counter",
        format!(
            "(role a) (init (bit 0 0)) (legal a tick)\n{bits}\n(<= (next (bit ?i ?v)) (flips ?i) (true (bit ?i ?w)) (other ?v ?w))\n(<= (next (bit ?i ?v)) (not (flips ?i)) (true (bit ?i ?v)))\n(other 0 1) (other 1 0)\n(<= (flips 0))\n(<= (flips ?j) (next-bit ?i ?j) (flips ?i) (true (bit ?i 1)))\n{}(<= terminal (true (bit {n} 1)))\n(<= (goal a 100) (true (bit {n} 1)))",
            lines(n, |i| format!("(init (bit {} 0))", i + 1))
        ),
    );
    add("match_endless", "(role a) (init (at 0)) (legal a go) (<= (next (at 0)) (does a go)) (<= terminal (true (at 1))) (<= (goal a 100) (true (at 1)))".into());
    add("next_whole_fluent", game("(<= (next ?f) (true ?f))"));
    add("next_any_fluent", game("(<= (next ?x) (succ ?x ?y))\n(<= (next (g ?f)) (true ?f) (does a go))"));
    add("legal_any", format!("{CORE}(<= (legal ?r ?f) (role ?r) (true ?f))"));
    add("legal_nested", format!("{CORE}(legal a go)\n(<= (legal a (again ?m)) (does a ?m))"));
    add("next_move_kept", game("(<= (next (did ?m)) (does a ?m))\n(<= (next (did (f ?m))) (true (did ?m)))"));
    add("next_choices", {
        let m = pick(40, 2_000);
        format!(
            "{CORE}{}{}(<= (legal a go) (true (at ?x)))\n(<= (next (b ?i on)) (does a (set ?i)))\n(<= (next (b ?i ?v)) (true (b ?i ?v)) (not (does a (set ?i))))",
            lines(m, |i| format!("(init (b {i} off)) (init (b {i} on))")),
            "(<= (legal a (set ?i)) (true (b ?i off)))\n"
        )
    });
    // A copy of the rule for every combination of functions that the variables can be.
    add("next_whole_power", {
        let m = pick(60, 1_000);
        game(&format!(
            "{}(<= (next seen) (true ?a) (true ?b) (true ?c) (true ?d) (distinct ?a ?b))",
            lines(m, |i| format!("(init (f{i} x))"))
        ))
    });
    add(
        "no_terminal",
        "(role a) (init x) (legal a go) (<= (next x) (true x)) (<= (goal a 50) (true x))".into(),
    );
    add("no_moves", "(role a) (init (at 0)) (<= (legal a go) (true never)) (<= (next (at 0)) (true (at 0))) (<= terminal (true never)) (<= (goal a 0) (true (at 0)))".into());
    add(
        "no_init",
        "(role a) (legal a go) (<= (next x) (does a go)) (<= terminal (true x)) (<= (goal a 100) (true x))"
            .into(),
    );
    add("goals_two", game("(<= (goal a 1) (true (at ?x))) (<= (goal a 2) (true (at ?x)))"));
    add("roles_by_rule", "(role a) (<= (role ?x) (other ?x)) (other b) (init x) (<= (legal ?r go) (role ?r)) (<= (next x) (true x)) (<= terminal (not (true x))) (<= (goal ?r 50) (role ?r))".into());
}
