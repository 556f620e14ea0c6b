import { type ChildProcess, fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { WeftError } from '#engine';
import type { Fault, FromReader, Job, Piece, ToReader } from './protocol.ts';
import { createReaderPool } from './pool.ts';
import { TOO_MUCH } from './watch.js';

/** How long a process may work on one piece, or on a document that is read as a whole, in milliseconds. */
const WORK_MS = 60_000;
/** The most memory that JavaScript may use in a process, in megabytes. */
const MEMORY_MB = 512;
/** The memory that Node itself uses in a process. */
const OWN_MB = 64;
/** The most characters of its last output that are kept. */
const LAST_WORDS = 4000;

const script = fileURLToPath(new URL('./process.js', import.meta.url));

/** A process that reads documents, one at a time. It keeps this process alive only while a caller waits for it. */
export class Reader {
  /** The number of documents that it has read. */
  documents = 0;
  /** The memory that it used after the last one, in megabytes. */
  residentMb = 0;
  private readonly child: ChildProcess;
  private readonly received: FromReader[] = [];
  private ended: WeftError | undefined;
  private lastWords = '';
  private wake: () => void = () => {};

  constructor(onEnd: () => void) {
    this.child = fork(script, [String(MEMORY_MB + OWN_MB)], {
      // It may read the modules of this project and its libraries, and write nothing.
      execArgv: [
        '--no-warnings',
        '--permission',
        '--allow-worker',
        '--allow-fs-read=*',
        `--max-old-space-size=${MEMORY_MB}`,
      ],
      serialization: 'advanced',
      env: {},
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const { child } = this;
    makeFirstToEnd(child.pid);
    child.on('message', (message) => {
      this.received.push(message as FromReader);
      this.wake();
    });
    child.stderr?.on('data', (text: Buffer) => {
      this.lastWords = (this.lastWords + text.toString()).slice(-LAST_WORDS);
    });
    child.once('error', (error) => {
      this.leave(notStarted(error));
      onEnd();
    });
    // Not `exit`, because its last output may arrive later.
    child.once('close', (_code, signal) => {
      this.leave(endOf(signal, this.lastWords));
      onEnd();
    });
    this.hold(false);
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  send(message: ToReader): void {
    // If the process has ended, `next` reports it.
    this.child.send(message, () => {});
  }

  /** Throws the reason of `signal`, `document_too_large` after `limitMs`, or the error with which the process has ended. */
  async next(signal: AbortSignal, limitMs: number): Promise<FromReader> {
    const onAbort = (): void => this.wake();
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      this.wake();
    }, limitMs);
    signal.addEventListener('abort', onAbort, { once: true });
    this.hold(true);
    try {
      for (;;) {
        signal.throwIfAborted();
        const message = this.received.shift();
        if (message !== undefined) return message;
        if (this.ended !== undefined) throw this.ended;
        if (isLate) throw tooSlow(limitMs);
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
      }
    } finally {
      clearTimeout(late);
      this.hold(false);
      signal.removeEventListener('abort', onAbort);
    }
  }

  end(): void {
    this.child.kill('SIGKILL');
  }

  private hold(isHeld: boolean): void {
    const { child } = this;
    for (const one of [child, child.channel, child.stderr as (Readable & ChildProcess) | null])
      one?.[isHeld ? 'ref' : 'unref']();
  }

  private leave(error: WeftError): void {
    this.ended ??= error;
    this.wake();
  }
}

/** Makes the system end this process, not the server, when it runs out of memory. */
function makeFirstToEnd(pid: number | undefined): void {
  if (process.platform !== 'linux' || pid === undefined) return;
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // The process has ended already, or the system does not allow it.
  }
}

function tooSlow(limitMs: number): WeftError {
  return new WeftError('document_too_large', `The document takes longer than ${limitMs / 1000} s to read.`);
}

function notStarted({ message }: Error): WeftError {
  return new WeftError('overloaded', `The process that reads documents did not start: ${message}.`);
}

function endOf(signal: NodeJS.Signals | null, lastWords: string): WeftError {
  // V8 reports a full heap; without such a report, the system ran out of memory.
  if (/out of memory/i.test(lastWords) || lastWords.includes(TOO_MUCH) || signal === 'SIGKILL')
    return new WeftError(
      'document_too_large',
      `The document takes more than ${MEMORY_MB} MB of memory to read.`,
    );
  const how = signal === null ? '' : ` (${signal})`;
  return new WeftError('document_unreadable', `The document could not be read: its reader ended${how}.`);
}

export type Processes = ReturnType<typeof createProcesses>;

/** The processes for documents, and how long they may work on one piece. */
export function createProcesses({ workMs }: { readonly workMs: number } = { workMs: WORK_MS }) {
  const pool = createReaderPool((onEnd) => new Reader(onEnd));

  /** Yields the pieces of the job on demand, and returns its result. */
  async function* run(
    job: Job,
    source: AsyncIterable<Piece>,
    signal: AbortSignal,
  ): AsyncGenerator<Piece, unknown> {
    signal.throwIfAborted();
    const reader = await pool.take(job.kind, signal);
    const pieces = source[Symbol.asyncIterator]();
    let isDone = false;
    try {
      reader.send({ op: 'begin', job });
      for (;;) {
        const message = await reader.next(signal, workMs);
        if (message.op === 'need') {
          const { done, value } = await pieces.next();
          reader.send({ op: 'piece', piece: done ? undefined : value });
        } else if (message.op === 'piece') {
          yield message.piece;
          reader.send({ op: 'more' });
        } else {
          reader.residentMb = message.residentMb;
          isDone = isFree(message);
          return resultOf(message);
        }
      }
    } finally {
      // Otherwise it may still be busy.
      if (isDone) pool.give(reader);
      else reader.end();
      await pieces.return?.();
    }
  }

  return {
    run,
    get pids() {
      return pool.readers.flatMap(({ pid }) => pid ?? []);
    },
    close: () => pool.close(),
  };
}

type End = Extract<FromReader, { readonly residentMb: number }>;

/** Whether the process is ready for another job: it may still be busy with a document that was too large. */
function isFree(end: End): boolean {
  return end.op === 'done' || end.fault.code !== 'document_too_large';
}

function resultOf(end: End): unknown {
  if (end.op === 'failed') throw errorOf(end.fault);
  return end.result;
}

function errorOf({ code, message, data }: Fault): WeftError {
  return new WeftError(code, message, data === undefined ? {} : { data });
}
