/**
 * The AI SDK (`ai`, an optional peer), loaded when a model is first called, and what the loop uses of it: only what
 * its versions 5, 6 and 7 have in common. The shapes are our own, so that our declarations need no `ai`.
 */
import { SandboxError } from "../shared/errors.ts";
import { peerMissing } from "../shared/peer-missing.ts";

/** A step as `onStepFinish` tells it; the fields that the loop reads. */
export interface SdkStep {
  readonly text: string;
  readonly finishReason: string;
  readonly usage: object;
  readonly content: readonly SdkPart[];
  readonly toolCalls: readonly { readonly toolCallId: string; readonly toolName: string }[];
  readonly response: { readonly modelId?: string; readonly messages?: readonly object[] };
}

/** A piece of a model's answer or of a stream. */
export interface SdkPart {
  readonly type: string;
  readonly id?: string;
  readonly finishReason?: string;
  readonly totalUsage?: object;
  readonly text?: unknown;
  readonly error?: unknown;
  readonly toolCallId?: unknown;
  readonly toolName?: unknown;
  readonly input?: unknown;
}

/** Options of `generateText` and `streamText` that the loop sets itself; settings of the caller come besides. */
export interface SdkRequest {
  readonly model: unknown;
  readonly tools: Readonly<Record<string, object>>;
  readonly abortSignal: AbortSignal;
  readonly stopWhen: (state: { readonly steps: readonly unknown[] }) => boolean;
  readonly prepareStep: () => Promise<undefined>;
  readonly onStepFinish: (step: SdkStep) => Promise<void>;
}

export interface AiSdk {
  generateText(request: SdkRequest): Promise<unknown>;
  streamText(request: SdkRequest & { readonly onError: () => void }): {
    readonly fullStream: AsyncIterable<SdkPart>;
  };
  asSchema(schema: unknown): { readonly jsonSchema: unknown };
  jsonSchema(schema: unknown): object;
}

const USED = ["generateText", "streamText", "asSchema", "jsonSchema"] as const;

/** @throws SandboxError `PEER_MISSING` when `ai` is not installed, cannot be loaded or is older than 5. */
export async function loadAiSdk(): Promise<AiSdk> {
  let loaded: Partial<AiSdk>;
  try {
    // Inside `try`, so that bundlers take a missing optional peer for a warning and not for an error.
    loaded = (await import("ai")) as unknown as Partial<AiSdk>;
  } catch (cause) {
    throw notLoaded(cause);
  }
  const lacking = USED.find((name) => typeof loaded[name] !== "function");
  if (lacking === undefined) return loaded as AiSdk;
  const message = `A harness needs the AI SDK 5 or newer; the "ai" that is installed has no ${lacking}: npm install ai`;
  throw new SandboxError("PEER_MISSING", message, { peer: "ai" });
}

/** What came of `import("ai")` → an error that says what to do. */
export function notLoaded(cause: unknown): SandboxError {
  return peerMissing("ai", "A harness needs the AI SDK", cause);
}
