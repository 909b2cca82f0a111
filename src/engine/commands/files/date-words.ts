/** Words and numbers of a date as GNU `date -d` reads them. */
import type { TimeZone } from "./time-zone.ts";

export type DateUnit = "year" | "month" | "day" | "hour" | "minute" | "second";

/** One token. `digits` counts what was written, so that `2024` is a year and `24` an hour. */
export type DateToken =
  | { readonly is: "number"; readonly signed: boolean; readonly value: number; readonly digits: number }
  | { readonly is: "decimal"; readonly signed: boolean; readonly value: number; readonly nanoseconds: number }
  | {
      readonly is: "month" | "day" | "ordinal" | "shift" | "ago" | "zone" | "summerZone";
      readonly value: number;
    }
  | { readonly is: "localZone"; readonly isSummer: boolean | undefined }
  | { readonly is: "meridian"; readonly isAfternoon: boolean }
  | { readonly is: "unit"; readonly unit: DateUnit; readonly value: number }
  | { readonly is: "dst" | "T" | "/" | ":" | "," | "@" | "unknown" };

const MONTHS = "JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER".split(
  " ",
);
const DAYS = "SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY".split(" ");
const OTHER_DAYS: Readonly<Record<string, number>> = { TUES: 2, WEDNES: 3, THUR: 4, THURS: 4 };
const UNITS: Readonly<Record<string, readonly [DateUnit, number]>> = {
  YEAR: ["year", 1],
  MONTH: ["month", 1],
  FORTNIGHT: ["day", 14],
  WEEK: ["day", 7],
  DAY: ["day", 1],
  HOUR: ["hour", 1],
  MINUTE: ["minute", 1],
  MIN: ["minute", 1],
  SECOND: ["second", 1],
  SEC: ["second", 1],
};
const SHIFTS: Readonly<Record<string, number>> = { TOMORROW: 1, YESTERDAY: -1, TODAY: 0, NOW: 0 };
const ORDINALS: Readonly<Record<string, number>> = {
  LAST: -1,
  THIS: 0,
  NEXT: 1,
  FIRST: 1,
  THIRD: 3,
  FOURTH: 4,
  FIFTH: 5,
  SIXTH: 6,
  SEVENTH: 7,
  EIGHTH: 8,
  NINTH: 9,
  TENTH: 10,
  ELEVENTH: 11,
  TWELFTH: 12,
};
/** Names of zones → hours east of Greenwich. */
const ZONES: Readonly<Record<string, number>> = {
  ...{ WET: 0, ART: -3, BRT: -3, NST: -3.5, AST: -4, CLT: -4, EST: -5, CST: -6, MST: -7, PST: -8, AKST: -9 },
  ...{
    HST: -10,
    HAST: -10,
    SST: -12,
    WAT: 1,
    CET: 1,
    MET: 1,
    MEZ: 1,
    EET: 2,
    CAT: 2,
    SAST: 2,
    EAT: 3,
    MSK: 3,
  },
  ...{ IST: 5.5, SGT: 8, KST: 9, JST: 9, GST: 10, NZST: 12 },
};
const SUMMER_ZONES: Readonly<Record<string, number>> = {
  ...{
    WEST: 0,
    BST: 0,
    BRST: -3,
    NDT: -3.5,
    ADT: -4,
    CLST: -4,
    EDT: -5,
    CDT: -6,
    MDT: -7,
    PDT: -8,
    AKDT: -9,
  },
  ...{ HADT: -10, CEST: 1, MEST: 1, MESZ: 1, EEST: 2, MSD: 3, NZDT: 12 },
};
const UNIVERSAL = ["GMT", "UT", "UTC"];
/** One letter → hours east of Greenwich. */
const MILITARY = "ZNOPQRSTUVWXY";

