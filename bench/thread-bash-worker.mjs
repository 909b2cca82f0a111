/** The thread of `thread-bash.ts`: a script comes, its result goes back. */
import { parentPort } from "node:worker_threads";
import { Bash } from "just-bash";

const bash = new Bash();
parentPort.on("message", async (script) => parentPort.postMessage(await bash.exec(script)));
