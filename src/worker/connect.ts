/** The wire → the channel → the functions that serve it. */
import { createChannel } from "../protocol/channel.ts";
import type { Channel } from "../protocol/channel-contract.ts";
import type { ParentRequests, WorkerRequests } from "../protocol/messages.ts";
import type { SpareKind } from "../protocol/spare.ts";
import { PROTOCOL_VERSION } from "../protocol/version.ts";
import { loadEngine } from "./load-engine.ts";
import { createServer } from "./serve.ts";
import { startLifeline } from "./start-lifeline.ts";
import type { Wire } from "./take-stdio.ts";
import { warmUp } from "./warm-up.ts";

declare const __BUILD_ID__: string;

/** @param spare what it was started for ahead of need; `undefined`: it is needed at once */
export function connect(
  wire: Wire,
  lifeline: URL,
  leave: () => void,
  spare: SpareKind | null | undefined,
): void {
  const watcher = startLifeline(lifeline, leave);
  const engine = loadEngine();
  const channel: Channel<WorkerRequests> = createChannel<WorkerRequests, ParentRequests>({
    side: "worker",
    hello: { version: PROTOCOL_VERSION, buildId: __BUILD_ID__ },
    write: wire.write,
    handlers: createServer({
      engine,
      takePrepared: warmUp(engine, spare),
      callTool: (execId, path, argsJson) =>
        channel.request("tool.call", { execId, path }, { body: argsJson }).then(({ body }) => body),
      touchPaths: (execId, paths) => channel.request("touch", { execId, paths }),
      watcher,
    }).handlers,
    onBroken: (error) => {
      console.error(`little-harness worker: ${error.message}`);
      leave();
    },
  });
  channel.start();
  wire.listen((bytes) => channel.receive(bytes), leave);
}
