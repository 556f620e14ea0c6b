import { operatorInfo } from '#engine/check';
import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import { ownEntry } from './awel-flow.ts';
import { freeId } from './names.ts';
import type { FlowFacts } from './original.ts';

const CHAT_OUTPUTS = [
  'openai_streaming_output_operator',
  'common_streaming_output_operator',
  'model_output_2_common_response_body_operator',
];

/** Whether DB-GPT offers a flow for chat: it starts with a chat trigger and ends with an answer for chats. */
export function isChatFlow(category: string | null | undefined, has: FlowFacts['has']): boolean {
  if (!has('common_llm_http_trigger')) return false;
  return category?.startsWith('chat') === true || CHAT_OUTPUTS.some((name) => has(name));
}

/**
 * DB-GPT's chat flows answer both at the path of their trigger and in chats. Here these are two triggers,
 * joined by a merge that replaces DB-GPT's trigger as the source of all edges.
 */
export function withChatTrigger(
  given: { flow: Flow; layout: Layout },
  trigger: string,
  catalog: Catalog,
): { flow: Flow; layout: Layout } {
  const { flow, layout } = given;
  if (!operatorInfo(catalog, 'trigger.chat')) return given;
  const isTaken = (id: string) => Object.hasOwn(flow.nodes, id);
  const chat = freeId('chat', isTaken);
  const merge = freeId('request', isTaken);
  const nodes = {
    ...flow.nodes,
    [chat]: { operator: 'trigger.chat', ...(flow.name !== undefined && { params: { title: flow.name } }) },
    [merge]: { operator: 'core.merge' },
  };
  const edges = [
    ...flow.edges.map((edge) => (edge.from === `${trigger}.out` ? { ...edge, from: `${merge}.out` } : edge)),
    { from: `${trigger}.out`, to: `${merge}.in`, order: 0 },
    { from: `${chat}.out`, to: `${merge}.in`, order: 1 },
  ];
  return { flow: { ...flow, nodes, edges }, layout: placed(layout, { trigger, chat, merge }) };
}

function placed(
  layout: Layout,
  { trigger, chat, merge }: Record<'trigger' | 'chat' | 'merge', string>,
): Layout {
  const at = ownEntry(layout.nodes, trigger);
  if (!at) return layout;
  const nodes = {
    ...layout.nodes,
    [chat]: { x: at.x, y: at.y + 160 },
    [merge]: { x: at.x + 240, y: at.y + 80 },
  };
  return { ...layout, nodes };
}
