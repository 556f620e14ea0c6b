import { join } from 'node:path';
import { type Asker, type KnowledgeLoad, type KnowledgeService, type Services, WeftError } from '#engine';
import type {
  DocumentChange,
  DocumentMetadata,
  KnowledgeChunk,
  KnowledgeDocument,
  KnowledgeResult,
  KnowledgeSearch,
  SpaceBody,
} from '#shared/knowledge.ts';
import { type SplitChange, SplitSettings } from '#shared/split-document.ts';
import type { Sql } from '../../storage/database/sql.ts';
import { nearest } from '../../base/errors/nearest.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { openEmbeddedStore } from './embedded/embedded-store.ts';
import { Ingest, type RecordLoad } from './ingest.ts';
import { MAX_DOCUMENT_BYTES, typeOfDocument } from './read-document.ts';
import type { KnowledgeStore, NewSpace, Page, PageAsked, StoredSpace } from './store.ts';
import { VectorLengths } from './vector-lengths.ts';

export interface KnowledgeDeps {
  /** The data folder. */
  readonly data: string;
  /** A PostgreSQL with the spaces; without it they are in a file of the data folder. */
  readonly database?: Sql | undefined;
  /** Whether other processes too load documents. */
  readonly isShared?: boolean | undefined;
  /** Called on first use, because some services are opened later. */
  readonly services: () => Pick<Services, 'http' | 'documents' | 'models'>;
  /** The default embedding model; undefined if no provider offers one. */
  readonly defaultModel: () => string | undefined;
  /** The full name of an embedding model. Throws `model_not_found`. */
  readonly findModel: (name: string) => string;
  readonly warn: (error: unknown, text: string) => void;
  /** Loads documents as runs; without it they are loaded without a run. */
  readonly record?: (() => Promise<RecordLoad>) | undefined;
  /** How long the claim of a silent process on a document lasts, in milliseconds. */
  readonly leaseMs?: number | undefined;
}

/** A document as the caller provides it. */
export interface DocumentGiven {
  readonly name: string;
  readonly content: Uint8Array | { readonly url: string };
  readonly kind: KnowledgeDocument['kind'];
  readonly type?: string | undefined;
  readonly metadata?: DocumentMetadata | undefined;
  readonly split?: SplitChange | undefined;
}

/** The database of spaces in the data folder. */
export const KNOWLEDGE_FILE = 'knowledge.db';

/** Throws a `StartError` if the spaces were written by a newer version. */
export async function openKnowledge(deps: KnowledgeDeps): Promise<OpenKnowledge> {
  if (deps.database === undefined)
    return new OpenKnowledge(deps, await openEmbeddedStore(join(deps.data, KNOWLEDGE_FILE)));
  const { openPostgresStore } = await import('./postgres/postgres-store.ts');
  return new OpenKnowledge(deps, await openPostgresStore(deps.database));
}

/** Spaces, their documents, and the search in them. Unknown ids throw `space_not_found` or `knowledge_document_not_found`. */
export class OpenKnowledge implements KnowledgeService {
  readonly store: KnowledgeStore;
  private readonly deps: KnowledgeDeps;
  private readonly ingest: Ingest;
  private readonly lengths: VectorLengths;

  constructor(deps: KnowledgeDeps, store: KnowledgeStore) {
    this.deps = deps;
    this.store = store;
    this.lengths = new VectorLengths(store);
    const { services, warn, record, leaseMs } = deps;
    this.ingest = new Ingest({
      store,
      services,
      lengths: this.lengths,
      warn,
      record,
      leaseMs,
      isShared: deps.isShared === true || deps.database !== undefined,
    });
  }

  /** Continues documents that an earlier process left unfinished. */
  resume(): Promise<void> {
    return this.ingest.resume();
  }

  async close(): Promise<void> {
    await this.ingest.close();
    await this.store.close();
  }

  // ------------------------------------------------------------------------------------------------------- spaces

  spaces(): Promise<StoredSpace[]> {
    return this.store.spaces();
  }

  async space(id: string): Promise<StoredSpace> {
    return (await this.store.space(id)) ?? missingSpace(id);
  }

  async addSpace(body: SpaceBody, extra: StoredSpace['extra'] = {}): Promise<StoredSpace> {
    const made = await this.store.addSpace({
      name: body.name,
      description: body.description ?? '',
      owner: body.owner ?? '',
      model: body.model === undefined ? (this.deps.defaultModel() ?? null) : this.modelFor(body.model),
      split: splitOf(body.split),
      extra,
    });
    return made ?? taken(body.name);
  }

  /** Absent fields stay as they are. */
  async changeSpace(
    id: string,
    body: { readonly [K in keyof SpaceBody]?: SpaceBody[K] | undefined },
    extra?: StoredSpace['extra'],
  ): Promise<StoredSpace> {
    const before = await this.space(id);
    const { split, ...rest } = body;
    // The space may keep a model that was removed meanwhile.
    const isOther = rest.model !== undefined && rest.model !== before.model;
    if (isOther) rest.model = this.modelFor(rest.model ?? null);
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
    const change: Partial<NewSpace> = {
      ...given,
      ...(split && { split: splitOf(split, before.split) }),
      ...(extra && { extra: { ...before.extra, ...extra } }),
    };
    const changed = await this.store.changeSpace(id, change);
    if (changed === undefined) return missingSpace(id);
    if (changed === 'taken') return taken(body.name ?? '');
    if (changed.model !== before.model) void this.resume();
    return changed;
  }

