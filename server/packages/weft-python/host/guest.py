"""Python's side of a call: hears it, runs the code, and says what became of it.

Nothing here is a wall: code can reach and change all of it. What it says is checked by the server, and what it cannot reach is
kept from the whole process.
"""

import ast
import asyncio
import base64
import builtins
import datetime
import decimal
import gc
import inspect
import io
import json
import math
import os
import random
import re
import struct
import sys
import time
import traceback
import types
import zoneinfo

from pyodide.ffi import JsProxy

FILE = '<code>'
MOST_LOG = 64_000
MOST_DEPTH = 200
MOST_RESULT = 4_000_000
# Whole numbers beyond it lose digits in JSON as others read it.
MOST_INT = 2**53 - 1

# ------------------------------------------------------------------------------------------------------- the channel


class Channel:
    """Both pipes to the server. A message is its length in bytes (32 bits, little endian) and that much JSON."""

    def open(self):
        self._file = os.open('/dev/weft', os.O_RDWR)

    def say(self, **message):
        text = json.dumps(message).encode()
        left = memoryview(struct.pack('<I', len(text)) + text)
        while left:
            left = left[os.write(self._file, left) :]

    def hear(self):
        (length,) = struct.unpack('<I', self._read(4))
        return json.loads(self._read(length))

    def ask(self, question, /, **args):
        """Asks the server, and waits for its answer."""
        self.say(op='ask', name=question, args=args)
        answer = self.hear()
        if 'error' in answer:
            raise Refused(answer['error'])
        return answer['value']

    def _read(self, length):
        parts = []
        while length > 0:
            part = os.read(self._file, min(length, 1 << 20))
            if not part:
                os._exit(0)
            parts.append(part)
            length -= len(part)
        return b''.join(parts)


channel = Channel()


class Refused(Exception):
    """What `ctx` asked for failed; `code` says why."""

    def __init__(self, error):
        super().__init__(error['message'])
        self.code = error['code']
        self.ref = error['ref']


Refused.__name__ = Refused.__qualname__ = 'WeftError'

# ------------------------------------------------------------------------------------------------------------- `ctx`


class Log:
    """The log of the run: `ctx.log('…')`, `ctx.log.warn('…')`; `print` writes there too."""

    def __init__(self):
        self._left = MOST_LOG

    def __call__(self, *parts):
        self._write('info', parts)

    def debug(self, *parts):
        self._write('debug', parts)

    def info(self, *parts):
        self._write('info', parts)

    def warn(self, *parts):
        self._write('warn', parts)

    warning = warn

    def error(self, *parts):
        self._write('error', parts)

    def _write(self, level, parts):
        text = ' '.join(part if isinstance(part, str) else json_or_repr(part) for part in parts)
        if self._left <= 0:
            return
        if len(text) > self._left:
            text = text[: self._left] + ' … (the rest of the log was left out)'
        # An empty line costs as well.
        self._left -= len(text) + 10
        channel.say(op='log', level=level, text=text)


def json_or_repr(value):
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):
        return repr(value)


class Printed:
    """`sys.stdout` and `sys.stderr`: each line is one of the log."""

    encoding = 'utf-8'
    errors = 'strict'
    closed = False

    def __init__(self, write):
        self._write = write
        self._begun = ''

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError(f'write() argument must be str, not {type(text).__name__}')
        *lines, self._begun = (self._begun + text).split('\n')
        for line in lines:
            self._write(line)
        if len(self._begun) > MOST_LOG:
            self.finish()
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def finish(self):
        line, self._begun = self._begun, ''
        if line:
            self._write(line)

    def flush(self):
        pass

    def isatty(self):
        return False

    def fileno(self):
        raise OSError('There is no file behind it.')

    def writable(self):
        return True

    def readable(self):
        return False


class Response:
    """The answer to `ctx.fetch`."""

    def __init__(self, answer):
        self.status = self.status_code = answer['status']
        self.ok = 200 <= self.status < 300
        self.url = answer['url']
        self.headers = answer['headers']
        self.content = base64.b64decode(answer['base64'])

    @property
    def text(self):
        return self.content.decode('utf-8', 'replace')

    def json(self):
        return json.loads(self.content)

    def __repr__(self):
        return f'<Response {self.status}>'


class StoredFile:
    """A file of the run."""

    def __init__(self, value):
        if isinstance(value, StoredFile):
            value = value.value
        if not isinstance(value, dict) or '$file' not in value:
            raise TypeError('ctx.file takes a file, as an input has it.')
        self.value = value
        self.name = value.get('name')
        self.type = value.get('type')
        self.size = value.get('bytes')

    def read(self, start=None, end=None):
        """Its bytes, or those from `start` to before `end`."""
        return base64.b64decode(channel.ask('readFile', file=self.value, start=start, end=end))

    def text(self, encoding='utf-8'):
        return self.read().decode(encoding)


