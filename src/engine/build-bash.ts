/** Engine options → one just-bash over a file system of ours. */
import {
  Bash,
  type CustomCommand,
  DefenseInDepthBox,
  type IFileSystem,
  type JavaScriptConfig,
} from "just-bash";
import type { DefenseInDepth } from "../shared/defense.ts";
import { ownCommands } from "./commands/index.ts";
import type { PartLimiter } from "./commands/timeout.ts";
import { OUT_OF_THE_WAY } from "./limits.ts";
import { nestedJavaScript } from "./nested-javascript.ts";
import type { EngineKind } from "./port.ts";
import { type InvokeTool, TOOLS_BOOTSTRAP } from "./tools-bootstrap.ts";

/** The strength of the engine's defenses, in its own words. */
export function defenseLevel(defense: DefenseInDepth): string {
  return defense === false ? "none" : DefenseInDepthBox.getInstance(defense).getStatus().level;
}

const NODE: CustomCommand = { name: "node", load: async () => (await import("./guests/node.ts")).node };

/** The variables are those that a login shell of Debian would show. */
export function buildBash(
  options: EngineKind,
  fs: IFileSystem,
  invokeTool: InvokeTool,
  limiter: PartLimiter,
  nested: boolean,
): Bash {
  const javascript: boolean | JavaScriptConfig =
    options.javascript && options.tools ? { invokeTool, bootstrap: TOOLS_BOOTSTRAP } : options.javascript;
  return new Bash({
    fs,
    // Nothing: where a shell starts is told once it is built.
    cwd: "/",
    env: { HOME: "/home/user", USER: "user", SHELL: "/bin/bash", LANG: "C.UTF-8" },
    python: options.python,
    javascript,
    ...(options.network === null
      ? {}
      : {
          network: {
            allowedUrlPrefixes: [...options.network.allowOnlyUrlPrefixes],
            allowedMethods: [...options.network.allowOnlyMethods] as "GET"[],
          },
        }),
    defenseInDepth: options.defenseInDepth,
    executionLimits: { ...OUT_OF_THE_WAY, ...options.executionLimits },
    customCommands: [
      ...ownCommands(limiter),
      ...(!options.javascript ? [] : nested ? nestedJavaScript() : [NODE]),
    ],
    processInfo: { pid: 2, ppid: 1, uid: 1000, gid: 1000 },
  });
}
