/** What an optional peer says that cannot be loaded: installing it helps only where it is not there. */
import { SandboxError } from "./errors.ts";
import { tellThrown } from "./redact.ts";

/**
 * What came of `import(peer)` → `PEER_MISSING`, which says what to do.
 *
 * @param needs Who needs what: `A harness needs the AI SDK`.
 */
export function peerMissing(peer: string, needs: string, cause: unknown): SandboxError {
  const why = tellThrown(cause);
  const message = isNotInstalled(peer, cause)
    ? `${needs}, which is not installed (${why}): npm install ${peer}`
    : `${needs}, which is there but failed to load (${why}). In a bundle, leave "${peer}" outside of it (external): docs/bundling.md`;
  return new SandboxError("PEER_MISSING", message, { peer }, { cause });
}

/** What Node.js, webpack and Vite say of a package that is not there; a file of it that is missing has another name. */
function isNotInstalled(peer: string, cause: unknown): boolean {
  const said = /^(?:Cannot find (?:package|module)|Could not resolve) ['"]([^'"]+)['"]/;
  return cause instanceof Error && said.exec(cause.message)?.[1] === peer;
}
