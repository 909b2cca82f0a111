/** One sandbox is one shell: what stays from call to call, and what does not. */
import type { SandboxCase } from "../stage.ts";

export const stateCases: readonly SandboxCase[] = [
  {
    name: "the working directory stays from call to call",
    needs: ["scripts", "state"],
    async run({ open, check, inside }) {
      const { exec } = await open();
      await exec("mkdir 'a b'; cd 'a b'");
      check.equal("pwd", (await exec("pwd")).stdout, `${inside("session", "a b")}\n`);
    },
  },
  {
    name: "variables stay from call to call, exported or not, and stay unset",
    needs: ["scripts", "state"],
    async run({ open, check }) {
      const { exec } = await open();
      await exec("export SHOWN='a b\n$x'; HIDDEN=\"it's\"; EMPTY=; GONE=1");
      await exec("unset GONE");
      const result = await exec(
        `printf '[%s]' "$SHOWN" "$HIDDEN" "\${EMPTY-unset}" "\${GONE-unset}" "$(env | grep -c '^HIDDEN=')"`,
      );
      check.equal("stdout", result.stdout, "[a b\n$x][it's][][unset][0]");
    },
  },
  {
    name: "state stays after exit and after a failed command",
    needs: ["scripts", "state"],
    async run({ open, check }) {
      const { exec } = await open();
      await exec("A=1; exit 3");
      await exec("B=2; false");
      await exec("C=3; set -e; false; D=4");
      check.equal("stdout", (await exec('echo "$A $B $C ${D-unset}"')).stdout, "1 2 3 unset\n");
    },
  },
  {
    name: "shell options do not stay",
    needs: ["scripts", "state"],
    async run({ open, check }) {
      const { exec } = await open();
      await exec("set -fu; A=1");
      const result = await exec('echo "$A" "${NOT_THERE}"; case $- in *f*) echo f;; *) echo plain;; esac');
      check.equal("stdout", result.stdout, "1 \nplain\n");
    },
  },
  {
    name: "arrays stay from call to call",
    needs: ["scripts", "state", "shellState"],
    async run({ open, check }) {
      const { exec } = await open();
      await exec("list=('a b' c); list[7]=z; declare -A map=([k]='v w')");
      const result = await exec(`printf '[%s]' "\${list[@]}" "\${!list[*]}" "\${map[k]}"`);
      check.equal("stdout", result.stdout, "[a b][c][z][0 1 7][v w]");
    },
  },
  {
    name: "functions and aliases stay from call to call",
    needs: ["scripts", "state", "shellState"],
    async run({ open, check }) {
      const { exec } = await open();
      await exec("greet() { echo \"hello $1\"; }\nshopt -s expand_aliases\nalias again='greet twice'");
      const result = await exec("shopt -s expand_aliases\ngreet once\nagain");
      check.equal("stdout", result.stdout, "hello once\nhello twice\n");
    },
  },
  {
    name: "two sandboxes of one factory share nothing",
    needs: ["scripts", "state"],
    async run({ open, check, inside }) {
      const [one, other] = [await open(), await open()];
      await one.exec("A=one; mkdir sub; cd sub");
      check.equal(
        "the other",
        (await other.exec('echo "${A-unset} $PWD"')).stdout,
        `unset ${inside("session")}\n`,
      );
      await other.sandbox.dispose();
      check.equal("the one, when the other is gone", (await one.exec("echo $A")).stdout, "one\n");
    },
  },
];
