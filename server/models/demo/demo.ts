import { setImmediate, setTimeout } from 'node:timers/promises';
import { type ModelCall, WeftError } from '#engine';
import { ANSWER_SETTINGS, type AnswerSettings, type ChatItem, type FinishReason } from '#shared/chat-item.ts';
import type { ModelProvider, ModelTarget } from '../model-provider.ts';
import { demoSteps } from './answer.ts';
import { demoVector } from './embedding.ts';
import { piecesOf, tokensIn } from './pieces.ts';
import type { DemoStep } from './script.ts';

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
        const said = beforeStop(step.text, stop);
        for (const text of piecesOf(said)) yield { afterMs: pace, item: { type: 'text', text } };
        if (said !== step.text) return;
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
    await (ms > 0 ? setTimeout(ms, undefined, { signal }) : setImmediate(undefined, { signal }));
  } catch {
    // The timer's own error says less than the reason why the call ended.
    signal.throwIfAborted();
  }
}
