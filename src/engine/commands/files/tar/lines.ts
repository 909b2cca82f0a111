/** What `tar -t` and `-v` print of a member. */
import { formatTime } from "../format-time.ts";
import { permissionText } from "../look.ts";
import type { TimeZone } from "../time-zone.ts";
import type { Member } from "./archive.ts";

const LETTERS = { file: "-", directory: "d", "symbolic link": "l", "hard link": "h", other: "p" } as const;

/** Lines of the long form; the column of sizes grows as it has to, as GNU's does. */
export class MemberLines {
  #width = 19;
  readonly #zone: TimeZone;
  readonly #isNumeric: boolean;
  readonly #isFull: boolean;

  constructor(zone: TimeZone, isNumeric: boolean, isFull: boolean) {
    this.#zone = zone;
    this.#isNumeric = isNumeric;
    this.#isFull = isFull;
  }

  long(member: Member, name: string): string {
    const { kind, mode, mtime, uid, gid, user, group, target, content } = member;
    const owner = this.#isNumeric ? `${uid}/${gid}` : `${user || uid}/${group || gid}`;
    const size = String(content.length);
    const needed = owner.length + 1 + size.length;
    this.#width = Math.max(this.#width, needed);
    const seconds = Math.floor(mtime);
    const time = formatTime(
      this.#isFull ? "%Y-%m-%d %H:%M:%S" : "%Y-%m-%d %H:%M",
      { seconds, nanoseconds: 0 },
      this.#zone,
    );
    const link =
      kind === "symbolic link"
        ? ` -> ${shownName(target)}`
        : kind === "hard link"
          ? ` link to ${shownName(target)}`
          : "";
    const sizes = size.padStart(this.#width - owner.length - 1);
    return `${LETTERS[kind]}${permissionText(mode)} ${owner} ${sizes} ${time} ${shownName(name)}${link}\n`;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\" };

/** Names are shown with escapes: a line feed in one is `\n`. */
export function shownName(name: string): string {
  return name.replace(/[\p{Cc}\\\udc80-\udcff]/gu, (char) => {
    return ESCAPES[char] ?? `\\${(char.charCodeAt(0) & 0xff).toString(8).padStart(3, "0")}`;
  });
}
