import { beforeEach, describe, expect, test } from 'vitest';
import type { App, AppPage } from '#shared/app.ts';
import { aBody } from '../../chat/apps/testing/an-app.ts';
import { startBed } from '../../testing/platform-bed.ts';

const KEY = 'a-key-of-sixteen-letters';
const base = '/api/v2/serve/apps';

let url: string;
beforeEach(async () => {
  ({ url } = await startBed({ apiKeys: [KEY] }));
});

interface Answer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    success: boolean;
    err_code: string | null;
    err_msg: string | null;
    data: T;
    detail?: unknown;
  };
}

async function call<T = App>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${KEY}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer<T>['body'] };
}

const make = async (name: string, more: object = {}): Promise<App> =>
  (await call('POST', base, { ...aBody(name), ...more })).body.data;

const success = <T>(data: T) => ({ success: true, err_code: null, err_msg: null, data });

test('an app with resources that cannot be used yet warns when it is saved', async () => {
  const resources = ['plugin', 'internet'].map((type) => ({ type, name: `my ${type}`, value: '' }));
  const body = { ...aBody('Data'), details: [{ agent_name: 'Ada', resources }] };
  const made = await call('POST', base, body);
  const warnings = ['plugin', 'internet'].map((type) =>
    expect.stringContaining(`Ada cannot use my ${type} yet`),
  );
  expect(made.body).toMatchObject({ success: true, warnings });
  const changed = await call('PUT', `${base}/${made.body.data.app_code}`, body);
  expect(changed.body).toMatchObject({ success: true, warnings });
  const plain = await call('POST', base, { ...aBody('Plain'), team_mode: 'single_agent' });
  expect(plain.body).not.toHaveProperty('warnings');
});

test.each([
  ['awel_flow', 'nope', 'there is no live flow `nope`'],
  ['flow', '{"flow": "nope", "trigger": "t"}', 'there is no live flow `nope`'],
  ['knowledge', 'nope', 'there is no knowledge space "nope"'],
  ['database', '{"db_name": "nope"}', 'there is no connection "nope"'],
  ['mcp', 'nope', 'its value has to be an address'],
  ['http', '{"url": ""}', 'its value has to be an address'],
])('a resource %s whose value %s names nothing is reported on save', async (type, value, fault) => {
  const details = [{ agent_name: 'Ada', resources: [{ type, name: 'it', value }] }];
  const body = { ...aBody(`${type} ${value}`), team_mode: 'single_agent', details };
  const { warnings } = (await call('POST', base, body)).body as { warnings?: string[] };
  expect(warnings).toEqual([expect.stringContaining(`Ada cannot use it yet: ${fault}`)]);
});

test.each([
  [{ team_mode: 'awel_layout' }, 'team_context'],
  [{ team_mode: 'awel_layout', team_context: 'nope' }, 'no live flow `nope`'],
  [{ team_mode: 'auto_plan' }, 'no agents'],
])('an app that cannot answer yet is reported on save: %j', async (more, fault) => {
  const { warnings } = (await call('POST', base, { ...aBody(JSON.stringify(more)), ...more })).body as {
    warnings?: string[];
  };
  expect(warnings).toEqual([expect.stringContaining(fault)]);
});

test('a native app whose scene does not exist here is refused', async () => {
  const native = (chat_scene: string) =>
    call('POST', base, { ...aBody(chat_scene), team_mode: 'native_app', team_context: { chat_scene } });
  expect((await native('chat_knowledge')).status).toBe(201);
  const refused = await native('chat_excel');
  expect([refused.status, refused.body.err_code]).toEqual([400, 'invalid_request']);
  expect(refused.body.err_msg).toContain('chat_excel');
});

