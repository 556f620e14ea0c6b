import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ask, call, type Owner, signIn, triggerPrefix } from './support/client.ts';
import { copyOfExamples, flowText, httpTrigger, sayFlow, write } from './support/flows.ts';
import { leaks } from './support/leaks.ts';
import { expectRefusal, sendRaw } from './support/raw.ts';
import { discard, startServer, type TestServer } from './support/server.ts';

/** Requests that are wrong in every way: each gets its coded answer, and the server goes on. */
let server: TestServer;
let owner: Owner;
let host: string;

beforeAll(async () => {
  const flows = copyOfExamples();
  const request = { type: 'object', properties: { text: { type: 'string' } }, additionalProperties: true };
  write(
    flows,
    'echo.json',
    sayFlow('echo', '{{ toJson(input) }}', httpTrigger('/echo', { methods: ['GET', 'POST'], request })),
  );
  write(
    flows,
    'any.json',
    sayFlow(
      'any',
      '{{ input }}',
      httpTrigger('/any', { methods: ['POST'], limits: { bytes: 10 * 1024 ** 2 } }),
    ),
  );
  server = await startServer({ flows });
  owner = await signIn(server);
  host = new URL(server.url).host;
});
afterAll(() => discard(server));

afterEach(async () => {
  const answer = await call(server, '/examples/hello?name=Ada');
  expect(answer.body).toBe('Hello, Ada, your age is 18');
});

const post = (path: string, body: NonNullable<RequestInit['body']>, type = 'application/json') =>
  call(server, path, { method: 'POST', headers: { 'content-type': type }, body });

