import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request as the server received it. */
export interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly model: string; readonly [field: string]: unknown };
}

export interface OpenAiServer {
  /** The value of `baseUrl` of a provider. */
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Settles when the connection of the next answer was closed before its end. */
  readonly broken: Promise<void>;
}

export type Reply = (response: ServerResponse, asked: Asked) => void | Promise<void>;

/** A server that speaks OpenAI's protocol over real HTTP and passes each request to the test, until the test ends. */
export async function startOpenAi(reply: Reply): Promise<OpenAiServer> {
  const { close, ...server } = await listenOpenAi(reply);
  onTestFinished(close);
  return server;
}

/** The same for several tests, until it is closed. */
export async function listenOpenAi(reply: Reply): Promise<OpenAiServer & { close(): void }> {
  const asked: Asked[] = [];
  const broken = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.on('close', () => {
      if (!response.writableFinished) broken.resolve();
    });
    void readText(request).then(async (body) => {
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        // A request that only reads has none.
        body: JSON.parse(body === '' ? '{}' : body) as Asked['body'],
      };
      asked.push(one);
      await reply(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, asked, broken: broken.promise, close };
}

/** Answers with server-sent events, one for each chunk, and `[DONE]`, without any waits. */
export function sendChunks(response: ServerResponse, deltas: readonly object[], finish?: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const delta of deltas) response.write(chunk({ choices: [{ index: 0, delta, finish_reason: null }] }));
  if (finish === undefined) return;
  response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: finish }] }));
  response.write(chunk({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } }));
  response.end('data: [DONE]\n\n');
}

export function chunk(fields: object): string {
  const base = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return `data: ${JSON.stringify({ ...base, ...fields })}\n\n`;
}

/** A refusal in the format of OpenAI. */
export function sendError(
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: { message: `No: ${status}`, type: 'some_error', code: null } }));
}
