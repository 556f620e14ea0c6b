/**
 * Hostile programs for `code.python`. `params` has what they are after: `file` with a secret, `folder` to write to, `port` of a server
 * that must not be asked, and `pid` of the server. What gets hold of something says ESCAPED.
 *
 * `error`: the call must fail. `harmless`: whatever it returns.
 */
export interface PythonAttack {
  readonly name: string;
  readonly code: string;
  readonly expect: 'error' | 'harmless';
}

const table = (
  expect: PythonAttack['expect'],
  codes: Readonly<Record<string, string>>,
  before = '',
): PythonAttack[] => Object.entries(codes).map(([name, code]) => ({ name, code: before + code, expect }));

/** Python that finds what makes objects of JavaScript, although nothing leads there by a name. */
const FIND_JS = `
import gc, sys, _imp, importlib.machinery
_imp.create_builtin(importlib.machinery.ModuleSpec('_pyodide_core', None))
def functions(name):
    return [f for f in gc.get_objects() if type(f).__name__ == 'builtin_function_or_method' and f.__name__ == name]
def js_object():
    return next(f for f in functions('to_js'))({})
def reachable(start, depth=3):
    seen, open_ = [], [(start, 0)]
    while open_:
        value, at = open_.pop()
        seen.append(value)
        if at >= depth or len(seen) > 3000:
            continue
        for name in dir(value):
            if name.startswith('__') and name not in ('__proto__',):
                continue
            try:
                child = getattr(value, name)
            except BaseException:
                continue
            if 'pyodide' in str(type(child)):
                open_.append((child, at + 1))
    return seen
`;

