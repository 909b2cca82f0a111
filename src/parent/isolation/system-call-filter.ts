/**
 * What a jail may ask of the kernel: a program of classic BPF that the kernel runs in front of each system call,
 * as bubblewrap takes it from a descriptor (`--seccomp`). It is a list of what is refused, in the spirit of what
 * container runtimes refuse and wider, since a jail holds one program: no second process, no sockets without a
 * network, and nothing that is newer than the list. A list of what is allowed would be stronger, and would break
 * with a C library or a Node.js that asks for something else than those that were tried.
 *
 * `execve` passes: bubblewrap itself starts Node.js by it, behind the filter. So does what looks at memory only:
 * a filter sees numbers, not what a pointer leads to.
 *
 * A jail of programs has the same list with less in it: they may start processes and make pairs of stream sockets,
 * and where there is no network of the host, local sockets of their own. They give no file a bit by which it runs as
 * its owner: whoever starts it later, outside of a jail, would run a guest's program as the user of the host.
 */
import {
  ABSENT,
  ABSENT_FOR_PROGRAMS,
  BY_ARGUMENT,
  FOR_PROGRAMS,
  LAST_KNOWN,
  type Numbers,
  REFUSED,
  WITH_MODE,
} from "./system-call-numbers.ts";

/** Who is in the jail: our worker alone, or the machine's own programs, which start one another. */
export type Inmates = "worker" | "programs";

/** One instruction: code, jump if true, jump if not (both count from the next instruction), operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number];

const LOAD = 0x20;
const RETURN = 0x06;
const IF_EQUAL = 0x15;
const IF_ABOVE = 0x25;
const IF_ANY_BIT = 0x45;
const AND = 0x54;

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
const SET_ID_BITS = 0o6000;
/** `O_CREAT` and the bit of `O_TMPFILE`: without them nobody has to give `open` a mode, and any number may stand there. */
const CREATES = 0x400040;
const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_STREAM = 1;
const IPPROTO_TCP = 6;
const IPPROTO_UDP = 17;

const made = new Map<string, Uint8Array | null>();

/** The program for a jail on this machine; `null` where there is none for the architecture. */
export function systemCallFilter(
  network: boolean,
  architecture: string = process.arch,
  inmates: Inmates = "worker",
): Uint8Array | null {
  const key = `${architecture} ${network} ${inmates}`;
  const before = made.get(key);
  if (before !== undefined) return before;
  const known = architecture === "x64" || architecture === "arm64" ? ARCHITECTURES[architecture] : null;
  const program = known === null ? null : toBytes(assemble(known.audit, known.column, network, inmates));
  made.set(key, program);
  return program;
}

function assemble(audit: number, column: 0 | 1, network: boolean, inmates: Inmates): Instruction[] {
  const isAlone = inmates === "worker";
  const refused = Object.entries(REFUSED).filter(([name]) => isAlone || !FOR_PROGRAMS.has(name));
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
    ...on(clone, isAlone ? threadsOnly : noNamespaces),
    ...on(socket, network ? internetOnly : isAlone ? [EPERM] : localOnly),
    // One end of a pair of datagram sockets can send to any name, so to the host's abstract ones too.
    ...on(socketpair, isAlone ? [EPERM] : streamsOnly),
    ...on(ioctl, noTyping),
    ...on(personality, queryOnly),
    ...(isAlone
      ? []
      : Object.values(WITH_MODE).flatMap(({ numbers, flags, mode }) => on(numbers, noSetId(mode, flags)))),
    ...refused.flatMap(([name, numbers]) =>
      on(numbers, [!isAlone && ABSENT_FOR_PROGRAMS.has(name) ? ENOSYS : EPERM]),
    ),
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

const noNamespaces: readonly Instruction[] = [
  loadArgument(0),
  [IF_ANY_BIT, 0, 1, NEW_NAMESPACES],
  EPERM,
  PASS,
];

function noSetId(mode: number, flags?: number): readonly Instruction[] {
  const check: Instruction[] = [loadArgument(mode), [IF_ANY_BIT, 0, 1, SET_ID_BITS], EPERM, PASS];
  return flags === undefined ? check : [loadArgument(flags), [IF_ANY_BIT, 0, 3, CREATES], ...check];
}

/** A network of its own has no names of the host: local sockets, and the internet's, which end at the loopback. */
const localOnly: readonly Instruction[] = [
  loadArgument(0),
  [IF_EQUAL, 3, 0, AF_UNIX],
  [IF_EQUAL, 2, 0, AF_INET],
  [IF_EQUAL, 1, 0, AF_INET6],
  [IF_EQUAL, 1, 3, AF_NETLINK],
  PASS,
  loadArgument(2),
  [IF_EQUAL, 1, 0, 0],
  EPERM,
  PASS,
];

/** What programs take for pipes in both directions. The type has flags above its low four bits. */
const streamsOnly: readonly Instruction[] = [
  loadArgument(0),
  [IF_EQUAL, 0, 4, AF_UNIX],
  loadArgument(1),
  [AND, 0, 0, 0xf],
  [IF_EQUAL, 0, 1, SOCK_STREAM],
  PASS,
  EPERM,
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
