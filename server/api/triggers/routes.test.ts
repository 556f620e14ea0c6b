import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunAnswer } from '#engine';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { RunRequest } from '../../flows/service/run-request.ts';
import { type Evaluate, failure, value } from './testing/fake-runs.ts';
import { liveFlow, routeOf } from './testing/live-flow.ts';
import { serveTriggers, type TriggerServer } from './testing/trigger-server.ts';

let server: TriggerServer;
afterEach(() => server.close());

async function serve(flows: LiveFlow | readonly LiveFlow[], evaluate: Evaluate): Promise<TriggerServer> {
  server = await serveTriggers([flows].flat(), evaluate);
  return server;
}

const echo: Evaluate = (run) => value(run.output);
const shown = (run: RunRequest): RunAnswer => value(run.request);
const open = (params: Record<string, unknown>): LiveFlow =>
  liveFlow('f', { path: '/f', auth: 'none', ...params });
const post = (body: BodyInit, type?: string): RequestInit => ({
  method: 'POST',
  body,
  headers: type === undefined ? {} : { 'content-type': type },
});

const helloRequest = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, age: { type: 'integer', default: 18 } },
};
const hello = open({ path: '/examples/hello', request: helloRequest });
const greet: Evaluate = ({ output }) => {
  const { name, age } = output as { name: string; age: number };
  return value(`Hello, ${name}, your age is ${age}`);
};

describe('the hello example', () => {
  it('answers with the JSON string, its run and nothing else', async () => {
    await serve(hello, greet);
    const answer = await server.call('/examples/hello?name=Ada');
    expect(answer.text).toBe('"Hello, Ada, your age is 18"');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('content-length')).toBe('28');
    expect(answer.headers.get('x-weft-run')).toBe('run-1');
  });

  it('accepts the address in every spelling', async () => {
    await serve(hello, greet);
    for (const path of [
      '/examples/hello/?name=J%C3%B6rg+K&age=+7',
      '//examples//hello?age=7&name=J%C3%B6rg%20K',
    ]) {
      expect((await server.call(path)).text).toBe('"Hello, Jörg K, your age is 7"');
    }
    const spelled =
      'GET http://x/api/v1/awel/trigge%72/examples/hello?name=Ada HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(await server.raw(spelled)).toContain('"Hello, Ada, your age is 18"');
  });

  it('answers 400 with every problem, and starts no run', async () => {
    await serve(hello, greet);
    const answer = await server.call('/examples/hello?age=abc');
    expect(answer.status).toBe(400);
    expect(answer.headers.get('x-weft-run')).toBeNull();
    expect(JSON.parse(answer.text)).toMatchObject({
      success: false,
      err_code: 'invalid_request',
      err_msg:
        'query.name: Field required; query.age: Input should be a valid integer, unable to parse string as an integer',
      detail: [
        { type: 'missing', loc: ['query', 'name'], msg: 'Field required', input: null },
        { type: 'int_parsing', loc: ['query', 'age'], input: 'abc' },
      ],
    });
    expect(server.runs.started).toEqual([]);
  });
});

