import timers from 'node:timers/promises';
import { type ModelCall, WeftError } from '#engine';
import {
  ANSWER_SETTINGS,
  type AnswerSettings,
  type ChatItem,
  type FinishReason,
  type ChatMessage,
} from '#shared/chat-item.ts';
import type { ModelProvider, ModelTarget } from '../model-provider.ts';
import { demoSteps } from './answer.ts';
import type { DemoStep } from './script.ts';
import { createHash } from 'node:crypto';

const KNOWN: ReadonlySet<keyof AnswerSettings> = new Set([
  ...(['maxTokens', 'stop', 'schema', 'schemaName', 'schemaStrict', 'json'] as const),
  // Its answers are always the same, so any temperature or seed is satisfied.
  ...(['temperature', 'topP', 'seed'] as const),
]);

/** Number of items after which other work gets its turn. */
const ITEMS_A_TURN = 64;

/** The built-in provider: deterministic and offline, so that everything can be tried and tested without a key. */
export const demoProvider: ModelProvider = {
  chat: (target, call, _by, signal) => playedItems(target, call, signal),
  ignored: (call) => ANSWER_SETTINGS.filter((name) => call[name] !== undefined && !KNOWN.has(name)),
  async embed(_target, { texts }) {
    const inputTokens = texts.reduce((sum, text) => sum + piecesOf(text).length, 0);
    return { vectors: texts.map(demoVector), usage: { inputTokens, outputTokens: 0 } };
  },
};

async function* playedItems(
  target: ModelTarget,
  call: ModelCall,
  signal: AbortSignal,
): AsyncGenerator<ChatItem> {
  const limit = call.maxTokens ?? Number.POSITIVE_INFINITY;
  let outputTokens = 0;
  let reason: FinishReason = 'stop';
  for (const { afterMs, item } of actionsOf(demoSteps(target.model, call), call)) {
    if (afterMs > 0 || outputTokens % ITEMS_A_TURN === 0) await pause(afterMs, signal);
    if (item === undefined) continue;
    if (outputTokens >= limit) {
      reason = 'length';
      break;
    }
    if (item.type === 'tool-call') reason = 'tool-calls';
    outputTokens++;
    yield item;
  }
  const usage = { inputTokens: tokensIn(call.messages), outputTokens };
  yield { type: 'finish', reason, usage, model: target.id };
}

interface Action {
  readonly afterMs: number;
  readonly item?: ChatItem;
}

function* actionsOf(steps: readonly DemoStep[], { messages, stop }: ModelCall): Generator<Action> {
  let pace = 0;
  let calls = 0;
  for (const step of steps) {
    switch (step.kind) {
      case 'pace':
        pace = step.ms;
        break;
      case 'wait':
        yield { afterMs: step.ms };
        break;
      case 'fail':
        throw new WeftError(step.code, 'The script of the demo model fails here on purpose.');
      case 'call': {
        const call = { id: `call_${messages.length}_${++calls}`, name: step.name, arguments: step.arguments };
        yield { afterMs: pace, item: { type: 'tool-call', call } };
        break;
      }
      case 'think':
        for (const text of piecesOf(step.text)) yield { afterMs: pace, item: { type: 'reasoning', text } };
        break;
      case 'say': {
        const shown = beforeStop(step.text, stop);
        for (const text of piecesOf(shown)) yield { afterMs: pace, item: { type: 'text', text } };
        if (shown !== step.text) return;
      }
    }
  }
}

/** The text up to the first stop sequence. */
function beforeStop(text: string, stop: readonly string[] = []): string {
  const ends = stop.map((word) => text.indexOf(word)).filter((at) => at >= 0);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await (ms > 0
      ? timers.setTimeout(ms, undefined, { signal })
      : timers.setImmediate(undefined, { signal }));
  } catch {
    // The reason of the signal is more specific than the error of the timer.
    signal.throwIfAborted();
  }
}

const PIECE = /\s*\S{1,16}|\s+/gu;

/** The chunks in which a model would send a text: words with the whitespace before them, long ones in parts. Each counts as a token. */
function piecesOf(text: string): string[] {
  return text.match(PIECE) ?? [];
}

function tokensIn(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => sum + piecesOf(content).length, 0);
}

const DIMENSIONS = 64;

/**
 * A vector of length 1 for a text, always the same: words are hashed into 64 bins, so that texts with common words
 * are near each other. A text without words is the first axis.
 */
function demoVector(text: string): number[] {
  const bins = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const hash = createHash('sha256').update(word).digest();
    const bin = hash.readUInt8(0) % DIMENSIONS;
    bins[bin] = (bins[bin] ?? 0) + (hash.readUInt8(1) % 2 === 0 ? 1 : -1);
  }
  const length = Math.hypot(...bins);
  return length === 0 ? bins.map((_, index) => (index === 0 ? 1 : 0)) : bins.map((value) => value / length);
}
