/**
 * Dates as GNU `date -d` takes them: its grammar (gnulib's `parse_datetime`) by hand, with the same choice wherever
 * that grammar leaves one: `10:20 +3 hours` is the zone `+3` and one hour. Longer than most files: one grammar.
 */
import { type DateToken, type DateUnit, dateTokens } from "./date-words.ts";
import type { Instant } from "./format-time.ts";
import { instantOf, nearestInstant, type TimeZone, timeZone } from "./time-zone.ts";

class NoDate extends Error {}

type NumberToken = Extract<DateToken, { is: "number" }>;

/** The instant that a text names, or null. `now` fills what it leaves open. */
export function parseDate(text: string, now: Instant, zone: TimeZone): Instant | null {
  const [, ownZone, rest = text] = /^\s*TZ="((?:[^"\\]|\\.)*)"([\s\S]*)$/.exec(text) ?? [];
  const used = ownZone === undefined ? zone : timeZone(ownZone.replace(/\\(.)/g, "$1"));
  try {
    return new DateReader(dateTokens(rest, used, now.seconds), now, used).read();
  } catch (error) {
    if (error instanceof NoDate) return null;
    throw error;
  }
}

class DateReader {
  readonly #tokens: readonly DateToken[];
  readonly #zone: TimeZone;
  #at = 0;
  readonly #seen = { times: 0, dates: 0, days: 0, zones: 0, localZones: 0, relative: false };
  #year: { value: number; digits: number };
  #month: number;
  #day: number;
  #hour: number;
  #minute: number;
  #second: number;
  #nanoseconds: number;
  #meridian: boolean | undefined;
  #weekday = { ordinal: 0, number: 0 };
  #zoneSeconds = 0;
  #isSummer: boolean | undefined;
  readonly #relative = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0, nanoseconds: 0 };

  constructor(tokens: readonly DateToken[], now: Instant, zone: TimeZone) {
    this.#tokens = tokens;
    this.#zone = zone;
    const wall = new Date((now.seconds + zone.at(now.seconds).offsetSeconds) * 1000);
    this.#year = { value: wall.getUTCFullYear(), digits: 0 };
    this.#month = wall.getUTCMonth() + 1;
    this.#day = wall.getUTCDate();
    this.#hour = wall.getUTCHours();
    this.#minute = wall.getUTCMinutes();
    this.#second = wall.getUTCSeconds();
    this.#nanoseconds = now.nanoseconds;
  }

  read(): Instant {
    if (this.#peek()?.is === "@") return this.#epoch();
    while (this.#at < this.#tokens.length) this.#item();
    return this.#result();
  }

  #epoch(): Instant {
    this.#at++;
    const token = this.#next();
    if (this.#at < this.#tokens.length) throw new NoDate();
    if (token?.is === "number") return { seconds: token.value, nanoseconds: 0 };
    if (token?.is !== "decimal") throw new NoDate();
    const { value, nanoseconds } = token;
    return nanoseconds < 0
      ? { seconds: value - 1, nanoseconds: nanoseconds + 1e9 }
      : { seconds: value, nanoseconds };
  }

  #item(): void {
    const token = this.#next();
    switch (token?.is) {
      case "number":
        if (token.signed) this.#relativeUnit(token.value);
        else this.#startingWithNumber(token);
        return;
      case "decimal":
        this.#decimalSeconds(token.value, token.nanoseconds);
        return;
      case "month":
        this.#startingWithMonth(token.value);
        return;
      case "day":
        this.#accept(",");
        this.#weekdayIs(0, token.value);
        return;
      case "localZone":
        this.#seen.localZones++;
        this.#isSummer = this.#accept("dst") ? true : token.isSummer;
        return;
      case "zone":
        this.#zoneIs(token.value);
        return;
      case "summerZone":
        this.#seen.zones++;
        this.#zoneSeconds = token.value + 3600;
        return;
      case "T":
        this.#zoneIs(-7 * 3600);
        return;
      case "ordinal": {
        const day = this.#peek();
        if (day?.is !== "day") {
          this.#relativeUnit(token.value);
          return;
        }
        this.#at++;
        this.#weekdayIs(token.value, day.value);
        return;
      }
      case "unit":
        this.#relate(token.unit, token.value, 0, this.#ago());
        return;
      case "shift":
        this.#seen.relative = true;
        this.#relative.day += token.value;
        return;
      default:
        throw new NoDate();
    }
  }

  #startingWithNumber(first: NumberToken): void {
    const next = this.#peek();
    switch (next?.is) {
      case "meridian":
        this.#time(first.value, 0, 0, 0);
        return;
      case ":":
        this.#clock(first.value);
        return;
      case "/":
        this.#slashes(first);
        return;
      case "month":
        this.#dayOfMonth(first.value, next.value);
        return;
      case "day":
        this.#at++;
        this.#weekdayIs(first.value, next.value);
        return;
      case "unit":
        this.#relativeUnit(first.value);
        return;
      case "number":
        if (next.signed) {
          this.#numberThenSigned(first, next);
          return;
        }
    }
    this.#bareNumber(first);
  }

