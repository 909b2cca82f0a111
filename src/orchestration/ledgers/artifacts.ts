/** Artifacts: where they lie, found by session and by run. */
import type { Artifact, ArtifactLedger } from "../../shared/ledgers/artifacts.ts";
import { checkId, checkInteger, checkOptions, checkText, invalid, optional } from "../check.ts";
import { toJsonValue } from "../json-text.ts";
import { PlainCore } from "../plain-core.ts";
import type { LedgerContext } from "../work-core.ts";

const CREATE_OPTIONS = [
  "id",
  "location",
  "sessionId",
  "runId",
  "sizeBytes",
  "sha256",
  "mediaType",
  "metadata",
];

export function createArtifactLedger(context: LedgerContext): ArtifactLedger {
  const core = new PlainCore<Artifact>(context, "artifacts");
  return {
    async create(options) {
      checkOptions("create", options, CREATE_OPTIONS);
      const content = {
        location: checkLocation(options.location),
        sessionId: optional("sessionId", options.sessionId, checkId) ?? null,
        runId: optional("runId", options.runId, checkId) ?? null,
        sizeBytes: optional("sizeBytes", options.sizeBytes, checkSize) ?? null,
        sha256: optional("sha256", options.sha256, checkSha256) ?? null,
        mediaType: optional("mediaType", options.mediaType, checkText) ?? null,
        metadata: toJsonValue("metadata", options.metadata),
      };
      return core.create(options.id, content, (base) => ({ ...base, ...content }));
    },
    get: async (id) => core.get(id),
    list: async (options) => core.list(options, ["sessionId", "runId"]),
    remove: async (id) => core.remove(id),
    prune: async (options) => core.prune(options),
  };
}

/** Not cut: a place with its end missing is another place. */
function checkLocation(value: unknown): string {
  if (typeof value === "string" && value !== "" && value.length <= 4_000) return value;
  throw invalid("location", "a text of 1 to 4000 characters", value);
}

function checkSize(name: string, value: unknown): number {
  return checkInteger(name, value, 0, Number.MAX_SAFE_INTEGER);
}

function checkSha256(name: string, value: unknown): string {
  if (typeof value === "string" && /^[0-9a-f]{64}$/.test(value)) return value;
  throw invalid(name, "64 hexadecimal digits in lower case", value);
}
