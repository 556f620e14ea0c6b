import { setTimeout as delay } from 'node:timers/promises';
import { type Asker, type Services, WeftError } from '#engine';
import type { KnowledgeDocument } from '#shared/knowledge.ts';
import { transientCodes } from '#shared/transient-codes.ts';
import { MAX_DOCUMENT_BYTES, readDocument, typeOfDocument } from './read-document.ts';
import type { DocumentSource, KnowledgeStore, TextToEmbed } from './store.ts';

/** Documents that are read at the same time. */
const AT_ONCE = 2;
/** Texts that are embedded by one call. */
const BATCH = 64;
/** Attempts of a call that may succeed later, and the pause after the first, in milliseconds. */
const ATTEMPTS = 5;
const PAUSE_MS = 500;
const FETCH_MS = 60_000;

export interface IngestDeps {
  readonly store: KnowledgeStore;
  readonly services: () => Pick<Services, 'http' | 'documents' | 'models'>;
  readonly warn: (error: unknown, document: string) => void;
}

interface Work {
  again: boolean;
  readonly done: Promise<void>;
}

/**
 * Reads, splits, stores and embeds documents, some at a time.
 * KI1. Each step is repeated without harm: a document whose work was cut short, by a kill too, is taken up by `resume`.
 * KI2. A document is found by its words as soon as it is stored, while its vectors are still made.
 * KI3. What cannot be read fails alone, with a problem that its owner sees.
 */
export class Ingest {
  private readonly deps: IngestDeps;
  private readonly works = new Map<string, Work>();
  private readonly closing = new AbortController();
  private readonly queue: (() => void)[] = [];
  private free = AT_ONCE;

  constructor(deps: IngestDeps) {
    this.deps = deps;
  }

  /** Resolves when the document is ready or has failed; it never rejects. */
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

  async resume(): Promise<void> {
    for (const id of await this.deps.store.unfinished()) void this.start(id);
  }

  /** What is under way goes on at the next start. */
  async close(): Promise<void> {
    this.closing.abort();
    for (const begin of this.queue.splice(0)) begin();
    await Promise.all([...this.works.values()].map(({ done }) => done));
  }

  private async run(id: string, work: Work): Promise<void> {
    if (this.free === 0) await new Promise<void>((begin) => void this.queue.push(begin));
    else this.free--;
    try {
      do {
        work.again = false;
        await this.ingest(id);
      } while (work.again && !this.closing.signal.aborted);
    } catch (error) {
      if (!this.closing.signal.aborted) this.deps.warn(error, id);
    } finally {
      this.works.delete(id);
      const next = this.queue.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }

  private async ingest(id: string): Promise<void> {
    const { signal } = this.closing;
    if (signal.aborted) return;
    const { store } = this.deps;
    const source = await store.source(id);
    if (source === undefined) return;
    const { version, model, document } = source;
    try {
      if (document.status !== 'embedding' && !(await this.read(id, source))) return;
      if (model !== null) await this.embed(id, model);
      await store.finish(id, version, null);
    } catch (error) {
      if (signal.aborted) return;
      await store.finish(id, version, problemOf(error));
    }
  }

  /** False if the content was replaced meanwhile. */
  private async read(id: string, source: DocumentSource): Promise<boolean> {
    const { store, services } = this.deps;
    const { version, document } = source;
    if (!(await store.begin(id, version))) return false;
    let { content } = source;
    let { type } = document;
    if (document.url !== null) {
      ({ content, type } = await this.fetch(document, document.url));
      if (!(await store.fetched(id, version, content, type))) return false;
    }
    const { documents } = services();
    if (documents === undefined) throw new Error('there is no reader of documents');
    const read = await readDocument({ type, content }, documents, this.closing.signal);
    return store.replaceChunks(id, version, read);
  }

  private async fetch(
    document: KnowledgeDocument,
    url: string,
  ): Promise<{ content: Uint8Array; type: string }> {
    const { http } = this.deps.services();
    if (http === undefined) throw new Error('there is no HTTP client');
    const request = {
      method: 'GET',
      url,
      headers: { accept: 'text/html, text/*, application/pdf, */*;q=0.5' },
    };
    const limits = { body: undefined, redirects: 5, timeoutMs: FETCH_MS, maxBytes: MAX_DOCUMENT_BYTES };
    const { signal } = this.closing;
    const answer = await http.send({ ...request, ...limits }, askerOf(document), signal);
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    if (answer.status >= 300)
      throw new WeftError('outbound_failed', `${url} answered with the status ${answer.status}.`);
    const content = new Uint8Array(Buffer.concat(pieces));
    const { pathname } = new URL(answer.url);
    const said = answer.headers['content-type'] ?? '';
    return {
      content,
      type: said === '' ? typeOfDocument(pathname, content) : typeOfDocument('', content, said),
    };
  }

  /** Vectors are stored batch by batch, so that a kill costs one batch at most. */
  private async embed(id: string, model: string): Promise<void> {
    const { store } = this.deps;
    for (;;) {
      this.closing.signal.throwIfAborted();
      const texts = await store.toEmbed(id, model, BATCH);
      const vectors = texts.length === 0 ? [] : await this.vectors(id, model, texts);
      await store.addVectors(id, model, vectors);
      if (texts.length === 0) return;
    }
  }

  private async vectors(
    id: string,
    model: string,
    texts: readonly TextToEmbed[],
  ): Promise<(readonly [hash: string, vector: Float32Array])[]> {
    const { signal } = this.closing;
    const call = { model, texts: texts.map(({ text }) => text) };
    for (let attempt = 1; ; attempt++)
      try {
        const { models } = this.deps.services();
        if (models === undefined) throw new Error('there are no models');
        const { vectors } = await models.embed(call, askerOf({ id }), signal);
        return texts.map(({ hash }, at) => [hash, Float32Array.from(vectors[at] ?? [])]);
      } catch (error) {
        const code = error instanceof WeftError ? error.code : '';
        if (attempt === ATTEMPTS || !transientCodes.has(code)) throw error;
        await delay(PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
      }
  }
}

/** Who asks for a model or an address on behalf of a document; no run does. */
export function askerOf({ id }: Pick<KnowledgeDocument, 'id'>): Asker {
  return { flow: 'knowledge', version: '', run: `knowledge-${id}`, node: id, operator: 'knowledge.load' };
}

function problemOf(error: unknown): NonNullable<KnowledgeDocument['problem']> {
  if (error instanceof WeftError) return { code: error.code, message: error.message };
  return { code: 'internal', message: error instanceof Error ? error.message : String(error) };
}