  #numberThenSigned(first: NumberToken, second: NumberToken): void {
    const third = this.#peek(1);
    if (third?.is === "number" && third.signed) {
      this.#at += 2;
      this.#date({ value: first.value, digits: first.digits }, 0 - second.value, 0 - third.value);
      if (this.#accept("T")) this.#clock(this.#unsigned().value);
    } else if (third?.is === "unit") this.#bareNumber(first);
    else this.#time(first.value, 0, 0, 0);
  }

  /** `10`, `10:20`, `10:20:30.5` after the hour, then a meridian or an offset. */
  #clock(hour: number): void {
    if (!this.#accept(":")) {
      this.#time(hour, 0, 0, 0);
      return;
    }
    const minute = this.#unsigned().value;
    if (!this.#accept(":")) {
      this.#time(hour, minute, 0, 0);
      return;
    }
    const seconds = this.#next();
    if (seconds?.is === "number" && !seconds.signed) {
      this.#time(hour, minute, seconds.value, 0);
      return;
    }
    if (seconds?.is !== "decimal" || seconds.signed) throw new NoDate();
    this.#time(hour, minute, seconds.value, seconds.nanoseconds);
  }

  #time(hour: number, minute: number, second: number, nanoseconds: number): void {
    this.#seen.times++;
    [this.#hour, this.#minute, this.#second, this.#nanoseconds] = [hour, minute, second, nanoseconds];
    this.#meridian = undefined;
    const next = this.#peek();
    if (next?.is === "meridian") {
      this.#at++;
      this.#meridian = next.isAfternoon;
    } else if (next?.is === "number" && next.signed) {
      this.#at++;
      this.#seen.zones++;
      this.#zoneSeconds = this.#offset(next);
    }
  }

  #offset({ value, digits }: NumberToken): number {
    const sign = value < 0 || Object.is(value, -0) ? -1 : 1;
    const size = Math.abs(value);
    let minutes: number;
    if (this.#accept(":")) minutes = size * 60 + this.#unsigned().value;
    else minutes = digits <= 2 ? size * 60 : Math.floor(size / 100) * 60 + (size % 100);
    if (minutes > 24 * 60) throw new NoDate();
    return sign * minutes * 60;
  }

  #zoneIs(seconds: number): void {
    this.#seen.zones++;
    this.#zoneSeconds = seconds;
    const next = this.#peek();
    if (next?.is === "number" && next.signed && this.#peek(1)?.is !== "unit") {
      this.#at++;
      this.#zoneSeconds += this.#offset(next);
    } else if (this.#accept("dst")) this.#zoneSeconds += 3600;
  }

  #slashes(first: NumberToken): void {
    this.#at++;
    const second = this.#unsigned();
    if (!this.#accept("/")) {
      this.#date(undefined, first.value, second.value);
      return;
    }
    const third = this.#unsigned();
    if (first.digits >= 4) this.#date(first, second.value, third.value);
    else this.#date(third, first.value, second.value);
  }

  #dayOfMonth(day: number, month: number): void {
    this.#at++;
    const year = this.#peek();
    if (year?.is !== "number") {
      this.#date(undefined, month, day);
      return;
    }
    // `5 Jan -1 day`: the number with a sign belongs to the unit behind it.
    if (year.signed && this.#peek(1)?.is === "unit") {
      this.#date(undefined, month, day);
      return;
    }
    this.#at++;
    this.#date({ value: Math.abs(year.value), digits: year.digits }, month, day);
  }

  #startingWithMonth(month: number): void {
    const day = this.#next();
    if (day?.is !== "number") throw new NoDate();
    if (day.signed) {
      const year = this.#next();
      if (year?.is !== "number" || !year.signed) throw new NoDate();
      this.#date({ value: 0 - year.value, digits: year.digits }, month, 0 - day.value);
      return;
    }
    if (this.#accept(",")) this.#date(this.#unsigned(), month, day.value);
    else this.#date(undefined, month, day.value);
  }

  #date(year: { value: number; digits: number } | undefined, month: number, day: number): void {
    this.#seen.dates++;
    if (year !== undefined) this.#year = { value: year.value, digits: year.digits };
    [this.#month, this.#day] = [month, day];
  }

  #bareNumber({ value, digits }: NumberToken): void {
    const { dates, times, relative } = this.#seen;
    if (dates > 0 && this.#year.digits === 0 && !relative && (times > 0 || digits > 2)) {
      this.#year = { value, digits };
    } else if (digits > 4) {
      this.#date(
        { value: Math.floor(value / 10_000), digits: digits - 4 },
        Math.floor(value / 100) % 100,
        value % 100,
      );
    } else {
      this.#seen.times++;
      [this.#hour, this.#minute] = digits <= 2 ? [value, 0] : [Math.floor(value / 100), value % 100];
      [this.#second, this.#nanoseconds, this.#meridian] = [0, 0, undefined];
    }
  }

  #weekdayIs(ordinal: number, number: number): void {
    this.#seen.days++;
    this.#weekday = { ordinal, number };
  }

  #relativeUnit(count: number): void {
    const unit = this.#next();
    if (unit?.is !== "unit") throw new NoDate();
    this.#relate(unit.unit, count * unit.value, 0, this.#ago());
  }

  #decimalSeconds(value: number, nanoseconds: number): void {
    const unit = this.#next();
    if (unit?.is !== "unit" || unit.unit !== "second") throw new NoDate();
    this.#relate("second", value, nanoseconds, this.#ago());
  }

  #ago(): number {
    const next = this.#peek();
    if (next?.is !== "ago") return 1;
    this.#at++;
    return next.value;
  }

  #relate(unit: DateUnit, count: number, nanoseconds: number, factor: number): void {
    this.#seen.relative = true;
    this.#relative[unit] += count * factor;
    this.#relative.nanoseconds += nanoseconds * factor;
  }

  #result(): Instant {
    const { times, dates, days, zones, localZones, relative } = this.#seen;
    if (Math.max(times, dates, days, zones + localZones) > 1) throw new NoDate();
    const keepsClock = times > 0 || (relative && dates === 0 && days === 0);
    const hour = keepsClock ? this.#hourOfDay() : 0;
    const [minute, second] = keepsClock ? [this.#minute, this.#second] : [0, 0];
    const nanoseconds = keepsClock ? this.#nanoseconds : 0;
    const clock = (hour * 60 + minute) * 60 + second;
    const year = this.#fullYear();
    let day = daySeconds(year, this.#month, this.#day);
    const isReal = hour < 24 && minute < 60 && second < 60 && new Date(day * 1000).getUTCDate() === this.#day;
    if (!isReal || this.#month < 1 || this.#month > 12) throw new NoDate();
    this.#requireExistingTime(day + clock);
    if (days > 0 && dates === 0) {
      const today = new Date(day * 1000).getUTCDay();
      const { ordinal, number } = this.#weekday;
      const weeks = ordinal - (ordinal > 0 && today !== number ? 1 : 0);
      day += (((number - today + 7) % 7) + 7 * weeks) * 86_400;
    }
    const by = this.#relative;
    if (by.year !== 0 || by.month !== 0 || by.day !== 0) {
      const at = new Date(day * 1000);
      day = daySeconds(
        at.getUTCFullYear() + by.year,
        at.getUTCMonth() + 1 + by.month,
        at.getUTCDate() + by.day,
      );
    }
    const start = zones > 0 ? day + clock - this.#zoneSeconds : nearestInstant(this.#zone, day + clock);
    const total = nanoseconds + by.nanoseconds;
    const carry = Math.floor(total / 1e9);
    const seconds = start + by.hour * 3600 + by.minute * 60 + by.second + carry;
    if (!Number.isSafeInteger(seconds * 1000) || Math.abs(seconds) > 8.64e12) throw new NoDate();
    return { seconds, nanoseconds: total - carry * 1e9 };
  }

  /** A clock that is put forward leaves an hour out. What the text leaves to `now` exists. */
  #requireExistingTime(wallSeconds: number): void {
    const { times, dates, days, zones, localZones } = this.#seen;
    if (zones > 0 || times + dates + days + localZones === 0) return;
    const instant = instantOf(this.#zone, wallSeconds);
    if (instant === null) throw new NoDate();
    const isOther = this.#isSummer !== undefined && this.#zone.at(instant).isSummer !== this.#isSummer;
    if (localZones > 0 && isOther) throw new NoDate();
  }

  #hourOfDay(): number {
    if (this.#meridian === undefined) return this.#hour;
    if (this.#hour < 1 || this.#hour > 12) throw new NoDate();
    return (this.#hour % 12) + (this.#meridian ? 12 : 0);
  }

  #fullYear(): number {
    const { value, digits } = this.#year;
    if (value < 0) return 0 - value;
    return digits === 2 ? value + (value < 69 ? 2000 : 1900) : value;
  }

  #peek(ahead = 0): DateToken | undefined {
    return this.#tokens[this.#at + ahead];
  }

  #next(): DateToken | undefined {
    return this.#tokens[this.#at++];
  }

  #accept(kind: DateToken["is"]): boolean {
    if (this.#peek()?.is !== kind) return false;
    this.#at++;
    return true;
  }

  #unsigned(): NumberToken {
    const token = this.#next();
    if (token?.is !== "number" || token.signed) throw new NoDate();
    return token;
  }
}

/** Seconds from 1970 to a day's midnight by UTC; months and days may be out of range. */
function daySeconds(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day) / 1000;
}