  /** The full name of a model, so that a changed alias does not mix the vectors of two models. Throws `model_not_found`. */
  private modelFor(name: string | null): string | null {
    return name === null ? null : this.deps.findModel(name);
  }

  /** Returns the deleted space. */
  async removeSpace(id: string): Promise<StoredSpace> {
    const space = await this.space(id);
    await this.store.removeSpace(id);
    return space;
  }

  // ---------------------------------------------------------------------------------------------------- documents

  async documents(space: string | undefined, page: PageAsked): Promise<Page<KnowledgeDocument>> {
    if (space !== undefined) await this.space(space);
    return this.store.documents(space, page);
  }

  async document(id: string): Promise<KnowledgeDocument> {
    return (await this.store.document(id)) ?? missingDocument(id);
  }

  async chunks(id: string, page: PageAsked): Promise<Page<KnowledgeChunk>> {
    await this.document(id);
    return this.store.chunks(id, page);
  }

  /** Stores a document, or replaces the one with this name, and starts to load it. */
  async put(space: string, given: DocumentGiven): Promise<KnowledgeDocument> {
    const document = await this.keep(space, given);
    if (document.status !== 'ready') void this.ingest.start(document.id);
    return document;
  }

  /** Stores it without loading it, as DB-GPT does until it is synchronised. */
  async keep(space: string, given: DocumentGiven): Promise<KnowledgeDocument> {
    const { split } = await this.space(space);
    const isUrl = !(given.content instanceof Uint8Array);
    const content = isUrl ? new Uint8Array() : (given.content as Uint8Array);
    if (content.length > MAX_DOCUMENT_BYTES) throw tooLarge(content.length);
    return this.store.putDocument({
      space,
      name: given.name,
      kind: given.kind,
      type: isUrl ? 'text/html' : typeOfDocument(given.name, content, given.type),
      url: isUrl ? (given.content as { url: string }).url : null,
      metadata: given.metadata ?? {},
      split: splitOf(given.split, split),
      content,
    });
  }

  /** Loads a document again: fetches its address, splits it by these settings, and embeds changed texts. */
  async sync(id: string, split?: SplitChange): Promise<KnowledgeDocument> {
    const before = await this.document(id);
    const again = await this.store.restart(id, split && splitOf(split, before.split));
    void this.ingest.start(id);
    return again ?? missingDocument(id);
  }

  async changeDocument(id: string, { metadata }: DocumentChange): Promise<KnowledgeDocument> {
    return (await this.store.changeDocument(id, metadata)) ?? missingDocument(id);
  }

  /** Returns the deleted document. */
  async removeDocument(id: string): Promise<KnowledgeDocument> {
    const document = await this.document(id);
    await this.store.removeDocument(id);
    return document;
  }

  // ------------------------------------------------------------------------------------------------------- search

  /** Throws for invalid arguments; a failing model costs only the ranking by meaning. */
  async searchIn(
    spaces: readonly StoredSpace[],
    asked: KnowledgeSearch,
    by: Asker,
    signal: AbortSignal,
  ): Promise<KnowledgeResult> {
    const models = new Set(spaces.map(({ model }) => model));
    const [model] = models;
    let note: string | null = null;
    let meaning: { model: string; vector: Float32Array } | undefined;
    const ids = spaces.map(({ id }) => id);
    if (models.size > 1) note = 'The spaces have different embedding models.';
    else if (model && (note = await this.store.withoutMeaning(ids)) === null)
      try {
        const vector = await this.vectorOf(asked.query, model, by, signal);
        const changed = await this.changedLength(model, vector.length);
        note = changed ?? notEmbedded(spaces);
        if (changed === undefined && spaces.some(({ embedded }) => embedded > 0)) meaning = { model, vector };
      } catch (error) {
        signal.throwIfAborted();
        note = error instanceof Error ? error.message : String(error);
      }
    const hits = await this.store.search({ ...asked, spaces: ids, meaning });
    return { hits, ranking: meaning === undefined ? 'words' : 'hybrid', note };
  }

  private async vectorOf(
    query: string,
    model: string,
    by: Asker,
    signal: AbortSignal,
  ): Promise<Float32Array> {
    const { models } = this.deps.services();
    if (models === undefined) throw new WeftError('model_not_found', 'There are no models here.');
    const { vectors } = await models.embed({ model, texts: [query] }, by, signal);
    return Float32Array.from(vectors[0] ?? []);
  }

  /** Embeds all documents again if the model returns vectors of another length than the stored ones; returns a notice about it. */
  private async changedLength(model: string, length: number): Promise<string | undefined> {
    const before = await this.lengths.settle(model, length);
    if (before === undefined) return undefined;
    void this.ingest
      .again()
      .catch((error: unknown) =>
        this.deps.warn(error, 'documents of knowledge spaces could not be embedded again'),
      );
    return `The model ${model} now returns vectors of ${length} numbers, not of ${before}: the documents are embedded again, and found by their words until then.`;
  }

