import { type SubFlowService, WeftError } from '#engine';
import type { ChatInput, ChatItem, TokenUsage } from '#shared/chat-item.ts';
import { isStream } from '#shared/json.ts';
import { faultOf, limitsAt } from '../service/attachments.ts';
import { createItemReader, valueText } from '../service/items.ts';
import { chatTriggerOf } from '../service/target.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { AgentResult } from './loop.ts';
import { USER } from './single.ts';
import type { Team } from './team.ts';
import type { SharedWork } from './work.ts';

export interface FlowTeamDeps {
  readonly live: (id: string) => LiveFlow | undefined;
  readonly flows: SubFlowService;
}

/** The team is a flow: it runs as a part of this run, and its result is the answer. */
export async function flowTeam(
  { name, flow: id }: Extract<Team, { mode: 'flow' }>,
  input: ChatInput,
  { by, signal, key, budget, emit }: SharedWork,
  { live, flows }: FlowTeamDeps,
): Promise<AgentResult> {
  const flow = live(id);
  if (flow === undefined) {
    throw new WeftError(
      'app_unusable',
      `There is no live flow \`${id}\`, which is the team of the app \`${name}\`: publish it, or name another one in \`team_context\`.`,
    );
  }
  const trigger = chatTriggerOf(flow);
  if (trigger !== undefined) checkFiles(input, flow, trigger);
  const start = { flow: id, trigger, input: trigger === undefined ? requestOf(input) : input, key };
  const result = await flows.run(start, by, signal);
  const summary = { text: '', model: '', reason: 'stop' as AgentResult['reason'] };
  let isNamed = false;
  for await (const item of itemsOf(result)) {
    if (item.type === 'finish') {
      Object.assign(summary, { model: item.model, reason: item.reason });
      await budget.took(item.model, item.usage as TokenUsage);
      continue;
    }
    if (item.type === 'text') summary.text += item.text;
    if (item.type === 'text' && !isNamed)
      await emit({ type: 'speaker', sender: name, receiver: USER, model: null });
    isNamed ||= item.type === 'text' || item.type === 'speaker';
    const held = emit(item);
    if (held) await held;
  }
  return summary;
}

/** The app accepts the files that chats accept; its flow may accept fewer. */
function checkFiles({ files }: ChatInput, flow: LiveFlow, trigger: string): void {
  const fault = faultOf(files, limitsAt(flow, trigger));
  if (fault) throw new WeftError(fault.code, fault.message);
}

async function* itemsOf(result: unknown): AsyncGenerator<ChatItem> {
  const reader = createItemReader();
  if (isStream(result)) for await (const value of result) yield* reader.read(value);
  else yield* reader.read(valueText(result));
  yield* reader.end();
}

/** The request that clients of DB-GPT send to such a flow. */
function requestOf({ text, model, stream, conversation, temperature, maxTokens }: ChatInput): object {
  return {
    model: model ?? '',
    messages: text,
    stream,
    conv_uid: conversation,
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_new_tokens: maxTokens }),
  };
}
