import { setTimeout as delay } from 'node:timers/promises';
import { type Asker, type Services, WeftError } from '#engine';
import { transientCodes } from '#shared/transient-codes.ts';
import { MAX_DOCUMENT_BYTES, readDocument, typeOfDocument } from './read-document.ts';
import type { DocumentSource, KnowledgeStore, ReadDocument, TextToEmbed } from './store.ts';
import type { VectorLengths } from './vector-lengths.ts';

/** The most texts that one call embeds. */
const BATCH = 64;
/** The attempts of a call that may succeed later, and the pause after the first one, in milliseconds. */
const ATTEMPTS = 5;
const PAUSE_MS = 500;
const FETCH_MS = 60_000;

export interface LoadDeps {
  readonly store: KnowledgeStore;
  readonly services: () => Pick<Services, 'http' | 'documents' | 'models'>;
  readonly lengths: VectorLengths;
  /** Called when other documents have to be embedded again. */
  readonly onOthers: () => void;
}

/** Executes a step, and reports its progress. */
export interface StepCall {
  readonly by: Asker;
  readonly signal: AbortSignal;
  readonly say: (level: 'info' | 'warn', text: string) => void;
}

/** The result of the first step; the text stays with the document. */
export interface LoadedText {
  readonly type: string;
  readonly bytes: number;
  readonly pages: number | null;
  readonly unread: readonly number[];
}

/**
 * Loads one version of a document, in steps that may each be repeated. If its content was replaced meanwhile, the further steps
 * do nothing, since another load reads the new content.
 */
export class DocumentLoad {
  readonly source: DocumentSource;
  private readonly deps: LoadDeps;
  private parts: ReadDocument | undefined;
  private isReplaced = false;

  constructor(deps: LoadDeps, source: DocumentSource) {
    this.deps = deps;
    this.source = source;
  }

  /** Fetches the content, from its address if it has one, and reads its text. */
  async read({ by, signal, say }: StepCall): Promise<LoadedText> {
    const { store, services } = this.deps;
    const { version, document } = this.source;
    let { content } = this.source;
    let { type } = document;
    const found = { type, bytes: content.length, pages: document.pages, unread: document.unread };
    // An earlier process has finished this step.
    if (document.status === 'embedding') return found;
    if (!(await store.begin(document.id, version))) return this.replaced(found);
    if (document.url !== null) {
      ({ content, type } = await this.fetch(document.url, by, signal));
      if (!(await store.fetched(document.id, version, content, type))) return this.replaced(found);
    }
    const { documents } = services();
    if (documents === undefined) throw new Error('there is no reader of documents');
    const read = await readDocument({ type, content }, documents, signal);
    this.parts = read;
    const { pages, unread } = read;
    if (unread.length > 0) say('warn', `These pages could not be read: ${unread.join(', ')}.`);
    return { type, bytes: content.length, pages, unread };
  }

  /** Splits the text, and replaces the chunks. Resolves with their number. */
  async split(): Promise<number> {
    const { store } = this.deps;
    const { document, version } = this.source;
    if (this.parts !== undefined && !this.isReplaced)
      this.isReplaced = !(await store.replaceChunks(document.id, version, this.parts));
    // The parts may be large.
    this.parts = undefined;
    return (await store.document(document.id))?.chunks ?? 0;
  }

  /**
   * Embeds texts without a vector, if the space has a model; batch by batch, so that a kill costs at most one batch. Resolves
   * with the number of chunks that have a vector.
   */
  async embed({ by, signal, say }: StepCall): Promise<number> {
    const { store } = this.deps;
    const { model, document } = this.source;
    if (model === null || this.isReplaced) return 0;
    let reported = 0;
    for (;;) {
      signal.throwIfAborted();
      const texts = await store.toEmbed(document.id, model, BATCH);
      const vectors = texts.length === 0 ? [] : await this.vectors(model, texts, { by, signal });
      await this.settle(model, vectors[0]?.[1].length, say);
      await store.addVectors(document.id, model, vectors);
      const { chunks = 0, embedded = 0 } = (await store.document(document.id)) ?? {};
      if (texts.length === 0) return embedded;
      // Ten reports are enough for a large document.
      if (embedded - reported >= chunks / 10) say('info', `${embedded} of ${chunks} chunks are embedded`);
      if (embedded - reported >= chunks / 10) reported = embedded;
    }
  }

  private async settle(model: string, length: number | undefined, say: StepCall['say']): Promise<void> {
    if (length === undefined) return;
    const { lengths, onOthers } = this.deps;
    const before = await lengths.settle(model, length, this.source.document.id);
    if (before === undefined) return;
    say(
      'warn',
      `The model ${model} now returns vectors of ${length} numbers, not of ${before}: all documents are embedded again.`,
    );
    onOthers();
  }

  private replaced<T>(found: T): T {
    this.isReplaced = true;
    return found;
  }

  private async fetch(
    url: string,
    by: Asker,
    signal: AbortSignal,
  ): Promise<{ content: Uint8Array; type: string }> {
    const { http } = this.deps.services();
    if (http === undefined) throw new Error('there is no HTTP client');
    const request = {
      method: 'GET',
      url,
      headers: { accept: 'text/html, text/*, application/pdf, */*;q=0.5' },
    };
    const limits = { body: undefined, redirects: 5, timeoutMs: FETCH_MS, maxBytes: MAX_DOCUMENT_BYTES };
    const answer = await http.send({ ...request, ...limits }, by, signal);
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    if (answer.status >= 300)
      throw new WeftError('outbound_failed', `${url} answered with the status ${answer.status}.`);
    const content = new Uint8Array(Buffer.concat(pieces));
    const { pathname } = new URL(answer.url);
    const contentType = answer.headers['content-type'] ?? '';
    return {
      content,
      type: contentType === '' ? typeOfDocument(pathname, content) : typeOfDocument('', content, contentType),
    };
  }

  private async vectors(
    model: string,
    texts: readonly TextToEmbed[],
    { by, signal }: Pick<StepCall, 'by' | 'signal'>,
  ): Promise<(readonly [hash: string, vector: Float32Array])[]> {
    const call = { model, texts: texts.map(({ text }) => text) };
    for (let attempt = 1; ; attempt++)
      try {
        const { models } = this.deps.services();
        if (models === undefined) throw new Error('there are no models');
        const { vectors } = await models.embed(call, by, signal);
        return texts.map(({ hash }, at) => [hash, Float32Array.from(vectors[at] ?? [])]);
      } catch (error) {
        const code = error instanceof WeftError ? error.code : '';
        if (attempt === ATTEMPTS || !transientCodes.has(code)) throw error;
        await delay(PAUSE_MS * 2 ** (attempt - 1), undefined, { signal });
      }
  }
}
