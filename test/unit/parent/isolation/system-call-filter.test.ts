import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Inmates, systemCallFilter } from "../../../../src/parent/isolation/system-call-filter.ts";
import {
  ABSENT,
  ABSENT_FOR_PROGRAMS,
  BY_ARGUMENT,
  FOR_PROGRAMS,
  type Numbers,
  REFUSED,
  WITH_MODE,
} from "../../../../src/parent/isolation/system-call-numbers.ts";

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
type Architecture = keyof typeof AUDIT;

const ALLOWED = 0x7fff0000;
const KILLED = 0x80000000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;

/** Runs the program as the kernel would. */
function ask(program: Uint8Array, audit: number, number: number, args: readonly bigint[] = []): number {
  const record = new DataView(new ArrayBuffer(64));
  record.setUint32(0, number, true);
  record.setUint32(4, audit, true);
  for (const [index, argument] of args.entries()) record.setBigUint64(16 + 8 * index, argument, true);
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  let loaded = 0;
  for (let at = 0; at < program.byteLength / 8; at++) {
    const code = view.getUint16(at * 8, true);
    const operand = view.getUint32(at * 8 + 4, true);
    const jump = (isTrue: boolean): void => {
      at += view.getUint8(at * 8 + (isTrue ? 2 : 3));
    };
    if (code === 0x06) return operand;
    if (code === 0x20) loaded = record.getUint32(operand, true);
    else if (code === 0x15) jump(loaded === operand);
    else if (code === 0x25) jump(loaded > operand);
    else if (code === 0x45) jump((loaded & operand) !== 0);
    else if (code === 0x54) loaded &= operand;
    else throw new Error(`instruction ${at} has the code ${code}`);
  }
  throw new Error("the program has no end");
}

function program(network: boolean, architecture: string, inmates: Inmates = "worker"): Uint8Array {
  const bytes = systemCallFilter(network, architecture, inmates);
  if (bytes === null) throw new Error(`no filter for ${architecture}`);
  return bytes;
}

