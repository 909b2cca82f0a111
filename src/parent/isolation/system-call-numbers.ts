/**
 * The calls of the kernel that the filter of a jail knows, with their numbers: first on x86-64, then on AArch64
 * (`null`: not there). All other calls up to `LAST_KNOWN` pass.
 */

/** Number on x86-64, number on AArch64. */
export type Numbers = readonly [number, number | null];

/** What is newer than this entry (`mseal`, the last of Linux 6.10) has been looked at by nobody here. */
export const LAST_KNOWN = 462;

/** Refused with EPERM, whatever the arguments. */
export const REFUSED: Readonly<Record<string, Numbers>> = {
  // Other namespaces, another root, other mounts.
  unshare: [272, 97],
  setns: [308, 268],
  chroot: [161, 51],
  pivot_root: [155, 41],
  mount: [165, 40],
  umount2: [166, 39],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  statmount: [457, 457],
  listmount: [458, 458],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  // Other processes: more of them, their memory, their descriptors.
  fork: [57, null],
  vfork: [58, null],
  execveat: [322, 281],
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  kcmp: [312, 272],
  pidfd_open: [434, 434],
  pidfd_getfd: [438, 438],
  pidfd_send_signal: [424, 424],
  process_madvise: [440, 440],
  process_mrelease: [448, 448],
  // The kernel's key rings, which know no namespace.
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Programs for the kernel, and watching it at work.
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  seccomp: [317, 277],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  lookup_dcookie: [212, 18],
  landlock_create_ruleset: [444, 444],
  landlock_add_rule: [445, 445],
  landlock_restrict_self: [446, 446],
  lsm_get_self_attr: [459, 459],
  lsm_set_self_attr: [460, 460],
  lsm_list_modules: [461, 461],
  io_setup: [206, 0],
  io_submit: [209, 2],
  // The machine: its kernel, clock, swap, log, names and ports.
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  create_module: [174, null],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  get_kernel_syms: [177, null],
  query_module: [178, null],
  nfsservctl: [180, 42],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  acct: [163, 89],
  syslog: [103, 116],
  vhangup: [153, 58],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  uselib: [134, null],
  ustat: [136, null],
  sysfs: [139, null],
  _sysctl: [156, null],
  // Files by something else than a path, and entries that are no files.
  name_to_handle_at: [303, null],
  open_by_handle_at: [304, null],
  mknod: [133, null],
  mknodat: [259, 33],
  // Memory that is shared by key, placed by hand, or has no file to be counted at.
  shmget: [29, 194],
  shmat: [30, 196],
  shmctl: [31, 195],
  shmdt: [67, 197],
  semget: [64, 190],
  semop: [65, 193],
  semtimedop: [220, 192],
  semctl: [66, 191],
  msgget: [68, 186],
  msgsnd: [69, 189],
  msgrcv: [70, 188],
  msgctl: [71, 187],
  mq_open: [240, 180],
  mq_unlink: [241, 181],
  mq_timedsend: [242, 182],
  mq_timedreceive: [243, 183],
  mq_notify: [244, 184],
  mq_getsetattr: [245, 185],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  get_mempolicy: [239, 236],
  set_mempolicy_home_node: [450, 450],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  remap_file_pages: [216, 234],
  vmsplice: [278, 75],
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
};

/**
 * Of those, what passes in a jail of programs: processes, and what is counted to their own namespaces
 * (semaphores, queues, FIFOs), files without a name, and rules that only take rights away.
 */
export const FOR_PROGRAMS: ReadonlySet<string> = new Set([
  "fork",
  "vfork",
  "execveat",
  "pidfd_open",
  "pidfd_send_signal",
  "mknod",
  "mknodat",
  "shmat",
  "shmctl",
  "shmdt",
  "semget",
  "semop",
  "semtimedop",
  "semctl",
  "msgsnd",
  "msgrcv",
  "msgctl",
  "mq_open",
  "mq_unlink",
  "mq_timedsend",
  "mq_timedreceive",
  "mq_notify",
  "mq_getsetattr",
  "landlock_create_ruleset",
  "landlock_add_rule",
  "landlock_restrict_self",
]);

/** Of those, what a jail of programs answers with ENOSYS: it holds memory that is counted to no process. */
export const ABSENT_FOR_PROGRAMS: ReadonlySet<string> = new Set(["memfd_create", "shmget", "msgget"]);

/** Refused with ENOSYS, as by an older kernel: the C library and libuv then take another way. */
export const ABSENT: Readonly<Record<string, Numbers>> = {
  clone3: [435, 435],
  // Its flags lie in memory.
  openat2: [437, 437],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
};

/** Looked at with their arguments. */
export const BY_ARGUMENT = {
  clone: [56, 220],
  socket: [41, 198],
  socketpair: [53, 199],
  ioctl: [16, 29],
  personality: [135, 92],
} as const satisfies Readonly<Record<string, Numbers>>;

/**
 * What gives a file its mode in a jail of programs: which argument is the mode, and, where it counts with some flags
 * only, which one has them. Not the calls that make directories: of those the kernel takes no such bit.
 */
export const WITH_MODE: Readonly<
  Record<string, { readonly numbers: Numbers; readonly mode: number; readonly flags?: number }>
> = {
  open: { numbers: [2, null], flags: 1, mode: 2 },
  openat: { numbers: [257, 56], flags: 2, mode: 3 },
  creat: { numbers: [85, null], mode: 1 },
  mknod: { numbers: [133, null], mode: 1 },
  mknodat: { numbers: [259, 33], mode: 2 },
  chmod: { numbers: [90, null], mode: 1 },
  fchmod: { numbers: [91, 52], mode: 1 },
  fchmodat: { numbers: [268, 53], mode: 2 },
  fchmodat2: { numbers: [452, 452], mode: 2 },
};
