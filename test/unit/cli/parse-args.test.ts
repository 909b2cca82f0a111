import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type ExecInvocation, parseCommandLine } from "../../../src/cli/parse-args.ts";
import { UsageError } from "../../../src/cli/usage-error.ts";

function exec(...argv: string[]): ExecInvocation {
  const invocation = parseCommandLine(["exec", ...argv]);
  if (invocation.command !== "exec") throw new Error(`not exec but ${invocation.command}`);
  return invocation;
}

function refusal(...argv: string[]): string {
  try {
    parseCommandLine(argv);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error(`accepted: ${argv.join(" ")}`);
}

describe("where the script comes from", () => {
  test("after -- the first word is the script and the rest are its arguments, whatever they look like", () => {
    const { script, args } = exec("--json", "--", "echo $1", "--json", "-m", "--");
    expect(script).toEqual({ from: "text", text: "echo $1" });
    expect(args).toEqual(["--json", "-m", "--"]);
  });
  test("a first operand is a file, and what follows it belongs to the script", () => {
    const invocation = exec("--cwd", "/work", "report.sh", "--json", "a b");
    expect(invocation.script).toEqual({ from: "file", path: "report.sh" });
    expect(invocation.args).toEqual(["--json", "a b"]);
    expect(invocation.json).toBe(false);
  });
  test("a dash, or nothing, is standard input", () => {
    expect(exec("-", "x")).toMatchObject({ script: { from: "stdin" }, args: ["x"] });
    expect(exec()).toMatchObject({ script: { from: "stdin" }, args: [] });
  });
  test("a file after -- is still a script", () => {
    expect(exec("--", "-")).toMatchObject({ script: { from: "text", text: "-" } });
  });
  test("an empty script is a script", () => {
    expect(exec("--", "")).toMatchObject({ script: { from: "text", text: "" } });
  });
});

describe("values", () => {
  test("without options nothing is set but the defaults", () => {
    expect(exec("--", "true")).toEqual({
      command: "exec",
      script: { from: "text", text: "true" },
      args: [],
      mounts: [],
      sandbox: "subprocess",
      env: {},
      json: false,
      events: false,
      passStdin: true,
      python: true,
      javascript: true,
    });
  });
  test.each([
    ["/in=dir", { text: "/in=dir", path: "/in", backingPath: resolve("dir"), access: "rw" }],
    ["/in=dir:ro", { text: "/in=dir:ro", path: "/in", backingPath: resolve("dir"), access: "ro" }],
    ["/in=dir:rw", { text: "/in=dir:rw", path: "/in", backingPath: resolve("dir"), access: "rw" }],
    ["/in=a:b=c:ro", { text: "/in=a:b=c:ro", path: "/in", backingPath: resolve("a:b=c"), access: "ro" }],
    ["/in=/abs/x", { text: "/in=/abs/x", path: "/in", backingPath: "/abs/x", access: "rw" }],
  ])("--mount %s", (text, mount) => {
    expect(exec("--mount", text, "--", "true").mounts).toEqual([mount]);
    expect(exec(`--mount=${text}`, "--", "true").mounts).toEqual([mount]);
    expect(exec("-m", text, "--", "true").mounts).toEqual([mount]);
  });
  test.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5m", 90_000],
    ["1h", 3_600_000],
  ])("--timeout %s", (text, timeoutMs) => {
    expect(exec("--timeout", text, "--", "true").timeoutMs).toBe(timeoutMs);
  });
  test.each([
    ["4096", 4096],
    ["64k", 65_536],
    ["10M", 10_485_760],
  ])("--max-output %s", (text, maxOutputBytes) => {
    expect(exec("--max-output", text, "--", "true").maxOutputBytes).toBe(maxOutputBytes);
  });
  test("--env keeps the value as it is, also empty or with an equals sign", () => {
    expect(exec("-e", "A=", "--env", "B=x=y z", "--", "true").env).toEqual({ A: "", B: "x=y z" });
  });
  test("switches turn things off one by one", () => {
    expect(exec("--no-stdin", "--no-python", "--no-javascript", "--events", "--", "true")).toMatchObject({
      passStdin: false,
      python: false,
      javascript: false,
      events: true,
    });
  });
});

