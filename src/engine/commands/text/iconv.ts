import { type Command, defineCommand } from "just-bash";
import { type GnuProgram, parseGnuOptions } from "../gnu-options.ts";
import { readOperands } from "./read-operands.ts";

type Key = "from" | "to" | "omit" | "output" | "silent";

const program: GnuProgram<Key> = {
  name: "iconv",
  options: {
    from: { short: "f", long: "from-code", value: "required" },
    to: { short: "t", long: "to-code", value: "required" },
    omit: { short: "c" },
    output: { short: "o", long: "output", value: "required" },
    silent: { short: "s", long: "silent" },
  },
  compatibleWith: "GNU libc 2.36",
  help: `Usage: iconv [OPTION...] [FILE...]
Convert encoding of given files from one encoding to another.

  -f, --from-code=NAME       encoding of original text
  -t, --to-code=NAME         encoding for output, also with //TRANSLIT and //IGNORE
  -c                         omit invalid characters from output
  -o, --output=FILE          output file
  -s, --silent               suppress warnings
      --help                 display this help and exit
      --version              output version information and exit

Encodings written: UTF-8, ASCII, ISO-8859-1, ISO-8859-15, WINDOWS-1252, UTF-16, UTF-16LE, UTF-16BE.
Encodings read: those and what the WHATWG names.
`,
};

/** `iconv` as the GNU C library has it, for the encodings that data of today is in. */
export const iconv: Command = defineCommand("iconv", async (args, ctx) => {
  const parsed = parseGnuOptions(program, args);
  if (!parsed.ok) return parsed.result;
  const { has, value, operands } = parsed.args;
  const fail = (why: string, stdout = "") => ({
    stdout,
    stdoutKind: "bytes" as const,
    stderr: `iconv: ${why}\n`,
    exitCode: 1,
  });
  const [from = "utf-8"] = (value("from") ?? "utf-8").toLowerCase().split("//");
  const [to = "utf-8", ...how] = (value("to") ?? "utf-8").toLowerCase().split("//");
  const decoder = decoderFor(from);
  if (decoder === null) return fail(`conversion from \`${value("from")}' is not supported`);
  const encode = encoderFor(to);
  if (encode === null) return fail(`conversion to \`${value("to")}' is not supported`);

  const { files, stderr } = await readOperands("iconv", operands, ctx);
  if (stderr !== "") return { stdout: "", stderr, exitCode: 1 };
  const bytes = Buffer.from(files.map((file) => file.bytes).join(""), "latin1");
  const omits = has("omit") || how.includes("ignore");
  let text = decoder(bytes, false);
  const isBad = text.includes("\ufffd") && !bytes.includes(Buffer.from("\ufffd"));
  if (isBad && !omits) text = text.slice(0, text.indexOf("\ufffd"));
  else if (isBad) text = text.replaceAll("\ufffd", "");

  let out = to === "utf-16" ? "\xff\xfe" : "";
  let position = 0;
  for (const character of text) {
    let code = encode(character);
    if (code === null && how.includes("translit"))
      code = [...withoutMarks(character)].map((plain) => encode(plain) ?? "?").join("");
    if (code === null && !omits) return fail(`illegal input sequence at position ${position}`, out);
    out += code ?? "";
    position += Buffer.byteLength(character);
  }
  if (isBad && !omits) return fail(`illegal input sequence at position ${position}`, out);
  const output = value("output");
  // Left out characters are an error that the output has outlived.
  const exitCode = isBad && !how.includes("ignore") ? 1 : 0;
  if (output === undefined || output === "-")
    return { stdout: out, stdoutKind: "bytes", stderr: "", exitCode };
  await ctx.fs.writeFile(ctx.fs.resolvePath(ctx.cwd, output), Buffer.from(out, "latin1"));
  return { stdout: "", stderr: "", exitCode };
});

/** What stands for a character that the encoding lacks: the letter without its marks, or a sign like it. */
function withoutMarks(character: string): string {
  const signs: Readonly<Record<string, string>> = {
    "–": "-",
    "—": "-",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "…": "...",
    "€": "EUR",
    ß: "ss",
    "©": "(C)",
    "®": "(R)",
    æ: "ae",
    Æ: "AE",
    œ: "oe",
    "\u00a0": " ",
    "«": "<<",
    "»": ">>",
  };
  return signs[character] ?? (character.normalize("NFD").replace(/\p{M}/gu, "") || "?");
}

type Decode = (bytes: Uint8Array, fatal: boolean) => string;

function decoderFor(name: string): Decode | null {
  if (/^(us-)?ascii$/.test(name))
    return (bytes) =>
      Buffer.from(bytes)
        .toString("latin1")
        .replace(/[\x80-\xff]/g, "\ufffd");
  // The WHATWG reads Windows's letters under this name.
  if (/^(iso-?8859-?1|latin-?1|l1)$/.test(name)) return (bytes) => Buffer.from(bytes).toString("latin1");
  const label = name
    .replace(/^utf(8|16)/, "utf-$1")
    .replace(/^cp(125\d)$/, "windows-$1")
    .replace(/^utf-16le$/, "utf-16le");
  try {
    const decoder = new TextDecoder(label, { ignoreBOM: !label.startsWith("utf-16") });
    return (bytes) => decoder.decode(bytes);
  } catch {
    return null; // no such encoding
  }
}

type Encode = (character: string) => string | null;

function encoderFor(name: string): Encode | null {
  if (/^utf-?8$/.test(name)) return (character) => Buffer.from(character).toString("latin1");
  if (/^utf-?16(le)?$/.test(name)) return (character) => Buffer.from(character, "utf16le").toString("latin1");
  if (/^utf-?16be$/.test(name))
    return (character) => Buffer.from(character, "utf16le").swap16().toString("latin1");
  if (/^(us-)?ascii$/.test(name)) return upTo(0x80);
  if (/^(iso-?8859-?1|latin-?1|l1)$/.test(name)) return upTo(0x100);
  const label = name.replace(/^cp(125\d)$/, "windows-$1");
  if (!/^(windows-125\d|iso-?8859-?\d+|koi8-r)$/.test(label)) return null;
  try {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
    const table = [...new TextDecoder(label.replace(/^iso8859/, "iso-8859")).decode(bytes)];
    return (character) => {
      const code = table.indexOf(character);
      return code === -1 ? null : String.fromCharCode(code);
    };
  } catch {
    return null; // no such encoding
  }
}

function upTo(limit: number): Encode {
  return (character) => ((character.codePointAt(0) ?? limit) < limit ? character : null);
}
