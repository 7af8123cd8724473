{
  description = "Coding agent in the browser's side panel, and the same browser from the terminal";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      cargo = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).package;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = cargo.name;
          version = cargo.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # They drive real browsers and agents; tests/run.sh runs them.
          doCheck = false;
          postInstall = ''
            $out/bin/gstack man > gstack.1
            installManPage gstack.1
            installShellCompletion --cmd gstack \
              --bash <($out/bin/gstack completions bash) \
              --fish <($out/bin/gstack completions fish) \
              --zsh <($out/bin/gstack completions zsh)
          '';
          meta = {
            description = cargo.description;
            license = pkgs.lib.licenses.mit;
            mainProgram = "gstack";
            platforms = systems;
          };
        };
      });
      devShells = each (pkgs: {
        default = pkgs.mkShell {
          packages = [
            pkgs.cargo
            pkgs.rustc
            pkgs.clippy
            pkgs.rustfmt
            pkgs.nodejs
          ];
        };
      });
    };
}
