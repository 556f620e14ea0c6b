import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createFrontDoor } from './front-door.ts';
import { type Bed, rawRequest, startBed, tempFolder } from '../../testing/platform-bed.ts';

const KEY = 'a-key-for-this-test-only';
const PREFIX = '/api/v1/awel/trigger';

const request = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, age: { type: 'integer', default: 18 } },
};

/** A flow of a trigger and one node after it. */
function flow(id: string, trigger: object, operator: string, params: object): object {
  return {
    format: 1,
    id,
    nodes: {
      trigger: {
        operator: 'trigger.http',
        params: { path: `/${id}`, methods: ['GET'], auth: 'none', ...trigger },
      },
      node: { operator, params },
    },
    edges: [{ from: 'trigger.out', to: 'node.in' }],
  };
}

const greet = { template: 'Hello, {{ input.name }}, {{ input.age }}' };
const shown = { value: '{{ trigger }}' };
const flows = [
  flow('hello', { request }, 'text.template', greet),
  flow('keyed', { request, auth: 'api-key' }, 'text.template', greet),
  flow('with_param', { path: '/with/:name' }, 'core.map', { value: '{{ trigger.params.name }}' }),
  flow('shown', {}, 'core.map', shown),
  flow('later', {}, 'logic.delay', { ms: 20 }),
  flow('failing', {}, 'core.map', { value: '{{ input.absent }}' }),
  flow('not_json', {}, 'core.map', { value: '{{ 1 / 0 }}' }),
  flow('accepted', { answer: 'immediately' }, 'core.map', shown),
  flow('as_text', { response: { as: 'text', status: 203, headers: { 'x-own': 'yes' } } }, 'core.map', {
    value: 'plain',
  }),
  flow('nothing', {}, 'logic.stop', { message: 'no' }),
  flow('posted', { methods: ['POST'], request }, 'text.template', greet),
  flow('posted_shown', { methods: ['POST'] }, 'core.map', shown),
  flow('posted_keyed', { methods: ['POST'], auth: 'api-key' }, 'core.map', shown),
  flow('posted_later', { methods: ['POST'] }, 'logic.delay', { ms: 20 }),
  flow('posted_failing', { methods: ['POST'] }, 'core.map', { value: '{{ input.absent }}' }),
  flow('posted_small', { methods: ['POST'], limits: { bytes: 20 } }, 'core.map', shown),
  flow('posted_text', { methods: ['POST'], accept: ['text'] }, 'core.map', shown),
  flow('responds', { methods: ['POST'] }, 'core.respond', { status: 201, body: '{{ input }}' }),
  flow('responds_with', { methods: ['POST'] }, 'core.respond', {
    status: 203,
    headers: { 'x-own': 'yes' },
    body: '{{ input }}',
  }),
  flow('responds_nothing', { methods: ['POST'] }, 'core.respond', { status: 204, body: '{{ input }}' }),
];

/** Only the long way serves requests if pages of other origins may call. */
async function bothWays(): Promise<readonly [Bed, Bed]> {
  const start = async (corsOrigins: string[]): Promise<Bed> => {
    const folder = join(await tempFolder(), 'flows');
    await mkdir(folder, { recursive: true });
    for (const each of flows) {
      await writeFile(join(folder, `${(each as { id: string }).id}.json`), JSON.stringify(each));
    }
    return startBed({ flows: [folder], corsOrigins, apiKeys: [KEY] });
  };
  return [await start([]), await start(['https://elsewhere.test'])];
}

