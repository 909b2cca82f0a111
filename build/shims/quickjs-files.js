/**
 * `Buffer` and `fs` of `js-exec`, run in QuickJS inside just-bash's own set-up, whose variables it uses. A Buffer is
 * a Uint8Array, so bytes can be indexed, iterated and handed to whatever takes a typed array. Text that is no UTF-8
 * is read as U+FFFD, where just-bash's decoder swallows the neighbours.
 */
_utf8Decode = (bytes) => {
  const units = [];
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at++];
    let need = 0;
    let code = lead;
    let low = 0x80;
    let high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) [need, code] = [1, lead & 0x1f];
    else if (lead >= 0xe0 && lead <= 0xef) {
      [need, code] = [2, lead & 0x0f];
      if (lead === 0xe0) low = 0xa0;
      if (lead === 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
      [need, code] = [3, lead & 0x07];
      if (lead === 0xf0) low = 0x90;
      if (lead === 0xf4) high = 0x8f;
    } else if (lead >= 0x80) code = 0xfffd;
    for (; need > 0; need--) {
      const next = bytes[at];
      if (next === undefined || next < low || next > high) {
        code = 0xfffd;
        break;
      }
      code = (code << 6) | (next & 0x3f);
      at++;
      [low, high] = [0x80, 0xbf];
    }
    if (code > 0xffff) units.push(0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    else units.push(code);
    if (units.length > 4096) text += String.fromCharCode.apply(null, units.splice(0));
  }
  return text + String.fromCharCode.apply(null, units);
};

const encodeText = (text, encoding) => {
  const name = _normEnc(encoding);
  if (name === undefined) _badEnc(encoding);
  if (name === "utf8") return _utf8Encode(text);
  if (name === "utf16le") return _utf16leEncode(text);
  if (name === "hex") return _hexDecode(text);
  return name === "base64" || name === "base64url" ? _b64Decode(text) : _rawEncode(text);
};

const viewOf = (data) =>
  ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : null;

