//! What goal values are worth.
//!
//! Rewards are a sum over the roles of what each role's value is beyond the least, so they can be added up
//! value by value in the lanes that have it, in any order of the roles.

use crate::options::Rewards;
use ludex_engine::engine::Goal;
use ludex_engine::propnet::lanes::Plane;
use ludex_engine::vocabulary::RoleId;

/// What goal values are worth to a batch: at the end of a game everybody has the base, and each role's value adds its
/// shares.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    least: f32,
    /// What a goal value beyond the least is multiplied by.
    factor: f32,
    /// What everybody has at the end who has the least.
    base: f32,
    /// The part of a role's gain that it has, and that every other role has.
    own: f32,
    other: f32,
    roles: usize,
}

impl Scale {
    /// The scale for goals between the least and the greatest.
    pub fn new(rewards: Rewards, (least, greatest): (Goal, Goal), roles: usize) -> Scale {
        let (least, greatest) = (least as f32, greatest as f32);
        let factor = match rewards {
            Rewards::Goals => 1.0,
            Rewards::Scaled | Rewards::ZeroSum if greatest > least => 2.0 / (greatest - least),
            Rewards::Scaled | Rewards::ZeroSum => 0.0,
        };
        let base = match rewards {
            Rewards::Goals => least,
            Rewards::Scaled if greatest > least => -1.0,
            Rewards::Scaled | Rewards::ZeroSum => 0.0,
        };
        let (own, other) = match rewards {
            Rewards::ZeroSum => (0.5, -0.5 / (roles - 1).max(1) as f32),
            Rewards::Goals | Rewards::Scaled => (1.0, 0.0),
        };
        Scale { least, factor, base, own, other, roles }
    }

    /// What every role has at the end of a game.
    pub fn base(&self) -> f32 {
        self.base
    }

    /// What a role's goal value adds to its own reward, and to that of each other role.
    pub fn shares(&self, goal: Goal) -> [f32; 2] {
        let gain = (goal as f32 - self.least) * self.factor;
        [gain * self.own, gain * self.other]
    }

    /// The least value for every role at the end of the games.
    pub(crate) fn begin(&self, ended: &Plane, out: &mut [f32]) {
        if self.base != 0.0 {
            for lane in ended.lanes() {
                out[lane * self.roles..][..self.roles].fill(self.base);
            }
        }
    }

    /// The value for one role in the games.
    pub(crate) fn add(&self, role: RoleId, goal: Goal, lanes: &Plane, out: &mut [f32]) {
        let [own, others] = self.shares(goal);
        if own == 0.0 {
            return;
        }
        for lane in lanes.lanes() {
            let row = &mut out[lane * self.roles..][..self.roles];
            if self.other == 0.0 {
                row[role.index()] += own;
                continue;
            }
            for (at, reward) in row.iter_mut().enumerate() {
                *reward += if at == role.index() { own } else { others };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewards(rewards: Rewards, range: (Goal, Goal), goals: &[Goal]) -> Vec<f32> {
        let scale = Scale::new(rewards, range, goals.len());
        let lane = Plane::first(1);
        let mut out = vec![0.0; goals.len()];
        scale.begin(&lane, &mut out);
        for (role, &goal) in (0..).zip(goals) {
            scale.add(RoleId(role), goal, &lane, &mut out);
        }
        out
    }

    #[test]
    fn values_are_scaled_between_the_least_and_the_greatest() {
        assert_eq!(rewards(Rewards::Goals, (0, 100), &[30, 70]), [30.0, 70.0]);
        assert_eq!(rewards(Rewards::Goals, (-5, 100), &[-5]), [-5.0]);
        assert_eq!(rewards(Rewards::Scaled, (0, 100), &[0, 50, 100]), [-1.0, 0.0, 1.0]);
        assert_eq!(rewards(Rewards::Scaled, (50, 100), &[50, 75]), [-1.0, 0.0]);
        // There is but one value: nothing to tell apart.
        assert_eq!(rewards(Rewards::Scaled, (100, 100), &[100]), [0.0]);
    }

    #[test]
    fn zero_sums_are_the_value_less_the_mean_of_the_others_halved() {
        assert_eq!(rewards(Rewards::ZeroSum, (0, 100), &[100, 0]), [1.0, -1.0]);
        assert_eq!(rewards(Rewards::ZeroSum, (0, 100), &[50, 50]), [0.0, 0.0]);
        // Both win: neither is ahead.
        assert_eq!(rewards(Rewards::ZeroSum, (0, 100), &[100, 100]), [0.0, 0.0]);
        // Scaled 1, 0, -1: (1 + 0.5) / 2, 0, (-1 - 0.5) / 2.
        assert_eq!(rewards(Rewards::ZeroSum, (0, 100), &[100, 50, 0]), [0.75, 0.0, -0.75]);
    }
}
