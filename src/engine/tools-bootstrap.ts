/**
 * The `tools` object of `js-exec`. The engine's own answers each call before the script goes on, so that
 * `Promise.all` over tools runs one after the other. This one collects the calls of a turn of the script's
 * microtask queue and asks for all of them at once: they run concurrently in the host, with one crossing.
 */

/** Path of a call that carries several; no tool can have it, since a name has no empty part. */
const BATCH = "..batch";

/** Runs in QuickJS before the script. The engine's later assignment to `tools` does not get through. */
export const TOOLS_BOOTSTRAP = `(() => {
  const invoke = globalThis.__invokeTool;
  const { stringify, parse } = JSON;
  const read = (json) => (json === undefined || json === "" ? undefined : parse(json));
  let waiting = [];
  const flush = () => {
    const calls = waiting;
    waiting = [];
    if (calls.length === 1) {
      const [call] = calls;
      try { call.resolve(read(invoke(call.path, call.args))); } catch (error) { call.reject(error); }
      return;
    }
    let answers;
    try {
      answers = parse(invoke(${JSON.stringify(BATCH)}, stringify(calls.map(({ path, args }) => [path, args]))));
    } catch (error) {
      for (const call of calls) call.reject(error);
      return;
    }
    calls.forEach((call, index) => {
      const answer = answers[index];
      if ("error" in answer) call.reject(new Error(answer.error));
      else call.resolve(read(answer.json));
    });
  };
  const at = (path) => new Proxy(function () {}, {
    get: (_, name) => (name === "then" || typeof name === "symbol" ? undefined : at([...path, String(name)])),
    apply: (_, __, args) => {
      if (path.length === 0) throw new Error("tools is not a tool: call tools.<name>(input)");
      const json = args.length > 0 ? stringify(args[0]) : "";
      return new Promise((resolve, reject) => {
        if (waiting.push({ path: path.join("."), args: json ?? "", resolve, reject }) === 1) Promise.resolve().then(flush);
      });
    },
  });
  Object.defineProperty(globalThis, "tools", { value: at([]) });
})();`;

/** Asks one tool of the host. */
export type InvokeTool = (path: string, argsJson: string) => Promise<string>;

/** Takes single calls and batches apart again. */
export async function invokeBatched(invoke: InvokeTool, path: string, argsJson: string): Promise<string> {
  if (path !== BATCH) return invoke(path, argsJson);
  const calls = JSON.parse(argsJson) as [string, string][];
  const answers = await Promise.all(
    calls.map(([name, args]) =>
      invoke(name, args).then(
        (json) => ({ json }),
        (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
      ),
    ),
  );
  return JSON.stringify(answers);
}
