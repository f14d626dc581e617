//! The rules for the end of one fluent.

use super::Encoding;
use super::covering::{General, Part, Scope, direct, is_possible};
use super::helpers::Helpers;
use super::refute::Refuter;
use crate::analysis::actions::{PartialJointMove, RoleActions, functor};
use crate::analysis::domains::Functor;
use crate::analysis::frames::FrameRule;
use crate::rewrite::simplify::{Conjunction, Disjunction, Knowledge};
use crate::rules::{Atom, Literal, RelationId, Rule, Term, Variable};
use crate::symbols::{Keyword, Symbol};
use crate::unify::Substitution;

/// Rules that one general joint move may give; beyond, conditions move into auxiliary relations.
const MOST_RULES: usize = 16;

/// General joint moves of one fluent in the relevant covering.
const MOST_RELEVANT: usize = 256;

/// What the rules of one fluent are made from.
pub(super) struct Translator<'a, 'g> {
    pub(super) known: &'a Knowledge<'g>,
    pub(super) roles: &'a [RoleActions],
    pub(super) impossible: &'a [PartialJointMove],
    pub(super) helpers: &'a mut Helpers,
    pub(super) frame: RelationId,
    pub(super) fluent: Functor,
}

impl Translator<'_, '_> {
    /// The rules for the end of the fluent; `None` if they are too many.
    pub(super) fn rules(&mut self, frames: &[&FrameRule], encoding: Encoding) -> Option<Vec<Rule>> {
        let mut result: Vec<Rule> = Vec::new();
        let is_mentioned = frames.iter().any(|frame| self.roles.iter().any(|r| self.mentions(frame, r.role)));
        let covering = if !is_mentioned {
            // Moves do not matter: one rule for all.
            vec![General::new()]
        } else {
            match encoding {
                Encoding::Original | Encoding::Relevant => {
                    let mut covering = Vec::new();
                    self.split(frames, &mut General::new(), &mut covering)?;
                    covering
                }
                Encoding::Direct => direct(self.roles)?,
                Encoding::Pruned => {
                    let mut covering = direct(self.roles)?;
                    covering.retain(|general| is_possible(general, self.impossible));
                    covering
                }
            }
        };
        for general in covering {
            let scope = Scope::new(self.fluent, &general, &self.known.domains);
            let ends = self.ends(frames, &scope)?;
            for conjunction in &ends.0 {
                let rule = self.rule(&general, &scope, conjunction, encoding == Encoding::Relevant);
                if !result.contains(&rule) {
                    result.push(rule);
                }
            }
        }
        Some(result)
    }

    /// When the fluent ends under the scope's moves; `None` if the work ran out.
    fn ends(&mut self, frames: &[&FrameRule], scope: &Scope) -> Option<Disjunction> {
        let mut clauses = Vec::new();
        for frame in frames {
            clauses.extend(self.refuter().refutations(frame, scope));
            if self.known.is_exhausted() {
                return None;
            }
        }
        // Few alternatives first: they narrow down those that follow.
        clauses.sort_by_key(|clause| clause.0.len());
        let mut result = Disjunction::always();
        for clause in &clauses {
            result = match result.and(clause, MOST_RULES, &scope.domains, self.known) {
                Some(both) => both,
                None if self.known.is_exhausted() => return None,
                None => {
                    let one = self.as_one(clause, scope);
                    result.and(&one, MOST_RULES, &scope.domains, self.known)?
                }
            };
        }
        Some(result)
    }

    fn refuter(&mut self) -> Refuter<'_, '_> {
        Refuter { known: self.known, helpers: self.helpers }
    }

    /// The disjunction as a single condition on an auxiliary relation.
    fn as_one(&mut self, clause: &Disjunction, scope: &Scope) -> Disjunction {
        let guards = self.refuter().guards(scope);
        let condition = self.helpers.any_of(clause, &guards, scope.domains.len());
        Disjunction(
            Conjunction::default().and(&[condition], &scope.domains, self.known).into_iter().collect(),
        )
    }

    /// The relevant covering: the roles that frame rules mention, one after the other, each split by the
    /// moves that are mentioned of it; no further where some frame rule lets the fluent stay already.
    fn split(
        &mut self,
        frames: &[&FrameRule],
        general: &mut General,
        covering: &mut Vec<General>,
    ) -> Option<()> {
        let scope = Scope::new(self.fluent, general, &self.known.domains);
        for frame in frames {
            let stays = self.refuter().refutations(frame, &scope).iter().any(Disjunction::is_never);
            if self.known.is_exhausted() {
                return None;
            }
            if stays {
                return Some(());
            }
        }
        let live: Vec<&FrameRule> = frames.iter().copied().filter(|frame| can_match(frame, &scope)).collect();
        let next = self.roles.iter().find(|entry| {
            scope.move_term(entry.role).is_none() && live.iter().any(|frame| self.mentions(frame, entry.role))
        });
        let Some(entry) = next else {
            covering.push(general.clone());
            return (covering.len() <= MOST_RELEVANT).then_some(());
        };
        let (mentioned, rest): (Vec<Functor>, Vec<Functor>) = entry
            .actions
            .iter()
            .partition(|&&action| live.iter().any(|frame| self.names(frame, entry.role, action)));
        let single = mentioned.into_iter().map(|action| vec![action]);
        for actions in single.chain((!rest.is_empty()).then_some(rest)) {
            general.push(Part { role: entry.role, actions });
            if is_possible(general, self.impossible) {
                self.split(frames, general, covering)?;
            }
            general.pop();
        }
        Some(())
    }

