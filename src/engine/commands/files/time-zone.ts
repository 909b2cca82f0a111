/** Time zones as the variable `TZ` names them: offsets and the short names that the zone data of Linux gives. */

/** Seconds east of UTC, and what `%Z` shows. */
export interface ZoneTime {
  readonly offsetSeconds: number;
  readonly name: string;
  readonly isSummer: boolean;
}

/** One zone. */
export interface TimeZone {
  /** What holds at an instant, in seconds since 1970. */
  at(epochSeconds: number): ZoneTime;
}

const fixed = (offsetSeconds: number, name: string): TimeZone => {
  const zone = { offsetSeconds, name, isSummer: false };
  return { at: () => zone };
};

/** UTC. */
export const utc: TimeZone = fixed(0, "UTC");

const zones = new Map<string, TimeZone>();

/** The zone of a value of `TZ`; what names none is UTC under that name, as in the C library. */
export function timeZone(text: string | undefined): TimeZone {
  const name = text?.replace(/^:/, "") ?? "";
  if (name === "" || name === "UTC") return utc;
  const known =
    zones.get(name) ?? namedZone(name) ?? ruleZone(name) ?? fixed(0, name.replace(/[^A-Za-z].*$/s, ""));
  zones.set(name, known);
  return known;
}

/** The instant, in seconds since 1970, of a wall clock, or null where the clock jumps over it. */
export function instantOf(zone: TimeZone, wallSeconds: number): number | null {
  // Before and after each jump one of these is right; of two, the earlier one: summer time.
  const offsets = [zone.at(wallSeconds - 86_400), zone.at(wallSeconds + 86_400)].map(
    (one) => one.offsetSeconds,
  );
  const found = offsets
    .map((offset) => wallSeconds - offset)
    .filter((instant) => instant + zone.at(instant).offsetSeconds === wallSeconds);
  return found.length === 0 ? null : Math.min(...found);
}

/** As `instantOf`; inside a jump the time that would have come. */
export function nearestInstant(zone: TimeZone, wallSeconds: number): number {
  return instantOf(zone, wallSeconds) ?? wallSeconds - zone.at(wallSeconds - 86_400).offsetSeconds;
}