test('a DELETE that names JSON as its type needs no body', async () => {
  const { app_code } = await make('Gone');
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}${base}/${app_code}`, { method: 'DELETE', headers });
  expect([answer.status, await answer.json()]).toEqual([200, success([])]);
});

describe('/api/v2/serve/apps', () => {
  test('makes, reads, lists, changes and removes an app, in the envelope', async () => {
    const made = await call('POST', base, {
      ...aBody('Sales'),
      details: [{ agent_name: 'Writer', resources: [] }],
    });
    const app = made.body.data;
    expect(made).toMatchObject({
      status: 201,
      body: success({ app_name: 'Sales', details: [{ agent_name: 'Writer' }] }),
    });
    expect(made.headers.get('location')).toBe(`${base}/${app.app_code}`);
    expect(await call('GET', `${base}/${app.app_code}`)).toMatchObject({ status: 200, body: success(app) });
    expect((await call('GET', base)).body).toEqual(
      success({ total_count: 1, total_page: 1, current_page: 1, app_list: [app] }),
    );
    const changed = await call('PUT', `${base}/${app.app_code}`, aBody('Sales 2'));
    expect(changed).toMatchObject({
      status: 200,
      body: success({ app_name: 'Sales 2', created_at: app.created_at }),
    });
    expect((await call('GET', `${base}/${app.app_code}`)).body).toEqual(changed.body);
    expect(await call('DELETE', `${base}/${app.app_code}`)).toMatchObject({ status: 200, body: success([]) });
    expect(await call('GET', `${base}/${app.app_code}`)).toMatchObject({
      status: 404,
      body: { success: false, err_code: 'app_not_found', data: null },
    });
    expect((await call<AppPage>('GET', base)).body.data.app_list).toEqual([]);
  });

  test('gives one app and the app of a list as the same bytes', async () => {
    const { app_code } = await make('Sales', { details: [{ agent_name: 'A', resources: [] }] });
    const headers = { authorization: `Bearer ${KEY}` };
    const one = await (await fetch(`${url}${base}/${app_code}`, { headers })).text();
    const list = await (await fetch(url + base, { headers })).text();
    expect(list).toContain(one.slice(one.indexOf('"data":') + 7, -1));
  });

  test('pages and filters', async () => {
    await make('Sales report', { user_code: 'ada', sys_code: 'crm' });
    const collected = await make('Support', { user_code: 'bob', sys_code: 'crm' });
    await make('Sales mail', { user_code: 'ada' });
    await call('POST', `${base}/${collected.app_code}/collect`);
    const names = async (query: string): Promise<string[]> => {
      const { status, body } = await call<AppPage>('GET', `${base}?${query}`);
      expect(status, query).toBe(200);
      return body.data.app_list.map(({ app_name }) => app_name);
    };
    expect(await names('')).toEqual(['Sales mail', 'Support', 'Sales report']);
    expect(await names('user_name=ada')).toEqual(['Sales mail', 'Sales report']);
    expect(await names('sys_code=crm')).toEqual(['Support', 'Sales report']);
    expect(await names('sys_code=crm&user_name=ada')).toEqual(['Sales report']);
    expect(await names('is_collected=true')).toEqual(['Support']);
    expect(await names('is_collected=True')).toEqual(['Support']);
    expect(await names('is_collected=false')).toEqual(['Sales mail', 'Sales report']);
    expect(await names('name=sales')).toEqual(['Sales mail', 'Sales report']);
    expect(await names('name=&user_name=&sys_code=&is_collected=')).toHaveLength(3);
    expect(await names('page=2&page_size=2')).toEqual(['Sales report']);
    const { data } = (await call<AppPage>('GET', `${base}?page=2&page_size=1&name=sales`)).body;
    expect(data).toMatchObject({ total_count: 2, total_page: 2, current_page: 2 });
  });

  test('collects and uncollects', async () => {
    const app = await make('Sales');
    const collected = await call('POST', `${base}/${app.app_code}/collect`);
    expect(collected).toMatchObject({ status: 200, body: success({ ...app, is_collected: 'true' }) });
    expect((await call('GET', `${base}/${app.app_code}`)).body.data.is_collected).toBe('true');
    expect((await call('POST', `${base}/${app.app_code}/uncollect`)).body.data).toEqual(app);
  });

  test('has no two apps of one name', async () => {
    const first = await make('Sales');
    const other = await make('Other');
    const taken = { status: 409, body: { err_code: 'app_name_taken', error: { param: 'app_name' } } };
    expect(await call('POST', base, aBody(' Sales '))).toMatchObject(taken);
    expect(await call('PUT', `${base}/${other.app_code}`, aBody('Sales'))).toMatchObject(taken);
    expect((await call('GET', `${base}/${other.app_code}`)).body.data).toEqual(other);
    expect(await call('PUT', `${base}/${first.app_code}`, aBody('Sales'))).toMatchObject({ status: 200 });
  });

  test('accepts the odd forms of callers of DB-GPT', async () => {
    const app = await make('Sales', {
      team_mode: 'singe_agent',
      app_code: 'ignored',
      is_collected: null,
      details: null,
    });
    expect(app).toMatchObject({ team_mode: 'single_agent', is_collected: 'false', details: [] });
    const inBody = await call('PUT', `${base}/anything`, { ...aBody('New'), app_code: app.app_code });
    expect(inBody).toMatchObject({ status: 200, body: success({ app_code: app.app_code, app_name: 'New' }) });
    expect(await call('DELETE', `${base}/${app.app_code}?user_code=&sys_code=`)).toMatchObject({
      status: 200,
    });
  });

  test('asks which app is meant when address and body name two that exist', async () => {
    const [one, two] = [await make('One'), await make('Two')];
    const unclear = await call('PUT', `${base}/${one.app_code}`, {
      ...aBody('Three'),
      app_code: two.app_code,
    });
    expect(unclear).toMatchObject({
      status: 400,
      body: { err_code: 'invalid_request', error: { param: 'app_code' } },
    });
    expect((await call<AppPage>('GET', base)).body.data.app_list).toEqual([two, one]);
  });

  test('answers another method with those it has', async () => {
    const wrong = await call('PATCH', `${base}/x`, {});
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, HEAD, DELETE, PUT']);
  });
});

test('without the editor apps can be looked up, and not changed', async () => {
  const { url: headless, ctx } = await startBed({ apiKeys: [KEY], editor: 'off' });
  const { app_code } = await ctx.apps.create(aBody('Sales'));
  url = headless;
  expect(await call('GET', `${base}/${app_code}`)).toMatchObject({ status: 200 });
  expect((await call<AppPage>('GET', base)).body.data.total_count).toBe(1);
  for (const [method, path] of [
    ['POST', base],
    ['PUT', `${base}/${app_code}`],
    ['DELETE', `${base}/${app_code}`],
  ] as const)
    expect(await call(method, path, {})).toMatchObject({
      status: 405,
      body: { err_code: 'method_not_allowed' },
    });
  expect(await call('POST', '/api/v1/app/list', {})).toMatchObject({ status: 404 });
});
