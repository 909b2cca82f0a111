/** Events without what may differ between two runs: ids, times, digests and sizes of what a run names by itself. */
import type { HarnessEvent } from "../shared/events.ts";

type Plain = Record<string, unknown>;

/** Ids become `id-1`, `id-2` … in order of appearance, so that what groups the events is still compared. */
export function normaliseEvents(events: readonly HarnessEvent[], anyToolOrder = false): Plain[] {
  const known = new Map<string, string>();
  const toOrdinal = (id: unknown): string => {
    const name = String(id);
    const ordinal = known.get(name) ?? `id-${known.size + 1}`;
    known.set(name, ordinal);
    return ordinal;
  };
  const isToolCall = (event: Plain): boolean => String(event.type).startsWith("harness.tool_call.");
  const plain = events.map((event): Plain => {
    const {
      id: _id,
      at: _at,
      durationMs: _durationMs,
      tier: _tier,
      isolation,
      ...compared
    } = event as unknown as Plain;
    for (const key of ["occurrenceId", "commandId", "toolCallId"])
      if (compared[key] !== undefined) compared[key] = toOrdinal(compared[key]);
    // The rung, its walls and the tier are what tells the sandboxes apart; what the command was allowed and did is not.
    if (isolation !== undefined) {
      const { mounts, toolsAllowed, toolsCalled } = isolation as Plain;
      compared.isolation = { mounts, toolsAllowed, toolsCalled };
    }
    return compared;
  });
  if (!anyToolOrder) return plain;
  const loose = plain.map((event) => {
    if (!isToolCall(event)) return event;
    const { occurrenceId: _occurrence, toolCallId: _call, seq: _seq, ...rest } = event;
    return rest;
  });
  const sortKey = (event: Plain): string => JSON.stringify(event);
  return [
    ...loose.filter((event) => !isToolCall(event)),
    ...loose.filter(isToolCall).sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
  ];
}
