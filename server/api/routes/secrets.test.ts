import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createLog } from '../../base/log/log.ts';
import { createRedactor } from '../../base/secrets/redactor.ts';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: { data: unknown; err_code: string; err_msg: string };
}

/** Sends requests as a signed-in browser does. */
async function client(bed: Bed) {
  const headers = { ...(await signIn(bed)), 'content-type': 'application/json' };
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const url = `${bed.url}/api/v1/secrets${path}`;
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const { 'content-type': type, ...others } = headers;
    const answer = await fetch(url, {
      method,
      headers: body === undefined ? others : { ...others, 'content-type': type },
      ...init,
    });
    const text = await answer.text();
    return { status: answer.status, text, json: JSON.parse(text) as Answer['json'] };
  };
}

const hosts = { hosts: ['api.example.com'] };

describe('/api/v1/secrets', () => {
  test('keeps a value, shows its name and grants, and never the value', async () => {
    const call = await client(await startBed());
    const value = 'the-value-of-this-secret';
    const answers = [
      await call('PUT', '/openai', { value, grants: hosts }),
      await call('PUT', '/openai', { grants: { flows: ['x'] } }),
      await call('PUT', '/openai', { value: `${value}-2` }),
      await call('GET', ''),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const info = { name: 'openai', source: 'file', grants: { flows: ['x'] }, updatedAt: expect.any(String) };
    expect(answers[3]?.json.data).toEqual([info]);
    for (const { text } of answers) expect(text).not.toContain(value);
    expect(await call('DELETE', '/openai')).toMatchObject({ status: 200 });
    expect((await call('GET', '')).json.data).toEqual([]);
    expect(await call('DELETE', '/openai')).toMatchObject({
      status: 404,
      json: { err_code: 'secret_not_found' },
    });
  });

  test.each([
    ['a new one without grants', '/a', { value: 'v' }, 400, 'grants'],
    ['a new one without a value', '/a', { grants: {} }, 404, 'value'],
    [
      'a name that no flow could write',
      '/Not-A-Name',
      { value: 'v', grants: {} },
      400,
      'name of a secret is an id',
    ],
    ['an empty value', '/a', { value: '', grants: {} }, 400, 'value'],
    ['an unknown field', '/a', { value: 'v', grants: { users: [] } }, 400, 'grants'],
  ])('refuses %s, with what to do', async (_, path, body, status, word) => {
    const call = await client(await startBed());
    const answer = await call('PUT', path, body);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(word);
  });

  test('shows those of the environment, whose value cannot be changed', async () => {
    const call = await client(await startBed({ secrets: { token: 'from outside' } }));
    expect((await call('GET', '')).json.data).toEqual([{ name: 'token', source: 'environment', grants: {} }]);
    expect(await call('PUT', '/token', { value: 'x' })).toMatchObject({
      status: 409,
      json: { err_code: 'secret_read_only' },
    });
    expect(await call('PUT', '/token', { grants: hosts })).toMatchObject({ status: 200 });
  });

  test('is not for keys without the scope admin', async () => {
    const bed = await startBed({ apiKeys: ['a-key-of-sixteen'] });
    const answer = await fetch(`${bed.url}/api/v1/secrets`, {
      headers: { authorization: 'Bearer a-key-of-sixteen' },
    });
    expect(answer.status).toBe(403);
  });

  test('logs who changed what, without the value', async () => {
    let text = '';
    const out = new Writable({
      write(chunk, _encoding, done) {
        text += String(chunk);
        done();
      },
    });
    const redactor = createRedactor();
    const log = createLog({ logLevel: 'info', logFormat: 'json' }, out, redactor);
    const call = await client(await startBed({}, { log, redactor }));
    await call('PUT', '/openai', { value: 'the-value-of-this-secret', grants: hosts });
    await call('DELETE', '/openai');
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const audits = lines.filter((line) => 'audit' in line);
    expect(audits).toMatchObject([
      { audit: 'signed in' },
      {
        audit: 'secret made',
        secret: 'openai',
        value: 'set',
        grants: hosts,
        by: expect.stringMatching(/^session /),
        from: '127.0.0.1',
      },
      { audit: 'secret removed', secret: 'openai' },
    ]);
    expect(text).not.toContain('the-value');
  });
});
