//! An unreachable daemon: its sockets or its home are gone, or it hangs.

use crate::cases::{begin, cases, end_of, finish, send};
use crate::world::{World, wait};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixListener;

pub const ALL: &[(&str, fn())] = cases![
    a_daemon_whose_sockets_were_deleted_is_reached_again,
    a_daemon_whose_home_was_deleted_ends,
    a_daemon_whose_lock_was_deleted_ends_and_leaves_the_next_one_alone,
    a_daemon_that_finds_another_at_the_lock_does_not_wait_for_its_end,
    a_hung_daemon_is_told_by_every_command_in_the_same_words,
    a_list_that_is_asked_for_beside_a_stop_is_given,
];

fn a_daemon_whose_sockets_were_deleted_is_reached_again() {
    let (world, mut extension) = begin("", 1);
    send(&mut extension, 0, "a", "say 1");
    end_of(&mut extension, 0);
    let daemon = world.daemon();
    for name in ["panel.sock", "http.sock"] {
        fs::remove_file(world.home().join(name)).unwrap();
        wait("the socket to be made again", || world.home().join(name).exists());
    }
    let (well, said) = world.run(&["status"]);
    assert!(well && said.contains(&daemon.unwrap().to_string()), "{said}");
    extension.connect(&world);
    send(&mut extension, 0, "b", "say 1");
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    assert_eq!(world.daemon(), daemon, "it is the same daemon");
    finish(&world, extension);
}

fn a_daemon_whose_home_was_deleted_ends() {
    let (world, mut extension) = begin("", 1);
    send(&mut extension, 0, "a", "hang");
    extension.wait_for(0, "running");
    // The daemon still writes while its home is being deleted.
    wait("the home to be deleted", || fs::remove_dir_all(world.home()).is_ok() || !world.home().exists());
    extension.disconnect();
    wait("the daemon and its agent to end", || world.processes().is_empty());
}

fn a_daemon_whose_lock_was_deleted_ends_and_leaves_the_next_one_alone() {
    let (world, mut extension) = begin("", 1);
    let first = world.daemon();
    fs::remove_file(world.home().join("daemon.lock")).unwrap();
    wait("the first one to end", || world.daemon() != first);
    extension.connect(&world);
    send(&mut extension, 0, "a", "say 1");
    assert_eq!(end_of(&mut extension, 0)["outcome"], "done");
    let (well, said) = world.run(&["status"]);
    assert!(well && said.contains(&world.daemon().unwrap().to_string()), "{said}");
    finish(&world, extension);
}

/// As after a starter is killed: its daemon lives on and meets the next starter's.
fn a_daemon_that_finds_another_at_the_lock_does_not_wait_for_its_end() {
    let world = World::new("");
    let home = world.home();
    // The other daemon: it holds the lock and has no sockets yet.
    let lock = fs::File::create(home.join("daemon.lock")).unwrap();
    lock.lock().unwrap();
    let mut late = world.command(&["daemon", home.to_str().unwrap()]).spawn().unwrap();
    let mut report = BufReader::new(late.stdout.take().unwrap());
    let other = UnixListener::bind(home.join("http.sock")).unwrap();
    let mut line = String::new();
    report.read_line(&mut line).unwrap();
    assert!(line.contains("already-running"), "{line}");
    late.wait().unwrap();
    drop((other, lock));
    fs::remove_file(home.join("http.sock")).unwrap();
    world.end();
}

fn a_hung_daemon_is_told_by_every_command_in_the_same_words() {
    let (world, mut extension) = begin("", 1);
    extension.disconnect();
    let daemon = world.daemon().unwrap();
    world.suspend(daemon);
    let commands: [&[&str]; 10] = [
        &["status"],
        &["stop"],
        &["stop-turn"],
        &["sessions"],
        &["tabs"],
        &["policy"],
        &["settings"],
        &["chat", "hello"],
        &["disconnect"],
        &["goto", "about:blank"],
    ];
    let said: Vec<_> = std::thread::scope(|threads| {
        let runs = commands.map(|arguments| (arguments, threads.spawn(|| world.run(arguments))));
        runs.map(|(arguments, run)| (arguments, run.join().unwrap())).into_iter().collect()
    });
    world.signal(daemon, "CONT");
    for (arguments, (well, said)) in said {
        let told = said.contains(&format!("the gstack daemon (pid {daemon}) is running but does not answer"));
        assert!(!well && told && said.contains(&format!("kill -9 {daemon}")), "{arguments:?}: {said}");
    }
    // It was only suspended. It may now handle the requests it received, one of which was to end.
    extension.connect(&world);
    finish(&world, extension);
}

fn a_list_that_is_asked_for_beside_a_stop_is_given() {
    let (world, mut extension) = begin("", 1);
    send(&mut extension, 0, "a", "say 1");
    end_of(&mut extension, 0);
    extension.disconnect();
    for _ in 0..20 {
        std::thread::scope(|threads| {
            let stop = threads.spawn(|| world.run(&["stop"]));
            let lists = [(); 3].map(|()| threads.spawn(|| world.run(&["sessions"])));
            let (well, said) = stop.join().unwrap();
            assert!(well, "{said}");
            for list in lists {
                let (well, said) = list.join().unwrap();
                assert!(well && said.contains("please"), "{said}");
            }
        });
    }
    world.end();
}
