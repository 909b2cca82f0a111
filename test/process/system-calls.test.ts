/**
 * Attacks on the kernel, by a program of the guest's own in the jail of the rung `namespace`: Perl, which can make
 * any system call. Each is measured twice, and counts as a wall only where it gets through without the filter.
 */
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findJail } from "../../src/parent/isolation/bubblewrap.ts";
import { FROM_INPUTS, jailArguments, toInput } from "../../src/parent/isolation/jail-arguments.ts";
import { sharedLibraries } from "../../src/parent/isolation/shared-libraries.ts";
import { systemCallFilter } from "../../src/parent/isolation/system-call-filter.ts";
import {
  ABSENT,
  BY_ARGUMENT,
  type Numbers,
  REFUSED,
} from "../../src/parent/isolation/system-call-numbers.ts";
import { openForTest } from "../helpers/open.ts";
import { descendants } from "../helpers/processes.ts";
import { noNamespace, onRung } from "../helpers/rungs.ts";

const PERL = "/usr/bin/perl";
const jail = await findJail(process.execPath);
const bwrap = "unavailable" in jail ? "" : jail.bwrap;
const absent = noNamespace ?? (existsSync(PERL) ? null : `there is no ${PERL}`);
const note = absent === null ? "" : ` (not tried: ${absent})`;

const numbers: Readonly<Record<string, Numbers>> = { ...REFUSED, ...ABSENT, ...BY_ARGUMENT };
const call = (name: string, args: string): string => {
  const number = numbers[name]?.[process.arch === "arm64" ? 1 : 0];
  return `call(${[number ?? -1, args].filter((part) => part !== "").join(", ")})`;
};
const EMPTY = '"\\0" x 256';

/** Perl expressions, not negative when they get through. The last of them change what the process is. */
const ATTACKS: Readonly<Record<string, string>> = {
  "another process": "do { my $child = fork; exit 0 if defined $child && !$child; defined $child ? 0 : -1 }",
  "another root of the file system": call("unshare", "0x200"),
  "a key in the kernel's key ring": call("add_key", '"user", "name", "secret", 6, -2'),
  "reading the key ring": call("keyctl", "0, -3, 1"),
  "handling page faults": call("userfaultfd", "1"),
  io_uring: call("io_uring_setup", `1, ${EMPTY}`),
  "native asynchronous input and output": call("io_setup", `1, ${EMPTY}`),
  "a local socket": call("socket", "1, 1, 0"),
  "a pair of local sockets": call("socketpair", `1, 2, 0, ${EMPTY}`),
  "a socket to the machine's hypervisor": call("socket", "40, 1, 0"),
  "a socket to the kernel": call("socket", "16, 3, 0"),
  "a socket to the network": call("socket", "2, 1, 0"),
  "a file that no disk holds": call("memfd_create", '"name", 0'),
  "memory that the kernel cannot read": call("memfd_secret", "0"),
  "a personality without random addresses": call("personality", "0x40000"),
  "another process's memory": `do { my $bytes = ${EMPTY}; my $to = pack("PQ", $bytes, 8); ${call("process_vm_readv", "$$, $to, 1, $to, 1, 0")} }`,
  "a descriptor of a process": call("pidfd_open", "$$, 0"),
  "comparing kernel objects": call("kcmp", "$$, $$, 0, 0, 1"),
  "shared memory by key": call("shmget", "0, 4096, 01600"),
  "a message queue": call("mq_open", '"name", 0102, 0600, 0'),
  "another mount, by descriptor": call("open_tree", '-100, "/", 0'),
  "watching a whole file system": call("fanotify_init", "0x200, 0"),
  "counting the kernel's events": `do { my $event = pack("LLQx112", 1, 128, 0); substr($event, 40, 8) = pack("Q", 0x61); ${call("perf_event_open", "$event, 0, -1, -1, 0")} }`,
  "a file's handle": `do { my $handle = pack("Ll", 128, 0) . ${EMPTY}; ${call("name_to_handle_at", `-100, "/node", $handle, ${EMPTY}, 0`)} }`,
  "rules of a second filter": call("landlock_create_ruleset", "0, 0, 1"),
  "reading the clock's discipline": call("adjtimex", `"\\0" x 512`),
  "placing memory": call("set_mempolicy", "0, 0, 0"),
  "another user namespace": call("unshare", "0x10000000"),
  "being traced": call("ptrace", "0, 0, 0, 0"),
};

const EPERM = 1;
const ENOSYS = 38;

