/**
 * Scripts whose output goes to the stream, to a file, to a variable, down a pipe, and what the bash of this machine makes
 * of them.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HarnessSandbox, openSandbox } from "../../src/index.ts";
import { failOnStrays } from "./strays.ts";

const F = "f() { echo out; echo err >&2; }";

const SNIPPETS: Record<string, string[]> = {
  "command substitution": [
    "x=$(echo in); echo [$x]",
    "x=`echo in`; echo [$x]",
    "x=$(for i in 1 2; do echo $i; done); echo [$x]",
    "x=$(if true; then echo y; else echo n; fi); echo [$x]",
    "x=$(case a in a) echo A;; esac); echo [$x]",
    "x=$(while true; do echo a; break; done); echo [$x]",
    "x=$( (echo a; echo b) ); echo [$x]",
    "x=$({ echo a; echo b >&2; }); echo [$x]",
    "x=$({ echo a; echo b >&2; } 2>&1); echo [$x]",
    'x="$(echo "$(echo deep)")"; echo [$x]',
    'echo "a $(echo b; echo c >&2) d"',
    "x=$(echo a | tr a b); echo [$x]",
    "x=$(cat <<EOF\nin\nEOF\n); echo [$x]",
    "a=($(echo a b; echo c)); echo ${#a[@]}",
    "export x=$(echo e); echo [$x]",
    "f() { local x=$(echo l); echo [$x]; }; f",
    "cat <<EOF\n$(echo in)\nEOF",
    'if [ -n "$(echo a)" ]; then echo y; fi; [[ $(echo a) == a ]] && echo z',
    "for ((i = $(echo 0); i < 2; i++)); do echo $i; done",
    "x=$(eval 'echo e; echo f >&2'); echo [$x]",
    "x=$(echo a >&2); echo [$x]",
    "x=$(exec 2>&1; echo e >&2); echo [$x]",
  ],
  "status of command substitution": [
    "x=$(exit 7); echo $?",
    "if x=$(exit 3); then echo y; else echo n$?; fi",
    "x=$(exit 4) || echo c$?",
    "x=1 y=$(exit 2); echo $?",
    "for i in 1 2; do y=$(exit $i); echo $?; done",
    "f() { x=$(exit 3); echo $?; }; f",
    "f() { echo a; return 4; }; x=$(f); echo $x $?",
    "set -e; x=$(false); echo no",
    "export x=$(exit 3); echo $?",
  ],
  functions: [
    `${F}; f`,
    `${F}; x=$(f); echo [$x]`,
    `${F}; x=$(f 2>&1); echo [$x]`,
    `${F}; f > o; cat o`,
    `${F}; f 2> e; cat e`,
    `${F}; f &> b; cat b`,
    `${F}; f | tr a-z A-Z`,
    `${F}; { f; } > o; cat o`,
    `${F}; for i in 1 2; do f; done > o 2> e; cat o e`,
    `${F}; (f) > o; cat o; if f; then :; fi > o; cat o`,
    `${F}; f | while read l; do echo "<$l>"; done`,
    `${F}; g() { f; f > i; }; x=$(g); echo [$x]; cat i`,
    "f() { echo a; } > o; f; echo b; cat o",
    "f() { { echo a; } > o; echo b; }; f; cat o",
    "f() { if true; then for i in 1; do echo deep; done; fi; }; x=$(f); echo [$x]; f > o; cat o; f",
    "f() ( echo sub; exit 3 ); f; echo $?; x=$(f); echo [$x]",
    "f() { cat; }; echo a | f; f <<< b; echo c | f > o; cat o",
    'log() { echo "[log] $*" >&2; }; x=$(log b; echo c); echo $x; log d',
    "f() { f2() { echo inner; }; }; f; f2; x=$(f2); echo [$x]",
    "x=$(g() { echo q; }; g); echo [$x]",
  ],
  pipes: [
    "for i in 1 2 3; do echo $i; done | sort -r",
    "{ echo a; echo b; } | tr ab xy",
    "(echo a; echo b) | tr ab xy",
    "if true; then echo a; fi | tr a x",
    "case a in a) echo a;; esac | tr a x",
    "while true; do echo a; break; done | tr a x",
    "eval 'echo a; echo b' | tr ab xy",
    "{ echo a; echo e >&2; } 2>&1 | tr ae xy",
    "{ echo a; echo e >&2; } 2>&1 >/dev/null | tr ae xy",
    "{ { echo a; echo e >&2; } 3>&1 1>&2 2>&3; } 2>/dev/null",
    "echo a | { read x; echo x=$x; } > o; cat o",
    "echo a | (cat; echo b) | tr ab xy",
    "echo a | { cat; echo b; } | { cat; echo c; }",
    "seq 3 | while read n; do echo $n > o$n; done; cat o1 o3",
    "for f in a b; do echo $f; done | tee o | wc -l; cat o",
    "! echo a | grep b; echo $?",
    "nosuch | cat; echo ok",
    "cat <(echo a) <(echo b)",
    'while read l; do echo "<$l>"; done < <(for i in 1 2; do echo $i; done)',
    "x=1; echo 9 | while read l; do x=$l; done; echo $x",
    "bash -c 'echo a; echo b >&2' 2>&1 | tr ab xy",
  ],
  "redirections of compound commands": [
    "for i in 1 2; do echo $i; done > o; cat o",
    "for i in 1 2; do echo $i; done >> o; for i in 3; do echo $i; done >> o; cat o",
    "while read l; do echo l=$l; done <<< x > o; cat o",
    "if true; then echo a; echo e >&2; fi > o 2> e; cat o e",
    "case x in x) echo a;; esac > o; cat o",
    "{ echo a; echo e >&2; } > o 2>&1; cat o",
    "(echo a; echo e >&2) &> o; cat o",
    "{ echo a; { echo b; } > i; echo c; } > o; cat o i",
    "{ echo a; echo b >&2; } 2>/dev/null",
    "{ { echo a; echo b >&2; } 2>&1; } > o; cat o",
    "for i in 1 2; do { echo $i; echo e$i >&2; } 2> e$i; done; cat e1 e2",
    "for ((i = 0; i < 2; i++)); do echo $i; done > o; cat o",
    "until true; do :; done > o; wc -c < o",
    "x=5; { x=6; } > o; echo $x; for i in 1; do x=7; done > o; echo $x",
    "{ echo a >&3; } 3> o; cat o; { echo b >&3; } 3>&1",
    "{ echo a; } > /nosuch/x; echo $?",
    "for i in 1; do echo $i; done > /nosuch/x; echo $?",
    "if nosuch 2>/dev/null; then echo y; else echo n; fi",
    "{ nosuch; } 2> e; wc -l < e",
  ],
  "simple commands": [
    "echo a > o; echo b >> o; cat < o",
    "echo a >&2 2> o; cat o",
    "echo a 2>&1 >&2",
    "echo a 2>&1 > o; cat o",
    "echo a > o1 > o2; cat o1 o2",
    ">o echo a; cat o; > o; wc -c < o",
    "echo a &> o; echo b &>> o; cat o",
    "echo a > /nosuch/x; echo $?",
    "cat < nosuch; echo $?",
    "nosuch; echo $?",
    "nosuch 2> e; echo $?; wc -l < e",
    "echo a > 'x y'; cat 'x y'",
    "set -C; echo a > o; echo b > o; echo $?; cat o",
    "set -x; echo a; x=1; set +x",
    "echo -n a; echo -n b >&2; echo -n c",
    "echo a & wait; echo b",
    "alias p='echo a'\np > o\ncat o",
    "echo a; exit 3; echo b",
    "exit_in() { exit 5; }; exit_in; echo no",
  ],
  "eval and source": [
    "eval 'echo a; echo b >&2'",
    "eval 'echo a' > o; cat o",
    "eval 'for i in 1 2; do echo $i; done' > o; cat o",
    "eval 'f() { echo a; }'; f; x=$(f); echo [$x]",
    "echo 'echo in; echo err >&2' > s; . ./s; x=$(. ./s); echo [$x]; source ./s > o; cat o",
    "echo 'echo in; echo err >&2' > s; bash s 2>/dev/null; bash s > o 2>&1; cat o",
    "echo 'x=5; return 3; echo no' > s; . ./s; echo $? $x",
    "eval exit 4; echo no",
  ],
  "redirections that last": [
    "exec > o; echo a; for i in 1 2; do echo $i; done; cat o >&2",
    "echo before; exec > o; echo a; cat o >&2",
    "exec 2> e; echo x >&2; nosuch; wc -l < e",
    "exec 3>&1 > o; echo a; echo b >&3; cat o >&3",
    "exec 3> o; echo a >&3; echo b >&3; exec 3>&-; cat o",
    "exec 3>&1; exec > o; echo a; exec >&3; echo c; cat o",
    "exec 2>&1; echo a >&2; { echo b; } > o; cat o",
    "set -C; exec > o; echo a",
    "exec 1>&2; echo to-err",
    "exec >/dev/null 2>&1; echo a; nosuch",
    "f() { exec > o; echo in; }; f; echo after; cat o >&2",
    "if true; then exec > o; fi; echo a; cat o >&2",
    "for i in 1; do exec > o; echo b; done; echo a; cat o >&2",
    "{ exec > o; echo a; }; echo b; cat o >&2",
    "(exec > o; echo a); echo b; cat o",
    "eval 'exec > o'; echo a; cat o >&2",
    "f() { eval 'exec > o'; }; f; echo a; cat o >&2",
    "echo 'exec > o' > s; . ./s; echo a; cat o >&2",
    "a=exec; $a > o; echo a; cat o >&2",
    "alias p='exec > o'\np\necho z\ncat o >&2",
    "exec {fd}> o; echo a >&$fd; cat o",
    "exec 3<<< abc; cat <&3",
    "printf 'l1\\nl2\\n' > in; exec < in; read a; read b; echo $b$a",
  ],
};

/** Where the engine itself does it differently, with no rewriting by us: each fails, and is to pass one day. */
const ENGINE_FAULTS: Record<string, string> = {
  "stderr of $(…) among the words of for is lost": "for x in $(echo a; echo e >&2); do echo $x; done",
  "stderr of $(…) in the word of case is lost": "case $(echo a; echo e >&2) in a) echo A;; esac",
  "$(…) captures nothing under a lasting redirection": "exec > o; x=$(echo in); exec >&2; echo [$x]",
  "a pipe is not read under a lasting redirection of stdin": "echo q > in; exec < in; echo a | cat",
  "an assignment with a redirection forgets its status": "x=$(exit 7) > o; echo $?",
  "command exec does not last": "command exec > o; echo a; cat o >&2",
  "|& joins the streams in the wrong order": "{ echo a; echo e >&2; } |& cat",
  "a pipe does not reach the condition of if": "echo a | if read x; then echo x=$x; fi",
  "a redirection behind an alias holds for all of the alias": "alias p='echo a; echo b'\np > o\ncat o",
  "after exec 2>&1 stderr follows stdout": "exec 2>&1; { echo b >&2; } > o; cat o",
  "$(…) captures what goes to a copy of stdout": "exec 5>&1; x=$(echo cap; echo through >&5); echo [$x]",
};

