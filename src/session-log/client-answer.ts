/**
 * What a service answered → what it means. Nothing of it is trusted: its size, its form, and its words, which reach the
 * caller without the token that the client sent.
 */
import { isRecord } from "../shared/check-options.ts";
import { SandboxError } from "../shared/errors.ts";
import { parseRetryAfter } from "./retry-wait.ts";
import { LOG_CODES, PROTOCOL, PROTOCOL_HEADER } from "./wire.ts";

/** What one attempt came to. */
export type Outcome =
  | { readonly is: "answer"; readonly value: unknown }
  /** Sending it again would change nothing. */
  | { readonly is: "refused"; readonly error: SandboxError }
  | { readonly is: "failed"; readonly why: string; readonly retryAfterMs?: number | undefined };

/** Bytes of a refusal's text that are read. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Reads an answer to its end, or gives it up. Rejects when the connection breaks. */
export async function readAnswer(response: Response, maxBytes: number): Promise<Outcome> {
  const { status } = response;
  const flaw = findFlaw(response);
  if (status === 200) {
    const text = flaw === undefined ? await readText(response, maxBytes) : undefined;
    if (text === undefined) await giveUp(response);
    const value = text === undefined ? undefined : parse(text);
    if (value !== undefined) return { is: "answer", value };
    return refused(status, flaw ?? (text === undefined ? `is more than ${maxBytes} bytes` : "is no JSON"));
  }
  const text = flaw === undefined ? await readText(response, MAX_REFUSAL_BYTES) : undefined;
  if (text === undefined) await giveUp(response);
  const { code, message } = toRefusal(text);
  const known = LOG_CODES.find((one) => one === code);
  if (known !== undefined) return { is: "refused", error: new SandboxError(known, message, { status }) };
  const why = `it answered ${status}${code === undefined ? "" : ` (${code}: ${message.replace(/\.$/, "")})`}`;
  if (status === 408 || status === 429 || status >= 500)
    return { is: "failed", why, retryAfterMs: parseRetryAfter(response.headers.get("retry-after")) };
  const redirect = status >= 300 && status < 400 ? ", a redirect, which is not followed" : "";
  return { is: "refused", error: failed(`${why}${redirect}`, { status }) };
}

/** `SESSION_LOG_FAILED` of a service. @param why What happened, as a clause. */
export function failed(why: string, data: Readonly<Record<string, unknown>>): SandboxError {
  return new SandboxError("SESSION_LOG_FAILED", `The session log service cannot be used: ${why}.`, data);
}

/** A text of the service's or of a `fetch`, as it may stand in an error. */
export function tame(text: string, authToken: string | undefined): string {
  // First, so that none can stand within the token and hide it.
  const plain = text.replaceAll(/[\t\r\n]+/g, " ").replaceAll(/\p{Cc}+/gu, "");
  return (authToken === undefined ? plain : plain.replaceAll(authToken, "<token>")).slice(0, 500);
}

function refused(status: number, flaw: string): Outcome {
  const why = `its answer ${flaw}, so it does not speak ${PROTOCOL}`;
  return { is: "refused", error: failed(why, { status }) };
}

/** Why this is no answer of the protocol, by its headers. */
function findFlaw({ headers }: Response): string | undefined {
  if (headers.get(PROTOCOL_HEADER) !== PROTOCOL) return `has no header ${PROTOCOL_HEADER}: ${PROTOCOL}`;
  if (!/^application\/json\s*(?:;|$)/i.test(headers.get("content-type") ?? ""))
    return "is not application/json";
  // None was asked for, and a few bytes can unpack to gigabytes.
  if ((headers.get("content-encoding") ?? "identity") !== "identity") return "is compressed";
  return undefined;
}

/** The body, or undefined when it is larger. */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.byteLength;
      if (length > maxBytes) return undefined;
      chunks.push(part.value);
    }
  } finally {
    reader.releaseLock();
  }
  return Buffer.concat(chunks, length).toString("utf8");
}

/** Frees the connection of an answer that nobody reads. */
async function giveUp(response: Response): Promise<void> {
  try {
    await response.body?.cancel();
  } catch {
    // It broke by itself, which is as good.
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toRefusal(text: string | undefined): { code: string | undefined; message: string } {
  const value = text === undefined ? undefined : parse(text);
  const error = isRecord(value) && isRecord(value.error) ? value.error : {};
  const { code, message } = error;
  const isCode = typeof code === "string" && /^[A-Z_]{1,64}$/.test(code);
  return { code: isCode ? code : undefined, message: typeof message === "string" ? message : "" };
}
