# Homebrew's formula; packaging/release.sh fills in the address, the version and the checksums.
class Gstack < Formula
  desc "Coding agent in the browser's side panel, and the same browser from the terminal"
  homepage "@ADDRESS@"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "@ADDRESS@/releases/download/v@VERSION@/gstack-aarch64-apple-darwin.tar.gz"
      sha256 "@SHA256:aarch64-apple-darwin@"
    end
    on_intel do
      url "@ADDRESS@/releases/download/v@VERSION@/gstack-x86_64-apple-darwin.tar.gz"
      sha256 "@SHA256:x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "@ADDRESS@/releases/download/v@VERSION@/gstack-aarch64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:aarch64-unknown-linux-musl@"
    end
    on_intel do
      url "@ADDRESS@/releases/download/v@VERSION@/gstack-x86_64-unknown-linux-musl.tar.gz"
      sha256 "@SHA256:x86_64-unknown-linux-musl@"
    end
  end

  def install
    bin.install "gstack"
    man1.install "gstack.1"
    bash_completion.install "completions/gstack.bash" => "gstack"
    fish_completion.install "completions/gstack.fish"
    zsh_completion.install "completions/_gstack"
  end

  def caveats
    <<~EOS
      Register gstack with your browsers, and again after each upgrade:
        gstack install-host
    EOS
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/gstack --version")
  end
end
