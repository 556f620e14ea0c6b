import type { StateService } from '#engine';
import type { NodeOutputs } from '#shared/api.ts';
import type { Holder } from '../../../storage/file-store/files.ts';
import { stateHolder } from '../../../storage/file-store/held-values.ts';
import { UNKNOWN_WRITER } from '../../../flows/service/drafts.ts';

/** Pinned outputs of flows' nodes: runs by hand use them instead of executing the node. Live triggers never see them. */
export interface Pins {
  get(flow: string): Promise<NodeOutputs>;
  /** The writers of the flow's current pins, as `Caller.owner`. */
  writers(flow: string): Promise<readonly string[]>;
  /** Without outputs the pin is removed. Throws `value_too_large` above 1 MB for all pins of a flow. */
  set(
    flow: string,
    node: string,
    outputs: NodeOutputs[string] | undefined,
    writer: string,
  ): Promise<NodeOutputs>;
  /** Moves a pin to its node's new id. Without a pin nothing changes. */
  rename(flow: string, node: string, to: string, writer: string): Promise<NodeOutputs>;
}

/** Cannot be the scope of a flow: ids contain no colon. */
const scopeOf = (flow: string): string => `pins:${flow}`;
const KEY = 'outputs';
const WRITERS = 'writers';

/** The holder of the files in the pins of a flow. */
export function pinHolder(flow: string): Holder {
  return stateHolder(scopeOf(flow), KEY);
}

export function createPins(state: StateService): Pins {
  const get: Pins['get'] = async (flow) => ((await state.get(scopeOf(flow), KEY)) ?? {}) as NodeOutputs;
  // The writers of pins from before this note are unknown.
  const writers: Pins['writers'] = async (flow) =>
    ((await state.get(scopeOf(flow), WRITERS)) as readonly string[] | undefined) ??
    (Object.keys(await get(flow)).length > 0 ? [UNKNOWN_WRITER] : []);
  // One after the other, because each change is based on what it has read.
  let last: Promise<unknown> = Promise.resolve();

  function change(
    flow: string,
    writer: string,
    how: (pins: NodeOutputs) => NodeOutputs,
  ): Promise<NodeOutputs> {
    const changed = last.then(async () => {
      const before = await get(flow);
      const pins = how(before);
      if (pins === before) return pins;
      const isLast = Object.keys(pins).length === 0;
      // Written first: after a crash in between, the note has a writer too many, never one too few.
      if (!isLast) await state.set(scopeOf(flow), WRITERS, [...new Set(await writers(flow)).add(writer)]);
      await state.set(scopeOf(flow), KEY, isLast ? undefined : pins);
      if (isLast) await state.set(scopeOf(flow), WRITERS, undefined);
      return pins;
    });
    last = changed.catch(() => {});
    return changed;
  }

  return {
    get,
    writers,
    set: (flow, node, outputs, writer) =>
      change(flow, writer, ({ [node]: _, ...others }) =>
        outputs === undefined ? others : { ...others, [node]: outputs },
      ),
    rename: (flow, node, to, writer) =>
      change(flow, writer, (pins) => {
        const { [node]: outputs, ...others } = pins;
        return outputs === undefined ? pins : { ...others, [to]: outputs };
      }),
  };
}