/** Out of Python, into the JavaScript around it. */
const bridges = [
  ...table('error', {
    'import js': 'import js\nreturn "ESCAPED"',
    'import pyodide_js': 'import pyodide_js\nreturn "ESCAPED"',
    'import pyodide': 'import pyodide\nreturn "ESCAPED"',
    'pyodide.code.run_js': 'from pyodide.code import run_js\nreturn "ESCAPED" + str(run_js("process.pid"))',
    'pyodide.ffi': 'from pyodide.ffi import to_js, JsProxy\nreturn "ESCAPED"',
    'pyodide.http':
      'from pyodide.http import open_url\nreturn "ESCAPED" + open_url(f"http://127.0.0.1:{params[\'port\']}/").read()',
    micropip: 'import micropip\nreturn "ESCAPED"',
    _pyodide_core: 'import _pyodide_core\nreturn "ESCAPED"',
    _pyodide: 'from _pyodide._base import eval_code\nreturn "ESCAPED"',
    'js after the finders are put back': `
import sys
sys.meta_path.pop(0)
import js
return "ESCAPED" + str(js.process.pid)`,
    'js after the module is forgotten':
      'import sys\nsys.modules.pop("js", None)\nimport js\nreturn "ESCAPED" + str(js.process)',
    'importlib.reload': 'import importlib, sys\nimportlib.reload(sys.modules["pyodide"])\nreturn "ESCAPED"',
    '__import__ of a sub-module':
      'return "ESCAPED" + str(__import__("pyodide.webloop").webloop.scheduleCallback)',
    'runpy of pyodide': 'import runpy\nrunpy.run_module("pyodide.code")\nreturn "ESCAPED"',
    'a finder of its own': `
import sys, importlib.machinery
class F:
    @staticmethod
    def find_spec(name, path=None, target=None):
        return importlib.machinery.BuiltinImporter.find_spec(name)
sys.meta_path.insert(0, F)
import js
return "ESCAPED"`,
    'pickle that imports js':
      'import pickle\nreturn "ESCAPED" + str(pickle.loads(b"cjs\\neval\\n(V1+1\\ntR."))',
    'a coroutine of the web loop': `
import asyncio
loop = [c for c in asyncio.AbstractEventLoop.__subclasses__() if c.__name__ == 'WebLoop'][0]
return "ESCAPED" + str(loop.call_soon.__globals__['scheduleCallback'].constructor('return process')())`,
  }),
  ...table('harmless', {
    'globals of functions': `
import gc
for f in gc.get_objects():
    if type(f).__name__ == 'function':
        for name, value in list(f.__globals__.items()):
            if type(value).__name__ == 'JsProxy':
                print("ESCAPED", name, value)`,
    'frames above': `
import sys
frame = sys._getframe()
while frame:
    for values in (frame.f_globals, frame.f_locals):
        for name, value in list(values.items()):
            if type(value).__name__ == 'JsProxy':
                print("ESCAPED", name)
    frame = frame.f_back`,
    'frames of a traceback': `
try:
    ctx.fetch(object())
except Exception as error:
    at = error.__traceback__
    while at:
        print(sorted(at.tb_frame.f_globals)[:3])
        at = at.tb_next`,
    'finders that are left': `
import gc
for one in gc.get_objects():
    if type(one).__name__ == 'JsFinder':
        for name, value in one.jsproxies.items():
            if value is not None:
                print("ESCAPED", name)`,
    'modules that are left': `
import gc, types
for one in gc.get_objects():
    if isinstance(one, types.ModuleType) and 'js' in one.__name__.split('.')[0][:3]:
        print(one.__name__)
        if hasattr(one, 'process'): print("ESCAPED")`,
    'weak references': `
import gc, weakref
for one in gc.get_objects():
    for ref in weakref.getweakrefs(one):
        if type(ref()).__name__ == 'JsProxy': print("ESCAPED")`,
    'the guest itself': `
import sys
names = sys._getframe(1).f_globals
names['channel'].say(op='log', level='info', text='hello')
names['channel'].say(op='log', level='fatal', text=1)`,
  }),
  ...table(
    'harmless',
    {
      'a function out of text': `
for make in (js_object().constructor.constructor, js_object().constructor.constructor.constructor):
    try:
        print("ESCAPED", make('return process')())
    except BaseException as error:
        print(type(error).__name__)`,
      'async and generator functions out of text': `
function = js_object().constructor.constructor
for name in ('prototype',):
    proto = getattr(function, name)
    try:
        print("ESCAPED", proto.constructor('return globalThis')())
    except BaseException as error:
        print(type(error).__name__)`,
      'everything from an object': `
for value in reachable(js_object()):
    text = str(value)
    if 'node:' in text or 'ChildProcess' in text: print("ESCAPED", text[:100])
    for name in ('pid', 'getBuiltinModule', 'spawnSync', 'readFileSync', '_debugProcess'):
        try:
            if getattr(value, name, None) is not None: print("ESCAPED", name)
        except BaseException: pass`,
      'raw_call of what is there': `
for f in functions('raw_call') + functions('run_sync'):
    try: print(f(js_object()))
    except BaseException as error: print(type(error).__name__)`,
      'a stack with its functions': `
make = functions('create_proxy')[0]
def prepare(error, sites):
    for site in sites:
        for name in ('getThis', 'getFunction'):
            found = getattr(site, name)()
            if found is not None and hasattr(found, 'constructor'):
                try: print("ESCAPED", found.constructor('return process')())
                except BaseException as error: print(type(error).__name__)
    return ''
Error = js_object().constructor
exception = [c for c in Exception.__subclasses__() if c.__name__ == 'JsException'][0]
error = exception.new('x')
error.constructor.prepareStackTrace = make(prepare)
print(error.stack)`,
      'getters on all objects': `
make = functions('create_proxy')[0]
O = js_object().constructor
seen = []
def get(*given):
    seen.extend(given)
    return None
for name in ('env', 'fs', 'path', 'shell', 'stdio', 'detached', 'host', 'port'):
    try: O.prototype.__defineGetter__(name, make(get))
    except BaseException as error: print(type(error).__name__)
import os
open('/tmp/x', 'w').close()
os.system('echo 1 > ' + params['folder'] + '/escaped')
for value in seen:
    if hasattr(value, 'pid'): print("ESCAPED")`,
      'methods of arrays replaced': `
make = functions('create_proxy')[0]
O = js_object().constructor
array = functions('to_js')[0]([1])
caught = []
def push(*given):
    caught.extend(given)
for name in ('push', 'pop', 'map', 'forEach', 'slice', 'join'):
    try: setattr(array.constructor.prototype, name, make(push))
    except BaseException as error: print(type(error).__name__)
import os
try: print(os.listdir('/'))
except BaseException as error: print(type(error).__name__)
for value in caught:
    for name in ('readFileSync', 'pid', 'filesystems'):
        if getattr(value, name, None) is not None: print("ESCAPED", name)`,
      'a fatal error': 'functions("trigger_fatal_error")[0]()',
    },
    FIND_JS,
  ),
];

