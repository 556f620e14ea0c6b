import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Config } from '../../base/config/config.ts';
import { createLog } from '../../base/log/log.ts';
import { sendChunks, sendError, startOpenAi } from '../../integrations/models/testing/openai-server.ts';
import { createRedactor } from '../../base/secrets/redactor.ts';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';

type Answer = { status: number; text: string; body: { data: unknown; err_code: string; err_msg?: string } };

/** Sends requests as a signed-in browser does. */
async function client(bed: Bed) {
  const headers = await signIn(bed);
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await fetch(`${bed.url}/api/v1${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, text, body: JSON.parse(text) as Answer['body'] };
  };
}

const local = { type: 'openai-compatible', baseUrl: 'https://api.example.com/v1', models: [{ name: 'm' }] };

describe('/api/v1/providers', () => {
  test('makes, lists, changes and removes providers, and their models are there at once', async () => {
    const call = await client(await startBed());
    expect(await call('PUT', '/providers/local', local)).toMatchObject({
      status: 200,
      body: { data: { ...local, id: 'local', source: 'file', models: [{ name: 'm', use: 'chat' }] } },
    });
    const prices = { input: 1, output: 2 };
    await call('PUT', '/providers/local', { ...local, models: [{ name: 'n', prices }] });
    const { body } = await call('GET', '/models');
    expect((body.data as object[])[0]).toEqual({
      id: 'local/n',
      provider: 'local',
      model: 'n',
      use: 'chat',
      prices,
      default: true,
    });
    expect((await call('DELETE', '/providers/local')).status).toBe(200);
    expect((await call('GET', '/providers')).body.data).toMatchObject([{ id: 'demo' }]);
  });

  test.each([
    ['PUT', '/providers/local', { ...local, models: [] }, 400, 'invalid_request'],
    ['PUT', '/providers/local', { ...local, key: 'sk-secret' }, 400, 'invalid_request'],
    ['PUT', '/providers/Local', local, 400, 'invalid_request'],
    ['PUT', '/providers/demo', local, 409, 'provider_read_only'],
    ['DELETE', '/providers/demo', undefined, 409, 'provider_read_only'],
    ['DELETE', '/providers/nothing', undefined, 404, 'provider_not_found'],
    ['POST', '/providers/nothing/try', undefined, 404, 'provider_not_found'],
  ])('%s %s with %j is refused', async (method, path, body, status, code) => {
    const call = await client(await startBed());
    expect(await call(method, path, body)).toMatchObject({ status, body: { err_code: code } });
  });

  test('is not for keys without the scope admin; the models are for those who read flows', async () => {
    const bed = await startBed({ apiKeys: ['a-key-of-sixteen'] });
    const headers = { authorization: 'Bearer a-key-of-sixteen' };
    expect((await fetch(`${bed.url}/api/v1/providers`, { headers })).status).toBe(403);
    expect((await fetch(`${bed.url}/api/v1/models`, { headers })).status).toBe(200);
  });

  test('never shows a key, neither in answers nor in the log, where every change leaves a line', async () => {
    let text = '';
    const out = new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    });
    const redactor = createRedactor();
    const log = createLog({ logLevel: 'info', logFormat: 'json' }, out, redactor);
    const server = await startOpenAi((response, { headers }) => {
      expect(headers.authorization).toBe('Bearer the-key-itself');
      sendChunks(response, [{ content: `You sent ${headers.authorization}` }], 'stop');
    });
    const bed = await startBed({ outboundAllow: ['127.0.0.1'] }, { log, redactor });
    const call = await client(bed);
    await call('PUT', '/secrets/local', { value: 'the-key-itself', grants: { hosts: ['127.0.0.1'] } });
    const made = await call('PUT', '/providers/local', {
      ...local,
      baseUrl: server.url,
      key: { $secret: 'local' },
    });
    expect((await call('POST', '/providers/local/try')).body.data).toMatchObject({
      ok: true,
      model: 'local/m',
    });
    await call('DELETE', '/providers/local');
    for (const shown of [made.text, (await call('GET', '/providers')).text, text])
      expect(shown).not.toContain('the-key-itself');
    const audits = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { audit?: string })
      .filter((line) => line.audit?.startsWith('provider'));
    expect(audits).toMatchObject([
      {
        audit: 'provider made',
        provider: 'local',
        key: { $secret: 'local' },
        by: expect.stringMatching(/^session /),
      },
      { audit: 'provider tried', provider: 'local' },
      { audit: 'provider removed', provider: 'local' },
    ]);
  });

  test('tries one, and reports its fault', async () => {
    const server = await startOpenAi((response) => sendError(response, 401));
    const call = await client(await startBed({ outboundAllow: ['127.0.0.1'] }));
    await call('PUT', '/providers/local', { ...local, baseUrl: server.url });
    expect((await call('POST', '/providers/local/try')).body.data).toMatchObject({
      ok: false,
      model: 'local/m',
      ms: expect.any(Number),
      error: { code: 'model_refused', message: expect.stringContaining('401') },
    });
    expect((await call('POST', '/providers/demo/try')).body.data).toMatchObject({
      ok: true,
      model: 'demo/chat',
    });
  });
});

describe('names of models', () => {
  const two = { ...local, models: [{ name: 'a' }, { name: 'b' }, { name: 'v', use: 'embedding' }] };
  const defaultsOf = (answer: Answer) =>
    (answer.body.data as { id: string; default: boolean }[]).filter((one) => one.default).map(({ id }) => id);

  test('are set: defaults and aliases, which chats and lists then know', async () => {
    const bed = await startBed({ apiKeys: ['a-key-of-sixteen'] });
    const call = await client(bed);
    await call('PUT', '/providers/local', two);
    const settings = {
      chat: 'local/b',
      embedding: 'demo/embed',
      aliases: { chatgpt_proxyllm: 'demo/echo', 'local/x': 'local/b' },
    };
    expect(await call('PUT', '/models/settings', settings)).toMatchObject({ status: 200 });
    expect((await call('GET', '/models/settings')).body.data).toEqual({
      ...settings,
      fixed: { aliases: {} },
    });
    expect(defaultsOf(await call('GET', '/models'))).toEqual(['local/b', 'demo/embed']);
    const headers = { authorization: 'Bearer a-key-of-sixteen', 'content-type': 'application/json' };
    const listed = (await (await fetch(`${bed.url}/api/v2/models`, { headers })).json()) as {
      data: object[];
    };
    expect(listed.data).toContainEqual(
      expect.objectContaining({ id: 'chatgpt_proxyllm', owned_by: 'alias' }),
    );
    const body = JSON.stringify({ model: 'chatgpt_proxyllm', messages: 'Hi', stream: false });
    const answer = await fetch(`${bed.url}/api/v2/chat/completions`, { method: 'POST', headers, body });
    expect(await answer.json()).toMatchObject({
      model: 'demo/echo',
      choices: [{ message: { content: 'Hi' } }],
    });
    await call('DELETE', '/providers/local');
    expect(defaultsOf(await call('GET', '/models'))).toEqual(['demo/chat', 'demo/embed']);
  });

  test.each([
    [{ chat: 'local/nothing' }, 'chat'],
    [{ chat: 'local/v' }, 'chat'],
    [{ embedding: 'local/a' }, 'embedding'],
    [{ aliases: { x: 'nothing' } }, 'aliases.x'],
    [{ aliases: { 'app:x': 'local/a' } }, 'aliases.app:x'],
  ])('%j is refused by name', async (settings, param) => {
    const call = await client(await startBed());
    await call('PUT', '/providers/local', two);
    const answer = await call('PUT', '/models/settings', settings);
    expect(answer).toMatchObject({ status: 400, body: { err_code: 'invalid_request' } });
    expect(answer.text).toContain(param);
  });

  test('of a new provider do not take the default from the one before', async () => {
    const call = await client(await startBed());
    await call('PUT', '/providers/zeta', local);
    expect(defaultsOf(await call('GET', '/models'))[0]).toBe('zeta/m');
    await call('PUT', '/providers/alpha', local);
    expect(defaultsOf(await call('GET', '/models'))[0]).toBe('zeta/m');
    await call('DELETE', '/providers/zeta');
    expect(defaultsOf(await call('GET', '/models'))[0]).toBe('alpha/m');
  });

  test('of the configuration come before those that are set', async () => {
    const call = await client(await startBed({ model: 'demo/slow', modelAliases: { gpt: 'demo/echo' } }));
    await call('PUT', '/models/settings', { chat: 'demo/chat', aliases: { gpt: 'demo/slow' } });
    expect((await call('GET', '/models/settings')).body.data).toMatchObject({
      fixed: { chat: 'demo/slow', aliases: { gpt: 'demo/echo' } },
    });
    expect(defaultsOf(await call('GET', '/models'))[0]).toBe('demo/slow');
  });
});

describe('a provider on this machine', () => {
  const answering = () =>
    startOpenAi((response, { path }) => {
      const lists: Record<string, object> = {
        '/v1/models': {
          data: [
            { id: 'llama' },
            { id: 'nomic-embed-text' },
            { id: 'seeing', architecture: { input_modalities: ['text', 'image'] } },
          ],
        },
        '/api/tags': { models: [{ name: 'qwen3:8b', details: { family: 'qwen3' } }] },
      };
      const list = lists[path];
      if (list === undefined) return sendChunks(response, [{ content: 'OK' }], 'stop');
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
    });

  test('works after one yes, which is kept with it and holds for its address only', async () => {
    const server = await answering();
    const call = await client(await startBed());
    const { host: allow, port } = new URL(server.url);
    await call('PUT', '/providers/local', { ...local, baseUrl: server.url });
    expect((await call('POST', '/providers/local/try')).body.data).toMatchObject({
      ok: false,
      error: { code: 'outbound_refused', message: expect.stringContaining(`WEFT_OUTBOUND_ALLOW=${allow}`) },
    });
    await call('PUT', '/providers/local', { ...local, baseUrl: server.url, allow });
    expect((await call('POST', '/providers/local/try')).body.data).toMatchObject({ ok: true, text: 'OK' });
    const byName = { ...local, baseUrl: `http://localhost:${port}/v1`, allow: `localhost:${port}` };
    await call('PUT', '/providers/other', byName);
    expect((await call('POST', '/providers/other/try')).body.data).toMatchObject({ ok: true });
    await call('PUT', '/providers/third', { ...local, baseUrl: server.url });
    expect((await call('POST', '/providers/third/try')).body.data).toMatchObject({ ok: false });
    for (const wrong of ['127.0.0.1:1', allow.replace('127.0.0.1', '10.0.0.1'), '*']) {
      const answer = await call('PUT', '/providers/local', { ...local, baseUrl: server.url, allow: wrong });
      expect(answer).toMatchObject({ status: 400, body: { err_code: 'invalid_request' } });
    }
  });

  test('never opens the addresses of a cloud', async () => {
    const call = await client(await startBed());
    const baseUrl = 'http://169.254.169.254/v1';
    await call('PUT', '/providers/local', { ...local, baseUrl, allow: '169.254.169.254:80' });
    expect((await call('POST', '/providers/local/try')).body.data).toMatchObject({
      ok: false,
      error: { code: 'outbound_refused' },
    });
  });

  test('lists its models', async () => {
    const server = await answering();
    const call = await client(await startBed());
    const { host: allow } = new URL(server.url);
    const asked = { type: 'openai-compatible', baseUrl: server.url };
    expect(await call('POST', '/providers/discover', asked)).toMatchObject({
      body: { err_code: 'outbound_refused', err_msg: expect.stringContaining('WEFT_OUTBOUND_ALLOW=') },
    });
    expect((await call('POST', '/providers/discover', { ...asked, allow })).body.data).toEqual({
      models: [
        { name: 'llama', use: 'chat' },
        { name: 'nomic-embed-text', use: 'embedding' },
        { name: 'seeing', use: 'chat', input: ['text', 'image'] },
      ],
    });
    expect(
      (await call('POST', '/providers/discover', { ...asked, type: 'ollama', allow })).body.data,
    ).toEqual({
      models: [{ name: 'qwen3:8b', use: 'chat' }],
    });
    const wrong = { ...asked, baseUrl: `${server.url}/other`, allow };
    expect((await call('POST', '/providers/discover', wrong)).body.err_code).toBe('model_bad_answer');
  });
});

test('providers of WEFT_PROVIDERS are there, with the default model of WEFT_MODEL', async () => {
  const providers: Config['providers'] = {
    env: { ...local, type: 'ollama', models: [{ name: 'a', use: 'chat' }], timeoutMs: 5000 },
  };
  const call = await client(await startBed({ providers, model: 'demo/echo' }));
  expect((await call('GET', '/providers')).body.data).toMatchObject([
    { id: 'env', source: 'environment' },
    {},
  ]);
  const models = (await call('GET', '/models')).body.data as { id: string; default: boolean }[];
  expect(models.filter((model) => model.default).map(({ id }) => id)).toEqual(['demo/echo', 'demo/embed']);
});