describe('a body', () => {
  test('of 11 MB is refused with 413, said beforehand or not', async () => {
    const large = `{"text":"${'x'.repeat(11 * 1024 * 1024)}"}`;
    const path = `${triggerPrefix}/any`;
    const said = await sendRaw(
      server,
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${large.length}\r\n\r\n${large}`,
    );
    expectRefusal(said, 413, 'body_too_large');
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const unsaid = await sendRaw(
      server,
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(180)}0\r\n\r\n`,
    );
    expectRefusal(unsaid, 413, 'body_too_large');
  });

  test('of 9 MB is read where the trigger takes so many, else 1 MB', async () => {
    const answer = await post('/echo', JSON.stringify({ text: 'x'.repeat(900_000) }));
    expect(answer.status).toBe(200);
    const usual = await post('/echo', JSON.stringify({ text: 'x'.repeat(1024 * 1024) }));
    expectRefusal(usual, 413, 'body_too_large');
    const large = await post('/any', JSON.stringify({ text: 'x'.repeat(9 * 1024 * 1024) }));
    expect([large.status, leaks(large.text.slice(0, 1000))]).toEqual([422, []]);
  });

  test('that is no UTF-8 is refused', async () => {
    const body = Buffer.concat([
      Buffer.from('{"text":"'),
      Buffer.from([0xc3, 0x28, 0xff]),
      Buffer.from('"}'),
    ]);
    expectRefusal(await post('/any', body), 400, 'invalid_encoding');
    expectRefusal(await post('/echo', Buffer.from([0xff, 0xfe, 0x00])), 400, 'invalid_encoding');
  });

  test.each([
    ['10,000 levels of objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['100,000 levels of lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['a million brackets that nobody closes', '['.repeat(1_000_000)],
  ])('of %s is refused', async (_name, body) => {
    expectRefusal(await post('/any', body), 400, 'too_deep');
    const saved = await ask(`${server.url}/api/v1/flows`, {
      method: 'POST',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body,
    });
    expectRefusal(saved, 400, 'too_deep');
  });

  test.each(['{"text":', '{text:1}', "{'text':'x'}", '{"text":1}}', 'NaN', '\u0000', '{"a":01}', '// x'])(
    'that is no JSON is refused: %j',
    async (body) => expectRefusal(await post('/any', body), 400, 'invalid_json'),
  );

  test('of a type that nobody reads is refused before it is read', async () => {
    expectRefusal(await post('/any', '<a/>', 'application/xml'), 415, 'unsupported_media_type');
    expectRefusal(await post('/any', '{}', 'application/json\u00e4'), 415, 'unsupported_media_type');
    const form = await post('/any', '--x\r\n\r\n--x--', 'multipart/form-data; boundary=x');
    expectRefusal(form, 415, 'unsupported_media_type');
  });
});

describe('pollution of prototypes', () => {
  const poison = '{"text":"a","__proto__":{"polluted":1}}';
  test.each([
    poison,
    '{"text":"a","constructor":{"prototype":{"polluted":1}}}',
    '{"text":"a","\\u005f_proto__":{"polluted":1}}',
    '{"list":[{"__proto__":{"polluted":1}}]}',
  ])('by a body is refused: %s', async (body) => {
    expectRefusal(await post('/any', body), 400, 'invalid_json');
    const saved = await ask(`${server.url}/api/v1/flows`, {
      method: 'POST',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body,
    });
    expectRefusal(saved, 400, 'invalid_json');
  });

  test('by a query is data like any other, or refused', async () => {
    for (const query of [
      '__proto__[polluted]=1',
      '__proto__.polluted=1',
      'constructor[prototype][polluted]=1',
      '__proto__=1',
      'toString=1&hasOwnProperty=2&valueOf=3',
    ]) {
      const answer = await call(server, `/echo?${query}`);
      expect([200, 400], answer.text).toContain(answer.status);
      expect(leaks(answer.text)).toEqual([]);
    }
    expect((await call(server, '/echo?text=a')).body).toBe('{"text":"a"}');
  });

  test('by a flow, its variables or its layout changes nobody else', async () => {
    const flow = flowText(sayFlow('poison', '{{ input.polluted ?? "clean" }}'));
    const text = flow.replace(
      '"nodes": {',
      '"nodes": {\n    "__proto__": {"operator": "core.map", "polluted": 1},',
    );
    const created = await owner.api('POST', '/flows', { id: 'poison', text });
    expect(created).toMatchObject({ status: 201, body: { data: { state: 'draft' } } });
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      const set = await owner.api('PUT', `/variables/${name}`, { value: { polluted: 1 } });
      expect([200, 400]).toContain(set.status);
      await owner.api('DELETE', `/variables/${name}`);
    }
    const layout = await owner.api('PUT', '/flows/echo/layout', JSON.parse(poison) as unknown);
    expect([200, 400]).toContain(layout.status);
    expect((await call(server, '/echo?text=a')).body).toBe('{"text":"a"}');
    expect(await owner.data('GET', '/variables')).toEqual([]);
  });
});

describe('an id that climbs out of its folder', () => {
  const climbs = [
    '..%2F..%2Fescaped',
    '..%5Cescaped',
    '%2e%2e',
    '%2Ftmp%2Fescaped',
    'a%00b',
    '.drafts%2Fx',
    'con.json',
  ];
  const text = flowText(sayFlow('escaped', 'x'));

  test.each(climbs)('is refused everywhere: %s', async (id) => {
    const revision = 'x';
    const answers = [
      await owner.api('GET', `/flows/${id}`),
      await owner.api('PUT', `/flows/${id}`, { text, revision }),
      await owner.api('DELETE', `/flows/${id}?revision=x`),
      await owner.api('PUT', `/flows/${id}/layout`, { format: 1, nodes: {} }),
      await owner.api('POST', `/flows/${id}/publish`, { revision }),
      await owner.api('GET', `/flows/${id}/versions`),
      await owner.api('GET', `/flows/echo/versions/${id}`),
      await owner.api('POST', '/flows', { text, id: decodeURIComponent(id) }),
      await owner.api('GET', `/runs/${id}`),
    ];
    for (const answer of answers) {
      expect([400, 404], answer.text).toContain(answer.status);
      expect(leaks(answer.text)).toEqual([]);
    }
    expect(existsSync(join(dirname(server.flows), 'escaped.json'))).toBe(false);
    expect(readdirSync(server.flows).toSorted()).toEqual(['.drafts', 'any.json', 'echo.json', 'examples']);
  });
});
