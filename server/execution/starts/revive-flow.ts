import { compile, type Registry, type Tools } from '#engine';
import type { Flow } from '#shared/flow.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';

/** Compiles a flow from its text, with its version. */
export type ReviveFlow = (id: string, version: string, text: string) => LiveFlow;

/** The most compiled flows that are kept although they are no longer live. */
const MOST = 50;

/** Makes the function that compiles stored versions; it remembers up to `MOST` of them. */
export function createReviveFlow(registry: Registry, tools: Tools): ReviveFlow {
  const known = new Map<string, LiveFlow>();
  return (id, version, text) => {
    const name = `${id}:${version}`;
    const before = known.get(name);
    if (before !== undefined) return before;
    const flow = JSON.parse(text) as Flow;
    const revived = { id, version, flow, compiled: compile(flow, version, registry, tools) };
    if (known.size >= MOST) known.clear();
    known.set(name, revived);
    return revived;
  };
}
