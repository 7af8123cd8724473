//! Places of a machine: what every program needs to run, what holds credentials.
//!
//! Owns the lists. Paths without a leading `/` lie below the home directory.

/// Read by every program: the system, and where it says who and where it is.
pub const SYSTEM: [&str; 22] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/etc",
    "/opt",
    "/nix",
    "/gnu",
    "/snap",
    "/sys",
    "/var/lib/ca-certificates",
    "/var/cache/fontconfig",
    "/run/current-system",
    "/run/systemd/resolve",
    "/run/NetworkManager/resolv.conf",
    "/run/resolvconf",
    "/System",
    "/Library",
    "/private/etc",
];

/// Below the home directory: programs and what they need to run, only to be read.
pub const TOOLS: [&str; 30] = [
    ".asdf",
    ".bun",
    ".cargo",
    ".config/git",
    ".deno",
    ".fnm",
    ".gitconfig",
    ".gitignore",
    ".local/bin",
    ".local/lib",
    ".local/share/claude",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/pnpm",
    ".local/share/uv",
    ".local/state/fnm_multishells",
    ".npm-global",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".rye",
    ".sdkman",
    ".terminfo",
    ".volta",
    ".yarn",
    "go",
    "Library/pnpm",
    "Library/Application Support/fnm",
    "Library/Caches/claude-cli-nodejs",
];

/// Closed within what is open: secrets of the system. Those of the person are the guard's list.
pub const CLOSED: [&str; 8] = [
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ssh",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
];

/// Devices that every program may use.
pub const DEVICES: [&str; 9] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/fd",
];
