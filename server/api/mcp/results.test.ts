import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { type Bed, startBed, tempFolder } from '../../testing/platform-bed.ts';

const KEY = 'a-key-of-sixteen';
const empty = { type: 'object', properties: {} };

function toolFlow(
  id: string,
  node: Flow['nodes'][string],
  more: Partial<Flow> = {},
  params: object = {},
): Flow {
  return {
    format: 1,
    id,
    nodes: {
      trigger: { operator: 'trigger.http', params: { path: `/${id}`, request: empty, ...params } },
      node,
    },
    edges: [{ from: 'trigger.out', to: 'node.in' }],
    ...more,
  };
}

async function startWith(...flows: readonly Flow[]): Promise<Bed> {
  const folder = await tempFolder();
  await mkdir(folder, { recursive: true });
  for (const flow of flows) await writeFile(join(folder, `${flow.id}.json`), JSON.stringify(flow));
  return startBed({ flows: [folder], apiKeys: [KEY] });
}

async function connect(bed: Bed, path = '/mcp'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${KEY}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${bed.url}${path}`), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

const call = async (client: Client, name: string): Promise<CallToolResult> =>
  (await client.callTool({ name, arguments: {} })) as CallToolResult;

describe('files of a result', () => {
  /** A tool whose result is a file with this text, or contains it. */
  function fileFlow(id: string, name: string, text: string, more: Partial<Flow> = {}): Flow {
    return {
      format: 1,
      id,
      nodes: {
        trigger: { operator: 'trigger.http', params: { path: `/${id}`, request: empty } },
        text: { operator: 'core.map', params: { value: text } },
        file: { operator: 'file.from-text', params: { name } },
        ...more.nodes,
      },
      edges: [
        { from: 'trigger.out', to: 'text.in' },
        { from: 'text.out', to: 'file.in' },
        ...(more.edges ?? []),
      ],
      ...(more.settings && { settings: more.settings }),
    };
  }

  test('that are small texts are included, and their addresses can be read', async () => {
    const client = await connect(await startWith(fileFlow('small', 'a.csv', 'one,two')));
    const { content } = await call(client, 'small');
    expect(content).toEqual([
      {
        type: 'resource',
        resource: { uri: expect.stringMatching(/^weft:\/\/runs\//), mimeType: 'text/csv', text: 'one,two' },
      },
    ]);
    const [block] = content;
    const uri = block?.type === 'resource' ? block.resource.uri : '';
    expect(await client.readResource({ uri })).toEqual({
      contents: [{ uri, mimeType: 'text/csv', text: 'one,two' }],
    });
    for (const wrong of [
      uri.slice(0, -4),
      uri.replace(/f_.{4}/, 'f_aaaa'),
      'weft://runs/x',
      'file:///etc/passwd',
    ])
      await expect(client.readResource({ uri: wrong })).rejects.toThrow('There is no resource');
    expect(await client.listResources()).toEqual({ resources: [] });
  });

  test('that are larger are links, which can be read', async () => {
    const text = 'x'.repeat(200_000);
    const client = await connect(await startWith(fileFlow('large', 'a.txt', text)));
    const [block] = (await call(client, 'large')).content;
    expect(block).toMatchObject({
      type: 'resource_link',
      name: 'a.txt',
      mimeType: 'text/plain',
      size: 200_000,
    });
    const uri = block?.type === 'resource_link' ? block.uri : '';
    expect((await client.readResource({ uri })).contents[0]).toMatchObject({ text });
  });

  test('are returned with the object that contains them, even from a durable run', async () => {
    const object = {
      nodes: { object: { operator: 'core.map', params: { value: { report: '{{ input }}' } } } },
      edges: [{ from: 'file.out', to: 'object.in' }],
    };
    const flow = fileFlow('both', 'a.txt', 'hello', object);
    const durable = fileFlow('lasting', 'a.txt', 'hello', { ...object, settings: { durable: true } });
    const client = await connect(await startWith(flow, durable));
    for (const name of ['both', 'lasting']) {
      const { content, structuredContent } = await call(client, name);
      expect(structuredContent).toMatchObject({ report: { name: 'a.txt' } });
      expect(content).toMatchObject([{ type: 'text' }, { type: 'resource', resource: { text: 'hello' } }]);
    }
  });
});

test('progress has the text so far', async () => {
  const node = { operator: 'code.stream', params: { source: "yield* ['one ', 'two ', 'three'];" } };
  const client = await connect(await startWith(toolFlow('counted', node)));
  const seen: unknown[] = [];
  await client.callTool({ name: 'counted', arguments: {} }, undefined, {
    onprogress: ({ progress, message }) => seen.push([progress, message]),
  });
  expect(seen).toEqual([
    [1, 'one '],
    [2, 'one two '],
    [3, 'one two three'],
  ]);
});

describe('the choice of tools', () => {
  const one = { operator: 'core.map', params: { value: 1 } };
  const flows = [
    toolFlow('free', one),
    toolFlow('hidden', one, { settings: { mcp: false } }),
    toolFlow('sold', one, { settings: { mcpGroups: ['sales', 'all_hands'] } }),
  ];
  const names = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name).sort();

  test('leaves out flows that are no tools, and a group has only its own', async () => {
    const bed = await startWith(...flows);
    const all = await connect(bed);
    expect(await names(all)).toEqual(['free-trigger', 'sold-trigger']);
    for (const name of ['hidden', 'hidden-trigger']) await expect(call(all, name)).rejects.toThrow('no tool');
    const sales = await connect(bed, '/mcp/sales');
    expect(await names(sales)).toEqual(['sold-trigger']);
    expect((await call(sales, 'sold')).content).toEqual([{ type: 'text', text: '1' }]);
    await expect(call(sales, 'free')).rejects.toThrow('no tool');
  });

  test('refuses a group without a live flow, but only after it has checked the key', async () => {
    const bed = await startWith(...flows);
    const post = (headers: Record<string, string>) =>
      fetch(`${bed.url}/mcp/nobody`, {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      });
    expect((await post({})).status).toBe(401);
    const refused = await post({ authorization: `Bearer ${KEY}` });
    expect(refused.status).toBe(404);
    expect(await refused.json()).toMatchObject({ err_code: 'mcp_group_not_found' });
    const get = await fetch(`${bed.url}/mcp/nobody`, {
      headers: { authorization: `Bearer ${KEY}`, accept: 'text/event-stream' },
    });
    expect(get.status).toBe(404);
  });
});

test('a client that cancels a call in a group ends its run', async () => {
  const slow = { operator: 'logic.delay', params: { ms: 20_000 } };
  const bed = await startWith(toolFlow('slow', slow, { settings: { mcpGroups: ['slow_ones'] } }));
  const client = await connect(bed, '/mcp/slow_ones');
  const controller = new AbortController();
  const called = client.callTool({ name: 'slow', arguments: {} }, undefined, controller);
  await eventually(() => expect(bed.ctx.runs.inFlight).toBe(1));
  controller.abort();
  await expect(called).rejects.toThrow();
  await eventually(() => expect(bed.ctx.runs.inFlight).toBe(0));
});
