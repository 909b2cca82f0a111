/** One request, the same bytes each time, until the service has answered it or there are no attempts left. */
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { SandboxError } from "../shared/errors.ts";
import { tellThrown } from "../shared/redact.ts";
import { failed, type Outcome, readAnswer, tame } from "./client-answer.ts";
import type { CheckedClientOptions } from "./client-options.ts";
import { ClientSlots } from "./client-slots.ts";
import { closedError } from "./log-errors.ts";
import { retryWaitMs } from "./retry-wait.ts";
import { PROTOCOL, PROTOCOL_HEADER } from "./wire.ts";

/**
 * Requests at a time. More would open more connections than a server may have places for, and gain nothing: each run's
 * events are appended one behind the other.
 */
const MAX_UNDER_WAY = 64;

/** What is sent. */
export interface Exchange {
  readonly runId: string;
  /** Behind the base URL. */
  readonly path: string;
  /** JSON of an append; undefined for a read. */
  readonly body?: string;
}

/** Sends requests of one client. */
export class Attempts {
  readonly #options: CheckedClientOptions;
  readonly #underWay = new Set<AbortController>();
  readonly #slots = new ClientSlots(MAX_UNDER_WAY);
  #isClosed = false;

  constructor(options: CheckedClientOptions) {
    this.#options = options;
  }

  /** The JSON of an answer with status 200. @throws SandboxError as `HarnessSessionLog` says. */
  send(exchange: Exchange): Promise<unknown> {
    return this.#slots.hold(() => this.#send(exchange));
  }

  /** Ends what is under way with `SESSION_LOG_CLOSED`, as everything after it. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#underWay) controller.abort();
  }

  async #send(exchange: Exchange): Promise<unknown> {
    const { authToken, maxAttempts } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(exchange);
      if (outcome.is === "answer") return outcome.value;
      if (outcome.is === "refused") throw this.#tamed(outcome.error, exchange, attempt);
      if (attempt === maxAttempts) {
        const times = attempt === 1 ? "" : `, in the last of ${attempt} attempts`;
        throw failed(`${tame(outcome.why, authToken)}${times}`, { runId: exchange.runId, attempts: attempt });
      }
      await this.#abortable((signal) =>
        wait(retryWaitMs(attempt, outcome.retryAfterMs), undefined, { signal }),
      );
    }
  }

  async #attempt(exchange: Exchange): Promise<Outcome> {
    const { maxResponseBytes, timeoutMs } = this.#options;
    let isLate = false;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await this.#abortable(async (signal, abort) => {
        timer = setTimeout(() => {
          isLate = true;
          abort();
        }, timeoutMs);
        const response = await this.#options.fetch(...this.#toRequest(exchange, signal));
        return await readAnswer(response, maxResponseBytes);
      });
    } catch (error) {
      if (this.#isClosed) throw closedError();
      return { is: "failed", why: isLate ? `it took longer than ${timeoutMs} ms` : reasonOf(error) };
    } finally {
      clearTimeout(timer);
    }
  }

  #toRequest({ body, path }: Exchange, signal: AbortSignal): Parameters<typeof fetch> {
    const { authToken, baseUrl } = this.#options;
    const headers: Record<string, string> = {
      [PROTOCOL_HEADER]: PROTOCOL,
      accept: "application/json",
      "accept-encoding": "identity",
    };
    if (authToken !== undefined) headers.authorization = `Bearer ${authToken}`;
    // Not followed: the token is for this service alone.
    const request: RequestInit = { headers, redirect: "manual", signal };
    if (body === undefined) return [`${baseUrl}${path}`, request];
    headers["content-type"] = "application/json";
    return [`${baseUrl}${path}`, { ...request, method: "POST", body }];
  }

  /** Runs an act that ends with its signal, also when what it waits for does not listen to it. */
  async #abortable<Result>(
    act: (signal: AbortSignal, abort: () => void) => Promise<Result>,
  ): Promise<Result> {
    if (this.#isClosed) throw closedError();
    const controller = new AbortController();
    this.#underWay.add(controller);
    const { signal } = controller;
    const aborted = once(signal, "abort").then(() => Promise.reject(new Error("It was given up.")));
    try {
      return await Promise.race([act(signal, () => controller.abort()), aborted]);
    } catch (error) {
      throw this.#isClosed ? closedError() : error;
    } finally {
      this.#underWay.delete(controller);
    }
  }

  #tamed({ code, message, data }: SandboxError, { runId }: Exchange, attempts: number): SandboxError {
    return new SandboxError(code, tame(message, this.#options.authToken), { ...data, runId, attempts });
  }
}

/** In the words of the system where there are any: "fetch failed" says nothing. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return tellThrown(cause);
}
