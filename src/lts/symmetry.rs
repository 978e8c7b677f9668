//! Classes of the relation R between threads: equation 16 of the S3A paper.
//!
//! What a thread does, a related one does with the same label, and the states that follow differ by an exchange of restricted
//! names. So one thread of each class is enough, and its successors stand for those of the others. Recipes (in Upsilon
//! and Lambda) contain no restricted names, so an exchange leaves them alone.
//!
//! Left to others: the relation itself (`equiv::swap`).

use crate::equiv::node::Config;
use crate::equiv::swap::related;
use crate::term::TermStore;

/// Some of the threads by classes of R, related by exchanges that leave a further thread as it is; the first member of a
/// class is its first thread.
pub fn classes(
    store: &TermStore,
    config: &Config,
    threads: impl Iterator<Item = usize>,
    fixed: Option<usize>,
) -> Vec<Vec<usize>> {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for t in threads {
        let class = classes
            .iter_mut()
            .find(|class| related(store, config, class[0], t, fixed));
        match class {
            Some(class) => class.push(t),
            None => classes.push(vec![t]),
        }
    }
    classes
}