function namedZone(name: string): TimeZone | null {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name) || /^[A-Za-z]{3,}[+-]?\d+$/.test(name)) return null;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      era: "short",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return null; // no zone of this name
  }
  const offsets = new Map<number, number>();
  const offsetAt = (epochSeconds: number): number => {
    // Zones change at whole quarters of an hour.
    const quarter = Math.floor(epochSeconds / 900);
    const known = offsets.get(quarter);
    if (known !== undefined) return known;
    const instant = quarter * 900;
    const parts = new Map(format.formatToParts(instant * 1000).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
    const year = parts.get("era") === "BC" ? 1 - part("year") : part("year");
    const wall = Date.UTC(2000, part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
    const offset = new Date(wall).setUTCFullYear(year, part("month") - 1, part("day")) / 1000 - instant;
    if (offsets.size > 10_000) offsets.clear();
    offsets.set(quarter, offset);
    return offset;
  };
  const standardOf = (epochSeconds: number): number => {
    const year = new Date(epochSeconds * 1000).getUTCFullYear();
    return Math.min(offsetAt(Date.UTC(year, 0, 15) / 1000), offsetAt(Date.UTC(year, 6, 15) / 1000));
  };
  return {
    at(epochSeconds) {
      const offsetSeconds = offsetAt(epochSeconds);
      const standard = standardOf(epochSeconds);
      const isSummer = offsetSeconds !== standard && name !== "Europe/Dublin";
      return { offsetSeconds, name: shortName(name, standard, offsetSeconds), isSummer };
    },
  };
}

/** `EST5`, `JST-9`, `<+03>-3`: hours west of Greenwich. Rules of summer time are those of the United States. */
function ruleZone(text: string): TimeZone | null {
  const match = /^([A-Za-z]{3,}|<[^>]+>)([+-]?)(\d{1,2})(?::(\d\d))?(?::(\d\d))?([A-Za-z]{3,})?/.exec(text);
  if (match === null) return null;
  const [, name = "", sign, hours, minutes = "0", seconds = "0", summer] = match;
  const west = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  const standard = sign === "-" ? west : 0 - west;
  const shown = name.replace(/[<>]/g, "");
  if (summer === undefined) return fixed(standard, shown);
  const eastern = namedZone("America/New_York");
  return {
    at(epochSeconds) {
      const shifted = epochSeconds + standard + 5 * 3600;
      const isSummer = eastern?.at(shifted).isSummer === true;
      return { offsetSeconds: standard + (isSummer ? 3600 : 0), name: isSummer ? summer : shown, isSummer };
    },
  };
}

/** Zone or region → names of standard and summer time. What is not here has its offset for a name. */
const NAMES: readonly (readonly [RegExp, Readonly<Record<number, readonly [string, string]>>])[] = [
  [/^(Etc\/)?(UTC|UCT|Universal|Zulu)$/, { 0: ["UTC", "UTC"] }],
  [/^(Etc\/)?(GMT|Greenwich|GMT0|GMT[+-]0)$/, { 0: ["GMT", "GMT"] }],
  [/^(Europe\/(London|Belfast|Jersey|Guernsey|Isle_of_Man)|GB|GB-Eire)$/, { 0: ["GMT", "BST"] }],
  [/^(Europe\/Dublin|Eire)$/, { 0: ["GMT", "IST"] }],
  [/^Europe\/(Istanbul|Minsk|Samara|Saratov|Ulyanovsk|Astrakhan)|^Turkey$/, {}],
  [
    /^(Europe\/|Arctic\/|Atlantic\/(Canary|Faroe|Madeira)|CET|EET|WET|MET|Poland|Portugal|W-SU|Africa\/(Cairo|Tripoli|Ceuta|Algiers|Tunis)|Egypt|Asia\/(Nicosia|Beirut|Famagusta|Gaza|Hebron))/,
    { 0: ["WET", "WEST"], 3600: ["CET", "CEST"], 7200: ["EET", "EEST"], 10800: ["MSK", "MSD"] },
  ],
  [
    /^America\/(Sao_Paulo|Argentina|Buenos_Aires|Bogota|Lima|Caracas|Santiago|La_Paz|Montevideo|Asuncion|Manaus|Bahia|Fortaleza|Recife|Guyana|Cayenne|Paramaribo|Guayaquil|Nuuk|Godthab|Noronha|Punta_Arenas|Scoresbysund|Miquelon|Belem|Cuiaba|Campo_Grande|Porto_Velho|Rio_Branco|Araguaina|Maceio|Boa_Vista)/,
    {},
  ],
  [
    /^(America|US|Canada|Mexico|Cuba|Jamaica|Navajo|Atlantic\/Bermuda|Pacific\/Honolulu|EST|MST|HST|[ECMP]ST\d[ECMP]DT)/,
    {
      [-12600]: ["NST", "NDT"],
      [-14400]: ["AST", "ADT"],
      [-18000]: ["EST", "EDT"],
      [-21600]: ["CST", "CDT"],
      [-25200]: ["MST", "MDT"],
      [-28800]: ["PST", "PDT"],
      [-32400]: ["AKST", "AKDT"],
      [-36000]: ["HST", "HDT"],
    },
  ],
  [/^(Asia\/Tokyo|Japan)$/, { 32400: ["JST", "JDT"] }],
  [/^(Asia\/(Seoul|Pyongyang)|ROK)$/, { 32400: ["KST", "KDT"] }],
  [/^(Asia\/(Shanghai|Chongqing|Chungking|Harbin|Taipei|Macau|Macao)|PRC|ROC)$/, { 28800: ["CST", "CDT"] }],
  [/^(Asia\/Hong_Kong|Hongkong)$/, { 28800: ["HKT", "HKST"] }],
  [/^Asia\/(Kolkata|Calcutta)$/, { 19800: ["IST", "IST"] }],
  [/^Asia\/Karachi$/, { 18000: ["PKT", "PKST"] }],
  [/^Asia\/Manila$/, { 28800: ["PST", "PDT"] }],
  [/^Asia\/(Jakarta|Pontianak)$/, { 25200: ["WIB", "WIB"] }],
  [/^Asia\/(Makassar|Ujung_Pandang)$/, { 28800: ["WITA", "WITA"] }],
  [/^Asia\/Jayapura$/, { 32400: ["WIT", "WIT"] }],
  [/^(Asia\/(Jerusalem|Tel_Aviv)|Israel)$/, { 7200: ["IST", "IDT"] }],
  [/^Australia\//, { 28800: ["AWST", "AWDT"], 34200: ["ACST", "ACDT"], 36000: ["AEST", "AEDT"] }],
  [/^(Pacific\/Auckland|NZ|Antarctica\/McMurdo)$/, { 43200: ["NZST", "NZDT"] }],
  [/^Pacific\/(Guam|Saipan)$/, { 36000: ["ChST", "ChST"] }],
  [/^Pacific\/(Pago_Pago|Midway|Samoa)$/, { [-39600]: ["SST", "SST"] }],
  [/^Africa\/(Johannesburg|Maseru|Mbabane)$/, { 7200: ["SAST", "SAST"] }],
  [
    /^Africa\/(Abidjan|Accra|Bamako|Banjul|Bissau|Conakry|Dakar|Freetown|Lome|Monrovia|Nouakchott|Ouagadougou)$/,
    { 0: ["GMT", "GMT"] },
  ],
  [
    /^Africa\/(Lagos|Bangui|Brazzaville|Douala|Kinshasa|Libreville|Luanda|Malabo|Ndjamena|Niamey|Porto-Novo)$/,
    { 3600: ["WAT", "WAT"] },
  ],
  [
    /^Africa\/(Maputo|Blantyre|Bujumbura|Gaborone|Harare|Kigali|Lubumbashi|Lusaka|Juba|Khartoum|Windhoek)$/,
    { 7200: ["CAT", "CAT"] },
  ],
  [
    /^(Africa\/(Nairobi|Addis_Ababa|Asmara|Dar_es_Salaam|Djibouti|Kampala|Mogadishu)|Indian\/(Antananarivo|Comoro|Mayotte))$/,
    { 10800: ["EAT", "EAT"] },
  ],
];

function shortName(zone: string, standard: number, offset: number): string {
  const [, names] = NAMES.find(([pattern]) => pattern.test(zone)) ?? [];
  const pair = names?.[standard];
  if (pair !== undefined) return offset === standard ? pair[0] : pair[1];
  const minutes = Math.abs(offset) / 60;
  const hours = `${offset < 0 ? "-" : "+"}${String(Math.floor(minutes / 60)).padStart(2, "0")}`;
  return minutes % 60 === 0 ? hours : `${hours}${String(minutes % 60).padStart(2, "0")}`;
}
