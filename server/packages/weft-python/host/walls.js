import childProcess from 'node:child_process';
import cluster from 'node:cluster';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { constants } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

/**
 * Walls of this process behind those of the language and of Node's permissions, in case that code of Python gets hold of JavaScript.
 * WA1. Nothing in it opens a socket, whatever asks for one: Node 24 has no permission for that.
 * WA2. What Node offers by a global name is gone once Python is loaded; texts become code nowhere (`--disallow-code-generation-from-strings`).
 */
export function closeSockets() {
  for (const [from, names] of closed) for (const name of names) Reflect.set(from, name, refuse);
  // `os.system` of Python asks for it, and gets a command that failed.
  Reflect.set(childProcess, 'spawnSync', () => ({ status: 126, signal: null }));
  syncBuiltinESMExports();
  // The file system of the library that we load reads the numbers of flags here, which Node's permissions refuse.
  Reflect.set(process, 'binding', () => ({ fs: constants }));
}

/** @type {[object, string[]][]} */
const closed = [
  [net.Socket.prototype, ['connect']],
  [net.Server.prototype, ['listen']],
  [net, ['connect', 'createConnection', 'createServer']],
  [dgram, ['createSocket']],
  [dgram.Socket.prototype, ['bind', 'connect', 'send']],
  [dns, ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'resolveTxt', 'reverse']],
  [dns.promises, ['lookup', 'resolve', 'resolve4', 'resolve6', 'resolveAny', 'resolveTxt', 'reverse']],
  [childProcess, ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn']],
  [cluster, ['fork']],
];

function refuse() {
  throw new Error('Nothing here reaches the outside.');
}

const GONE = [
  'process',
  'require',
  'module',
  'global',
  'fetch',
  'Request',
  'Response',
  'Headers',
  'FormData',
  'WebSocket',
  'EventSource',
  'CloseEvent',
  'MessageChannel',
  'MessagePort',
  'BroadcastChannel',
  'Worker',
  'navigator',
  'localStorage',
  'sessionStorage',
  'Blob',
  'File',
  'ReadableStream',
  'WritableStream',
  'TransformStream',
  'CompressionStream',
  'DecompressionStream',
  'SharedArrayBuffer',
  'Atomics',
  'Buffer',
  'eval',
];

/** Of `process`: what Node itself still uses here. */
const KEPT = new Set([
  '_events',
  '_eventsCount',
  '_exiting',
  '_maxListeners',
  'arch',
  'domain',
  'emitWarning',
  'exit',
  'exitCode',
  'features',
  'hrtime',
  'nextTick',
  'platform',
  'reallyExit',
  'version',
  'versions',
]);

export function removeGlobals() {
  const { process } = globalThis;
  for (const name of Reflect.ownKeys(process))
    if (typeof name === 'string' && !KEPT.has(name) && !Reflect.deleteProperty(process, name))
      Reflect.set(process, name, undefined);
  for (const name of GONE) Reflect.deleteProperty(globalThis, name);
}
