import { fc } from '../../../tests/support/property.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { App, AppBody, AppListQuery } from '#shared/app.ts';
import { type Apps, createApps, MAX_APP_BYTES } from './apps.ts';
import { createMemoryApps } from './testing/memory-apps.ts';
import { aBody } from './testing/an-app.ts';

let apps: Apps;
let time: number;

beforeEach(() => {
  time = Date.parse('2026-01-02T03:04:05.006Z');
  let ids = 0;
  apps = createApps(createMemoryApps(), { now: () => time, id: () => `id${++ids}` });
});

/** A body as it comes over the wire. */
const read = (body: object): AppBody => AppBody.parse({ ...aBody('Sales'), ...body });
const laterOn = (): string => new Date((time += 1000)).toISOString();

test('a new app has every field, its own code, and the time in UTC', async () => {
  const app = await apps.create(aBody('Sales'));
  expect(app).toEqual({
    app_code: 'id1',
    app_name: 'Sales',
    app_describe: 'What it is for.',
    team_mode: 'auto_plan',
    language: 'en',
    team_context: null,
    user_code: null,
    sys_code: null,
    is_collected: 'false',
    icon: null,
    created_at: '2026-01-02T03:04:05.006Z',
    updated_at: '2026-01-02T03:04:05.006Z',
    details: [],
  });
  expect(Object.keys(app)).toEqual(Object.keys(App.shape));
});

test('the code and the times that a caller sends are ignored', async () => {
  const sent = { app_code: 'mine', created_at: '1999-01-01', updated_at: 'never', unknown: 1 };
  expect(await apps.create(read(sent))).toMatchObject({
    app_code: 'id1',
    created_at: '2026-01-02T03:04:05.006Z',
  });
});

describe('an agent of an app', () => {
  test('has every field, and names its app', async () => {
    const { details } = await apps.create(
      read({
        details: [
          { agent_name: ' Writer ', resources: [{ type: 'tool', name: 'search' }] },
          {
            agent_name: 'Reader',
            node_id: 'mine',
            resources: [{ type: 'database', name: 'd', value: { host: 'h' }, is_dynamic: true }],
            prompt_template: 'Read.',
            llm_strategy: 'priority',
            llm_strategy_value: ['a', 'b'],
          },
        ],
      }),
    );
    const times = { created_at: '2026-01-02T03:04:05.006Z', updated_at: '2026-01-02T03:04:05.006Z' };
    const of = { app_code: 'id1', app_name: 'Sales' };
    expect(details).toEqual([
      {
        ...of,
        agent_name: 'Writer',
        node_id: 'id2',
        resources: [{ type: 'tool', name: 'search', value: '', is_dynamic: false }],
        prompt_template: null,
        llm_strategy: 'default',
        llm_strategy_value: null,
        ...times,
      },
      {
        ...of,
        agent_name: 'Reader',
        node_id: 'mine',
        resources: [{ type: 'database', name: 'd', value: '{"host":"h"}', is_dynamic: true }],
        prompt_template: 'Read.',
        llm_strategy: 'priority',
        llm_strategy_value: 'a,b',
        ...times,
      },
    ]);
  });

  test('keeps its id and its creation time over changes', async () => {
    const made = await apps.create(read({ details: [{ agent_name: 'A' }, { agent_name: 'B' }] }));
    const at = laterOn();
    const [a] = made.details;
    const changed = await apps.update(
      made.app_code,
      read({ details: [{ ...a, agent_name: 'A2' }, { agent_name: 'C' }] }),
    );
    expect(changed.details).toMatchObject([
      { agent_name: 'A2', node_id: a?.node_id, created_at: made.created_at, updated_at: at },
      { agent_name: 'C', created_at: at, updated_at: at },
    ]);
  });

  test('cannot share its id with another', async () => {
    const details = [
      { agent_name: 'A', node_id: 'n' },
      { agent_name: 'B', node_id: 'n' },
    ];
    await expect(apps.create(read({ details }))).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'details.1.node_id',
    });
  });
});