// The set-up declares a function of this name; what follows it there must see the class.
// biome-ignore lint/suspicious/noGlobalAssign: not a global there
Buffer = class Buffer extends Uint8Array {
  constructor(value, offset, length) {
    if (typeof value === "string") super(encodeText(value, offset));
    else super(value, offset, length);
  }
  static from(value, encodingOrOffset, length) {
    if (typeof value === "string") return new Buffer(encodeText(value, encodingOrOffset));
    if (value instanceof ArrayBuffer) return new Buffer(value, encodingOrOffset, length);
    if (value?.type === "Buffer" && Array.isArray(value.data)) return new Buffer(value.data);
    if (value !== null && typeof value === "object") return new Buffer(Array.from(value));
    throw new TypeError(
      "The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array",
    );
  }
  static alloc(size, fill, encoding) {
    const made = new Buffer(size);
    return fill === undefined ? made : made.fill(fill, 0, size, encoding);
  }
  static allocUnsafe(size) {
    return new Buffer(size);
  }
  static isBuffer(value) {
    return value instanceof Buffer;
  }
  static isEncoding(name) {
    return typeof name === "string" && _normEnc(name) !== undefined;
  }
  static concat(list, totalLength) {
    const total = totalLength ?? list.reduce((sum, part) => sum + part.length, 0);
    const whole = new Buffer(total);
    let at = 0;
    for (const part of list) {
      whole.set(part.subarray(0, Math.max(0, total - at)), at);
      at += part.length;
      if (at >= total) break;
    }
    return whole;
  }
  static byteLength(value, encoding) {
    if (typeof value === "string") return encodeText(value, encoding).length;
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return value.byteLength;
    throw new TypeError(
      'The "string" argument must be of type string or an instance of Buffer or ArrayBuffer. Received type ' +
        typeof value +
        " (" +
        value +
        ")",
    );
  }
  static compare(a, b) {
    const shared = Math.min(a.length, b.length);
    for (let at = 0; at < shared; at++) if (a[at] !== b[at]) return a[at] < b[at] ? -1 : 1;
    return Math.sign(a.length - b.length);
  }
  // What just-bash's other modules take for the bytes of a Buffer.
  get _data() {
    return this;
  }
  toString(encoding, start = 0, end = this.length) {
    const bytes = Uint8Array.prototype.subarray.call(this, Math.max(0, start), Math.max(0, end));
    const name = _normEnc(encoding);
    if (name === undefined) _badEnc(encoding);
    if (name === "utf8") return _utf8Decode(bytes);
    if (name === "utf16le") return _utf16leDecode(bytes);
    if (name === "latin1") return _latin1Decode(bytes);
    if (name === "ascii") return _asciiDecode(bytes);
    if (name === "hex") return _hexEncode(bytes);
    return name === "base64" ? _b64Encode(bytes) : _b64UrlEncode(bytes);
  }
  toJSON() {
    return { type: "Buffer", data: Array.from(this) };
  }
  slice(start, end) {
    return this.subarray(start, end);
  }
  copy(target, targetStart = 0, sourceStart = 0, sourceEnd = this.length) {
    const part = this.subarray(sourceStart, Math.min(sourceEnd, sourceStart + target.length - targetStart));
    target.set(part, targetStart);
    return part.length;
  }
  write(text, offset, length, encoding) {
    if (typeof offset === "string") [encoding, offset, length] = [offset, 0, undefined];
    else if (typeof length === "string") [encoding, length] = [length, undefined];
    const at = offset | 0;
    if (at < 0 || at > this.length) throw outOfRange("offset", this.length, offset);
    if (length !== undefined && (length < 0 || length > this.length))
      throw outOfRange("length", this.length, length);
    const bytes = encodeText(text, encoding);
    const count = Math.min(length ?? this.length, bytes.length, this.length - at);
    for (let index = 0; index < count; index++) this[at + index] = bytes[index];
    return count;
  }
  fill(value, start = 0, end = this.length, encoding) {
    if (typeof start === "string") [encoding, start] = [start, 0];
    const bytes =
      typeof value === "string" ? encodeText(value, encoding) : typeof value === "number" ? [value] : value;
    if (bytes.length < 2) return super.fill(bytes[0] ?? 0, start, end);
    for (let at = start; at < end; at++) this[at] = bytes[(at - start) % bytes.length];
    return this;
  }
  equals(other) {
    return Buffer.compare(this, other) === 0;
  }
  compare(other) {
    return Buffer.compare(this, other);
  }
  indexOf(value, from = 0, encoding) {
    if (typeof value === "number") return super.indexOf(value & 0xff, from);
    const bytes = typeof value === "string" ? encodeText(value, encoding) : value;
    for (let at = from < 0 ? Math.max(0, this.length + from) : from; at <= this.length - bytes.length; at++) {
      let length = 0;
      while (length < bytes.length && this[at + length] === bytes[length]) length++;
      if (length === bytes.length) return at;
    }
    return -1;
  }
  includes(value, from, encoding) {
    return this.indexOf(value, from, encoding) !== -1;
  }
};

const outOfRange = (name, max, value) =>
  new RangeError(`The value of "${name}" is out of range. It must be >= 0 && <= ${max}. Received ${value}`);

for (const [name, kind, size] of [
  ["Int8", "Int8", 1],
  ["UInt8", "Uint8", 1],
  ["Int16", "Int16", 2],
  ["UInt16", "Uint16", 2],
  ["Int32", "Int32", 4],
  ["UInt32", "Uint32", 4],
  ["BigInt64", "BigInt64", 8],
  ["BigUInt64", "BigUint64", 8],
  ["Float", "Float32", 4],
  ["Double", "Float64", 8],
]) {
  for (const order of size === 1 ? [""] : ["LE", "BE"]) {
    const dataView = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    const read = function (offset = 0) {
      return dataView(this)[`get${kind}`](offset, order === "LE");
    };
    const write = function (value, offset = 0) {
      dataView(this)[`set${kind}`](offset, value, order === "LE");
      return offset + size;
    };
    for (const alias of name.includes("UInt") ? [name, name.replace("UInt", "Uint")] : [name]) {
      Object.defineProperty(Buffer.prototype, `read${alias}${order}`, { value: read });
      Object.defineProperty(Buffer.prototype, `write${alias}${order}`, { value: write });
    }
  }
}

