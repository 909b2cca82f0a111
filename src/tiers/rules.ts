/**
 * Which commands need more than tier 0, as data. None of these names is a command of tier 0: a test holds the list
 * against the engine's. Not in it: what only shows text to a person (`less`, `man`), which no tier has use for.
 */

/** Why → names that it is true of. */
const BY_REASON: ReadonlyArray<readonly [why: string, names: string]> = [
  [
    "version control is not part of tier 0",
    "git git-lfs git-filter-repo hg svn svnadmin cvs bzr fossil darcs jj gh glab hub pre-commit tig lazygit gitk gitleaks",
  ],
  [
    "package managers fetch and run programs, and tier 0 does neither",
    "npm npx pnpm pnpx yarn yarnpkg bun bunx corepack nvm fnm volta lerna nx turbo rush pip pip2 pip3 pipx poetry pipenv " +
      "conda mamba micromamba uv uvx virtualenv pdm hatch rye pip-compile pip-sync twine pyenv gem bundle bundler rbenv " +
      "rvm composer cpan cpanm cargo rustup maturin wasm-pack nuget opam luarocks cabal stack mix rebar3 nimble asdf mise",
  ],
  [
    "system packages are installed outside of tier 0",
    "apt apt-get apt-cache apt-key apt-mark aptitude add-apt-repository dpkg dpkg-deb dpkg-query dpkg-reconfigure " +
      "debconf-set-selections apk yum dnf rpm zypper pacman yay emerge brew snap flatpak nix nix-env nix-shell nix-build " +
      "guix opkg pkg choco winget scoop update-alternatives",
  ],
  [
    "compilers, linkers and debuggers run machine code, which tier 0 cannot",
    "gcc g++ cc c++ cpp clang clang++ tcc ld lld gold ar as nm objdump objcopy ranlib strip readelf addr2line c++filt gdb " +
      "lldb valgrind strace ltrace perf gcov lcov ccache distcc nasm yasm swig bison yacc flex lex m4 clang-format " +
      "clang-tidy cppcheck nvcc emcc em++ rustc rustfmt clippy-driver go gofmt gopls golangci-lint dlv zig swift swiftc " +
      "xcodebuild xcrun ghc ghci runghc ocaml ocamlc ocamlopt dune erl erlc elixir elixirc iex crystal nim dart flutter " +
      "gfortran fpc gnat gnatmake sbcl solc protoc thrift buf ldd",
  ],
  [
    "its runtime is not part of tier 0",
    "java javac jar javadoc jshell jdb keytool kotlin kotlinc scala scalac sbt groovy clojure clj lein dotnet mono mcs csc " +
      "msbuild fsharpc ruby irb rake rails rspec rubocop jekyll php phpunit perl prove deno julia R Rscript lua luajit " +
      "tclsh wish racket guile octave ipython jupyter wasmtime wasmer qjs",
  ],
  [
    "build tools start compilers and other programs, which tier 0 does not have",
    "make gmake cmake ctest cpack ninja meson scons bazel bazelisk buck buck2 just task autoconf automake autoreconf " +
      "aclocal autoheader libtool libtoolize pkg-config mvn mvnw gradle gradlew ant gyp node-gyp invoke tox nox",
  ],
  [
    "tools of installed packages run in a full Node.js or Python, which tier 0 is not",
    "tsc tsx ts-node tsup esbuild swc babel vite webpack rollup parcel rspack eslint prettier biome oxlint stylelint jest " +
      "vitest mocha ava tap c8 nyc playwright cypress storybook nodemon pm2 next nuxt ng nest astro gatsby expo electron " +
      "prisma drizzle-kit knex typeorm sequelize tailwindcss postcss sass lessc terser concurrently cross-env http-server " +
      "live-server hardhat wrangler vercel netlify firebase serverless cdk pytest py.test mypy pyright ruff black flake8 " +
      "pylint isort bandit coverage cython pyinstaller gunicorn uvicorn flask django-admin celery alembic scrapy " +
      "streamlit sphinx-build mkdocs cookiecutter",
  ],
  [
    "containers and machines are started outside of tier 0",
    "docker docker-compose dockerd podman podman-compose buildah skopeo nerdctl containerd ctr crictl runc kubectl k3s k9s " +
      "helm minikube kind k3d kustomize oc istioctl skaffold tilt vagrant packer terraform tofu terragrunt pulumi ansible " +
      "ansible-playbook ansible-galaxy ansible-vault lxc lxd incus qemu-system-x86_64 qemu-img virsh VBoxManage bwrap " +
      "chroot unshare nsenter systemd-nspawn singularity apptainer act",
  ],
  [
    "remote machines are reached through programs and keys that tier 0 does not have",
    "ssh scp sftp rsync ssh-keygen ssh-agent ssh-add ssh-copy-id ssh-keyscan sshpass mosh telnet nc ncat netcat socat ftp " +
      "lftp ping traceroute mtr dig nslookup host whois nmap tcpdump tshark iperf3 aria2c http https xh wrk ab hey k6 aws " +
      "gcloud gsutil az doctl flyctl heroku eksctl s3cmd rclone rustic restic",
  ],
  [
    "keys and certificates are made by programs that tier 0 does not have",
    "openssl gpg gpg2 gpgv gpg-agent age age-keygen certbot mkcert cosign sops",
  ],
  [
    "database servers and their clients are not part of tier 0",
    "psql pg_dump pg_restore pg_ctl pg_isready createdb dropdb createuser initdb postgres mysql mysqldump mysqladmin mysqld " +
      "mariadb mongod mongo mongosh mongodump mongorestore redis-cli redis-server sqlcmd sqlplus clickhouse " +
      "clickhouse-client cockroach influx duckdb etcdctl",
  ],
  [
    "it administers a machine, and tier 0 has none",
    "sudo doas su systemctl service journalctl loginctl timedatectl hostnamectl shutdown reboot poweroff halt mount umount " +
      "losetup mkfs mkfs.ext4 mkfs.xfs mkswap swapon swapoff fdisk parted lsblk blkid fsck useradd userdel usermod groupadd " +
      "groupdel passwd chpasswd adduser deluser visudo crontab atq modprobe insmod rmmod lsmod sysctl dmesg iptables " +
      "ip6tables nft ufw firewall-cmd ip ifconfig route ss netstat ethtool lsof fuser setfacl getfacl chattr lsattr " +
      "ldconfig nginx apache2 apachectl httpd caddy haproxy supervisord supervisorctl top htop vmstat iostat",
  ],
  [
    "it runs other programs in a way that tier 0 does not have",
    "watch parallel flock script expect unbuffer tmux screen entr inotifywait fswatch fakeroot xvfb-run busybox hyperfine",
  ],
  ["another shell than bash is not part of tier 0", "zsh fish ksh mksh tcsh csh pwsh powershell nu"],
  ["this editor is not part of tier 0", "vi vim nvim ex ed emacs emacsclient nano pico micro code"],
  [
    "this format is not one that tier 0 packs or unpacks",
    "xz unxz xzcat lzma bzip2 bunzip2 bzcat zstd unzstd zstdcat lz4 brotli pigz 7z 7za 7zz unrar rar cpio",
  ],
  [
    "pictures, sound and documents are converted by programs that tier 0 does not have",
    "ffmpeg ffprobe convert magick identify mogrify montage sox pandoc pdftotext pdftoppm pdfinfo pdfunite qpdf gs latex " +
      "pdflatex xelatex lualatex latexmk bibtex dot plantuml mmdc wkhtmltopdf inkscape libreoffice soffice rsvg-convert " +
      "exiftool tesseract optipng pngquant cwebp gifsicle hugo zola asciidoctor doxygen typst",
  ],
  [
    "this tool for source code is not part of tier 0",
    "shellcheck shfmt hadolint yamllint markdownlint trivy semgrep snyk ctags cscope fd fdfind bat exa eza fzf ag ack " +
      "cloc tokei scc dos2unix unix2dos difft delta",
  ],
];

