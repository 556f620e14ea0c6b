import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from './limits.js';
import { PythonProcess, startNode } from './process.js';

/**
 * Processes that are ready, one for each call: Python does not forget what a call has changed, so a process serves once.
 *
 * PYP1. The first call makes a picture of the memory of Python when it is ready. All processes begin with it, in a fifth of the time.
 * PYP2. Beyond `limits.running` calls wait for their turn.
 * PYP3. Without calls nothing is left running after `limits.idleMs`, and nothing keeps the server alive.
 */
export class ProcessPool {
  /** @type {Promise<string> | undefined} */
  #picture = undefined;
  /** @type {PythonProcess[]} */
  #ready = [];
  /** @type {Set<PythonProcess>} */
  #running = new Set();
  #taken = 0;
  /** @type {(() => void)[]} */
  #waiting = [];
  /** @type {NodeJS.Timeout | undefined} */
  #idle = undefined;
  #isClosed = false;

  get pids() {
    return [...this.#ready, ...this.#running].flatMap(({ pid }) => pid ?? []);
  }

  /** Resolves to a process, which may still be starting. Rejects with the reason of `signal`. @param {AbortSignal} signal */
  async take(signal) {
    clearTimeout(this.#idle);
    await this.#turn(signal);
    try {
      const picture = await this.#pictureFile();
      signal.throwIfAborted();
      const found = this.#ready.find(({ isReady }) => isReady) ?? this.#ready[0];
      this.#ready = this.#ready.filter((one) => one !== found);
      const taken = found ?? new PythonProcess(picture);
      this.#running.add(taken);
      taken.hold(true);
      this.#fill(picture);
      return taken;
    } catch (error) {
      this.#free();
      throw error;
    }
  }

  /** Ends a process that was taken. @param {PythonProcess} process */
  end(process) {
    process.kill();
    process.hold(false);
    if (this.#running.delete(process)) this.#free();
  }

  close() {
    this.#isClosed = true;
    for (const one of [...this.#ready, ...this.#running]) one.kill();
    this.#ready = [];
  }

  /** @param {AbortSignal} signal */
  async #turn(signal) {
    signal.throwIfAborted();
    if (this.#taken < limits.running) {
      this.#taken += 1;
      return;
    }
    /** @type {PromiseWithResolvers<void>} */
    const { promise, resolve, reject } = Promise.withResolvers();
    const leave = () => {
      this.#waiting = this.#waiting.filter((one) => one !== resolve);
      reject(signal.reason);
    };
    this.#waiting.push(resolve);
    signal.addEventListener('abort', leave, { once: true });
    await promise;
    signal.removeEventListener('abort', leave);
  }

  /** The turn passes to the next. */
  #free() {
    const next = this.#waiting.shift();
    if (next !== undefined) return next();
    this.#taken -= 1;
    if (this.#taken > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      for (const one of this.#ready) one.kill();
      this.#ready = [];
    }, limits.idleMs).unref();
  }

  /** Starts processes for the next calls. @param {string} picture */
  #fill(picture) {
    while (this.#ready.length < limits.ready && !this.#isClosed) {
      const one = new PythonProcess(picture);
      one.onEnd = () => {
        this.#ready = this.#ready.filter((other) => other !== one);
      };
      this.#ready.push(one);
    }
  }

  async #pictureFile() {
    const before = await this.#picture;
    // Somebody may have cleaned the folder for temporary files.
    if (before === undefined || !existsSync(before)) this.#picture = makePicture();
    try {
      return await /** @type {Promise<string>} */ (this.#picture);
    } catch (error) {
      this.#picture = undefined;
      throw error;
    }
  }
}

/** A file with a picture of Python's memory, in a folder that only this user reads, until this process ends. */
async function makePicture() {
  removeLeft();
  const folder = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'python.picture');
  const child = startNode(file, 'picture');
  let lastWords = '';
  child.stderr?.on('data', (/** @type {Buffer} */ chunk) => {
    lastWords = (lastWords + chunk.toString()).slice(-500);
  });
  const late = setTimeout(() => child.kill('SIGKILL'), limits.startMs);
  await new Promise((resolve) => {
    child.once('error', (error) => resolve((lastWords += error.message)));
    child.once('close', resolve);
  });
  clearTimeout(late);
  if (!existsSync(file)) throw new Error(`Python does not start: ${lastWords.trim() || 'it took too long'}`);
  return file;
}

const FOLDER = 'weft-python-';

/** What servers left that were killed. */
function removeLeft() {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = /^weft-python-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // It belongs to somebody else.
    }
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}