class State:
    """Values that outlive the run. `scope` is `flow` or `shared`; `ttl` is in seconds."""

    def get(self, key, default=None, scope='flow'):
        found = channel.ask('state', does='get', key=key, scope=scope)
        return default if found is None else found

    def set(self, key, value, scope='flow', ttl=None):
        channel.ask('state', does='set', key=key, scope=scope, value=plain(value, 'value'), ttlMs=milliseconds(ttl))

    def add(self, key, by=1, scope='flow', ttl=None):
        return channel.ask('state', does='add', key=key, scope=scope, by=by, ttlMs=milliseconds(ttl))

    def remove(self, key, scope='flow'):
        channel.ask('state', does='remove', key=key, scope=scope)


class Context:
    def __init__(self, facts):
        self.log = Log()
        self.state = State()
        self.trigger = facts.get('trigger')
        self.vars = facts.get('vars')
        self.item = facts.get('item')
        self.index = facts.get('index')
        self.attempt = facts.get('attempt')
        self.idempotency_key = facts.get('idempotencyKey')

    def fetch(self, url, method='GET', headers=None, body=None, json=None, timeout=30, redirects=5):
        """Sends a request as the server's guard allows, and waits for the answer. `timeout` is in seconds."""
        headers = {str(name): str(value) for name, value in (headers or {}).items()}
        sent = None
        if json is not None:
            sent = json_bytes(json, 'json')
            headers = {'content-type': 'application/json', **headers}
        elif isinstance(body, str):
            sent = body.encode()
        elif isinstance(body, (bytes, bytearray, memoryview)):
            sent = bytes(body)
        elif body is not None:
            sent = json_bytes(body, 'body')
            headers = {'content-type': 'application/json', **headers}
        answer = channel.ask(
            'fetch',
            url=str(url),
            method=method,
            headers=headers,
            base64=None if sent is None else base64.b64encode(sent).decode(),
            timeoutMs=milliseconds(timeout),
            redirects=redirects,
        )
        return Response(answer)

    def secret(self, name):
        return channel.ask('secret', name=name)

    def sleep(self, seconds):
        sleep(seconds)

    def now(self):
        """Unix milliseconds, as in expressions."""
        return int(time.time() * 1000)

    def file(self, value):
        return StoredFile(value)

    def new_file(self, name, content, type=None):
        """Makes a file of the run from bytes or a text, and gives its value, which can be returned."""
        if isinstance(content, str):
            content = content.encode()
        if not isinstance(content, (bytes, bytearray, memoryview)):
            raise TypeError(f'ctx.new_file takes bytes or a text, not {kind_of(content)}.')
        encoded = base64.b64encode(bytes(content)).decode()
        return channel.ask('newFile', name=name, type=type, base64=encoded)


def milliseconds(seconds):
    return None if seconds is None else round(seconds * 1000)


def sleep(seconds):
    if seconds < 0:
        raise ValueError('sleep length must be non-negative')
    # Of a busy loop the process would have no advantage.
    if seconds > 0:
        channel.ask('sleep', ms=seconds * 1000)


def zone_file(key):
    """For `zoneinfo`, whose own data are not there."""
    device = os.open('/dev/zone', os.O_RDWR)
    try:
        os.write(device, key.encode())
        data = b''.join(iter(lambda: os.read(device, 65_536), b''))
    finally:
        os.close(device)
    if not data:
        raise zoneinfo.ZoneInfoNotFoundError(f'No time zone found with key {key}')
    return io.BytesIO(data)


class Loop(asyncio.BaseEventLoop):
    """For `asyncio.run` and `await`: timers and tasks, without files to wait for."""

    def __init__(self):
        super().__init__()
        self._selector = self

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError('The code awaits something that never happens.')
        sleep(max(0, timeout))
        return []

    def _process_events(self, _events):
        pass

    def _write_to_self(self):
        pass


def run_async(main, *, debug=None, loop_factory=Loop):
    with asyncio.Runner(debug=debug, loop_factory=loop_factory) as runner:
        return runner.run(main)


class Policy(asyncio.events._BaseDefaultEventLoopPolicy):
    _loop_factory = Loop


# ------------------------------------------------------------------------------------------------------------ values


class NoJson(Exception):
    """A value has no form in JSON; `path` is its place in the whole."""

    def __init__(self, path, message, code='not_serialisable'):
        super().__init__(message)
        self.path = path
        self.code = code


