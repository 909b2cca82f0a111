import { findJail } from "../../src/parent/isolation/bubblewrap.ts";

/** Another Node.js for the workers of these tests: `TEST_NODE=/path/to/node npm test`. */
export const testNode: string | undefined = process.env.TEST_NODE;

/** Options for a sandbox on a rung, with the Node.js under test. */
export function onRung(isolation: Rung): { isolation: Rung; nodePath?: string } {
  return testNode === undefined ? { isolation } : { isolation, nodePath: testNode };
}

export type Rung = "process" | "hardened" | "namespace";

const jail = await findJail(testNode ?? process.execPath);

/** Why the rung `namespace` cannot be tried here; `null` when it can. */
export const noNamespace: string | null = "unavailable" in jail ? jail.unavailable : null;

/** The rungs that this machine gives. */
export const rungs: readonly Rung[] =
  noNamespace === null ? ["process", "hardened", "namespace"] : ["process", "hardened"];
