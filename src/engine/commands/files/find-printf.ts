/** `find -printf` and `-ls`. */

import type { Visit } from "./find-visit.ts";
import { formatTime, instantOfDate } from "./format-time.ts";
import { kindLetter, type Look, lookIfThere, modeText, OWNER } from "./look.ts";
import { unescapeFormat } from "./stat.ts";
import type { TimeZone } from "./time-zone.ts";

const PART = /\\(?:[0-7]{1,3}|[\s\S])|%([-+ #0]*)(\d*)(?:\.(\d+))?([ABCT].|[\s\S])/g;
const FRACTION = "%N0";

/** What a format prints for one entry. `\c` ends it. */
export async function formatted(format: string, visit: Visit): Promise<string> {
  const entry = await visit.look();
  const parts: string[] = [];
  let end = 0;
  for (const match of format.matchAll(PART)) {
    const [whole, flags = "", width = "", precision, directive] = match;
    parts.push(format.slice(end, match.index));
    end = match.index + whole.length;
    if (directive === undefined) {
      if (whole === "\\c") return parts.join("");
      parts.push(unescapeFormat(whole));
      continue;
    }
    const value = directive === "%" ? "%" : await partOf(directive, visit, entry);
    if (value === null) {
      parts.push(whole);
      continue;
    }
    const cut = precision === undefined ? value : value.slice(0, Number(precision));
    const filler = flags.includes("0") && !flags.includes("-") ? "0" : " ";
    const shown = flags.includes("#") && directive === "m" ? `0${cut}` : cut;
    parts.push(flags.includes("-") ? shown.padEnd(Number(width)) : shown.padStart(Number(width), filler));
  }
  parts.push(format.slice(end));
  return parts.join("");
}

async function partOf(directive: string, visit: Visit, entry: Look): Promise<string | null> {
  const { shown, start, call } = visit;
  const { fs } = call.ctx;
  const [letter = "", time] = directive;
  switch (letter) {
    case "a":
      return plainTime(entry.atime, call.zone);
    case "A":
      return time === undefined ? null : partOfTime(entry.atime, time, call.zone);
    case "b":
      return String(entry.blocks);
    case "B":
    case "T":
      return time === undefined ? null : partOfTime(entry.mtime, time, call.zone);
    case "c":
      return plainTime(entry.ctime, call.zone);
    case "C":
      return time === undefined ? null : partOfTime(entry.ctime, time, call.zone);
    case "d":
      return String(visit.depth);
    case "D":
      return String(entry.dev);
    case "f":
      return visit.name;
    case "F":
      return "ext4";
    case "g":
    case "u":
      return OWNER.name;
    case "G":
    case "U":
      return String(OWNER.id);
    case "h": {
      const bare = shown.replace(/(?<=.)\/+$/, "");
      return bare.includes("/") ? bare.slice(0, bare.lastIndexOf("/")) : ".";
    }
    case "H":
      return start;
    case "i":
      return String(entry.ino);
    case "k":
      return String(Math.ceil(entry.blocks / 2));
    case "l":
      return entry.isSymbolicLink ? fs.readlink(visit.path) : "";
    case "m":
      return entry.mode.toString(8);
    case "M":
      return modeText(entry);
    case "n":
      return String(entry.nlink);
    case "p":
      return shown;
    case "P":
      return shown.slice(start.length).replace(/^\//, "");
    case "s":
      return String(entry.size);
    case "S":
      return entry.size === 0 ? "1" : String((entry.blocks * 512) / entry.size);
    case "t":
      return plainTime(entry.mtime, call.zone);
    case "y":
      return typeLetter(entry);
    case "Y": {
      if (!entry.isSymbolicLink) return typeLetter(entry);
      const end = await lookIfThere(fs, visit.path, true);
      return end === null ? "N" : typeLetter(end);
    }
    case "Z":
      return "";
    default:
      return null;
  }
}

/** As `-type` and `%y` name it. */
export function typeLetter(entry: Look): string {
  const letter = kindLetter(entry);
  return letter === "-" ? "f" : letter;
}

function plainTime(time: Date, zone: TimeZone): string {
  return formatTime(`%a %b %e %H:%M:%S.${FRACTION} %Y`, instantOfDate(time), zone);
}

function partOfTime(time: Date, part: string, zone: TimeZone): string {
  const formats: Readonly<Record<string, string>> = {
    "@": `%s.${FRACTION}`,
    "+": `%Y-%m-%d+%H:%M:%S.${FRACTION}`,
    S: `%S.${FRACTION}`,
    T: `%H:%M:%S.${FRACTION}`,
    X: `%H:%M:%S.${FRACTION}`,
    r: `%I:%M:%S.${FRACTION} %p`,
    c: `%a %b %e %H:%M:%S.${FRACTION} %Y`,
  };
  return formatTime(formats[part] ?? `%${part}`, instantOfDate(time), zone);
}

const HALF_A_YEAR_SECONDS = 15_778_476;

/** The line of `-ls`. */
export async function lsLine(visit: Visit): Promise<string> {
  const entry = await visit.look();
  const { call } = visit;
  const time = instantOfDate(entry.mtime);
  const isRecent = time.seconds <= call.now.seconds && time.seconds > call.now.seconds - HALF_A_YEAR_SECONDS;
  const target = entry.isSymbolicLink ? ` -> ${await call.ctx.fs.readlink(visit.path)}` : "";
  return [
    String(entry.ino).padStart(9),
    String(Math.ceil(entry.blocks / 2)).padStart(6),
    modeText(entry),
    String(entry.nlink).padStart(3),
    OWNER.name.padEnd(8),
    OWNER.name.padEnd(8),
    String(entry.size).padStart(8),
    formatTime(isRecent ? "%b %e %H:%M" : "%b %e  %Y", time, call.zone),
    visit.shown.replaceAll("\\", "\\\\").replaceAll(" ", "\\ ") + target,
  ].join(" ");
}