interface Received {
  readonly status: string | undefined;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Fields that differ between any two requests are left out. */
const ownOfEach = new Set(['date', 'x-weft-run', 'x-request-id', 'location', 'vary']);

async function ask(
  { port }: Bed,
  method: string,
  path: string,
  headers: readonly string[] = [],
  body = '',
): Promise<Received> {
  const lines = [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: close', ...headers];
  const text = await rawRequest(port, `${lines.join('\r\n')}\r\n\r\n${body}`);
  const end = text.indexOf('\r\n\r\n');
  const [status, ...rest] = text.slice(0, end).split('\r\n');
  const pairs = rest.map((line) => [
    line.split(':', 1)[0]?.toLowerCase() ?? '',
    line.replace(/^[^:]*: /, ''),
  ]);
  return {
    status,
    headers: Object.fromEntries(pairs.filter(([name]) => !ownOfEach.has(name as string))),
    body: text
      .slice(end + 4)
      .replaceAll(String(port), 'PORT')
      .replace(/"(run|request_id|statusUrl)":"[^"]*"/g, '"$1":"ID"'),
  };
}

const bearer = (key: string): string => `Authorization: Bearer ${key}`;

test('a trigger answers the same before the framework and behind it', async () => {
  const [short, long] = await bothWays();
  const asked: [path: string, headers?: string[], method?: string][] = [
    ['/hello?name=Ada'],
    ['/hello/?name=J%C3%B6rg+K&age=7'],
    ['//hello?name=Ada'],
    ['/hello'],
    ['/hello?name=Ada&age=abc'],
    ['/hello?name=Ada', [], 'HEAD'],
    ['/hello', [], 'OPTIONS'],
    ['/hello?name=Ada', [], 'POST'],
    ['/hello?name=Ada', ['Host: evil.test']],
    [`/hello?name=${'a'.repeat(9000)}`],
    ['/hel%ZZlo?name=Ada'],
    ['/unknown'],
    [''],
    ['/keyed?name=Ada', [bearer(KEY)]],
    ['/keyed?name=Ada', [bearer('wrong')]],
    ['/keyed?name=Ada'],
    ['/with/Ada%20L'],
    ['/shown?a=1&a=2', ['X-Own: yes', 'Cookie: weft=1', bearer('any')]],
    ['/shown', ['Accept-Encoding: gzip']],
    ['/later?x=1'],
    ['/failing'],
    ['/not_json'],
    ['/accepted'],
    ['/as_text'],
    ['/nothing'],
  ];
  for (const [path, headers, method = 'GET'] of asked) {
    const [viaShort, viaLong] = await Promise.all(
      [short, long].map((bed) => ask(bed, method, `${PREFIX}${path}`, headers)),
    );
    expect(viaShort, `${method} ${path.slice(0, 60)}`).toEqual(viaLong);
  }
});

/** The headers of a JSON body, and the body. */
function json(text: string, type = 'application/json'): [headers: string[], body: string] {
  return [[`Content-Type: ${type}`, `Content-Length: ${Buffer.byteLength(text)}`], text];
}

test('a body is answered the same before the framework and behind it', async () => {
  const [short, long] = await bothWays();
  const ada = '{"name":"Ada"}';
  const asked: [path: string, headers: string[], body: string][] = [
    ['/posted', ...json(ada)],
    ['/posted', ...json('{"name":"Jörg","age":7}', 'application/json; charset=utf-8')],
    ['/posted', ...json(ada, 'APPLICATION/JSON')],
    ['/posted', ...json('{"name":7}')],
    ['/posted', ...json('{"name":')],
    ['/posted', ...json('')],
    ['/posted', ...json('{"__proto__":{}}')],
    ['/posted', ...json('\u00ff'.repeat(40_000))],
    ['/posted', ...json(ada, 'text/plain')],
    ['/posted', ['Content-Type: application/json', 'Transfer-Encoding: chunked'], `e\r\n${ada}\r\n0\r\n\r\n`],
    ['/posted_shown?a=1', ...json(ada)],
    ['/posted_keyed', [...json(ada)[0], bearer(KEY)], ada],
    ['/posted_keyed', ...json(ada)],
    ['/posted_later', ...json(ada)],
    ['/posted_failing', ...json(ada)],
    ['/posted_small', ...json('{"a":1}')],
    ['/posted_small', ...json('{"a":"longer than it may be"}')],
    ['/posted_text', ...json(ada)],
    ['/responds', ...json(ada)],
    ['/responds_with', ...json(ada)],
    ['/responds_nothing', ...json(ada)],
    ['/hello', ...json(ada)],
    ['/unknown', ...json(ada)],
  ];
  for (const [path, headers, body] of asked) {
    const [viaShort, viaLong] = await Promise.all(
      [short, long].map((bed) => ask(bed, 'POST', `${PREFIX}${path}`, headers, body)),
    );
    expect(viaShort, `${path} ${body.slice(0, 60)}`).toEqual(viaLong);
  }
});

test('the framework is not needed for a small body, and gets one that comes in pieces', async () => {
  const [{ ctx }] = await bothWays();
  const passed = { addressProblem: () => undefined, isOpen: () => true };
  const config = { ...ctx.config, bodyLimit: 100 };
  const server = createServer(
    createFrontDoor(
      { ...ctx, config },
      { ...passed, framework: (_, response) => response.writeHead(418).end() },
    ),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const send = async (body: string, sizes: readonly number[] = []): Promise<string> => {
    const [headers] = json(body);
    const head = [`POST ${PREFIX}/posted HTTP/1.1`, 'Host: 127.0.0.1', 'Connection: close', ...headers];
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let sent = `${head.join('\r\n')}\r\n\r\n${body}`;
    for (const size of sizes) {
      socket.write(sent.slice(0, -size));
      sent = sent.slice(-size);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    socket.write(sent);
    return (await text(socket)).split('\r\n', 1)[0] ?? '';
  };
  const ada = '{"name":"Ada"}';
  expect(await send(ada)).toContain('200');
  expect(await send(ada, [ada.length])).toContain('200');
  expect(await send(ada, [5])).toContain('418');
  expect(await send(ada, [ada.length, 5])).toContain('418');
  expect(await send(ada.padEnd(100))).toContain('200');
  expect(await send(ada.padEnd(101))).toContain('418');
  expect(await send('{"name":')).toContain('418');
});

test('requests with bodies follow one another on a connection', async () => {
  const [{ port, ctx }] = await bothWays();
  const before = ctx.runs.stats().started;
  const [headers, body] = json('{"name":"Ada"}');
  const of = (path: string, ...own: string[]): string =>
    `${[`POST ${PREFIX}${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, ...own].join('\r\n')}\r\n\r\n${body}`;
  const paths = ['/posted', '/posted_later', '/posted_failing', '/responds', '/posted'];
  const sent = paths.map((path) => of(path)).join('') + of('/posted', 'Connection: close');
  const statuses = (await rawRequest(port, sent)).match(/HTTP\/1\.1 \d+/g);
  expect(statuses).toEqual([200, 200, 422, 201, 200, 200].map((status) => `HTTP/1.1 ${status}`));
  expect(ctx.runs.stats().started - before).toBe(6);
});

test('a run that the front door started is not started again behind it', async () => {
  const [short] = await bothWays();
  const before = short.ctx.runs.stats().started;
  for (const path of ['/later', '/failing', '/not_json', '/as_text', '/hello?name=Ada', '/nothing']) {
    await ask(short, 'GET', `${PREFIX}${path}`);
  }
  expect(short.ctx.runs.stats().started - before).toBe(6);
  await ask(short, 'GET', `${PREFIX}/hello`);
  expect(short.ctx.runs.stats().started - before).toBe(6);
});

test('no credential reaches a flow in front of the framework', async () => {
  const [short] = await bothWays();
  const sent = [
    'Authorization: Bearer top-secret',
    'COOKIE: a=top-secret',
    'x-hub-signature-256: top-secret',
  ];
  const { body } = await ask(short, 'GET', `${PREFIX}/shown`, [...sent, 'X-Other: kept']);
  expect(body).toContain('kept');
  expect(body).not.toContain('top-secret');
});

test('a run that cannot start is answered behind the front door, and the server goes on', async () => {
  const [short] = await bothWays();
  const start = vi.spyOn(short.ctx.runs, 'start').mockImplementation(() => {
    throw new Error('broken');
  });
  expect((await ask(short, 'GET', `${PREFIX}/hello?name=Ada`)).status).toContain('500');
  expect(start).toHaveBeenCalledTimes(2);
  start.mockRestore();
  expect((await ask(short, 'GET', `${PREFIX}/hello?name=Ada`)).body).toBe('"Hello, Ada, 18"');
});
