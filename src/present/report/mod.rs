//! What is told to people and machines about a verdict.
//!
//! A certified run becomes a [`Story`]: messages between agents, with the attacker under the names it uses, how it
//! made each message, what it learned, which test accepted what. Text, JSON and charts are made from the story and add
//! nothing; the story is made from the replay and adds nothing but words. Whoever changes a wording changes it here,
//! once.
//!
//! Left to others: deciding (`analysis`), streams and exit codes (`cli`), quoting source lines (`source::render`).

mod cast;
mod claim_names;
mod company;
mod comparison;
mod emit;
mod ending;
mod gate;
mod groups;
mod headline;
mod honest;
mod instances;
pub mod json;
mod keys;
mod kind;
mod making;
mod obstacle;
mod owner;
mod paper;
mod partner;
mod places;
mod reference;
mod refutation;
mod replayed;
mod runs;
pub mod space;
mod spelling;
mod story;
pub mod summary;
mod text;
mod undisturbed;
mod unfolding;
mod vacuous;
mod values;
mod wider;

pub use cast::{Cast, Party, Player};
pub use claim_names::ClaimNames;
pub use company::Company;
pub use comparison::{Names, comparison_scope, word as comparison_word, write_comparison};
pub use emit::{attack_file, declared_names, test_file};
pub use ending::ending;
pub use gate::{Obstacle, obstacles};
pub use kind::{Kind, kinds, kinds_of_attack};
pub use making::{Manner, Use, uses};
pub use obstacle::hindrance;
pub use owner::Owner;
pub use paper::{HARD_SPACE, Ink, Paper, plain};
pub use partner::without_partner;
pub use reference::Reference;
pub use refutation::Telling;
pub use replayed::{Contrast, Shown, contrast, write_replay, write_tests};
pub use runs::{honest_verdict, write_honest};
pub use spelling::Spelling;
pub use story::{
    Acceptance, Beat, Binding, Context, Happening, Learned, Making, Message, Route, Story,
};
pub use text::{Style, reference, verdict_line, verdict_words, watched, write};
pub use unfolding::too_large;
pub use vacuous::reason as vacuity;
pub use values::Values;
pub use wider::{added, beyond, looked, system_line, taking_part};
