/**
 * `util.inspect` and `util.format` of `js-exec`, as Node 20 prints values: run in QuickJS inside just-bash's set-up.
 * just-bash printed JSON, where `undefined`, Maps, classes, errors and functions are lost without a word.
 * One file because every rule is part of one recursion over one value.
 */
// biome-ignore-all lint/correctness/noUnusedVariables: `quickjs-node.js` is the rest of the same program
const inspectCustom = Symbol.for("nodejs.util.inspect.custom");
const isPlainKey = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
const escapes = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\" };

const quoted = (text) => {
  let quote = "'";
  if (text.includes("'")) {
    if (!text.includes('"')) quote = '"';
    else if (!text.includes("`") && !text.includes("${")) quote = "`";
  }
  let body = "";
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    const code = text.charCodeAt(at);
    const isLone =
      code >= 0xd800 &&
      code <= 0xdfff &&
      !(code < 0xdc00 && text.charCodeAt(at + 1) >= 0xdc00 && text.charCodeAt(at + 1) <= 0xdfff) &&
      !(code >= 0xdc00 && text.charCodeAt(at - 1) >= 0xd800 && text.charCodeAt(at - 1) < 0xdc00);
    if (char === quote && quote === "'") body += "\\'";
    else if (escapes[char] !== undefined) body += escapes[char];
    else if (code < 0x20 || (code >= 0x7f && code <= 0x9f))
      body += `\\x${code.toString(16).toUpperCase().padStart(2, "0")}`;
    else if (isLone) body += `\\u${code.toString(16).toUpperCase()}`;
    else body += char;
  }
  return quote + body + quote;
};

const numberText = (value) => (Object.is(value, -0) ? "-0" : `${value}`);

const constructorName = (value) => {
  for (let at = value; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) {
    const descriptor = Object.getOwnPropertyDescriptor(at, "constructor");
    if (typeof descriptor?.value === "function" && descriptor.value.name !== "") return descriptor.value.name;
    if (at !== value && Object.getPrototypeOf(at) === null) break;
  }
  return null;
};

const prefixOf = (value, name, fallback, size = "") => {
  let tag = value[Symbol.toStringTag];
  if (typeof tag !== "string" || tag === "" || tag === name) tag = "";
  const shown = tag === "" ? "" : `[${tag}] `;
  return name === null ? `[${fallback}${size}: null prototype] ${shown}` : `${name}${size} ${shown}`;
};

const stackOf = (error) => {
  const name = typeof error.name === "string" ? error.name : "Error";
  const title = error.message === "" ? name : `${name}: ${error.message}`;
  const stack = typeof error.stack === "string" ? error.stack.trimEnd() : "";
  if (stack.startsWith(title)) return stack;
  return stack === "" ? `[${title}]` : `${title}\n${stack}`;
};

const group = (context, output, value) => {
  let total = 0;
  let longest = 0;
  const count = output.length - (context.hasMore ? 1 : 0);
  const lengths = [];
  for (let at = 0; at < count; at++) {
    const { length } = output[at];
    lengths.push(length);
    total += length + 2;
    if (longest < length) longest = length;
  }
  const actual = longest + 2;
  if (actual * 3 + context.indent >= context.breakLength || !(total / actual > 5 || longest <= 6))
    return output;
  const bias = Math.max(actual - 3 - Math.sqrt(actual - total / output.length), 1);
  const columns = Math.min(
    Math.round(Math.sqrt(2.5 * bias * count) / bias),
    Math.floor((context.breakLength - context.indent) / actual),
    context.compact * 4,
    15,
  );
  if (columns <= 1) return output;
  const widths = [];
  for (let column = 0; column < columns; column++) {
    let width = 0;
    for (let at = column; at < count; at += columns) if (lengths[at] > width) width = lengths[at];
    widths.push(width + 2);
  }
  const isNumbers = value?.every((item) => typeof item === "number" || typeof item === "bigint");
  const lines = [];
  for (let at = 0; at < count; at += columns) {
    const end = Math.min(at + columns, count);
    let line = "";
    for (let index = at; index < end - 1; index++)
      line += isNumbers
        ? `${output[index]}, `.padStart(widths[index - at])
        : `${output[index]}, `.padEnd(widths[index - at]);
    line += isNumbers ? output[end - 1].padStart(widths[end - 1 - at] - 2) : output[end - 1];
    lines.push(line);
  }
  if (context.hasMore) lines.push(output[count]);
  return lines;
};