describe.each(["x64", "arm64"] as const)("the filter of system calls for %s", (architecture) => {
  const column = architecture === "x64" ? 0 : 1;
  const answer = (number: number | null, args: readonly bigint[] = [], network = false): number =>
    ask(program(network, architecture), AUDIT[architecture], number ?? -1, args);
  const toNumber = (name: keyof typeof BY_ARGUMENT): number => BY_ARGUMENT[name][column];

  test("passes what Node.js lives on", () => {
    // read, mmap, futex, epoll_pwait, openat, execve, exit_group, getrandom
    const needed = { x64: [0, 9, 202, 281, 257, 59, 231, 318], arm64: [63, 222, 98, 22, 56, 221, 94, 278] };
    for (const number of needed[architecture]) expect(answer(number)).toBe(ALLOWED);
  });

  test("refuses each call of the list, with and without a network", () => {
    for (const network of [false, true]) {
      const asked = (group: Readonly<Record<string, Numbers>>): Set<number> =>
        new Set(
          Object.values(group).flatMap((numbers) => {
            const number = numbers[column];
            return number === null ? [] : [answer(number, [], network)];
          }),
        );
      expect(asked(REFUSED)).toEqual(new Set([EPERM]));
      expect(asked(ABSENT)).toEqual(new Set([ENOSYS]));
    }
  });

  test("lets threads be made, and no process and no namespace", () => {
    const asked = (flags: bigint): number => answer(toNumber("clone"), [flags]);
    // As glibc makes a thread, and as it forks.
    expect(asked(0x3d0f00n)).toBe(ALLOWED);
    expect(asked(0x1200011n)).toBe(EPERM);
    for (const flag of [0x20000n, 0x2000000n, 0x4000000n, 0x8000000n, 0x10000000n, 0x20000000n, 0x40000000n])
      expect(asked(0x3d0f00n | flag)).toBe(EPERM);
  });

  test("refuses every socket without a network; with one, passes TCP, UDP and the question for routes", () => {
    const asked = (family: bigint, protocol: bigint, network: boolean): number =>
      answer(toNumber("socket"), [family, 1n, protocol], network);
    for (let family = 0n; family < 50n; family++) expect(asked(family, 0n, false)).toBe(EPERM);
    for (let family = 0n; family < 50n; family++)
      expect(asked(family, 0n, true)).toBe([2n, 10n, 16n].includes(family) ? ALLOWED : EPERM);
    for (let protocol = 1n; protocol < 300n; protocol++) {
      expect(asked(2n, protocol, true)).toBe([6n, 17n].includes(protocol) ? ALLOWED : EPERM);
      expect(asked(10n, protocol, true)).toBe([6n, 17n].includes(protocol) ? ALLOWED : EPERM);
      expect(asked(16n, protocol, true)).toBe(EPERM);
    }
    expect(answer(toNumber("socketpair"), [1n, 1n, 0n], true)).toBe(EPERM);
  });

  test("looks at the half of an argument that the kernel looks at", () => {
    const ioctl = toNumber("ioctl");
    expect(answer(ioctl, [0n, 0x5421n])).toBe(ALLOWED);
    expect(answer(ioctl, [0n, 0x5412n])).toBe(EPERM);
    expect(answer(ioctl, [0n, 0xabcd_0000_5412n])).toBe(EPERM);
    expect(answer(ioctl, [0n, 0x541cn])).toBe(EPERM);
    expect(answer(toNumber("personality"), [0xffffffffn])).toBe(ALLOWED);
    expect(answer(toNumber("personality"), [0n])).toBe(EPERM);
  });

  test("answers what is newer than the list, and the calls of x32, as an older kernel does", () => {
    expect(answer(462)).toBe(ALLOWED);
    for (const number of [463, 999, 0x40000000, 0x40000000 + 101, 0xffffffff])
      expect(answer(number)).toBe(ENOSYS);
  });

  describe("for programs", () => {
    const asked = (number: number | null, args: readonly bigint[] = [], network = false): number =>
      ask(program(network, architecture, "programs"), AUDIT[architecture], number ?? -1, args);

    test("passes what they live on, and refuses the rest of the list", () => {
      for (const network of [false, true]) {
        for (const [name, numbers] of Object.entries(REFUSED)) {
          const number = numbers[column];
          if (number === null) continue;
          expect([name, asked(number, [], network)]).toEqual([
            name,
            FOR_PROGRAMS.has(name) ? ALLOWED : ABSENT_FOR_PROGRAMS.has(name) ? ENOSYS : EPERM,
          ]);
        }
        for (const numbers of Object.values(ABSENT)) expect(asked(numbers[column], [], network)).toBe(ENOSYS);
      }
      for (const name of [...FOR_PROGRAMS, ...ABSENT_FOR_PROGRAMS]) expect(REFUSED).toHaveProperty(name);
    });

    test("gives no file a bit by which it runs as its owner", () => {
      const given = (mode: number, bits: number, flags?: number, of = 0): bigint[] => {
        const args = [0n, 0n, 0n, 0n];
        // The upper half is not looked at by the kernel.
        args[mode] = BigInt(bits) | 0xabcd_0000_0000n;
        if (flags !== undefined) args[flags] = BigInt(of);
        return args;
      };
      for (const [name, { numbers, mode, flags }] of Object.entries(WITH_MODE)) {
        const number = numbers[column];
        if (number === null) continue;
        // O_CREAT, and O_TMPFILE with O_RDWR.
        for (const of of [0x41, 0x410002]) {
          for (const bits of [0o4755, 0o2755, 0o6000, 0o104755])
            expect([name, bits, asked(number, given(mode, bits, flags, of))]).toEqual([name, bits, EPERM]);
          for (const bits of [0o755, 0o1777, 0, 0o100644])
            expect([name, bits, asked(number, given(mode, bits, flags, of))]).toEqual([name, bits, ALLOWED]);
        }
        if (flags !== undefined) expect(asked(number, given(mode, 0o6755, flags, 0x2))).toBe(ALLOWED);
      }
    });

    test("lets processes be made, and no namespace", () => {
      expect(asked(toNumber("clone"), [0x1200011n])).toBe(ALLOWED);
      for (const flag of [
        0x20000n,
        0x2000000n,
        0x4000000n,
        0x8000000n,
        0x10000000n,
        0x20000000n,
        0x40000000n,
      ])
        expect(asked(toNumber("clone"), [0x1200011n | flag])).toBe(EPERM);
    });

    test("passes local sockets where no names of the host are in reach, and pairs of streams everywhere", () => {
      const socket = toNumber("socket");
      for (let family = 0n; family < 50n; family++) {
        expect(asked(socket, [family, 1n, 0n])).toBe([1n, 2n, 10n, 16n].includes(family) ? ALLOWED : EPERM);
        expect(asked(socket, [family, 1n, 0n], true)).toBe([2n, 10n, 16n].includes(family) ? ALLOWED : EPERM);
      }
      for (let protocol = 1n; protocol < 30n; protocol++)
        expect(asked(socket, [16n, 3n, protocol])).toBe(EPERM);
      for (const network of [false, true]) {
        const pair = (...args: bigint[]): number => asked(toNumber("socketpair"), args, network);
        expect([pair(1n, 1n), pair(1n, 0x80801n)]).toEqual([ALLOWED, ALLOWED]);
        expect([pair(1n, 2n), pair(1n, 5n), pair(1n, 0x80802n), pair(2n, 1n)]).toEqual([
          EPERM,
          EPERM,
          EPERM,
          EPERM,
        ]);
      }
    });
  });

  test("ends a process that makes calls of another architecture", () => {
    for (const audit of [0x40000003, architecture === "x64" ? AUDIT.arm64 : AUDIT.x64])
      expect(ask(program(false, architecture), audit, 0)).toBe(KILLED);
  });
});

test("there is none for another architecture, and one is made once", () => {
  expect(systemCallFilter(false, "ia32")).toBeNull();
  expect(systemCallFilter(true, "x64")).toBe(systemCallFilter(true, "x64"));
});

// The older headers know fewer of the newest calls.
const HEADERS: Readonly<Record<Architecture, string>> = {
  x64: `/usr/include/${process.arch === "x64" ? "x86_64-linux-gnu/" : ""}asm/unistd_64.h`,
  arm64: "/usr/include/asm-generic/unistd.h",
};

test.for(["x64", "arm64"] as const)(
  "the numbers are those of the kernel's headers (%s)",
  (architecture, { skip }) => {
    const file = HEADERS[architecture];
    if (!existsSync(file)) skip(`there is no ${file}`);
    const known = new Map(
      [...readFileSync(file, "utf8").matchAll(/^#define __NR(?:3264)?_(\w+) (\d+)$/gm)].map(
        ([, name = "", number]) => [name, Number(number)],
      ),
    );
    const column = architecture === "x64" ? 0 : 1;
    const compared = Object.entries({
      ...REFUSED,
      ...ABSENT,
      ...BY_ARGUMENT,
      ...Object.fromEntries(Object.entries(WITH_MODE).map(([name, { numbers }]) => [name, numbers])),
    }).filter(([name, numbers]) => known.has(name) && numbers[column] !== null);
    expect(compared.length).toBeGreaterThan(80);
    for (const [name, numbers] of compared) expect([name, numbers[column]]).toEqual([name, known.get(name)]);
  },
);
