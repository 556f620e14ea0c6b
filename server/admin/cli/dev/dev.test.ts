import { renameSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { runCli } from '../program.ts';
import { type DevServer, startDev } from '../testing/dev-server.ts';
import { flowText, greeting, http, map, type TempProject, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

let project: TempProject;
let dev: DevServer | undefined;

afterEach(async () => {
  await dev?.stop();
  dev = undefined;
  project.remove();
});

async function started(
  files: Readonly<Record<string, string>>,
  args: readonly string[],
  env?: Record<string, string>,
): Promise<DevServer> {
  project = tempProject(files);
  dev = await startDev(project, args, env);
  return dev;
}

describe('the start of weft dev', () => {
  it('prints the graph and curl lines that work as they are printed', async () => {
    const { io, url } = await started({ 'a.json': greeting('a', { path: '/hello' }) }, ['a.json']);
    expect(io.stdout.text).toBe(
      [
        'a (a.json)',
        '',
        '  request  trigger.http   GET /hello',
        '    greet  text.template  “Hello, {input.name}”  ← request',
        '',
        `  GET ${url}/api/v1/awel/trigger/hello`,
        `    curl '${url}/api/v1/awel/trigger/hello?name=name'`,
        '',
        `Weft dev serves on ${url}; Ctrl-C stops it. Save a flow to reload it.`,
        '',
        '',
      ].join('\n'),
    );
    const [, address = ''] = /curl '(.*)'/.exec(io.stdout.text) ?? [];
    expect(await (await fetch(address)).json()).toBe('Hello, name');
  });

  it('serves the trigger route of all named files and nothing else', async () => {
    const files = { 'flows/a.json': greeting('a'), 'flows/b.json': greeting('b'), 'c.json': greeting('c') };
    const { call, url } = await started(files, ['flows', 'c.json']);
    for (const id of ['a', 'b', 'c']) expect((await call(`/${id}?name=Ada`)).status).toBe(200);
    for (const path of ['/', '/healthz', '/metrics', '/api/v1/flows', '/api/v1/runs']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
  });

  it('answers api-key triggers without a key on loopback, and reports that once', async () => {
    const files = {
      'a.json': greeting('a', { auth: 'api-key' }),
      'b.json': greeting('b', { auth: 'api-key' }),
    };
    const { call, io } = await started(files, ['a.json', 'b.json']);
    expect((await call('/a?name=Ada')).status).toBe(200);
    expect(
      io.stdout.text.match(
        /answer without the key, password or signature that they require, since only this machine can reach 127\.0\.0\.1/g,
      ),
    ).toHaveLength(1);
    expect(io.stdout.text).toContain("The full server also needs: -H 'Authorization: Bearer <API key>'");
  });

  it('does not run what asks for a key for a page of another site, but for programs, its own pages and allowed origins', async () => {
    const files = {
      'a.json': greeting('a', { auth: 'api-key', methods: ['GET', 'POST'] }),
      'b.json': greeting('b'),
    };
    const { call, url } = await started(files, ['a.json', 'b.json'], {
      WEFT_CORS_ORIGINS: 'https://shop.example',
    });
    const ask = async (path: string, headers: Record<string, string>, method = 'GET') => {
      const body = method === 'GET' ? {} : { body: JSON.stringify({ name: 'Ada' }) };
      const answer = await call(path, { method, headers, ...body });
      return [
        answer.status,
        answer.ok ? undefined : ((await answer.json()) as { err_code: string }).err_code,
      ];
    };
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://localhost:1' },
      { origin: 'null' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of foreign)
      for (const method of ['GET', 'POST'])
        expect([headers, await ask('/a?name=Ada', headers, method)]).toEqual([headers, [403, 'bad_origin']]);
    const ours = [
      {},
      { origin: url },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of ours)
      expect([headers, await ask('/a?name=Ada', headers)]).toEqual([headers, [200, undefined]]);
    const allowed = await call('/a?name=Ada', { headers: { origin: 'https://shop.example' } });
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    expect(await ask('/b?name=Ada', { origin: 'https://evil.example' }), 'open to everybody anyway').toEqual([
      200,
      undefined,
    ]);
  });

  it('refuses a Host header that names another machine', async () => {
    const { url } = await started({ 'a.json': greeting('a') }, ['a.json']);
    const { port } = new URL(url);
    const status = await statusOf(Number(port), '/api/v1/awel/trigger/a?name=x', { host: 'evil.example' });
    expect(status).toBe(403);
  });

  it('starts with a broken file, reports its errors, and serves it once it is fixed', async () => {
    const { io, call, printed } = await started({ 'a.json': '{\n  oops', 'b.json': greeting('b') }, [
      'a.json',
      'b.json',
    ]);
    expect(io.stdout.text).toMatch(
      /^a\.json:2:\d+ error json-syntax .*\n(?:.*\n)*a\.json has errors; a does not serve\./,
    );
    expect((await call('/b?name=Ada')).status).toBe(200);
    project.write('a.json', greeting('a'));
    await printed(/Reloaded a \(a\.json\)/);
    expect((await call('/a?name=Ada')).status).toBe(200);
  });

  it('lets the first of two flows with the same path serve, and the other once the path is free', async () => {
    const files = {
      'a.json': greeting('a', { path: '/p' }),
      'b.json': greeting('b', { path: '/p', says: 'Hi' }),
    };
    const { io, call, printed } = await started(files, ['a.json', 'b.json']);
    expect(io.stdout.text).toMatch(/b\.json:\d+:\d+ error duplicate-path .*`a`/);
    expect(await (await call('/p?name=Ada')).json()).toBe('Hello, Ada');
    project.write('a.json', greeting('a', { path: '/q' }));
    await printed(/Reloaded a /);
    await printed(/Reloaded b /);
    expect(await (await call('/p?name=Ada')).json()).toBe('Hi, Ada');
  });

  it('reports a port in use and exits with 1', async () => {
    project = tempProject({ 'a.json': greeting('a') });
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const io = testIo(project.folder);
    expect(await runCli(['dev', 'a.json', '--port', String(port)], io)).toBe(1);
    expect(io.stderr.text).toBe(
      `error: Port ${port} on 127.0.0.1 is taken. Stop what uses it, or choose another with --port (0 picks a free one).\n`,
    );
    other.close();
  });

  it.each([
    ['a port that is none', ['a.json', '--port', '70000'], /whole number from 0 to 65535/],
    ['a file that is not there', ['gone.json'], /There is no file or folder gone\.json/],
    ['no file', [], /missing required argument/],
  ])('exits with 2 for %s', async (_what, args, message) => {
    project = tempProject({ 'a.json': greeting('a') });
    const io = testIo(project.folder);
    expect(await runCli(['dev', ...args], io)).toBe(2);
    expect(io.stderr.text).toMatch(message);
  });
});

describe('requests to weft dev', () => {
  it('are logged with method, path, status and time', async () => {
    const { call, printed } = await started({ 'a.json': greeting('a') }, ['a.json']);
    await call('/a?name=Ada');
    const [line] = await printed(/GET .*\n/);
    expect(line).toMatch(/^GET \/api\/v1\/awel\/trigger\/a\?name=Ada 200 [\d.]+ ms\n$/);
  });

  it('are logged with the node that failed and its error', async () => {
    const nodes = { m: map('{{ input.gone }}'), t: http('/a') };
    const { call, printed } = await started({ 'a.json': flowText('a', nodes, ['t > m']) }, ['a.json']);
    expect((await call('/a')).ok).toBe(false);
    await printed(/GET \/api\/v1\/awel\/trigger\/a [45]\d\d [\d.]+ ms {2}missing_field at m: /);
    await call('/nowhere');
    await printed(/GET \/api\/v1\/awel\/trigger\/nowhere 404 [\d.]+ ms {2}trigger_not_found: /);
  });

  it('are followed to the end when the run goes on after its answer', async () => {
    const nodes = {
      answer: { operator: 'core.respond', params: { body: 'early' } },
      late: map('{{ input.gone }}'),
      t: http('/a'),
      wait: { operator: 'logic.delay', params: { ms: 1 } },
    };
    const flow = flowText('a', nodes, ['t > answer', 't > wait', 'wait > late']);
    const { call, printed } = await started({ 'a.json': flow }, ['a.json']);
    expect(await (await call('/a')).json()).toBe('early');
    await printed(/run \w+ of a failed after its answer: missing_field at late: /);
  });

  it('reach variables of the data folder and of the command line', async () => {
    const db = JSON.stringify({ variables: { city: 'Oslo', mark: '!' } });
    const nodes = { m: map('{{ vars.city + vars.mark }}'), t: http('/a') };
    const files = { 'a.json': flowText('a', nodes, ['t > m']), 'data/db.json': db };
    const { call } = await started(files, ['a.json', '--var', 'mark="?"']);
    expect(await (await call('/a')).json()).toBe('Oslo?');
  });
});

describe('a saved flow', () => {
  it('is reloaded, the last request repeated, and the change of its answer is printed', async () => {
    const { call, printed } = await started({ 'a.json': greeting('a') }, ['a.json']);
    await call('/a?name=Ada');
    await printed(/200/);
    project.write('a.json', greeting('a', { says: 'Hi' }));
    await printed(/Reloaded a \(a\.json\)\.\n/);
    await printed(
      /Replayed GET \/api\/v1\/awel\/trigger\/a\?name=Ada: the answer changed \(200\)\.\n {2}body: "Hello, Ada" → "Hi, Ada"\n/,
    );
    expect(await (await call('/a?name=Bob')).json()).toBe('Hi, Bob');
  });

  it('with an unchanged answer prints that it is the same', async () => {
    const { call, printed } = await started({ 'a.json': greeting('a') }, ['a.json']);
    await call('/a?name=Ada');
    await printed(/200/);
    project.write('a.json', greeting('a').replace('"id": "a"', '"id": "a",\n  "description": "New"'));
    await printed(/Replayed GET \S+: same answer \(200\)\.\n/);
  });

  it('is compared with the answer of the last replay, not of the first request', async () => {
    const { call, printed } = await started({ 'a.json': greeting('a') }, ['a.json']);
    await call('/a?name=Ada');
    await printed(/200/);
    project.write('a.json', greeting('a', { says: 'Hi' }));
    await printed(/"Hello, Ada" → "Hi, Ada"/);
    project.write('a.json', greeting('a', { says: 'Hey' }));
    await printed(/"Hi, Ada" → "Hey, Ada"/);
  });

  it('gets a repeated body, and a change of status is printed', async () => {
    const flow = (required: string) =>
      flowText(
        'a',
        {
          m: map('{{ input }}'),
          t: http('/a', { methods: ['POST'], request: { type: 'object', required: [required] } }),
        },
        ['t > m'],
      );
    const { call, printed } = await started({ 'a.json': flow('name') }, ['a.json']);
    const headers = { 'content-type': 'application/json' };
    await call('/a', { method: 'POST', headers, body: '{"name":"Ada"}' });
    await printed(/POST \S+ 200/);
    project.write('a.json', flow('age'));
    await printed(
      /the answer changed \(400\)\.\n {2}status: 200 → 400\n(?:.*\n)*? {2}body\.err_code: \+ "invalid_request"/,
    );
    project.write('a.json', flow('name'));
    await printed(/the answer changed \(200\)\.\n {2}status: 400 → 200\n/);
  });

  it('gets a request repeated that it could not answer before', async () => {
    const { call, printed } = await started({ 'a.json': greeting('a') }, ['a.json']);
    await call('/new?name=Ada');
    await printed(/404/);
    project.write('a.json', greeting('a', { path: '/new' }));
    await printed(/Replayed GET \S+\/new\?name=Ada: the answer changed \(200\)\.\n {2}status: 404 → 200\n/);
  });

  it('does not repeat a request that concerned another flow', async () => {
    const { call, printed, io } = await started({ 'a.json': greeting('a'), 'b.json': greeting('b') }, ['.']);
    await call('/a?name=Ada');
    await printed(/200/);
    project.write('b.json', greeting('b', { says: 'Hi' }));
    await printed(/Reloaded b/);
    project.write('a.json', greeting('a', { says: 'Hi' }));
    await printed(/Replayed/);
    expect(io.stdout.text.match(/Replayed/g)).toHaveLength(1);
  });

  it('is shown again only when its graph or its triggers changed', async () => {
    const { printed, io } = await started({ 'a.json': greeting('a') }, ['a.json']);
    project.write('a.json', greeting('a', { says: 'Hi' }));
    await printed(/Reloaded a/);
    expect(io.stdout.text.match(/← request/g)).toHaveLength(1);
    project.write('a.json', greeting('a', { path: '/other' }));
    await printed(/curl '\S+\/other\?name=name'/);
    await printed(/Reloaded a/);
  });

  it('that is broken prints its problems, and the last good version goes on serving', async () => {
    const { call, printed } = await started({ 'a.json': greeting('a') }, ['a.json']);
    await call('/a?name=Ada');
    await printed(/200/);
    project.write('a.json', greeting('a').replace('text.template', 'text.templat'));
    await printed(/a\.json:6:\d+ error unknown-operator There is no operator `text\.templat`/);
    await printed(/a\.json has errors; the last good version of a keeps serving\./);
    expect(await (await call('/a?name=Ada')).json()).toBe('Hello, Ada');
    project.write('a.json', greeting('a', { says: 'Hi' }));
    await printed(/Reloaded a/);
    await printed(/"Hello, Ada" → "Hi, Ada"/);
  });

  it('may be put in place of the old file, as editors do, or be gone for a while', async () => {
    const { call, printed } = await started({ 'a.json': greeting('a') }, ['a.json']);
    project.write('a.json~', greeting('a', { says: 'Hi' }));
    renameSync(project.path('a.json~'), project.path('a.json'));
    await printed(/Reloaded a/);
    rmSync(project.path('a.json'));
    await printed(/a\.json is gone; a serves its last version\./);
    expect(await (await call('/a?name=Ada')).json()).toBe('Hi, Ada');
    project.write('a.json', greeting('a', { says: 'Back' }));
    await printed(/Reloaded a/);
    expect(await (await call('/a?name=Ada')).json()).toBe('Back, Ada');
  });
});

describe('weft dev --json', () => {
  it('prints everything as one JSON object a line', async () => {
    const { call, printed, io, stop } = await started({ 'a.json': greeting('a') }, ['a.json', '--json']);
    await call('/a?name=Ada');
    await printed(/"request"/);
    project.write('a.json', '{');
    await printed(/"broken"/);
    project.write('a.json', greeting('a', { says: 'Hi' }));
    await printed(/"replayed"/);
    expect(await stop()).toBe(0);
    const events = io.stdout.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    expect(events.map(({ event }) => event)).toEqual([
      'flow',
      'listening',
      'request',
      'problems',
      'broken',
      'reloaded',
      'replayed',
      'stopped',
    ]);
    expect(events[0]).toMatchObject({
      flow: 'a',
      file: 'a.json',
      triggers: [{ method: 'GET', auth: 'none' }],
    });
    expect(events[2]).toMatchObject({ method: 'GET', status: 200, run: expect.any(String) as string });
    expect(events[6]).toMatchObject({ changes: [{ place: 'body', before: 'Hello, Ada', after: 'Hi, Ada' }] });
  });
});

describe('the end of weft dev', () => {
  it('comes with the stop signal: runs in progress end, their callers are answered, and the exit code is 0', async () => {
    const nodes = {
      log: { operator: 'core.log', params: { message: 'under way' } },
      t: http('/slow'),
      wait: { operator: 'logic.delay', params: { ms: 3_600_000 } },
    };
    const flow = flowText('a', nodes, ['t > log', 't > wait']);
    const { call, printed, stop, io } = await started({ 'a.json': flow }, ['a.json']);
    const answer = call('/slow');
    await printed(/info log: under way/);
    expect(await stop()).toBe(0);
    expect(await (await answer).json()).toMatchObject({ success: false, err_code: 'draining' });
    expect(io.stdout.text).toMatch(/Stopped\.\n$/);
  });
});

/** A call with headers that `fetch` would not let us set. */
async function statusOf(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  const [response] = (await once(get({ port, path, headers, host: '127.0.0.1' }), 'response')) as [
    IncomingMessage,
  ];
  response.resume();
  return response.statusCode;
}
