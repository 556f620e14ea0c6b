import type { Chunk } from '#shared/split-document.ts';
import type { SqlTransaction } from '../../storage/database/sql.ts';
import type { Ranked } from './fuse.ts';
import type { SearchAsked } from './store.ts';

/** All chunks of a space, or those of one document. */
export interface ChunksOf {
  readonly space: number;
  readonly document?: number;
}

/** A document whose chunks are added. */
export interface Chunked {
  readonly space: number;
  readonly document: number;
  readonly name: string;
}

/** Vectors of one model, each by the hash of the text that it stands for. */
export interface NewVectors {
  readonly model: string;
  readonly vectors: readonly (readonly [hash: string, vector: Float32Array])[];
}

export interface Rankings {
  readonly words: readonly Ranked[];
  readonly meaning: readonly Ranked[];
}

/**
 * Chunks and vectors in one kind of database, with the search in them: databases share neither full-text search nor vectors. The
 * rest of a store is in rows that they do share.
 */
export interface ChunkIndex {
  /** The columns of the index in the rows of documents, with their values for a new document. */
  readonly ofDocument: { readonly columns: string; readonly values: string };
  /** Stores the chunks of a document that has none; resolves with their number. */
  add(tx: SqlTransaction, to: Chunked, chunks: Iterable<Chunk>): Promise<number>;
  /** Stores vectors of texts in this document, and possibly in others. Existing vectors stay. */
  addVectors(tx: SqlTransaction, document: number, vectors: NewVectors): Promise<void>;
  /** An SQL expression for the length of the vector of a row `v`. */
  readonly lengthOfVector: string;
  /** Called before vectors of a model with another length are deleted. */
  forgetOtherVectors(tx: SqlTransaction, model: string, length: number): Promise<void>;
  drop(tx: SqlTransaction, chunks: ChunksOf): Promise<void>;
  /** Called when the model of this space has changed. */
  changeModel(tx: SqlTransaction, space: number): Promise<void>;
  /** The best chunks by words and by meaning, at most `depth` of each. */
  search(asked: SearchAsked, depth: number): Promise<Rankings>;
  /** See `KnowledgeStore`. */
  withoutMeaning(spaces: readonly string[]): Promise<string | null>;
}