# What to return instead.
ADVICE = (
    ((bytes, bytearray, memoryview), 'bytes have no JSON: return a file, `ctx.new_file(name, bytes)`, or text, `base64.b64encode(bytes).decode()`'),
    ((datetime.datetime, datetime.date, datetime.time), 'a date has no JSON: return `.isoformat()`'),
    ((datetime.timedelta,), 'a duration has no JSON: return `.total_seconds()`'),
    ((decimal.Decimal,), 'a Decimal has no JSON: return `str(…)`, or `float(…)` if digits may be lost'),
    ((complex,), 'a complex number has no JSON'),
    ((set, frozenset), 'a set has no JSON: return `sorted(…)` or `list(…)`'),
    ((types.GeneratorType, types.CoroutineType, map, filter, zip, range), 'it gives its items one after the other: return `list(…)`'),
    ((types.FunctionType, types.BuiltinFunctionType, types.MethodType, type, types.ModuleType), 'it is not data'),
)


def plain(value, path, depth=0):
    """The same value out of what JSON has, copied; raises NoJson."""
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return plain_int(value, path)
    if isinstance(value, float):
        number = float.__float__(value)
        if math.isfinite(number):
            return number
        raise NoJson(path, f'`{path}` is {number}, and JSON has no such number: return None or a text')
    if depth >= MOST_DEPTH:
        raise NoJson(path, f'The result is nested deeper than {MOST_DEPTH} levels, or contains itself')
    if isinstance(value, StoredFile):
        return value.value
    if isinstance(value, dict):
        return {key_of(key, path): plain(item, f'{path}.{key}', depth + 1) for key, item in dict.items(value)}
    if isinstance(value, (list, tuple)):
        return [plain(item, f'{path}[{at}]', depth + 1) for at, item in enumerate(value)]
    raise NoJson(path, f'`{path}` is {kind_of(value)}: {advice_for(value)}')


def plain_int(value, path):
    number = int.__int__(value)
    if -MOST_INT <= number <= MOST_INT:
        return number
    raise NoJson(path, f'`{path}` is a whole number beyond 2^53, which loses digits in JSON: return `str(…)`')


def key_of(key, path):
    if isinstance(key, str):
        return str.__str__(key)
    raise NoJson(path, f'`{path}` has a key that is no text but {kind_of(key)}: use `str(key)`')


def kind_of(value):
    name = type(value).__name__
    return f'an {name}' if name[:1].lower() in 'aeiou' else f'a {name}'


def advice_for(value):
    if hasattr(type(value), '__dataclass_fields__'):
        return 'return `dataclasses.asdict(…)`'
    found = next((advice for kinds, advice in ADVICE if isinstance(value, kinds)), None)
    return found or 'an instance of a class has no JSON: return a dict of what matters'


def json_bytes(value, path):
    return json.dumps(plain(value, path), ensure_ascii=True).encode()


# ---------------------------------------------------------------------------------------------------------- the code


class Invalid(Exception):
    """The code cannot be compiled."""


def compiled(source):
    """The code, and whether it is the body of a function: it has `return` or `await` outside of its own functions."""
    try:
        tree = ast.parse(source, FILE)
        is_body = any(stands_outside(node) for node in tree.body)
        return compile(as_function(tree) if is_body else tree, FILE, 'exec', dont_inherit=True), is_body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Invalid(error) from error


