//! The tutorial: its commands print what it says they print.

use assert_cmd::Command;
use std::fs;
use tempfile::TempDir;

/// A block of the page: what it is marked as, and its text, with the paragraph before it.
struct Block<'a> {
    mark: &'a str,
    text: String,
    before: &'a str,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found: Vec<Block<'_>> = Vec::new();
    let (mut open, mut last) = (false, "");
    for line in page.lines() {
        if let Some(mark) = line.strip_prefix("```") {
            open = !open;
            if open {
                found.push(Block {
                    mark,
                    text: String::new(),
                    before: last,
                });
            }
        } else if open {
            let text = &mut found.last_mut().expect("a block").text;
            text.push_str(line);
            text.push('\n');
        } else if !line.trim().is_empty() {
            last = line;
        }
    }
    found
}

/// Whether these lines were printed, in this order; `..` stands for any lines, and nothing else may be left out.
fn printed(expected: &[&str], output: &[&str]) -> Result<(), String> {
    let (mut at, mut skips) = (0, false);
    for line in expected {
        if *line == ".." {
            skips = true;
            continue;
        }
        let found = output[at..].iter().position(|o| o.trim_end() == *line);
        match found {
            Some(0) => at += 1,
            Some(n) if skips => at += n + 1,
            _ => return Err(format!("`{line}` is not printed there")),
        }
        skips = false;
    }
    if skips || at == output.len() {
        Ok(())
    } else {
        Err(format!("more is printed: {:?}", &output[at..]))
    }
}

#[test]
fn every_command_of_the_tutorial_prints_what_the_page_says() {
    let page = include_str!("../docs/tutorial.md");
    let folder = TempDir::new().expect("a folder");
    let mut commands = 0;
    for block in blocks(page) {
        match block.mark {
            "spi" => {
                let name = block
                    .before
                    .rsplit('`')
                    .nth(1)
                    .expect("the name of the file");
                let path = folder.path().join(name);
                // What the program made is what the page shows.
                if commands == 1 {
                    assert_eq!(fs::read_to_string(&path).expect("made"), block.text);
                }
                fs::write(path, block.text).expect("written");
            }
            "console" => {
                let (command, expected) = block.text.split_once('\n').expect("a command");
                let args = command.strip_prefix("$ spi ").expect("a command of ours");
                let output = Command::cargo_bin("spi")
                    .expect("the binary is built")
                    .current_dir(folder.path())
                    .args(args.split(' '))
                    .output()
                    .expect("it runs");
                let said = [output.stdout, output.stderr].concat();
                let said = String::from_utf8(said).expect("text");
                let told = printed(
                    &expected.lines().collect::<Vec<_>>(),
                    &said.lines().collect::<Vec<_>>(),
                );
                assert!(told.is_ok(), "{command}: {told:?}\n{said}");
                commands += 1;
            }
            other => panic!("a block of `{other}`"),
        }
    }
    assert_eq!(commands, 8);
}

#[test]
fn a_new_file_never_takes_the_place_of_another() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("m.spi");
    let new = |more: &[&str]| {
        let mut command = Command::cargo_bin("spi").expect("the binary is built");
        command.current_dir(folder.path()).args(["new", "m.spi"]);
        command.args(more).output().expect("it runs").status.code()
    };
    fs::write(&path, "// mine\n").expect("written");
    assert_eq!(new(&[]), Some(2));
    assert_eq!(fs::read_to_string(&path).expect("there"), "// mine\n");
    assert_eq!(new(&["--force", "--processes"]), Some(0));
    let text = fs::read_to_string(&path).expect("there");
    assert!(
        text.contains("system Order =") && !text.contains("protocol"),
        "{text}"
    );
}
