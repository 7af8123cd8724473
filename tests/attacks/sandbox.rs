//! A hostile agent in the sandbox: it tries to reach gstack's home, its sockets, the person's secrets and shell, and
//! other processes, in every known way. Attacks each mechanism of this machine.

use gstack_agent::adapter::AgentEnvironment;
use gstack_agent::sandbox::{Access, Confinement, Mechanism, Sandbox, command, detect};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const SECRET: &str = "the-secret-of-the-person";

/// Tries one thing after the other and prints each success with its result.
const HOSTILE: &str = r#"
const fs = require('node:fs'), net = require('node:net'), { spawnSync } = require('node:child_process');
const { home, project, daemon, abstract_name, port } = JSON.parse(process.env.TARGET);
const got = {};
const attempt = (name, act) => { try { got[name] = String(act() ?? 'done').slice(0, 4000); } catch (error) { got[name] = null; } };
const read = (name, path) => attempt(name, () => fs.readFileSync(path, 'latin1'));
const secrets = ['g/browse.json', 'g/policy.json', '.ssh/id', '.netrc', '.config/gcloud/key', '.aws/credentials', '.codex/auth.json'];
for (const path of secrets) {
  const name = path.replaceAll('/', '-');
  read(`path ${name}`, `${home}/${path}`);
  read(`dots ${name}`, `${project}/../${path}`);
  read(`root of the daemon ${name}`, `/proc/${daemon}/root${home}/${path}`);
  read(`root of init ${name}`, `/proc/1/root${home}/${path}`);
  read(`own root ${name}`, `/proc/self/root${home}/${path}`);
  read(`old root ${name}`, `/proc/self/root/oldroot${home}/${path}`);
  attempt(`symlink ${name}`, () => { fs.symlinkSync(`${home}/${path}`, `${project}/s-${name}`); return fs.readFileSync(`${project}/s-${name}`, 'latin1'); });
  attempt(`hard link ${name}`, () => { fs.linkSync(`${home}/${path}`, `${project}/h-${name}`); return fs.readFileSync(`${project}/h-${name}`, 'latin1'); });
  attempt(`rename ${name}`, () => { fs.renameSync(`${home}/${path}`, `${project}/r-${name}`); return fs.readFileSync(`${project}/r-${name}`, 'latin1'); });
  attempt(`write ${name}`, () => { fs.writeFileSync(`${home}/${path}`, 'changed'); });
  for (const inner of [`umount -l ${home}/g; cat ${home}/${path}`, `umount -l ${home}; cat ${home}/${path}`, `mount --bind / /mnt; cat /mnt${home}/${path}`, `mount -t tmpfs x /mnt; cat ${home}/${path}`, `cat /proc/${daemon}/root${home}/${path}`])
    attempt(`new namespaces: ${inner.slice(0, 24)} ${name}`, () => spawnSync('unshare', ['-Urmpf', '--mount-proc', 'sh', '-c', inner]).stdout.toString() || undefined);
}
for (const pid of [daemon, process.ppid, 1]) {
  for (const file of ['environ', 'mem', 'maps', 'cwd/browse.json', 'cwd/g/browse.json', 'auxv']) read(`proc ${pid === daemon ? 'daemon' : pid} ${file}`, `/proc/${pid}/${file}`);
}
attempt('descriptors of the daemon', () => fs.readdirSync(`/proc/${daemon}/fd`).map((fd) => { try { return fs.readFileSync(`/proc/${daemon}/fd/${fd}`, 'latin1'); } catch { return ''; } }).join(''));
attempt('own descriptors', () => fs.readdirSync('/proc/self/fd').filter((fd) => Number(fd) > 2).map((fd) => { try { return fs.readlinkSync(`/proc/self/fd/${fd}`); } catch { return ''; } }).filter((to) => to.includes(home)).join() || undefined);
attempt('signal the daemon', () => { process.kill(daemon, 0); return 'SIGNALLED'; });
for (const path of ['.bashrc', '.profile', '.zshenv', '.config/autostart/x.desktop', '.config/fish/config.fish', '.config/systemd/user/x.service', '.claude/settings.json', '.claude.json', '.gitconfig', '.local/bin/git', '.agent/settings.json', '.agent/hooks/x', 'project/.git/hooks/post-commit', 'project/.git/config', 'project/.gstack/policy.toml'])
  attempt(`write ${path}`, () => { fs.mkdirSync(require('node:path').dirname(`${home}/${path}`), { recursive: true }); fs.writeFileSync(`${home}/${path}`, 'planted'); });