describe("help and version", () => {
  test.each([["--help"], ["-h"], ["help"]])("%s", (word) => {
    expect(parseCommandLine([word])).toEqual({ command: "help", topic: "all" });
  });
  test("help of exec, also with a script behind it", () => {
    expect(parseCommandLine(["exec", "--help"])).toEqual({ command: "help", topic: "exec" });
    expect(parseCommandLine(["exec", "-h", "--", "true"])).toEqual({ command: "help", topic: "exec" });
    expect(parseCommandLine(["help", "exec"])).toEqual({ command: "help", topic: "exec" });
  });
  test("--version", () => expect(parseCommandLine(["--version"])).toEqual({ command: "version" }));
});

describe("what cannot be meant is refused, with what was meant", () => {
  test.each([
    [["exce", "--", "true"], /unknown command "exce"; did you mean "exec"\?/],
    [["ls"], /unknown command "ls"; to run a script: little-harness exec -- 'ls …'/],
    [["--json"], /did you mean "little-harness exec --json …"\?/],
    [["--verison"], /did you mean "--version"\?/],
    [[], /no command given/],
    [["exec", "--timout", "3s", "--", "x"], /unknown option "--timout"; did you mean "--timeout"\?/],
    [["exec", "--mont=/a=b", "--", "x"], /unknown option "--mont"; did you mean "--mount"\?/],
    [["exec", "--network", "--", "x"], /unknown option "--network"$/],
    [["exec", "-x", "--", "x"], /unknown option "-x"/],
    [["exec", "--json=yes", "--", "x"], /--json takes no value/],
    [["exec", "--timeout"], /--timeout needs a value/],
    [["exec", "--timeout", "30", "--", "x"], /did you mean "30s" or "30ms"\?/],
    [["exec", "--timeout", "0s", "--", "x"], /takes a time/],
    [["exec", "--timeout", "soon", "--", "x"], /takes a time such as 30s or 500ms, not "soon"/],
    [["exec", "--max-output", "-1", "--", "x"], /needs a value|takes a number of bytes/],
    [["exec", "--max-output", "1.5k", "--", "x"], /takes a number of bytes/],
    [["exec", "--mount", "in=dir", "--", "x"], /must start with "\/"; did you mean "\/in=dir"\?/],
    [["exec", "--mount", "/in", "--", "x"], /takes \/path\/inside=directory/],
    [["exec", "--mount", "/in=:ro", "--", "x"], /takes \/path\/inside=directory/],
    [["exec", "-m", "/a=x", "-m", "/a=y", "--", "x"], /--mount \/a is given twice/],
    [["exec", "--cwd", "work", "--", "x"], /did you mean "\/work"\?/],
    [["exec", "--sandbox", "subproces", "--", "x"], /did you mean "subprocess"\?/],
    [["exec", "--env", "HOME", "--", "x"], /did you mean --env HOME="\$HOME"\?/],
    [["exec", "--env", "1A=x", "--", "x"], /not a name of a variable/],
    [["exec", "--"], /no script after "--"/],
    [["exec", "--version"], /did you mean "little-harness --version"\?/],
  ])("%j", (argv, message) => {
    expect(refusal(...argv)).toMatch(message);
  });
});

describe("doctor", () => {
  test("takes its options, and none of them is needed", () => {
    const nothing = { command: "doctor", json: false, demanded: "auto", nodePath: null, workerPath: null };
    expect(parseCommandLine(["doctor"])).toEqual(nothing);
    const argv = ["doctor", "--json", "--isolation", "hardened", "--node=n", "--worker", "/w"];
    expect(parseCommandLine(argv)).toEqual({
      command: "doctor",
      json: true,
      demanded: "hardened",
      nodePath: resolve("n"),
      workerPath: "/w",
    });
    for (const argv of [
      ["doctor", "--help"],
      ["doctor", "-h", "--json"],
      ["help", "doctor"],
    ])
      expect(parseCommandLine(argv)).toEqual({ command: "help", topic: "doctor" });
  });
  test("a mistake says what was meant", () => {
    expect(refusal("doctor", "--isolation", "jail")).toBe(
      '--isolation takes process, hardened, namespace, auto, not "jail"',
    );
    expect(refusal("doctor", "--isolaton=auto")).toContain('did you mean "--isolation"?');
    expect(refusal("doctor", "a", "b")).toBe('doctor takes one data directory, not "b" as well');
    expect(refusal("doctor", "--node", "n", "a")).toContain("--node is about this machine");
    expect(refusal("doctor", "--json=yes")).toBe("--json takes no value");
    expect(refusal("doctor", "--node")).toBe("--node needs a value");
    expect(refusal("doctor", "--worker=")).toBe("--worker takes a path");
    expect(refusal("docter")).toContain('did you mean "doctor"?');
    expect(refusal("--worker", "x")).toContain('did you mean "little-harness doctor --worker …"?');
  });
});

