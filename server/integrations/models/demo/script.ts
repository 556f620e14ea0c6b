import { WeftError } from '#engine';
import { type ErrorCode, errorEntry } from '#shared/errors.ts';
import type { ChatMessage } from '#shared/chat-item.ts';

/** One command of the demo model. */
export type DemoStep =
  | { readonly kind: 'say' | 'think'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: unknown }
  /** Waits once. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Waits before each following chunk of text. */
  | { readonly kind: 'pace'; readonly ms: number }
  | { readonly kind: 'fail'; readonly code: ErrorCode };

const FENCE = /```demo[^\S\n]*\n([\s\S]*?)```/;
const NEXT_TURN = /^-{3,}$/;
const MAX_MS = 600_000;

/**
 * The commands of a script in the messages for this turn; undefined if there is no script. A script is a fenced block
 * `demo` of a system message, otherwise of the last user message. Its turns, separated by `---`, are used one by one
 * as the model is called again after a tool's answer; the last one repeats.
 * @throws WeftError `model_refused` for a line that is not a command.
 */
export function scriptedSteps(messages: readonly ChatMessage[]): DemoStep[] | undefined {
  const script = scriptOf(messages);
  if (script === undefined) return undefined;
  const turns = turnsOf(script);
  const turn = turns[Math.min(turnOf(messages), turns.length - 1)] ?? [];
  const words = { $user: withoutScript(lastText(messages, 'user')), $tool: lastText(messages, 'tool') };
  return joined(turn.map(({ line, at }) => stepOf(line, at, words)));
}

/** Consecutive lines of text are lines of one text. */
function joined(steps: readonly DemoStep[]): DemoStep[] {
  const result: DemoStep[] = [];
  for (const step of steps) {
    const last = result.at(-1);
    if (last && 'text' in last && 'text' in step && last.kind === step.kind)
      result[result.length - 1] = { kind: last.kind, text: `${last.text}\n${step.text}` };
    else result.push(step);
  }
  return result;
}

/** A text without the script in it. */
export function withoutScript(text: string): string {
  return text.replace(FENCE, '').trim();
}

export function lastText(messages: readonly ChatMessage[], role: ChatMessage['role']): string {
  return messages.findLast((message) => message.role === role)?.content ?? '';
}

function scriptOf(messages: readonly ChatMessage[]): string | undefined {
  const systems = messages.filter(({ role }) => role === 'system').map(({ content }) => content);
  for (const text of [...systems.reverse(), lastText(messages, 'user')]) {
    const script = FENCE.exec(text)?.[1];
    if (script !== undefined) return script;
  }
  return undefined;
}

/** How often the model has answered since the last message of the user. */
function turnOf(messages: readonly ChatMessage[]): number {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  return messages.slice(asked + 1).filter(({ role }) => role === 'assistant').length;
}

interface Line {
  readonly line: string;
  /** The number of the line, from 1. */
  readonly at: number;
}

function turnsOf(script: string): Line[][] {
  const turns: Line[][] = [[]];
  for (const [index, text] of script.split('\n').entries()) {
    const line = text.trim();
    if (NEXT_TURN.test(line)) turns.push([]);
    else if (line !== '') turns.at(-1)?.push({ line, at: index + 1 });
  }
  return turns;
}

function stepOf(line: string, at: number, words: Readonly<Record<string, string>>): DemoStep {
  const [, command = '', rest = ''] = /^(\w+)\s*(.*)$/.exec(line) ?? [];
  switch (command) {
    case 'say':
    case 'think':
      return { kind: command, text: filled(rest, words) };
    case 'call':
      return callStep(rest, at, words);
    case 'wait':
    case 'pace':
      return { kind: command, ms: millisecondsOf(rest, at) };
    case 'fail':
      if (errorEntry(rest)) return { kind: 'fail', code: rest as ErrorCode };
      throw refused(at, `there is no error ${JSON.stringify(rest.slice(0, 100))}`);
    default:
      throw refused(at, 'a line starts with say, think, call, wait, pace or fail, or is ---');
  }
}

function callStep(rest: string, at: number, words: Readonly<Record<string, string>>): DemoStep {
  const [, name = '', json = ''] = /^(\S+)\s*(.*)$/.exec(rest) ?? [];
  if (name === '') throw refused(at, 'call needs the name of a tool');
  try {
    const given: unknown = json === '' ? {} : JSON.parse(json, (_, value) => fillText(value, words));
    return { kind: 'call', name, arguments: given };
  } catch {
    throw refused(at, 'the arguments of a call are JSON, like call weather {"city": "Oslo"}');
  }
}

function fillText(value: unknown, words: Readonly<Record<string, string>>): unknown {
  return typeof value === 'string' ? filled(value, words) : value;
}

/** Replaces `$user` and `$tool` in a text by the user's last message and the last tool's answer. */
function filled(text: string, words: Readonly<Record<string, string>>): string {
  return text.replace(/\$(?:user|tool)\b/g, (word) => words[word] ?? word);
}

function millisecondsOf(text: string, at: number): number {
  const ms = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (ms <= MAX_MS) return ms;
  throw refused(at, `a time is 0 to ${MAX_MS} milliseconds`);
}

function refused(at: number, why: string): WeftError {
  return new WeftError('model_refused', `Line ${at} of the script for the demo model is wrong: ${why}.`);
}