globalThis[Symbol.for("jb:buffer")] = { Buffer };
globalThis.Buffer = Buffer;

// How names cross: `fromName` of `quickjs-values.ts`.
const intoName = (text) =>
  text.replace(/[\ufdd0\ud800-\udfff]/gu, (unit) => `\ufdd0${unit.charCodeAt(0).toString(16)}`);
const outOfName = (text) =>
  text.replace(/\ufdd0([0-9a-f]{4})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
for (const [name, call] of Object.entries(orig)) {
  const paths = /^(?:symlink|rename|copyFile)$/.test(name) ? 2 : 1;
  orig[name] = (...args) => {
    const result = call(
      ...args.map((arg, at) => (at < paths && typeof arg === "string" ? intoName(arg) : arg)),
    );
    if (name === "readdir") return result.map(outOfName);
    return name === "readlink" || name === "realpath" ? outOfName(result) : result;
  };
}

const encodingIn = (options) => (typeof options === "string" ? options : options?.encoding) ?? null;

/** What the native calls take: text as it is where they keep it, everything else as an ArrayBuffer of its own. */
const toNative = (data, options) => {
  if (typeof data === "string") {
    const isPlain = _normEnc(encodingIn(options)) === "utf8" && !data.includes("\0");
    return isPlain ? data : new Uint8Array(encodeText(data, encodingIn(options))).buffer;
  }
  const bytes = viewOf(data);
  if (bytes !== null) return new Uint8Array(bytes).buffer;
  const error = new TypeError(
    'The "data" argument must be of type string or an instance of Buffer, TypedArray, or DataView.',
  );
  error.code = "ERR_INVALID_ARG_TYPE";
  throw error;
};

const pathFrom = (path) =>
  path !== null && typeof path === "object" && typeof path.pathname === "string"
    ? decodeURIComponent(path.pathname)
    : String(path);

const read = (path, options) => {
  const encoding = encodingIn(options);
  if (encoding !== null && _normEnc(encoding) === "utf8") {
    const text = orig.readFile(pathFrom(path));
    return typeof text === "string" ? text : _utf8Decode(new Uint8Array(text));
  }
  const bytes = new Buffer(orig.readFileBuffer(pathFrom(path)));
  return encoding === null ? bytes : bytes.toString(encoding);
};
const writeFile = (path, data, options) => {
  const isAppend =
    typeof options === "object" && options !== null && String(options.flag ?? "").startsWith("a");
  (isAppend ? orig.appendFile : orig.writeFile)(pathFrom(path), toNative(data, options));
};
const appendFile = (path, data, options) => orig.appendFile(pathFrom(path), toNative(data, options));
const truncate = (path, length = 0) => orig.resize(pathFrom(path), length);
const toMs = (time) => (time instanceof Date ? time.getTime() : Number(time) * 1000);
const utimes = (path, atime, mtime) => orig.times(pathFrom(path), toMs(atime), toMs(mtime));
const chmod = (path, mode) =>
  orig.chmod(pathFrom(path), typeof mode === "string" ? Number.parseInt(mode, 8) : mode);
const access = (path) => {
  orig.stat(pathFrom(path));
};

for (const [name, call] of Object.entries({
  readFile: read,
  writeFile,
  appendFile,
  truncate,
  utimes,
  chmod,
  access,
})) {
  _fs[`${name}Sync`] = call;
  _fs.promises[name] = async (...args) => call(...args);
}
