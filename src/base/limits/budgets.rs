//! Budgets: how much an engine tries of its own accord before it gives up, or before a look at something beside the question is cut.
//!
//! None of them makes a verdict different. With less of a budget fewer claims are proved or decided, fewer looks see
//! something, and more is said to be unknown. The table of docs/semantics.md is made from this list.

/// Declares the budgets, with what they are and how much it is.
macro_rules! budgets {
    ($($(#[doc = $what:literal])+ $name:ident = $value:literal,)+) => {
        /// How much is tried.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Budgets {
            $($(#[doc = $what])+ pub $name: usize,)+
        }

        impl Default for Budgets {
            fn default() -> Self {
                Self { $($name: $value,)+ }
            }
        }

        impl Budgets {
            /// The same amount of everything.
            pub fn all(amount: usize) -> Self {
                Self { $($name: amount,)+ }
            }

            /// Name, amount, and what it is an amount of.
            pub fn rows(&self) -> Vec<(&'static str, usize, &'static str)> {
                vec![$((stringify!($name), self.$name, concat!($($what),+).trim_ascii()),)+]
            }
        }
    };
}

budgets! {
    /// States of the brief search of a system as it is written.
    brief_states = 24,
    /// States of the brief search of generated systems, all together.
    brief_generated_states = 72,
    /// Generated systems of the brief search.
    brief_systems = 16,
    /// Proposed attacks that are confirmed to find the shortest, if one is asked for.
    candidates = 16,
    /// Reorderings of an attack that are tried for other orders of starting, if all attacks are asked for.
    reorderings = 300,
    /// States of the search for an event; after them it counts as one that may happen.
    event_states = 2_000,
    /// States of the search for an honest run in which a role instance finishes.
    honest_states = 10_000,
    /// States of the search for such a run with a spy among the agents.
    spy_states = 20_000,
    /// States of the search for an honest run that is only told.
    told_states = 500,
    /// States of the wider look with every role instance twice.
    twice_states = 3_000,
    /// States of the wider look at other agents, for all assignments together.
    assigned_states = 3_000,
    /// Looks at the limits while the assignments of the wider look are generated.
    assigned_looks = 8,
    /// Role instances that a proof for every choice of agents looks at together.
    everyone = 5_000,
    /// Steps of a system that is tried to be proved.
    proof_steps = 4_000,
    /// Conditions of a first clause.
    proof_conditions = 60,
    /// Joint keys whose two orders are tried together.
    proof_keys = 8,
    /// So many times more clauses may be made if there are joint keys.
    proof_twofold = 6,
    /// Earlier events that a clause tells of, where terms are cut.
    proof_events = 3,
    /// Edges looked at to find out whether two systems are structurally congruent.
    congruence_edges = 10_000_000,
    /// Steps of the causal cones in their first turn; 25 times as many in the next.
    cone_steps = 40_000,
    /// Steps of the causal cones with so many copies of each `!`, to compare for any number of them.
    copied_steps = 200_000,
    /// Configurations of each side that are tried to confirm what tells systems apart role by role.
    candidate_trials = 100_000,
    /// Nodes of the joint exploration in its first turn; 25 times as many in the next, without limit after the last.
    joint_nodes = 200,
    /// Branches of the other side that the causal cones take one after the other.
    cone_branches = 50,
    /// Thread comparisons to find out whether one configuration has what another has.
    embeddings = 2_000,
    /// Configurations of each side that are tried to confirm a distinction.
    trials = 1_000_000,
    /// Configurations that are tried to drop from an experiment what it does not need.
    trimmings = 200_000,
    /// Nodes of the search for a shorter experiment, if the one that found it took less than a quarter of them.
    shorter_nodes = 5_000,
    /// Configurations of attack and system that are tried for one claim in a replay.
    contests = 100_000,
}
