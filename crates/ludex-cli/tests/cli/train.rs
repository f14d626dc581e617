//! `ludex train`, and playing by what it has kept.

use crate::{Folder, ludex};

#[test]
fn a_training_is_kept_gone_on_with_and_played_by() {
    let scratch = Folder::new("train");
    let file = scratch.0.join("four.eval").display().to_string();
    let plot = scratch.0.join("four.svg").display().to_string();
    let train = |game: &str, more: &[&str]| {
        let all = ["train", game, "--games", "40", "--threads", "1", "--rounds", "1", "-o", &file, "--json"];
        ludex(&[&all[..], more].concat())
    };
    let lines = train("connectfour4x4", &["--plot", &plot]).ends_with(0).json();
    assert_eq!((&lines[0]["round"], &lines[0]["games"]), (&1.into(), &40.into()));
    assert_eq!((&lines[1]["rounds"], &lines[1]["file"]), (&1.into(), &file.as_str().into()));
    let drawn = std::fs::read_to_string(&plot).expect("the curve is drawn");
    assert!(drawn.contains("<svg") && drawn.contains("points against the beginning"));
    // What is there is not overwritten by accident.
    let kept = std::fs::read(&file).expect("it is kept");
    let refused = train("connectfour4x4", &[]).ends_with(2);
    assert!(refused.err.contains("--resume"), "{}", refused.err);
    let foreign = train("connectfour5x4", &["--resume"]).ends_with(2);
    assert!(foreign.err.contains("other rules"), "{}", foreign.err);
    assert_eq!(std::fs::read(&file).expect("it is kept"), kept);
    let lines = train("connectfour4x4", &["--resume"]).ends_with(0).json();
    assert_eq!((&lines[0]["round"], &lines[0]["games"]), (&2.into(), &80.into()));
    let play = |game: &str, file: &str| {
        ludex(&[
            "match",
            game,
            "ludex",
            "random",
            "--playclock",
            "0.05",
            "--startclock",
            "1",
            "--threads",
            "1",
            "--evaluation",
            file,
            "--json",
        ])
    };
    let record = &play("connectfour4x4", &file).ends_with(0).json()[0];
    assert_eq!(record["completed"], true);
    let foreign = play("connectfour5x4", &file).ends_with(1);
    assert!(foreign.err.contains("learnt for other rules"), "{}", foreign.err);
    std::fs::write(&plot, "ludex evaluation 1\nrules 0\nchecksum 0\n").expect("it can be written");
    let damaged = play("connectfour4x4", &plot).ends_with(2);
    assert!(damaged.err.contains("checksum"), "{}", damaged.err);
    let game_for_one = ludex(&["train", "eightpuzzle", "-o", &scratch.0.join("no").display().to_string()]);
    assert!(game_for_one.ends_with(1).err.contains("two roles"));
    assert!(!scratch.0.join("no").exists());
}