attempt('remove the rules', () => fs.rmSync(`${project}/.gstack`, { recursive: true }));
attempt('move the rules', () => fs.renameSync(`${project}/.gstack`, `${project}/moved`));
attempt('ALLOWED write in the folder', () => { fs.writeFileSync(`${project}/mine`, 'x'); return 'yes'; });
attempt('ALLOWED read of its own file', () => fs.readFileSync(`${home}/.agent/state`, 'utf8'));
attempt('ALLOWED write of its own file', () => { fs.writeFileSync(`${home}/.agent/state`, 'y'); return 'yes'; });
attempt('ALLOWED temporary file', () => { fs.writeFileSync(`${process.env.TMPDIR}/t`, 'x'); return 'yes'; });
const sockets = { 'socket by path': `${home}/g/http.sock`, 'socket through the daemon': `/proc/${daemon}/root${home}/g/http.sock`, 'socket by a link': `${project}/link.sock`, 'abstract socket': `\0${abstract_name}` };
attempt('link to the socket', () => fs.symlinkSync(`${home}/g/http.sock`, `${project}/link.sock`));
const connects = (name, to) => new Promise((done) => { let socket; try { socket = net.connect(to); } catch { got[name] = null; return done(); } socket.on('connect', () => { got[name] = 'CONNECTED'; socket.destroy(); done(); }); socket.on('error', () => { got[name] = null; done(); }); });
(async () => {
  for (const [name, path] of Object.entries(sockets)) await connects(name, { path });
  await connects('ALLOWED loopback', { port, host: '127.0.0.1' });
  console.log(JSON.stringify(got));
  process.exit(0);
})();
"#;

pub fn skipped(why: &str) {
    writeln!(std::io::stderr(), "SKIPPED {}: {why}", std::thread::current().name().unwrap_or("a test")).ok();
}

pub fn variables(home: &Path) -> BTreeMap<std::ffi::OsString, std::ffi::OsString> {
    [("HOME".into(), home.into()), ("PATH".into(), std::env::var_os("PATH").unwrap())].into()
}

/// Returns every mechanism that this machine offers.
pub async fn mechanisms(home: &Path) -> Vec<Mechanism> {
    let environment = AgentEnvironment { variables: variables(home), ..AgentEnvironment::default() };
    match detect(&environment).await {
        Ok(Mechanism::Namespaces { bwrap, abi, nests }) => {
            let mut all = vec![Mechanism::Namespaces { bwrap, abi, nests }];
            if abi > 0 {
                all.push(Mechanism::Landlock { abi });
            }
            all
        }
        Ok(other) => vec![other],
        Err(why) => {
            skipped(&why);
            Vec::new()
        }
    }
}

pub fn put(home: &Path, path: &str, text: &str) {
    let path = home.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub fn sandbox(home: &Path, mechanism: Mechanism) -> Sandbox {
    Sandbox {
        mechanism,
        program: env!("CARGO_BIN_EXE_gstack").into(),
        scratch: home.join("g/run"),
        closed: vec![home.join("g")],
        added: Access::default(),
    }
}

pub fn find(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(program)).find(|path| path.is_file())
}

