import { type CompiledFlow, compile, type Registry, type Tools } from '#engine';
import { DATA_PREFIX, KNOWLEDGE_PREFIX } from '#shared/chat-names.ts';
import type { Flow } from '#shared/flow.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { Config } from '../../base/config/config.ts';
import { contentHash } from '../../base/files/content-hash.ts';

/** The operator that every chat starts at. */
export const CHAT_TRIGGER = 'trigger.chat';

/** Spaces and databases answer from their own content: a file with the question would silently be ignored. */
const NO_FILES = { files: { most: 0 } };

/** The most compiled flows of apps that are kept. */
const KEPT = 500;

/** The flows behind chats that name no flow. They are not files; their runs are runs like any other. */
export interface BuiltInFlows {
  /** Calls a model. Its id is `chat:normal`. */
  normal(): LiveFlow;
  /** Runs the team of an app. Its id is `app:<code>`. */
  app(code: string): LiveFlow;
  /** Answers from a knowledge space, by its name; without a model it quotes. Its id is `knowledge:<name>`. */
  knowledge(space: string, answer: 'model' | 'quotes'): LiveFlow;
  /** Answers with rows of a connection. Its id is `data:<name>`, which the grants of the connection may list. */
  data(connection: string): LiveFlow;
  /** Makes vectors of texts with a model, by its full name. Its id is `embed:<model>`. */
  embed(model: string, dimensions?: number): LiveFlow;
}

export function createBuiltInFlows(
  registry: Registry,
  tools: Tools,
  { followUps }: Pick<Config, 'followUps'>,
): BuiltInFlows {
  const kept = new Map<string, LiveFlow>();

  function compiled(
    id: string,
    node: Flow['nodes'][string],
    { name = id, chat }: { readonly name?: string; readonly chat?: typeof NO_FILES } = {},
  ): LiveFlow {
    const known = kept.get(name);
    if (known !== undefined) return known;
    const live = liveFlow(flowOf(id, node, chat), (flow, version) => compile(flow, version, registry, tools));
    kept.set(name, live);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value as string);
    return live;
  }

  return {
    normal: () => compiled('chat:normal', { operator: 'model.stream' }),
    app: (code) => compiled(`app:${code}`, { operator: 'agent.run', params: { app: code } }),
    knowledge(space, answer) {
      const params = { spaces: [literal(space)], answer, followUps };
      return compiled(
        `${KNOWLEDGE_PREFIX}${space}`,
        { operator: 'knowledge.answer', params },
        { name: `${answer} ${KNOWLEDGE_PREFIX}${space}`, chat: NO_FILES },
      );
    },
    data: (connection) =>
      compiled(
        `${DATA_PREFIX}${connection}`,
        { operator: 'sql.ask', params: { connection } },
        { chat: NO_FILES },
      ),
    embed: (model, dimensions) => {
      const params = { model, ...(dimensions !== undefined && { dimensions }) };
      return compiled(
        `embed:${model}`,
        { operator: 'model.embed', params },
        { name: `embed:${dimensions} ${model}` },
      );
    },
  };
}

/** A text that contains `{{` must not be computed as an expression. */
function literal(text: string): string {
  return text.replaceAll('{{', '\\{{');
}

function flowOf(id: string, answer: Flow['nodes'][string], params: typeof NO_FILES | undefined): Flow {
  return {
    format: 1,
    id,
    nodes: { chat: { operator: CHAT_TRIGGER, ...(params && { params }) }, answer },
    edges: [{ from: 'chat.out', to: 'answer.in' }],
  };
}

/** A flow without a file, as it runs. */
export function liveFlow(flow: Flow, make: (flow: Flow, version: string) => CompiledFlow): LiveFlow {
  const version = contentHash(JSON.stringify(flow));
  return { id: flow.id, version, flow, compiled: make(flow, version) };
}
