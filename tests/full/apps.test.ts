import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { App } from '#shared/app.ts';
import { type Answer, ask, keyHeaders } from '../support/client.ts';
import { codeOf } from '../support/leaks.ts';
import { expectRefusal } from '../support/raw.ts';
import { discard, product, type ServerSetup, startServer, type TestServer } from '../support/server.ts';
import { runProgram } from '../support/process.ts';
import { scratchFolder } from '../support/scratch.ts';

/** Apps of a server as it is started by its users, with the key of its first start. */
const base = '/api/v2/serve/apps';

let server: TestServer;
async function start(setup: ServerSetup = {}): Promise<TestServer> {
  const started = await startServer(setup);
  onTestFinished(() => discard(started));
  return started;
}
beforeEach(async () => {
  server = await start();
});

function call(method: string, path: string, body?: object): Promise<Answer> {
  const type = { ...(body && { 'content-type': 'application/json' }) };
  return ask(server.url + path, {
    method,
    headers: { ...keyHeaders(server), ...type },
    ...(body && { body: JSON.stringify(body) }),
  });
}

const team = {
  app_name: 'Support desk',
  app_describe: 'Answers customers.',
  team_mode: 'auto_plan',
  language: 'en',
  user_code: 'ada',
  details: [
    {
      agent_name: 'Researcher',
      prompt_template: 'Look orders up.',
      resources: [{ type: 'awel_flow', name: 'orders', value: 'order_lookup', is_dynamic: false }],
      llm_strategy: 'priority',
      llm_strategy_value: 'gpt,demo',
    },
    { agent_name: 'Writer', prompt_template: 'Answer kindly.', resources: [] },
  ],
};

async function make(body: object = team): Promise<App> {
  const answer = await call('POST', base, body);
  expect(answer.status, answer.text).toBe(201);
  return (answer.body as { data: App }).data;
}

const appsOf = async (): Promise<App[]> =>
  ((await call('GET', base)).body as { data: { app_list: App[] } }).data.app_list;

describe('the client of the original', () => {
  const text = z.string().nullable();
  /** ISO 8601, as its date parser reads it. */
  const time = z.iso.datetime();
  const resource = z.strictObject({
    type: z.enum([
      'database',
      'knowledge',
      'internet',
      'plugin',
      'text_file',
      'excel_file',
      'image_file',
      'awel_flow',
    ]),
    name: z.string(),
    value: z.string(),
    is_dynamic: z.boolean(),
  });
  const detail = z.strictObject({
    app_code: text,
    app_name: text,
    agent_name: text,
    node_id: text,
    resources: z.array(resource),
    prompt_template: text,
    llm_strategy: text,
    llm_strategy_value: text,
    created_at: time,
    updated_at: time,
  });
  const app = z.strictObject({
    app_code: text,
    app_name: text,
    app_describe: text,
    team_mode: text,
    language: text,
    team_context: text,
    user_code: text,
    sys_code: text,
    is_collected: text,
    icon: text,
    created_at: time,
    updated_at: time,
    details: z.array(detail),
  });
  const envelope = <T extends z.ZodType>(data: T) =>
    z.strictObject({ success: z.literal(true), err_code: z.null(), err_msg: z.null(), data });

  test('reads one app and the list, each with every key and no other', async () => {
    const { app_code } = await make();
    await make({ ...team, app_name: 'Empty', details: [] });
    const one = envelope(app).parse((await call('GET', `${base}/${app_code}`)).body);
    const page = z.strictObject({
      total_count: z.int(),
      total_page: z.int(),
      current_page: z.int(),
      app_list: z.array(app),
    });
    const { app_list } = envelope(page).parse((await call('GET', base)).body).data;
    expect(app_list.map(({ app_name }) => app_name)).toEqual(['Empty', 'Support desk']);
    expect(app_list[1]).toEqual(one.data);
  });

  test('learns from an answer that an app is unknown', async () => {
    const answer = await call('GET', `${base}/nope`);
    expectRefusal(answer, 404, 'app_not_found');
    expect(answer.body).toMatchObject({ success: false, err_msg: expect.stringContaining('nope') });
  });
});

test('apps are there after a restart as they were, and after a kill', async () => {
  const first = await make();
  const second = await make({ ...team, app_name: 'Second' });
  await call('POST', `${base}/${first.app_code}/collect`);
  await call('PUT', `${base}/${second.app_code}`, { ...team, app_name: 'Renamed', details: null });
  const before = await appsOf();
  expect(before).toMatchObject([
    { app_name: 'Renamed', details: [] },
    { app_name: 'Support desk', is_collected: 'true' },
  ]);
  expect(await server.stop()).toBe(0);
  server = await start({ flows: server.flows, data: server.data });
  expect(await appsOf()).toEqual(before);
  const { app_code } = await make({ ...team, app_name: 'Third' });
  await call('DELETE', `${base}/${second.app_code}`);
  server.process.kill('SIGKILL');
  await server.stop();
  server = await start({ flows: server.flows, data: server.data });
  expect((await appsOf()).map((app) => app.app_code)).toEqual([app_code, first.app_code]);
});

test('of many who take one name at once, one gets it', async () => {
  const answers = await Promise.all(Array.from({ length: 10 }, () => call('POST', base, team)));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  const others = answers.filter(({ status }) => status === 409);
  expect(new Set(others.map(codeOf))).toEqual(new Set(['app_name_taken']));
  expect(await appsOf()).toHaveLength(1);
});

test('without the editor apps made before are looked up, with a key, and nothing else is done with them', async () => {
  const made = await make();
  await server.stop();
  server = await start({ flows: server.flows, data: server.data, env: { WEFT_EDITOR: 'off' } });
  expect(await appsOf()).toEqual([made]);
  expectRefusal(await ask(server.url + base), 401, 'unauthorized');
  expectRefusal(await call('DELETE', `${base}/${made.app_code}`), 405, 'method_not_allowed');
  expectRefusal(await call('POST', base, team), 405, 'method_not_allowed');
});

test('damaged apps stop the start with what is wrong, and stay as they are', async () => {
  const data = scratchFolder('data');
  const text = '{"apps":[{"app_code":"a"}]}';
  writeFileSync(join(data, 'db.json'), text);
  const env = { WEFT_PORT: '0', WEFT_FLOWS: scratchFolder('flows'), WEFT_DATA: data };
  const { code, stderr } = await runProgram(process.execPath, [join(product, 'server')], { env });
  // No first key either, which nobody would ever see.
  expect([code, JSON.parse(readFileSync(join(data, 'db.json'), 'utf8'))]).toEqual([
    1,
    // The mark by which a store that is put in its place is noticed.
    { ...(JSON.parse(text) as object), store: expect.any(Object) },
  ]);
  expect(stderr).toMatch(/apps in db\.json are damaged/);
  expect(stderr).not.toMatch(/\n\s+at /);
});
