"""Changes to modules of the library, each made right after the module's first import (`sitecustomize`)."""
import os
import sys

_USE_BASH = "Python cannot start programs in this sandbox: run them from bash, around python3 (a pipe, or a file that both read)"


def patch(name, module):
    _PATCHES[name](module)


def control(*fields):
    """One request to the worker's side of the interpreter; failures are OSErrors."""
    descriptor = os.open("/lib/control", os.O_WRONLY)
    try:
        os.write(descriptor, "\0".join(map(str, fields)).encode("utf-8", "surrogateescape"))
    finally:
        os.close(descriptor)


def _subprocess(module):
    def __init__(self, args, *rest, **options):
        self.returncode = None
        self._child_created = False
        self.stdin = self.stdout = self.stderr = None
        first = args if isinstance(args, (str, bytes)) else (list(args) or [""])[0]
        raise PermissionError(module.errno.EPERM, _USE_BASH, os.fsdecode(first))

    module.Popen.__init__ = __init__
    module.Popen.__del__ = lambda self, *rest, **options: None


def _threading(module):
    """A thread runs to its end when it starts: an order that threads may always take."""
    thread = module.Thread
    main_local = module.local

    def start(self):
        if not self._initialized:
            raise RuntimeError("thread.__init__() not called")
        if self._started.is_set():
            raise RuntimeError("threads can only be started once")
        self._started.set()
        self._ident = next(idents)
        self._sandbox_alive = True
        try:
            self.run()
        except SystemExit:
            pass
        except BaseException:
            module.excepthook(module.ExceptHookArgs([*sys.exc_info(), self]))
        finally:
            self._sandbox_alive = False

    def join(self, timeout=None):
        if not self._initialized:
            raise RuntimeError("Thread.__init__() not called")
        if not self._started.is_set():
            raise RuntimeError("cannot join thread before it is started")

    wait = module.Condition.wait

    def wait_for_nobody(self, timeout=None):
        if timeout is None:
            raise RuntimeError(
                "this would wait for ever: threads run one after the other in this sandbox, each to its end when it starts"
            )
        return wait(self, timeout)

    import itertools

    idents = itertools.count(2)
    thread.start = start
    thread.join = join
    thread.is_alive = lambda self: getattr(self, "_sandbox_alive", self is module.main_thread())
    module.Condition.wait = wait_for_nobody


def _executors(module):
    """The workers of a pool would wait for work that comes later: each task runs when it is submitted."""
    from concurrent.futures import _base

    def submit(self, fn, /, *args, **kwargs):
        if self._shutdown:
            raise RuntimeError("cannot schedule new futures after shutdown")
        if self._initializer is not None:
            initializer, self._initializer = self._initializer, None
            initializer(*self._initargs)
        future = _base.Future()
        future.set_running_or_notify_cancel()
        try:
            result = fn(*args, **kwargs)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)
        return future

    pool = module.ThreadPoolExecutor
    init = pool.__init__

    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=(), **rest):
        init(self, max_workers, thread_name_prefix, initializer, initargs, **rest)
        self._initializer, self._initargs = initializer, initargs

    pool.__init__ = __init__
    pool.submit = submit
    pool.shutdown = lambda self, wait=True, *, cancel_futures=False: setattr(self, "_shutdown", True)


def _multiprocessing(module):
    def refuse(*args, **options):
        raise OSError(
            "Python has one process in this sandbox: use concurrent.futures.ThreadPoolExecutor, or several python3 in bash"
        )

    for name in ("Pool", "Process", "Queue", "SimpleQueue", "JoinableQueue", "Pipe", "Manager", "Lock", "Value", "Array"):
        setattr(module, name, refuse)


def _process_pool(module):
    def __init__(self, *args, **options):
        raise OSError("Python has one process in this sandbox: use ThreadPoolExecutor, or several python3 in bash")

    module.ProcessPoolExecutor.__init__ = __init__


def _socket(module):
    def refuse(*args, **options):
        raise PermissionError(module.errno.EACCES if hasattr(module, "errno") else 2, "there are no sockets in this sandbox")

    class socket(module.socket):
        __init__ = refuse

        def __del__(self):
            pass

        def __repr__(self):
            return "<socket: none in this sandbox>"

    module.socket = module.SocketType = socket
    module.create_connection = module.create_server = module.socketpair = refuse
    module.getaddrinfo = module.gethostbyname = module.gethostbyname_ex = refuse