/** C, by \`ctypes\` and the modules for Python's own tests. */
const native = table(
  'harmless',
  {
    'a script of Emscripten': 'lib.emscripten_run_script(b"globalThis.process.exit(7)")\nprint("ESCAPED")',
    'a script with a number': 'print("ESCAPED", lib.emscripten_run_script_int(b"1+1"))',
    'a script with a text': `
f = lib.emscripten_run_script_string
f.restype = ctypes.c_char_p
print("ESCAPED", f(b"require('fs').readFileSync('/etc/passwd', 'utf8')"))`,
    'system()': 'code = lib.system(("echo 1 > " + params["folder"] + "/escaped").encode())\nprint(code)',
    'open() and read()': `
f = lib.open(params["file"].encode(), 0)
buffer = ctypes.create_string_buffer(100)
lib.read(f, buffer, 100)
print(buffer.value)`,
    'execve()': 'print(lib.execve(b"/bin/sh", None, None))',
    'fork()': 'print(lib.fork())',
    'dlopen() of a file of the machine': 'ctypes.CDLL("/lib/x86_64-linux-gnu/libc.so.6")',
    'dlopen() of an address': 'ctypes.CDLL(f"http://127.0.0.1:{params[\'port\']}/x.so")',
    emscripten_async_wget:
      'lib.emscripten_async_wget(f"http://127.0.0.1:{params[\'port\']}/".encode(), b"/tmp/x", 0, 0)',
    emscripten_websocket_new: 'lib.emscripten_websocket_new(b"\\0" * 64)',
    'socket() and connect()': `
s = lib.socket(2, 1, 0)
address = bytes([2, 0]) + params["port"].to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
print(lib.connect(s, address, 16))
print(lib.send(s, b"GET / HTTP/1.0\\r\\n\\r\\n", 18, 0))`,
    'kill() of the server': 'print(lib.kill(params["pid"], 9))',
    'memory before and behind': `
for at in (0, 1, 2**31, 2**32 - 1):
    try: print(ctypes.string_at(at, 100)[:1])
    except BaseException as error: print(type(error).__name__)`,
    'all memory': `
data = ctypes.string_at(1024, 30_000_000)
# Put together here, so that they are not in memory as the text of the code.
for word in (bytes([110, 111, 100, 101, 58, 102, 115]), bytes([114, 111, 111, 116, 58, 120, 58]), bytes([67, 65, 78, 65, 82, 89, 61])):
    if data.count(word) > 1: print("ESCAPED", len(word))`,
    'writes all over memory': 'ctypes.memset(1024, 0xff, 30_000_000)',
    'a call of nothing': 'ctypes.CFUNCTYPE(None)(1)()',
    'a call of each function': `
for at in range(1, 3000, 7):
    try: ctypes.CFUNCTYPE(ctypes.c_int)(at)()
    except BaseException: pass`,
    'abort()': 'lib.abort()',
    'exit()': 'lib.exit(0)',
    'longjmp()': 'lib.longjmp(ctypes.create_string_buffer(200), 1)',
    pythonapi: 'ctypes.pythonapi.PyRun_SimpleString(b"import js; print(\'ESCAPED\')")',
    _testinternalcapi: 'import _testinternalcapi\nprint([n for n in dir(_testinternalcapi)][:5])',
    '_testcapi crashes': 'import _testcapi\n_testcapi.crash_no_current_thread()',
    'a segmentation fault': 'import faulthandler\nfaulthandler._sigsegv()',
    'code objects that are wrong': `
def f(): pass
f.__code__ = f.__code__.replace(co_code=b"\\x64\\xff" * 50, co_consts=(), co_stacksize=1)
f()`,
    'a wrong marshal': 'import marshal\nprint(marshal.loads(b"\\xe3" + b"\\xff" * 60))',
    'a deep ast': 'exec("-" * 100_000 + "1")',
  },
  'import ctypes\nlib = ctypes.CDLL(None)\n',
);

