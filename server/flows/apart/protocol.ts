import type { Catalog } from '#shared/catalog.ts';
import type { FlowText, FlowWorld, PlacesIn, Verdict } from '../judge-text.ts';

/** What the thread receives at its start. */
export interface ApartSetup {
  readonly catalog: Catalog;
}

/** A text to read, then its surroundings. One text at a time. */
export type ToThread =
  | { readonly op: 'read'; readonly id: string | undefined; readonly source: string | Uint8Array }
  | { readonly op: 'judge'; readonly world: FlowWorld; readonly places: PlacesIn };

/**
 * The thread's answers to both messages. Texts that the sender already has are omitted, since each would be copied
 * twice.
 */
export interface FromThread {
  readonly read: Omit<FlowText, 'source' | 'canonical'> & {
    /** Absent if it equals the source. */
    readonly canonical: string | undefined;
  };
  readonly judge: Verdict;
}
