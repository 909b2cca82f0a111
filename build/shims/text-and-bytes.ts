/** What the engine's changed text calls for text and bytes (`build/engine-faults/bytes.ts`). */
export {
  bytesToText,
  characterAt,
  delimiterByte,
  substitutionText,
  textToBytes,
  variableText,
} from "../../src/engine/byte-text.ts";
export { ansiQuoted, beforeNul, echoEscapes } from "../../src/engine/escapes.ts";
export { formatPrintf } from "../../src/engine/shell-printf.ts";
export { dollarQuoted, needsDollarQuotes, singleQuoted } from "../../src/engine/shell-quote.ts";
export { fileSystemWithStdin, isStdinPath } from "../../src/engine/stdin-paths.ts";
export { escapeStrayBytes, unescapeStrayBytes } from "../../src/workspace/stray-bytes.ts";
