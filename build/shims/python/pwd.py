"""The sandbox's one user."""
import os
from collections import namedtuple

struct_passwd = namedtuple("struct_passwd", "pw_name pw_passwd pw_uid pw_gid pw_gecos pw_dir pw_shell")
_ALL = [struct_passwd("user", "x", 1000, 1000, "", "/home/user", "/bin/bash")]


def getpwall():
    return list(_ALL)


def getpwuid(uid):
    for entry in _ALL:
        if entry.pw_uid == uid:
            return entry
    raise KeyError(f"getpwuid(): uid not found: {uid}")


def getpwnam(name):
    for entry in _ALL:
        if entry.pw_name == name:
            return entry
    raise KeyError(f"getpwnam(): name not found: {name!r}")
