import type { AgentMessage, AgentPlan, PlanStatus } from '#shared/chat-item.ts';

/** What agents write into an answer, as the server renders it: fenced blocks of JSON between texts. */
export interface AgentAnswer {
  /** The steps of the plan as they stand now, in order. */
  readonly plans: readonly AgentPlan[];
  /** Texts and messages in the order in which they were said. */
  readonly parts: readonly AnswerPart[];
}

export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'message'; readonly message: AgentMessage };

/** By line feeds alone: to `^`, `$` and `.` U+2028 ends a line too, and JSON leaves it as it is. */
const BLOCK = /(?<![^\n])```(agent-plans|agent-messages)\n([^\n]*)\n```(?![^\n])/g;

/** Takes the blocks out of an answer. What looks like one and is not stays the text it is. */
export function readBlocks(answer: string): AgentAnswer {
  const plans = new Map<number, AgentPlan>();
  const parts: AnswerPart[] = [];
  let end = 0;
  for (const match of answer.matchAll(BLOCK)) {
    const [whole, tag, json = ''] = match;
    const records = recordsIn(json);
    if (!records) continue;
    addText(parts, answer.slice(end, match.index));
    end = match.index + whole.length;
    if (tag === 'agent-plans') for (const plan of records.map(planOf)) plans.set(plan.num, plan);
    else for (const message of records.map(messageOf)) parts.push({ kind: 'message', message });
  }
  addText(parts, answer.slice(end));
  return { plans: [...plans.values()].sort((a, b) => a.num - b.num), parts };
}

/** The answer as somebody would copy it: no plans, no names. */
export function plainText(answer: string): string {
  const { parts } = readBlocks(answer);
  return parts.map((part) => (part.kind === 'text' ? part.text : part.message.markdown)).join('\n\n');
}

function addText(parts: AnswerPart[], text: string): void {
  if (text.trim() !== '') parts.push({ kind: 'text', text: text.trim() });
}

type Fields = Readonly<Record<string, unknown>>;

function recordsIn(json: string): Fields[] | undefined {
  try {
    const value = JSON.parse(json) as unknown;
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null);
    return isList ? (value as Fields[]) : undefined;
  } catch {
    return undefined;
  }
}

const STATUSES: readonly PlanStatus[] = ['todo', 'running', 'waiting', 'retrying', 'failed', 'complete'];

function planOf({ name, num, status, agent, markdown }: Fields): AgentPlan {
  const inner = readBlocks(textOf(markdown)).parts;
  return {
    name: textOf(name),
    num: typeof num === 'number' ? num : 0,
    status: STATUSES.find((one) => one === status) ?? 'todo',
    agent: textOf(agent),
    messages: inner.flatMap((part) => (part.kind === 'message' ? [part.message] : [])),
  };
}

function messageOf({ sender, receiver, model, markdown }: Fields): AgentMessage {
  return {
    sender: textOf(sender),
    receiver: textOf(receiver),
    model: typeof model === 'string' ? model : null,
    markdown: textOf(markdown),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
