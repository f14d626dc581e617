//! Strongly connected components.

use crate::budget::{Budget, Exceeded, Meter};

/// Strongly connected components, each after all components that it has an edge into; in one piece, since there can be
/// millions.
#[derive(Clone, Debug, Default)]
pub struct Components {
    members: Vec<u32>,
    /// Where each ends in `members`.
    ends: Vec<u32>,
}

impl Components {
    /// The members of each component, ascending.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.members[start as usize..end as usize])
    }
}

/// The strongly connected components of the graph on `0..successors.len()`, each after all components that
/// it has an edge into. Tarjan's algorithm with its own stack: chains of a hundred thousand nodes are fine.
pub fn components(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let unlimited = &mut Budget::default().clock();
    let found = components_within(successors.len(), |node| &successors[node], unlimited);
    // Without a deadline nothing is over.
    found.unwrap_or_default().iter().map(<[u32]>::to_vec).collect()
}

/// As `components`, for `count` nodes whose successors are found by number, within a budget.
pub fn components_within<'g>(
    count: usize,
    successors: impl Fn(usize) -> &'g [u32],
    meter: &mut Meter,
) -> Result<Components, Exceeded> {
    const NEW: u32 = u32::MAX;
    let n = count;
    let (mut order, mut low) = (vec![NEW; n], vec![0u32; n]);
    let mut on_stack = vec![false; n];
    let mut stack = Vec::new();
    let mut work: Vec<(u32, usize)> = Vec::new();
    let mut count = 0;
    let mut result = Components::default();
    for root in 0..n as u32 {
        if order[root as usize] != NEW {
            continue;
        }
        work.push((root, 0));
        while let Some(top) = work.last_mut() {
            meter.tick()?;
            let node = top.0 as usize;
            if top.1 == 0 {
                order[node] = count;
                low[node] = count;
                count += 1;
                stack.push(node as u32);
                on_stack[node] = true;
            }
            if let Some(&next) = successors(node).get(top.1) {
                top.1 += 1;
                let next = next as usize;
                if order[next] == NEW {
                    work.push((next as u32, 0));
                } else if on_stack[next] {
                    low[node] = low[node].min(order[next]);
                }
                continue;
            }
            work.pop();
            if let Some(parent) = work.last() {
                let parent = parent.0 as usize;
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == order[node] {
                let start = result.members.len();
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    result.members.push(member);
                    if member as usize == node {
                        break;
                    }
                }
                result.members[start..].sort_unstable();
                result.ends.push(result.members.len() as u32);
            }
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn dependencies_come_first_and_cycles_stay_together() {
        // 0 -> 1 <-> 2 -> 3, and 4 alone on itself.
        let graph = [vec![1], vec![2], vec![1, 3], vec![], vec![4]];
        assert_eq!(components(&graph), vec![vec![3], vec![1, 2], vec![0], vec![4]]);
    }

    #[test]
    fn a_long_chain_does_not_exhaust_the_stack() {
        let n = 200_000u32;
        let graph: Vec<Vec<u32>> = (0..n).map(|i| if i + 1 < n { vec![i + 1] } else { vec![] }).collect();
        assert_eq!(components(&graph).len(), n as usize);
    }
}
