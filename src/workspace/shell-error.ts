/** Error codes in the words of a shell. The texts are glibc's `strerror`, which Linux users know. */

const texts: Readonly<Record<string, string>> = {
  EPERM: "Operation not permitted",
  ENOENT: "No such file or directory",
  ESRCH: "No such process",
  EINTR: "Interrupted system call",
  EIO: "Input/output error",
  ENXIO: "No such device or address",
  E2BIG: "Argument list too long",
  ENOEXEC: "Exec format error",
  EBADF: "Bad file descriptor",
  ECHILD: "No child processes",
  EAGAIN: "Resource temporarily unavailable",
  ENOMEM: "Cannot allocate memory",
  EACCES: "Permission denied",
  EFAULT: "Bad address",
  ENOTBLK: "Block device required",
  EBUSY: "Device or resource busy",
  EEXIST: "File exists",
  EXDEV: "Invalid cross-device link",
  ENODEV: "No such device",
  ENOTDIR: "Not a directory",
  EISDIR: "Is a directory",
  EINVAL: "Invalid argument",
  ENFILE: "Too many open files in system",
  EMFILE: "Too many open files",
  ENOTTY: "Inappropriate ioctl for device",
  ETXTBSY: "Text file busy",
  EFBIG: "File too large",
  ENOSPC: "No space left on device",
  ESPIPE: "Illegal seek",
  EROFS: "Read-only file system",
  EMLINK: "Too many links",
  EPIPE: "Broken pipe",
  EDOM: "Numerical argument out of domain",
  ERANGE: "Numerical result out of range",
  EDEADLK: "Resource deadlock avoided",
  ENAMETOOLONG: "File name too long",
  ENOLCK: "No locks available",
  ENOSYS: "Function not implemented",
  ENOTEMPTY: "Directory not empty",
  ELOOP: "Too many levels of symbolic links",
  EILSEQ: "Invalid or incomplete multibyte or wide character",
  EOVERFLOW: "Value too large for defined data type",
  ENOTSUP: "Operation not supported",
  EOPNOTSUPP: "Operation not supported",
  ETIMEDOUT: "Connection timed out",
  ESTALE: "Stale file handle",
  EDQUOT: "Disk quota exceeded",
  ECANCELED: "Operation canceled",
};

/** What a shell prints for an error code: `errnoText("EROFS")` is `"Read-only file system"`. */
export function errnoText(errno: string): string {
  return Object.hasOwn(texts, errno) ? (texts[errno] ?? errno) : `Unknown error ${errno}`;
}

/** One line as bash prints it, without the line feed: `bash: /docs/a: Read-only file system`. */
export function toShellText(path: string, errno: string, program = "bash"): string {
  return `${program}: ${path}: ${errnoText(errno)}`;
}
