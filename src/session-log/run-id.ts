/** What names a run: the rule of the port, for every log and for whoever takes a `runId` before a log is asked. */

/** "." and ".." are no runs: a URL that has them as a part is another URL. */
const RUN_ID = /^(?!\.{1,2}$)[A-Za-z0-9_\-.:@=+~]{1,200}$/;

/** For people. */
export const RUN_ID_RULE = '1 to 200 of A-Z a-z 0-9 _ - . : @ = + ~, and not "." or ".."';

export function isRunId(value: unknown): value is string {
  return typeof value === "string" && RUN_ID.test(value);
}
