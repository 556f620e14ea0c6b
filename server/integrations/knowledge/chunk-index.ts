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
 * Chunks and vectors of one kind of database, and what finds them: databases share neither full text nor vectors. Everything
 * else of a store is in rows that they do share.
 */
export interface ChunkIndex {
  /** Columns that it has in the rows of documents, and what a new one has there. */
  readonly ofDocument: { readonly columns: string; readonly values: string };
  /** Stores the chunks of a document that has none; resolves with how many there are. */
  add(tx: SqlTransaction, to: Chunked, chunks: Iterable<Chunk>): Promise<number>;
  /** Stores vectors that texts of this document, and of others, have. Those that are there already stay. */
  addVectors(tx: SqlTransaction, document: number, vectors: NewVectors): Promise<void>;
  /** An expression: how many numbers the vector of a row `v` has. */
  readonly lengthOfVector: string;
  /** Before the vectors of a model that have another length go. */
  forgetOtherVectors(tx: SqlTransaction, model: string, length: number): Promise<void>;
  drop(tx: SqlTransaction, chunks: ChunksOf): Promise<void>;
  /** Another model counts in this space from now on. */
  changeModel(tx: SqlTransaction, space: number): Promise<void>;
  /** The best chunks by words and by meaning, at most `depth` of each. */
  search(asked: SearchAsked, depth: number): Promise<Rankings>;
  /** See `KnowledgeStore`. */
  withoutMeaning(spaces: readonly string[]): Promise<string | null>;
}
