/** Rows as the `sqlite3` command line (3.40) prints them, in each of its modes. */

export type Value = null | bigint | number | string | Uint8Array;

export interface Settings {
  mode: string;
  headers: boolean;
  column: string;
  row: string;
  nullValue: string;
  widths: readonly number[];
  table: string;
}

/** A real number as SQLite writes it: 15 digits, and always with a point. */
export function realText(value: number, digits = 15): string {
  if (Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value > 0 ? "Inf" : "-Inf";
  if (value === 0) return "0.0";
  // SQLite's own long form holds 19 digits, cut off and not rounded.
  const exponential = digits === 15 ? value.toExponential(14) : value.toExponential(20);
  const [, sign = "", first = "", rest = "", exponentText = "0"] =
    /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(exponential) ?? [];
  const all = (first + rest).slice(0, digits === 15 ? 15 : 19).replace(/0+$/, "");
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= (digits === 15 ? 15 : 20)) {
    const size = String(Math.abs(exponent)).padStart(2, "0");
    return `${sign}${all[0] ?? "0"}.${all.slice(1) || "0"}e${exponent < 0 ? "-" : "+"}${size}`;
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${all}`;
  const whole = all.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  return `${sign}${whole}.${all.slice(exponent + 1) || "0"}`;
}

const utf8 = new TextDecoder();

function textOf(value: Value, nullValue: string): string {
  if (value === null) return nullValue;
  if (typeof value === "number") return realText(value);
  if (value instanceof Uint8Array) return utf8.decode(value);
  return String(value);
}

/** A value as SQL. */
export function literal(value: Value): string {
  if (value === null) return "NULL";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? realText(value, 20) : value > 0 ? "1e999" : "-1e999";
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString("hex")}'`;
  return `'${value.replaceAll("'", "''")}'`;
}

function json(value: Value): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number")
    return Number.isFinite(value) ? realText(value, 20) : `${value > 0 ? "" : "-"}1e999`;
  return JSON.stringify(textOf(value, ""));
}

function csv(text: string, separator: string): string {
  const isPlain = text !== "" && /^[!#-&(-~]*$/.test(text) && !text.includes(separator);
  return isPlain ? text : `"${text.replaceAll('"', '""')}"`;
}

const html = (text: string): string =>
  text.replace(
    /[<>&"']/g,
    (sign) => `&${{ "<": "lt", ">": "gt", "&": "amp", '"': "quot", "'": "#39" }[sign]};`,
  );

const KEYWORDS =
  /^(?:add|all|alter|and|as|begin|between|by|case|check|commit|create|default|delete|distinct|drop|else|end|exists|from|group|having|in|index|insert|into|is|join|key|limit|not|null|on|or|order|primary|references|select|set|table|then|to|transaction|trigger|union|unique|update|using|values|view|when|where)$/i;

/** A name as it stands in SQL. */
export function named(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !KEYWORDS.test(name)
    ? name
    : `"${name.replaceAll('"', '""')}"`;
}

const lengthOf = (text: string): number => [...text].length;
const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - lengthOf(text)));

function centred(text: string, width: number): string {
  const left = Math.max(0, Math.floor((width - lengthOf(text)) / 2));
  return pad(" ".repeat(left) + text, width);
}

/** The text of one result; nothing for one without rows. */
export function formatRows(columns: readonly string[], rows: readonly Value[][], settings: Settings): string {
  if (rows.length === 0) return "";
  const { mode, headers, column, row, nullValue } = settings;
  const texts = (): string[][] => rows.map((values) => values.map((value) => textOf(value, nullValue)));
  const joined = (cells: readonly string[]): string => cells.join(column) + row;
  switch (mode) {
    case "csv": {
      const shown = rows.map((values) =>
        values.map((value) => (value === null ? nullValue : csv(textOf(value, ""), column))),
      );
      return [...(headers ? [columns.map((name) => csv(name, column))] : []), ...shown].map(joined).join("");
    }
    case "json":
      return `[${rows
        .map(
          (values) =>
            `{${values.map((value, at) => `${JSON.stringify(columns[at])}:${json(value)}`).join(",")}}`,
        )
        .join(",\n")}]\n`;
    case "line": {
      const width = Math.max(5, ...columns.map(lengthOf));
      return texts()
        .map((cells) =>
          cells
            .map(
              (cell, at) =>
                `${" ".repeat(width - lengthOf(columns[at] ?? ""))}${columns[at]} = ${cell}${row}`,
            )
            .join(""),
        )
        .join(row);
    }
    case "quote":
      return [
        ...(headers ? [columns.map((name) => literal(name))] : []),
        ...rows.map((values) => values.map(literal)),
      ]
        .map(joined)
        .join("");
    case "insert": {
      const names = headers ? `(${columns.map(named).join(",")})` : "";
      return rows
        .map(
          (values) =>
            `INSERT INTO ${named(settings.table)}${names} VALUES(${values.map(literal).join(",")});\n`,
        )
        .join("");
    }
    case "html": {
      const line = (cells: readonly string[], tag: string): string =>
        `<TR>${cells.map((cell) => `<${tag}>${html(cell)}</${tag}>\n`).join("")}</TR>\n`;
      return (
        (headers ? line(columns, "TH") : "") +
        texts()
          .map((cells) => line(cells, "TD"))
          .join("")
      );
    }
    case "column":
    case "table":
    case "markdown":
    case "box":
      return framed(columns, texts(), settings);
    default:
      return [...(headers ? [[...columns]] : []), ...texts()].map(joined).join("");
  }
}

const FRAMES = {
  table: { lines: ["+-++", "+-++", "+-++"], bar: "|" },
  box: { lines: ["┌─┬┐", "├─┼┤", "└─┴┘"], bar: "│" },
} as const;

function framed(columns: readonly string[], cells: readonly string[][], settings: Settings): string {
  const shown = cells.map((line) => line.map((text) => text.replaceAll("\n", " ")));
  const widths = columns.map(
    (name, at) =>
      Math.abs(settings.widths[at] ?? 0) ||
      Math.max(lengthOf(name), ...shown.map((line) => lengthOf(line[at] ?? ""))),
  );
  const fit = (text: string, at: number): string =>
    (settings.widths[at] ?? 0) < 0 ? text.padStart(widths[at] ?? 0) : pad(text, widths[at] ?? 0);
  if (settings.mode === "column") {
    const lines = shown.map((line) => line.map(fit).join("  "));
    if (settings.headers)
      lines.unshift(columns.map(fit).join("  "), widths.map((width) => "-".repeat(width)).join("  "));
    return `${lines.join("\n")}\n`;
  }
  const heads = columns.map((name, at) => centred(name, widths[at] ?? 0));
  if (settings.mode === "markdown") {
    const line = (parts: readonly string[]): string => `| ${parts.join(" | ")} |`;
    const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
    return `${[line(heads), rule, ...shown.map((parts) => line(parts.map(fit)))].join("\n")}\n`;
  }
  const { lines, bar } = FRAMES[settings.mode === "box" ? "box" : "table"];
  const rule = (signs: string): string => {
    const [left = "", line = "", middle = "", right = ""] = signs;
    return left + widths.map((width) => line.repeat(width + 2)).join(middle) + right;
  };
  const line = (parts: readonly string[]): string => `${bar} ${parts.join(` ${bar} `)} ${bar}`;
  const body = shown.map((parts) => line(parts.map(fit)));
  return `${[rule(lines[0]), line(heads), rule(lines[1]), ...body, rule(lines[2])].join("\n")}\n`;
}