const joined = (context, output, base, braces, isList, depth, value) => {
  const { compact } = context;
  let lines = output;
  if (typeof compact === "number" && compact >= 1) {
    const entries = output.length;
    if (isList && entries > 6) lines = group(context, output, value);
    if (context.currentDepth - depth < compact && entries === lines.length) {
      const start = lines.length + context.indent + braces[0].length + base.length + 10;
      const length = lines.reduce((sum, line) => sum + line.length, lines.length + start);
      const line = lines.join(", ");
      if (length <= context.breakLength && !base.includes("\n") && !line.includes("\n"))
        return `${base === "" ? "" : `${base} `}${braces[0]} ${line} ${braces[1]}`;
    }
  } else if (compact === true) {
    return `${base === "" ? "" : `${base} `}${braces[0]} ${lines.join(", ")} ${braces[1]}`;
  }
  const indentation = `\n${" ".repeat(context.indent)}`;
  return `${base === "" ? "" : `${base} `}${braces[0]}${indentation}  ${lines.join(`,${indentation}  `)}${indentation}${braces[1]}`;
};

const showPrimitive = (context, value) => {
  if (typeof value === "string") {
    if (
      context.compact !== true &&
      value.length > 16 &&
      value.length > context.breakLength - context.indent - 4 &&
      value.includes("\n")
    )
      return value
        .split(/(?<=\n)/)
        .map(quoted)
        .join(` +\n${" ".repeat(context.indent + 2)}`);
    return quoted(value);
  }
  if (typeof value === "number") return numberText(value);
  if (typeof value === "bigint") return `${value}n`;
  return String(value);
};

const show = (context, value, depth, isTyped = false) => {
  if (value === null) return "null";
  if (typeof value !== "object" && typeof value !== "function") return showPrimitive(context, value);
  const custom = isTyped ? undefined : value[inspectCustom];
  if (typeof custom === "function" && context.customInspect) {
    const left = context.depth === null ? null : context.depth - depth;
    const told = custom.call(value, left, { ...context.options, depth: left }, inspect);
    if (told !== value)
      return typeof told === "string"
        ? told.replaceAll("\n", `\n${" ".repeat(context.indent)}`)
        : show(context, told, depth);
  }
  if (context.seen.includes(value)) {
    if (!context.circular.has(value)) context.circular.set(value, context.circular.size + 1);
    return `[Circular *${context.circular.get(value)}]`;
  }
  return showObject(context, value, depth);
};

const showFunction = (value) => {
  const source = Function.prototype.toString.call(value);
  if (source.startsWith("class")) {
    const parent = Object.getPrototypeOf(value);
    const parentName = typeof parent === "function" && parent.name ? ` extends ${parent.name}` : "";
    return `[class ${value.name === "" ? "(anonymous)" : value.name}${parentName}]`;
  }
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const kind = ["AsyncFunction", "GeneratorFunction", "AsyncGeneratorFunction"].includes(tag)
    ? tag
    : "Function";
  return value.name === "" ? `[${kind} (anonymous)]` : `[${kind}: ${value.name}]`;
};