#[tokio::test]
async fn a_hostile_agent_reaches_nothing_but_its_folder_and_its_own_files() {
    let Some(node) = find("node") else { return skipped("node is not installed") };
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for (number, mechanism) in mechanisms(&root).await.into_iter().enumerate() {
        let home = root.join(number.to_string());
        for path in [
            "g/browse.json",
            "g/policy.json",
            ".ssh/id",
            ".netrc",
            ".config/gcloud/key",
            ".aws/credentials",
            ".codex/auth.json",
        ] {
            put(&home, path, SECRET);
        }
        for path in [
            ".bashrc",
            ".profile",
            ".gitconfig",
            ".claude.json",
            ".local/bin/git",
            "project/.git/hooks/post-commit",
            "project/.git/config",
            "project/.gstack/policy.toml",
            ".agent/settings.json",
        ] {
            put(&home, path, "as it was");
        }
        put(&home, ".agent/state", "its own");
        fs::create_dir_all(home.join(".agent/hooks")).unwrap();
        fs::create_dir_all(home.join("g/run")).unwrap();
        let (project, socket) = (home.join("project"), home.join("g/http.sock"));
        let _listener = UnixListener::bind(&socket).unwrap();
        let abstract_name = format!("gstack-test-{}-{number}", std::process::id());
        let _abstract = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&abstract_name).unwrap()).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        // This process plays the daemon: it has a secret file open and a secret in memory.
        let _open = fs::File::open(home.join("g/browse.json")).unwrap();
        let target = serde_json::json!({
            "home": home, "project": project, "daemon": std::process::id(), "abstract_name": abstract_name,
            "port": port.local_addr().unwrap().port(),
        });
        let fixed = [(".agent/settings.json", Some("")), (".agent/hooks", None)];
        let fixed = fixed.map(|(path, empty)| gstack_agent::sandbox::Fixed { path: path.into(), empty }).into();
        let mut environment = AgentEnvironment {
            variables: variables(&home),
            minder: Some(env!("CARGO_BIN_EXE_gstack").into()),
            confinement: Confinement::In(Arc::new(sandbox(&home, mechanism.clone()))),
            access: Access { write: vec![".agent".into()], fixed, ..Access::default() },
        };
        environment.variables.insert("TARGET".into(), target.to_string().into());
        let confined = command(&node, &["-e", HOSTILE], &environment, Some(&project)).unwrap();
        let output = Command::new(&confined.program)
            .args(&confined.arguments)
            .env_clear()
            .envs(&confined.environment.variables)
            .current_dir(&project)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let got: BTreeMap<String, Value> =
            serde_json::from_str(&said).unwrap_or_else(|_| panic!("{mechanism:?}: {said} {errors}"));
        let leaked: Vec<&String> = got
            .iter()
            .filter(|(_, value)| {
                value.as_str().is_some_and(|text| text.contains(SECRET) || text == "CONNECTED" || text == "SIGNALLED")
            })
            .map(|(name, _)| name)
            .filter(|name| !name.starts_with("ALLOWED"))
            // Before ABI 6 Landlock has no scopes; in a pid namespace there is no process to signal.
            .filter(|name| !matches!(&mechanism, Mechanism::Landlock { abi } if *abi < 6 && name.starts_with("signal")))
            .filter(|name| !matches!(&mechanism, Mechanism::Namespaces { abi, .. } if *abi < 6 && name.starts_with("abstract")))
            .collect();
        assert!(leaked.is_empty(), "{mechanism:?}: {leaked:?}");
        for allowed in got.keys().filter(|name| name.starts_with("ALLOWED")) {
            assert!(got[allowed].is_string(), "{mechanism:?}: {allowed} is refused");
        }
        for path in ["g/browse.json", "g/policy.json", ".ssh/id", ".netrc", ".config/gcloud/key", ".codex/auth.json"] {
            assert_eq!(fs::read_to_string(home.join(path)).unwrap(), SECRET, "{mechanism:?}: {path}");
        }
        let mut unchanged = vec![".bashrc", ".profile", ".gitconfig", ".claude.json", ".local/bin/git"];
        if matches!(mechanism, Mechanism::Namespaces { .. }) {
            // Landlock cannot close anything inside an open folder.
            unchanged.extend(["project/.git/hooks/post-commit", "project/.git/config", ".agent/settings.json"]);
            unchanged.push("project/.gstack/policy.toml");
            assert!(!home.join(".agent/hooks/x").exists());
        }
        for path in unchanged {
            assert_eq!(fs::read_to_string(home.join(path)).unwrap(), "as it was", "{mechanism:?}: {path}");
        }
        for path in [".zshenv", ".config/autostart", ".config/fish", ".config/systemd", ".claude"] {
            assert!(!home.join(path).exists(), "{mechanism:?}: {path} was made");
        }
        let name = confined.scratch.as_ref().unwrap().temporary().to_owned();
        drop(confined);
        assert!(!name.exists(), "its temporary files are left");
    }
}

