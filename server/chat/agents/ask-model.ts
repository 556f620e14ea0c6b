import { type ModelCall, spend, WeftError } from '#engine';
import type { ChatItem, FinishReason, TokenUsage, ToolCall } from '#shared/chat-item.ts';
import type { Member } from './team.ts';
import { tokensOf } from '../../integrations/models/tokens-of.ts';
import type { Work } from './work.ts';

/** The output of a model in one call. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly reason: FinishReason;
  readonly model: string;
  /** Present if the model thought aloud. */
  readonly thoughts?: string;
  readonly usage: TokenUsage;
}

export type Question = Pick<ModelCall, 'messages' | 'tools' | 'toolChoice' | 'schema'>;

/** Errors that another model may avoid, because this one is missing or overloaded. */
const nextModelCodes: ReadonlySet<string> = new Set([
  'model_not_found',
  'model_unavailable',
  'model_rate_limited',
  'model_timeout',
]);

/**
 * Asks a member's models in turn until one starts to answer. Emits its texts as they arrive. The answer is a part of the step: if it
 * is recorded, no model is asked, and its texts are emitted again. Throws the errors of models, and `agent_budget`.
 */
export async function askModel(member: Member, question: Question, work: Work): Promise<Reply> {
  const { strand, nextName, signal, budget, by } = work;
  let isAsked = false;
  const reply = (await strand.part({ name: nextName('m'), input: question, signal }, () => {
    isAsked = true;
    return askInTurn(member, question, work);
  })) as Reply;
  if (isAsked) return reply;
  const { model, usage, thoughts, text } = reply;
  const cost = budget.resumed(model, usage);
  spend(by, { model, tokens: tokensOf(usage), cost });
  work.log('info', `${member.name} asked ${model}`, {
    ...facts(member.name, question, reply),
  });
  if (thoughts !== undefined) await work.emit({ type: 'reasoning', text: thoughts });
  if (text !== '') await work.emit({ type: 'text', text });
  return reply;
}

async function askInTurn(member: Member, question: Question, work: Work): Promise<Reply> {
  const { models } = member;
  for (const [i, model] of models.entries()) {
    let began = false;
    const emit: Work['emit'] = (item) => {
      began = true;
      return work.emit(item);
    };
    try {
      return await askOne(member, { ...work.wishes, ...question, model }, { ...work, emit });
    } catch (error) {
      const mayNext = !began && error instanceof WeftError && nextModelCodes.has(error.code);
      if (!mayNext || i + 1 === models.length) throw error;
      work.log('warn', `${member.name}: ${error.message} The next model is asked.`);
    }
  }
  throw new WeftError('agent_failed', `${member.name} has no model.`);
}

async function askOne({ name }: Member, call: ModelCall, work: Work): Promise<Reply> {
  const { budget, models, by, signal, emit, log } = work;
  const meter = await budget.open(JSON.stringify([call.messages, call.tools ?? []]));
  const calls: ToolCall[] = [];
  let text = '';
  let thoughts = '';
  let end: Extract<ChatItem, { type: 'finish' }> | undefined;
  try {
    for await (const item of models.chat(call, by, signal)) {
      signal.throwIfAborted();
      if (item.type === 'tool-call') calls.push(item.call);
      if (item.type === 'finish') end = item;
      if (item.type !== 'text' && item.type !== 'reasoning') continue;
      if (item.type === 'text') text += item.text;
      else thoughts += item.text;
      const asked = meter.wrote(item.text);
      if (asked) await asked;
      const held = emit(item);
      if (held) await held;
    }
  } finally {
    await meter.close(end);
  }
  signal.throwIfAborted();
  if (end === undefined) throw new WeftError('model_bad_answer', 'The model’s answer ended too early.');
  const { reason, model, usage } = end;
  const reply = { text, calls, reason, model, usage, ...(thoughts !== '' && { thoughts }) };
  log('info', `${name} asked ${model}`, facts(name, call, reply));
  return reply;
}

/** Characters of an answer that the log has. */
const MAX_SAID = 2_000;

/** The facts about one question to a model for the log: the tools that were offered, and the reply. */
function facts(agent: string, { tools = [], toolChoice }: Question, reply: Reply): object {
  const { model, reason, usage, text } = reply;
  return {
    agent,
    model,
    reason,
    ...usage,
    tools: tools.map(({ name }) => name),
    ...(toolChoice === 'none' && { toolChoice }),
    ...(text !== '' && { said: text.length > MAX_SAID ? `${text.slice(0, MAX_SAID)}…` : text }),
  };
}
