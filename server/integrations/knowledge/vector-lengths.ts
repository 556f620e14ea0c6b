import { WeftError } from '#engine';
import type { KnowledgeStore } from './store.ts';

/** How long a model must keep the length of its vectors before all documents are embedded again once more, in milliseconds. */
const SETTLE_MS = 600_000;

/**
 * All vectors of a model have one length, or some documents would silently not be found: the newest answer of its provider says which.
 *
 * VL1. When a provider changes the length, the vectors of the other length go, and their documents are embedded again.
 * VL2. A provider that goes to and fro, such as a balancer in front of two models, costs an error and not work without an end.
 */
export class VectorLengths {
  private readonly store: Pick<KnowledgeStore, 'vectorLengths' | 'forgetOtherVectors'>;
  private readonly changes = new Map<string, { readonly length: number; readonly at: number }>();

  constructor(store: VectorLengths['store']) {
    this.store = store;
  }

  /**
   * Compares the length of new vectors with those that are stored; gives another one of these if documents have to be embedded again
   * now. `embedding` is the document that the vectors are for. Throws `embedding_unusable`.
   */
  async settle(model: string, length: number, embedding?: string): Promise<number | undefined> {
    const stored = await this.store.vectorLengths(model);
    if (stored === undefined || (stored.min === length && stored.max === length)) return undefined;
    const before = stored.max === length ? stored.min : stored.max;
    const last = this.changes.get(model);
    if (last !== undefined && last.length !== length && Date.now() - last.at < SETTLE_MS)
      throw new WeftError(
        'embedding_unusable',
        `The model ${model} gave vectors of ${length} numbers, shortly after it had changed to ${before}.`,
      );
    this.changes.set(model, { length, at: Date.now() });
    await this.store.forgetOtherVectors(model, length, embedding);
    return before;
  }
}