def _event_loop(module):
    """A loop of timers and callbacks alone. What no timer or callback can end is told at once."""
    import time

    loop = module.BaseSelectorEventLoop

    class Selector:
        owner = None

        def select(self, timeout=None):
            if timeout is None:
                raise RuntimeError("nothing is left that could wake this event loop: it would wait for ever")
            if timeout > 0:
                time.sleep(timeout)
            return []

        def get_map(self):
            return {}

        def get_key(self, file):
            raise KeyError(file)

        def close(self):
            pass

    def __init__(self, selector=None):
        super(loop, self).__init__()
        self._selector = Selector()
        self._selector.owner = self
        self._transports = {}

    def run_in_executor(self, executor, func, *args):
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except BaseException as error:
            future.set_exception(error)
        return future

    def close(self):
        if not self.is_running() and not self.is_closed():
            super(loop, self).close()

    def write_to_self(self):
        pass

    loop.__init__ = __init__
    loop.close = close
    loop.run_in_executor = run_in_executor
    loop._write_to_self = write_to_self
    loop._process_events = lambda self, events: None


def _unix_events(module):
    loop = module._UnixSelectorEventLoop

    def __init__(self, selector=None):
        super(loop, self).__init__(selector)
        self._signal_handlers = {}
        self._unix_server_sockets = {}

    loop.__init__ = __init__
    loop.close = lambda self: super(loop, self).close()


def _url_request(module):
    """Requests go the sandbox's own way out, which its network policy decides on."""
    import email.message
    import io
    import urllib.error
    import urllib.response

    class SandboxHandler(module.BaseHandler):
        def http_open(self, request):
            import jb_http

            body = request.data
            if body is not None and not isinstance(body, (bytes, str)):
                body = b"".join(body)
            headers = {**request.headers, **request.unredirected_hdrs}
            try:
                answer = jb_http.request(request.get_method(), request.full_url, headers=headers, data=body)
            except Exception as error:
                raise urllib.error.URLError(str(error)) from None
            message = email.message.Message()
            for name, value in answer.headers.items():
                message[name] = value
            response = urllib.response.addinfourl(io.BytesIO(answer.content), message, answer.url, answer.status_code)
            response.msg = answer.reason
            return response

        https_open = http_open

    module.HTTPHandler = SandboxHandler
    module.HTTPSHandler = SandboxHandler
    for name in ("http_open", "https_open"):
        setattr(module.AbstractHTTPHandler, name, getattr(SandboxHandler, name))
    build = module.build_opener

    def build_opener(*handlers):
        opener = build(*handlers)
        opener.add_handler(SandboxHandler())
        return opener

    module.build_opener = build_opener


def _hashlib(module):
    """Part of OpenSSL, which this Python does without."""

    def pbkdf2_hmac(hash_name, password, salt, iterations, dklen=None):
        import hmac

        size = dklen if dklen is not None else module.new(hash_name).digest_size
        keyed = hmac.new(bytes(password), None, hash_name)
        derived = b""
        while len(derived) < size:
            block = keyed.copy()
            block.update(bytes(salt) + (len(derived) // keyed.digest_size + 1).to_bytes(4, "big"))
            last = block.digest()
            total = int.from_bytes(last, "big")
            for _ in range(iterations - 1):
                block = keyed.copy()
                block.update(last)
                last = block.digest()
                total ^= int.from_bytes(last, "big")
            derived += total.to_bytes(keyed.digest_size, "big")
        return derived[:size]

    if not hasattr(module, "pbkdf2_hmac"):
        module.pbkdf2_hmac = pbkdf2_hmac


_PATCHES = {
    "asyncio.selector_events": _event_loop,
    "asyncio.unix_events": _unix_events,
    "concurrent.futures.process": _process_pool,
    "concurrent.futures.thread": _executors,
    "hashlib": _hashlib,
    "multiprocessing": _multiprocessing,
    "socket": _socket,
    "subprocess": _subprocess,
    "threading": _threading,
    "urllib.request": _url_request,
}
