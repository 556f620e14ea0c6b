import type {
  DocumentMetadata,
  KnowledgeChunk,
  KnowledgeDocument,
  KnowledgeHit,
  KnowledgeSpace,
  MetadataFilter,
} from '#shared/knowledge.ts';
import type { DocumentPart, SplitSettings } from '#shared/split-document.ts';

export interface NewSpace {
  readonly name: string;
  readonly description: string;
  readonly owner: string;
  /** The embedding model, or null. */
  readonly model: string | null;
  readonly split: SplitSettings;
  /** What the original's clients store with a space and Weft does not use. */
  readonly extra: Readonly<Record<string, string | null>>;
}

export interface StoredSpace extends KnowledgeSpace {
  readonly extra: Readonly<Record<string, string | null>>;
}

export interface NewDocument {
  readonly space: string;
  readonly name: string;
  readonly kind: KnowledgeDocument['kind'];
  readonly type: string;
  readonly url: string | null;
  readonly metadata: DocumentMetadata;
  readonly split: SplitSettings;
  /** What is read; of a URL nothing, until it is fetched. */
  readonly content: Uint8Array;
}

/** What of a document is to be read. It is replaced by each new content, and a version that is no longer current writes nothing. */
export interface DocumentSource {
  readonly document: KnowledgeDocument;
  readonly version: number;
  /** The name of its space. */
  readonly space: string;
  /** The embedding model of the space. */
  readonly model: string | null;
  readonly content: Uint8Array;
}

/** What reading a document gave. */
export interface ReadDocument {
  readonly parts: readonly DocumentPart[];
  readonly pages: number | null;
  readonly unread: readonly number[];
}

export interface TextToEmbed {
  readonly hash: string;
  readonly text: string;
}

export interface SearchAsked {
  readonly query: string;
  /** Ids of spaces. */
  readonly spaces: readonly string[];
  /** The vector of the query, and the model that made it; without it the search is by words alone. */
  readonly meaning?: { readonly model: string; readonly vector: Float32Array } | undefined;
  readonly limit: number;
  readonly filter: MetadataFilter;
  readonly documents: readonly string[];
  readonly neighbours: number;
}

export interface Page<T> {
  readonly items: T[];
  readonly total: number;
}

export interface PageAsked {
  readonly offset: number;
  readonly limit: number;
}

/**
 * Spaces, their documents and the chunks of these. `store.contract.ts` tests every implementation.
 *
 * KS1. The chunks of a document are replaced as a whole: at any moment, and after a crash, a search sees those of one content.
 * KS2. Waiting for the disk or for a search never blocks the event loop.
 * KS3. A text is embedded once for each model: vectors are kept by the content of what they stand for.
 * KS4. A document that is not finished is in `unfinished`, after a crash too.
 * KS5. A version that was replaced meanwhile writes nothing.
 * KS6. Of several processes one has a document's work at a time, by the clock of the database.
 */
export interface KnowledgeStore {
  spaces(): Promise<StoredSpace[]>;
  space(id: string): Promise<StoredSpace | undefined>;
  spaceNamed(name: string): Promise<StoredSpace | undefined>;
  /** Undefined if the name is taken. */
  addSpace(space: NewSpace): Promise<StoredSpace | undefined>;
  /** Undefined if there is no such space; `taken` if another one has the name. With another model, all documents are unfinished. */
  changeSpace(id: string, change: Partial<NewSpace>): Promise<StoredSpace | 'taken' | undefined>;
  /** Also its documents, chunks, and vectors that nothing needs any more. */
  removeSpace(id: string): Promise<boolean>;

  documents(space: string | undefined, page: PageAsked): Promise<Page<KnowledgeDocument>>;
  document(id: string): Promise<KnowledgeDocument | undefined>;
  documentNamed(space: string, name: string): Promise<KnowledgeDocument | undefined>;
  /** Creates a document, or replaces its content. A finished one with the same content and settings stays as it is. */
  putDocument(document: NewDocument): Promise<KnowledgeDocument>;
  /** Reads it again, with these settings if there are any. */
  restart(id: string, split?: SplitSettings): Promise<KnowledgeDocument | undefined>;
  /** Changes what is known of a document besides its text; undefined if there is none. */
  changeDocument(id: string, metadata: DocumentMetadata): Promise<KnowledgeDocument | undefined>;
  removeDocument(id: string): Promise<boolean>;
  chunks(document: string, page: PageAsked): Promise<Page<KnowledgeChunk>>;

  /** Ids of documents that are waiting, being read or being embedded and that nobody has claimed, the oldest first. */
  unfinished(): Promise<string[]>;
  /**
   * Gives the work on a document to a holder for some milliseconds, or keeps it for them; false while another one has it.
   * A store that one process uses alone gives it always.
   */
  claim(id: string, holder: string, ms: number): Promise<boolean>;
  /** Before its time; nothing if the holder does not have it. */
  release(id: string, holder: string): Promise<void>;
  source(id: string): Promise<DocumentSource | undefined>;
  /** Marks that reading has begun; false if the version is not current. */
  begin(id: string, version: number): Promise<boolean>;
  /** What a URL has answered; false if the version is not current. */
  fetched(id: string, version: number, content: Uint8Array, type: string): Promise<boolean>;
  /** Splits it, and replaces its chunks; false if the version is not current. */
  replaceChunks(id: string, version: number, read: ReadDocument): Promise<boolean>;
  /** Some texts of its chunks that have no vector of this model. */
  toEmbed(id: string, model: string, limit: number): Promise<TextToEmbed[]>;
  /** The shortest and the longest vector of a model; undefined if it has none. */
  vectorLengths(model: string): Promise<{ readonly min: number; readonly max: number } | undefined>;
  /**
   * Forgets vectors of this model that have another length. Documents that lack some then are unfinished, in a new version; the one
   * that is being embedded, if there is any, keeps its version.
   */
  forgetOtherVectors(model: string, length: number, embedding?: string): Promise<void>;
  addVectors(
    id: string,
    model: string,
    vectors: readonly (readonly [hash: string, vector: Float32Array])[],
  ): Promise<void>;
  /** Ends the work on this version: ready, or failed with a problem. */
  finish(id: string, version: number, problem: KnowledgeDocument['problem']): Promise<void>;

  search(asked: SearchAsked): Promise<KnowledgeHit[]>;
  /** Why a search in these spaces is by words alone, whatever vector it is given; null if it is not. */
  withoutMeaning(spaces: readonly string[]): Promise<string | null>;
  close(): Promise<void>;
}
