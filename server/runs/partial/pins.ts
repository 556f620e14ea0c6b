import type { StateService } from '#engine';
import type { NodeOutputs } from '#shared/api.ts';

/** Pinned outputs of flows' nodes: what runs by hand use instead of carrying the node out. Live triggers never see them. */
export interface Pins {
  get(flow: string): Promise<NodeOutputs>;
  /** Without outputs the pin is taken away. Throws `value_too_large` above 1 MB for all pins of a flow. */
  set(flow: string, node: string, outputs: NodeOutputs[string] | undefined): Promise<NodeOutputs>;
}

/** No flow's scope: ids hold no colon. */
const scopeOf = (flow: string): string => `pins:${flow}`;
const KEY = 'outputs';

export function createPins(state: StateService): Pins {
  const get: Pins['get'] = async (flow) => ((await state.get(scopeOf(flow), KEY)) ?? {}) as NodeOutputs;
  // One after the other: each writes what it has read.
  let last: Promise<unknown> = Promise.resolve();

  async function change(flow: string, node: string, outputs: NodeOutputs[string] | undefined) {
    const { [node]: _, ...others } = await get(flow);
    const pins = outputs === undefined ? others : { ...others, [node]: outputs };
    await state.set(scopeOf(flow), KEY, Object.keys(pins).length > 0 ? pins : undefined);
    return pins;
  }

  return {
    get,
    set(flow, node, outputs) {
      const changed = last.then(() => change(flow, node, outputs));
      last = changed.catch(() => {});
      return changed;
    },
  };
}
