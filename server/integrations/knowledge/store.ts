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
  /** Data that clients of DB-GPT store with a space and Weft does not use. */
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
  /** The content; empty for a URL until it is fetched. */
  readonly content: Uint8Array;
}

/** The version of a document to load. Each new content replaces it, and a version that is no longer current writes nothing. */
export interface DocumentSource {
  readonly document: KnowledgeDocument;
  readonly version: number;
  /** The name of its space. */
  readonly space: string;
  /** The embedding model of the space. */
  readonly model: string | null;
  readonly content: Uint8Array;
}

/** The result of reading a document. */
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
  /** The vector of the query, and its model; without it the search is by words alone. */
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
 * KS3. A text is embedded once for each model: vectors are stored by the hash of their text.
 * KS4. A document that is not finished is in `unfinished`, even after a crash.
 * KS5. A version that was replaced meanwhile writes nothing.
 * KS6. Only one process at a time has a claim on a document, by the clock of the database.
 */
export interface KnowledgeStore {
  spaces(): Promise<StoredSpace[]>;
  space(id: string): Promise<StoredSpace | undefined>;
  spaceNamed(name: string): Promise<StoredSpace | undefined>;
  /** Undefined if the name is taken. */
  addSpace(space: NewSpace): Promise<StoredSpace | undefined>;
  /** Undefined if there is no such space; `taken` if another one has the name. With another model, all documents are unfinished. */
  changeSpace(id: string, change: Partial<NewSpace>): Promise<StoredSpace | 'taken' | undefined>;
  /** Deletes also its documents, chunks, and vectors that are no longer needed. */
  removeSpace(id: string): Promise<boolean>;

  documents(space: string | undefined, page: PageAsked): Promise<Page<KnowledgeDocument>>;
  document(id: string): Promise<KnowledgeDocument | undefined>;
  documentNamed(space: string, name: string): Promise<KnowledgeDocument | undefined>;
  /** Creates a document, or replaces its content. A finished one with the same content and settings stays as it is. */
  putDocument(document: NewDocument): Promise<KnowledgeDocument>;
  /** Marks it to be read again, with these settings if there are any. */
  restart(id: string, split?: SplitSettings): Promise<KnowledgeDocument | undefined>;
  /** Changes the facts of a document besides its text; undefined if there is no such document. */
  changeDocument(id: string, metadata: DocumentMetadata): Promise<KnowledgeDocument | undefined>;
  removeDocument(id: string): Promise<boolean>;
  chunks(document: string, page: PageAsked): Promise<Page<KnowledgeChunk>>;

  /** Ids of documents that are waiting, being read or being embedded and that nobody has claimed, the oldest first. */
  unfinished(): Promise<string[]>;
  /**
   * Claims a document for a holder for some milliseconds, or renews the claim; false while another holder has it. A store that
   * only one process uses always returns true.
   */
  claim(id: string, holder: string, ms: number): Promise<boolean>;
  /** Ends a claim before its time; does nothing if the holder does not have it. */
  release(id: string, holder: string): Promise<void>;
  source(id: string): Promise<DocumentSource | undefined>;
  /** Marks that reading has begun; false if the version is not current. */
  begin(id: string, version: number): Promise<boolean>;
  /** Stores the answer of a URL; false if the version is not current. */
  fetched(id: string, version: number, content: Uint8Array, type: string): Promise<boolean>;
  /** Splits the text and replaces the chunks; false if the version is not current. */
  replaceChunks(id: string, version: number, read: ReadDocument): Promise<boolean>;
  /** Some texts of its chunks without a vector of this model. */
  toEmbed(id: string, model: string, limit: number): Promise<TextToEmbed[]>;
  /** The shortest and the longest length of the vectors of a model; undefined if it has none. */
  vectorLengths(model: string): Promise<{ readonly min: number; readonly max: number } | undefined>;
  /**
   * Deletes vectors of this model with another length. Documents that then lack vectors are unfinished, in a new version; the one
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
  /** The reason why a search in these spaces is by words alone in spite of a vector; null if it is not. */
  withoutMeaning(spaces: readonly string[]): Promise<string | null>;
  close(): Promise<void>;
}
