import type { flowSchemas } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { FlowText, FlowWorld, PlacesIn, Verdict } from '../judge-text.ts';

/** The options of the thread at its start. */
export interface ApartSetup {
  readonly catalog: Catalog;
}

/** A text to read, then its surroundings; one text at a time. Or a flow whose types are to be inferred. */
export type ToThread =
  | { readonly op: 'read'; readonly id: string | undefined; readonly source: string | Uint8Array }
  | { readonly op: 'judge'; readonly world: FlowWorld; readonly places: PlacesIn }
  | { readonly op: 'infer'; readonly flow: Flow };

/**
 * The thread's answers to these messages. Texts that the sender already has are omitted, since each would be copied
 * twice.
 */
export interface FromThread {
  readonly read: Omit<FlowText, 'source' | 'canonical'> & {
    /** Absent if it equals the source. */
    readonly canonical: string | undefined;
  };
  readonly judge: Verdict;
  readonly infer: ReturnType<typeof flowSchemas>;
}
