/** The body of an append, read within its bounds. */
import type { IncomingMessage } from "node:http";
import { Refusal } from "./server-answer.ts";
import { parseStrictJson } from "./strict-json.ts";

/** What the headers already say against a body. @throws Refusal */
export function checkBodyHeaders({ headers }: IncomingMessage, maxBodyBytes: number): void {
  const [type = "", ...parameters] = (headers["content-type"] ?? "").toLowerCase().split(";");
  const charset = parameters.join(";").replaceAll(/[\s"]/g, "");
  if (type.trim() !== "application/json" || !["", "charset=utf-8"].includes(charset))
    throw new Refusal("MEDIA_TYPE_REFUSED", "The body must be application/json in UTF-8.");
  if ((headers["content-encoding"] ?? "identity").toLowerCase() !== "identity")
    throw new Refusal("MEDIA_TYPE_REFUSED", "The body must not be compressed.");
  if (Number(headers["content-length"] ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes);
}

/** The value of the body. @throws Refusal */
export async function readJsonBody(
  request: IncomingMessage,
  limits: { readonly maxBodyBytes: number; readonly bodyTimeoutMs: number },
): Promise<unknown> {
  const bytes = await readBytes(request, limits);
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Refusal("REQUEST_INVALID", `The body cannot be read: ${error.message}.`);
  }
}

function readBytes(
  request: IncomingMessage,
  { maxBodyBytes, bodyTimeoutMs }: { readonly maxBodyBytes: number; readonly bodyTimeoutMs: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(
      () =>
        settle(() =>
          reject(new Refusal("REQUEST_TIMEOUT", `The body took longer than ${bodyTimeoutMs} ms.`)),
        ),
      bodyTimeoutMs,
    );
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      request.off("data", onData).off("end", onEnd).off("close", onClose);
      act();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.byteLength;
      if (length > maxBodyBytes) settle(() => reject(tooLarge(maxBodyBytes)));
      else chunks.push(chunk);
    };
    const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks, length)));
    // Nobody is left to read the refusal.
    const onClose = (): void => settle(() => reject(new Refusal("REQUEST_INVALID", "The body has no end.")));
    request.on("data", onData).once("end", onEnd).once("close", onClose);
  });
}

function tooLarge(maxBodyBytes: number): Refusal {
  return new Refusal("BODY_TOO_LARGE", `The body is more than ${maxBodyBytes} bytes.`);
}
