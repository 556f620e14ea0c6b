import { readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { closeSockets, removeGlobals } from './walls.js';
import { watch } from './watch.js';
import { zoneFile } from './zones.js';

/**
 * A process for one call of Python: it gets ready, waits for the call on its standard input and says on its standard output what
 * becomes of it. It never ends by itself; `lib/process.js` starts and kills it.
 *
 * Arguments: the folder of pyodide, a picture of Python's memory when it was ready, the most memory in MB, and `picture` to make
 * that file instead.
 */
const { exit } = process;
const [pyodide = '', picture = '', mostMb = '', task] = process.argv.slice(2);

/** Files 0 to 2 of Python lead nowhere; `print` does not use them. */
const silent = { stdin: () => null, stdout: () => {}, stderr: () => {} };

watch(Number(mostMb));
closeSockets();
// Python sees it as its own name.
process.argv.length = 1;
// The library says much there, and its standard output is ours.
for (const name of ['log', 'info', 'debug', 'warn', 'error', 'trace']) Reflect.set(console, name, lastWords);
try {
  await begin();
} catch (error) {
  lastWords(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
  exit(1);
}

async function begin() {
  const { loadPyodide } = await import(pathToFileURL(join(pyodide, 'pyodide.mjs')).href);
  // No packages, so nothing looks for them outside; an empty object in place of what Python would see of JavaScript.
  const common = {
    indexURL: pyodide,
    packages: [],
    jsglobals: Object.create(null),
    env: { HOME: '/home' },
    ...silent,
  };
  if (task === 'picture') {
    const python = await loadPyodide({ ...common, _makeSnapshot: true });
    python.runPython(readFileSync(join(import.meta.dirname, 'guest.py'), 'utf8'), { filename: 'weft' });
    writeFileSync(picture, python.makeMemorySnapshot());
    exit(0);
  }
  const python = await loadPyodide({ ...common, _loadSnapshot: readFileSync(picture) });
  addChannel(python.FS);
  addZones(python.FS);
  removeGlobals();
  python.runPython('import _weft; _weft.main()');
}

/** @type {(text: unknown) => void} */
function lastWords(text) {
  writeSync(2, `${String(text).slice(0, 1000)}\n`);
}

/**
 * `/dev/weft` is both pipes to the server. Reading and writing stop this thread until it is done: the process has nothing else to do.
 *
 * @type {(files: any) => void}
 */
function addChannel(files) {
  const device = files.makedev(64, 0);
  files.registerDevice(device, {
    /** @type {(stream: unknown, buffer: Uint8Array, offset: number, length: number) => number} */
    read: (_stream, buffer, offset, length) => again(() => readSync(0, buffer, offset, length, null)),
    /** @type {(stream: unknown, buffer: Uint8Array, offset: number, length: number) => number} */
    write: (_stream, buffer, offset, length) => again(() => writeSync(1, buffer, offset, length)),
    // Nothing to seek in.
    llseek: () => 0,
  });
  files.mkdev('/dev/weft', 0o600, device);
}

/** `/dev/zone`: who writes the name of a time zone there reads its file; nothing if there is no such zone. @type {(files: any) => void} */
function addZones(files) {
  const device = files.makedev(64, 1);
  /** @type {Uint8Array} */
  let left = new Uint8Array();
  files.registerDevice(device, {
    /** @type {(stream: unknown, buffer: Uint8Array, offset: number, length: number) => number} */
    read(_stream, buffer, offset, length) {
      const part = left.subarray(0, length);
      // Views of the memory of Python may count from another type.
      new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(part, offset);
      left = left.subarray(part.length);
      return part.length;
    },
    /** @type {(stream: unknown, buffer: Uint8Array, offset: number, length: number) => number} */
    write(_stream, buffer, offset, length) {
      const name = String.fromCharCode(...buffer.slice(offset, offset + Math.min(length, 100)));
      left = zoneFile(name) ?? new Uint8Array();
      return length;
    },
    llseek: () => 0,
  });
  files.mkdev('/dev/zone', 0o600, device);
}

/** @type {(act: () => number) => number} */
function again(act) {
  for (;;) {
    try {
      return act();
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
    }
  }
}
