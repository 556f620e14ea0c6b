import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Asker, McpAsk } from '#engine';
import { createOutbound } from '../../base/outbound/outbound.ts';
import { createMcpService } from './tools/mcp-ask.ts';

/** `mcp.call` and servers that break the protocol. */

interface Asked {
  readonly method: string;
  readonly id?: number;
  readonly params?: Readonly<Record<string, unknown>>;
}

type Answer = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void;

const by: Asker = { flow: 'f', version: 'v', run: 'r', node: 'n', operator: 'mcp.call' };

/** A server with sessions that answers requests in its own way. */
async function start(answer: Answer) {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      if (request.method !== 'POST') {
        heard.push(String(request.method));
        return void response.writeHead(request.method === 'DELETE' ? 200 : 405).end();
      }
      const asked = (await json(request)) as Asked;
      heard.push(asked.method);
      if (asked.method === 'initialize') {
        const capabilities = { tools: {} };
        const result = {
          protocolVersion: '2025-06-18',
          capabilities,
          serverInfo: { name: 'x', version: '1' },
        };
        response.setHeader('mcp-session-id', 's1');
        return reply(response, { id: asked.id, result });
      }
      if (asked.id === undefined) return void response.writeHead(202).end();
      answer(asked, response, request);
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const http = createOutbound({ allow: ['127.0.0.1'] });
  onTestFinished(() => http.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const service = createMcpService({ http });
  const ask = (more: Partial<McpAsk> = {}, signal = new AbortController().signal) =>
    service.ask(
      {
        url,
        headers: {},
        secretHeaders: {},
        method: 'tools/call',
        params: { name: 'x' },
        timeoutMs: 20_000,
        ...more,
      },
      by,
      signal,
    );
  return { ask, heard };
}

function reply(response: ServerResponse, message: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

const streamed = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

const event = (message: object): string =>
  `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

const long = { content: [{ type: 'text', text: 'x'.repeat(50_000_000) }] };

test.each([
  ['as JSON', (id, response) => reply(response, { id, result: long })],
  ['as an event', (id, response) => void streamed(response).end(event({ id, result: long }))],
] as [string, (id: number | undefined, response: ServerResponse) => void][])(
  'a result that is too large fails at once: %s',
  async (_, send) => {
    const { ask, heard } = await start(({ id }, response) => send(id, response));
    await expect(ask()).rejects.toMatchObject({ code: 'value_too_large' });
    expect(heard.filter((method) => method === 'tools/call')).toHaveLength(1);
    expect(heard.at(-1)).toBe('DELETE');
  },
);

test('notifications without end are left when the time is over', async () => {
  let isOpen = false;
  const { ask } = await start((_, response, request) => {
    isOpen = true;
    streamed(response);
    const timer = setInterval(
      () => response.write(event({ method: 'notifications/message', params: { level: 'info', data: 'x' } })),
      10,
    );
    request.socket.on('close', () => {
      isOpen = false;
      clearInterval(timer);
    });
  });
  await expect(ask({ timeoutMs: 1500 })).rejects.toMatchObject({ code: 'outbound_timeout' });
  await expect.poll(() => isOpen, { timeout: 5000 }).toBe(false);
});

test('an answer that ends in the middle fails, and is not asked for again', async () => {
  const { ask, heard } = await start((_, response) => {
    streamed(response).write(
      event({ method: 'notifications/message', params: { level: 'info', data: 'x' } }),
    );
    setTimeout(() => response.destroy(), 100);
  });
  await expect(ask()).rejects.toMatchObject({ code: 'outbound_failed' });
  expect(heard.filter((method) => method === 'tools/call')).toHaveLength(1);
});

test('an error whose code looks like a status is no lost session: the tool is called once', async () => {
  const { ask, heard } = await start(({ id }, response) =>
    reply(response, { id, error: { code: 404, message: 'no such customer' } }),
  );
  await expect(ask()).rejects.toMatchObject({
    code: 'outbound_failed',
    message: expect.stringContaining(
      'answered with the error 404. It says: "MCP error 404: no such customer"',
    ),
  });
  expect(heard.filter((method) => method === 'tools/call')).toHaveLength(1);
});

test('a list with more pages than are read is an error, and so is one whose pages repeat', async () => {
  let page = 0;
  const endless = await start(({ id }, response) =>
    reply(response, { id, result: { tools: [{ name: `t${page}` }], nextCursor: `c${page++}` } }),
  );
  await expect(endless.ask({ method: 'tools/list', params: {} })).rejects.toMatchObject({
    code: 'value_too_large',
  });
  const circling = await start(({ id }, response) =>
    reply(response, { id, result: { tools: [{ name: 't' }], nextCursor: 'same' } }),
  );
  await expect(circling.ask({ method: 'tools/list', params: {} })).rejects.toMatchObject({
    code: 'outbound_failed',
  });
  expect(circling.heard.filter((method) => method === 'tools/list')).toHaveLength(2);
});

test('redirects are not followed', async () => {
  const { ask } = await start((_, response) =>
    response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end(),
  );
  await expect(ask()).rejects.toMatchObject({ code: 'outbound_failed', data: { status: 307 } });
});
