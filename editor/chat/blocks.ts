import type { AgentMessage, AgentPlan, PlanStatus } from '#shared/chat-item.ts';

/** Parts of an agent's answer, as the server renders them: fenced blocks of JSON between texts. */
export interface AgentAnswer {
  /** The steps of the plan in their current state, in order. */
  readonly plans: readonly AgentPlan[];
  /** Texts and messages in chronological order. */
  readonly parts: readonly AnswerPart[];
}

export type AnswerPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'message'; readonly message: AgentMessage };

/** Splits by line feeds only: for `^`, `$` and `.` U+2028 ends a line too, but JSON does not escape it. */
const BLOCK = /(?<![^\n])```(agent-plans|agent-messages)\n([^\n]*)\n```(?![^\n])/g;

/** Extracts the blocks from an answer. Text that only looks like a block stays text. */
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

/** The answer as plain text to copy: no plans, no names. */
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
