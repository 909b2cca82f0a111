import { type Command, defineCommand, encodeUtf8ToBytes, latin1FromBytes } from "just-bash";
import { answer } from "./answer.ts";

/** The reader behind a pipe starts when `yes` has ended, so that it has to end somewhere. */
const MAX_BYTES = 1 << 20;
/** As if the reader had closed the pipe (128 + SIGPIPE), which is how `yes` ends everywhere. */
const BROKEN_PIPE = 141;

/** `yes`, of which one mebibyte comes. */
export const yes: Command = defineCommand("yes", async (args) => {
  if (args[0] === "--help")
    return answer(`Usage: yes [STRING]...\nPrint STRING, or 'y', again and again; here for 1 MiB.\n`);
  if (args[0] === "--version") return answer("yes (compatible with GNU coreutils 9.1)\n");
  const words = args[0] === "--" ? args.slice(1) : args;
  const line = latin1FromBytes(encodeUtf8ToBytes(`${words.length === 0 ? "y" : words.join(" ")}\n`));
  return {
    stdout: line.repeat(Math.max(1, Math.floor(MAX_BYTES / line.length))),
    stdoutKind: "bytes",
    stderr: "",
    exitCode: BROKEN_PIPE,
  };
});
