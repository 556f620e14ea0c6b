import type { ChatMessage, FinishReason, ToolCall } from '#shared/chat-item.ts';
import { askModel, type Question } from './ask-model.ts';
import type { Member } from './team.ts';
import type { Toolbox } from './toolbox.ts';
import { useTools } from './use-tools.ts';
import type { Work } from './work.ts';

/** The most rounds in which one agent may use tools before it has to answer. */
export const MAX_ROUNDS = 20;

/** The result of an agent. */
export interface AgentResult {
  readonly text: string;
  readonly model: string;
  readonly reason: FinishReason;
}

/**
 * Runs one agent: it asks its model, executes the tool calls and returns their results to the model, until the model
 * answers without calling a tool. Failures of tools go back to the model like results.
 */
export async function letWork(
  member: Member,
  messages: readonly ChatMessage[],
  toolbox: Toolbox,
  work: Work,
): Promise<AgentResult> {
  const conversation = [...opening(member, toolbox), ...messages];
  for (let round = 1; ; round++) {
    const reply = await askModel(member, questionOf(conversation, toolbox, round), work);
    if (reply.calls.length === 0 || round > MAX_ROUNDS) return reply;
    const toolCalls = withIds(reply.calls, round);
    conversation.push({ role: 'assistant', content: reply.text, toolCalls });
    conversation.push(...(await useTools(toolCalls, toolbox, member.name, work)));
  }
}

function opening({ prompt }: Member, { notes }: Toolbox): ChatMessage[] {
  const content = [prompt, ...notes].filter((part) => part !== '').join('\n\n');
  return content === '' ? [] : [{ role: 'system', content }];
}

function questionOf(messages: readonly ChatMessage[], { tools }: Toolbox, round: number): Question {
  const question = { messages: [...messages] };
  if (tools.length === 0) return question;
  const offered = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
  return { ...question, tools: offered, toolChoice: round > MAX_ROUNDS ? 'none' : 'auto' };
}

/** Some models omit the ids of their calls, or give all calls the same id. */
function withIds(calls: readonly ToolCall[], round: number): ToolCall[] {
  const ids = new Set(calls.map(({ id }) => id));
  const usable = ids.size === calls.length && !ids.has('');
  return usable ? [...calls] : calls.map((call, i) => ({ ...call, id: `call_${round}_${i + 1}` }));
}
