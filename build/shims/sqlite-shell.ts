/**
 * The `sqlite3` command line (3.40) over an open database, in the thread that has it: dot commands, modes, and
 * statements in their order. Files that it reads come with the program, files that it writes go with the result.
 * Longer than most files because every command works on one state.
 */
import { formatRows, literal, named, type Settings, type Value } from "./sqlite-format.ts";

/** What the worker sends as the text of SQL, as JSON. */
export interface SqliteProgram {
  readonly settings: Partial<Settings>;
  readonly bail: boolean;
  readonly echo: boolean;
  readonly readOnly: boolean;
  /** Arguments of the command line, each a statement list or a dot command. */
  readonly before: readonly string[];
  readonly commands: readonly string[];
  /** Standard input, read when there are no commands. */
  readonly input: string | null;
  /** Contents of the files that dot commands name, by the name as given. */
  readonly files: Readonly<Record<string, string>>;
}

export interface SqliteResult {
  readonly type: "shell";
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
  /** Name as given → what to write there. */
  readonly files: Readonly<Record<string, string>>;
}

interface Statement {
  getSQL(): string;
  getColumnNames(): string[];
  step(): boolean;
  get(params: null, config: { useBigInt: boolean }): Value[];
  free(): void;
}
export interface Database {
  iterateStatements(sql: string): Iterator<Statement> & { getRemainingSQL(): string };
  exec(sql: string): { columns: string[]; values: Value[][] }[];
}

const SEPARATORS: Readonly<Record<string, readonly [column: string, row: string]>> = {
  list: ["|", "\n"],
  csv: [",", "\r\n"],
  tabs: ["\t", "\n"],
  quote: [",", "\n"],
  ascii: ["\x1f", "\x1e"],
};
const MODES = [
  "list",
  "csv",
  "json",
  "line",
  "lines",
  "column",
  "columns",
  "table",
  "markdown",
  "box",
  "qbox",
  "tabs",
  "quote",
  "html",
  "insert",
  "ascii",
];
const READS =
  /^\s*(?:select|explain|values|begin|commit|end|rollback|savepoint|release|pragma\s+[\w.]+\s*(?:\([^)]*\))?\s*;?\s*$)/i;
const LEADING_NOISE = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/;

/** Stops the shell: `.quit` and `.exit`. */
class Quit extends Error {
  readonly status: number;
  constructor(status: number) {
    super("quit");
    this.status = status;
  }
}

export class SqliteShell {
  readonly #database: Database;
  readonly #program: SqliteProgram;
  readonly #settings: Settings;
  readonly #written = new Map<string, string>();
  #stdout = "";
  #stderr = "";
  #target: string | null = null;
  #isOnce = false;
  #bail: boolean;
  #echo: boolean;
  #changesOn = false;
  #areHeadersSet: boolean;
  hasModifications = false;

  constructor(database: Database, program: SqliteProgram) {
    this.#database = database;
    this.#program = program;
    this.#bail = program.bail;
    this.#echo = program.echo;
    const settings = {
      mode: "list",
      headers: false,
      column: "|",
      row: "\n",
      nullValue: "",
      widths: [],
      table: "table",
    };
    this.#areHeadersSet = program.settings.headers !== undefined;
    this.#settings = { ...settings, ...program.settings };
  }

