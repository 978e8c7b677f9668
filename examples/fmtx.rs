//! scratch
fn main() {
    let text = std::io::read_to_string(std::io::stdin()).unwrap();
    let file = spi::source::SourceFile::anonymous("t.spi", &text);
    match spi::syntax::format::format(&file) {
        Ok(s) => print!("{s}"),
        Err(d) => print!(
            "{}",
            spi::source::render::to_string(&spi::source::SourceMap::from(file), &d)
        ),
    }
}