let directory: string;
let sandbox: HarnessSandbox;
let count = 0;

async function open(): Promise<void> {
  directory = mkdtempSync(join(tmpdir(), "harness-test-"));
  sandbox = await openSandbox({ mounts: { "/w": directory }, sandbox: "subprocess" });
}

async function close(): Promise<void> {
  await sandbox.dispose();
  rmSync(directory, { recursive: true });
}

interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly files: Record<string, string>;
}

async function ours(
  snippet: string,
): Promise<Outcome & { readonly streamed: { stdout: string; stderr: string } }> {
  const cwd = `ours${++count}`;
  mkdirSync(join(directory, cwd));
  // A shell of its own: functions of one snippet are not to be seen by the next.
  const reset = "unset -f $(declare -F | cut -d' ' -f3) 2>/dev/null; unalias -a; unset x a";
  await sandbox.exec(reset);
  const chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const result = await sandbox.exec(`cd /w/${cwd}\n${snippet}`, {
    timeoutMs: 15_000,
    onStdout: (chunk) => chunks.stdout.push(chunk),
    onStderr: (chunk) => chunks.stderr.push(chunk),
  });
  return {
    stdout: result.stdout,
    stderr: withoutLines(result.stderr),
    exitCode: result.exitCode,
    files: filesOf(join(directory, cwd)),
    streamed: {
      stdout: Buffer.concat(chunks.stdout).toString(),
      stderr: withoutLines(Buffer.concat(chunks.stderr).toString()),
    },
  };
}

