//! `E07..`: attack files and their replay.

use super::{Explanation, plain};
use crate::base::source::Code;

pub(super) fn explain(code: Code) -> Explanation {
    plain(match code {
        Code::NoAttack => {
            "`spi replay MODEL ATTACK` runs a process of the attacker beside a system of the model. The attack file has one \
             system without parameters, and definitions if it likes. It uses the names, keys and definitions of the \
             model; it may declare names again as the model does, and channels of its own, on which an output shows \
             that the attack got so far. It has no claims, and it can't give the attacker more than the model does: \
             no further spy, no `knows`."
        }
        Code::AttackLacks => {
            "An attack may use public names, the keys of spies, what the `knows` of the model lists, names that it makes with \
             `new`, and whatever it receives. A private name or the key of an honest agent that it writes down has to \
             come from a message first: receive it into a variable and use that."
        }
        _ => {
            "No run of the attack beside the system gets further than this step. Either nobody sends what the attack waits for or \
             takes what it sends, or a role received the last message and refused it: the labels show what the role \
             expected and what it got. Compare the order of the steps, the agents and the keys with the run that \
             you had in mind."
        }
    })
}
