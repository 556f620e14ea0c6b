import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { sendChunks, sendError, startOpenAi } from '../models/testing/openai-server.ts';
import { createRedactor } from '../secrets/redactor.ts';
import { type Bed, signIn, startBed } from '../testing/platform-bed.ts';

type Answer = { status: number; text: string; body: { data: unknown; err_code: string } };

/** Calls as a signed-in browser does. */
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

  test('tries one, and tells what is wrong with it', async () => {
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

test('providers of WEFT_PROVIDERS are there, with the default model of WEFT_MODEL', async () => {
  const providers = {
    env: { ...local, type: 'ollama', models: [{ name: 'a', use: 'chat' }], timeoutMs: 5000 },
  } as const;
  const call = await client(await startBed({ providers, model: 'demo/echo' }));
  expect((await call('GET', '/providers')).body.data).toMatchObject([
    { id: 'env', source: 'environment' },
    {},
  ]);
  const models = (await call('GET', '/models')).body.data as { id: string; default: boolean }[];
  expect(models.filter((model) => model.default).map(({ id }) => id)).toEqual(['demo/echo', 'demo/embed']);
});
