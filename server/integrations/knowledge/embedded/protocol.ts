import type { KnowledgeStore } from '../store.ts';

export interface StoreSetup {
  readonly file: string;
  readonly project: string;
  /** One thread of a file writes. */
  readonly writes: boolean;
}

/** The store as its threads have it: without waiting. */
export type Rows = {
  readonly [K in keyof KnowledgeStore]: (
    ...given: Parameters<KnowledgeStore[K]>
  ) => Awaited<ReturnType<KnowledgeStore[K]>>;
};

export interface ToStore {
  readonly id: number;
  readonly op: keyof Rows;
  readonly given: readonly unknown[];
}

export type FromStore = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly error: { readonly message: string; readonly refused: boolean } }
);
