//! Naive reference procedures for the tests: slow, bounded, and independent of the engines.
//!
//! Everything here works on ground terms and knows only the unfolded system and the naive deduction of the trusted
//! core. An answer "found" is exact (it comes with a witness that the replayer must accept); an answer "not found"
//! means "not among the messages tried". Engines that claim a proof must therefore never meet a "found".
//!
//! - [`concrete`]: running a system step by step
//! - [`messages`]: the messages that an attacker tries
//! - [`attack`]: a brute-force attacker for the reachability claims
//! - [`statics`]: static equivalence of two frames
//! - [`trace`]: a bounded decision procedure for trace equivalence
//! - [`planted`]: systems with an attack by construction
//! - [`shuffle`]: the same process written in another way
//! - [`roles`], [`casting`]: systems of role instances, and every way to give them agents
//! - [`bare`]: events without arguments
//! - [`theories`]: random theories of destructors
//! - [`families`]: theories with key families, agents and roles
//! - [`theory`], [`rewritten`]: declared destructors, and processes with declared functions in the place of built-in ones
//! - [`exchange`]: processes with shares and keys of a group
//! - [`crossing`]: pairs of systems whose joint keys may meet in two ways
//! - [`narrated`]: narrations, and what a role of one can check of messages that somebody has changed
//! - [`noticing`]: systems in which somebody may be left stuck
//! - [`random`], [`process`], [`protocol`], [`locks`], [`levels`], [`mixture`], [`places`], [`phases`]: random processes and protocols as text, and near misses of them

#![allow(dead_code)]

pub mod attack;
pub mod bare;
pub mod casting;
pub mod concrete;
pub mod crossing;
pub mod exchange;
pub mod families;
pub mod levels;
pub mod load;
pub mod locks;
pub mod messages;
pub mod mixture;
pub mod narrated;
pub mod noticing;
pub mod phases;
pub mod places;
pub mod planted;
pub mod process;
pub mod protocol;
pub mod random;
pub mod rewritten;
pub mod roles;
pub mod shuffle;
pub mod spelt;
pub mod statics;
pub mod theories;
pub mod theory;
pub mod trace;