describe('methods', () => {
  it('answers 405 with Allow for a method that is not served, and 404 as JSON for a path that is not', async () => {
    await serve(open({ methods: ['GET', 'PUT'] }), echo);
    const wrong = await server.call('/f', { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, PUT, HEAD, OPTIONS']);
    expect(wrong.text).toContain('This trigger takes GET, PUT, HEAD, OPTIONS, not ');
    const unknown = await server.call('/other', post('{}', 'application/json'));
    expect([unknown.status, JSON.parse(unknown.text).err_code]).toEqual([404, 'trigger_not_found']);
  });

  it('answers OPTIONS without a key, and HEAD with one, without running the flow', async () => {
    await serve(liveFlow('f', { path: '/f', methods: ['GET', 'POST'] }), echo);
    const options = await server.call('/f', { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow'), options.text]).toEqual([
      204,
      'GET, POST, HEAD, OPTIONS',
      '',
    ]);
    expect((await server.call('/nowhere', { method: 'OPTIONS' })).status).toBe(404);
    expect((await server.call('/f', { method: 'HEAD' })).status).toBe(401);
    const head = await server.call('/f', { method: 'HEAD', headers: { authorization: 'Bearer good' } });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(server.runs.started).toEqual([]);
  });

  it('answers HEAD with 405 where GET is not served', async () => {
    await serve(open({ methods: ['POST'] }), echo);
    expect((await server.call('/f', { method: 'HEAD' })).status).toBe(405);
  });

  it('reads the query for GET and DELETE and the body for others, in one trigger', async () => {
    await serve(open({ methods: ['GET', 'POST', 'DELETE'], request: helloRequest }), echo);
    expect((await server.call('/f?name=q')).text).toBe('{"name":"q","age":18}');
    expect((await server.call('/f?name=q', { method: 'DELETE' })).text).toBe('{"name":"q","age":18}');
    expect((await server.call('/f?name=q', post('{"name":"b"}', 'application/json'))).text).toBe(
      '{"name":"b","age":18}',
    );
  });

  it('reads path params, decoded once', async () => {
    await serve(open({ path: '/items/{id}', request: { properties: { id: { type: 'string' } } } }), echo);
    expect((await server.call('/items/a%2Fb%2541')).text).toBe('{"id":"a/b%41"}');
    expect((await server.call('/items/a%00b')).text).toContain('NUL character');
    expect((await server.call(`/items/${'x'.repeat(2000)}`)).status).toBe(200);
  });

  it('serves the root path', async () => {
    await serve(open({ path: '/' }), echo);
    expect((await server.call('')).text).toBe('{}');
    expect((await server.call('/?a=1')).text).toBe('{"a":"1"}');
  });
});

describe('authentication', () => {
  const call = (authorization?: string) =>
    server.call('/f', { headers: authorization ? { authorization } : {} });

  it('requires a key by default, and explains what to send', async () => {
    await serve(liveFlow('f', { path: '/f' }), echo);
    const none = await call();
    expect(none.status).toBe(401);
    expect(none.headers.get('www-authenticate')).toBe('Bearer realm="weft"');
    expect(JSON.parse(none.text).err_msg).toMatch(/Authorization: Bearer <API_KEY>.*scope `triggers`/);
    expect((await call('Bearer wrong')).status).toBe(401);
    expect((await call('Bearer other')).status).toBe(403);
    expect((await call('Bearer good')).status).toBe(200);
  });

  it.each(['hmac', 'nonsense', { type: 'oauth' }])('admits no one where %j is required', async (auth) => {
    await serve(liveFlow('f', { path: '/f', auth }), echo);
    const answer = await call('Bearer good');
    expect([answer.status, JSON.parse(answer.text).err_code]).toEqual([403, 'forbidden']);
    expect(server.runs.started).toEqual([]);
  });

  it('refuses before it reads the body', async () => {
    await serve(liveFlow('f', { path: '/f', methods: ['POST'] }), echo);
    const half =
      'POST /api/v1/awel/trigger/f HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9000000\r\nConnection: close\r\n\r\n{';
    expect(await server.raw(half)).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('keeps credentials out of what the flow sees', async () => {
    await serve(open({ auth: 'api-key' }), shown);
    const headers = {
      authorization: 'Bearer good',
      cookie: 'a=b',
      'x-hub-signature-256': 's',
      'x-mine': 'yes',
    };
    const seen = JSON.parse((await server.call('/f?q=1', { headers })).text);
    expect(seen).toMatchObject({
      method: 'GET',
      body: null,
      query: { q: '1' },
      params: {},
      headers: { 'x-mine': 'yes' },
    });
    expect(JSON.stringify(seen)).not.toMatch(/Bearer|a=b|x-hub-signature|cookie/);
  });
});

describe('bodies', () => {
  const postTo = (params: Record<string, unknown> = {}) =>
    serve(open({ methods: ['POST'], ...params }), echo);
  const send = (body: BodyInit, type?: string) => server.call('/f', post(body, type));

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/problem+json',
    'APPLICATION/JSON',
  ])('reads %s as JSON', async (type) => {
    await postTo();
    expect((await send('{"a":[1,"é"]}', type)).text).toBe('{"a":[1,"é"]}');
  });

  it('reads a body without a type as JSON', async () => {
    await postTo();
    expect((await send(Buffer.from('[1]'))).text).toBe('[1]');
  });

  it('accepts any JSON where no schema is declared, and reads an empty body as null', async () => {
    await postTo();
    expect((await send('5', 'application/json')).text).toBe('5');
    expect((await server.call('/f', { method: 'POST' })).text).toBe('null');
  });

  it('reads forms and text where they are accepted', async () => {
    await postTo({ accept: ['json', 'form', 'text'], request: { properties: { n: { type: 'integer' } } } });
    expect((await send('n=5&n=7&x=1', 'application/x-www-form-urlencoded')).text).toBe('{"n":7,"x":"1"}');
    await server.close();
    await postTo({ accept: ['text'] });
    expect((await send('grüße', 'text/plain; charset=utf-8')).text).toBe('"grüße"');
    expect((await send('bare', 'TEXT/PLAIN')).text).toBe('"bare"');
  });

  it('reports problems of a form as problems of the body', async () => {
    await postTo({ accept: ['form'], request: helloRequest });
    const answer = await send('age=x', 'application/x-www-form-urlencoded');
    expect(JSON.parse(answer.text).detail).toMatchObject([
      { loc: ['body', 'name'] },
      { loc: ['body', 'age'], input: 'x' },
    ]);
  });

  it('checks text against the schema', async () => {
    await postTo({ accept: ['text'], request: { type: 'string', maxLength: 3 } });
    expect((await send('abc', 'text/plain')).text).toBe('"abc"');
    expect(JSON.parse((await send('abcd', 'text/plain')).text).detail).toMatchObject([
      { type: 'string_too_long', loc: ['body'] },
    ]);
  });

  it('names the accepted types when it gets another', async () => {
    await postTo({ accept: ['json', 'form'] });
    for (const type of [
      'text/plain',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonx',
    ]) {
      const answer = await send('x', type);
      expect(answer.status).toBe(415);
      expect(JSON.parse(answer.text).err_msg).toContain(
        'application/json or application/x-www-form-urlencoded',
      );
    }
  });

  it('reports where JSON breaks', async () => {
    await postTo({ request: helloRequest });
    const answer = await send('{"name": x}', 'application/json');
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text)).toMatchObject({
      err_code: 'invalid_json',
      detail: [{ type: 'json_invalid', loc: ['body', 9], msg: 'JSON decode error', input: {} }],
    });
  });

  it.each([
    ['a missing body', undefined, { type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    ['null', 'null', { type: 'missing', loc: ['body'], msg: 'Field required', input: null }],
    ['a list', '[1]', { type: 'model_attributes_type', loc: ['body'], input: [1] }],
  ])('refuses %s where an object is declared', async (_what, body, problem) => {
    await postTo({ request: helloRequest });
    const answer = await server.call(
      '/f',
      body === undefined ? { method: 'POST' } : post(body, 'application/json'),
    );
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).detail).toMatchObject([problem]);
  });

  it.each([
    ['11 MB', Buffer.alloc(11 * 1024 * 1024, 32), 413, 'body_too_large'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'invalid_encoding'],
    ['10,000 levels', Buffer.from('['.repeat(10_000)), 400, 'too_deep'],
    ['a prototype', Buffer.from('{"__proto__":{"admin":true}}'), 400, 'invalid_json'],
  ])('refuses %s with a code', async (_what, body, status, code) => {
    await postTo();
    const answer = await send(body, 'application/json');
    expect([answer.status, JSON.parse(answer.text).err_code]).toEqual([status, code]);
  });

  it('refuses invalid UTF-8 as text too', async () => {
    await postTo({ accept: ['text'] });
    expect((await send(Buffer.from([0xc3, 0x28]), 'text/plain')).status).toBe(400);
  });

  it('answers 400, not a crash, to a path with broken encoding', async () => {
    await postTo();
    const request = 'GET /api/v1/awel/trigger/x%ff%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    expect(await server.raw(request)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('answers', () => {
  const answers = (answer: RunAnswer | Promise<RunAnswer>, params: Record<string, unknown> = {}) =>
    serve(open(params), () => answer);

  it.each([
    [value('é\n'), '"é\\n"'],
    [value(42), '42'],
    [value(null), 'null'],
    [value(undefined), 'null'],
    [value([{ a: 1 }]), '[{"a":1}]'],
  ])('writes a value as JSON (%#)', async (answer, text) => {
    await answers(answer);
    expect((await server.call('/f')).text).toBe(text);
  });

  it('gives the same answer when it comes later', async () => {
    await answers(Promise.resolve(value({ late: true }, 201, { 'X-Mine': 'a' })));
    const answer = await server.call('/f');
    expect([answer.status, answer.text, answer.headers.get('x-mine')]).toEqual([201, '{"late":true}', 'a']);
    expect(answer.headers.get('x-weft-run')).toBe('run-1');
  });

  it('has no body when there is nothing to say', async () => {
    await answers({ kind: 'empty' });
    const answer = await server.call('/f');
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([204, '', null]);
  });

  it('writes text plainly, with the status and headers of the trigger', async () => {
    await answers(value('<b>'), { response: { as: 'text', status: 201, headers: { 'X-Mine': 'a' } } });
    const answer = await server.call('/f');
    expect([answer.status, answer.text]).toEqual([201, '<b>']);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('x-mine')).toBe('a');
  });

  it('sends a page that a flow makes into a sandbox', async () => {
    await answers(value('<script>1</script>', 200, { 'Content-Type': 'text/html' }));
    const answer = await server.call('/f');
    expect(answer.text).toBe('<script>1</script>');
    expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox (?!.*allow-same-origin)/);
  });

  it('sends no body with a status that has none', async () => {
    await answers(value({ a: 1 }, 304, { etag: '"x"' }));
    const answer = await server.call('/f');
    expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', '"x"']);
  });

  it.each([
    [{ 'X-A': 'b\r\nSet-Cookie: evil=1' }, 200],
    [{ 'X-A\r\nSet-Cookie: evil': '1' }, 200],
    [{ 'Content-Length': '1' }, 200],
    [{ 'transfer-encoding': 'chunked' }, 200],
    [{ 'x-weft-run': 'forged' }, 200],
    [{ 'X-A': 'снег' }, 200],
    [{}, 42],
    [{}, 101],
  ])('refuses to send the headers %j with status %i', async (headers, status) => {
    for (const answer of [value('x', status, headers), Promise.resolve(value('x', status, headers))]) {
      await answers(answer);
      const got = await server.call('/f');
      expect([got.status, JSON.parse(got.text).err_code]).toEqual([500, 'bad_response']);
      expect(got.headers.get('set-cookie')).toBeNull();
      expect(got.headers.get('x-weft-run')).toBe('run-1');
      await server.close();
    }
  });

  it.each([
    [Number.NaN, 422, 'bad_number'],
    [{ a: 1n }, 500, 'not_serialisable'],
    ['x'.repeat(10_000_001), 413, 'value_too_large'],
  ])('answers with an error for what JSON cannot hold (%#)', async (body, status, code) => {
    await answers(value(body, 200, { 'x-mine': 'a' }));
    const answer = await server.call('/f');
    expect([answer.status, JSON.parse(answer.text).err_code]).toEqual([status, code]);
    expect(answer.headers.get('x-mine')).toBeNull();
  });

  it.each([
    ['run_timeout', 504],
    ['missing_field', 422],
    ['a_code_of_a_users_operator', 500],
  ])('answers a run that ended with %s by its status', async (code, status) => {
    await answers(failure(code, 'What went wrong.'));
    const answer = await server.call('/f');
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.text)).toMatchObject({
      success: false,
      err_code: code,
      err_msg: 'What went wrong.',
    });
    expect(answer.headers.get('x-weft-run')).toBe('run-1');
  });

  it('answers 202 with the run and where to find it if the trigger answers at once', async () => {
    await answers(new Promise(() => undefined), { answer: 'immediately' });
    const answer = await server.call('/f');
    expect([answer.status, answer.text]).toEqual([202, '{"run":"run-1"}']);
    expect(answer.headers.get('location')).toBe('/api/v1/runs/run-1');
  });

  it('collects a stream, and reports its failure', async () => {
    async function* items(fails: boolean): AsyncGenerator<string> {
      yield 'a';
      if (fails) throw new Error('broken');
      yield 'b';
    }
    await serve([open({}), liveFlow('g', { path: '/g', auth: 'none' })], (run) =>
      value(items(run.flow.id === 'g')),
    );
    expect((await server.call('/f')).text).toBe('["a","b"]');
    expect((await server.call('/g')).status).toBe(500);
  });
});

