//! Verdicts that were wrong once. Each file of `tests/soundness` is the smallest system that showed a mistake; the list
//! says what it was.

use crate::support;
use spi::analysis::{LimitSpec, Settings, Verdict};
use spi::certify::MoveKind;
use spi::engine::search::Options;
use spi::process::Bounds;
use spi::term::{Op, TermStore};
use support::{results_in, words};

fn read(name: &str) -> String {
    let path = format!("{}/tests/soundness/{name}.spi", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).expect("the file is there")
}

fn verdicts(name: &str, settings: &Settings) -> Vec<&'static str> {
    words(&read(name), settings)
}

fn plain() -> Settings {
    Settings {
        // It is the search that was wrong; `proofs.rs` compares it with the proofs.
        proofs: false,
        compare_typed: false,
        ..Settings::default()
    }
}

#[test]
fn several_ciphertexts_can_be_opened_one_inside_another() {
    assert_eq!(
        verdicts("nested-openings-limit", &plain()),
        ["attack", "attack"]
    );
}

#[test]
fn what_is_open_late_may_be_open_earlier_for_some_messages() {
    assert_eq!(verdicts("opened-later-not-earlier", &plain()), ["attack"]);
}

#[test]
fn an_opening_may_move_other_openings_to_an_earlier_level() {
    assert_eq!(verdicts("saturation-order", &plain()), ["attack"]);
}

#[test]
fn the_public_part_of_a_family_member_can_be_had_without_the_member() {
    assert_eq!(verdicts("lock-of-family", &plain()), ["attack", "attack"]);
}

#[test]
fn an_earlier_commit_may_turn_out_to_match() {
    assert_eq!(verdicts("injective-open-commit", &plain()), ["attack"]);
}

#[test]
fn a_picked_instance_may_continue_another() {
    assert_eq!(
        verdicts("picked-continuing-instance", &plain()),
        ["attack", "attack"]
    );
}

#[test]
fn a_silent_receiver_on_a_private_channel_lets_the_sender_go_on() {
    assert_eq!(verdicts("useless-receiver", &plain()), ["attack"]);
}

#[test]
fn a_restriction_on_used_generics_stays_in_the_key() {
    assert_eq!(verdicts("key-drops-disequation", &plain()), ["attack"]);
}

#[test]
fn a_name_given_at_run_time_is_an_honest_agent_unless_it_is_the_attackers() {
    assert_eq!(
        verdicts("run-time-agent-not-declared", &plain()),
        ["attack"]
    );
}

#[test]
fn threads_of_different_types_are_not_interchangeable() {
    let typed = Settings {
        typed: true,
        ..plain()
    };
    assert_eq!(verdicts("typed-symmetry", &typed), ["attack", "attack"]);
}

#[test]
fn a_typed_agent_is_one_of_the_declared_agents() {
    let typed = Settings {
        typed: true,
        ..plain()
    };
    assert_eq!(verdicts("typed-agent-generic", &typed), ["holds"]);
}

#[test]
fn types_do_not_make_tests_fail() {
    let typed = Settings {
        typed: true,
        ..plain()
    };
    assert_eq!(verdicts("typed-else-internal-error", &typed), ["holds"]);
}

#[test]
fn a_transparent_attacker_leaves_nobody_stuck_after_an_event() {
    let search = Options {
        transparent: true,
        ..Options::default()
    };
    let transparent = Settings { search, ..plain() };
    assert_eq!(
        verdicts("transparent-event", &transparent),
        ["holds", "unreachable"]
    );
}

#[test]
fn a_transparent_attacker_waits_for_events_and_private_talk() {
    for eager in [true, false] {
        let search = Options {
            transparent: true,
            eager,
            ..Options::default()
        };
        let transparent = Settings { search, ..plain() };
        assert_eq!(verdicts("transparent-late-event", &transparent), ["holds"]);
        assert_eq!(
            verdicts("transparent-private-channel", &transparent),
            ["holds", "attack"]
        );
    }
    assert_eq!(verdicts("transparent-late-event", &plain()), ["attack"]);
    assert_eq!(
        verdicts("transparent-private-channel", &plain()),
        ["attack", "attack"]
    );
}

