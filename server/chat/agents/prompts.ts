import type { ChatInput, ChatMessage } from '#shared/chat-item.ts';
import type { PlannedStep } from './plan.ts';
import type { Member } from './team.ts';

/** The texts that agents get besides their own prompts. */

/**
 * The conversation so far, with the question last. The client's instructions come first, where models look for them.
 */
export function conversationOf({
  history,
  messages,
}: Pick<ChatInput, 'history' | 'messages'>): ChatMessage[] {
  const all = [...history, ...messages];
  return [...all.filter(({ role }) => role === 'system'), ...all.filter(({ role }) => role !== 'system')];
}

/** A task about the question, with the files that came with it. */
export function taskMessage(content: string, { messages }: Pick<ChatInput, 'messages'>): ChatMessage {
  const asked = messages.findLast(({ role }) => role === 'user');
  const parts = asked?.role === 'user' ? (asked.parts ?? []) : [];
  const files = parts.filter(({ type }) => type !== 'text');
  if (files.length === 0) return { role: 'user', content };
  return { role: 'user', content, parts: [{ type: 'text', text: content }, ...files] };
}

export function plannerPrompt(planner: Member, members: readonly Member[]): string {
  return joined([
    planner.prompt,
    'You lead a team of agents. Split the task of the user into steps and give each to one agent. Steps that do not need each other’s results run at the same time, so name only the dependencies that are needed. Make no more steps than the task needs.',
    `The agents:\n${members.map(introduction).join('\n')}`,
    'Answer with JSON only: {"steps": [{"name": "what is to be done", "agent": "name of the agent", "dependsOn": [numbers of earlier steps, the first is 1]}]}',
  ]);
}

const SHOWN_PROMPT = 600;

function introduction({ name, prompt, resources }: Member): string {
  const can = resources.map((resource) => resource.name).join(', ');
  return `- ${name}: ${prompt.slice(0, SHOWN_PROMPT).replaceAll(/\s+/g, ' ')}${can === '' ? '' : ` Can use: ${can}.`}`;
}

export function planProblemsText(problems: readonly string[]): string {
  return `This plan cannot be executed:\n${problems.map((problem) => `- ${problem}`).join('\n')}\nAnswer with the whole plan again, corrected.`;
}

/** The task of an agent for its step: the user's question, and the results that the step needs. */
export function stepTask(
  question: string,
  { name }: PlannedStep,
  results: readonly { readonly name: string; readonly text: string }[],
): string {
  return joined([
    `The user asked: ${question}`,
    ...results.map((result) => `Result of “${result.name}”:\n${result.text}`),
    `Your part: ${name}`,
  ]);
}

/** The result of a step, as later steps read it. */
export interface StepReport {
  readonly name: string;
  readonly agent: string;
  readonly text: string;
  readonly failed: boolean;
}

export function reportPrompt({ prompt }: Member): string {
  return joined([
    prompt,
    'You lead a team of agents that has worked on the task of the user. Answer the user from the results of the team. Say plainly what could not be done.',
  ]);
}

export function reportTask(question: string, reports: readonly StepReport[]): string {
  const parts = reports.map(
    ({ name, agent, text, failed }, i) => `${i + 1}. ${name} (${agent}${failed ? ', failed' : ''}):\n${text}`,
  );
  return joined([`The user asked: ${question}`, `The results of the team:\n\n${parts.join('\n\n')}`]);
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
