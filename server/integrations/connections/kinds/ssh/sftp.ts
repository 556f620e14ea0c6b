import type { FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import { WeftError } from '#engine';
import { connectionLost } from '../../servers.ts';
import { type Failure, said, silent } from './failures.ts';
import type { SshSettings } from './settings.ts';

/** Statuses of SFTP (draft-ietf-secsh-filexfer-02, 7). */
const EOF = 1;
const MISSING = 2;

/** Bytes of one request; every server takes as many. */
const PIECE = 32_768;
/** The most requests that are under way for one file. */
const MOST_AHEAD = 32;
/** The most names of one folder. */
const MOST_NAMES = 100_000;

type Done<T> = (error?: Error | null, value?: T) => void;

/** The files of a session: requests as promises that end when the server is silent for too long. */
export class Sftp {
  private readonly sftp: SFTPWrapper;
  private readonly settings: SshSettings;
  private readonly cut: () => void;
  private base: Promise<string> | undefined;
  private isGone = false;

  constructor(sftp: SFTPWrapper, settings: SshSettings, cut: () => void) {
    this.sftp = sftp;
    this.settings = settings;
    this.cut = cut;
    sftp.on('close', () => {
      this.isGone = true;
    });
    // Requests report it.
    sftp.on('error', () => cut());
  }

  /** The real path of the folder of the settings. Throws `connection_refused` if it is not there. */
  root(): Promise<string> {
    this.base ??= this.realRoot();
    this.base.catch(() => {
      this.base = undefined;
    });
    return this.base;
  }

  private async realRoot(): Promise<string> {
    const { folder } = this.settings;
    const real = await this.real(folder.replace(/^~\/?/, './')).catch(ifMissing);
    const found = real === undefined ? undefined : await this.stat(real);
    if (real !== undefined && found?.isDirectory() === true) return real;
    throw new WeftError('connection_refused', `There is no folder ${folder} on the SSH server.`);
  }

  real(path: string): Promise<string> {
    return this.ask((done) => this.sftp.realpath(path, done));
  }

  /** Undefined if there is nothing; of a link: what it leads to. */
  stat(path: string): Promise<Stats | undefined> {
    return this.ask<Stats>((done) => this.sftp.stat(path, done)).catch(ifMissing);
  }

  /** The same of a link itself. */
  lstat(path: string): Promise<Stats | undefined> {
    return this.ask<Stats>((done) => this.sftp.lstat(path, done)).catch(ifMissing);
  }

  open(path: string, flags: 'r' | 'wx'): Promise<Buffer> {
    return this.ask((done) => this.sftp.open(path, flags, done));
  }

  async close(handle: Buffer): Promise<void> {
    await this.ask<undefined>((done) => this.sftp.close(handle, done));
  }

  async setMode(handle: Buffer, mode: number): Promise<void> {
    await this.ask<undefined>((done) => this.sftp.fchmod(handle, mode, done));
  }

  async makeFolder(path: string): Promise<void> {
    await this.ask<undefined>((done) => this.sftp.mkdir(path, done));
  }

  /** False if there is no such file. */
  async remove(path: string): Promise<boolean> {
    try {
      await this.ask<undefined>((done) => this.sftp.unlink(path, done));
      return true;
    } catch (error) {
      return ifMissing(error) ?? false;
    }
  }

  /** Fails if there is something at the new path. */
  async rename(from: string, to: string): Promise<void> {
    await this.ask<undefined>((done) => this.sftp.rename(from, to, done));
  }

  /** Takes the place of what is at the new path, in one step if the server can do that. */
  async replace(from: string, to: string): Promise<void> {
    try {
      await this.ask<undefined>((done) => this.sftp.ext_openssh_rename(from, to, done));
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      await this.replaceInSteps(from, to);
    }
  }

  /** What is there moves aside, and comes back if its successor cannot take its place. */
  private async replaceInSteps(from: string, to: string): Promise<void> {
    const aside = `${from}.old`;
    const hadOne = await this.rename(to, aside).then(() => true, ifMissing);
    try {
      await this.rename(from, to);
    } catch (error) {
      if (hadOne) await this.rename(aside, to);
      throw error;
    }
    if (hadOne) await this.remove(aside);
  }

  /** What is in a folder, in no order. Throws `value_too_large`. */
  async *entries(path: string): AsyncGenerator<FileEntryWithStats> {
    const handle = await this.ask<Buffer>((done) => this.sftp.opendir(path, done));
    try {
      for (let count = 0; ; ) {
        const some = await this.ask<FileEntryWithStats[]>((done) =>
          this.sftp.readdir(handle as never, done as never),
        ).catch(ifEnded);
        if (some === undefined) return;
        // A server may answer with empty lists without end.
        count += Math.max(1, some.length);
        if (count > MOST_NAMES)
          throw new WeftError('value_too_large', `A folder has more than ${MOST_NAMES} entries.`);
        yield* some;
      }
    } finally {
      await this.close(handle).catch(() => {});
    }
  }

  /** The bytes of a file. Several requests are under way, more and more while it goes on. */
  async *content(handle: Buffer): AsyncGenerator<Uint8Array> {
    const asked: Promise<Uint8Array>[] = [];
    let at = 0;
    let next = 0;
    try {
      for (let ahead = 1; ; ahead = Math.min(ahead * 2, MOST_AHEAD)) {
        for (; asked.length < ahead; next += PIECE) asked.push(this.read(handle, next));
        const piece = (await asked.shift()) as Uint8Array;
        if (piece.length === 0) return;
        at += piece.length;
        // A server may give less than it was asked for; what comes after it was asked at the wrong place then.
        if (piece.length < PIECE) {
          await Promise.allSettled(asked.splice(0));
          next = at;
        }
        yield piece;
      }
    } finally {
      await Promise.allSettled(asked);
    }
  }

  /** Empty at the end of the file. */
  private read(handle: Buffer, at: number): Promise<Uint8Array> {
    const piece = Buffer.allocUnsafe(PIECE);
    const read = this.ask<number>((done) => this.sftp.read(handle, piece, 0, PIECE, at, done as never))
      .catch(ifEnded)
      .then((count = 0) => piece.subarray(0, count));
    // It may fail before its turn to be awaited.
    read.catch(() => {});
    return read;
  }

  /** Writes the content, several requests at a time. */
  async write(handle: Buffer, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    const going = new Set<Promise<void>>();
    let failure: { readonly error: unknown } | undefined;
    let at = 0;
    const send = async (part: Buffer): Promise<void> => {
      signal.throwIfAborted();
      if (going.size >= MOST_AHEAD) await Promise.race(going);
      if (failure) throw failure.error;
      const from = at;
      at += part.length;
      const sent = this.ask<undefined>((done) => this.sftp.write(handle, part, 0, part.length, from, done))
        .then(undefined, (error: unknown) => {
          failure ??= { error };
        })
        .then(() => void going.delete(sent));
      going.add(sent);
    };
    try {
      for await (const piece of content) for (const part of partsOf(piece)) await send(part);
    } finally {
      await Promise.all(going);
    }
    if (failure) throw failure.error;
    signal.throwIfAborted();
  }

  private ask<T>(step: (done: Done<T>) => void): Promise<T> {
    if (this.isGone) return Promise.reject(connectionLost('The SSH server'));
    const { timeoutMs } = this.settings;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(silent(timeoutMs));
        this.cut();
      }, timeoutMs);
      const done: Done<T> = (error, value) => {
        clearTimeout(timer);
        if (error) reject(this.isGone ? connectionLost('The SSH server') : error);
        else resolve(value as T);
      };
      try {
        step(done);
      } catch (error) {
        done(error as Error);
      }
    });
  }
}

function* partsOf({ buffer, byteOffset, byteLength }: Uint8Array): Generator<Buffer> {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  for (let from = 0; from < bytes.length; from += PIECE) yield bytes.subarray(from, from + PIECE);
}

const UNSUPPORTED = 8;

function isUnsupported(error: unknown): boolean {
  const { code, message } = error as Failure;
  return code === UNSUPPORTED || /does not support/.test(message);
}

function ifMissing(error: unknown): undefined {
  if ((error as Failure).code === MISSING) return undefined;
  throw error;
}

function ifEnded(error: unknown): undefined {
  if ((error as Failure).code === EOF) return undefined;
  throw error;
}

/** The coded error for a status of SFTP. */
export function refusedBy(error: unknown, path: string): unknown {
  if (error instanceof WeftError || typeof (error as Failure | undefined)?.code !== 'number') return error;
  const shown = JSON.stringify(path.slice(0, 200));
  return new WeftError('action_failed', `The SSH server refused ${shown}: ${said(error as Error)}.`);
}