const showObject = (context, value, depth) => {
  let keys = Object.keys(value);
  const symbols = Object.getOwnPropertySymbols(value).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  );
  const name = constructorName(value);
  let base = "";
  let braces = ["{", "}"];
  let isList = false;
  let entries = () => [];
  const isIndex = (key) => /^(?:0|[1-9][0-9]*)$/.test(key);
  if (Array.isArray(value)) {
    isList = true;
    keys = keys.filter((key) => !isIndex(key));
    const prefix = name === "Array" ? "" : prefixOf(value, name, "Array", `(${value.length})`);
    braces = [`${prefix}[`, "]"];
    if (value.length === 0 && keys.length + symbols.length === 0) return `${braces[0]}]`;
    entries = () => showItems(context, value, depth);
  } else if (value instanceof Set) {
    braces = [`${prefixOf(value, name, "Set", `(${value.size})`)}{`, "}"];
    entries = () => inner(context, () => [...value].map((item) => show(context, item, depth + 1)));
    if (value.size === 0 && keys.length + symbols.length === 0) return `${braces[0]}}`;
  } else if (value instanceof Map) {
    braces = [`${prefixOf(value, name, "Map", `(${value.size})`)}{`, "}"];
    entries = () =>
      inner(context, () =>
        [...value].map(
          ([key, item]) => `${show(context, key, depth + 1)} => ${show(context, item, depth + 1)}`,
        ),
      );
    if (value.size === 0 && keys.length + symbols.length === 0) return `${braces[0]}}`;
  } else if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    isList = true;
    keys = keys.filter((key) => !isIndex(key));
    braces = [`${prefixOf(value, name, "TypedArray", `(${value.length})`)}[`, "]"];
    if (value.length === 0 && keys.length + symbols.length === 0) return `${braces[0]}]`;
    entries = () => showItems(context, value, depth);
  } else if (value instanceof ArrayBuffer) {
    const bytes = [...new Uint8Array(value).subarray(0, 50)].map((byte) =>
      byte.toString(16).padStart(2, "0"),
    );
    const more = value.byteLength > 50 ? ` ... ${value.byteLength - 50} more bytes` : "";
    braces = [`${name} {`, "}"];
    entries = () => [`[Uint8Contents]: <${bytes.join(" ")}${more}>`, `byteLength: ${value.byteLength}`];
  } else if (typeof value === "function") {
    base = showFunction(value);
    if (keys.length + symbols.length === 0) return base;
  } else if (value instanceof RegExp) {
    base = RegExp.prototype.toString.call(value);
    if (keys.length + symbols.length === 0) return base;
  } else if (value instanceof Date) {
    base = Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    if (keys.length + symbols.length === 0) return base;
  } else if (value instanceof Error) {
    keys = keys.filter(
      (key) => !["stack", "message", "name", "fileName", "lineNumber", "columnNumber"].includes(key),
    );
    base = stackOf(value);
    if (context.indent > 0) base = base.replaceAll("\n", `\n${" ".repeat(context.indent)}`);
    if ("cause" in value && !keys.includes("cause")) keys.push("cause");
    if (keys.length + symbols.length === 0) return base;
  } else if (value instanceof Promise) {
    braces = ["Promise {", "}"];
    entries = () => ["<pending>"];
  } else if (value instanceof WeakMap || value instanceof WeakSet) {
    braces = [`${name} {`, "}"];
    entries = () => ["<items unknown>"];
  } else if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    if (value instanceof String) keys = keys.filter((key) => !isIndex(key));
    base = `[${name}: ${showPrimitive(context, value.valueOf())}]`;
    if (keys.length + symbols.length === 0) return base;
  } else if (Object.prototype.toString.call(value) === "[object Arguments]") {
    isList = true;
    keys = keys.filter((key) => !isIndex(key));
    braces = ["[Arguments] [", "]"];
    entries = () => showItems(context, Array.from(value), depth);
  } else {
    if (Object.prototype.toString.call(value) === "[object Generator]")
      braces = ["Object [Generator] {", "}"];
    else {
      const prefix = prefixOf(value, name, "Object");
      if (prefix !== "Object ") braces = [`${prefix}{`, "}"];
    }
    if (keys.length + symbols.length === 0) return `${braces[0]}}`;
  }
  if (context.depth !== null && depth > context.depth) {
    const kind = Array.isArray(value) ? "Array" : (name ?? "Object: null prototype");
    return `[${kind}]`;
  }
  context.seen.push(value);
  context.currentDepth = depth;
  context.hasMore = false;
  const output = entries();
  const hasMore = context.hasMore;
  for (const key of [...keys, ...symbols]) output.push(showProperty(context, value, key, depth));
  context.seen.pop();
  if (context.circular.has(value)) {
    const reference = `<ref *${context.circular.get(value)}>`;
    if (context.compact !== true) base = base === "" ? reference : `${reference} ${base}`;
    else braces[0] = `${reference} ${braces[0]}`;
  }
  if (context.sorted) output.sort();
  context.hasMore = hasMore;
  const text = joined(context, output, base, braces, isList, depth, isList ? Array.from(value) : undefined);
  context.hasMore = false;
  return text;
};

const inner = (context, call) => {
  context.indent += 2;
  try {
    return call();
  } finally {
    context.indent -= 2;
  }
};

