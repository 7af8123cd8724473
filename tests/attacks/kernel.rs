//! An agent that runs as root: it reaches no setting of the whole machine, and has no capability. Does nothing for other
//! users, to whom the kernel refuses all of this anyway.

use crate::sandbox::{mechanisms, sandbox, skipped, variables};
use gstack_agent::adapter::AgentEnvironment;
use gstack_agent::sandbox::{Access, Confinement, Mechanism, command};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Opens for writing, without writing, what root may write without a capability: directly, in namespaces of its own,
/// and through another mount of `/proc` and `/sys`.
const HOSTILE: &str = r#"
try() { for file in $1/sys/kernel/core_pattern $1/sys/kernel/modprobe $1/sys/kernel/hotplug $1/sysrq-trigger $1/mtrr $1/irq/default_smp_affinity $1/sys/vm/drop_caches $2/kernel/uevent_helper $2/power/state; do
  [ -e $file ] && (exec 3>>$file) 2>/dev/null && echo "WRITABLE $file"; done; }
try /proc /sys
try /proc/self/root/proc /proc/self/root/sys
try /proc/1/root/proc /proc/thread-self/root/sys
for file in /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/*/release_agent /sys/module/*/parameters/*; do
  [ -e $file ] && (exec 3>>$file) 2>/dev/null && echo "WRITABLE $file"; done
mknod $TMPDIR/memory c 1 1 && (exec 3>>$TMPDIR/memory) && echo "WRITABLE memory"
umount /proc/sys; mount -o remount,rw,bind /proc/sys
mkdir -p $TMPDIR/p $TMPDIR/s
export TMPDIR
unshare -Urmpf --kill-child sh -c 'mount -t proc x $TMPDIR/p; mount -t sysfs x $TMPDIR/s; umount -l /proc/sys; mount -o remount,rw,bind /proc/sys
for file in /proc/sys/kernel/core_pattern $TMPDIR/p/sys/kernel/core_pattern $TMPDIR/s/kernel/uevent_helper; do [ -e $file ] && (exec 3>>$file) && echo "WRITABLE nested $file"; done'
unshare -Urmpfn --mount-proc sh -c '(exec 3>>/proc/sys/kernel/core_pattern) && echo WRITABLE mount-proc'
python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW); print("RAW packet")'
python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); print("RAW ip")'
grep -E "^Cap(Eff|Prm|Inh|Amb):" /proc/self/status
exit 0
"#;

#[tokio::test]
async fn root_s_agent_writes_no_setting_of_the_machine_and_opens_no_raw_socket() {
    if !rustix::process::geteuid().is_root() {
        return skipped("it concerns root alone");
    }
    let kept = tempfile::tempdir().unwrap();
    let root = kept.path().canonicalize().unwrap();
    for (number, mechanism) in mechanisms(&root).await.into_iter().enumerate() {
        let home = root.join(number.to_string());
        for folder in ["g/run", "project"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
        for access in [Access::default(), Access::codex()] {
            // Codex without namespaces confines its own commands: the file rules are its own.
            let leaves_files = access.own_sandbox && !matches!(mechanism, Mechanism::Namespaces { nests: true, .. });
            let environment = AgentEnvironment {
                variables: variables(&home),
                confinement: Confinement::In(Arc::new(sandbox(&home, mechanism.clone()))),
                access: access.clone(),
                ..AgentEnvironment::default()
            };
            let folder = home.join("project");
            let confined = command(Path::new("/bin/sh"), &["-c", HOSTILE], &environment, Some(&folder)).unwrap();
            let mut started = Command::new(&confined.program);
            started.args(&confined.arguments).env_clear().envs(&confined.environment.variables).current_dir(folder);
            let output = started.output().unwrap();
            assert!(output.status.success(), "{mechanism:?}: {output:?}");
            let said = String::from_utf8_lossy(&output.stdout);
            let got = |what: &str| said.lines().any(|line| line.starts_with(what));
            assert!(leaves_files || !got("WRITABLE"), "{mechanism:?}: {said}");
            assert!(!got("RAW"), "{mechanism:?}: {said}");
            // CAP_SETFCAP, bit 31, which lets a nested sandbox map root.
            let allowed: u64 =
                if matches!(mechanism, Mechanism::Landlock { .. }) && !access.own_sandbox { 0 } else { 1 << 31 };
            let sets = said.lines().filter_map(|line| line.strip_prefix("Cap")?.split_once(":\t"));
            let sets: Vec<(&str, u64)> =
                sets.map(|(name, bits)| (name, u64::from_str_radix(bits, 16).unwrap())).collect();
            assert_eq!(sets.len(), 4, "{said}");
            assert!(sets.iter().all(|(_, bits)| bits & !allowed == 0), "{mechanism:?}: {said}");
        }
    }
}