    /// True if a frame rule speaks of a move of the role.
    fn mentions(&self, frame: &FrameRule, role: Symbol) -> bool {
        frame.moves.iter().any(|(player, _)| can_be_role(player, role))
            || self.negated_moves(frame).any(|(player, _)| *player == Term::Constant(role))
    }

    /// True if a frame rule speaks of that move of the role by name.
    fn names(&self, frame: &FrameRule, role: Symbol, action: Functor) -> bool {
        let mut positive = frame.moves.iter().filter(|(player, _)| can_be_role(player, role));
        positive.any(|(_, move_term)| functor(move_term) == Some(action))
            || self.negated_moves(frame).any(|(player, move_term)| {
                *player == Term::Constant(role) && functor(move_term) == Some(action)
            })
    }

    /// Role and move of the negated conditions on moves.
    fn negated_moves<'f>(
        &self,
        frame: &'f FrameRule,
    ) -> impl Iterator<Item = (&'f Term, &'f Term)> + use<'f> {
        let does = self.known.rules.keyword(Keyword::Does);
        let atoms = frame.conditions.iter().filter_map(|literal| literal.negative());
        atoms.filter(move |atom| atom.relation == does).map(|atom| (&atom.arguments[0], &atom.arguments[1]))
    }

    /// The rule that the fluent ends under a conjunction.
    fn rule(&mut self, general: &[Part], scope: &Scope, conjunction: &Conjunction, is_sparing: bool) -> Rule {
        let by = |v: Variable| {
            let bound = conjunction.equal.iter().find(|(variable, _)| *variable == v);
            bound.map_or(Term::Variable(v), |(_, term)| term.clone())
        };
        let holds = self.known.rules.keyword(Keyword::True);
        let kept =
            if is_sparing { self.needed(general, scope, conjunction) } else { vec![true; general.len()] };
        let mut body = Vec::new();
        for ((part, (role, move_term)), _) in
            general.iter().zip(&scope.moves).zip(&kept).filter(|(_, kept)| **kept)
        {
            let is_any = self.roles.iter().any(|r| r.role == *role && r.actions.len() == part.actions.len());
            let atom = self.helpers.makes(*role, &part.actions, is_any, move_term);
            body.push(Literal::Positive(atom.map(&by)));
        }
        let fluent = scope.fluent.map(&by);
        body.push(Literal::Positive(Atom { relation: holds, arguments: vec![fluent.clone()] }));
        for literal in &conjunction.literals {
            if !body.contains(literal) {
                body.push(literal.clone());
            }
        }
        self.helpers.rule(Atom { relation: self.frame, arguments: vec![fluent] }, body, scope.domains.len())
    }

    /// Which parts of a general joint move must be asked for: those whose variables the conjunction uses, and
    /// of the others those that do not follow from what is asked for already.
    fn needed(&self, general: &[Part], scope: &Scope, conjunction: &Conjunction) -> Vec<bool> {
        let mut used = vec![false; scope.domains.len()];
        let mut mark = |v: Variable| used[v.index()] = true;
        for (variable, term) in &conjunction.equal {
            mark(*variable);
            term.variables(&mut mark);
        }
        conjunction.literals.iter().for_each(|literal| literal.variables(&mut mark));
        let is_used = |move_term: &Term| {
            let mut any = false;
            move_term.variables(&mut |v| any |= used[v.index()]);
            any
        };
        let mut needed: Vec<bool> = scope.moves.iter().map(|(_, move_term)| is_used(move_term)).collect();
        for at in 0..general.len() {
            if needed[at] {
                continue;
            }
            let asked = general.iter().zip(&needed).filter(|(_, needed)| **needed);
            let mut asked: Vec<Part> = asked.map(|(part, _)| part.clone()).collect();
            let role = general[at].role;
            let all = self.roles.iter().find(|entry| entry.role == role);
            let others = all.into_iter().flat_map(|entry| &entry.actions);
            let others: Vec<Functor> = others.copied().filter(|a| !general[at].actions.contains(a)).collect();
            asked.push(Part { role, actions: others });
            // With no other move left there is no choice, so nothing is possible.
            needed[at] = is_possible(&asked, self.impossible);
        }
        needed
    }
}

fn can_be_role(player: &Term, role: Symbol) -> bool {
    matches!(player, Term::Variable(_)) || *player == Term::Constant(role)
}

/// False if a condition on a move of a known role cannot be met.
fn can_match(frame: &FrameRule, scope: &Scope) -> bool {
    frame.moves.iter().all(|(player, move_term)| {
        let Term::Constant(role) = player else { return true };
        scope.move_term(*role).is_none_or(|known| {
            let shifted = move_term.shifted(scope.domains.len() as u32);
            let mut substitution = Substitution::default();
            substitution.unify(&shifted, known) || substitution.is_exhausted()
        })
    })
}
