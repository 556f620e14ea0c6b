import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Asker, WeftError } from '#engine';
import type { KnowledgeDocument } from '#shared/knowledge.ts';
import { DocumentLoad, type LoadDeps, type StepCall } from './load-document.ts';

/** Documents that are read at the same time. */
const AT_ONCE = 2;
/** How long the claim of a silent process on a document lasts, in milliseconds. */
const LEASE_MS = 30_000;

/** Executes the steps of a load as a visible run. Throws the errors of the steps, and `run_cancelled`. */
export type RecordLoad = (load: DocumentLoad, signal: AbortSignal) => Promise<void>;

export interface IngestDeps extends Omit<LoadDeps, 'onOthers'> {
  readonly warn: (error: unknown, text: string) => void;
  /** Without it only the state of the document is visible. */
  readonly record?: (() => Promise<RecordLoad>) | undefined;
  /** Whether other processes too load documents of this store. */
  readonly isShared: boolean;
  readonly leaseMs?: number | undefined;
}

interface Work {
  again: boolean;
  readonly done: Promise<void>;
}

/**
 * Reads, splits, stores and embeds documents, several at a time.
 * KI1. Each step can be repeated without harm: `resume` continues a document whose work was cut short, even by a kill.
 * KI2. A document is found by its words as soon as it is stored, before its vectors are complete.
 * KI3. An unreadable document fails alone, with a problem that its owner sees.
 * KI4. One process at a time loads a document. When it dies, another one takes the document over.
 */
export class Ingest {
  private readonly deps: IngestDeps;
  private readonly works = new Map<string, Work>();
  private readonly closing = new AbortController();
  private readonly queue: (() => void)[] = [];
  private free = AT_ONCE;
  private recorder: Promise<RecordLoad> | undefined;
  private readonly holder = randomUUID();
  private readonly leaseMs: number;
  private readonly looking: NodeJS.Timeout | undefined;

  constructor(deps: IngestDeps) {
    this.deps = deps;
    this.leaseMs = deps.leaseMs ?? LEASE_MS;
    const look = (): void =>
      void this.resume().catch((error: unknown) =>
        this.deps.warn(error, 'unfinished documents of knowledge spaces could not be looked up'),
      );
    if (deps.isShared) this.looking = setInterval(look, this.leaseMs / 2).unref();
  }

  /** Resolves when the document is ready or has failed, or this process stops; it never rejects. */
  start(id: string): Promise<void> {
    const known = this.works.get(id);
    if (known !== undefined) {
      known.again = true;
      return known.done;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const work: Work = { again: false, done: promise };
    this.works.set(id, work);
    void this.run(id, work).finally(resolve);
    return promise;
  }

  /** Queues documents that have to be embedded again, including those whose earlier version is under way. */
  async again(): Promise<void> {
    for (const work of this.works.values()) work.again = true;
    await this.resume();
  }

  async resume(): Promise<void> {
    for (const id of await this.deps.store.unfinished()) if (!this.works.has(id)) void this.start(id);
  }

  /** Stops. Unfinished documents continue at the next start, or at another server. */
  async close(): Promise<void> {
    clearInterval(this.looking);
    this.closing.abort();
    for (const begin of this.queue.splice(0)) begin();
    await Promise.all([...this.works.values()].map(({ done }) => done));
  }

  private async run(id: string, work: Work): Promise<void> {
    const { signal } = this.closing;
    try {
      do {
        work.again = false;
        // A document that another process has claimed does not count towards the limit of this one.
        while (!(await this.inTurn(() => this.attempt(id))))
          await delay(this.leaseMs / 30, undefined, { signal });
      } while (work.again && !signal.aborted);
    } catch (error) {
      if (!signal.aborted)
        this.deps.warn(error, `the document ${id} of a knowledge space was left unfinished`);
    } finally {
      this.works.delete(id);
    }
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.free === 0) await new Promise<void>((begin) => void this.queue.push(begin));
    else this.free--;
    try {
      return await work();
    } finally {
      const next = this.queue.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }

  /** False if another process has claimed the document. */
  private async attempt(id: string): Promise<boolean> {
    const { store } = this.deps;
    const claim = (): Promise<boolean> => store.claim(id, this.holder, this.leaseMs);
    if (this.closing.signal.aborted) return true;
    if (!(await claim())) return false;
    const lost = new AbortController();
    const renew = async (): Promise<void> => {
      // A database that does not answer now may do so before the claim expires.
      if (!(await claim().catch(() => true))) lost.abort();
    };
    const renewing = setInterval(() => void renew(), this.leaseMs / 3).unref();
    try {
      await this.ingest(id, AbortSignal.any([this.closing.signal, lost.signal]));
      return !lost.signal.aborted;
    } finally {
      clearInterval(renewing);
      await store.release(id, this.holder);
    }
  }

  private async ingest(id: string, signal: AbortSignal): Promise<void> {
    const { store, record } = this.deps;
    const source = await store.source(id);
    // Another process has loaded it, or its owner has removed it.
    if (source === undefined || source.document.status === 'ready') return;
    const onOthers = (): void =>
      void this.again().catch((error: unknown) =>
        this.deps.warn(error, 'documents of knowledge spaces could not be embedded again'),
      );
    const load = new DocumentLoad({ ...this.deps, onOthers }, source);
    try {
      if (record === undefined) await unrecorded(load, signal);
      else await (await (this.recorder ??= record()))(load, signal);
      signal.throwIfAborted();
      await store.finish(id, source.version, null);
    } catch (error) {
      if (signal.aborted || isStopping(error)) return;
      await store.finish(id, source.version, problemOf(error));
    }
  }
}

/** Executes the steps without a run. */
export async function unrecorded(load: DocumentLoad, signal: AbortSignal): Promise<void> {
  const call: StepCall = { by: askerOf(load.source.document), signal, say: () => {} };
  await load.read(call);
  await load.split();
  await load.embed(call);
}

/** The server stops; the next one continues. */
function isStopping(error: unknown): boolean {
  return error instanceof WeftError && error.code === 'draining';
}

/** The caller of a model or an address for a document that is loaded without a run. */
function askerOf({ id }: Pick<KnowledgeDocument, 'id'>): Asker {
  return { flow: 'knowledge', version: '', run: `knowledge-${id}`, node: id, operator: 'knowledge.load' };
}

function problemOf(error: unknown): NonNullable<KnowledgeDocument['problem']> {
  if (error instanceof WeftError) return { code: error.code, message: error.message };
  return { code: 'internal', message: error instanceof Error ? error.message : String(error) };
}