/** The machine around it. */
const machine = [
  ...table('error', {
    '/etc/passwd': 'return "ESCAPED" + open("/etc/passwd").read()',
    'the secret file': 'return open(params["file"]).read()',
    'a path upwards': 'return open("../" * 20 + params["file"]).read()',
    'a link': 'import os\nos.symlink(params["file"], "/tmp/l")\nreturn open("/tmp/l").read()',
    '/proc': 'return "ESCAPED" + open("/proc/self/environ").read()',
    'the environment of the server': 'return "ESCAPED" + open(f"/proc/{params[\'pid\']}/environ").read()',
    'shutil.copy': 'import shutil\nshutil.copy(params["file"], "/tmp/x")\nreturn open("/tmp/x").read()',
    'sqlite of a file':
      'import sqlite3\nreturn sqlite3.connect(f"file:{params[\'file\']}?mode=ro", uri=True).execute("select * from sqlite_master").fetchall()',
    'mmap of a file':
      'import mmap, os\nf = os.open(params["file"], os.O_RDONLY)\nreturn mmap.mmap(f, 10)[:].decode()',
    'os.fork': 'import os\nreturn "ESCAPED" + str(os.fork())',
    'os.execv': 'import os\nos.execv("/bin/sh", ["sh"])',
    'os.posix_spawn': 'import os\nreturn "ESCAPED" + str(os.posix_spawn("/bin/sh", ["sh"], {}))',
    'os.popen': 'import os\nreturn "ESCAPED" + os.popen("id").read()',
    'subprocess.run':
      'import subprocess\nreturn "ESCAPED" + str(subprocess.run(["id"], capture_output=True))',
    multiprocessing:
      'import multiprocessing\nmultiprocessing.Process(target=print).start()\nreturn "ESCAPED"',
    'concurrent.futures':
      'from concurrent.futures import ThreadPoolExecutor\nreturn ThreadPoolExecutor().submit(id, 1).result(timeout=5)',
    pty: 'import pty\npty.spawn("/bin/sh")',
    'os.kill of the server': 'import os\nos.kill(params["pid"], 9)',
    'os.killpg': 'import os\nos.killpg(0, 9)',
    'os.setuid': 'import os\nos.setuid(0)\nopen("/etc/shadow").read()',
    'os.mount': 'import os\nreturn os.mount("/", "/tmp")',
    'a socket to the machine':
      'import socket\ns = socket.create_connection(("127.0.0.1", params["port"]), 2)\ns.send(b"GET / HTTP/1.0\\r\\n\\r\\n")\nreturn "ESCAPED" + str(s.recv(10))',
    'a raw socket':
      'import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)\ns.sendto(b"x", ("127.0.0.1", 0))\nreturn "ESCAPED"',
    'a socket of Unix':
      'import socket\ns = socket.socket(socket.AF_UNIX)\ns.connect("/var/run/docker.sock")\nreturn "ESCAPED"',
    urllib:
      'import urllib.request\nreturn "ESCAPED" + str(urllib.request.urlopen(f"http://127.0.0.1:{params[\'port\']}/", timeout=2).read())',
    'http.client':
      'import http.client\nc = http.client.HTTPConnection("127.0.0.1", params["port"], timeout=2)\nc.request("GET", "/")\nreturn "ESCAPED"',
    'ftplib, smtplib':
      'import smtplib\nsmtplib.SMTP("127.0.0.1", params["port"], timeout=2)\nreturn "ESCAPED"',
    'asyncio streams':
      'import asyncio\nr, w = await asyncio.open_connection("127.0.0.1", params["port"])\nreturn "ESCAPED"',
    'asyncio processes': 'import asyncio\np = await asyncio.create_subprocess_shell("id")\nreturn "ESCAPED"',
    'a name that is looked up':
      'import socket\nreturn "ESCAPED" + socket.gethostbyname("localhost.example.com") * int(socket.create_connection(("localhost.example.com", params["port"]), 1) is not None)',
    webbrowser:
      'import webbrowser\nif webbrowser.open(f"http://127.0.0.1:{params[\'port\']}/"): return "ESCAPED"\nraise ValueError',
  }),
  ...table('harmless', {
    'os.system': 'import os\nos.system("echo 1 > " + params["folder"] + "/escaped")',
    'a udp packet':
      'import socket\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ntry:\n    s.sendto(b"x", ("127.0.0.1", params["port"]))\nexcept OSError: pass',
    'a server of its own':
      'import socket\ns = socket.socket()\ntry:\n    s.bind(("0.0.0.0", 0))\n    s.listen()\n    print(s.getsockname())\nexcept OSError: pass',
    'files that are written':
      'import os\ntry:\n    os.makedirs(params["folder"], exist_ok=True)\n    open(params["folder"] + "/escaped", "w").write("1")\nexcept OSError: pass',
    'all folders': `
import os
for folder, _, files in os.walk('/'):
    for name in files:
        if name in ('passwd', 'package.json', 'main.js', 'secret.txt'): print("ESCAPED", folder, name)`,
    'the environment':
      'import os\nfor name, value in os.environ.items():\n    if "CANARY" in name or "/h" in value[:2] + "" and "weft" in value: print("ESCAPED", name, value)',
    'names of paths':
      'import sys, os\nfor text in (sys.executable, *sys.orig_argv, *sys.path, os.getcwd(), sys.prefix):\n    if "node" in text or "weft" in text: print("ESCAPED", text)',
    'files that are open': `
import os
for n in range(64):
    try: os.fstat(n)
    except OSError: continue
    try: print(n, os.read(n, 10) if n < 3 else "")
    except OSError: pass`,
  }),
];

