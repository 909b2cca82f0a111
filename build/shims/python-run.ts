/**
 * Starts CPython as its own main program, with the arguments of the command line, in place of just-bash's way:
 * that one indented the script into a frame of its own (every line number was some 400 too high, a syntax error
 * was the frame's, `__file__` and modules beside the script were missing) and took what was printed for lines of
 * text. Here CPython reads the script, takes its options, finds modules, prints tracebacks and chooses the status
 * itself; standard input, output and error are devices that carry bytes.
 *
 * Runs in the thread of `python3`, of which each call has a new one.
 */
import { OutputPieces } from "./output-pieces.ts";
import { controlDevice } from "./python-control.ts";
import { type Backend, createHostFiles, type EmscriptenFs } from "./python-files.ts";
import { WASI_ERRNO } from "./wasi-errno.ts";

declare const PYTHON_MODULES: Readonly<Record<string, string>>;

/** What the worker tells the thread. */
interface PythonInput {
  readonly protocolToken: string;
  /** One character for each byte. */
  readonly stdin: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Everything after the program's name. */
  readonly args: readonly string[];
  /** The interpreter as an earlier thread has compiled it. */
  readonly compiled?: object;
}

interface Stream {
  stream_ops: object;
  seekable?: boolean;
}

interface PythonFs extends EmscriptenFs {
  init(input: () => null, output: () => void, error: () => void): void;
  mkdirTree(path: string): void;
  mkdir(path: string): void;
  mount(type: object, options: { root: string }, path: string): void;
  writeFile(path: string, content: Uint8Array | string): void;
  chmod(path: string, mode: number): void;
  chdir(path: string): void;
  unlink(path: string): void;
  makedev(major: number, minor: number): number;
  registerDevice(device: number, ops: object): void;
  mkdev(path: string, mode: number, device: number): void;
  getStream(descriptor: number): Stream;
  lookupPath(path: string): { readonly node: { readonly rdev: number } };
  readonly root: { node_ops: object };
}

interface PythonModule {
  readonly FS: PythonFs;
  readonly PATH: { join(...parts: string[]): string };
  readonly ENV: Record<string, string | undefined>;
  callMain(args: string[]): number;
}

interface RunBackend extends Backend {
  execSync(operation: number, path: string, data: Uint8Array): { readonly success: boolean };
  exit(status: number): void;
}

/** What just-bash's thread has at hand. */
interface Engine {
  create(options: object): Promise<PythonModule>;
  readonly library: Uint8Array;
  /** The interpreter's code. */
  binary(): Uint8Array;
  /** Says something to the worker outside the bridge. */
  post(message: object): void;
  defend(protocolToken: string): void;
  createHttp(backend: RunBackend, fs: PythonFs): object;
}

const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: {
    compile(bytes: Uint8Array): Promise<object>;
    Instance: new (module: object, imports: object) => object;
  };
};

/** Directories that stay the interpreter's own. */
const OWN = ["lib", "proc", "dev"];
const LIBRARY = "/lib/python3.13";
/** Told by the interpreter before any script runs, about the machine that it was built on. */
const NOISE = /Could not find platform|LLVM Profile Error/;