/**
 * The commands that tier 0 does not have and a higher tier is there for: name → why. `classifyCommand` looks for
 * them in a script, and a tiered sandbox plants them in tier 0, for what only shows at run time.
 */
export const TIER_ONE_COMMANDS: Readonly<Record<string, string>> = Object.freeze(
  Object.fromEntries(
    BY_REASON.flatMap(([why, names]) => names.split(" ").map((name) => [name, why] as const)),
  ),
);

/** Names that come with a version: `gcc-12`, `pip3.11`, `clang++-15`. */
const VERSIONED =
  /^(gcc|g\+\+|cpp|clang|clang\+\+|clang-format|clang-tidy|lld|pip|go|ruby|php|perl)-?\d[\d.]*$/;

/** Modules that `python3 -m` starts and that the Python of tier 0 does not have or could not run. */
const PYTHON_MODULES = new Set(
  (
    "pip venv ensurepip virtualenv build twine pipx poetry uv pytest black mypy ruff flake8 pylint isort coverage tox nox " +
    "gunicorn uvicorn flask django jupyter notebook ipykernel IPython http.server pre_commit PyInstaller cython " +
    "streamlit celery alembic sphinx mkdocs"
  ).split(" "),
);

const PYTHON_WHY = "this module of Python is not part of tier 0, or needs what tier 0 lacks";

/** Why a command needs a higher tier, or null. */
export function whyTierOne(name: string): string | null {
  const base = Object.hasOwn(TIER_ONE_COMMANDS, name) ? name : (VERSIONED.exec(name)?.[1] ?? name);
  return Object.hasOwn(TIER_ONE_COMMANDS, base) ? (TIER_ONE_COMMANDS[base] ?? null) : null;
}

/** Why a module that `python3 -m` starts needs a higher tier, or null. */
export function whyPythonModule(module: string): string | null {
  const [top = ""] = module.split(".");
  if (!PYTHON_MODULES.has(module) && !PYTHON_MODULES.has(top)) return null;
  return whyTierOne(top) ?? PYTHON_WHY;
}