  run(): SqliteResult {
    if (this.#program.readOnly) this.#database.exec("PRAGMA query_only = 1");
    let exitCode = 0;
    try {
      exitCode = this.#all();
    } catch (error) {
      if (!(error instanceof Quit)) throw error;
      exitCode = error.status;
    }
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // No transaction was left open.
    }
    return {
      type: "shell",
      stdout: this.#stdout,
      stderr: this.#stderr,
      exitCode,
      files: Object.fromEntries(this.#written),
    };
  }

  #all(): number {
    for (const command of this.#program.before) this.#one(command);
    for (const command of this.#program.commands) {
      const status = this.#one(command);
      if (status !== 0) return status;
    }
    if (this.#program.input === null) return 0;
    return this.#lines(this.#program.input) > 0 ? 1 : 0;
  }

  #one(command: string): number {
    if (command.startsWith(".")) return this.#dot(command);
    const error = this.#sql(command);
    if (error === null) return 0;
    this.#stderr += `Error: ${error.phase}, ${error.message}${error.status > 1 ? ` (${error.status})` : ""}\n`;
    return error.status;
  }

  /** Lines as from standard input; the number of errors. */
  #lines(text: string): number {
    let errors = 0;
    let waiting = "";
    let startLine = 0;
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    for (const [at, line] of lines.entries()) {
      if (waiting === "" && LEADING_NOISE.test(line) && line.replace(LEADING_NOISE, "") === "") {
        if (this.#echo) this.#print(`${line}\n`);
        continue;
      }
      if (waiting === "" && line.startsWith(".")) {
        if (this.#echo) this.#print(`${line}\n`);
        if (this.#dot(line, at + 1) !== 0) errors++;
      } else {
        if (waiting === "") startLine = at + 1;
        waiting = waiting === "" ? line : `${waiting}\n${line}`;
        if (!isComplete(waiting)) continue;
        if (this.#echo) this.#print(`${waiting}\n`);
        if (!this.#line(waiting, startLine)) errors++;
        waiting = "";
      }
      if (errors > 0 && this.#bail) return errors;
    }
    if (waiting.trim() !== "" && !this.#line(waiting, startLine)) errors++;
    return errors;
  }

  #line(sql: string, startLine: number): boolean {
    const error = this.#sql(sql);
    if (error === null) return true;
    const kind = error.phase === "in prepare" ? "Parse error" : "Runtime error";
    const status = error.status > 1 ? ` (${error.status})` : "";
    this.#stderr += `${kind} near line ${startLine}: ${error.message}${status}\n`;
    return false;
  }

  /** Runs statements up to the first that fails. */
  #sql(sql: string): { phase: string; message: string; status: number } | null {
    let rest = sql;
    while (rest.replace(LEADING_NOISE, "") !== "") {
      let phase = "in prepare";
      let statement: Statement | undefined;
      try {
        const iterator = this.#database.iterateStatements(rest);
        const next = iterator.next();
        if (next.done === true) return null;
        statement = next.value;
        rest = iterator.getRemainingSQL();
        const text = statement.getSQL().replace(LEADING_NOISE, "");
        phase = "stepping";
        const columns = statement.getColumnNames();
        const rows: Value[][] = [];
        while (statement.step()) rows.push(statement.get(null, { useBigInt: true }));
        const isWriting =
          !READS.test(text) && !/^\s*with\b(?![\s\S]*\b(?:insert|update|delete|replace)\b)/i.test(text);
        if (isWriting) this.hasModifications = true;
        this.#print(formatRows(columns, rows, this.#settings));
        this.#endOnce(columns.length > 0);
        if (this.#changesOn) this.#print(`changes: ${this.#ask("select changes()")[0]?.[0] ?? 0}\n`);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { phase, message, status: statusOf(message) };
      } finally {
        statement?.free();
      }
    }
    return null;
  }

  #print(text: string): void {
    if (this.#target === null) this.#stdout += text;
    else this.#written.set(this.#target, (this.#written.get(this.#target) ?? "") + text);
  }

  #endOnce(hasPrinted: boolean): void {
    if (!this.#isOnce || !hasPrinted) return;
    this.#isOnce = false;
    this.#target = null;
  }

  #ask(sql: string): Value[][] {
    return this.#database.exec(sql)[0]?.values ?? [];
  }

  #fail(text: string): number {
    this.#stderr += `${text}\n`;
    return 1;
  }

  #dot(line: string, lineNumber = 0): number {
    const [word = "", ...args] = splitArguments(line.slice(1));
    const known = COMMANDS.filter((name) => name.startsWith(word) && word !== "");
    const name = known.includes(word) ? word : known.length > 0 ? (known[0] ?? "") : word;
    const settings = this.#settings;
    const isOn = (): boolean => /^(?:on|yes|1|true)$/i.test(args[0] ?? "");
    switch (name) {
      case "headers":
        settings.headers = isOn();
        this.#areHeadersSet = true;
        return 0;
      case "mode": {
        const [mode = "", ...rest] = args.filter((arg) => !arg.startsWith("--"));
        if (mode === "") return this.#say(`current output mode: ${settings.mode}\n`);
        const found = MODES.find((one) => one === mode) ?? MODES.find((one) => one.startsWith(mode));
        if (found === undefined)
          return this.#fail(
            "Error: mode should be one of: ascii box column csv html insert json line list markdown qbox quote table tabs tcl",
          );
        settings.mode = found === "qbox" ? "box" : found.replace(/^(line|column)s$/, "$1");
        if (settings.mode === "column" && !this.#areHeadersSet) settings.headers = true;
        const separators = SEPARATORS[settings.mode];
        if (separators !== undefined) [settings.column, settings.row] = separators;
        if (settings.mode === "line" || settings.mode === "column") settings.row = "\n";
        if (settings.mode === "insert") settings.table = rest[0] ?? "table";
        return 0;
      }
      case "separator":
        settings.column = args[0] ?? settings.column;
        settings.row = args[1] ?? settings.row;
        return 0;
      case "nullvalue":
        settings.nullValue = args[0] ?? "";
        return 0;
      case "width":
        settings.widths = args.map(Number);
        return 0;
      case "print":
        return this.#say(`${args.join(" ")}\n`);
      case "echo":
        this.#echo = isOn();
        return 0;
      case "bail":
        this.#bail = isOn();
        return 0;
      case "changes":
        this.#changesOn = isOn();
        return 0;
      case "quit":
        throw new Quit(0);
      case "exit":
        throw new Quit(Number(args[0] ?? 0));
      case "output":
      case "once": {
        const file = args.filter((arg) => !arg.startsWith("-")).at(0);
        this.#target = file === undefined || file === "stdout" ? null : file;
        if (file === "off") this.#target = "/dev/null";
        this.#isOnce = name === "once" && this.#target !== null;
        if (this.#target !== null) this.#written.set(this.#target, "");
        return 0;
      }
      case "read": {
        const content = this.#program.files[args[0] ?? ""];
        if (content === undefined) return this.#fail(`Error: cannot open "${args[0] ?? ""}"`);
        return this.#lines(content) > 0 ? 1 : 0;
      }
      case "tables":
      case "indexes": {
        const type = name === "tables" ? "type in ('table','view')" : "type = 'index'";
        const of = name === "tables" ? "name" : "tbl_name";
        const pattern = args[0] === undefined ? "" : ` and ${of} like ${literal(args[0])}`;
        const names = this.#ask(
          `select name from sqlite_schema where ${type} and name not like 'sqlite\\_%' escape '\\'${pattern} order by 1`,
        ).map(([one]) => String(one));
        return this.#say(inColumns(names));
      }
      case "databases":
        return this.#say('main: "" r/w\n');
      case "schema":
        return this.#schema(args.filter((arg) => !arg.startsWith("-"))[0]);
      case "dump":
        return this.#dump(args.filter((arg) => !arg.startsWith("-"))[0]);
      case "import":
        return this.#import(args);
      case "show":
        return this.#say(
          `        echo: ${this.#echo ? "on" : "off"}\n     headers: ${settings.headers ? "on" : "off"}\n        mode: ${settings.mode}\n   nullvalue: ${JSON.stringify(settings.nullValue)}\ncolseparator: ${JSON.stringify(settings.column)}\nrowseparator: ${JSON.stringify(settings.row)}\n`,
        );
      case "timeout":
      case "timer":
      case "stats":
      case "eqp":
      case "explain":
      case "prompt":
      case "log":
      case "trace":
      case "nonce":
        return 0;
      case "help":
        return this.#say(`${COMMANDS.map((command) => `.${command}`).join("\n")}\n`);
      default:
        if (REFUSED.includes(word)) return this.#fail(`Error: .${word} is not available in this sandbox`);
        return this.#fail(
          `${lineNumber > 0 ? `line ${lineNumber}: ` : ""}Error: unknown command or invalid arguments:  "${word}". Enter ".help" for help`,
        );
    }
  }

  #say(text: string): number {
    this.#print(text);
    return 0;
  }