export async function runCpython(
  input: PythonInput,
  backend: RunBackend,
  engine: Engine,
): Promise<{ success: boolean; error?: string }> {
  const output = new OutputPieces(backend);
  const compiled = input.compiled ?? (await wasm.compile(engine.binary()));
  if (input.compiled === undefined) engine.post({ compiled });
  const module = await engine.create({
    instantiateWasm(imports: object, done: (instance: object, module: object) => void) {
      done(new wasm.Instance(compiled, imports), compiled);
      return {};
    },
    noInitialRun: true,
    thisProgram: "python3",
    print: () => undefined,
    printErr: (text: string) => {
      if (!NOISE.test(text)) output.write("stderr", Buffer.from(`${text}\n`));
    },
    preRun: [
      ({ FS, ENV }: PythonModule) => {
        FS.init(
          () => null,
          () => undefined,
          () => undefined,
        );
        FS.mkdirTree(LIBRARY);
        FS.writeFile("/lib/python313.zip", engine.library);
        for (const name of ["USER", "LOGNAME", "PATH", "PWD", "HOME", "LANG", "_"]) ENV[name] = undefined;
        for (const [name, value] of Object.entries(input.env)) {
          if (!value.includes("\0") && !name.includes("=")) ENV[name] = value;
        }
        ENV.PYTHONHOME = "/";
      },
    ],
  });
  const { FS } = module;
  for (const [name, source] of Object.entries(PYTHON_MODULES)) FS.writeFile(`${LIBRARY}/${name}.py`, source);
  connectStreams(FS, Buffer.from(input.stdin, "latin1"), output);
  addDevice(FS, "/lib/control", 0o600, controlDevice(backend, FS.ErrnoError));
  FS.mkdir("/lib/http");
  FS.mount(engine.createHttp(backend, FS), { root: "/" }, "/lib/http");
  mountSandbox(FS, createHostFiles(backend, FS, module.PATH), backend);
  let status = 1;
  try {
    engine.defend(input.protocolToken);
    FS.chdir(input.cwd);
    status = module.callMain([...input.args]);
  } catch (error) {
    status = statusOf(error, output);
  } finally {
    output.flush();
    backend.exit(status & 0xff);
  }
  return { success: true };
}

/** The sandbox's directories at their own names, over the interpreter's; `/` lists them and cannot be written. */
function mountSandbox(FS: PythonFs, files: object, backend: Backend): void {
  const names = backend.readdir("/");
  for (const name of names) {
    if (OWN.includes(name)) continue;
    try {
      FS.mkdir(`/${name}`);
    } catch {
      // The interpreter has one of its own.
    }
    FS.mount(files, { root: `/${name}` }, `/${name}`);
  }
  FS.root.node_ops = { ...FS.root.node_ops, readdir: () => [".", "..", ...names] };
  FS.chmod("/", 0o555);
}

function connectStreams(FS: PythonFs, stdin: Uint8Array, output: OutputPieces): void {
  let at = 0;
  const toAll = {
    open(stream: Stream) {
      stream.seekable = false;
    },
  };
  const input = {
    ...toAll,
    read(_stream: Stream, buffer: Int8Array, offset: number, length: number) {
      const part = stdin.subarray(at, at + length);
      buffer.set(part, offset);
      at += part.length;
      return part.length;
    },
  };
  const writer = (name: "stdout" | "stderr") => ({
    ...toAll,
    write(_stream: Stream, buffer: Int8Array, offset: number, length: number) {
      output.write(name, Uint8Array.from(buffer.subarray(offset, offset + length)));
      return length;
    },
  });
  for (const [descriptor, ops] of [input, writer("stdout"), writer("stderr")].entries()) {
    const path = ["/dev/stdin", "/dev/stdout", "/dev/stderr"][descriptor] ?? "";
    FS.registerDevice(FS.lookupPath(path).node.rdev, ops);
    const stream = FS.getStream(descriptor);
    stream.stream_ops = ops;
    stream.seekable = false;
  }
  addDevice(FS, "/dev/zero", 0o666, {
    read(_stream: Stream, buffer: Int8Array, offset: number, length: number) {
      buffer.fill(0, offset, offset + length);
      return length;
    },
    write: (_stream: Stream, _buffer: Int8Array, _offset: number, length: number) => length,
  });
  addDevice(FS, "/dev/full", 0o666, {
    write() {
      throw new FS.ErrnoError(WASI_ERRNO.ENOSPC ?? 51);
    },
  });
}

let devices = 0;

function addDevice(FS: PythonFs, path: string, mode: number, ops: object): void {
  const device = FS.makedev(250, devices++);
  FS.registerDevice(device, ops);
  FS.mkdev(path, mode, device);
}

/** The status that an exception of the interpreter's runtime means. */
function statusOf(error: unknown, output: OutputPieces): number {
  if (typeof error === "object" && error !== null && "status" in error && typeof error.status === "number")
    return error.status;
  // Too deep for the thread's stack, or a fault of the interpreter itself: it cannot go on.
  const message = error instanceof Error ? error.message : "";
  const isTooDeep = /call stack|out of bounds/.test(message);
  const why = isTooDeep ? "RecursionError: maximum recursion depth exceeded" : "the interpreter failed";
  output.write("stderr", Buffer.from(`Fatal Python error: ${why}\n`));
  return 1;
}
