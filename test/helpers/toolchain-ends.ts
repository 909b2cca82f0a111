/** How scripts over the machine's own programs end by themselves. */
import { expect } from "vitest";
import { openToolchainForTest } from "./toolchain.ts";

/** In an order: what is left comes from the scripts before. */
export const ENDS: readonly (readonly [script: string, exitCode: number, left: string])[] = [
  ["x=1; exit 3", 3, "1"],
  ["x=2; set -e; false; x=no", 1, "2"],
  ["x=3; ${nope?}; x=no", 127, "3"],
  ["x=4; trap 'echo bye' EXIT; set -eux; false", 1, "4"],
  ["x=5; trap 'exit 9' EXIT; exit 2", 9, "5"],
  ["x=6; kill -TERM $$; sleep 5", 143, "6"],
  ["x=7; kill -9 $$; sleep 5", 137, "6"],
  ["x=8; exec sh -c 'exit 4'", 4, "6"],
  ["x=9; kill 0; sleep 0.1; exit 5", 143, "9"],
  ["x=10; (exit 7)", 7, "10"],
  ["x=11\nif then", 2, "11"],
  ["x=12; return 3", 2, "12"],
  ["x=13; IFS=3; set -f; shopt -s extglob", 0, "13"],
  ["IFS=$' \\t\\n'; x=14; exec >&- 2>&- </dev/null; exit 6", 6, "14"],
  ["x=15; builtin() { :; }; eval() { :; }; set() { :; }; declare() { :; }; printf() { :; }; exit 2", 2, "15"],
  ["unset -f set printf; x=16; alias eval=false exit=false x=false builtin=false", 0, "16"],
  ["unalias -a; cd /tmp; mkdir gone; cd gone; rmdir ../gone; x=17", 0, "17"],
  ["cd /w; set -n; x=no", 0, "17"],
];

/** Each ends as it wants, and the next one finds the shell that the last one to end well had left. */
export async function expectEnds(ends: typeof ENDS): Promise<void> {
  const { sandbox } = await openToolchainForTest();
  for (const [script, exitCode, left] of ends) {
    const result = await sandbox.exec(script, { timeoutMs: 10_000 });
    const next = await sandbox.exec('echo "$x"; for i in 1 2; do \\echo $i; done | cat', {
      timeoutMs: 10_000,
    });
    expect([script, result.exitCode, result.ending, next.stdout, next.exitCode]).toEqual([
      script,
      exitCode,
      { kind: "exited" },
      `${left}\n1\n2\n`,
      0,
    ]);
  }
}
