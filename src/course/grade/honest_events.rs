//! The events that the honest runs of a model reach, with their values.

use crate::analysis::Model;
use crate::analysis::{Settings, honest_run};
use crate::base::limits::Observer;
use crate::engine::honest::HonestMove;
use crate::process::{Action, Closed, SystemId};
use crate::term::{NameClass, View};

use super::exercise::spaceless;

/// The events that the honest runs reach, with their arguments as text, for all systems that run.
pub fn brought_about(variant: &Model, settings: &Settings, observer: &dyn Observer) -> Vec<String> {
    let store = &variant.store;
    // Messages keep their length: an honest agent does not mistake one for another.
    let program = &variant.flat.program;
    let mut found = Vec::new();
    for (i, system) in (0u32..).zip(&program.systems) {
        if system.partial || !system.body.params.is_empty() {
            continue;
        }
        let closed = Closed::new(SystemId(i), Vec::new());
        let Ok(gate) = honest_run(store, program, &closed, settings, observer) else {
            continue;
        };
        for m in gate.all().flat_map(|run| &run.moves) {
            let HonestMove::Event { step, args } = m else {
                continue;
            };
            let Action::Event { event, .. } = &gate.system.step(*step).action else {
                continue;
            };
            let shown: Vec<String> = args
                .iter()
                .map(|t| {
                    store.show_with(*t, &|atom| match store.view(atom) {
                        View::Name(n) => {
                            let info = store.name_info(n);
                            (info.class == NameClass::Restricted).then(|| info.label.to_string())
                        }
                        _ => None,
                    })
                })
                .collect();
            let Some(info) = program.events.get(event.index()) else {
                continue;
            };
            let text = spaceless(&format!("{}({})", info.label, shown.join(",")));
            if !found.contains(&text) {
                found.push(text);
            }
        }
    }
    found
}