/** Runs Perl in a jail; `filter` is what stands in front of the kernel. */
async function inJail(code: string, network: boolean, filter: Uint8Array | null): Promise<string> {
  const parts = { node: PERL, libraries: await sharedLibraries(PERL), network, dieWithParent: true };
  const inputs = filter === null ? [] : [filter];
  const { stdout, stderr } = await execa(
    bwrap,
    [...(filter === null ? ["--args", "4", "--"] : FROM_INPUTS), "/node/node"],
    {
      input: `$| = 1; sub call { my ($number, @given) = @_; syscall($number, @given) }\n${code}`,
      stdio: [
        "pipe",
        "pipe",
        "pipe",
        "ignore",
        [toInput(jailArguments(parts))],
        ...inputs.map((bytes): [Uint8Array] => [bytes]),
      ],
      reject: false,
    },
  );
  if (stdout === "") throw new Error(`Perl did not run: ${stderr}`);
  return stdout;
}

/** The error number of each attack; 0 for one that got through. */
async function attack(filter: Uint8Array | null): Promise<ReadonlyMap<string, number>> {
  const code = Object.entries(ATTACKS).map(
    ([name, expression]) => `{ my $got = ${expression}; print "${name}: ", $got >= 0 ? 0 : $! + 0, "\\n" }`,
  );
  const lines = (await inJail(code.join("\n"), false, filter)).split("\n").map((line) => line.split(": "));
  return new Map(lines.map(([name, errno]) => [name ?? "", Number(errno)]));
}

describe.skipIf(absent !== null)(`a guest that attacks the kernel from a jail${note}`, () => {
  const filter = systemCallFilter(false);
  let without: ReadonlyMap<string, number>;
  let behind: ReadonlyMap<string, number>;
  beforeAll(async () => {
    without = await attack(null);
    behind = await attack(filter);
  });

  test("gets through with most attacks where there is no filter", () => {
    const got = Object.keys(ATTACKS).filter((name) => without.get(name) === 0);
    expect(got.length).toBeGreaterThan(Object.keys(ATTACKS).length / 2);
  });

  test.for(Object.keys(ATTACKS))(
    "%s: gets through without the filter, is refused behind it",
    (name, { skip }) => {
      const errno = without.get(name);
      if (errno !== 0) skip(`the system itself refuses it here (errno ${errno})`);
      expect([EPERM, ENOSYS]).toContain(behind.get(name));
    },
  );
});

describe.skipIf(absent !== null)(`a jail with the host's network${note}`, () => {
  const name = `little-harness-test-${process.pid}`;
  const server = createServer((socket) => socket.end("from the host"));
  beforeAll(() => new Promise<void>((resolve) => server.listen(`\0${name}`, resolve)));
  afterAll(() => void server.close());

  /** Connects to a socket of the host that has no file, and says what came. libuv once filled names up with NUL. */
  const connect = `
    my $path = pack("S", 1) . "\\0${name}";
    socket(my $end, 1, 1, 0) or do { print "refused: ", $! + 0; exit };
    connect($end, $path) or connect($end, $path . "\0" x (110 - length $path)) or do { print "refused: ", $! + 0; exit };
    print <$end>;
  `;

  test("reaches the host's abstract sockets without the filter, and not behind it", async () => {
    expect(await inJail(connect, true, null)).toBe("from the host");
    expect(await inJail(connect, true, systemCallFilter(true))).toBe(`refused: ${EPERM}`);
  });

  test("opens sockets to the network behind the filter, and none of another kind", async () => {
    const families = {
      TCP: "2, 1, 0",
      UDP: "10, 2, 17",
      routes: "16, 3, 0",
      ping: "2, 2, 1",
      uevents: "16, 3, 15",
    };
    const code = Object.values(families).map((args) => `print ${call("socket", args)} >= 0 ? "y" : "n";`);
    expect(await inJail(code.join("\n"), true, systemCallFilter(true))).toBe("yyynn");
  });
});

test.skipIf(noNamespace !== null)(
  `the worker on the rung namespace runs behind one filter more than this process${note}`,
  async () => {
    const own = Number(/^Seccomp_filters:\s+(\d+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);
    const { sandbox } = await openForTest(onRung("namespace"));
    await sandbox.exec("true");
    const worker = descendants(process.pid).at(-1) ?? 0;
    expect(readFileSync(`/proc/${worker}/status`, "utf8")).toMatch(
      new RegExp(`^NoNewPrivs:\\t1\\nSeccomp:\\t2\\nSeccomp_filters:\\t${own + 1}$`, "m"),
    );
  },
);
