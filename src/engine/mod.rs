//! The engines. They propose attacks, proofs and tests; [`crate::certify`] confirms them, [`crate::analysis`] asks them.

mod cones;
pub mod equiv;
pub mod honest;
pub(crate) mod joint;
pub mod lts;
pub mod prove;
pub mod search;