const showItems = (context, value, depth) => {
  const limit = context.maxArrayLength ?? Infinity;
  const output = [];
  let at = 0;
  for (; at < value.length && output.length < limit; at++) {
    if (!Object.hasOwn(value, at)) {
      let empty = at;
      while (empty < value.length && !Object.hasOwn(value, empty)) empty++;
      output.push(`<${empty - at} empty item${empty - at > 1 ? "s" : ""}>`);
      at = empty - 1;
    } else output.push(inner(context, () => show(context, value[at], depth + 1)));
  }
  if (at < value.length) {
    output.push(`... ${value.length - at} more item${value.length - at > 1 ? "s" : ""}`);
    context.hasMore = true;
  }
  return output;
};

const showProperty = (context, object, key, depth) => {
  const descriptor = Object.getOwnPropertyDescriptor(object, key) ?? { value: object[key] };
  let text;
  if (descriptor.get !== undefined) text = descriptor.set !== undefined ? "[Getter/Setter]" : "[Getter]";
  else if (descriptor.set !== undefined) text = "[Setter]";
  else {
    const by = context.compact === true ? 3 : 2;
    context.indent += by;
    text = show(context, descriptor.value, depth + 1);
    context.indent -= by;
  }
  let name;
  if (typeof key === "symbol") name = `[${String(key)}]`;
  else if (key === "__proto__") name = "['__proto__']";
  else name = isPlainKey.test(key) ? key : quoted(key);
  if (object instanceof Error && key === "cause" && !descriptor.enumerable) name = "[cause]";
  return `${name}: ${text}`;
};

const inspect = (value, options, ...rest) => {
  const given =
    typeof options === "object" && options !== null ? options : { showHidden: options, depth: rest[0] };
  const context = {
    depth: given.depth === undefined ? 2 : given.depth === Infinity ? null : given.depth,
    compact: given.compact === undefined ? 3 : given.compact === false ? 0 : given.compact,
    breakLength: given.breakLength ?? (given.forConsole ? 80 : 80),
    maxArrayLength: given.maxArrayLength === undefined ? 100 : given.maxArrayLength,
    sorted: given.sorted === true,
    customInspect: given.customInspect !== false,
    options: given,
    indent: 0,
    currentDepth: 0,
    hasMore: false,
    seen: [],
    circular: new Map(),
  };
  return show(context, value, 0);
};
inspect.custom = inspectCustom;
inspect.defaultOptions = { depth: 2 };

const hasOwnToString = (value) => {
  for (let at = value; at !== null; at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, "toString"))
      return at !== Object.prototype && at !== Error.prototype && at !== Array.prototype;
  }
  return false;
};

const formatWithOptions = (options, ...args) => {
  const [first] = args;
  const told = (value) => (typeof value === "string" ? value : inspect(value, options));
  if (typeof first !== "string") return args.map(told).join(" ");
  if (args.length === 1) return first;
  let at = 1;
  const text = first.replace(/%[sdjifoOc%]/g, (mark) => {
    if (mark === "%%") return "%";
    if (at >= args.length) return mark;
    const value = args[at++];
    switch (mark) {
      case "%s":
        if (typeof value === "bigint") return `${value}n`;
        if (typeof value === "number") return numberText(value);
        if (typeof value === "object" && value !== null && !hasOwnToString(value))
          return inspect(value, { ...options, depth: 0, compact: 3 });
        return String(value);
      case "%d":
        if (typeof value === "bigint") return `${value}n`;
        return typeof value === "symbol" || typeof value === "object"
          ? numberText(Number(value))
          : numberText(Number(value));
      case "%i":
        return typeof value === "bigint" ? `${value}n` : numberText(Number.parseInt(value, 10));
      case "%f":
        return numberText(Number.parseFloat(value));
      case "%j":
        try {
          return String(JSON.stringify(value));
        } catch (error) {
          if (String(error).includes("circular")) return "[Circular]";
          throw error;
        }
      case "%o":
        return inspect(value, { ...options, depth: 4 });
      case "%O":
        return inspect(value, options);
      default:
        return "";
    }
  });
  const rest = args.slice(at).map(told);
  return [text, ...rest].join(" ");
};
const format = (...args) => formatWithOptions({}, ...args);

Object.defineProperty(Buffer.prototype, inspectCustom, {
  value() {
    const shown = [...this.subarray(0, 50)].map((byte) => byte.toString(16).padStart(2, "0"));
    const more = this.length > 50 ? ` ... ${this.length - 50} more byte${this.length > 51 ? "s" : ""}` : "";
    return `<${this.constructor.name}${shown.length > 0 ? ` ${shown.join(" ")}` : ""}${more}>`;
  },
});
