import { hash } from 'node:crypto';
import type { ModelCall } from '#engine';
import type { ChatMessage, ToolCall } from '#shared/chat-item.ts';
import { sortedJson } from '#shared/json.ts';
import type { StreamPart } from './types.ts';

type Metadata = NonNullable<Extract<StreamPart, { type: 'tool-call' }>['providerMetadata']>;

/** A thought of a model that its provider has signed. */
export interface Thought {
  text: string;
  metadata: Metadata;
}

/** The data that a provider expects with a tool call in the next request. */
export interface KeptThoughts {
  /** The signed thoughts before the call. */
  readonly thoughts: readonly Thought[];
  /** The signature of the call itself. */
  readonly metadata: Metadata | undefined;
}

const MOST_CALLS = 10_000;
const MOST_CHARACTERS = 32_000_000;

interface Entry extends KeptThoughts {
  readonly size: number;
}

/** The least recently used comes first. */
const entries = new Map<string, Entry>();
let size = 0;

/**
 * Signed thoughts by the calls that followed them. Providers expect them in later requests while a model uses tools, but neither
 * clients of OpenAI nor flows have a field for them: both send only the call. The whole call is the key, since some servers only
 * number their calls.
 */
export function thoughtsBefore(model: string, call: ToolCall): KeptThoughts | undefined {
  const key = keyOf(model, call);
  const found = entries.get(key);
  if (found === undefined) return undefined;
  entries.delete(key);
  entries.set(key, found);
  return found;
}

/** Whether the tool calls since the last message of the user have all of their thoughts. */
export function hasThoughts(model: string, { messages }: Pick<ModelCall, 'messages'>): boolean {
  // A message after the result of a tool, such as its files, belongs to the same turn.
  const begun = messages.findLastIndex(
    ({ role }, at) => role === 'user' && messages[at - 1]?.role !== 'tool',
  );
  const turn = messages.slice(begun + 1);
  return turn.every((message) => {
    const [first] = callsIn(message);
    return first === undefined || (thoughtsBefore(model, first)?.thoughts.length ?? 0) > 0;
  });
}

export function callsIn(message: ChatMessage): readonly ToolCall[] {
  return message.role === 'assistant' ? (message.toolCalls ?? []) : [];
}

type ThinkingPart = Extract<StreamPart, { type: 'reasoning-start' | 'reasoning-delta' | 'reasoning-end' }>;

/** Keeps the thoughts of one answer of a model as its parts arrive. */
export class ThoughtKeeper {
  private readonly model: string;
  private readonly open = new Map<string, Thought>();
  private before: Thought[] = [];

  constructor(model: string) {
    this.model = model;
  }

  take(part: StreamPart): void {
    if (part.type === 'reasoning-start' || part.type === 'reasoning-delta' || part.type === 'reasoning-end')
      this.think(part);
  }

  /** Records a call that the parts so far have led to. */
  called(call: ToolCall, metadata: Metadata | undefined): void {
    const thoughts = this.before.filter((one) => Object.keys(one.metadata).length > 0);
    this.before = [];
    this.open.clear();
    if (thoughts.length > 0 || metadata !== undefined) keep(keyOf(this.model, call), { thoughts, metadata });
  }

  private think(part: ThinkingPart): void {
    let thought = this.open.get(part.id);
    if (thought === undefined) {
      thought = { text: '', metadata: {} };
      this.open.set(part.id, thought);
      this.before.push(thought);
    }
    if ('delta' in part) thought.text += part.delta;
    for (const [provider, metadata] of Object.entries(part.providerMetadata ?? {}))
      thought.metadata = { ...thought.metadata, [provider]: { ...thought.metadata[provider], ...metadata } };
  }
}

function keep(key: string, kept: KeptThoughts): void {
  const before = entries.get(key);
  entries.delete(key);
  const entry = { ...kept, size: JSON.stringify(kept).length };
  entries.set(key, entry);
  size += entry.size - (before?.size ?? 0);
  for (const [oldest, { size: freed }] of entries) {
    if (entries.size <= MOST_CALLS && size <= MOST_CHARACTERS) return;
    entries.delete(oldest);
    size -= freed;
  }
}

function keyOf(model: string, { id, name, arguments: given }: ToolCall): string {
  return hash('sha256', sortedJson([model, id, name, given ?? {}]), 'base64');
}
