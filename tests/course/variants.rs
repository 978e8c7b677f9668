//! Variants of exercises from a seed: they are other exercises, they can be solved, and each student's is known again.

use super::folder;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// The exercises of the course with their solutions.
const ALL: &[(&str, &str)] = &[
    ("ns-attack", "attack"),
    ("ns-repair", "spi"),
    ("ns-trim", "spi"),
    ("ns-break", "attack"),
    ("ns-claim", "claim"),
    ("or-repair", "spi"),
    ("or-trim", "spi"),
    ("or-claim", "claim"),
    ("or-scratch", "spi"),
    ("eq-handshake", "test"),
    ("eq-salted", "claim"),
    ("eq-payload", "test"),
];

fn spi(place: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_spi"))
        .current_dir(place)
        .args(args)
        .output()
        .expect("it runs");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).expect("text"))
}

/// Makes variants in `out`, and their solutions in `apart`.
fn vary(place: &Path, exercise: &str, ending: &str, more: &[&str]) -> (Option<i32>, String) {
    let exercise_file = folder().join(format!("{exercise}.exercise"));
    let solution = folder().join(format!("solutions/{exercise}.{ending}"));
    let mut args = vec![
        "vary",
        exercise_file.to_str().expect("a path"),
        solution.to_str().expect("a path"),
        "--out",
        "out",
        "--solutions",
        "apart",
    ];
    args.extend(more);
    spi(place, &args)
}

/// The files below a folder, with their texts.
fn files(below: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(below).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            for (inner, text) in files(&entry.path()) {
                all.insert(format!("{name}/{inner}"), text);
            }
        } else {
            let text = fs::read_to_string(entry.path()).expect("a text");
            all.insert(name, text);
        }
    }
    all
}

/// The program has tried the solution of each variant; here it is graded once more, by the files that were written.
#[test]
fn every_exercise_of_the_course_has_variants() {
    for (exercise, ending) in ALL {
        let place = TempDir::new().expect("a folder");
        let (code, said) = vary(place.path(), exercise, ending, &["--seed", "5"]);
        assert_eq!(code, Some(0), "{exercise}: {said}");
        let (code, said) = spi(
            place.path(),
            &[
                "grade",
                &format!("out/5/{exercise}.exercise"),
                &format!("apart/5/{exercise}.{ending}"),
            ],
        );
        assert_eq!(code, Some(0), "{exercise}: {said}");
        let given = fs::read_to_string(folder().join(format!("solutions/{exercise}.{ending}")));
        let (code, said) = {
            fs::write(place.path().join("copied"), given.expect("a solution")).expect("written");
            spi(
                place.path(),
                &["grade", &format!("out/5/{exercise}.exercise"), "copied"],
            )
        };
        assert_ne!(
            code,
            Some(0),
            "{exercise}: a copy of another's passes: {said}"
        );
    }
}

#[test]
fn a_seed_makes_one_variant_and_another_seed_another() {
    let [one, two] = [(); 2].map(|()| TempDir::new().expect("a folder"));
    for place in [&one, &two] {
        let (code, said) = vary(place.path(), "ns-repair", "spi", &["--count", "6"]);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("drop"), "{said}");
    }
    assert_eq!(files(one.path()), files(two.path()));
    let all = files(&one.path().join("out"));
    let models: Vec<&String> = (all.iter())
        .filter(|(name, _)| name.ends_with("/ns-repair.spi"))
        .map(|(_, text)| text)
        .collect();
    assert_eq!(models.len(), 6);
    for (i, model) in models.iter().enumerate() {
        assert!(!models[..i].contains(model), "{model}");
        assert!(model.contains("expect attack"), "{model}");
        // Comments spoke of the exercise.
        assert!(!model.contains("what could"), "{model}");
    }
    // They are not written over, but for what was not touched.
    let changed = one.path().join("out/3/ns-repair.spi");
    fs::write(&changed, "agent A\n").expect("written");
    let (code, said) = vary(one.path(), "ns-repair", "spi", &["--count", "6"]);
    assert_eq!(code, Some(2), "{said}");
    assert_eq!(fs::read_to_string(&changed).expect("a text"), "agent A\n");
}

#[test]
fn a_class_is_graded_by_its_variants() {
    let place = TempDir::new().expect("a folder");
    let (code, said) = vary(place.path(), "ns-repair", "spi", &["--count", "4"]);
    assert_eq!(code, Some(0), "{said}");
    for seed in 1..=4 {
        let answers = place.path().join(format!("answers/{seed}"));
        fs::create_dir_all(&answers).expect("a folder");
        // The third has copied from the second, the fourth hands in what it got.
        let from = match seed {
            3 => "apart/2",
            4 => "out/4",
            _ => &format!("apart/{seed}"),
        };
        let answer = place.path().join(from).join("ns-repair.spi");
        fs::copy(answer, answers.join("answer.spi")).expect("copied");
    }
    fs::create_dir_all(place.path().join("answers/77")).expect("a folder");
    fs::write(place.path().join("answers/77/a.spi"), "agent A").expect("written");
    let (code, said) = spi(
        place.path(),
        &["grade", "out", "answers", "--format", "csv"],
    );
    assert_eq!(code, Some(2), "{said}");
    let verdicts: Vec<&str> = (said.lines().skip(1))
        .map(|l| l.split(',').nth(1).expect("a verdict"))
        .collect();
    let wanted = ["passed", "passed", "not passed", "not passed", "unreadable"];
    assert_eq!(verdicts, wanted, "{said}");
    assert!(said.contains("there is no variant `77`"), "{said}");
}

#[test]
fn what_makes_no_variant_is_told() {
    let place = TempDir::new().expect("a folder");
    let exercise = folder().join("ns-repair.exercise");
    let exercise = exercise.to_str().expect("a path");
    let broken = folder().join("ns-repair.spi");
    let broken = broken.to_str().expect("a path");
    let (code, said) = spi(place.path(), &["vary", exercise, broken, "--out", "out"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("does not pass"), "{said}");
    assert!(!place.path().join("out").exists());
    let args = [
        "vary",
        exercise,
        broken,
        "--out",
        "out",
        "--solutions",
        "out/solutions",
    ];
    let (code, said) = spi(place.path(), &args);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("where students look"), "{said}");
}
