import type {
  DocumentMetadata,
  KnowledgeChunk,
  KnowledgeDocument,
  KnowledgeResult,
  KnowledgeSearch,
} from '#shared/knowledge.ts';
import type { SplitChange } from '#shared/split-document.ts';
import type { Asker } from './http-service.ts';

/** A document on its way into a knowledge space. */
export interface KnowledgeLoad {
  /** The name of a space, which is created if there is none. */
  readonly space: string;
  /** The name of the document in its space; one with this name is replaced. */
  readonly name: string;
  /** A file's bytes, a text, or an address that is fetched. */
  readonly content: AsyncIterable<Uint8Array> | string | { readonly url: string };
  /** The media type, if it is known. */
  readonly type?: string | undefined;
  readonly metadata: DocumentMetadata;
  /** By default the settings of the space. */
  readonly split?: SplitChange | undefined;
}

/** Spaces of documents that are searched by words and, with an embedding model, by meaning. */
export interface KnowledgeService {
  /**
   * Loads a document and waits until it can be searched; what has not changed is not embedded again. Throws
   * `knowledge_unsupported`, `file_too_large`, and what reading, fetching or embedding it throws.
   */
  load(document: KnowledgeLoad, by: Asker, signal: AbortSignal): Promise<KnowledgeDocument>;
  /** The chunks of a loaded document, in their order. Throws `too_many_items` if there are more than `most`. */
  chunksOf(document: string, most: number, signal: AbortSignal): Promise<readonly KnowledgeChunk[]>;
  /** Searches the spaces with these names. Throws `space_not_found`. */
  search(
    asked: KnowledgeSearch & { readonly spaces: readonly string[] },
    by: Asker,
    signal: AbortSignal,
  ): Promise<KnowledgeResult>;
  /** Whether there was such a document. Throws `space_not_found`. */
  remove(space: string, name: string): Promise<boolean>;
}
