/** The token of a service, as both sides take it. */
import { invalidOption } from "../shared/check-options.ts";

/** It must pass through a header unchanged. @throws SandboxError `OPTION_INVALID`. */
export function checkToken(token: unknown): void {
  if (token === undefined) return;
  // An empty variable of the environment must not open a server to everybody.
  if (typeof token !== "string" || !/^[\x21-\x7e]{1,4096}$/.test(token))
    throw invalidOption("authToken", "1 to 4096 printable characters of ASCII without blanks, or left out");
}