/// In a place without a type only what is there before the run is an agent.
#[test]
fn agents_in_places_without_a_type() {
    let found = verdicts("agents-without-a-type", &plain());
    assert_eq!(
        found,
        ["holds", "attack", "holds", "attack", "holds", "holds"]
    );
}

#[test]
fn an_else_that_does_nothing_is_an_else() {
    let search = Options {
        transparent: true,
        ..Options::default()
    };
    let transparent = Settings { search, ..plain() };
    let name = "else-that-does-nothing";
    assert_eq!(verdicts(name, &plain()), ["holds", "attack", "attack"]);
    assert_eq!(verdicts(name, &transparent), ["holds", "attack", "holds"]);
}

#[test]
fn generated_sessions_respect_agents_written_in_the_file() {
    for name in ["sessions-constant-in-call", "sessions-system-argument"] {
        let generated = Settings {
            sessions: Some(1),
            ..plain()
        };
        assert_eq!(verdicts(name, &generated), ["attack"], "{name}");
    }
    let generated = Settings {
        sessions: Some(1),
        ..plain()
    };
    assert_eq!(verdicts("sessions-reachable-spy", &generated), ["holds"]);
    let generated = Settings {
        sessions: Some(2),
        ..plain()
    };
    assert_eq!(
        verdicts("sessions-key-argument", &generated),
        ["holds", "holds"]
    );
}

#[test]
fn a_ground_key_may_be_an_element_with_generics() {
    assert_eq!(
        verdicts("ground-lock-conditional-key", &plain()),
        ["attack", "attack", "attack"]
    );
}

#[test]
fn a_public_part_may_be_older_than_its_member() {
    assert_eq!(
        verdicts("public-part-of-younger-generic", &plain()),
        ["attack", "attack"]
    );
}

#[test]
fn who_has_the_member_can_make_its_public_part() {
    assert_eq!(verdicts("public-part-from-member", &plain()), ["attack"]);
}

#[test]
fn generated_sessions_keep_replication_and_picked_instances() {
    let generated = Settings {
        sessions: Some(1),
        ..plain()
    };
    assert_eq!(verdicts("sessions-replication", &generated), ["attack"]);
    assert_eq!(verdicts("sessions-picked-spy", &generated), ["attack"]);
    assert_eq!(verdicts("sessions-too-few-agents", &generated), ["attack"]);
    let generated = Settings {
        sessions: Some(3),
        ..plain()
    };
    assert_eq!(
        verdicts("sessions-replicated-restriction", &generated),
        ["holds"]
    );
}

#[test]
fn a_restricted_name_may_be_an_honest_agent() {
    assert_eq!(verdicts("restricted-agent", &plain()), ["attack", "attack"]);
}

#[test]
fn ill_typed_terms_of_honest_processes_do_not_end_the_state() {
    let typed = Settings {
        typed: true,
        ..plain()
    };
    for settings in [plain(), typed] {
        assert_eq!(
            verdicts("typed-honest-term", &settings),
            ["attack", "attack", "attack", "attack"]
        );
    }
}

#[test]
fn the_order_of_tests_does_not_matter_to_types() {
    let typed = Settings {
        typed: true,
        ..plain()
    };
    assert_eq!(
        verdicts("typed-order-of-tests", &typed),
        ["holds", "holds", "holds", "holds", "attack", "attack"]
    );
}

#[test]
fn independent_openings_are_not_tried_in_every_order() {
    assert_eq!(verdicts("independent-openings", &plain()), ["holds"]);
}

#[test]
fn messages_that_grow_without_end_are_given_up() {
    assert_eq!(
        verdicts("shared-terms", &plain()),
        ["inconclusive", "inconclusive"]
    );
}

#[test]
fn many_events_may_lack_one_match() {
    assert_eq!(verdicts("injective-many", &plain()), ["attack", "attack"]);
}

#[test]
fn a_role_may_need_a_server_more_than_once() {
    assert_eq!(verdicts("gate-one-copy", &plain()), ["holds", "holds"]);
    let bounds = Bounds {
        recursion: 5,
        ..plain().bounds
    };
    let unfolded = Settings { bounds, ..plain() };
    assert_eq!(verdicts("gate-recursion", &unfolded), ["holds", "holds"]);
}