function realBash(snippet: string): Outcome {
  const cwd = join(directory, `bash${++count}`);
  mkdirSync(cwd);
  const { stdout, stderr, status } = spawnSync(
    "bash",
    ["--norc", "--noprofile", "-O", "expand_aliases", "-c", `cd .\n${snippet}`],
    {
      cwd,
      env: { PATH: process.env.PATH, LANG: "C.UTF-8" },
      encoding: "utf8",
      input: "",
    },
  );
  return { stdout, stderr: withoutLines(stderr), exitCode: status, files: filesOf(cwd) };
}

/** Real bash says in which line an error is. */
function withoutLines(text: string): string {
  return text.replace(/^[^\s:]+: (?:eval: )?line \d+: /gm, "bash: ").replace(/^environment: /gm, "bash: ");
}

function filesOf(path: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path)
      .sort()
      .map((name) => [name, withoutLines(readFileSync(join(path, name), "utf8"))]),
  );
}

/** One test for each snippet that is taken by its place in its group. */
export function expectOutputAsBash(isTaken: (place: number) => boolean): void {
  failOnStrays();
  beforeAll(open);
  afterAll(close);

  for (const [group, snippets] of Object.entries(SNIPPETS)) {
    for (const snippet of snippets.filter((_, place) => isTaken(place))) {
      test(`goes where bash puts it, ${group}: ${snippet}`, async () => {
        const { streamed, ...outcome } = await ours(snippet);
        const expected = realBash(snippet);
        expect(outcome).toEqual(expected);
        expect(streamed).toEqual({ stdout: expected.stdout, stderr: expected.stderr });
      });
    }
  }

  for (const [fault, snippet] of Object.entries(ENGINE_FAULTS)) {
    test.fails(`goes where bash puts it, not yet: ${fault}`, async () => {
      const { streamed: _, ...outcome } = await ours(snippet);
      expect(outcome).toEqual(realBash(snippet));
    });
  }
}
