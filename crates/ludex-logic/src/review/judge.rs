//! From what was seen to what is likely wrong.

use super::Suspicion;
use super::groups::{Break, Family};
use super::play::{LONGEST, Record, Witness};
use super::repair;
use ludex_engine::vocabulary::RoleId;
use ludex_gdl::analysis::dependencies::Dependencies;
use ludex_gdl::rules::{Literal, Rule, Term};
use ludex_gdl::syntax::Span;
use ludex_gdl::syntax::line_column;
use ludex_gdl::{Keyword, Rules, Sheet};

/// Rules that did not fire are told only after so many moves,
const ENOUGH_MOVES: usize = 2_000;

/// and if most matches came to their end.
const ENOUGH_ENDED: usize = 20;

/// A rare way to win should have been seen in so many matches.
const MANY_ENDED: usize = 2_000;

/// Helpers that are told of.
const MOST_HELPERS: usize = 6;

/// A move that nearly always does something is odd when it does not.
const MOSTLY: usize = 3;

/// Whether a rule has a condition on a move of that name.
pub(super) fn reads_move(rules: &Rules, rule: usize, name: &str, arguments: usize) -> bool {
    let does = rules.keyword(Keyword::Does);
    rules.rules()[rule].body.iter().any(|literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => {
            atom.relation == does
                && match &atom.arguments[1] {
                    Term::Variable(_) => true,
                    term => is_called(rules, term, name, arguments),
                }
        }
        Literal::Distinct(..) => false,
    })
}

fn is_called(rules: &Rules, term: &Term, name: &str, arguments: usize) -> bool {
    match term {
        Term::Variable(_) => false,
        Term::Constant(symbol) => arguments == 0 && rules.symbols.name(*symbol) == name,
        Term::Compound(symbol, list) => list.len() == arguments && rules.symbols.name(*symbol) == name,
    }
}

pub(super) fn judge(sheet: &Sheet, rules: &Rules, record: &Record) -> Vec<Suspicion> {
    let judge = Judge { sheet, rules, record, dependencies: Dependencies::of(rules) };
    let mut found = Vec::new();
    for ((family, broken), returns) in record.families.iter().zip(&record.breaks).zip(&record.returns) {
        for &hole in &family.holes {
            found.push(judge.hole(family, hole));
        }
        // A stage of the game that comes again, or has run its course, was not forgotten.
        let is_stage =
            |witness: &Witness<Break>| family.value.is_none() && witness.what.values == 0 && *returns;
        if let Some(witness) = broken.as_ref().filter(|witness| !is_stage(witness)) {
            found.extend(judge.broken(family, witness));
        }
    }
    judge.undeclared(&mut found);
    judge.sums(&mut found);
    judge.ends(&mut found);
    judge.players(&mut found);
    judge.idle_moves(&mut found);
    judge.silent_rules(&mut found);
    found
}

struct Judge<'r> {
    sheet: &'r Sheet,
    rules: &'r Rules,
    record: &'r Record,
    dependencies: Dependencies,
}

