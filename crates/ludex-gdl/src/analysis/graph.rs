//! Strongly connected components.

/// The strongly connected components of the graph on `0..successors.len()`, each after all components that
/// it has an edge into. Tarjan's algorithm with its own stack: chains of a hundred thousand nodes are fine.
pub fn components(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    const NEW: u32 = u32::MAX;
    let n = successors.len();
    let (mut order, mut low) = (vec![NEW; n], vec![0u32; n]);
    let mut on_stack = vec![false; n];
    let mut stack = Vec::new();
    let mut work: Vec<(u32, usize)> = Vec::new();
    let mut count = 0;
    let mut result = Vec::new();
    for root in 0..n as u32 {
        if order[root as usize] != NEW {
            continue;
        }
        work.push((root, 0));
        while let Some(top) = work.last_mut() {
            let node = top.0 as usize;
            if top.1 == 0 {
                order[node] = count;
                low[node] = count;
                count += 1;
                stack.push(node as u32);
                on_stack[node] = true;
            }
            if let Some(&next) = successors[node].get(top.1) {
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
                let mut component = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member as usize] = false;
                    component.push(member);
                    if member as usize == node {
                        break;
                    }
                }
                component.sort_unstable();
                result.push(component);
            }
        }
    }
    result
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
