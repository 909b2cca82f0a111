/**
 * What a jail may ask of the kernel: a program of classic BPF that the kernel runs in front of each system call,
 * as bubblewrap takes it from a descriptor (`--seccomp`). It is a list of what is refused, in the spirit of what
 * container runtimes refuse and wider, since a jail holds one program: no second process, no sockets without a
 * network, and nothing that is newer than the list. A list of what is allowed would be stronger, and would break
 * with a C library or a Node.js that asks for something else than those that were tried.
 *
 * `execve` passes: bubblewrap itself starts Node.js by it, behind the filter. So does what looks at memory only:
 * a filter sees numbers, not what a pointer leads to.
 */
import { ABSENT, BY_ARGUMENT, LAST_KNOWN, type Numbers, REFUSED } from "./system-call-numbers.ts";

/** One instruction: code, jump if true, jump if not (both count from the next instruction), operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const LOAD = 0x20;
const RETURN = 0x06;
const IF_EQUAL = 0x15;
const IF_ABOVE = 0x25;
const IF_ANY_BIT = 0x45;

/** Where in the kernel's record of a call the number and the architecture lie. */
const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;

/** `AUDIT_ARCH_…` of each, and its column in the table of numbers. Both are little-endian. */
const ARCHITECTURES = {
  x64: { audit: 0xc000003e, column: 0 },
  arm64: { audit: 0xc00000b7, column: 1 },
} as const;

const PASS: Instruction = [RETURN, 0, 0, 0x7fff0000];
const KILL: Instruction = [RETURN, 0, 0, 0x80000000];
const EPERM: Instruction = [RETURN, 0, 0, 0x00050000 + 1];
const ENOSYS: Instruction = [RETURN, 0, 0, 0x00050000 + 38];

/** All `CLONE_NEW…` that `clone` knows. */
const NEW_NAMESPACES = 0x7e020000;
const CLONE_THREAD = 0x00010000;
const QUERY_PERSONALITY = 0xffffffff;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const IPPROTO_TCP = 6;
const IPPROTO_UDP = 17;

const made = new Map<string, Uint8Array | null>();

/** The program for a jail on this machine; `null` where there is none for the architecture. */
export function systemCallFilter(network: boolean, architecture: string = process.arch): Uint8Array | null {
  const key = `${architecture} ${network}`;
  const before = made.get(key);
  if (before !== undefined) return before;
  const known = architecture === "x64" || architecture === "arm64" ? ARCHITECTURES[architecture] : null;
  const program = known === null ? null : toBytes(assemble(known.audit, known.column, network));
  made.set(key, program);
  return program;
}

function assemble(audit: number, column: 0 | 1, network: boolean): Instruction[] {
  const on = (numbers: Numbers, answer: readonly Instruction[]): Instruction[] => {
    const number = numbers[column];
    return number === null ? [] : [[IF_EQUAL, 0, answer.length, number], ...answer];
  };
  const { clone, socket, socketpair, ioctl, personality } = BY_ARGUMENT;
  return [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [IF_EQUAL, 1, 0, audit],
    // A 32-bit call has numbers of its own, and nothing in a jail makes one.
    KILL,
    [LOAD, 0, 0, NUMBER_AT],
    // x32 calls too: theirs start at 0x40000000.
    [IF_ABOVE, 0, 1, LAST_KNOWN],
    ENOSYS,
    // Each answer ends the program, so what loads an argument need not load the number again.
    ...on(clone, threadsOnly),
    ...on(socket, network ? internetOnly : [EPERM]),
    // One end of a pair of datagram sockets can send to any name, so to the host's abstract ones too.
    ...on(socketpair, [EPERM]),
    ...on(ioctl, noTyping),
    ...on(personality, queryOnly),
    ...Object.values(REFUSED).flatMap((numbers) => on(numbers, [EPERM])),
    ...Object.values(ABSENT).flatMap((numbers) => on(numbers, [ENOSYS])),
    PASS,
  ];
}

/** The low half of an argument: the kernel looks at no more of those that are looked at here. */
function loadArgument(index: number): Instruction {
  return [LOAD, 0, 0, 16 + 8 * index];
}

const threadsOnly: readonly Instruction[] = [
  loadArgument(0),
  [IF_ANY_BIT, 1, 0, NEW_NAMESPACES],
  [IF_ANY_BIT, 1, 0, CLONE_THREAD],
  EPERM,
  PASS,
];

/** TCP, UDP, and the question for the machine's own addresses (netlink's route family, number 0), which names need. */
const internetOnly: readonly Instruction[] = [
  loadArgument(0),
  [IF_EQUAL, 2, 0, AF_INET],
  [IF_EQUAL, 1, 0, AF_INET6],
  [IF_EQUAL, 4, 7, AF_NETLINK],
  loadArgument(2),
  [IF_EQUAL, 4, 0, 0],
  [IF_EQUAL, 3, 0, IPPROTO_TCP],
  [IF_EQUAL, 2, 3, IPPROTO_UDP],
  loadArgument(2),
  [IF_EQUAL, 0, 1, 0],
  PASS,
  EPERM,
];

/** Nothing is typed into a terminal that somebody else reads. */
const noTyping: readonly Instruction[] = [
  loadArgument(1),
  [IF_EQUAL, 2, 0, TIOCSTI],
  [IF_EQUAL, 1, 0, TIOCLINUX],
  PASS,
  EPERM,
];

const queryOnly: readonly Instruction[] = [loadArgument(0), [IF_EQUAL, 0, 1, QUERY_PERSONALITY], PASS, EPERM];

/** As `struct sock_filter` lies in memory. */
function toBytes(program: readonly Instruction[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(program.length * 8));
  program.forEach(([code, ifTrue, ifFalse, operand], index) => {
    view.setUint16(index * 8, code, true);
    view.setUint8(index * 8 + 2, ifTrue);
    view.setUint8(index * 8 + 3, ifFalse);
    view.setUint32(index * 8 + 4, operand, true);
  });
  return new Uint8Array(view.buffer);
}
