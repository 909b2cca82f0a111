"""The sandbox's one group."""
from collections import namedtuple

struct_group = namedtuple("struct_group", "gr_name gr_passwd gr_gid gr_mem")
_ALL = [struct_group("user", "x", 1000, [])]


def getgrall():
    return list(_ALL)


def getgrgid(gid):
    for entry in _ALL:
        if entry.gr_gid == gid:
            return entry
    raise KeyError(f"getgrgid(): gid not found: {gid}")


def getgrnam(name):
    for entry in _ALL:
        if entry.gr_name == name:
            return entry
    raise KeyError(f"getgrnam(): name not found: {name!r}")