describe('a change', () => {
  test('keeps omitted fields, and clears fields that are null', async () => {
    const made = await apps.create(
      read({
        team_context: 'c',
        user_code: 'u',
        sys_code: 's',
        icon: 'i',
        is_collected: true,
        details: [{ agent_name: 'A' }],
      }),
    );
    const at = laterOn();
    const renamed = await apps.update(made.app_code, read({ app_name: 'New' }));
    expect(renamed).toEqual({
      ...made,
      app_name: 'New',
      updated_at: at,
      details: [{ ...made.details[0], app_name: 'New' }],
    });
    const emptied = await apps.update(
      made.app_code,
      read({ team_context: null, user_code: null, sys_code: null, icon: null, details: null }),
    );
    expect(emptied).toMatchObject({
      team_context: null,
      user_code: null,
      sys_code: null,
      icon: null,
      details: [],
    });
    expect(emptied.is_collected).toBe('true');
  });

  test('to the same values changes only the time', async () => {
    const made = await apps.create(
      read({ team_context: { flow: 'f' }, details: [{ agent_name: 'A', llm_strategy_value: '["x", "y"]' }] }),
    );
    expect(made).toMatchObject({ team_context: '{"flow":"f"}', details: [{ llm_strategy_value: 'x,y' }] });
    const at = laterOn();
    expect(await apps.update(made.app_code, AppBody.parse(made))).toEqual({
      ...made,
      updated_at: at,
      details: [{ ...made.details[0], updated_at: at }],
    });
  });
});

test('any app that is sent back as it was read stays unchanged', async () => {
  const text = fc.string({ minLength: 1, maxLength: 20 }).filter((one) => one.trim() !== '');
  const optional = fc.option(text);
  const resource = fc.record({ type: text, name: text, value: fc.oneof(text, fc.dictionary(text, text)) });
  const detail = fc.record({
    agent_name: text,
    resources: fc.array(resource, { maxLength: 3 }),
    prompt_template: optional,
    llm_strategy: fc.constantFrom('default', 'priority', 'auto'),
    llm_strategy_value: fc.option(fc.array(fc.stringMatching(/^[a-z]{1,8}$/), { maxLength: 3 })),
  });
  const body = fc.record({
    app_name: fc.uuid(),
    team_context: fc.oneof(optional, fc.dictionary(text, text)),
    user_code: optional,
    sys_code: optional,
    icon: optional,
    is_collected: fc.option(fc.boolean()),
    details: fc.option(fc.array(detail, { maxLength: 3 })),
  });
  await fc.assert(
    fc.asyncProperty(body, async (sent) => {
      const made = await apps.create(read(sent));
      expect(App.parse(made)).toEqual(made);
      expect(await apps.update(made.app_code, AppBody.parse(made))).toEqual(made);
      expect(await apps.get(made.app_code)).toEqual(made);
    }),
    { numRuns: 200 },
  );
});

test('collecting marks an app without changing it otherwise', async () => {
  const made = await apps.create(aBody('Sales'));
  laterOn();
  expect(await apps.collect(made.app_code, true)).toEqual({ ...made, is_collected: 'true' });
  expect(await apps.collect(made.app_code, true)).toEqual({ ...made, is_collected: 'true' });
  expect(await apps.collect(made.app_code, false)).toEqual(made);
});

test('a page has the total, and a page past the end is empty', async () => {
  for (const name of ['a', 'b', 'c']) await apps.create(aBody(name));
  const ask = (query: object) => apps.list(AppListQuery.parse(query));
  expect(await ask({ page_size: '2' })).toMatchObject({
    total_count: 3,
    total_page: 2,
    current_page: 1,
    app_list: [{ app_name: 'c' }, { app_name: 'b' }],
  });
  expect((await ask({ page: '2', page_size: '2' })).app_list).toMatchObject([{ app_name: 'a' }]);
  expect(await ask({ page: '9' })).toEqual({ total_count: 3, total_page: 1, current_page: 9, app_list: [] });
  expect(await ask({ name: 'none' })).toEqual({
    total_count: 0,
    total_page: 0,
    current_page: 1,
    app_list: [],
  });
});

test.each([
  ['single_agent', 'single_agent'],
  ['singe_agent', 'single_agent'],
  ['auto_plan', 'auto_plan'],
  ['awel_layout', 'awel_layout'],
  ['native_app', 'native_app'],
])('the team mode %s is stored as %s', async (sent, kept) => {
  expect((await apps.create(read({ team_mode: sent }))).team_mode).toBe(kept);
});

test('an app is limited in size, because all of them are written together', async () => {
  const details = Array.from({ length: 5 }, (_, i) => ({
    agent_name: `${i}`,
    prompt_template: 'x'.repeat(60_000),
  }));
  await expect(apps.create(read({ details }))).rejects.toMatchObject({ code: 'body_too_large' });
  const made = await apps.create(read({ details: details.slice(1) }));
  expect(Buffer.byteLength(JSON.stringify(made))).toBeLessThan(MAX_APP_BYTES);
  await expect(apps.update(made.app_code, read({ details }))).rejects.toMatchObject({
    code: 'body_too_large',
  });
  expect(await apps.get(made.app_code)).toEqual(made);
});
