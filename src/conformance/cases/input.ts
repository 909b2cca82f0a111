/** What reaches a script: arguments, standard input, directory, variables. */
import type { SandboxCase } from "../stage.ts";

const ODD_ARGS = ["a b", "$(echo x)", "it's", "", "-n", "*", "ü\n", "\\"];

export const inputCases: readonly SandboxCase[] = [
  {
    name: 'args reach the script as "$@", with no quoting and none lost',
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      const result = await exec(`printf '%s' "$#"; printf '[%s]' "$@"`, { args: ODD_ARGS });
      const expected = `${ODD_ARGS.length}${ODD_ARGS.map((text) => `[${text}]`).join("")}`;
      check.equal("stdout", result.stdout, expected);
      check.equal("the arguments of the next command", (await exec("echo $#")).stdout, "0\n");
    },
  },
  {
    name: "stdin reaches the script byte for byte",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7 + (index >> 8)) & 255);
      const result = await exec("cat", { stdin: bytes });
      check.that(
        Buffer.from(result.stdoutBytes).equals(bytes),
        "stdoutBytes",
        `${result.stdoutBytes.byteLength} bytes: ${result.stdoutBytes.slice(0, 8)}`,
        `the ${bytes.byteLength} bytes of stdin: ${bytes.slice(0, 8)}`,
      );
    },
  },
  {
    name: "a text as stdin is UTF-8, and read line by line",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      const result = await exec('while read -r line; do echo "<$line>"; done', { stdin: "één\ntwo\n" });
      check.equal("stdout", result.stdout, "<één>\n<two>\n");
    },
  },
  {
    name: "without stdin a command that reads gets an end of file at once",
    needs: ["scripts"],
    async run({ open, check }) {
      const { exec } = await open();
      const result = await exec("cat; echo done", { timeoutMs: 5_000 });
      check.matches("the result", result, { stdout: "done\n", ending: { kind: "exited" } });
    },
  },
  {
    name: "cwd is for one command; a relative one starts at the workspace's cwd",
    needs: ["scripts", "state"],
    async run({ open, check, inside }) {
      const { exec } = await open();
      await exec("mkdir -p sub/deep other; cd other");
      const at = async (cwd?: string) => (await exec("pwd", cwd === undefined ? {} : { cwd })).stdout;
      check.equal("pwd with cwd: an absolute path", await at(inside("plain")), `${inside("plain")}\n`);
      check.equal('pwd with cwd: "sub/deep"', await at("sub/deep"), `${inside("session", "sub/deep")}\n`);
      check.equal("pwd without cwd", await at(), `${inside("session", "other")}\n`);
    },
  },
  {
    name: "the first command starts in the workspace's cwd",
    needs: ["scripts"],
    async run({ open, check, inside, workspace }) {
      const { exec } = await open({ workspace: workspace({ cwd: inside("plain") }) });
      check.equal("pwd", (await exec("pwd")).stdout, `${inside("plain")}\n`);
    },
  },
  {
    name: "env is for one command, and stands over what the shell has",
    needs: ["scripts", "state"],
    async run({ open, check }) {
      const { exec } = await open();
      await exec("export A=shell");
      const env = { A: "call", B: "it's $HOME\nline" };
      check.equal("with env", (await exec('printf "%s|" "$A" "$B"', { env })).stdout, `call|${env.B}|`);
      check.equal("the next command", (await exec('printf "%s|" "$A" "$B"')).stdout, "shell||");
    },
  },
  {
    name: "replaceEnv starts from an empty environment, for one command",
    needs: ["scripts", "state"],
    async run({ open, check }) {
      const { exec } = await open();
      await exec("export A=shell");
      const script = 'printf "%s|" "$A" "$B"';
      const result = await exec(script, { env: { B: "call" }, replaceEnv: true });
      check.equal("with replaceEnv", result.stdout, "|call|");
      check.equal("the next command", (await exec(script)).stdout, "shell||");
    },
  },
];