/** What keeps others waiting. */
const floods = [
  ...table('error', {
    'a loop': 'while True: pass',
    'a loop that catches all':
      'while True:\n    try:\n        while True: pass\n    except BaseException: pass',
    'a large power': '10 ** 10 ** 9',
    'a large number as text': 'import sys\nsys.set_int_max_str_digits(0)\nreturn str(7 ** 50_000_000)[:5]',
    'a pattern': 'import re\nre.fullmatch("(a|a)*", "a" * 40 + "b")',
    'a long sort': 'list(range(10**9, 0, -1)).sort()',
    'a product without end': 'import itertools\nsum(1 for _ in itertools.product(range(100), repeat=10))',
    'a long copy': 'a = bytes(50_000_000)\nwhile True: a.translate(None, b"x")',
    'zlib without end': 'import zlib\nwhile True: zlib.compress(bytes(10_000_000), 9)',
    'a sleep': 'import time\ntime.sleep(1000)',
    'something that never happens': 'import asyncio\nawait asyncio.get_running_loop().create_future()',
    'a read without answer': 'import os\nf = os.open("/dev/weft", os.O_RDWR)\nos.read(f, 1)',
    'a finalizer that loops': 'class A:\n    def __del__(self):\n        while True: pass\nA()',
    'a result that loops':
      'class A(dict):\n    def items(self):\n        while True: pass\n    def __iter__(self):\n        while True: pass\nreturn [A() for _ in iter(int, 1)]',
    'an error that loops': 'class E(Exception):\n    def __str__(self):\n        while True: pass\nraise E',
    'a hook at the end':
      'import sys\nsys.excepthook = lambda *a: exec("while True: pass")\nimport atexit\natexit.register(lambda: exec("while True: pass"))\nraise ValueError',
    'a trace': 'import sys\ndef t(*a):\n    return t\nsys.settrace(t)\nwhile True: pass',
    'memory, list by list': 'a = []\nwhile True: a.append([0] * 100_000)',
    'memory at once': 'bytearray(4_000_000_000)',
    'memory by doubling': 'a = "x"\nwhile True: a += a',
    'memory by a format': '"%2000000000d" % 1',
    'memory by files': 'f = open("/tmp/x", "wb")\nwhile True: f.write(bytes(10_000_000))',
    'memory by a zip':
      'import zlib\nd = zlib.compress(bytes(100_000_000))\na = []\nwhile True: a.append(zlib.decompress(d))',
    'memory by caught errors':
      'a = []\nwhile True:\n    try:\n        a.append(bytearray(10_000_000))\n    except MemoryError:\n        pass',
    'many files': 'i = 0\nwhile True:\n    open(f"/tmp/{i}", "w").write("x")\n    i += 1',
    recursion: 'def f(): f()\nf()',
    'recursion without limit': 'import sys\nsys.setrecursionlimit(10**9)\ndef f(): f()\nf()',
    'recursion in C': 'a = []\nfor _ in range(10**6): a = [a]\nreturn a',
    'recursion of a repr':
      'import sys\nsys.setrecursionlimit(10**6)\na = []\nfor _ in range(10**5): a = [a]\nprint(repr(a))\nwhile True: pass',
    'sys.exit': 'import sys\nsys.exit()',
    'os._exit': 'import os\nos._exit(0)',
    'os.abort': 'import os\nos.abort()',
    'output without end': 'while True: print("x" * 10_000)',
    'empty lines without end': 'while True: print()',
    'a line without end': 'while True: print("x", end="")',
    'a long line': 'import sys\nsys.stdout.write("x" * 100_000_000)\nwhile True: pass',
    'questions without end': 'while True:\n    try: ctx.state.get("a")\n    except Exception: pass',
    'questions of the wrong kind':
      'while True:\n    try: ctx.fetch(1, redirects="x")\n    except Exception: pass',
    'a result that is too large': 'return ["x" * 1000] * 10_000',
    'an error that is too large': 'raise ValueError("x" * 100_000_000)',
    'a pickle that calls':
      'import pickle, os\nclass A:\n    def __reduce__(self): return (os._exit, (3,))\npickle.loads(pickle.dumps(A()))',
    'an import hook that loops':
      'import sys\nclass F:\n    def find_spec(*a):\n        while True: pass\nsys.meta_path.insert(0, F)\nimport json.tool',
    'builtins replaced':
      'import builtins\nfor name in ("len", "isinstance", "type", "str", "dict", "list", "print", "getattr"):\n    setattr(builtins, name, lambda *a, **k: (_ for _ in ()).throw(ValueError("x")))\nraise ValueError("ESCAPED"[:0])',
  }),
];

