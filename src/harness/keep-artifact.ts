/** What is too large for its place becomes an artifact of the turn; its place says where it is and what its bytes were. */
import { createHash } from "node:crypto";
import type { PreparedTurn } from "../host/host.ts";

/** Where the whole of something is. An alias and no interface, which would not count as JSON. */
export type ArtifactReference = {
  /** Inside the sandbox. */
  readonly artifact: string;
  readonly sizeBytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
};

export async function keepArtifact(
  turn: Pick<PreparedTurn, "artifact">,
  name: string,
  content: string | Uint8Array,
): Promise<ArtifactReference> {
  const { path, sizeBytes } = await turn.artifact(name, content);
  return { artifact: path, sizeBytes, sha256: sha256Of(content) };
}

/** Lower-case hex. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
