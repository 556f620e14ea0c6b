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
  'tool-call': ({ call }) => isObject(call) && hasTexts(call, 'id', 'name'),
  'tool-result': (item) => hasTexts(item, 'call', 'name', 'content'),
  waiting: (item) => hasTexts(item, 'wait', 'title', 'agent', 'tool'),
  plan: ({ plan }) => isPlan(plan),
  speaker: isSpeaking,
  references: ({ documents, question = '' }) =>
    typeof question === 'string' &&
    Array.isArray(documents) &&
    documents.every(
      (one) =>
        isObject(one) &&
        hasTexts(one, 'name') &&
        Array.isArray(one['passages']) &&
        one['passages'].every(
          (passage) => isObject(passage) && hasTexts(passage, 'id', 'text', 'quote', 'href'),
        ),
    ),
  chart: ({ chart }) =>
    isObject(chart) &&
    hasTexts(chart, 'type', 'sql') &&
    Array.isArray(chart['rows']) &&
    chart['rows'].every(isObject),
  file: ({ file }) => handleOf(file) !== undefined,
  finish: ({ reason, usage, model }) =>
    FINISHES.has(reason) &&
    typeof model === 'string' &&
    isObject(usage) &&
    Number.isFinite(usage['inputTokens']) &&
    Number.isFinite(usage['outputTokens']),
};

const FINISHES: ReadonlySet<unknown> = new Set(['stop', 'length', 'tool-calls', 'content-filter']);

function isPlan(plan: unknown): boolean {
  if (!isObject(plan) || !Number.isFinite(plan['num'])) return false;
  const { messages } = plan;
  return (
    hasTexts(plan, 'name', 'status', 'agent') &&
    Array.isArray(messages) &&
    messages.every((one) => isObject(one) && isSpeaking(one) && hasTexts(one, 'markdown'))
  );
}

function isSpeaking(fields: Fields): boolean {
  const { model } = fields;
  return hasTexts(fields, 'sender', 'receiver') && (model === null || typeof model === 'string');
}

function hasTexts(fields: Fields, ...names: readonly string[]): boolean {
  return names.every((name) => typeof fields[name] === 'string');
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
