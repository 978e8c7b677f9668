//! Attacks in groups: two attacks belong together if their role instances start in the same order. Whether the spy
//! opens its session before the honest one or waits for it is what people tell attacks apart by.

use crate::analysis::Attack;
use crate::certify::MoveKind;
use crate::process::InstanceId;

/// The group of each attack, numbered from 1 in the order of their first members.
pub(super) fn groups(attacks: &[&Attack]) -> Vec<usize> {
    let mut orders: Vec<Vec<InstanceId>> = Vec::new();
    attacks
        .iter()
        .map(|attack| {
            let order = start_order(attack);
            let known = orders.iter().position(|o| *o == order);
            known.unwrap_or_else(|| {
                orders.push(order);
                orders.len() - 1
            }) + 1
        })
        .collect()
}

/// The role instances in the order of their first moves.
fn start_order(attack: &Attack) -> Vec<InstanceId> {
    let system = &attack.system;
    let mut order = Vec::new();
    for m in &attack.witness.moves {
        let receiver = match m.kind {
            MoveKind::Communicate { receiver, .. } => Some(receiver),
            _ => None,
        };
        for step in [Some(m.step), receiver].into_iter().flatten() {
            let role = system.role_of(system.step(step).instance);
            if !order.contains(&role) {
                order.push(role);
            }
        }
    }
    order
}
