import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import type { App, AppPage } from '#shared/app.ts';
import { aBody } from '../../chat/apps/testing/an-app.ts';
import { createLog } from '../../base/log/log.ts';
import { startBed } from '../../testing/platform-bed.ts';

const KEY = 'a-key-of-sixteen-letters';

interface Answer<T> {
  readonly status: number;
  readonly body: { success: boolean; err_code: string | null; data: T };
}

function caller(url: string) {
  return async <T = App>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${KEY}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Answer<T>['body'] };
  };
}

test('the older addresses do what the newer ones do', async () => {
  const { url } = await startBed({ apiKeys: [KEY] });
  const call = caller(url);
  const v1 = <T = App>(action: string, body: object) => call<T>('POST', `/api/v1/app/${action}`, body);
  const made = await v1('create', { ...aBody('Sales'), team_mode: 'singe_agent', details: [] });
  const app = made.body.data;
  expect(made).toMatchObject({ status: 200, body: { success: true, data: { team_mode: 'single_agent' } } });
  const { app_code } = app;
  expect((await call('GET', `/api/v2/serve/apps/${app_code}`)).body.data).toEqual(app);
  expect((await v1('detail', { app_code })).body.data).toEqual(app);
  expect((await v1('collect', { app_code, user_code: 'u' })).body.data).toEqual({
    ...app,
    is_collected: 'true',
  });
  expect((await v1('uncollect', { app_code })).body.data).toEqual(app);
  expect((await v1('edit', { ...app, app_name: 'New' })).body.data).toMatchObject({
    app_code,
    app_name: 'New',
  });
  expect((await v1<AppPage>('list', {})).body.data).toMatchObject({
    total_count: 1,
    app_list: [{ app_name: 'New' }],
  });
  expect(await v1('remove', { app_code })).toMatchObject({ status: 200, body: { data: [] } });
  expect(await v1('detail', { app_code })).toMatchObject({
    status: 404,
    body: { err_code: 'app_not_found' },
  });
});

test('the older list has its own names for pages and filters', async () => {
  const { url, ctx } = await startBed({ apiKeys: [KEY] });
  for (const [name, more] of [
    ['a1', { user_code: 'u' }],
    ['a2', { sys_code: 's' }],
    ['b', { is_collected: 'true' }],
  ] as const)
    await ctx.apps.create(aBody(name, more));
  const names = async (body: object): Promise<string[]> => {
    const { data } = (await caller(url)<AppPage>('POST', '/api/v1/app/list', body)).body;
    return data.app_list.map(({ app_name }) => app_name);
  };
  expect(await names({ page_no: 2, page_size: 2 })).toEqual(['a1']);
  expect(await names({ page: 2, page_size: 1, name_filter: 'A' })).toEqual(['a1']);
  expect(await names({ user_code: 'u', sys_code: '', is_collected: null, name_filter: null })).toEqual([
    'a1',
  ]);
  expect(await names({ sys_code: 's' })).toEqual(['a2']);
  expect(await names({ is_collected: 'true' })).toEqual(['b']);
  expect(await names({ is_collected: 'false', published: 'whatever' })).toEqual(['a2', 'a1']);
});

test('a form for an app learns what it may offer', async () => {
  const { url } = await startBed({ apiKeys: [KEY] });
  const list = async (name: string) =>
    (await caller(url)<unknown[]>('GET', `/api/v1/${name}/list`)).body.data;
  expect(await list('team-mode')).toEqual(['single_agent', 'auto_plan', 'awel_layout', 'native_app']);
  expect(await list('llm-strategy')).toEqual(['default', 'priority', 'auto']);
  expect(await list('resource-type')).toContain('awel_flow');
  expect(await list('agents')).toMatchObject([{ name: expect.any(String), desc: expect.any(String) }]);
});

test('each change by either address leaves a line in the audit log', async () => {
  let text = '';
  const out = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  const log = createLog({ logLevel: 'info', logFormat: 'json' }, out);
  const { url } = await startBed({ apiKeys: [KEY] }, { log });
  const call = caller(url);
  const { app_code } = (await call('POST', '/api/v2/serve/apps', aBody('Sales'))).body.data;
  await call('PUT', `/api/v2/serve/apps/${app_code}`, aBody('New'));
  await call('POST', `/api/v2/serve/apps/${app_code}/collect`);
  await call('POST', '/api/v1/app/uncollect', { app_code });
  await call('POST', '/api/v1/app/remove', { app_code });
  await call('DELETE', `/api/v2/serve/apps/${app_code}`);
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const audits = lines.filter((line) => 'audit' in line);
  expect(audits.map(({ audit, app, name }) => [audit, app, name])).toEqual([
    ['app made', app_code, 'Sales'],
    ['app changed', app_code, 'New'],
    ['app collected', app_code, 'New'],
    ['app uncollected', app_code, 'New'],
    ['app removed', app_code, 'New'],
  ]);
  expect(audits[0]).toMatchObject({
    by: 'key WEFT_API_KEYS[0]',
    from: '127.0.0.1',
    request: expect.any(String),
  });
});