describe('a caller that goes away', () => {
  async function callAndLeave(flow: LiveFlow, method: string): Promise<void> {
    const begun = Promise.withResolvers<void>();
    await serve(flow, () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const request = httpRequest(`${server.url}/f`, { method });
    request.on('error', () => undefined);
    request.end();
    await begun.promise;
    request.destroy();
  }

  it('ends the run of a GET', async () => {
    await callAndLeave(open({}), 'GET');
    expect(await server.runs.nextCancel()).toBe('disconnect');
  });

  it('ends the run of a POST only if the flow asks for it', async () => {
    await callAndLeave(
      liveFlow('f', { path: '/f', auth: 'none', methods: ['POST'] }, { onDisconnect: 'cancel' }),
      'POST',
    );
    expect(await server.runs.nextCancel()).toBe('disconnect');
  });

  it.each([
    ['POST', {}],
    ['GET', { onDisconnect: 'continue' }],
  ] as const)('lets the run of a %s go on with settings %j', async (method, settings) => {
    const flow = liveFlow('f', { path: '/f', auth: 'none', methods: [method] }, settings);
    const begun = Promise.withResolvers<void>();
    const result = Promise.withResolvers<RunAnswer>();
    await serve(flow, () => {
      begun.resolve();
      return result.promise;
    });
    const hungUp = server.nextHangUp();
    const request = httpRequest(`${server.url}/f`, { method, agent: false });
    request.on('error', () => undefined);
    request.end();
    await begun.promise;
    request.destroy();
    await hungUp;
    expect(server.runs.cancelled).toEqual([]);
    result.resolve(value('late'));
  });

  it('leaves a finished run alone', async () => {
    await serve(open({}), async () => value('x'));
    await server.call('/f');
    expect(server.runs.cancelled).toEqual([]);
  });
});

describe('going live', () => {
  it('fails no request while versions, paths and neighbours change', async () => {
    const version = (n: number) =>
      open({ path: '/f', response: { as: 'json', headers: { 'x-n': String(n) } } });
    await serve(version(0), ({ flow }) => value(flow.id));
    let done = false;
    const seen: { status: number; text: string }[] = [];
    const load = async (): Promise<void> => {
      while (!done) seen.push(await server.call('/f'));
    };
    const clients = Array.from({ length: 8 }, load);
    for (let n = 1; n <= 200; n++) {
      server.table.replace('f', [routeOf(version(n))]);
      server.table.replace(
        `g${n % 5}`,
        n % 2 ? [routeOf(liveFlow(`g${n % 5}`, { path: `/g/:x/${n % 5}` }))] : [],
      );
      await server.call('/f');
    }
    done = true;
    await Promise.all(clients);
    expect(seen.length).toBeGreaterThan(100);
    expect(seen.filter(({ status, text }) => status !== 200 || text !== '"f"')).toEqual([]);
    expect((await server.call('/f')).headers.get('x-n')).toBe('200');
  });
});

describe('a large flow without calls so far', () => {
  /** A flow that is compiled once `finish` is called. */
  function uncompiled() {
    const { compiled, ...rest } = open({ methods: ['GET', 'POST'] });
    const { promise, resolve } = Promise.withResolvers<void>();
    let asked = 0;
    let isDone = false;
    const flow: LiveFlow = {
      ...rest,
      get compiled() {
        expect(isDone).toBe(true);
        return compiled;
      },
      get toCompile() {
        return isDone ? undefined : () => (asked++, promise);
      },
    };
    const finish = (): void => {
      isDone = true;
      resolve();
    };
    return { flow, finish, asked: () => asked, route: routeOf({ ...rest, compiled }) };
  }

  it('answers once it is compiled, and others have their turn meanwhile', async () => {
    const { flow, finish, asked, route } = uncompiled();
    const other = liveFlow('other', { path: '/other', auth: 'none' });
    await serve(other, echo);
    server.table.replace('f', [{ ...route, flow }]);
    const answers = [server.call('/f?a=1'), server.call('/f', post('{"a":2}', 'application/json'))];
    await expect.poll(asked).toBe(2);
    expect((await server.call('/other')).status).toBe(200);
    finish();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await server.call('/f?a=1')).status).toBe(200);
    expect(asked()).toBe(2);
  });
});
