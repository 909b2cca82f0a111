/** A run from its beginning to its end, page by page. */
import type { HarnessSessionLog, SessionLogEvent } from "../shared/session-log.ts";

/** Every event of a run after `after`, in order. Ends when a page is empty; what is appended meanwhile comes too. */
export async function* readRun(
  log: Pick<HarnessSessionLog, "read">,
  runId: string,
  after = 0,
): AsyncGenerator<SessionLogEvent, void, undefined> {
  for (let last = after; ; ) {
    const page = await log.read(runId, { after: last });
    yield* page;
    const end = page.at(-1);
    if (end === undefined) return;
    last = end.sequence;
  }
}
