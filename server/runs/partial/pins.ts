import type { StateService } from '#engine';
import type { NodeOutputs } from '#shared/api.ts';

/** Pinned outputs of flows' nodes: what runs by hand use instead of carrying the node out. Live triggers never see them. */
export interface Pins {
  get(flow: string): Promise<NodeOutputs>;
  /** Without outputs the pin is taken away. Throws `value_too_large` above 1 MB for all pins of a flow. */
  set(flow: string, node: string, outputs: NodeOutputs[string] | undefined): Promise<NodeOutputs>;
  /** Keeps a pin with its node, which has another id now. Without a pin nothing changes. */
  rename(flow: string, node: string, to: string): Promise<NodeOutputs>;
}

/** No flow's scope: ids hold no colon. */
const scopeOf = (flow: string): string => `pins:${flow}`;
const KEY = 'outputs';

export function createPins(state: StateService): Pins {
  const get: Pins['get'] = async (flow) => ((await state.get(scopeOf(flow), KEY)) ?? {}) as NodeOutputs;
  // One after the other: each writes what it has read.
  let last: Promise<unknown> = Promise.resolve();

  function change(flow: string, how: (pins: NodeOutputs) => NodeOutputs): Promise<NodeOutputs> {
    const changed = last.then(async () => {
      const before = await get(flow);
      const pins = how(before);
      if (pins !== before)
        await state.set(scopeOf(flow), KEY, Object.keys(pins).length > 0 ? pins : undefined);
      return pins;
    });
    last = changed.catch(() => {});
    return changed;
  }

  return {
    get,
    set: (flow, node, outputs) =>
      change(flow, ({ [node]: _, ...others }) =>
        outputs === undefined ? others : { ...others, [node]: outputs },
      ),
    rename: (flow, node, to) =>
      change(flow, (pins) => {
        const { [node]: outputs, ...others } = pins;
        return outputs === undefined ? pins : { ...others, [to]: outputs };
      }),
  };
}
