"""Locks of files in a sandbox that has one process: each is granted."""
LOCK_SH, LOCK_EX, LOCK_NB, LOCK_UN = 1, 2, 4, 8
F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL = range(5)
FD_CLOEXEC = 1


def flock(fd, operation):
    return None


def lockf(fd, cmd, len=0, start=0, whence=0):
    return None


def fcntl(fd, cmd, arg=0):
    raise OSError(138, "not available in this sandbox")


ioctl = fcntl
