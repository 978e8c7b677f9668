//! Which of the later events of a violated agreement have no partner.
//!
//! An injective agreement fails if there are more later events than earlier ones to go with them. All that are involved are
//! the evidence, but not all are wrong: each earlier event goes with one later event, the first come first served.

/// The events that are left over, of those that are given with the earlier events that they could go with.
pub fn without_partner(events: &[(usize, Vec<usize>)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by_key(|i| events[*i].0);
    let mut taken: Vec<(usize, usize)> = Vec::new();
    let mut left = Vec::new();
    for i in order {
        if !seat(events, i, &mut Vec::new(), &mut taken) {
            left.push(events[i].0);
        }
    }
    left
}

/// Finds a partner for an event, if need be by giving others another one. Nobody who has one loses it.
fn seat(
    events: &[(usize, Vec<usize>)],
    event: usize,
    tried: &mut Vec<usize>,
    taken: &mut Vec<(usize, usize)>,
) -> bool {
    for partner in &events[event].1 {
        if tried.contains(partner) {
            continue;
        }
        tried.push(*partner);
        let holder = taken.iter().position(|(p, _)| p == partner);
        let free = match holder {
            None => true,
            Some(at) => seat(events, taken[at].1, tried, taken),
        };
        if free {
            taken.retain(|(p, _)| p != partner);
            taken.push((*partner, event));
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_first_has_the_partner() {
        assert_eq!(without_partner(&[(5, vec![1]), (9, vec![1])]), [9]);
        assert_eq!(without_partner(&[(9, vec![1]), (5, vec![1])]), [9]);
        assert_eq!(without_partner(&[(5, vec![])]), [5]);
        let three = [(4, vec![1, 2]), (6, vec![1]), (8, vec![1, 2])];
        assert_eq!(without_partner(&three), [8], "the first makes room");
    }
}
