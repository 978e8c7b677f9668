//! A generated model: half roles and half comments, systems and claims, without a mistake in it.

use spi::base::source::SourceFile;
use spi::lang::sema::check_text;
use spi::lang::syntax::parse;
use spi::process::TupleMode;
use spi::term::TermStore;
use std::fmt::Write;

/// A model of at least so many bytes, in which roles are numbered, so that names differ and nothing is shared; and the number of
/// its declarations.
pub fn model(bytes: usize) -> (SourceFile, usize) {
    let mut text = String::from("agent A, B\nspy C\nchannel net\nkeypair K(Agent)\n");
    let mut declarations = 4;
    let mut number = 0;
    while text.len() < bytes {
        let _ = write!(
            text,
            "\n// Role number {number}.\ndef Init{number}(a: Agent, b: Agent) =\n  \
             new Na{number}: Nonce.\n  event Running{number}(a, b, Na{number}).\n  \
             net<{{Na{number}, a}}K(b)+>.\n  \
             net(x). case x of {{=Na{number}, nb: Nonce, =b}}K(a)- in\n  \
             [nb is Na{number}] net<{{nb, H(nb, (a, b))}}K(b)+>. 0 else net<{{[nb]}}K(b)+>.\n  \
             (event Commit{number}(a, b, Na{number}, nb) | !2 net<[{{a, suc(0)}}]K(a)->)\n\n\
             system S{number} = Init{number}(A, B) | Init{number}(A, C)\n\
             secrecy Na{number} in S{number} expect holds\n"
        );
        declarations += 3;
        number += 1;
    }
    (SourceFile::anonymous("generated.spi", &text), declarations)
}

/// What is wrong with how the front end reads the model, if anything.
pub fn fault(file: &SourceFile, declarations: usize) -> Option<String> {
    let (tree, diagnostics) = parse(file);
    if let Some(diagnostic) = diagnostics.first() {
        return Some(format!("{diagnostic:?}"));
    }
    if tree.decls.len() != declarations {
        return Some(format!(
            "{} declarations, {declarations} expected",
            tree.decls.len()
        ));
    }
    let checked = check_text(file, &TermStore::new(), TupleMode::default());
    (!checked.is_sound()).then(|| format!("{:?}", checked.diagnostics.first()))
}