const SAY = `
import os, json, struct
f = os.open("/dev/weft", os.O_RDWR)
def raw(data):
    while data: data = data[os.write(f, data):]
def say(value):
    text = json.dumps(value).encode()
    raw(struct.pack("<I", len(text)) + text)
`;

/** Lies about what became of the call. */
const lies = [
  ...table(
    'error',
    {
      'bytes that are no message': 'raw(b"\\xff" * 1000)',
      'a message that is too long': 'raw(struct.pack("<I", 2**31) + b"x" * 1000)',
      'a message without end': 'raw(struct.pack("<I", 10_000_000))\nwhile True: raw(b"x" * 1)',
      'no JSON': 'raw(struct.pack("<I", 3) + b"{a}")',
      'a number as a message': 'say(1)',
      'a message without a kind': 'say({})',
      'an unknown message': 'say({"op": "toString"})\nwhile True: pass',
      'a question that does not exist':
        'say({"op": "ask", "name": "constructor", "args": {}})\nwhile True: pass',
      'a question of a prototype': 'say({"op": "ask", "name": "__proto__", "args": {}})\nwhile True: pass',
      'questions at once':
        'for _ in range(1000): say({"op": "ask", "name": "sleep", "args": {"ms": 1000}})\nwhile True: pass',
      'a result that is no JSON': 'say({"op": "done", "value": "{"})\nwhile True: pass',
      'a result that is nested':
        'say({"op": "done", "value": "[" * 100_000 + "]" * 100_000})\nwhile True: pass',
      'a failure that was never there':
        'say({"op": "failed", "ref": 0, "name": {}, "message": [], "stack": [None, {"line": "x"}, 1]})\nwhile True: pass',
      'a failure of a prototype':
        'say({"op": "failed", "ref": "constructor", "code": "__proto__"})\nwhile True: pass',
      'code that is invalid nowhere':
        'say({"op": "invalid", "line": -1e300, "column": None})\nwhile True: pass',
      'many messages':
        'for _ in range(100_000): say({"op": "log", "level": "info", "text": ""})\nwhile True: pass',
      'ready again and again': 'for _ in range(100_000): say({"op": "ready"})\nwhile True: pass',
    },
    SAY,
  ),
  ...table(
    'harmless',
    {
      'two results': 'say({"op": "done", "value": "1"})\nsay({"op": "done", "value": "\\"ESCAPED\\""})',
      'a result with a prototype': 'say({"op": "done", "value": "{\\"__proto__\\": {\\"polluted\\": 1}}"})',
      'a log with a prototype':
        'say({"op": "log", "__proto__": {"polluted": 1}, "level": "__proto__", "text": "x"})',
      'another one who asks':
        'say({"op": "ask", "name": "secret", "args": {"name": "key", "by": {"flow": "other"}, "asker": {"flow": "other"}}})',
    },
    SAY,
  ),
];

export const pythonAttacks: Readonly<Record<string, readonly PythonAttack[]>> = {
  'out to JavaScript': bridges,
  'C and memory': native,
  'the machine': machine,
  'what keeps others waiting': floods,
  lies,
};
