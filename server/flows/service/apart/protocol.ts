import type { flowSchemas } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { FlowText, FlowWorld, PlacesIn, Verdict } from '../judge-text.ts';

/** The options of the thread at its start. */
export interface ApartSetup {
  readonly catalog: Catalog;
}

/**
 * The functions of the thread, which reads one text at a time: `judge` is about the text that was read last. Texts that the sender
 * already has are omitted, since each would be copied twice.
 */
export interface JudgeCalls {
  read(
    id: string | undefined,
    source: string | Uint8Array,
  ): Omit<FlowText, 'source' | 'canonical'> & {
    /** Undefined if it equals the source. */
    readonly canonical: string | undefined;
  };
  judge(world: FlowWorld, places: PlacesIn): Verdict;
  infer(flow: Flow): ReturnType<typeof flowSchemas>;
}