/// Runs `script` below a minder in the sandbox. Returns the minder and the first line of output, a process's pid
/// outside the sandbox.
fn start(home: &Path, mechanism: Mechanism, script: &str) -> (std::process::Child, gstack_agent::sandbox::Confined) {
    let environment = AgentEnvironment {
        variables: variables(home),
        minder: Some(env!("CARGO_BIN_EXE_gstack").into()),
        confinement: Confinement::In(Arc::new(sandbox(home, mechanism))),
        ..AgentEnvironment::default()
    };
    let confined = command(Path::new("/bin/sh"), &["-c", script], &environment, Some(&home.join("project"))).unwrap();
    let child = Command::new(&confined.program)
        .args(&confined.arguments)
        .env_clear()
        .envs(&confined.environment.variables)
        .current_dir(home.join("project"))
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    (child, confined)
}

/// Returns the processes with this home in their environment.
fn running(home: &Path) -> Vec<i32> {
    let needle = format!("HOME={}", home.display());
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter(|entry| {
            let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|variable| variable == needle.as_bytes())
        })
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

#[tokio::test]
async fn nothing_is_left_when_the_minder_is_killed_or_the_agent_ends() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for (number, mechanism) in mechanisms(&root).await.into_iter().enumerate() {
        let home = root.join(number.to_string());
        fs::create_dir_all(home.join("project")).unwrap();
        fs::create_dir_all(home.join("g/run")).unwrap();
        // It ends and leaves two processes in sessions of their own.
        let script = "setsid sleep 1000 & setsid sh -c 'trap \"\" TERM; sleep 1000' & echo up";
        let (mut child, confined) = start(&home, mechanism.clone(), script);
        assert!(child.wait().unwrap().success(), "{mechanism:?}");
        assert_eq!(running(&home), Vec::<i32>::new(), "{mechanism:?}");
        drop(confined);
        // Its minder is killed.
        let (mut child, _confined) =
            start(&home, mechanism.clone(), "trap '' TERM; echo up; while :; do sleep 1000; done");
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stdout.take().unwrap()), &mut line).unwrap();
        assert_eq!(line, "up\n", "{mechanism:?}");
        child.kill().unwrap();
        child.wait().unwrap();
        if matches!(mechanism, Mechanism::Namespaces { .. }) {
            while !running(&home).is_empty() {
                std::thread::yield_now();
            }
        } else {
            // The agent itself ends with its minder; the daemon ends the processes that it started.
            let shells = || {
                running(&home)
                    .into_iter()
                    .filter(|pid| fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim() == "sh"))
            };
            while shells().count() > 0 {
                std::thread::yield_now();
            }
            for pid in running(&home) {
                let pid = rustix::process::Pid::from_raw(pid).unwrap();
                rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
            }
        }
    }
}

