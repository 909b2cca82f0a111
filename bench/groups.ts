/** All groups of rows, in the order of the report. */
import type { RowGroup } from "./row.ts";
import { coldRows } from "./rows/cold.ts";
import { commandRows } from "./rows/commands.ts";
import { crowdRows } from "./rows/crowd.ts";
import { importRows } from "./rows/import.ts";
import { mountRows } from "./rows/mounts.ts";
import { outputRows } from "./rows/output.ts";
import { payloadRows } from "./rows/payload.ts";
import { remoteLogRows } from "./rows/remote-log.ts";
import { sessionLogRows } from "./rows/session-log.ts";
import { toolRows } from "./rows/tools.ts";
import { trackingRows } from "./rows/tracking.ts";
import { warmRows } from "./rows/warm.ts";

export const GROUPS: Readonly<Record<string, RowGroup>> = {
  import: importRows,
  cold: coldRows,
  warm: warmRows,
  tools: toolRows,
  payload: payloadRows,
  output: outputRows,
  tracking: trackingRows,
  commands: commandRows,
  mounts: mountRows,
  crowd: crowdRows,
  log: sessionLogRows,
  service: remoteLogRows,
};
