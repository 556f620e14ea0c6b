import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { TOO_MUCH } from '../host/watch.js';
import { limits } from './limits.js';

/** Characters of its last words that are kept. */
const LAST_WORDS = 2000;

const host = join(import.meta.dirname, '../host');
const { resolve } = createRequire(import.meta.url);

/**
 * Starts Node for Python: no environment, no files but the few that it needs, no code out of texts.
 *
 * @type {(picture: string, task?: 'picture') => import('node:child_process').ChildProcess}
 */
export function startNode(picture, task) {
  const pyodide = dirname(resolve('pyodide/package.json'));
  const readable = [pyodide, host, dirname(picture)].map((folder) => `--allow-fs-read=${folder}`);
  const args = [
    '--no-warnings',
    '--disallow-code-generation-from-strings',
    '--permission',
    '--allow-worker',
    ...readable,
    ...(task === undefined ? [] : [`--allow-fs-write=${dirname(picture)}`]),
    '--max-old-space-size=128',
    `--wasm-max-mem-pages=${limits.pages}`,
    join(host, 'main.js'),
    pyodide,
    picture,
    String(limits.processMb),
    ...(task === undefined ? [] : [task]),
  ];
  const child = spawn(process.execPath, args, { env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
  makeFirstToEnd(child.pid);
  return child;
}

/** Makes the system end this process, not the server, when it runs out of memory. @type {(pid: number | undefined) => void} */
function makeFirstToEnd(pid) {
  if (process.platform !== 'linux' || pid === undefined) return;
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // It has ended already, or the system does not allow it.
  }
}

/**
 * @typedef {{ readonly op: string, readonly [field: string]: unknown }} Message
 * @typedef {'memory' | 'ended' | 'broken'} End why it is gone: it took too much memory, it ended, or it said what nobody understands
 */

/** A process for one call. It keeps the server alive only while it is held. */
export class PythonProcess {
  /** Takes its messages; one that comes before is lost, besides that it is ready. @type {(message: Message) => void} */
  onMessage = () => {};
  /** @type {(end: End, lastWords: string) => void} */
  onEnd = () => {};
  isReady = false;
  /** @type {End | undefined} */
  end = undefined;
  lastWords = '';
  #child;
  #reader = new MessageReader();

  /** @param {string} picture */
  constructor(picture) {
    const child = startNode(picture);
    this.#child = child;
    child.stdout?.on('data', (/** @type {Buffer} */ chunk) => this.#hear(chunk));
    child.stderr?.on('data', (/** @type {Buffer} */ chunk) => {
      this.lastWords = (this.lastWords + chunk.toString()).slice(-LAST_WORDS);
    });
    // It may be gone while something is written.
    child.stdin?.on('error', () => {});
    child.once('error', (error) => {
      this.lastWords += error.message;
      this.#leave('ended');
    });
    child.once('close', () => this.#leave(this.lastWords.includes(TOO_MUCH) ? 'memory' : 'ended'));
    this.hold(false);
  }

  get pid() {
    return this.#child.pid;
  }

  /** @param {unknown} message what JSON can express */
  send(message) {
    const text = Buffer.from(JSON.stringify(message));
    const head = Buffer.alloc(4);
    head.writeUInt32LE(text.length);
    this.#child.stdin?.write(head);
    this.#child.stdin?.write(text);
  }

  kill() {
    this.#child.kill('SIGKILL');
  }

  /** @param {boolean} isHeld */
  hold(isHeld) {
    const { stdin, stdout, stderr } = this.#child;
    /** @type {any[]} */
    const handles = [this.#child, stdin, stdout, stderr];
    for (const one of handles) one?.[isHeld ? 'ref' : 'unref']();
  }

  /** @param {Buffer} chunk */
  #hear(chunk) {
    try {
      for (const message of this.#reader.push(chunk)) {
        if (this.end !== undefined) return;
        if (message.op === 'ready') this.isReady = true;
        this.onMessage(message);
      }
    } catch {
      this.#leave('broken');
    }
  }

  /** @param {End} end */
  #leave(end) {
    if (this.end !== undefined) return;
    this.end = end;
    this.kill();
    this.onEnd(end, this.lastWords);
  }
}

/** Puts messages together out of what a pipe delivers. Throws for what is none. */
class MessageReader {
  /** @type {Buffer[]} */
  #chunks = [];
  #size = 0;
  /** Bytes that the next message needs, its head included. */
  #needed = 4;

  /** @param {Buffer} chunk @returns {Generator<Message>} */
  *push(chunk) {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    while (this.#size >= this.#needed) {
      const all = this.#joined();
      const length = all.readUInt32LE(0);
      if (length > limits.message) throw new RangeError(`A message of ${length} bytes is too long.`);
      this.#needed = 4 + length;
      if (all.length < this.#needed) return;
      const message = JSON.parse(all.toString('utf8', 4, this.#needed));
      this.#chunks = [all.subarray(this.#needed)];
      this.#size -= this.#needed;
      this.#needed = 4;
      if (typeof message !== 'object' || message === null || typeof message.op !== 'string')
        throw new TypeError('What it says is no message.');
      yield message;
    }
  }

  #joined() {
    const [only] = this.#chunks;
    if (this.#chunks.length === 1 && only !== undefined) return only;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}
