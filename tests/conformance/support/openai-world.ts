import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Asked,
  chunk,
  listenOpenAi,
  type OpenAiServer,
  type Reply,
  sendChunks,
  sendError,
} from '../../../server/integrations/models/testing/openai-server.ts';
import { discard, startServer, tempFolder, type TestServer } from '../../support/server.ts';

const KEY = 'key-of-a-client-of-openai';

/** A server as it comes, with a provider over a real socket that writes down what reaches it. */
export interface OpenAiWorld {
  readonly server: TestServer;
  readonly key: string;
  /** The base that clients are set to. */
  readonly base: string;
  readonly provider: OpenAiServer;
  /** The body of the latest request to the provider. */
  lastBody(): Asked['body'];
  close(): Promise<void>;
}

const call = {
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Oslo"}' },
};

/** What each model of the provider does; others say "Hello there". */
const replies: Readonly<Record<string, Reply>> = {
  tool: (response, { body }) => {
    const messages = body['messages'] as { role: string }[];
    if (messages.at(-1)?.role === 'tool') sendChunks(response, [{ content: 'It is sunny.' }], 'stop');
    else sendChunks(response, [{ content: 'Let me look.' }, { tool_calls: [call] }], 'tool_calls');
  },
  json: (response) => sendChunks(response, [{ content: '{"city":' }, { content: '"Oslo"}' }], 'stop'),
  thinks: (response) => sendChunks(response, [{ reasoning_content: 'Hm.' }, { content: 'Yes.' }], 'stop'),
  filtered: (response) => sendChunks(response, [{ content: 'So' }], 'content_filter'),
  cached: (response) => {
    sendChunks(response, [{ content: 'So' }]);
    const usage = {
      prompt_tokens: 7,
      completion_tokens: 3,
      total_tokens: 10,
      prompt_tokens_details: { cached_tokens: 5 },
    };
    response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
  },
  refuses: (response) => sendChunks(response, [{ refusal: 'I can' }, { refusal: 'not.' }], 'stop'),
  ponders: (response) => {
    sendChunks(response, [{ content: 'So' }]);
    const usage = {
      prompt_tokens: 7,
      completion_tokens: 3,
      total_tokens: 10,
      completion_tokens_details: { reasoning_tokens: 2 },
    };
    response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
    response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
  },
  locked: (response) => sendError(response, 401),
  later: (response) => sendError(response, 429, { 'retry-after-ms': '2500' }),
  cut: (response) => sendChunks(response, [{ content: 'So' }], 'length'),
  fails: (response) => {
    sendChunks(response, [{ content: 'So' }]);
    response.end('data: {"error": {"message": "Overloaded", "type": "overloaded_error"}}\n\n');
  },
  full: (response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    const message = 'This model takes 5 tokens.';
    const error = {
      message,
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    };
    response.end(JSON.stringify({ error }));
  },
  vectors: (response, { body }) => {
    sendVectors(response, body, () => [0.5]);
  },
  shortens: (response, { body }) => {
    sendVectors(response, body, () => Array.from({ length: Number(body['dimensions'] ?? 9) - 1 }, () => 0.5));
  },
};

const embedding = ['vectors', 'shortens'];

/** For each text a vector of its length and `rest`. */
function sendVectors(
  response: Parameters<Reply>[0],
  body: Asked['body'],
  rest: () => readonly number[],
): void {
  const texts = body['input'] as string[];
  const data = texts.map((text, index) => ({ index, embedding: [text.length, ...rest()] }));
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ data, usage: { prompt_tokens: 4, total_tokens: 4 } }));
}

export async function startOpenAiWorld(
  flowFiles: readonly { readonly id: string }[] = [],
): Promise<OpenAiWorld> {
  const provider = await listenOpenAi((response, asked) => {
    const reply = replies[asked.body.model];
    if (reply !== undefined) return reply(response, asked);
    return sendChunks(response, [{ content: 'Hello' }, { content: ' there' }], 'stop');
  });
  const names = ['plain', ...Object.keys(replies).filter((name) => !embedding.includes(name)), 'o3-mini'];
  const flows = tempFolder('flows');
  for (const flow of flowFiles) writeFileSync(join(flows, `${flow.id}.json`), JSON.stringify(flow));
  const real = {
    type: 'openai-compatible',
    baseUrl: provider.url,
    allow: new URL(provider.url).host,
    models: [
      ...names.map((name) => ({ name, prices: { input: 1, output: 2 } })),
      { name: 'sees', input: ['text', 'image', 'file'] },
      ...embedding.map((name) => ({ name, use: 'embedding' })),
    ],
  };
  const gone = {
    type: 'openai-compatible',
    baseUrl: 'http://127.0.0.1:9/v1',
    allow: '127.0.0.1:9',
    models: [{ name: 'x' }],
  };
  const server = await startServer({
    flows,
    env: {
      WEFT_API_KEYS: KEY,
      WEFT_PROVIDERS: JSON.stringify({ real, gone }),
      WEFT_MODEL: 'demo/echo',
      WEFT_MODEL_ALIASES: JSON.stringify({ 'gpt-4o': 'real/plain' }),
    },
  });
  return {
    server,
    key: KEY,
    base: `${server.url}/v1`,
    provider,
    lastBody: () => provider.asked.at(-1)?.body as Asked['body'],
    async close() {
      await discard(server);
      provider.close();
    },
  };
}
