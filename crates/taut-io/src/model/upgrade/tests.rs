use super::*;

fn new(text: &str) -> String {
    upgrade(text, Path::new("model.toml")).unwrap().text
}

#[test]
fn comments_layout_and_numbers_stay() {
    let old = "# pace, march\ntaut=1  # format\n[settings]\n  pace  =  'fixed' # the pace\n\"march\" = \"events\"\nstep=1_000e-6\n";
    let now = "# pace, march\ntaut=2  # format\n[settings]\n  step_control  =  'fixed' # the pace\n\"contact_method\" = \"event_driven\"\nstep=1_000e-6\n";
    assert_eq!(new(old), now);
    assert_eq!(new(now), now);
}

#[test]
fn names_that_a_user_chose_stay() {
    let old = "[bodies.pace]\ntype = \"rigid\"\n[params]\nends = 1\nturns = 2\n[bodies.along.markers]\nof = { at = [0, 0, 0], seen = \"from_world\" }\n\
               [signals.on]\ntype = \"table\"\nends = \"natural\"\n[measures]\nslide = \"cart.slide\"\n";
    let now =
        old.replace("seen = \"from_world\"", "relative_to = \"world\"").replace("ends = \"n", "end_conditions = \"n");
    assert_eq!(new(old), now);
}

#[test]
fn nested_tables_lists_and_repetitions_are_upgraded() {
    let old = "[joints]\na = { type = \"joint\", along = [\"held\", \"free\", { position = 1 }], turning = { about = \"held\" } }\n\
               [[repeat]]\nfor = \"i\"\nto = 3\n[repeat.events.e]\nwhen = \"t\"\ndo = [\"record\", { hit = \"ball\", impulse = [0, 0, 1], moment = [0, 0, 1] }]\n\
               events.f.times = \"once\"\nparts = { hit = { file = \"x.toml\" } }\n";
    let now = "[joints]\na = { type = \"joint\", translation = [\"fixed\", \"free\", { position = 1 }], rotation = { about = \"fixed\" } }\n\
               [[repeat]]\nfor = \"i\"\nto = 3\n[repeat.events.e]\nwhen = \"t\"\nactions = [\"record\", { impulse_at_marker = \"ball\", impulse = [0, 0, 1], angular_impulse = [0, 0, 1] }]\n\
               events.f.times = \"once\"\nparts = { hit = { file = \"x.toml\" } }\n";
    assert_eq!(new(old), now);
}

#[test]
fn keywords_in_headers_are_upgraded() {
    let old = "[[bodies.a.look]]\ntype = \"sphere\"\n[[bodies.a.look]] # two\n[bodies.\"look\".'look']\n[[events.e.do]]\npush = \"a.x\"\n\
               [[repeat]]\n[[repeat.bodies.b.look]]\n[[repeat.bodies.b.look]]\npoints = [\n[0]\n]\n";
    let now = "[[bodies.a.visual]]\ntype = \"sphere\"\n[[bodies.a.visual]] # two\n[bodies.\"look\".'visual']\n[[events.e.actions]]\nimpulse_on_coordinate = \"a.x\"\n\
               [[repeat]]\n[[repeat.bodies.b.visual]]\n[[repeat.bodies.b.visual]]\npoints = [\n[0]\n]\n";
    assert_eq!(new(old), now);
}

#[test]
fn every_rule_names_a_keyword_of_today() {
    for rule in RENAMED {
        assert_ne!(rule.old, rule.new);
        let twice = RENAMED.iter().filter(|r| r.path == rule.path && r.what == rule.what && r.old == rule.old);
        assert_eq!(twice.count(), 1, "{rule:?} is given twice");
    }
}