  #schema(pattern: string | undefined): number {
    const where = pattern === undefined ? "" : ` and lower(tbl_name) like ${literal(pattern.toLowerCase())}`;
    const found = this.#ask(
      `select sql, type, name from sqlite_schema where sql not null and name not like 'sqlite\\_%' escape '\\'${where} order by rowid`,
    );
    for (const [sql, type, name] of found) {
      let text = schemaLine(String(sql));
      if (type === "view") text += `\n/* ${named(String(name))}(${this.#columns(String(name)).join(",")}) */`;
      this.#print(`${text};\n`);
    }
    return 0;
  }

  #columns(table: string): string[] {
    return this.#ask(`pragma table_xinfo(${literal(table)})`).map((row) => named(String(row[1])));
  }

  #dump(pattern: string | undefined): number {
    const where = pattern === undefined ? "" : ` and tbl_name like ${literal(pattern)}`;
    this.#print("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n");
    const tables = this.#ask(
      `select name, sql from sqlite_schema where type = 'table' and sql not null${where} order by tbl_name = 'sqlite_sequence', rowid`,
    );
    for (const [name, sql] of tables) {
      const table = String(name);
      if (table === "sqlite_sequence") this.#print("DELETE FROM sqlite_sequence;\n");
      else if (/^sqlite_/.test(table)) continue;
      else this.#print(`${schemaLine(String(sql))};\n`);
      const iterator = this.#database.iterateStatements(`select * from "${table.replaceAll('"', '""')}"`);
      const { value: statement } = iterator.next() as { value: Statement };
      while (statement.step()) {
        const values = statement.get(null, { useBigInt: true }).map(literal);
        this.#print(`INSERT INTO ${named(table)} VALUES(${values.join(",")});\n`);
      }
      statement.free();
    }
    const others = this.#ask(
      `select sql from sqlite_schema where type in ('index','trigger','view') and sql not null${where}`,
    );
    for (const [sql] of others) this.#print(`${String(sql)};\n`);
    this.#print("COMMIT;\n");
    return 0;
  }

  #import(args: readonly string[]): number {
    const names: string[] = [];
    let isCsv = this.#settings.mode === "csv";
    let separator = this.#settings.column;
    let skip = 0;
    for (let at = 0; at < args.length; at++) {
      const arg = args[at] ?? "";
      if (/^--?csv$/.test(arg)) [isCsv, separator] = [true, ","];
      else if (/^--?ascii$/.test(arg)) separator = "\x1f";
      else if (/^--?skip$/.test(arg)) skip = Number(args[++at]);
      else if (/^--?(?:v|schema)$/.test(arg)) at += arg.endsWith("schema") ? 1 : 0;
      else names.push(arg);
    }
    const [file, table] = names;
    if (file === undefined || table === undefined)
      return this.#fail(
        `ERROR: missing ${file === undefined ? "FILE" : "TABLE"} argument. Usage:\n.import FILE TABLE`,
      );
    const content = this.#program.files[file];
    if (content === undefined) return this.#fail(`Error: cannot open "${file}"`);
    const rows = readRows(content, isCsv || separator === "," ? "," : separator, isCsv).slice(skip);
    const into = `"${table.replaceAll('"', '""')}"`;
    let columns = this.#ask(`pragma table_info(${literal(table)})`).length;
    if (columns === 0) {
      const [heads = []] = rows.splice(0, 1);
      if (heads.length === 0) return this.#fail(`${file}: empty file`);
      columns = heads.length;
      const definition = heads.map((head) => `"${head.replaceAll('"', '""')}" TEXT`).join(", ");
      const error = this.#sql(`CREATE TABLE ${into}(\n${definition})`);
      if (error !== null) return this.#fail(`CREATE TABLE ${into}(...) failed: ${error.message}`);
    }
    this.hasModifications = true;
    let errors = 0;
    const open = this.#sql("BEGIN") === null;
    for (const [at, cells] of rows.entries()) {
      const line = at + skip + 1;
      if (cells.length < columns)
        this.#stderr += `${file}:${line}: expected ${columns} columns but found ${cells.length} - filling the rest with NULL\n`;
      if (cells.length > columns)
        this.#stderr += `${file}:${line}: expected ${columns} columns but found ${cells.length} - extras ignored\n`;
      const values = Array.from({ length: columns }, (_, index) => {
        const cell = cells[index];
        return cell === undefined ? "NULL" : literal(cell);
      });
      const error = this.#sql(`INSERT INTO ${into} VALUES(${values.join(",")})`);
      if (error === null) continue;
      errors++;
      this.#stderr += `${file}:${line}: INSERT failed: ${error.message}\n`;
    }
    if (open) this.#sql("COMMIT");
    return errors > 0 ? 1 : 0;
  }
}