def stands_outside(node):
    if isinstance(node, (ast.Return, ast.Await, ast.AsyncFor, ast.AsyncWith, ast.Yield, ast.YieldFrom)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return False
    return any(stands_outside(child) for child in ast.iter_child_nodes(node))


def as_function(tree):
    """Lines stay where they are. What has to stand first, or outside of functions, stays outside."""
    heads = [node for node in tree.body if isinstance(node, ast.ImportFrom) and is_head(node)]
    body = [node for node in tree.body if node not in heads]
    is_async = any(awaits(node) for node in body)
    kind = 'async def' if is_async else 'def'
    function = ast.parse(f'{kind} __code__(): pass').body[0]
    function.body = body
    tree.body = [*heads, function]
    return ast.fix_missing_locations(tree)


def is_head(node):
    return node.module == '__future__' or any(name.name == '*' for name in node.names)


def awaits(node):
    if isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return False
    return any(awaits(child) for child in ast.iter_child_nodes(node))


def run(code, is_body, call, ctx):
    names = {'__name__': '__main__', '__builtins__': builtins, 'ctx': ctx}
    names['input'] = call.get('input')
    names['params'] = call.get('params')
    module = types.ModuleType('__main__')
    vars(module).update(names)
    # So that dataclasses, pickles and the like find what the code defines.
    sys.modules['__main__'] = module
    exec(code, vars(module))
    if is_body:
        return settled(vars(module)['__code__']())
    main = vars(module).get('main')
    if inspect.isfunction(main):
        return settled(main(**arguments(main, call)))
    return vars(module).get('result')


def settled(value):
    return run_async(value) if inspect.iscoroutine(value) else value


def arguments(main, call):
    """For `main`: what its params are called, from `params`, then from the fields of the input; one that is nowhere gets the input."""
    given = call.get('input')
    known = {**(given if isinstance(given, dict) else {}), **(call.get('params') or {})}
    taken = {}
    wanted = inspect.signature(main).parameters.values()
    for one in wanted:
        if one.kind is one.VAR_KEYWORD:
            taken.update({name: value for name, value in known.items() if name not in taken})
        elif one.kind is one.VAR_POSITIONAL:
            continue
        elif one.name in known:
            taken[one.name] = known[one.name]
        elif one.default is one.empty and len(wanted) == 1:
            taken[one.name] = given
        elif one.default is one.empty:
            raise TypeError(f'main() wants `{one.name}`, which is neither in `params` nor a field of the input')
    return taken


# ---------------------------------------------------------------------------------------------------------- failures


def failure_of(error):
    places = [place for place in map(place_of, traceback.walk_tb(error.__traceback__)) if place]
    failure = {'name': name_of(error), 'message': message_of(error), 'stack': places[-30:]}
    if isinstance(error, NoJson):
        failure['path'] = error.path
        failure['code'] = error.code
    if isinstance(error, Refused):
        failure['ref'] = error.ref
    if isinstance(error, MemoryError):
        failure['code'] = 'code_memory'
    failure['retryable'] = getattr(error, 'retryable', False) is True
    return failure


def place_of(step):
    frame, line = step
    if frame.f_code.co_filename != FILE:
        return None
    name = frame.f_code.co_name
    return {'line': line, 'function': None if name in ('<module>', '__code__') else name}


def name_of(error):
    try:
        return str(type(error).__name__)[:200]
    except Exception:
        return 'Exception'


def message_of(error):
    try:
        return str(error)[:4000]
    except Exception:
        return ''


def invalid(error):
    """For `code_invalid`: what Python says of code that it cannot compile."""
    if not isinstance(error, SyntaxError):
        return {'message': f'{name_of(error)}: {message_of(error)}', 'line': 1, 'column': 1}
    return {'message': f'{name_of(error)}: {error.msg}', 'line': error.lineno or 1, 'column': error.offset or 1}


# --------------------------------------------------------------------------------------------------------- the call

BRIDGES = ('js', 'pyodide_js', 'pyodide', '_pyodide', '_pyodide_core', '_weft', 'micropip')


class NoBridge:
    """Names that lead to JavaScript lead nowhere."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition('.')[0] in BRIDGES:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return None


def close_bridges():
    finders = [one for one in sys.meta_path if not getattr(type(one), '__module__', '').startswith('_pyodide')]
    sys.meta_path[:] = [NoBridge, *finders]
    for name in list(sys.modules):
        if name.partition('.')[0] in BRIDGES:
            del sys.modules[name]
    # What held objects of JavaScript by a name holds nothing now.
    for held in gc.get_objects():
        if type(held) is dict:
            for name, value in list(held.items()):
                if issubclass(type(value), JsProxy):
                    held[name] = None


def main():
    channel.open()
    close_bridges()
    # The picture of the memory has the same seed in all processes.
    random.seed()
    time.sleep = sleep
    asyncio.run = run_async
    zoneinfo._common.load_tzdata = zone_file
    asyncio._set_running_loop(None)
    asyncio.events._set_event_loop_policy(Policy())
    channel.say(op='ready')
    answer(channel.hear())
    # The server ends the process, whatever it may still do.
    channel.hear()


def answer(call):
    ctx = Context(call.get('ctx') or {})
    sys.stdout = sys.__stdout__ = Printed(ctx.log.info)
    sys.stderr = sys.__stderr__ = Printed(ctx.log.warn)
    sys.stdin = sys.__stdin__ = None
    # Taken now, because the code may change what is here.
    say, finish = channel.say, (sys.stdout.finish, sys.stderr.finish)
    try:
        code, is_body = compiled(call['source'])
        value = run(code, is_body, call, ctx)
        text = json.dumps(plain(value, 'result'))
        if len(text) > MOST_RESULT:
            message = f'The result is {len(text)} characters of JSON; at most {MOST_RESULT} are accepted.'
            raise NoJson('result', message, 'value_too_large')
        last = {'op': 'done', 'value': text}
    except Invalid as error:
        last = {'op': 'invalid', **invalid(error.args[0])}
    except BaseException as error:
        last = {'op': 'failed', **failure_of(error)}
    for end in finish:
        end()
    say(**last)


_module = types.ModuleType('_weft')
_module.main = main
sys.modules['_weft'] = _module