#[tokio::test]
async fn an_agent_that_closes_its_output_is_noticed_although_it_lives() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for (number, mechanism) in mechanisms(&root).await.into_iter().enumerate() {
        let home = root.join(number.to_string());
        fs::create_dir_all(home.join("project")).unwrap();
        fs::create_dir_all(home.join("g/run")).unwrap();
        let (mut child, _confined) = start(&home, mechanism.clone(), "echo up; exec >&-; while :; do sleep 1000; done");
        let mut said = String::new();
        std::io::Read::read_to_string(child.stdout.as_mut().unwrap(), &mut said).unwrap();
        assert_eq!(said, "up\n", "{mechanism:?}");
        assert_eq!(child.try_wait().unwrap(), None, "{mechanism:?}: it lives");
        for pid in running(&home) {
            rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), rustix::process::Signal::KILL)
                .ok();
        }
        child.wait().unwrap();
    }
}

#[tokio::test]
async fn with_require_and_no_mechanism_nothing_starts_and_the_words_say_what_to_install() {
    let environment = AgentEnvironment {
        confinement: Confinement::Refused("bubblewrap is not installed".to_owned()),
        ..AgentEnvironment::default()
    };
    let refused = command(Path::new("/bin/true"), &[] as &[&str], &environment, None).err().unwrap();
    assert!(refused.to_string().contains("bubblewrap is not installed"), "{refused}");
}

/// The sandbox must not prevent an agent from renewing its sign-in, or the agent would be signed out.
#[tokio::test]
async fn an_agent_renews_its_sign_in_and_leaves_alone_what_runs_later() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let agents = [
        (Access::claude(), ".claude/.credentials.json", Some(".claude.json")),
        (Access::codex(), ".codex/auth.json", None),
        (Access::gemini(), ".gemini/oauth_creds.json", None),
    ];
    for (number, mechanism) in mechanisms(&root).await.into_iter().enumerate() {
        for (access, sign_in, fixed) in &agents {
            let home = root.join(format!("{number}-{}", sign_in.split('/').next().unwrap()));
            put(&home, sign_in, "\"old\"");
            put(&home, ".claude.json", "as it was");
            for folder in ["project", "g/run"] {
                fs::create_dir_all(home.join(folder)).unwrap();
            }
            let environment = AgentEnvironment {
                variables: variables(&home),
                confinement: Confinement::In(Arc::new(sandbox(&home, mechanism.clone()))),
                access: access.clone(),
                ..AgentEnvironment::default()
            };
            // As the programs do it: a lock beside their folder, a new file, and a rename. If that is refused (EBUSY), Claude
            // Code copies it.
            let lock = if access.locks_in_home { "mkdir $own.lock && rmdir $own.lock" } else { "true" };
            let copies = if access.locks_in_home { "cp $file.tmp $file" } else { "false" };
            let (folder, name) = sign_in.split_once('/').unwrap();
            let script = format!(
                "own=${{CLAUDE_CONFIG_DIR:-$HOME/{folder}}}; file=$own/{name}; \
                 {lock} && echo '\"new\"' > $file.tmp && {{ mv $file.tmp $file 2>/dev/null || {copies}; }} || exit 1; \
                 {{ echo planted > ~/.claude.json; echo planted > $own/.claude.json; }} 2>/dev/null; exit 0"
            );
            let confined =
                command(Path::new("/bin/sh"), &["-c", &script], &environment, Some(&home.join("project"))).unwrap();
            let output = Command::new(&confined.program)
                .args(&confined.arguments)
                .env_clear()
                .envs(&confined.environment.variables)
                .current_dir(home.join("project"))
                .output()
                .unwrap();
            assert!(output.status.success(), "{mechanism:?} {sign_in}: {output:?}");
            assert_eq!(fs::read_to_string(home.join(sign_in)).unwrap(), "\"new\"\n", "{mechanism:?}");
            if let Some(fixed) = fixed {
                assert_eq!(fs::read_to_string(home.join(fixed)).unwrap(), "as it was", "{mechanism:?}");
            }
        }
    }
}
