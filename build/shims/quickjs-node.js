/**
 * What Node gives a script besides the language: timers, standard streams, `console`, `process`, modules of files,
 * the rest of `fs`. Runs in QuickJS inside just-bash's set-up, after `quickjs-files.js` and `quickjs-inspect.js`;
 * `quickjs-run.ts` drives it: it runs timers while there are any, and asks what is left at the end.
 * Longer than most files because all of it shares the one table of modules and the one queue of timers.
 */
// biome-ignore-all lint/suspicious/noEmptyBlockStatements: calls that Node has and that have nothing to do here
// biome-ignore-all lint/suspicious/noDoubleEquals: what `assert.equal` means
// biome-ignore-all lint/suspicious/noSelfCompare: NaN, in values of any kind
// biome-ignore-all lint/suspicious/noControlCharactersInRegex: a terminal's sequences begin with one
// biome-ignore-all lint/suspicious/noShadowRestrictedNames: functions are named as those that they stand for
// biome-ignore-all lint/nursery/noFloatingPromises: a microtask is nothing to wait for
const host = globalThis.__host;
delete globalThis.__host;
const _path = globalThis[Symbol.for("jb:path")];
const asBuffer = (bytes) => new Buffer(bytes);

// Timers: one queue in order of time, then of call.
const timers = new Map();
let lastTimer = 0;
class Timeout {
  constructor(id) {
    Object.defineProperty(this, "id", { value: id });
  }
  ref() {
    return this;
  }
  unref() {
    const timer = timers.get(this.id);
    if (timer !== undefined) timer.isLoose = true;
    return this;
  }
  hasRef() {
    return timers.get(this.id)?.isLoose !== true;
  }
  refresh() {
    const timer = timers.get(this.id);
    if (timer !== undefined) timer.at = host.now() + timer.every;
    return this;
  }
  [Symbol.toPrimitive]() {
    return this.id;
  }
}
const addTimer = (call, delayMs, args, repeats) => {
  if (typeof call !== "function") {
    const error = new TypeError(
      `The "callback" argument must be of type function. Received ${inspect(call)}`,
    );
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
  const every = delayMs >= 1 && delayMs <= 2147483647 ? Math.trunc(delayMs) : 1;
  const id = ++lastTimer;
  timers.set(id, { call, args, at: delayMs === -1 ? -1 : host.now() + every, every, repeats });
  return new Timeout(id);
};
const clear = (timer) => {
  timers.delete(typeof timer === "object" && timer !== null ? timer.id : Number(timer));
};
globalThis.setTimeout = (call, delayMs, ...args) => addTimer(call, Number(delayMs) || 1, args, false);
globalThis.setInterval = (call, delayMs, ...args) => addTimer(call, Number(delayMs) || 1, args, true);
globalThis.setImmediate = (call, ...args) => addTimer(call, -1, args, false);
globalThis.clearTimeout = globalThis.clearInterval = globalThis.clearImmediate = clear;
const resolved = Promise.resolve();
globalThis.queueMicrotask = (call) => {
  resolved.then(() => {
    try {
      call();
    } catch (error) {
      failures.push(error);
    }
  });
};
/** Errors that no promise carries: the run ends with the first. */
const failures = [];

const writeTo = (descriptor, data, encoding) => {
  // Where QuickJS keeps text as it is, the other side encodes it.
  if (typeof data === "string" && _normEnc(encoding) === "utf8" && !data.includes("\0")) {
    host.write(descriptor, data);
    return;
  }
  const bytes = typeof data === "string" ? encodeText(data, encoding) : viewOf(data);
  if (bytes === null) {
    const error = new TypeError(
      `The "chunk" argument must be of type string or an instance of Buffer, TypedArray, or DataView. Received ${inspect(data)}`,
    );
    error.code = "ERR_INVALID_ARG_TYPE";
    throw error;
  }
  host.write(descriptor, new Uint8Array(bytes).buffer);
};

// Words and numbers of human languages are Node's own, asked of the thread.
const askIntl = (kind, locales, options, method, ...args) =>
  JSON.parse(host.intl(JSON.stringify([kind, locales ?? null, options ?? null, method, args])));
const intl = (kind, ...methods) => {
  const made = class {
    #locales;
    #options;
    constructor(locales, options) {
      [this.#locales, this.#options] = [locales, options];
      askIntl(kind, locales, options, "resolvedOptions");
      for (const name of ["format", "compare"])
        if (methods.includes(name)) this[name] = (...args) => this.ask(name, args);
    }
    ask(method, args) {
      const plain = args.map((value) =>
        value instanceof Date ? value.getTime() : typeof value === "bigint" ? Number(value) : value,
      );
      return askIntl(
        kind,
        this.#locales,
        this.#options,
        method,
        ...(kind === "DateTimeFormat" && plain.length === 0 ? [Date.now()] : plain),
      );
    }
  };
  for (const name of [...methods, "resolvedOptions"])
    if (!["format", "compare"].includes(name))
      Object.defineProperty(made.prototype, name, {
        value(...args) {
          return this.ask(name, args);
        },
      });
  Object.defineProperty(made, "name", { value: kind });
  made.supportedLocalesOf = (locales) => [locales].flat();
  return made;
};
globalThis.Intl ??= {
  NumberFormat: intl("NumberFormat", "format", "formatToParts"),
  DateTimeFormat: intl("DateTimeFormat", "format", "formatToParts"),
  Collator: intl("Collator", "compare"),
  PluralRules: intl("PluralRules", "select"),
  RelativeTimeFormat: intl("RelativeTimeFormat", "format", "formatToParts"),
  ListFormat: intl("ListFormat", "format", "formatToParts"),
};
const method = (prototype, name, value) =>
  Object.defineProperty(prototype, name, { value, writable: true, configurable: true });
method(Number.prototype, "toLocaleString", function toLocaleString(locales, options) {
  return askIntl(
    "NumberFormat",
    locales,
    options,
    "format",
    Number.isFinite(Number(this)) ? Number(this) : String(this),
  );
});
method(BigInt.prototype, "toLocaleString", function toLocaleString(locales, options) {
  return askIntl("NumberFormat", locales, options, "format", String(this));
});
for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"])
  method(Date.prototype, name, function (locales, options) {
    return Number.isNaN(this.getTime())
      ? "Invalid Date"
      : askIntl("Date", locales, options, name, this.getTime());
  });
const isLowerWord = /^[a-z]*$/;
method(String.prototype, "localeCompare", function localeCompare(other, locales, options) {
  const text = String(this);
  const that = String(other);
  // Words in one case come in the order of their letters, in every language that is written so.
  if (locales === undefined && options === undefined && isLowerWord.test(text) && isLowerWord.test(that))
    return text < that ? -1 : text > that ? 1 : 0;
  return askIntl("Collator", locales, options, "compare", text, that);
});

// Console
let indentation = "";
const print = (descriptor, text) => {
  const shown = indentation === "" ? text : indentation + text.replaceAll("\n", `\n${indentation}`);
  writeTo(descriptor, `${shown}\n`);
};
const counts = new Map();
const times = new Map();
const elapsed = (label) => {
  const ms = host.now() - (times.get(label) ?? host.now());
  return ms >= 1000 ? `${(ms / 1000).toFixed(3)}s` : `${Number(ms.toFixed(3))}ms`;
};
const table = (rows, only) => {
  if (typeof rows !== "object" || rows === null) return console.log(rows);
  const isMap = rows instanceof Map;
  const entries = isMap
    ? [...rows].map(([key, value], index) => [index, key, value])
    : rows instanceof Set
      ? [...rows].map((value, index) => [index, value])
      : Object.entries(rows);
  const columns = [];
  let hasValues = false;
  const lines = entries.map(([index, value]) => {
    const cells = new Map();
    if (typeof value === "object" && value !== null && !isMap) {
      for (const key of Object.keys(value)) {
        if (only !== undefined && !only.includes(key)) continue;
        if (!columns.includes(key)) columns.push(key);
        cells.set(
          key,
          inspect(value[key], { depth: 0, compact: true, maxArrayLength: 3, breakLength: Infinity }),
        );
      }
    } else {
      hasValues = true;
      cells.set(columns, inspect(value));
    }
    return [String(index), cells];
  });
  const heads = ["(index)", ...(only ?? columns), ...(hasValues ? ["Values"] : [])];
  const body = lines.map(([index, cells]) => [
    index,
    ...(only ?? columns).map((key) => cells.get(key) ?? ""),
    ...(hasValues ? [cells.get(columns) ?? ""] : []),
  ]);
  const widths = heads.map((head, at) => Math.max(head.length, ...body.map((cells) => cells[at].length)) + 2);
  const rule = (left, middle, right) => left + widths.map((width) => "─".repeat(width)).join(middle) + right;
  const line = (cells) => `│${cells.map((cell, at) => ` ${cell}`.padEnd(widths[at])).join("│")}│`;
  print(
    1,
    [rule("┌", "┬", "┐"), line(heads), rule("├", "┼", "┤"), ...body.map(line), rule("└", "┴", "┘")].join(
      "\n",
    ),
  );
};
const forConsole = (...args) => formatWithOptions({}, ...args);
const ownConsole = {
  log: (...args) => print(1, forConsole(...args)),
  error: (...args) => print(2, forConsole(...args)),
  dir: (value, options) => print(1, inspect(value, { customInspect: false, ...options })),
  table,
  trace: (...args) => print(2, `Trace: ${forConsole(...args)}`),
  assert: (condition, ...args) => {
    if (condition) return;
    if (typeof args[0] === "string") args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift("Assertion failed");
    console.warn(...args);
  },
  group: (...args) => {
    if (args.length > 0) console.log(...args);
    indentation += "  ";
  },
  groupEnd: () => {
    indentation = indentation.slice(2);
  },
  count: (label = "default") => {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    print(1, `${label}: ${counts.get(label)}`);
  },
  countReset: (label = "default") => counts.delete(label),
  time: (label = "default") => times.set(label, host.now()),
  timeEnd: (label = "default") => {
    print(1, `${label}: ${elapsed(label)}`);
    times.delete(label);
  },
  timeLog: (label = "default", ...args) =>
    print(1, [`${label}: ${elapsed(label)}`, ...args.map((arg) => inspect(arg))].join(" ")),
};
ownConsole.info = ownConsole.debug = ownConsole.log;
ownConsole.warn = ownConsole.error;
ownConsole.groupCollapsed = ownConsole.group;
ownConsole.dirxml = ownConsole.log;
for (const [name, call] of Object.entries(ownConsole)) {
  Object.defineProperty(call, "name", { value: name });
  console[name] = call;
}

// Events
class EventEmitter2 {
  #of(name) {
    this._events ??= Object.create(null);
    this._events[name] ??= [];
    return this._events[name];
  }
  on(name, listener) {
    this.#of(name).push({ listener });
    return this;
  }
  prependListener(name, listener) {
    this.#of(name).unshift({ listener });
    return this;
  }
  once(name, listener) {
    this.#of(name).push({ listener, once: true });
    return this;
  }
  off(name, listener) {
    const list = this.#of(name);
    const at = list.findLastIndex((entry) => entry.listener === listener);
    if (at !== -1) list.splice(at, 1);
    return this;
  }
  removeAllListeners(name) {
    if (name === undefined) this._events = Object.create(null);
    else this.#of(name).length = 0;
    return this;
  }
  emit(name, ...args) {
    const list = [...this.#of(name)];
    if (list.length === 0) {
      if (name !== "error") return false;
      throw args[0] instanceof Error ? args[0] : new Error(`Unhandled error. (${inspect(args[0])})`);
    }
    for (const entry of list) {
      if (entry.once) this.#of(name).splice(this.#of(name).indexOf(entry), 1);
      entry.listener.apply(this, args);
    }
    return true;
  }
  listeners(name) {
    return this.#of(name).map(({ listener }) => listener);
  }
  listenerCount(name) {
    return this.#of(name).length;
  }
  eventNames() {
    return Reflect.ownKeys(this._events ?? {}).filter((name) => this._events[name].length > 0);
  }
  setMaxListeners() {
    return this;
  }
  getMaxListeners() {
    return 10;
  }
}
Object.defineProperty(EventEmitter2, "name", { value: "EventEmitter" });
EventEmitter2.prototype.addListener = EventEmitter2.prototype.on;
EventEmitter2.prototype.removeListener = EventEmitter2.prototype.off;
EventEmitter2.EventEmitter = EventEmitter2;
EventEmitter2.once = (emitter, name) =>
  new Promise((resolve, reject) => {
    emitter.once(name, (...args) => resolve(args));
    if (name !== "error") emitter.once("error", reject);
  });
for (const [key, value] of Object.entries(Object.getOwnPropertyDescriptors(EventEmitter2.prototype)))
  Object.defineProperty(EventEmitter2.prototype, key, { ...value, enumerable: false });

// Streams: enough for files and standard input and output.
class ReadStream extends EventEmitter2 {
  #read;
  #encoding = null;
  #isStarted = false;
  constructor(read, encoding) {
    super();
    Object.defineProperty(this, "_events", { value: Object.create(null), writable: true });
    this.#read = read;
    this.#encoding = encoding ?? null;
  }
  setEncoding(encoding) {
    this.#encoding = encoding;
    return this;
  }
  #all() {
    const bytes = this.#read();
    const parts = [];
    for (let at = 0; at < bytes.length; at += 65536) parts.push(asBuffer(bytes.slice(at, at + 65536)));
    if (this.#encoding === null) return parts;
    const text = asBuffer(bytes).toString(this.#encoding);
    return text === "" ? [] : [text];
  }
  on(name, listener) {
    super.on(name, listener);
    if (name === "data" || name === "end" || name === "readable") this.resume();
    return this;
  }
  once(name, listener) {
    super.once(name, listener);
    if (name === "data" || name === "end" || name === "readable") this.resume();
    return this;
  }
  resume() {
    if (this.#isStarted) return this;
    this.#isStarted = true;
    setImmediate(() => {
      let parts;
      try {
        parts = this.#all();
      } catch (error) {
        this.emit("error", error);
        return;
      }
      this.emit("open");
      if (this.listenerCount("readable") > 0) {
        this.#waiting = parts;
        this.emit("readable");
        if (parts.length > 0) this.emit("readable");
      } else for (const part of parts) this.emit("data", part);
      this.emit("end");
      this.emit("close");
    });
    return this;
  }
  #waiting = [];
  read() {
    if (this.#waiting.length === 0) return null;
    const parts = this.#waiting;
    this.#waiting = [];
    return typeof parts[0] === "string" ? parts.join("") : Buffer.concat(parts);
  }
  pause() {
    return this;
  }
  destroy() {
    return this;
  }
  close() {}
  ref() {
    return this;
  }
  unref() {
    return this;
  }
  pipe(target) {
    this.on("data", (part) => target.write(part));
    this.on("end", () => {
      if (target !== process.stdout && target !== process.stderr) target.end();
    });
    return target;
  }
  async *[Symbol.asyncIterator]() {
    this.#isStarted = true;
    yield* this.#all();
  }
}
class WriteStream extends EventEmitter2 {
  #write;
  constructor(write) {
    super();
    Object.defineProperty(this, "_events", { value: Object.create(null), writable: true });
    this.#write = write;
    this.writable = true;
  }
  write(data, encoding, call) {
    this.#write(data, typeof encoding === "string" ? encoding : undefined);
    const done = typeof encoding === "function" ? encoding : call;
    if (typeof done === "function") setImmediate(done);
    return true;
  }
  end(data, encoding, call) {
    if (typeof data === "function") [data, call] = [undefined, data];
    if (data !== undefined && data !== null) this.write(data, encoding);
    this.writable = false;
    setImmediate(() => {
      this.emit("finish");
      this.emit("close");
      if (typeof call === "function") call();
    });
    return this;
  }
  cork() {}
  uncork() {}
  destroy() {
    return this;
  }
}

// Standard input is read once; a second reader finds its end.
let stdinLeft = null;
const readStdin = () => {
  stdinLeft ??= new Uint8Array(host.stdin());
  const all = stdinLeft;
  stdinLeft = new Uint8Array(0);
  return all;
};

// Process
const listeners = new EventEmitter2();
Object.defineProperty(_p, "_events", { value: Object.create(null), writable: true });
for (const name of [
  "on",
  "once",
  "off",
  "emit",
  "addListener",
  "removeListener",
  "listeners",
  "listenerCount",
  "removeAllListeners",
])
  Object.defineProperty(_p, name, {
    value: (...args) =>
      listeners[name](...args) === listeners
        ? _p
        : listeners[name === "emit" ? "eventNames" : "listeners"](args[0]),
    writable: true,
    configurable: true,
  });
const startedMs = host.now();
const exitNow = (code) => host.exit(code);
_p.stdout = new WriteStream((data, encoding) => writeTo(1, data, encoding));
_p.stderr = new WriteStream((data, encoding) => writeTo(2, data, encoding));
_p.stdin = new ReadStream(readStdin);
Object.assign(_p.stdout, { fd: 1, isTTY: false, columns: 80 });
Object.assign(_p.stderr, { fd: 2, isTTY: false, columns: 80 });
Object.assign(_p.stdin, { fd: 0, isTTY: false });
_p.exitCode = undefined;
_p.exit = (code) => {
  if (code !== undefined) _p.exitCode = code;
  runExit();
  exitNow(Number(_p.exitCode ?? 0) & 0xff);
};
let hasExited = false;
const runExit = () => {
  if (hasExited) return;
  hasExited = true;
  listeners.emit("exit", Number(_p.exitCode ?? 0));
};
_p.nextTick = (call, ...args) => queueMicrotask(() => call(...args));
_p.uptime = () => (host.now() - startedMs) / 1000;
_p.hrtime = (since) => {
  const ms = host.now();
  const [seconds, nanos] = [Math.floor(ms / 1000), Math.floor((ms % 1000) * 1e6)];
  if (since === undefined) return [seconds, nanos];
  const total = (seconds - since[0]) * 1e9 + nanos - since[1];
  return [Math.floor(total / 1e9), total % 1e9];
};
_p.hrtime.bigint = () => BigInt(Math.floor(host.now() * 1e6));
_p.memoryUsage = () => ({
  rss: 67108864,
  heapTotal: 67108864,
  heapUsed: 33554432,
  external: 0,
  arrayBuffers: 0,
});
_p.cpuUsage = () => ({ user: Math.floor((host.now() - startedMs) * 1000), system: 0 });
Object.assign(_p, {
  pid: 2,
  ppid: 1,
  title: "node",
  execPath: "/usr/bin/js-exec",
  execArgv: [],
  release: { name: "node" },
  features: {},
  config: {},
});
_p.umask = () => 0o22;
_p.getuid = _p.geteuid = _p.getgid = _p.getegid = () => 1000;
_p.emitWarning = (warning) =>
  print(2, `(node:2) ${warning instanceof Error ? stackOf(warning) : `Warning: ${warning}`}`);
_p.abort = () => _p.exit(134);
_p.kill = () => {
  throw new Error("there are no other processes in this sandbox");
};
_p.chdir = () => {
  throw new Error("process.chdir() is not supported here: cd in bash, before js-exec");
};
_p.binding = undefined;
globalThis.global = globalThis;
globalThis.performance = {
  now: () => host.now() - startedMs,
  timeOrigin: Date.now(),
  mark() {},
  measure() {},
};

// Text and values
globalThis.TextEncoder ??= class TextEncoder {
  get encoding() {
    return "utf-8";
  }
  encode(text = "") {
    return new Uint8Array(_utf8Encode(String(text)));
  }
};
globalThis.TextDecoder ??= class TextDecoder {
  #label;
  constructor(label = "utf-8") {
    this.#label = String(label).toLowerCase();
  }
  get encoding() {
    return this.#label;
  }
  decode(bytes = new Uint8Array(0)) {
    const view = bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : viewOf(bytes);
    const text = asBuffer(view).toString(
      this.#label === "utf-8" ? "utf8" : this.#label === "utf-16le" ? "utf16le" : "latin1",
    );
    return text.startsWith("\ufeff") ? text.slice(1) : text;
  }
};
globalThis.atob = (text) => Buffer.from(String(text), "base64").toString("latin1");
globalThis.btoa = (text) => Buffer.from(String(text), "latin1").toString("base64");
const cloneInto = (value, seen) => {
  if (typeof value === "function" || typeof value === "symbol") {
    const error = new Error(`${String(value)} could not be cloned.`);
    error.name = "DataCloneError";
    throw error;
  }
  if (typeof value !== "object" || value === null) return value;
  if (seen.has(value)) return seen.get(value);
  const keep = (copy) => {
    seen.set(value, copy);
    return copy;
  };
  if (value instanceof Date) return keep(new Date(value.getTime()));
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
  if (value instanceof ArrayBuffer) return keep(value.slice(0));
  if (ArrayBuffer.isView(value)) return keep(value.slice());
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [key, item] of value) copy.set(cloneInto(key, seen), cloneInto(item, seen));
    return copy;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const item of value) copy.add(cloneInto(item, seen));
    return copy;
  }
  if (value instanceof Error) {
    const copy = keep(new Error(value.message));
    copy.name = value.name;
    copy.stack = value.stack;
    return copy;
  }
  const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
  for (const key of Object.keys(value)) copy[key] = cloneInto(value[key], seen);
  return copy;
};
globalThis.structuredClone = (value) => cloneInto(value, new Map());
class AbortSignal2 extends EventEmitter2 {
  aborted = false;
  reason = undefined;
  addEventListener(name, listener) {
    this.on(name, listener);
  }
  removeEventListener(name, listener) {
    this.off(name, listener);
  }
  throwIfAborted() {
    if (this.aborted) throw this.reason;
  }
}
globalThis.AbortController ??= class AbortController {
  signal = new AbortSignal2();
  abort(reason = Object.assign(new Error("This operation was aborted"), { name: "AbortError", code: 20 })) {
    if (this.signal.aborted) return;
    this.signal.aborted = true;
    this.signal.reason = reason;
    this.signal.onabort?.({ type: "abort" });
    this.signal.emit("abort", { type: "abort" });
  }
};

// Files: what the set-up leaves out, and what it answers in another form than Node.
const KIND = { file: 0o100000, directory: 0o040000, link: 0o120000 };
class Stats {
  constructor({ isFile, isDirectory, isSymbolicLink, mode, size, mtime }) {
    const kind = isDirectory ? KIND.directory : isSymbolicLink ? KIND.link : KIND.file;
    const time = new Date(mtime);
    Object.assign(this, {
      dev: 1,
      mode: kind | (mode & 0o7777),
      nlink: 1,
      uid: 1000,
      gid: 1000,
      rdev: 0,
      blksize: 4096,
      ino: 0,
      size,
      blocks: Math.ceil(size / 512),
    });
    for (const name of ["atime", "mtime", "ctime", "birthtime"]) this[`${name}Ms`] = time.getTime();
    for (const name of ["atime", "mtime", "ctime", "birthtime"]) this[name] = time;
    void isFile;
  }
  #is(kind) {
    return (this.mode & 0o170000) === kind;
  }
  isFile() {
    return this.#is(KIND.file);
  }
  isDirectory() {
    return this.#is(KIND.directory);
  }
  isSymbolicLink() {
    return this.#is(KIND.link);
  }
  isFIFO() {
    return false;
  }
  isSocket() {
    return false;
  }
  isBlockDevice() {
    return false;
  }
  isCharacterDevice() {
    return false;
  }
}
class Dirent {
  #stats;
  constructor(name, parentPath, stats) {
    this.name = name;
    this.parentPath = parentPath;
    this.path = parentPath;
    this.#stats = stats;
  }
  isFile() {
    return this.#stats.isFile();
  }
  isDirectory() {
    return this.#stats.isDirectory();
  }
  isSymbolicLink() {
    return this.#stats.isSymbolicLink();
  }
  isFIFO() {
    return false;
  }
}
const isStdin = (path) => path === 0 || path === "/dev/stdin" || path === "/dev/fd/0";
const outputOf = (path) =>
  path === 1 || path === "/dev/stdout" ? 1 : path === 2 || path === "/dev/stderr" ? 2 : null;
const numbers = {
  EPERM: 1,
  ENOENT: 2,
  EIO: 5,
  EBADF: 9,
  EACCES: 13,
  EEXIST: 17,
  EXDEV: 18,
  ENOTDIR: 20,
  EISDIR: 21,
  EINVAL: 22,
  EFBIG: 27,
  ENOSPC: 28,
  EROFS: 30,
  ENAMETOOLONG: 36,
  ENOTEMPTY: 39,
  ELOOP: 40,
  EDQUOT: 122,
};
const failure = (code, text, call, path) => {
  const error = new Error(`${code}: ${text}, ${call} '${path}'`);
  return Object.assign(error, { errno: -(numbers[code] ?? 5), code, syscall: call, path: String(path) });
};
const attempt = (syscall, path, call) => {
  try {
    return call();
  } catch (error) {
    const [, code, text] = /^(E[A-Z0-9]+): ([^,']*)/.exec(error.message) ?? [];
    if (code === undefined) throw error;
    throw failure(code, text.trim(), syscall, path);
  }
};
const baseRead = _fs.readFileSync;
const baseWrite = _fs.writeFileSync;
const baseAppend = _fs.appendFileSync;
const descriptors = new Map();
let lastDescriptor = 20;
const statOf = (call, path, options) => {
  try {
    return new Stats(attempt(call, path, () => orig[call](pathFrom(path))));
  } catch (error) {
    if (options?.throwIfNoEntry === false && error.code === "ENOENT") return undefined;
    throw error;
  }
};
const walk = (folder, below, recursive, into) => {
  for (const name of attempt("scandir", folder, () => orig.readdir(folder))) {
    const path = folder === "/" ? `/${name}` : `${folder}/${name}`;
    const stats = new Stats(orig.lstat(path));
    into.push({ name, folder, below, stats });
    if (recursive && stats.isDirectory()) walk(path, below === "" ? name : `${below}/${name}`, true, into);
  }
  return into;
};
const sync = {
  readFile(path, options) {
    if (isStdin(path)) {
      const bytes = asBuffer(readStdin());
      return encodingIn(options) === null ? bytes : bytes.toString(encodingIn(options));
    }
    if (typeof path === "number") path = descriptorOf(path, "read").path;
    return attempt("open", path, () => baseRead(path, options));
  },
  writeFile(path, data, options) {
    const output = outputOf(path);
    if (output !== null) return writeTo(output, data, encodingIn(options) ?? undefined);
    if (typeof path === "number") path = descriptorOf(path, "write").path;
    if (typeof data === "number" || typeof data === "boolean" || data === undefined || data === null)
      toNative(data);
    if (options?.flag === "wx" && orig.exists(pathFrom(path)))
      throw failure("EEXIST", "file already exists", "open", path);
    attempt("open", path, () => baseWrite(path, data, options));
    if (options?.mode !== undefined) _fs.chmodSync(path, options.mode);
  },
  appendFile(path, data, options) {
    const output = outputOf(path);
    if (output !== null) return writeTo(output, data, encodingIn(options) ?? undefined);
    if (typeof path === "number") path = descriptorOf(path, "write").path;
    attempt("open", path, () => baseAppend(path, data, options));
  },
  stat: (path, options) => statOf("stat", path, options),
  lstat: (path, options) => statOf("lstat", path, options),
  fstat: (descriptor) => statOf("stat", descriptorOf(descriptor, "fstat").path),
  exists(path) {
    try {
      return orig.exists(pathFrom(path));
    } catch {
      return false;
    }
  },
  readdir(path, options) {
    const root = pathFrom(path);
    const recursive = options?.recursive === true;
    if (!recursive && options?.withFileTypes !== true)
      return attempt("scandir", path, () => orig.readdir(root));
    const found = walk(root.length > 1 ? root.replace(/\/+$/, "") : root, "", recursive, []);
    if (options?.withFileTypes === true)
      return found.map(({ name, folder, stats }) => new Dirent(name, folder, stats));
    return found.map(({ name, below }) => (below === "" ? name : `${below}/${name}`));
  },
  mkdir(path, options) {
    const recursive = options?.recursive === true;
    const target = pathFrom(path);
    let first;
    if (recursive) {
      const parts = _path.resolve(_p.cwd(), target).split("/").slice(1);
      for (let at = 1; at <= parts.length && first === undefined; at++) {
        const part = `/${parts.slice(0, at).join("/")}`;
        if (!orig.exists(part)) first = part;
      }
    }
    attempt("mkdir", path, () => orig.mkdir(target, { recursive }));
    const mode = typeof options === "number" ? options : options?.mode;
    if (mode !== undefined) _fs.chmodSync(path, mode);
    return first;
  },
  mkdtemp(prefix) {
    const made = `${prefix}${Array.from({ length: 6 }, () => "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[Math.floor(Math.random() * 62)]).join("")}`;
    orig.mkdir(made);
    return made;
  },
  rm(path, options) {
    const target = pathFrom(path);
    let stats;
    try {
      stats = new Stats(attempt("lstat", path, () => orig.lstat(target)));
    } catch (error) {
      if (options?.force === true && error.code === "ENOENT") return;
      throw error;
    }
    if (stats.isDirectory() && options?.recursive !== true) {
      const error = new Error(`Path is a directory: rm returned EISDIR (is a directory) ${path}`);
      throw Object.assign(error, { name: "SystemError", code: "ERR_FS_EISDIR" });
    }
    attempt("rm", path, () =>
      orig.rm(target, { recursive: options?.recursive === true, force: options?.force === true }),
    );
  },
  unlink(path) {
    const stats = new Stats(attempt("unlink", path, () => orig.lstat(pathFrom(path))));
    if (stats.isDirectory()) throw failure("EISDIR", "illegal operation on a directory", "unlink", path);
    attempt("unlink", path, () => orig.rm(pathFrom(path)));
  },
  rmdir(path, options) {
    const stats = new Stats(attempt("rmdir", path, () => orig.lstat(pathFrom(path))));
    if (!stats.isDirectory()) throw failure("ENOTDIR", "not a directory", "rmdir", path);
    if (options?.recursive !== true && orig.readdir(pathFrom(path)).length > 0)
      throw failure("ENOTEMPTY", "directory not empty", "rmdir", path);
    attempt("rmdir", path, () => orig.rm(pathFrom(path), { recursive: true }));
  },
  rename: (from, to) => attempt("rename", from, () => orig.rename(pathFrom(from), pathFrom(to))),
  copyFile(from, to, mode) {
    if (mode === 1 && orig.exists(pathFrom(to)))
      throw failure("EEXIST", "file already exists", "copyfile", to);
    attempt("copyfile", from, () => orig.copyFile(pathFrom(from), pathFrom(to)));
  },
  cp(from, to, options) {
    const stats = sync.stat(from);
    if (!stats.isDirectory()) return sync.copyFile(from, to);
    if (options?.recursive !== true)
      throw Object.assign(
        new Error(
          `Recursive option not enabled, cannot copy a directory: cp returned EISDIR (${from} is a directory (not copied)) ${from}`,
        ),
        { code: "ERR_FS_EISDIR" },
      );
    sync.mkdir(to, { recursive: true });
    for (const name of orig.readdir(pathFrom(from)))
      sync.cp(`${pathFrom(from)}/${name}`, `${pathFrom(to)}/${name}`, options);
  },
  symlink: (target, path) => attempt("symlink", path, () => orig.symlink(String(target), pathFrom(path))),
  link: (existing, path) =>
    attempt("link", path, () => host.link(intoName(pathFrom(existing)), intoName(pathFrom(path)))),
  readlink: (path) => attempt("readlink", path, () => orig.readlink(pathFrom(path))),
  realpath: (path) => attempt("lstat", path, () => orig.realpath(pathFrom(path))),
  open(path, flags = "r", mode = undefined) {
    const name = typeof flags === "number" ? ["r", "w", "r+"][flags & 3] : flags;
    const target = pathFrom(path);
    if (name.includes("x") && orig.exists(target))
      throw failure("EEXIST", "file already exists", "open", path);
    if (name.startsWith("w")) sync.writeFile(target, "", mode === undefined ? {} : { mode });
    else if (name.startsWith("a")) sync.appendFile(target, "");
    else if (!isStdin(target)) attempt("open", path, () => orig.stat(target));
    descriptors.set(++lastDescriptor, { path: target, at: 0, appends: name.startsWith("a") });
    return lastDescriptor;
  },
  close: (descriptor) => {
    if (descriptor > 2) descriptorOf(descriptor, "close");
    descriptors.delete(descriptor);
  },
  read(
    descriptor,
    buffer,
    offset = 0,
    length = buffer.byteLength - (typeof offset === "number" ? offset : 0),
    position = null,
  ) {
    if (typeof offset === "object" && offset !== null)
      ({ offset = 0, length = buffer.byteLength - offset, position = null } = offset);
    let content;
    if (descriptor === 0) {
      content = stdinLeft ?? new Uint8Array(host.stdin());
      const part = content.subarray(0, length);
      stdinLeft = content.subarray(part.length);
      viewOf(buffer).set(part, offset);
      return part.length;
    }
    const file = descriptorOf(descriptor, "read");
    content = new Uint8Array(orig.readFileBuffer(file.path));
    const at = position ?? file.at;
    const part = content.subarray(at, at + length);
    viewOf(buffer).set(part, offset);
    if (position === null) file.at += part.length;
    return part.length;
  },
  write(descriptor, data, offset, length, position = null) {
    const bytes =
      typeof data === "string"
        ? new Uint8Array(encodeText(data))
        : viewOf(data).subarray(offset ?? 0, length === undefined ? undefined : (offset ?? 0) + length);
    if (descriptor === 1 || descriptor === 2) {
      writeTo(descriptor, bytes);
      return bytes.length;
    }
    const file = descriptorOf(descriptor, "write");
    if (file.appends) orig.appendFile(file.path, new Uint8Array(bytes).buffer);
    else {
      const at = (typeof data === "string" ? offset : position) ?? file.at;
      const old = new Uint8Array(orig.readFileBuffer(file.path));
      if (at === old.length) orig.appendFile(file.path, new Uint8Array(bytes).buffer);
      else {
        const next = new Uint8Array(Math.max(old.length, at + bytes.length));
        next.set(old);
        next.set(bytes, at);
        orig.writeFile(file.path, next.buffer);
      }
      file.at = at + bytes.length;
    }
    return bytes.length;
  },
  fsync() {},
};
const descriptorOf = (descriptor, call) => {
  const found = descriptors.get(descriptor);
  if (found !== undefined) return found;
  throw Object.assign(new Error(`EBADF: bad file descriptor, ${call}`), {
    errno: -9,
    code: "EBADF",
    syscall: call,
  });
};
for (const name of ["truncate", "utimes", "chmod", "access"]) {
  const call = _fs[`${name}Sync`];
  sync[name] = (path, ...args) => attempt(name, path, () => call(path, ...args));
}
sync.fdatasync = sync.fsync;
sync.opendir = (path) => {
  const entries = sync.readdir(path, { withFileTypes: true });
  return {
    path,
    readSync: () => entries.shift() ?? null,
    closeSync() {},
    close: async () => undefined,
    read: async () => entries.shift() ?? null,
    async *[Symbol.asyncIterator]() {
      yield* entries;
    },
  };
};
for (const [name, call] of Object.entries(sync)) {
  _fs[`${name}Sync`] = call;
  _fs.promises[name] = async (...args) => call(...args);
  _fs[name] = (...args) => {
    const done = args.pop();
    if (typeof done !== "function") {
      const error = new TypeError(`The "cb" argument must be of type function. Received ${inspect(done)}`);
      throw Object.assign(error, { code: "ERR_INVALID_ARG_TYPE" });
    }
    setImmediate(() => {
      let result;
      try {
        result = call(...args);
      } catch (error) {
        done(error);
        return;
      }
      if (name === "exists") done(result);
      else done(null, result);
    });
  };
}
_fs.realpathSync.native = _fs.realpathSync;
_fs.promises.open = async (path, flags) => {
  const fd = sync.open(path, flags);
  return {
    fd,
    readFile: async (options) => sync.readFile(descriptorOf(fd, "read").path, options),
    writeFile: async (data, options) => sync.writeFile(descriptorOf(fd, "write").path, data, options),
    appendFile: async (data, options) => sync.appendFile(descriptorOf(fd, "write").path, data, options),
    write: async (data) => ({ bytesWritten: sync.write(fd, data), buffer: data }),
    read: async (buffer, ...rest) => ({ bytesRead: sync.read(fd, buffer, ...rest), buffer }),
    stat: async () => sync.fstat(fd),
    close: async () => sync.close(fd),
    readLines: () => readLines(() => sync.readFile(descriptorOf(fd, "read").path)),
  };
};
_fs.createReadStream = (path, options) => {
  const stream = new ReadStream(() => {
    const whole = sync.readFile(path);
    return whole.subarray(options?.start ?? 0, options?.end === undefined ? undefined : options.end + 1);
  }, encodingIn(options));
  stream.path = path;
  return stream;
};
_fs.createWriteStream = (path, options) => {
  const flags = typeof options === "object" ? (options?.flags ?? "w") : "w";
  if (!flags.startsWith("a")) sync.writeFile(path, "");
  const stream = new WriteStream((data, encoding) => sync.appendFile(path, data, encoding));
  stream.path = path;
  setImmediate(() => stream.emit("open"));
  return stream;
};
_fs.constants = {
  F_OK: 0,
  R_OK: 4,
  W_OK: 2,
  X_OK: 1,
  COPYFILE_EXCL: 1,
  O_RDONLY: 0,
  O_WRONLY: 1,
  O_RDWR: 2,
  O_CREAT: 64,
  O_EXCL: 128,
  O_TRUNC: 512,
  O_APPEND: 1024,
  S_IFMT: 0o170000,
  S_IFREG: KIND.file,
  S_IFDIR: KIND.directory,
  S_IFLNK: KIND.link,
};
_fs.promises.constants = _fs.constants;
Object.assign(_fs, { Stats, Dirent });
_fs.watch = _fs.watchFile = () => {
  throw new Error(
    "fs.watch is not available in this sandbox: nothing else changes files while a script runs",
  );
};

// readline, over standard input or a stream
async function* readLines(read) {
  const text = asBuffer(read()).toString("utf8");
  if (text === "") return;
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  yield* lines;
}
const createInterface = (input, output) => {
  const options = input instanceof ReadStream ? { input, output } : input;
  const emitter = new EventEmitter2();
  let lines = null;
  const load = async () => {
    const parts = [];
    for await (const part of options.input) parts.push(typeof part === "string" ? Buffer.from(part) : part);
    lines = [];
    for await (const line of readLines(() => Buffer.concat(parts))) lines.push(line);
  };
  let isClosed = false;
  let isStarted = false;
  const start = () => {
    if (isStarted) return;
    isStarted = true;
    setImmediate(async () => {
      if (lines === null) await load();
      while (lines.length > 0 && !isClosed) {
        if (waiting.length > 0) waiting.shift()(lines.shift());
        else if (emitter.listenerCount("line") > 0) emitter.emit("line", lines.shift());
        else {
          isStarted = false;
          return;
        }
        await null;
      }
      if (!isClosed && lines.length === 0) emitter.close();
    });
  };
  const waiting = [];
  const on = emitter.on;
  emitter.on = (name, listener) => {
    on.call(emitter, name, listener);
    if (name === "line" || name === "close") start();
    return emitter;
  };
  emitter.once = (name, listener) => {
    EventEmitter2.prototype.once.call(emitter, name, listener);
    if (name === "line" || name === "close") start();
    return emitter;
  };
  emitter.close = () => {
    if (isClosed) return;
    isClosed = true;
    emitter.emit("close");
  };
  const ask = (question, done) => {
    options.output?.write(question);
    waiting.push(done);
    start();
  };
  emitter.question = (question, settings, done) => {
    if (typeof settings === "function") ask(question, settings);
    else if (typeof done === "function") ask(question, done);
    else return new Promise((resolve) => ask(question, resolve));
  };
  emitter.setPrompt = (text) => {
    emitter.promptText = text;
  };
  emitter.prompt = () => {
    options.output?.write(emitter.promptText ?? "> ");
    start();
  };
  emitter.pause = emitter.resume = () => emitter;
  emitter[Symbol.asyncIterator] = async function* () {
    isStarted = true;
    if (lines === null) await load();
    while (lines.length > 0) yield lines.shift();
  };
  return emitter;
};

// Utilities
const isDeepEqual = (a, b, isStrict, seen = new Map()) => {
  if (isStrict ? Object.is(a, b) : a == b || (a !== a && b !== b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (isStrict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (seen.get(a) === b) return true;
  seen.set(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  if (a instanceof RegExp) return b instanceof RegExp && String(a) === String(b);
  if (a instanceof Error && (a.message !== b.message || a.name !== b.name)) return false;
  if (a instanceof Set)
    return (
      b instanceof Set &&
      a.size === b.size &&
      [...a].every((item) => b.has(item) || [...b].some((other) => isDeepEqual(item, other, isStrict, seen)))
    );
  if (a instanceof Map)
    return (
      b instanceof Map &&
      a.size === b.size &&
      [...a].every(([key, item]) => b.has(key) && isDeepEqual(item, b.get(key), isStrict, seen))
    );
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  if (Array.isArray(a) && a.length !== b.length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isDeepEqual(a[key], b[key], isStrict, seen));
};
const promisify = (call) => {
  if (typeof call[promisify.custom] === "function") return call[promisify.custom];
  return (...args) =>
    new Promise((resolve, reject) =>
      call(...args, (error, value) => (error ? reject(error) : resolve(value))),
    );
};
promisify.custom = Symbol.for("nodejs.util.promisify.custom");
globalThis.setTimeout[promisify.custom] = (delayMs, value) =>
  new Promise((resolve) => setTimeout(resolve, delayMs, value));
const isTag = (tag) => (value) => Object.prototype.toString.call(value) === `[object ${tag}]`;
const util = {
  ..._util,
  inspect,
  format,
  formatWithOptions,
  promisify,
  callbackify:
    (call) =>
    (...args) => {
      const done = args.pop();
      call(...args).then(
        (value) => setImmediate(done, null, value),
        (error) => setImmediate(done, error),
      );
    },
  deprecate: (call) => call,
  isDeepStrictEqual: (a, b) => isDeepEqual(a, b, true),
  stripVTControlCharacters: (text) => text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, ""),
  toUSVString: (text) => String(text).toWellFormed(),
  TextEncoder: globalThis.TextEncoder,
  TextDecoder: globalThis.TextDecoder,
  isArray: Array.isArray,
  debuglog: () => () => undefined,
  types: {
    ..._util.types,
    isPromise: (value) => value instanceof Promise,
    isNativeError: (value) => value instanceof Error,
    isTypedArray: (value) => ArrayBuffer.isView(value) && !(value instanceof DataView),
    isUint8Array: (value) => value instanceof Uint8Array,
    isAsyncFunction: isTag("AsyncFunction"),
    isGeneratorFunction: isTag("GeneratorFunction"),
    isArrayBuffer: (value) => value instanceof ArrayBuffer,
    isAnyArrayBuffer: (value) => value instanceof ArrayBuffer,
  },
};

class AssertionError extends Error {
  constructor({ message, actual, expected, operator }) {
    super(message);
    this.name = "AssertionError";
    Object.assign(this, { code: "ERR_ASSERTION", actual, expected, operator, generatedMessage: false });
  }
}
const refuse = (message, actual, expected, operator, told) => {
  if (message instanceof Error) throw message;
  throw new AssertionError({ message: message ?? told, actual, expected, operator });
};
const compare = (operator, holds, words) => (actual, expected, message) => {
  if (!holds(actual, expected))
    refuse(message, actual, expected, operator, `${words}\n\n${inspect(actual)} !== ${inspect(expected)}\n`);
};
const matches = (error, expected) => {
  if (expected === undefined) return true;
  if (expected instanceof RegExp) return expected.test(String(error));
  if (typeof expected === "function") {
    if (expected.prototype !== undefined && error instanceof expected) return true;
    return !(expected.prototype instanceof Error || expected === Error) && expected(error) === true;
  }
  return Object.keys(expected).every((key) =>
    expected[key] instanceof RegExp
      ? expected[key].test(error[key])
      : isDeepEqual(error[key], expected[key], true),
  );
};
const assert = (value, message) => {
  if (!value) refuse(message, value, true, "==", "The expression evaluated to a falsy value");
};
Object.assign(assert, {
  ok: assert,
  AssertionError,
  equal: compare("==", (a, b) => a == b || (a !== a && b !== b), "Expected values to be loosely equal:"),
  notEqual: compare("!=", (a, b) => a != b, 'Expected "actual" to be loosely unequal to:'),
  strictEqual: compare("strictEqual", Object.is, "Expected values to be strictly equal:"),
  notStrictEqual: compare(
    "notStrictEqual",
    (a, b) => !Object.is(a, b),
    'Expected "actual" to be strictly unequal to:',
  ),
  deepEqual: compare(
    "deepEqual",
    (a, b) => isDeepEqual(a, b, false),
    "Expected values to be loosely deep-equal:",
  ),
  deepStrictEqual: compare(
    "deepStrictEqual",
    (a, b) => isDeepEqual(a, b, true),
    "Expected values to be strictly deep-equal:",
  ),
  notDeepEqual: compare(
    "notDeepEqual",
    (a, b) => !isDeepEqual(a, b, false),
    'Expected "actual" not to be loosely deep-equal to:',
  ),
  notDeepStrictEqual: compare(
    "notDeepStrictEqual",
    (a, b) => !isDeepEqual(a, b, true),
    'Expected "actual" not to be strictly deep-equal to:',
  ),
  match: compare(
    "match",
    (text, pattern) => pattern.test(text),
    "The input did not match the regular expression:",
  ),
  doesNotMatch: compare(
    "doesNotMatch",
    (text, pattern) => !pattern.test(text),
    "The input was expected to not match the regular expression:",
  ),
  fail: (message = "Failed") => refuse(message, undefined, undefined, "fail", "Failed"),
  ifError: (value) => {
    if (value !== null && value !== undefined) throw value;
  },
  throws: (call, expected, message) => {
    let thrown;
    try {
      call();
    } catch (error) {
      thrown = { error };
    }
    if (thrown === undefined)
      refuse(
        typeof expected === "string" ? expected : message,
        undefined,
        expected,
        "throws",
        "Missing expected exception.",
      );
    if (typeof expected !== "string" && !matches(thrown.error, expected)) throw thrown.error;
  },
  doesNotThrow: (call) => {
    call();
  },
  rejects: async (promise, expected, message) => {
    let thrown;
    try {
      await (typeof promise === "function" ? promise() : promise);
    } catch (error) {
      thrown = { error };
    }
    if (thrown === undefined) refuse(message, undefined, expected, "rejects", "Missing expected rejection.");
    if (!matches(thrown.error, expected)) throw thrown.error;
  },
  doesNotReject: async (promise) => {
    await (typeof promise === "function" ? promise() : promise);
  },
});
assert.strict = assert;

const bytesOfInput = (data, encoding) => {
  const bytes = typeof data === "string" ? new Uint8Array(encodeText(data, encoding)) : viewOf(data);
  return new Uint8Array(bytes).buffer;
};
const hashing = (kind, algorithm, key) => {
  const parts = [];
  const result = {
    update(data, encoding) {
      parts.push(Buffer.from(bytesOfInput(data, encoding)));
      return result;
    },
    digest(encoding) {
      const bytes = asBuffer(
        host.hash(kind, algorithm, key ?? new ArrayBuffer(0), new Uint8Array(Buffer.concat(parts)).buffer),
      );
      return encoding === undefined || encoding === "buffer" ? bytes : bytes.toString(encoding);
    },
  };
  if (kind === "hash") host.hash(kind, algorithm, new ArrayBuffer(0), new ArrayBuffer(0));
  return result;
};
const crypto = {
  createHash: (algorithm) => hashing("hash", algorithm),
  createHmac: (algorithm, key) => hashing("hmac", algorithm, bytesOfInput(key)),
  hash: (algorithm, data, encoding = "hex") => hashing("hash", algorithm).update(data).digest(encoding),
  randomBytes: (size) => asBuffer(host.random(size)),
  randomUUID: () => {
    const bytes = asBuffer(host.random(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  },
  randomInt: (low, high) => {
    const [from, to] = high === undefined ? [0, low] : [low, high];
    return from + Math.floor(Math.random() * (to - from));
  },
  getRandomValues: (array) => {
    viewOf(array).set(new Uint8Array(host.random(array.byteLength)));
    return array;
  },
  timingSafeEqual: (a, b) => Buffer.compare(a, b) === 0,
  getHashes: () => ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"],
};
crypto.webcrypto = crypto;
globalThis.crypto = { randomUUID: crypto.randomUUID, getRandomValues: crypto.getRandomValues };
const zlib = {};
for (const name of [
  "gzip",
  "gunzip",
  "deflate",
  "inflate",
  "deflateRaw",
  "inflateRaw",
  "unzip",
  "brotliCompress",
  "brotliDecompress",
]) {
  zlib[`${name}Sync`] = (data) => asBuffer(host.zlib(name, bytesOfInput(data)));
  zlib[name] = (data, options, done) => {
    const call = typeof options === "function" ? options : done;
    setImmediate(() => {
      let result;
      try {
        result = zlib[`${name}Sync`](data);
      } catch (error) {
        call(error);
        return;
      }
      call(null, result);
    });
  };
}

// Child processes are commands of the sandbox's own shell.
const told = (text, options) =>
  encodingIn(options) === null || encodingIn(options) === "buffer" ? Buffer.from(text) : text;
const runShell = (command, options) => {
  const input =
    options?.input === undefined ? undefined : asBuffer(bytesOfInput(options.input)).toString("utf8");
  const inside =
    options?.cwd === undefined ? command : `cd ${shellWord(String(options.cwd))} && { ${command}\n}`;
  const variables =
    options?.env === undefined
      ? ""
      : `export ${Object.entries(options.env)
          .map(([name, value]) => `${name}=${shellWord(String(value))}`)
          .join(" ")}; `;
  return _execFn(variables + inside, input === undefined ? undefined : { stdin: input });
};
const shellWord = (text) => `'${text.replaceAll("'", "'\\''")}'`;
const childFailure = (command, result, options) =>
  Object.assign(new Error(`Command failed: ${command}\n${result.stderr}`.trimEnd()), {
    status: result.exitCode,
    code: result.exitCode,
    signal: null,
    output: [null, told(result.stdout, options), told(result.stderr, options)],
    pid: 0,
    stdout: told(result.stdout, options),
    stderr: told(result.stderr, options),
  });
const execSync = (command, options) => {
  const result = runShell(command, options);
  if (result.stderr !== "" && (options?.stdio === undefined || options.stdio === "inherit"))
    writeTo(2, result.stderr);
  if (options?.stdio === "inherit") writeTo(1, result.stdout);
  if (result.exitCode !== 0) throw childFailure(command, result, options);
  return options?.stdio === "inherit" || options?.stdio === "ignore" ? null : told(result.stdout, options);
};
const commandOf = (file, args, options) =>
  options?.shell
    ? [file, ...(args ?? [])].join(" ")
    : [file, ...(args ?? [])].map((word) => shellWord(String(word))).join(" ");
const spawnSync = (file, args, options) => {
  if (!Array.isArray(args)) [args, options] = [[], args];
  const result = runShell(commandOf(file, args, options), options);
  if (options?.stdio === "inherit") {
    writeTo(1, result.stdout);
    writeTo(2, result.stderr);
  }
  const output = [null, told(result.stdout, options), told(result.stderr, options)];
  return { pid: 0, output, stdout: output[1], stderr: output[2], status: result.exitCode, signal: null };
};
const execLater = (command, options, done) => {
  const emitter = new EventEmitter2();
  setImmediate(() => {
    const result = runShell(command, options);
    const settings = { encoding: "utf8", ...options };
    const error = result.exitCode === 0 ? null : childFailure(command, result, settings);
    done?.(error, told(result.stdout, settings), told(result.stderr, settings));
    emitter.emit("exit", result.exitCode, null);
    emitter.emit("close", result.exitCode, null);
  });
  return emitter;
};
const exec = (command, options, done) =>
  typeof options === "function" ? execLater(command, {}, options) : execLater(command, options, done);
exec[promisify.custom] = (command, options) =>
  new Promise((resolve, reject) =>
    execLater(command, options, (error, stdout, stderr) =>
      error ? reject(error) : resolve({ stdout, stderr }),
    ),
  );
const execFile = (file, args, options, done) => {
  if (!Array.isArray(args)) [args, options, done] = [[], args, options];
  if (typeof options === "function") [options, done] = [{}, options];
  return execLater(commandOf(file, args), options, done);
};
execFile[promisify.custom] = (file, args, options) =>
  new Promise((resolve, reject) =>
    execFile(file, args ?? [], options ?? {}, (error, stdout, stderr) =>
      error ? reject(error) : resolve({ stdout, stderr }),
    ),
  );
const spawn = (file, args, options) => {
  if (!Array.isArray(args)) [args, options] = [[], args];
  const child = new EventEmitter2();
  let result;
  const run = () =>
    (result ??= runShell(commandOf(file, args, options), {
      ...options,
      input: written.length > 0 ? Buffer.concat(written) : undefined,
    }));
  const written = [];
  child.stdout = new ReadStream(() => Buffer.from(run().stdout));
  child.stderr = new ReadStream(() => Buffer.from(run().stderr));
  child.stdin = new WriteStream((data, encoding) => written.push(Buffer.from(bytesOfInput(data, encoding))));
  child.pid = 0;
  child.kill = () => false;
  setTimeout(() => {
    const { exitCode, stdout, stderr } = run();
    if (options?.stdio === "inherit") {
      writeTo(1, stdout);
      writeTo(2, stderr);
    }
    setTimeout(() => {
      child.emit("exit", exitCode, null);
      child.emit("close", exitCode, null);
    }, 1);
  }, 1);
  return child;
};
const childProcess = {
  exec,
  execSync,
  execFile,
  execFileSync: (file, args, options) => {
    if (!Array.isArray(args)) [args, options] = [[], args];
    return execSync(commandOf(file, args), options);
  },
  spawn,
  spawnSync,
  fork: () => {
    throw new Error("child_process.fork is not available in this sandbox: run js-exec from bash");
  },
};

const ownUrl = {
  ..._modules.url,
  fileURLToPath: (url) => decodeURIComponent(String(url.href ?? url).replace(/^file:\/\//, "")),
  pathToFileURL: (path) =>
    new URL(`file://${_path.resolve(path).split("/").map(encodeURIComponent).join("/")}`),
};
const sleep = (delayMs, value) => new Promise((resolve) => setTimeout(resolve, delayMs, value));
Object.assign(_modules, {
  assert,
  buffer: { Buffer, kMaxLength: 2 ** 30, constants: { MAX_LENGTH: 2 ** 30 }, atob, btoa },
  "assert/strict": assert,
  child_process: childProcess,
  console,
  constants: _fs.constants,
  crypto,
  events: EventEmitter2,
  "fs/promises": _fs.promises,
  module: { createRequire: () => globalThis.require, builtinModules: [] },
  "path/posix": _modules.path,
  perf_hooks: { performance: globalThis.performance },
  process: _p,
  readline: { createInterface, Interface: EventEmitter2, clearLine() {}, cursorTo() {} },
  "readline/promises": { createInterface },
  "stream/promises": {
    pipeline: async (...streams) => {
      for await (const part of streams[0]) streams.at(-1).write(part);
      streams.at(-1).end();
    },
  },
  timers: { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate },
  "timers/promises": {
    setTimeout: sleep,
    setImmediate: (value) => sleep(0, value),
    scheduler: { wait: sleep },
  },
  url: ownUrl,
  util,
  "util/types": util.types,
  zlib,
});
_modules.os = {
  ..._modules.os,
  homedir: () => _p.env.HOME ?? "/home/user",
  hostname: () => "localhost",
  release: () => "5.0.0",
  userInfo: () => ({ uid: 1000, gid: 1000, username: "user", homedir: "/home/user", shell: "/bin/bash" }),
  availableParallelism: () => 1,
  cpus: () => [{ model: "sandbox", speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
  totalmem: () => 67108864,
  freemem: () => 33554432,
  loadavg: () => [0, 0, 0],
  uptime: () => _p.uptime(),
  networkInterfaces: () => ({}),
  machine: () => "x86_64",
  constants: { signals: {}, errno: {} },
  devNull: "/dev/null",
};
globalThis.URL ??= _modules.url.URL;

// Modules of files
const loaded = Object.create(null);
const isFile = (path) => {
  try {
    return orig.exists(path) && orig.stat(path).isFile === true;
  } catch {
    return false;
  }
};
const fileOf = (path) => {
  for (const end of [
    "",
    ".js",
    ".cjs",
    ".mjs",
    ".ts",
    ".json",
    "/package.json",
    "/index.js",
    "/index.json",
  ]) {
    if (!isFile(path + end)) continue;
    if (end !== "/package.json") return path + end;
    const { main } = JSON.parse(orig.readFile(path + end));
    const found = typeof main === "string" ? fileOf(_path.join(path, main)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};
const resolveFrom = (folder, name) => {
  if (
    name.startsWith("/") ||
    name.startsWith("./") ||
    name.startsWith("../") ||
    name === "." ||
    name === ".."
  )
    return fileOf(_path.resolve(folder, name));
  for (let at = folder; ; at = _path.dirname(at)) {
    const found = fileOf(_path.join(at, "node_modules", name));
    if (found !== undefined || at === "/") return found;
  }
};
const missing = (name, from) =>
  Object.assign(
    new Error(
      Object.hasOwn(_unsupported, name)
        ? `Module '${name}' is not available in the js-exec sandbox. ${_unsupported[name]} Run 'js-exec --help' for available modules.`
        : `Cannot find module '${name}'\nRequire stack:\n- ${from}`,
    ),
    { code: "MODULE_NOT_FOUND", requireStack: [from] },
  );
const requireFrom = (file) => {
  const folder = _path.dirname(file);
  const find = (name) => {
    const path = resolveFrom(folder, name);
    if (path === undefined) throw missing(name, file);
    return path;
  };
  const require = (name) => {
    if (typeof name !== "string")
      throw Object.assign(
        new TypeError(`The "id" argument must be of type string. Received ${inspect(name)}`),
        { code: "ERR_INVALID_ARG_TYPE" },
      );
    const bare = name.startsWith("node:") ? name.slice(5) : name;
    if (Object.hasOwn(_modules, bare)) return _modules[bare];
    const path = find(name);
    if (Object.hasOwn(loaded, path)) return loaded[path].exports;
    const module = {
      exports: {},
      id: path,
      filename: path,
      path: _path.dirname(path),
      loaded: false,
      children: [],
      paths: [],
    };
    loaded[path] = module;
    try {
      if (path.endsWith(".json")) {
        const text = orig.readFile(path);
        try {
          module.exports = JSON.parse(text);
        } catch (error) {
          throw Object.assign(error, { message: `${path}: ${error.message}` });
        }
      } else {
        const call = host.compile(path);
        call.call(module.exports, module.exports, requireFrom(path), module, path, _path.dirname(path));
      }
    } catch (error) {
      delete loaded[path];
      throw error;
    }
    module.loaded = true;
    return module.exports;
  };
  require.resolve = (name) => (Object.hasOwn(_modules, name.replace(/^node:/, "")) ? name : find(name));
  require.cache = loaded;
  require.main = mainModule;
  return require;
};
const mainFile = host.mainFile();
const mainModule = {
  exports: {},
  id: ".",
  filename: mainFile,
  path: _path.dirname(mainFile),
  loaded: false,
  children: [],
  paths: [],
};
globalThis.require = requireFrom(mainFile);
globalThis.module = mainModule;
globalThis.exports = mainModule.exports;
globalThis.__filename = host.isFile() ? mainFile : "[eval]";
globalThis.__dirname = host.isFile() ? _path.dirname(mainFile) : ".";
_modules.module.createRequire = (from) => requireFrom(String(from.href ?? from).replace(/^file:\/\//, ""));

// How `quickjs-run.ts` drives all this.
globalThis[Symbol.for("jb:run")] = {
  /** Runs what is due; then says for how many milliseconds there is nothing to do, or -1 when nothing is left. */
  turn() {
    if (failures.length > 0) throw failures.shift();
    const now = host.now();
    let next = null;
    for (const [id, timer] of timers) {
      if (timer.at <= now && (next === null || timer.at < next[1].at)) next = [id, timer];
    }
    if (next !== null) {
      const [id, timer] = next;
      if (timer.repeats) timer.at = now + timer.every;
      else timers.delete(id);
      timer.call(...timer.args);
      return 0;
    }
    let soonest = Infinity;
    let isHeld = false;
    for (const timer of timers.values()) {
      if (timer.isLoose !== true) isHeld = true;
      if (timer.at < soonest) soonest = timer.at;
    }
    return isHeld ? Math.max(0, soonest - now) : -1;
  },
  /** After everything: listeners of `beforeExit` may add work. */
  beforeExit() {
    listeners.emit("beforeExit", Number(_p.exitCode ?? 0));
    return timers.size > 0;
  },
  exitCode() {
    runExit();
    return Number(_p.exitCode ?? 0) & 0xff;
  },
  /** An error that nobody caught, as a text; empty when a listener took it. */
  uncaught(error, kind) {
    const isError = error instanceof Error;
    if (listeners.listenerCount(kind) > 0) {
      listeners.emit(kind, error, kind === "unhandledRejection" ? resolved : "uncaughtException");
      return "";
    }
    return isError ? inspect(error) : `Uncaught ${inspect(error)}`;
  },
  /** Names that a module exports to `import { … }`. */
  names(name) {
    const found = Object.hasOwn(_modules, name) ? _modules[name] : undefined;
    return found === undefined
      ? undefined
      : Object.keys(found)
          .filter((key) => isPlainKey.test(key) && key !== "default")
          .join(" ");
  },
  /** Names of a module in CommonJS, which is run for it. */
  commonNames(path) {
    const found = globalThis.require(path);
    return typeof found === "object" && found !== null
      ? Object.keys(found)
          .filter((key) => isPlainKey.test(key) && key !== "default")
          .join(" ")
      : "";
  },
  modules: _modules,
};