  // ------------------------------------------------------------------------------------------- service of operators

  async load(given: KnowledgeLoad, _by: Asker, signal: AbortSignal): Promise<KnowledgeDocument> {
    const space = await this.spaceFor(given.space);
    const document = await this.put(space.id, { ...given, ...(await contentOf(given.content, signal)) });
    await until(this.ingest.start(document.id), signal);
    const done = await this.document(document.id);
    if (done.status === 'failed' && done.problem)
      throw new WeftError(done.problem.code, done.problem.message, { data: { document: done.id } });
    if (done.status !== 'ready')
      throw new WeftError(
        'draining',
        'The server stops before the document is loaded; it continues after its next start.',
      );
    return done;
  }

  async chunksOf(document: string, most: number, signal: AbortSignal): Promise<KnowledgeChunk[]> {
    const all: KnowledgeChunk[] = [];
    for (;;) {
      const { items, total } = await this.chunks(document, { offset: all.length, limit: CHUNKS_AT_ONCE });
      signal.throwIfAborted();
      if (total > most)
        throw new WeftError(
          'too_many_items',
          `The document has ${total} chunks; at most ${most} are passed on.`,
        );
      all.push(...items);
      if (items.length === 0 || all.length >= total) return all;
    }
  }

  async search(
    { spaces: names, ...asked }: KnowledgeSearch & { readonly spaces: readonly string[] },
    by: Asker,
    signal: AbortSignal,
  ): Promise<KnowledgeResult> {
    const spaces = await Promise.all(names.map((name) => this.named(name)));
    signal.throwIfAborted();
    return this.searchIn(spaces, asked, by, signal);
  }

  async remove(space: string, name: string): Promise<boolean> {
    const { id } = await this.named(space);
    const document = await this.store.documentNamed(id, name);
    return document !== undefined && this.store.removeDocument(document.id);
  }

  /** Throws `space_not_found`, with the most similar name and the existing ones. */
  async named(name: string): Promise<StoredSpace> {
    const space = await this.store.spaceNamed(name);
    if (space !== undefined) return space;
    const names = (await this.store.spaces()).map((other) => other.name);
    const meant = nearest(name, names);
    const hint = meant === undefined ? '.' : `; did you mean ${meant}?`;
    throw new WeftError(
      'space_not_found',
      `There is no knowledge space ${name}${hint} ${spacesThere(names)}`,
    );
  }

  private async spaceFor(name: string): Promise<StoredSpace> {
    const known = await this.store.spaceNamed(name);
    if (known !== undefined) return known;
    return this.addSpace({ name }).catch(() => this.named(name));
  }
}

/** A notice while documents are embedded, or after embedding has failed. */
function notEmbedded(spaces: readonly StoredSpace[]): string | null {
  const sum = (of: 'chunks' | 'embedded') => spaces.reduce((all, space) => all + space[of], 0);
  const [chunks, embedded] = [sum('chunks'), sum('embedded')];
  if (embedded >= chunks) return null;
  return `${embedded} of ${chunks} chunks have a vector; the others are found by their words alone.`;
}

const NAMED_SPACES = 10;
const CHUNKS_AT_ONCE = 500;

function spacesThere(names: readonly string[]): string {
  if (names.length === 0) return 'There are none yet: make one on the screen Knowledge.';
  const more = names.length - NAMED_SPACES;
  return `There are: ${names.slice(0, NAMED_SPACES).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

async function contentOf(
  content: KnowledgeLoad['content'],
  signal: AbortSignal,
): Promise<Pick<DocumentGiven, 'content' | 'kind'>> {
  if (typeof content === 'string') return { content: new TextEncoder().encode(content), kind: 'text' };
  if ('url' in content) return { content, kind: 'url' };
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of content) {
    signal.throwIfAborted();
    bytes += piece.length;
    if (bytes > MAX_DOCUMENT_BYTES) throw tooLarge(bytes);
    pieces.push(piece);
  }
  return { content: new Uint8Array(Buffer.concat(pieces)), kind: 'file' };
}

async function until(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
    promise.catch(() => {});
  }
}

function splitOf(given: SplitChange = {}, before?: SplitSettings): SplitSettings {
  const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return SplitSettings.parse({ ...before, ...named });
}

function tooLarge(bytes: number): WeftError {
  const [has, most] = [bytes, MAX_DOCUMENT_BYTES].map((n) => n.toLocaleString('en-US'));
  return new WeftError('file_too_large', `The document has ${has} bytes or more; ${most} are accepted.`);
}

function missingSpace(id: string): never {
  throw new ServiceError('space_not_found', `There is no knowledge space with the id ${id}.`);
}

function missingDocument(id: string): never {
  throw new ServiceError('knowledge_document_not_found', `There is no document with the id ${id}.`);
}

function taken(name: string): never {
  throw new ServiceError('space_name_taken', `There is a knowledge space named ${name} already.`);
}
