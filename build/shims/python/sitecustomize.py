"""What differs in the sandbox's Python. Loaded at every start, so what is rarely needed waits for its import."""
import os
import sys

_SQLITE = "this Python has no SQLite: use the sqlite3 command of the shell (sqlite3 -json file.db 'select …')"
_MISSING = {
    "_ctypes": "native libraries cannot be loaded in this sandbox",
    "_curses": "there is no terminal in this sandbox",
    "_lzma": "this Python has no lzma: the shell's xz has",
    "_multiprocessing": "Python has one process in this sandbox",
    "_sqlite3": _SQLITE,
    "_ssl": "there are no sockets in this sandbox",
    "readline": "there is no terminal in this sandbox",
    "sqlite3": _SQLITE,
    "tkinter": "there is no display in this sandbox",
    "numpy": "packages cannot be installed in this sandbox",
    "pandas": "packages cannot be installed in this sandbox; the csv and statistics modules, sqlite3 and awk are there",
    "requests": "packages cannot be installed in this sandbox; urllib.request is there",
    "yaml": "packages cannot be installed in this sandbox; the shell's yq reads YAML",
}
_PATCHED = {
    "asyncio.selector_events",
    "asyncio.unix_events",
    "concurrent.futures.process",
    "concurrent.futures.thread",
    "hashlib",
    "multiprocessing",
    "socket",
    "subprocess",
    "threading",
    "urllib.request",
}
_busy = set()


class _Patches:
    """Changes a module of the library right after its first import (`_sandbox`)."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _PATCHED or name in _busy:
            return None
        import _frozen_importlib

        _busy.add(name)
        spec = _frozen_importlib._find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _PatchingLoader(spec.loader, name)
        return spec


class _PatchingLoader:
    def __init__(self, loader, name):
        self._loader = loader
        self._name = name

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        import _sandbox

        _sandbox.patch(self._name, module)


class _Reasons:
    """Says why a module is missing that scripts often want. Comes last: a module of that name may be there."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in _MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}: {_MISSING[name]}", name=name)
        return None


def _refuse_programs(name):
    def refuse(*args, **options):
        import _sandbox

        raise PermissionError(63, _sandbox._USE_BASH, args[0] if args and isinstance(args[0], str) else name)

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def _sleep(seconds):
    if seconds < 0:
        raise ValueError("sleep length must be non-negative")
    import _sandbox

    _sandbox.control("sleep", float(seconds))


def _link(src, dst, *, src_dir_fd=None, dst_dir_fd=None, follow_symlinks=True):
    import _sandbox

    src, dst = os.fspath(src), os.fspath(dst)
    try:
        _sandbox.control("link", os.path.abspath(os.fsdecode(src)), os.path.abspath(os.fsdecode(dst)))
    except OSError as error:
        raise OSError(error.errno, error.strerror, src, None, dst) from None


def _at_start():
    os.environ.pop("PYTHONHOME", None)
    sys.executable = sys._base_executable = "/usr/bin/python3"
    sys.meta_path.insert(0, _Patches)
    sys.meta_path.append(_Reasons)
    for name in ("system", "fork", "forkpty", "posix_spawn", "posix_spawnp", "execv", "execve"):
        setattr(os, name, _refuse_programs(name))
    os.link = _link
    for name in ("getuid", "geteuid", "getgid", "getegid"):
        setattr(os, name, lambda: 1000)
    os.getlogin = lambda: "user"
    import time

    time.sleep = _sleep


_at_start()
