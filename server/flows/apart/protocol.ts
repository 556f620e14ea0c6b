import type { Catalog } from '#shared/catalog.ts';
import type { FlowWorld, Judged, SeenFlow } from '../judge-text.ts';

/** What the thread knows from its start on. */
export interface ApartSetup {
  readonly catalog: Catalog;
}

/** A text to read, then what surrounds it. One text at a time. */
export type ToThread =
  | { readonly op: 'read'; readonly id: string | undefined; readonly source: string }
  | { readonly op: 'judge'; readonly world: FlowWorld };

/** The thread's answers to the two. */
export interface FromThread {
  readonly read: { readonly seen: SeenFlow | undefined };
  readonly judge: Judged;
}
