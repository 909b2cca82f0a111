/** Names that are one component of a path on every system, and ids made of them. */
import { randomBytes } from "node:crypto";

/** Longest name of a session or of a persistent directory, in characters. */
const MAX_NAME_LENGTH = 100;

/** Longest name of an artifact, in bytes: leaves room for a number within the 255 of most systems. */
const MAX_ARTIFACT_BYTES = 200;

const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Said after «must be» or «expected». */
export const SAFE_NAME_RULE = `1 to ${MAX_NAME_LENGTH} letters (a-z, A-Z), digits, ".", "_" or "-", beginning with a letter or digit and not ending in "."`;

/** Whether a name is one component of a path, the same on every system, and no device of Windows. */
export function isSafeName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name.length <= MAX_NAME_LENGTH &&
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) &&
    !name.endsWith(".") &&
    !DEVICE.test(name)
  );
}

/** A new id; ids sort by the time at which they were made, to the millisecond. */
export function newId(prefix: string): string {
  const digits = new Date().toISOString().replace(/\D/g, "");
  return `${prefix}-${digits.slice(0, 8)}-${digits.slice(8)}-${randomBytes(4).toString("hex")}`;
}

/**
 * Any text → a name for a file: its last component, with `_` for all but letters, digits, `.`, `_`, `-` and blanks,
 * never hidden, never like an option, cut on a character border.
 */
export function toArtifactName(text: string): string {
  const last = text.replaceAll("\\", "/").split("/").at(-1) ?? "";
  const clean = last
    .normalize("NFC")
    .replace(/[^\p{L}\p{M}\p{N}._ -]/gu, "_")
    .replace(/^[. ]+|[. ]+$/g, "")
    .replace(/^-/, "_");
  const name = cutName(clean);
  if (name === "") return "artifact";
  return DEVICE.test(name) ? `_${name}` : name;
}

/** The name with a number, or other letters and digits, before its extension. */
export function numberedName(name: string, number: number | string): string {
  const { stem, extension } = splitName(name);
  return `${stem}-${number}${extension}`;
}

function cutName(name: string): string {
  const { stem, extension } = splitName(name);
  const room = MAX_ARTIFACT_BYTES - Buffer.byteLength(extension);
  let kept = "";
  let bytes = 0;
  for (const character of stem) {
    bytes += Buffer.byteLength(character);
    if (bytes > room) break;
    kept += character;
  }
  return kept + extension;
}

/** An extension is short; a long one is part of the name. */
function splitName(name: string): { stem: string; extension: string } {
  const dot = name.lastIndexOf(".");
  if (dot <= 0 || name.length - dot > 20) return { stem: name, extension: "" };
  return { stem: name.slice(0, dot), extension: name.slice(dot) };
}