#[test]
fn nobody_passes_an_output_on_a_private_channel_alone() {
    assert_eq!(
        verdicts("gate-private-channel", &plain()),
        [
            "not executable",
            "not executable",
            "unreachable",
            "unreachable"
        ]
    );
}

#[test]
fn a_server_may_serve_a_spy_and_a_message_may_have_two_receivers() {
    assert_eq!(
        verdicts("gate-server-of-a-spy", &plain()),
        ["holds", "holds"]
    );
    assert_eq!(verdicts("gate-two-receivers", &plain()), ["holds", "holds"]);
}

#[test]
fn a_limit_met_for_one_instance_does_not_excuse_another() {
    let few = Settings {
        limits: LimitSpec {
            states: Some(3),
            ..LimitSpec::default()
        },
        ..plain()
    };
    for settings in [plain(), few] {
        let found = verdicts("gate-certainly-stuck", &settings);
        assert_eq!(found, ["not executable"]);
    }
}

#[test]
fn an_attacker_that_keeps_to_types_sends_a_key_part_where_one_is_asked_for() {
    let typed = Settings {
        typed: true,
        ..plain()
    };
    let store = TermStore::new();
    let sent: Vec<Op> = results_in(&store, &read("typed-own-key-part"), &typed)
        .iter()
        .map(|r| {
            let Verdict::Attack(attacks) = &r.verdict else {
                panic!("{:?}", r.verdict);
            };
            match &attacks[0].witness.moves[0].kind {
                MoveKind::Receive { message, .. } => store.node(*message).op,
                other => panic!("{other:?}"),
            }
        })
        .collect();
    assert_eq!(sent, [Op::Pub, Op::Priv]);
}

#[test]
fn a_key_may_have_to_come_out_of_another_ciphertext_for_an_earlier_message() {
    let search = Options {
        pruning: false,
        ..Options::default()
    };
    for settings in [plain(), Settings { search, ..plain() }] {
        let found = verdicts("key-out-of-another-earlier", &settings);
        assert_eq!(found, ["attack"]);
    }
}

#[test]
fn a_transparent_attacker_waits_for_everybody() {
    for eager in [true, false] {
        let search = Options {
            transparent: true,
            eager,
            ..Options::default()
        };
        let transparent = Settings { search, ..plain() };
        assert_eq!(verdicts("transparent-lazy", &transparent), ["holds"]);
    }
}

#[test]
fn a_message_may_make_two_private_channels_one() {
    assert_eq!(verdicts("channel-chosen-to-meet", &plain()), ["attack"]);
}

#[test]
fn what_is_signed_with_a_known_member_can_be_read() {
    assert_eq!(verdicts("signature-of-known-member", &plain()), ["attack"]);
}

#[test]
fn a_name_that_the_attacker_makes_up_has_one_type() {
    let typed = Settings {
        typed: true,
        ..plain()
    };
    assert_eq!(verdicts("typed-own-name", &typed), ["holds", "attack"]);
}

#[test]
fn a_secret_is_not_taken_for_another_name() {
    for sharing in [true, false] {
        let search = Options {
            sharing,
            ..Options::default()
        };
        let settings = Settings { search, ..plain() };
        let found = verdicts("secret-among-names", &settings);
        assert_eq!(found, ["attack", "attack"]);
        let typed = Settings {
            typed: true,
            ..settings
        };
        let found = verdicts("type-among-names", &typed);
        assert_eq!(found, ["attack", "attack"]);
    }
}

#[test]
fn a_picked_instance_may_come_late_among_the_generated_systems() {
    let generated = Settings {
        sessions: Some(2),
        ..plain()
    };
    for proofs in [false, true] {
        let settings = Settings {
            proofs,
            ..generated
        };
        assert_eq!(verdicts("picked-late", &settings), ["attack"]);
    }
}

#[test]
fn a_key_may_come_earlier_after_its_ciphertext_was_opened() {
    let found = verdicts("key-earlier-within-a-round", &plain());
    assert_eq!(found, ["attack"]);
}