impl Judge<'_> {
    fn line(&self, rule: &Rule) -> usize {
        line_column(&self.sheet.text, rule.places.clause.start).0
    }

    fn lines(&self, rules: &[&Rule]) -> String {
        let mut lines: Vec<usize> = rules.iter().map(|rule| self.line(rule)).collect();
        lines.sort_unstable();
        lines.dedup();
        let shown: Vec<String> = lines.iter().take(8).map(ToString::to_string).collect();
        format!("line{} {}", if lines.len() == 1 { "" } else { "s" }, shown.join(", "))
    }

    /// What the rules read: the helpers that stand behind them, each with its lines. A mistake there shows here.
    fn behind(&self, rules: &[&Rule]) -> String {
        let read = rules.iter().flat_map(|rule| &rule.body).filter_map(|l| l.positive().or(l.negative()));
        let seen = self.dependencies.closure(read.map(|atom| atom.relation));
        let mut helpers: Vec<String> = Vec::new();
        for relation in self.rules.relations() {
            let ids = self.rules.rules_for(relation);
            if seen[relation.index()] && self.rules.relation(relation).keyword.is_none() && !ids.is_empty() {
                let name = self.rules.symbols.name(self.rules.relation(relation).name);
                let own: Vec<&Rule> = ids.iter().map(|&id| self.rules.rule(id)).collect();
                helpers.push(format!("`{name}` at {}", self.lines(&own)));
            }
        }
        let more = helpers.len().saturating_sub(MOST_HELPERS);
        helpers.truncate(MOST_HELPERS);
        match (helpers.is_empty(), more) {
            (true, _) => String::new(),
            (false, 0) => format!("; they read {}", helpers.join(", ")),
            (false, _) => format!("; they read {} and {more} more", helpers.join(", ")),
        }
    }

    /// The rules of a keyword whose argument at `position` is called so, or is a variable.
    fn rules_for(&self, keyword: Keyword, position: usize, name: &str, arguments: usize) -> Vec<&Rule> {
        let rules = self.rules.rules_for(self.rules.keyword(keyword)).iter().map(|&id| self.rules.rule(id));
        rules
            .filter(|rule| match rule.head.arguments.get(position) {
                Some(Term::Variable(_)) | None => true,
                Some(term) => is_called(self.rules, term, name, arguments),
            })
            .collect()
    }

    fn is_frame(&self, rule: &Rule) -> bool {
        let holds = self.rules.keyword(Keyword::True);
        let kept = |literal: &Literal| {
            literal
                .positive()
                .is_some_and(|a| a.relation == holds && a.arguments[0] == rule.head.arguments[0])
        };
        rule.body.iter().any(kept)
    }

    fn hole(&self, family: &Family, hole: u32) -> Suspicion {
        let group = family.show(&self.record.vocabulary, hole);
        let init = self.rules_for(Keyword::Init, 0, &family.name, family.arguments);
        let span = init.first().map_or(Span::default(), |rule| rule.places.clause);
        Suspicion {
            kind: "missing-initial-value",
            span,
            message: format!(
                "`{group}` has no value at first, all other groups of `{}` have one",
                family.name
            ),
            hint: format!("add `(init {group})` with the value for `?`"),
            moves: Vec::new(),
            repair: None,
        }
    }

    /// A group with no value, or two.
    fn broken(&self, family: &Family, witness: &Witness<Break>) -> Option<Suspicion> {
        let broken = witness.what;
        let group = family.show(&self.record.vocabulary, broken.group);
        let next = self.rules_for(Keyword::Next, 0, &family.name, family.arguments);
        let fired: Vec<&Rule> = witness
            .fired
            .iter()
            .map(|&rule| &self.rules.rules()[rule])
            .filter(|r| next.contains(r))
            .collect();
        let frames: Vec<&Rule> = next.iter().copied().filter(|rule| self.is_frame(rule)).collect();
        if broken.values == 0 {
            // Things may leave the board for good; places do not.
            let most = 2 * broken.together > family.len();
            if family.value.is_some() && !family.is_board && !most {
                return None;
            }
            // One fluent that ends and never comes back is a phase of the game.
            if family.value.is_none() && frames.is_empty() && next.is_empty() {
                return None;
            }
            let span = frames.first().or(next.first()).map(|rule| rule.places.clause);
            let init = self.rules_for(Keyword::Init, 0, &family.name, family.arguments);
            let span = span.or(init.first().map(|rule| rule.places.clause)).unwrap_or_default();
            let repair = repair::frame_rule(self.rules, self.sheet.notation, family, &next);
            let hint = match (&repair, frames.is_empty()) {
                (Some(rule), true) => format!("add what keeps it, such as {}", rule.trim()),
                _ if next.is_empty() => format!("add rules for `(next {group})`"),
                _ => format!("no rule for `(next {group})` fires; see those at {}", self.lines(&next)),
            };
            return Some(Suspicion {
                kind: "lost-value",
                span,
                message: format!("`{group}` has exactly one value at first, and none after these moves"),
                hint,
                moves: witness.moves.clone(),
                repair: repair.filter(|_| frames.is_empty()),
            });
        }
        let kept: Vec<&Rule> = fired.iter().copied().filter(|rule| self.is_frame(rule)).collect();
        let blamed = kept.first().or(fired.first()).or(next.first());
        Some(Suspicion {
            kind: "two-values",
            span: blamed.map_or(Span::default(), |rule| rule.places.clause),
            message: format!(
                "`{group}` has exactly one value at first, and {} after these moves",
                broken.values
            ),
            hint: format!(
                "a rule that keeps or sets it lacks a condition: those that fired are at {}{}",
                self.lines(if fired.is_empty() { &next } else { &fired }),
                self.behind(if fired.is_empty() { &next } else { &fired })
            ),
            moves: witness.moves.clone(),
            repair: None,
        })
    }

    /// What `base` or `input` do not list.
    fn undeclared(&self, found: &mut Vec<Suspicion>) {
        let lists = [("base", Keyword::Next, 0), ("input", Keyword::Legal, 1)];
        for ((list, keyword, position), seen) in lists.into_iter().zip(&self.record.undeclared) {
            let Some(witness) = seen else { continue };
            let (shown, name) = &witness.what;
            let listing: Vec<&Rule> =
                self.rules.rules().iter().filter(|rule| self.is_list(rule, list)).collect();
            let makers = self.rules.rules_for(self.rules.keyword(keyword)).iter();
            let makers: Vec<&Rule> = makers
                .map(|&id| self.rules.rule(id))
                .filter(|rule| match &rule.head.arguments[position] {
                    Term::Variable(_) => true,
                    Term::Constant(symbol) | Term::Compound(symbol, _) => {
                        self.rules.symbols.name(*symbol) == name
                    }
                })
                .collect();
            let fired = makers.iter().find(|maker| {
                witness.fired.iter().any(|&rule| std::ptr::eq(&raw const self.rules.rules()[rule], **maker))
            });
            let span =
                fired.or(makers.first()).or(listing.first()).map_or(Span::default(), |r| r.places.clause);
            let (what, is) = if list == "base" { ("the fluent", "holds") } else { ("the move", "is legal") };
            found.push(Suspicion {
                kind: "undeclared",
                span,
                message: format!("{what} `{shown}` {is}, and `{list}` does not list it"),
                hint: format!(
                    "one of the rules for it at {} or of those for `{list}` at {} is wrong{}",
                    self.lines(&makers),
                    self.lines(&listing),
                    self.behind(&[makers.as_slice(), &listing].concat())
                ),
                moves: witness.moves.clone(),
                repair: None,
            });
        }
    }

    fn is_list(&self, rule: &Rule, name: &str) -> bool {
        self.rules.symbols.name(self.rules.relation(rule.head.relation).name) == name
    }

    /// Two players who have both won, in a game in which one usually wins from the other.
    fn sums(&self, found: &mut Vec<Suspicion>) {
        let sums = &self.record.sums;
        let count = |sum: i32| sums.get(&sum).map_or(0, |(count, _)| *count);
        if self.record.best.len() != 2 || count(100) == 0 {
            return;
        }
        let Some((both, witness)) = sums.get(&200) else { return };
        let goals = self.rules.rules_for(self.rules.keyword(Keyword::Goal));
        let all: Vec<&Rule> = goals.iter().map(|&id| self.rules.rule(id)).collect();
        let fired = witness.fired.iter().map(|&rule| &self.rules.rules()[rule]);
        let fired: Vec<&Rule> = fired.filter(|rule| all.contains(rule)).collect();
        let blamed = if fired.is_empty() { &all } else { &fired };
        found.push(Suspicion {
            kind: "both-win",
            span: blamed.first().map_or(Span::default(), |rule| rule.places.clause),
            message: format!(
                "both players got 100 in {both} random matches, while in {} their goals added up to 100",
                count(100)
            ),
            hint: format!(
                "is a value wrong in the rules for `goal` at {}, or a condition missing?",
                self.lines(blamed)
            ),
            moves: witness.moves.clone(),
            repair: None,
        });
    }

    fn ends(&self, found: &mut Vec<Suspicion>) {
        let terminal = self.rules_for(Keyword::Terminal, 0, "", 0);
        let Some(first) = terminal.first() else { return };
        let mut tell = |kind, message: String, hint: String| {
            let span = first.places.clause;
            found.push(Suspicion { kind, span, message, hint, moves: Vec::new(), repair: None });
        };
        let lines = self.lines(&terminal);
        if self.record.ends_at_once {
            tell(
                "ends-at-once",
                "the initial state is terminal".to_owned(),
                format!(
                    "does `init` lack something? See also the rules for `terminal` at {lines}{}",
                    self.behind(&terminal)
                ),
            );
        } else if self.record.ended == 0
            && self.record.matches >= ENOUGH_ENDED
            && self.record.stuck.iter().all(Option::is_none)
        {
            tell(
                "never-ended",
                format!("none of {} random matches ended within {LONGEST} moves", self.record.matches),
                format!(
                    "is there an end that play can reach? See the rules for `terminal` at {lines}{}",
                    self.behind(&terminal)
                ),
            );
        }
    }

    fn players(&self, found: &mut Vec<Suspicion>) {
        let vocabulary = &self.record.vocabulary;
        for role in vocabulary.roles() {
            let name = vocabulary.show_role(role);
            if let Some(witness) = &self.record.stuck[role.index()] {
                let mut legal = self.rules_for(Keyword::Legal, 0, &name, 0);
                let span = legal.first().map_or(Span::default(), |rule| rule.places.clause);
                let all = self.rules.rules_for(self.rules.keyword(Keyword::Legal)).iter();
                let others: Vec<&Rule> =
                    all.map(|&id| self.rules.rule(id)).filter(|rule| !legal.contains(rule)).collect();
                let others = match others.is_empty() {
                    true => String::new(),
                    false => {
                        format!(", or those for other roles name the wrong one: {}", self.lines(&others))
                    }
                };
                let behind = self.behind(&legal);
                legal.extend(self.rules_for(Keyword::Terminal, 0, "", 0));
                found.push(Suspicion {
                    kind: "stuck",
                    span,
                    message: format!("`{name}` has no legal move, though the match has not ended"),
                    hint: format!(
                        "a rule for `(legal {name} ...)` or for `terminal` is missing or asks too much: {}{others}{behind}",
                        self.lines(&legal)
                    ),
                    moves: witness.moves.clone(),
                    repair: None,
                });
            }
            if let Some(witness) = &self.record.no_goal[role.index()] {
                self.no_goal(&name, witness, found);
            }
            self.never_wins(role, &name, found);
        }
        self.nobody_wins(found);
    }

    /// Nobody ever gets 100, in a game for several.
    fn nobody_wins(&self, found: &mut Vec<Suspicion>) {
        let best = self.record.best.iter().flatten().copied().max();
        let Some(best) = best.filter(|&best| best < 100) else { return };
        if self.record.ended < ENOUGH_ENDED * 10 || self.record.best.len() < 2 {
            return;
        }
        let goals = self.rules.rules_for(self.rules.keyword(Keyword::Goal));
        let all: Vec<&Rule> = goals.iter().map(|&id| self.rules.rule(id)).collect();
        let span = all.first().map_or(Span::default(), |rule| rule.places.clause);
        found.push(Suspicion {
            kind: "nobody-wins",
            span,
            message: format!("nobody got more than {best} in {} random matches", self.record.ended),
            hint: format!(
                "the best goal value should be 100; see the rules for `goal` at {}",
                self.lines(&all)
            ),
            moves: Vec::new(),
            repair: None,
        });
    }

    /// A match ended, and the role has no goal value, or several.
    fn no_goal(&self, name: &str, witness: &Witness<()>, found: &mut Vec<Suspicion>) {
        let goals = self.rules_for(Keyword::Goal, 0, name, 0);
        let fired: Vec<&Rule> = witness
            .fired
            .iter()
            .map(|&rule| &self.rules.rules()[rule])
            .filter(|r| goals.contains(r))
            .collect();
        let span = fired.first().or(goals.first()).map_or(Span::default(), |rule| rule.places.clause);
        let (message, hint) = if fired.len() > 1 {
            (
                format!("`{name}` has several goal values where a match ended"),
                format!(
                    "the rules for its goals at {} hold together; one lacks a condition, or a rule for `terminal` is \
                     missing{}",
                    self.lines(&fired),
                    self.behind(&fired)
                ),
            )
        } else {
            (
                format!("`{name}` has no single goal value where a match ended"),
                format!(
                    "a rule for `(goal {name} ...)` is missing or asks too much: {}{}",
                    self.lines(&goals),
                    self.behind(&goals)
                ),
            )
        };
        found.push(Suspicion {
            kind: "no-single-goal",
            span,
            message,
            hint,
            moves: witness.moves.clone(),
            repair: None,
        });
    }

    /// A role that never gets more than its least value, while another does.
    fn never_wins(&self, role: RoleId, name: &str, found: &mut Vec<Suspicion>) {
        let best = &self.record.best;
        let Some(mine) = best[role.index()] else { return };
        let others = best.iter().flatten().copied().max().unwrap_or(mine);
        if self.record.ended < 200 || mine >= others || mine > 0 || best.len() < 2 {
            return;
        }
        let goals = self.rules_for(Keyword::Goal, 0, name, 0);
        let span = goals.first().map_or(Span::default(), |rule| rule.places.clause);
        found.push(Suspicion {
            kind: "never-wins",
            span,
            message: format!(
                "`{name}` got 0 in all of {} random matches, others up to {others}",
                self.record.ended
            ),
            hint: format!("see the rules for its goals at {}", self.lines(&goals)),
            moves: Vec::new(),
            repair: None,
        });
    }

    /// A move that sometimes has no effect, while it nearly always has one.
    fn idle_moves(&self, found: &mut Vec<Suspicion>) {
        let mut names: Vec<_> = self.record.effects.iter().collect();
        names.sort_by(|a, b| a.0.cmp(b.0));
        for ((name, arguments), (worked, idle, witness)) in names {
            let Some(witness) = witness else { continue };
            if *worked < MOSTLY * idle && *worked > 0 {
                continue;
            }
            let reads = |rule: &usize| reads_move(self.rules, *rule, name, *arguments);
            let readers: Vec<&Rule> =
                (0..self.rules.rules().len()).filter(reads).map(|rule| &self.rules.rules()[rule]).collect();
            if readers.is_empty() {
                continue;
            }
            let legal = self.rules_for(Keyword::Legal, 1, name, *arguments);
            let span = legal.first().or(readers.first()).map_or(Span::default(), |rule| rule.places.clause);
            found.push(Suspicion {
                kind: "idle-move",
                span,
                message: format!("the move `{name}` was legal, and no rule that reads it fired"),
                hint: format!(
                    "the rules for it at {} lack a condition, or those that read it at {} ask too much{}",
                    self.lines(&legal),
                    self.lines(&readers),
                    self.behind(&readers)
                ),
                moves: witness.moves.clone(),
                repair: None,
            });
        }
    }

    /// Rules that play never used.
    fn silent_rules(&self, found: &mut Vec<Suspicion>) {
        let record = self.record;
        let played = record.moves >= ENOUGH_MOVES || record.ended >= 10 * ENOUGH_ENDED;
        if !record.is_watched || !played || record.ended < ENOUGH_ENDED {
            return;
        }
        let seen = [Keyword::Legal, Keyword::Next].map(|keyword| self.rules.keyword(keyword));
        let playing = Dependencies::of(self.rules).closure(seen);
        // A clause with `or` is several rules.
        let mut told = Span::default();
        for (index, rule) in self.rules.rules().iter().enumerate() {
            let clause = rule.places.clause;
            if rule.body.is_empty() || clause == told {
                continue;
            }
            let twins = self.rules.rules()[index..].iter().take_while(|twin| twin.places.clause == clause);
            if (index..).zip(twins).any(|(at, _)| record.fired[at] > 0) {
                told = clause;
                continue;
            }
            told = clause;
            // What the front end says already, and what depends on a rule that is told, is no news.
            let is_known =
                self.sheet.findings.iter().any(|f| clause.start <= f.span.start && f.span.end <= clause.end);
            if is_known || self.depends_on_silent(rule) || !self.is_surprising(rule, &playing) {
                continue;
            }
            let head = self.rules.symbols.name(self.rules.relation(rule.head.relation).name);
            found.push(Suspicion {
                kind: "unused-rule",
                span: clause,
                message: format!(
                    "this rule for `{head}` never fired in {} random matches ({} moves)",
                    record.matches, record.moves
                ),
                hint: format!(
                    "is a condition wrong, or does it take better play than random moves?{}",
                    self.behind(&[rule])
                ),
                moves: Vec::new(),
                repair: None,
            });
        }
    }

    /// Whether random play should have used the rule. Rules about the outcome alone may take good play: a puzzle is
    /// seldom solved by chance, and there are rare ways to win beside the common one.
    fn is_surprising(&self, rule: &Rule, playing: &[bool]) -> bool {
        if playing[rule.head.relation.index()] {
            return true;
        }
        let siblings = self.rules.rules_for(rule.head.relation).iter();
        let common = siblings.filter(|id| self.record.fired[id.index()] > 0).any(|&id| {
            let sibling = self.rules.rule(id);
            sibling.head == rule.head
        });
        let roles = self.record.vocabulary.role_count();
        roles > 1 && (!common || self.record.ended >= MANY_ENDED)
    }

    /// Whether a positive condition reads a helper of which no rule fired.
    fn depends_on_silent(&self, rule: &Rule) -> bool {
        rule.body.iter().filter_map(Literal::positive).any(|atom| {
            let rules = self.rules.rules_for(atom.relation);
            self.rules.relation(atom.relation).keyword.is_none()
                && !rules.is_empty()
                && rules
                    .iter()
                    .all(|&id| self.record.fired[id.index()] == 0 && !self.rules.rule(id).body.is_empty())
        })
    }
}
