import { type CompiledFlow, compile, type Registry, type Tools } from '#engine';
import type { Flow } from '#shared/flow.ts';
import type { LiveFlow } from '../flows/flow-types.ts';
import { contentHash } from '../files/content-hash.ts';

/** The operator that every chat starts at. */
export const CHAT_TRIGGER = 'trigger.chat';

/** How many flows of apps stay compiled. */
const KEPT = 500;

/** The flows behind chats that name none. They are not files; their runs are runs like any other. */
export interface BuiltInFlows {
  /** Calls a model. Its id is `chat:normal`. */
  normal(): LiveFlow;
  /** Runs the team of an app. Its id is `app:<code>`. */
  app(code: string): LiveFlow;
  /** Makes vectors of texts with a model, by its full name. Its id is `embed:<model>`. */
  embed(model: string, dimensions?: number): LiveFlow;
}

export function createBuiltInFlows(registry: Registry, tools: Tools): BuiltInFlows {
  const kept = new Map<string, LiveFlow>();

  function compiled(id: string, node: Flow['nodes'][string], name = id): LiveFlow {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const live = liveFlow(flowOf(id, node), (flow, version) => compile(flow, version, registry, tools));
    kept.set(name, live);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value as string);
    return live;
  }

  return {
    normal: () => compiled('chat:normal', { operator: 'model.stream' }),
    app: (code) => compiled(`app:${code}`, { operator: 'agent.run', params: { app: code } }),
    embed: (model, dimensions) => {
      const params = { model, ...(dimensions !== undefined && { dimensions }) };
      return compiled(`embed:${model}`, { operator: 'model.embed', params }, `embed:${dimensions} ${model}`);
    },
  };
}

function flowOf(id: string, answer: Flow['nodes'][string]): Flow {
  return {
    format: 1,
    id,
    nodes: { chat: { operator: CHAT_TRIGGER }, answer },
    edges: [{ from: 'chat.out', to: 'answer.in' }],
  };
}

function liveFlow(flow: Flow, make: (flow: Flow, version: string) => CompiledFlow): LiveFlow {
  const version = contentHash(JSON.stringify(flow));
  return { id: flow.id, version, flow, compiled: make(flow, version) };
}
