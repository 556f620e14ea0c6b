import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Call, defineOperator, input, makeRegistry, type ModelCall, output, WeftError } from '#engine';
import type { ChatInput, ChatItem } from '#shared/chat-item.ts';
import type { Flow } from '#shared/flow.ts';
import type { Config } from '../../../base/config/config.ts';
import type { Given } from '../../../start/context.ts';
import { loadOperators } from '../../../base/authored/load-operators.ts';
import type { Models } from '../../../integrations/models/models.ts';
import { type Bed, startBed, tempFolder } from '../../../testing/platform-bed.ts';

export interface ChatSource {
  /** The output of the model `test/model`. */
  model?(call: ModelCall, signal: AbortSignal): AsyncIterable<ChatItem>;
  /** The items of the flow `said`. */
  flow?(call: Pick<Call, 'signal'> & { input: ChatInput }): AsyncIterable<unknown>;
}

export interface ChatBed extends Bed {
  /** Sends a chat request; `headers` besides the key. */
  chat(body: unknown, init?: Init): Promise<Response>;
  /** Calls another route with the key. */
  call(path: string, init?: Init): Promise<Response>;
}

interface Init extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
}

export const KEY = 'chat-key-of-the-tests';
const OTHER_KEY = 'another-key-of-the-tests';

/** Headers of a second caller. */
export const otherCaller = { authorization: `Bearer ${OTHER_KEY}` };

/** A server with a model, and with flows to chat with: `said`, `greet` (a value), `refuses` (status 404), `no_chat`. */
export async function startChatBed(
  source: ChatSource = {},
  changes: Partial<Config> = {},
  parts: Given = {},
): Promise<ChatBed> {
  const flows = join(await tempFolder(), 'flows');
  mkdirSync(flows);
  for (const flow of chatFlows) writeFileSync(join(flows, `${flow.id}.json`), JSON.stringify(flow));
  const { registry } = await loadOperators({ builtIn: true });
  const said = sourceOperator(source);
  const bed = await startBed(
    { flows: [flows], apiKeys: [KEY, OTHER_KEY], ...changes },
    {
      registry: makeRegistry(new Map([...registry.operators, ['test.said', said]])),
      models: modelsOf(source),
      ...parts,
    },
  );
  const call: ChatBed['call'] = (path, init = {}) =>
    fetch(`${bed.url}${path}`, { ...init, headers: { authorization: `Bearer ${KEY}`, ...init.headers } });
  const chat: ChatBed['chat'] = (body, init = {}) =>
    call('/api/v2/chat/completions', {
      method: 'POST',
      ...init,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...init.headers },
    });
  return { ...bed, call, chat };
}

function modelsOf({ model }: ChatSource): Models {
  const info = {
    id: 'test/model',
    provider: 'test',
    model: 'model',
    use: 'chat',
    default: true,
  } as const;
  return {
    list: () => [info],
    aliases: () => ({}),
    find(name = info.id) {
      if (name === info.id || name === info.model) return info;
      throw new WeftError('model_not_found', `There is no model ${name}.`);
    },
    ignored: async () => [],
    chat: (call, _by, signal) => model?.(call, signal) ?? sayAll(['Hello', ' there']),
    embed: () => Promise.reject(new Error('not used')),
  };
}

/** Texts as a model emits them, with their usage at the end. */
export async function* sayAll(texts: readonly string[]): AsyncGenerator<ChatItem> {
  for (const text of texts) yield await Promise.resolve({ type: 'text', text });
  const usage = { inputTokens: 3, outputTokens: texts.length };
  yield { type: 'finish', reason: 'stop', usage, model: 'test/model' };
}

function sourceOperator({ flow }: ChatSource) {
  return defineOperator({
    title: 'Said',
    doc: 'Gives what the test says.',
    icon: 'box',
    params: z.object({}),
    inputs: { in: input<ChatInput>() },
    outputs: { out: output({ kind: 'stream' }) },
    effects: 'read',
    examples: [],
    run: (call) => flow?.(call) ?? sayAll(['Hello', ' flow']),
  });
}

const chatFlows: readonly Flow[] = [
  flowOf('said', { operator: 'test.said' }),
  flowOf(
    'greet',
    { operator: 'core.map', params: { value: 'Hello, {{ input.text }}!' } },
    { title: 'Greeter' },
  ),
  flowOf('refuses', { operator: 'core.respond', params: { status: 404, body: 'no' } }),
  {
    format: 1,
    id: 'no_chat',
    nodes: { in: { operator: 'trigger.manual' }, same: { operator: 'core.map' } },
    edges: [{ from: 'in.out', to: 'same.in' }],
  },
];

function flowOf(id: string, answer: Flow['nodes'][string], params: Record<string, unknown> = {}): Flow {
  return {
    format: 1,
    id,
    nodes: { chat: { operator: 'trigger.chat', params }, answer },
    edges: [{ from: 'chat.out', to: 'answer.in' }],
  };
}
