//! Processes: what a checked file means.
//!
//! [`Program`] is the checked file: signature, definitions as templates, systems, claims. [`unfold`] turns one
//! system into a [`System`]: a finite tree of [`Step`]s in which definitions are inlined, replication is copied
//! out, and every restriction has become a name of its own. Because each `new` of the unfolded tree is executed at
//! most once, restrictions need no step: `c(x). new n. P` and `new n. c(x). P` have the same runs.
//!
//! Left to others: checking (`sema`), running (`certify` naively, `lts` symbolically).

mod claim;
mod phase;
mod program;
mod series;
mod shape;
mod system;
mod unfold;

pub use claim::{
    Claim, ClaimKind, Closed, EventPattern, Expectation, Loss, SecrecyTarget, SecretName, Strength,
};
pub use program::{
    Body, DefId, Definition, DestructorDecl, EventId, EventInfo, FunctionDecl, GroupDecl, NewName,
    NotCompared, Proc, ProcId, Program, Signature, SiteId, SortDecl, SortId, Speaker, SystemDecl,
    SystemId, Test, TestKind, TupleMode, Type, VarInfo,
};
pub use series::Series;
pub use shape::Shapes;
pub use system::{
    Action, CopyPath, Env, Instance, InstanceId, NameOrigin, ShapeId, Step, StepId, System,
};
pub use unfold::{Bounds, Repetition, UnfoldError, unfold, unfold_repeated};