test("doctor with a directory is about that directory", () => {
  expect(parseCommandLine(["doctor", "--json", "d"])).toEqual({
    command: "doctor-data-dir",
    dataDir: resolve("d"),
    json: true,
  });
});

describe("shell", () => {
  test("without options it is a new session of the directory that a host takes too", () => {
    expect(parseCommandLine(["shell"])).toEqual({
      command: "shell",
      place: { is: "session", dataDir: resolve(".little-harness") },
      sandbox: "subprocess",
      env: {},
      events: false,
      python: true,
      javascript: true,
      hasTierOne: false,
      isRaw: false,
    });
  });
  test("takes what exec takes, and a place", () => {
    const words = [
      "--data-dir",
      "d",
      "--session",
      "s1",
      "--timeout",
      "5s",
      "--isolation",
      "auto",
      "-e",
      "A=1",
    ];
    expect(parseCommandLine(["shell", ...words, "--tier1", "--raw", "--cwd", "/session/x"])).toMatchObject({
      place: { is: "session", dataDir: resolve("d"), sessionId: "s1" },
      timeoutMs: 5_000,
      isolation: "auto",
      env: { A: "1" },
      cwd: "/session/x",
      hasTierOne: true,
      isRaw: true,
    });
    expect(parseCommandLine(["shell", "-m", "/w=."])).toMatchObject({
      place: { is: "mounts", mounts: [{ path: "/w", backingPath: resolve("."), access: "rw" }] },
    });
  });
  test.each([
    [["-m", "/w=.", "--session", "s"], /--mount and --session do not go together/],
    [["-m", "/w=.", "--data-dir", "d"], /--mount and --data-dir do not go together/],
    [["--session", "../x"], /--session takes 1 to 100 letters/],
    [["--sandbox", "just-bash", "--isolation", "auto"], /--isolation needs a process/],
    [["--isolation", "jail"], /--isolation takes process, hardened, namespace, auto/],
    [["ls"], /exec -- 'ls …'/],
    [["--json"], /unknown option "--json"/],
    [["--sesion", "a"], /did you mean "--session"/],
  ])("refuses %j", (words, message) => {
    expect(refusal("shell", ...words)).toMatch(message);
  });
  test("its options and help are known from outside", () => {
    expect(refusal("--tier1")).toMatch(/little-harness shell --tier1/);
    expect(parseCommandLine(["help", "shell"])).toEqual({ command: "help", topic: "shell" });
    expect(parseCommandLine(["shell", "-h"])).toEqual({ command: "help", topic: "shell" });
  });
});

describe("serve-log", () => {
  test("serves on a loopback address, in memory, unless it is told otherwise", () => {
    expect(parseCommandLine(["serve-log"])).toEqual({
      command: "serve-log",
      path: null,
      port: 8787,
      host: "127.0.0.1",
      sync: true,
      tokenFile: null,
    });
    expect(
      parseCommandLine([
        "serve-log",
        "--path",
        "/l",
        "--port=0",
        "--host",
        "::1",
        "--no-sync",
        "--token-file",
        "/t",
      ]),
    ).toEqual({ command: "serve-log", path: "/l", port: 0, host: "::1", sync: false, tokenFile: "/t" });
  });
  test.each([
    [["--port", "x"], "--port takes a number"],
    [["--port", "65536"], "--port takes a number"],
    [["--no-sync"], "--no-sync is about a file"],
    [["log.ndjson"], 'did you mean "--path log.ndjson"?'],
    [["--token", "secret"], '"--token-file"'],
    [["--host", ""], "--host takes"],
  ])("refuses %j", (argv, words) => {
    expect(() => parseCommandLine(["serve-log", ...argv])).toThrow(words);
  });
});
