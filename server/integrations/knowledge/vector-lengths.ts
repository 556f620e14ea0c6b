import { WeftError } from '#engine';
import type { KnowledgeStore } from './store.ts';

/** How long a model must keep the length of its vectors before all documents may be embedded again once more, in milliseconds. */
const SETTLE_MS = 600_000;

/**
 * All vectors of a model must have one length, or some documents would silently not be found: the newest answer of its provider
 * determines it.
 *
 * VL1. When a provider changes the length, vectors of the old length are deleted, and their documents are embedded again.
 * VL2. A provider that alternates between lengths, such as a balancer in front of two models, causes an error and no endless
 *      work.
 */
export class VectorLengths {
  private readonly store: Pick<KnowledgeStore, 'vectorLengths' | 'forgetOtherVectors'>;
  private readonly changes = new Map<string, { readonly length: number; readonly at: number }>();

  constructor(store: VectorLengths['store']) {
    this.store = store;
  }

  /**
   * Compares the length of new vectors with the stored ones; returns a different stored length if documents have to be embedded
   * again now. `embedding` is the document that the vectors are for. Throws `embedding_unusable`.
   */
  async settle(model: string, length: number, embedding?: string): Promise<number | undefined> {
    const stored = await this.store.vectorLengths(model);
    if (stored === undefined || (stored.min === length && stored.max === length)) return undefined;
    const before = stored.max === length ? stored.min : stored.max;
    const last = this.changes.get(model);
    if (last !== undefined && last.length !== length && Date.now() - last.at < SETTLE_MS)
      throw new WeftError(
        'embedding_unusable',
        `The model ${model} returned vectors of ${length} numbers, shortly after it had changed to ${before}.`,
      );
    this.changes.set(model, { length, at: Date.now() });
    await this.store.forgetOtherVectors(model, length, embedding);
    return before;
  }
}