const COMMANDS = [
  ...[
    "bail",
    "changes",
    "databases",
    "dump",
    "echo",
    "eqp",
    "exit",
    "explain",
    "headers",
    "help",
    "import",
    "indexes",
  ],
  ...[
    "indices",
    "log",
    "mode",
    "nonce",
    "nullvalue",
    "once",
    "output",
    "print",
    "prompt",
    "quit",
    "read",
    "schema",
  ],
  ...["separator", "show", "stats", "tables", "timeout", "timer", "trace", "width"],
];
const REFUSED = [
  "shell",
  "system",
  "cd",
  "open",
  "save",
  "backup",
  "restore",
  "clone",
  "load",
  "excel",
  "archive",
  "recover",
];

function schemaLine(sql: string): string {
  return /^CREATE TABLE ['"]/.test(sql) ? sql.replace("CREATE TABLE ", "CREATE TABLE IF NOT EXISTS ") : sql;
}

/** Names as `.tables` shows them: down and then across, in 80 columns. */
function inColumns(names: readonly string[]): string {
  const widest = Math.max(0, ...names.map((name) => name.length));
  const across = Math.max(1, Math.floor(80 / (widest + 2)));
  const rows = Math.ceil(names.length / across);
  return Array.from({ length: rows }, (_, row) => {
    const cells = names.filter((_name, at) => at % rows === row).map((name) => name.padEnd(widest));
    return `${cells.join("  ")}\n`;
  }).join("");
}

/** Words of a dot command: quoted with either quote, with escapes in double ones. */
function splitArguments(line: string): string[] {
  const words: string[] = [];
  for (const [, double, single, bare] of line.matchAll(/"((?:[^"\\]|\\.)*)"?|'([^']*)'?|(\S+)/g)) {
    if (double !== undefined)
      words.push(
        double.replace(/\\(.)/g, (_, sign: string) => ({ n: "\n", t: "\t", r: "\r" })[sign] ?? sign),
      );
    else words.push(single ?? (bare ?? "").replace(/\\t/g, "\t").replace(/\\n/g, "\n"));
  }
  return words;
}

