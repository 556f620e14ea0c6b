import type { ChatItem } from '#shared/chat-item.ts';
import { handleOf } from '#shared/file.ts';

/**
 * Whether a value of a flow is an item of a chat. Written by hand, because it is called for each token; and strict,
 * because a flow's result may have a `type` for reasons of its own.
 */
export function isChatItem(value: Fields): boolean {
  const { type } = value;
  return typeof type === 'string' && Object.hasOwn(shapes, type) && shapes[type as ChatItem['type']](value);
}

type Fields = Readonly<Record<string, unknown>>;

const shapes: Readonly<Record<ChatItem['type'], (fields: Fields) => boolean>> = {
  text: (item) => hasTexts(item, 'text'),
  reasoning: (item) => hasTexts(item, 'text'),
  'tool-call': ({ call }) => isRecord(call) && hasTexts(call, 'id', 'name'),
  'tool-result': (item) => hasTexts(item, 'call', 'name', 'content'),
  plan: ({ plan }) => isPlan(plan),
  speaker: isSpeaking,
  references: ({ documents }) =>
    Array.isArray(documents) &&
    documents.every(
      (one) =>
        isRecord(one) &&
        hasTexts(one, 'name') &&
        Array.isArray(one['passages']) &&
        one['passages'].every(
          (passage) => isRecord(passage) && hasTexts(passage, 'id', 'text', 'quote', 'href'),
        ),
    ),
  chart: ({ chart }) =>
    isRecord(chart) &&
    hasTexts(chart, 'type', 'sql') &&
    Array.isArray(chart['rows']) &&
    chart['rows'].every(isRecord),
  file: ({ file }) => handleOf(file) !== undefined,
  finish: ({ reason, usage, model }) =>
    FINISHES.has(reason) &&
    typeof model === 'string' &&
    isRecord(usage) &&
    Number.isFinite(usage['inputTokens']) &&
    Number.isFinite(usage['outputTokens']),
};

const FINISHES: ReadonlySet<unknown> = new Set(['stop', 'length', 'tool-calls', 'content-filter']);

function isPlan(plan: unknown): boolean {
  if (!isRecord(plan) || !Number.isFinite(plan['num'])) return false;
  const { messages } = plan;
  return (
    hasTexts(plan, 'name', 'status', 'agent') &&
    Array.isArray(messages) &&
    messages.every((one) => isRecord(one) && isSpeaking(one) && hasTexts(one, 'markdown'))
  );
}

function isSpeaking(fields: Fields): boolean {
  const { model } = fields;
  return hasTexts(fields, 'sender', 'receiver') && (model === null || typeof model === 'string');
}

function hasTexts(fields: Fields, ...names: readonly string[]): boolean {
  return names.every((name) => typeof fields[name] === 'string');
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
