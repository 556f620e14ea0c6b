import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { expect, onTestFinished, test } from 'vitest';
import type { HttpRequest, HttpService, Outcome } from '#engine';
import { createOutbound } from '../../base/outbound/outbound.ts';
import { createFlowBed, rowFlow } from '../../execution/runs/testing/flow-bed.ts';
import { createMcpService } from './tools/mcp-ask.ts';
import { startOlderServer, startSessionServer } from './testing/session-server.ts';
import { startToolServer } from './testing/tool-server.ts';

/** `mcp.call` with the client of the server. */

function guarded(): HttpService {
  const http = createOutbound({ allow: ['127.0.0.1'] });
  onTestFinished(() => http.close());
  return http;
}

/** Runs a flow of one `mcp.call` node. */
async function asked(params: Record<string, unknown>, http = guarded()) {
  const bed = await createFlowBed([rowFlow('calling', { it: { operator: 'mcp.call', params } })], {
    services: () => ({
      mcp: createMcpService({ http }),
      secrets: { reveal: async () => 'k3y' },
    }),
  });
  const run = bed.start('calling', { name: 'Ada' });
  const answer = await new Promise<unknown>((resolve) =>
    run.onAnswer((one) => resolve(one.kind === 'value' ? one.body : undefined)),
  );
  const { error } = await new Promise<Outcome>((resolve) => run.onEnd(resolve));
  return { answer, error };
}

const tools = () =>
  startToolServer([
    ...['one', 'two'].map((name) => ({
      name,
      inputSchema: { type: 'object' as const },
      run: () => ({ content: [] }),
    })),
    {
      name: 'greet',
      inputSchema: { type: 'object', required: ['who'] },
      run: ({ who }) =>
        who === 'nobody'
          ? { content: [{ type: 'text', text: 'Nobody is there.' }], isError: true }
          : { content: [{ type: 'text', text: `Hello ${String(who)}` }] },
    },
  ]);

test('calls one tool, with the secret that the node names', async () => {
  const { url, seen } = await tools();
  const { answer, error } = await asked({
    url,
    name: 'greet',
    arguments: { who: '{{ input.name }}' },
    auth: { type: 'bearer', secret: { $secret: 'key' } },
    headers: { 'x-team': 'sales' },
  });
  expect(error).toBeUndefined();
  expect(answer).toEqual({ content: [{ type: 'text', text: 'Hello Ada' }] });
  expect(seen.length).toBeGreaterThan(0);
  for (const headers of seen)
    expect(headers).toMatchObject({ authorization: 'Bearer k3y', 'x-team': 'sales' });
});

test('fails with what the tool says, and with what the server says', async () => {
  const { url } = await tools();
  const failed = await asked({ url, name: 'greet', arguments: '{"who": "nobody"}' });
  expect(failed.error).toMatchObject({
    code: 'service_failed',
    message: expect.stringContaining('The tool greet failed: Nobody is there.'),
  });
  const unknown = await asked({ url, name: 'other' });
  expect(unknown.error).toMatchObject({
    code: 'outbound_failed',
    message: expect.stringContaining('no such tool'),
  });
});

test('lists the tools of all pages', async () => {
  const { url } = await tools();
  const { answer } = await asked({ url, method: 'tools/list' });
  const { tools: listed } = answer as { readonly tools: readonly { readonly name: string }[] };
  expect(listed.map(({ name }) => name)).toEqual(['one', 'two', 'greet']);
});

function library(): Server {
  const server = new Server(
    { name: 'library', version: '1' },
    { capabilities: { resources: {}, prompts: {} } },
  );
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: [{ uri: 'doc://a', name: 'a' }],
  }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'doc://{id}', name: 'any' }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
    contents: [{ uri, text: 'Words.' }],
  }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: 'brief' }] }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Be ${params.arguments?.['how']}.` } }],
  }));
  return server;
}

test.each([
  ['sessions', startSessionServer],
  ['the older way', startOlderServer],
] as const)('reads resources and prompts over %s, and ends the session', async (_, start) => {
  const { url, heard } = await start(library);
  expect((await asked({ url, method: 'resources/list' })).answer).toEqual({
    resources: [{ uri: 'doc://a', name: 'a' }],
  });
  expect((await asked({ url, method: 'resources/templates/list' })).answer).toEqual({
    resourceTemplates: [{ uriTemplate: 'doc://{id}', name: 'any' }],
  });
  expect((await asked({ url, method: 'resources/read', name: 'doc://a' })).answer).toEqual({
    contents: [{ uri: 'doc://a', text: 'Words.' }],
  });
  expect((await asked({ url, method: 'prompts/list' })).answer).toEqual({ prompts: [{ name: 'brief' }] });
  expect(
    (await asked({ url, method: 'prompts/get', name: 'brief', arguments: { how: 'brief' } })).answer,
  ).toEqual({ messages: [{ role: 'user', content: { type: 'text', text: 'Be brief.' } }] });
  if (start === startSessionServer) expect(heard.filter((one) => one === 'DELETE')).toHaveLength(5);
});

test('a connection has the address; a path is below it', async () => {
  const { url } = await tools();
  const sent: HttpRequest[] = [];
  const http = guarded();
  // As connections do it: their address stands before the path.
  const through: HttpService = {
    send({ connection, ...request }, by, signal) {
      sent.push({ connection: connection as string, ...request });
      return http.send({ ...request, url: `${url.replace(/\/mcp$/, '')}${request.url}` }, by, signal);
    },
  };
  const { answer, error } = await asked({ connection: 'team', url: 'mcp', method: 'tools/list' }, through);
  expect(error).toBeUndefined();
  expect(answer).toMatchObject({ tools: [{ name: 'one' }, { name: 'two' }, { name: 'greet' }] });
  expect(new Set(sent.map((one) => `${one.connection} ${one.url}`))).toEqual(new Set(['team /mcp']));
});

test('what cannot be an address is refused before a request', async () => {
  expect((await asked({ url: 'ftp://example.com', name: 'x' })).error).toMatchObject({ code: 'bad_params' });
  expect((await asked({ url: '', name: 'x' })).error).toMatchObject({ code: 'bad_params' });
});