/** Whether the text ends a statement, as `sqlite3_complete` sees it. */
function isComplete(sql: string): boolean {
  const bare = sql.replace(
    /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g,
    " ",
  );
  if (/['"`]|\/\*/.test(bare)) return false;
  if (!/;\s*$/.test(bare)) return false;
  return !/^\s*create\s+(?:temp(?:orary)?\s+)?trigger\b/i.test(bare) || /;\s*end\s*;\s*$/i.test(bare);
}

function statusOf(message: string): number {
  if (/constraint failed/.test(message)) return 19;
  if (/readonly database/.test(message)) return 8;
  if (/datatype mismatch/.test(message)) return 20;
  if (/is not a database/.test(message)) return 26;
  if (/malformed/.test(message)) return 11;
  return 1;
}

/** Rows of a file for `.import`. */
function readRows(text: string, separator: string, isCsv: boolean): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"' && (isCsv || separator === ",")) {
      at++;
      while (at < text.length) {
        if (text[at] === '"' && text[at + 1] === '"') {
          cell += '"';
          at += 2;
        } else if (text[at] === '"') {
          at++;
          break;
        } else cell += text[at++];
      }
    } else {
      while (at < text.length && !text.startsWith(separator, at) && text[at] !== "\n") cell += text[at++];
      if (text[at] === "\n" && cell.endsWith("\r")) cell = cell.slice(0, -1);
    }
    if (text[at] === "\r" && text[at + 1] === "\n") at++;
    cells.push(cell);
    if (text.startsWith(separator, at)) {
      at += separator.length;
      if (at >= text.length) cells.push("");
      continue;
    }
    at++;
    rows.push(cells);
    cells = [];
  }
  if (cells.length > 0) rows.push(cells);
  return rows;
}