/** The tokens of a date; `null` for a character that has no place in one. */
export function dateTokens(text: string, zone: TimeZone, nowSeconds: number): DateToken[] {
  const tokens: DateToken[] = [];
  const pattern = /\s+|([+-][\s+-]*)?(\d+)(?:[.,](\d+))?|([A-Za-z][A-Za-z.]*)|\([^()]*\)|[-+]|([\s\S])/g;
  for (const [whole, sign, digits, decimals, word, other] of text.matchAll(pattern)) {
    if (digits !== undefined) {
      const isNegative = sign !== undefined && /[+-](?=[^+-]*$)/.exec(sign)?.[0] === "-";
      const value = isNegative ? 0 - Number(digits) : Number(digits);
      const signed = sign !== undefined;
      if (decimals === undefined) tokens.push({ is: "number", signed, value, digits: digits.length });
      else {
        const fraction = Number(decimals.slice(0, 9).padEnd(9, "0"));
        const nanoseconds = isNegative ? 0 - fraction : fraction;
        tokens.push({ is: "decimal", signed, value, nanoseconds });
      }
    } else if (word !== undefined) tokens.push(wordToken(word.toUpperCase(), zone, nowSeconds));
    else if (other !== undefined) {
      tokens.push({
        is: other === "/" || other === ":" || other === "," || other === "@" ? other : "unknown",
      });
    } else if (whole === "") break;
  }
  return tokens;
}

function wordToken(word: string, zone: TimeZone, nowSeconds: number): DateToken {
  if (/^[AP](M|\.M\.)$/.test(word)) return { is: "meridian", isAfternoon: word.startsWith("P") };
  const isShort = word.length === 3 || (word.length === 4 && word.endsWith("."));
  const named = (name: string): boolean =>
    name === word || (isShort && name.slice(0, 3) === word.slice(0, 3));
  const month = MONTHS.findIndex(named);
  if (month >= 0 || word === "SEPT") return { is: "month", value: month < 0 ? 9 : month + 1 };
  const day = OTHER_DAYS[word] ?? DAYS.findIndex(named);
  if (day >= 0) return { is: "day", value: day };
  const ofZone = zoneToken(word, zone, nowSeconds);
  if (ofZone !== null) return ofZone;
  if (word === "DST") return { is: "dst" };
  const unit = UNITS[word] ?? UNITS[word.replace(/S$/, "")];
  if (unit !== undefined) return { is: "unit", unit: unit[0], value: unit[1] };
  const shift = SHIFTS[word];
  if (shift !== undefined) return { is: "shift", value: shift };
  const ordinal = ORDINALS[word];
  if (ordinal !== undefined) return { is: "ordinal", value: ordinal };
  if (word === "AGO" || word === "HENCE") return { is: "ago", value: word === "AGO" ? -1 : 1 };
  if (word.length === 1) return militaryZone(word);
  return (
    (word.includes(".") ? zoneToken(word.replaceAll(".", ""), zone, nowSeconds) : null) ?? { is: "unknown" }
  );
}

function zoneToken(word: string, zone: TimeZone, nowSeconds: number): DateToken | null {
  if (UNIVERSAL.includes(word)) return { is: "zone", value: 0 };
  // A name of this place means this place's clock, the other half of the year too.
  const seasons = [0, 91, 182, 273].map((days) => zone.at(nowSeconds + days * 86_400));
  const local = seasons.filter(({ name }) => name.toUpperCase() === word);
  if (local.length > 0) {
    const isSummer = local[0]?.isSummer === true;
    return {
      is: "localZone",
      isSummer: local.every((one) => one.isSummer === isSummer) ? isSummer : undefined,
    };
  }
  const winter = ZONES[word];
  if (winter !== undefined) return { is: "zone", value: winter * 3600 };
  const summer = SUMMER_ZONES[word];
  return summer === undefined ? null : { is: "summerZone", value: summer * 3600 };
}

function militaryZone(letter: string): DateToken {
  if (letter === "T") return { is: "T" };
  if (letter === "J") return { is: "unknown" };
  const east = "ABCDEFGHIKLM".indexOf(letter);
  return { is: "zone", value: (east >= 0 ? east + 1 : -MILITARY.indexOf(letter)) * 3600 };
}
