import { fc, propertyRuns } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { App, AppBody } from '#shared/app.ts';
import { aBody } from '../../chat/apps/testing/an-app.ts';
import { appsBed, base } from './testing/apps-bed.ts';

const bed = appsBed();
const { call, expectRefusal } = bed;

const long = 'x'.repeat(256);
const detail = (more: object) => ({ details: [{ agent_name: 'A', resources: [], ...more }] });
const resource = (more: object) => detail({ resources: [{ type: 'tool', name: 'n', value: 'v', ...more }] });

/** Mistakes in fields, and the location in the answer. */
const mistakes: [string, object, string][] = [
  ...['app_name', 'app_describe', 'language', 'team_mode'].flatMap((field): [string, object, string][] => [
    [`${field} missing`, { [field]: undefined }, field],
    [`${field} null`, { [field]: null }, field],
    [`${field} of another type`, { [field]: 5 }, field],
    [`${field} a list`, { [field]: ['en'] }, field],
  ]),
  ['a blank name', { app_name: '   ' }, 'app_name'],
  ['a name too long', { app_name: long }, 'app_name'],
  ['a description too long', { app_describe: 'x'.repeat(4001) }, 'app_describe'],
  ['a language that is none of ours', { language: 'tlh' }, 'language'],
  ['a team mode that is none', { team_mode: 'crowd' }, 'team_mode'],
  ['a team context that is a number', { team_context: 5 }, 'team_context'],
  ['a user code too long', { user_code: long }, 'user_code'],
  ['a system code that is an object', { sys_code: {} }, 'sys_code'],
  ['an icon too long', { icon: 'x'.repeat(65_537) }, 'icon'],
  ['collected, perhaps', { is_collected: 'perhaps' }, 'is_collected'],
  ['details that are no list', { details: {} }, 'details'],
  ['too many details', { details: Array(101).fill({ agent_name: 'A' }) }, 'details'],
  ['a detail that is none', { details: ['A'] }, 'details.0'],
  ['an agent without a name', detail({ agent_name: undefined }), 'details.0.agent_name'],
  ['an agent with a blank name', detail({ agent_name: ' ' }), 'details.0.agent_name'],
  ['an empty node id', detail({ node_id: '' }), 'details.0.node_id'],
  ['a prompt that is no text', detail({ prompt_template: ['x'] }), 'details.0.prompt_template'],
  ['a strategy that is none', detail({ llm_strategy: 'best' }), 'details.0.llm_strategy'],
  ['models that are numbers', detail({ llm_strategy_value: [1] }), 'details.0.llm_strategy_value'],
  ['resources that are no list', detail({ resources: 'all' }), 'details.0.resources'],
  ['a resource without a type', resource({ type: undefined }), 'details.0.resources.0.type'],
  ['a resource without a name', resource({ name: undefined }), 'details.0.resources.0.name'],
  ['a resource with a number for a value', resource({ value: 5 }), 'details.0.resources.0.value'],
  [
    'a resource that is dynamic, perhaps',
    resource({ is_dynamic: 'yes' }),
    'details.0.resources.0.is_dynamic',
  ],
];

test.each(mistakes)('%s is refused by each way to make or change an app', async (_, change, where) => {
  const { app, server } = bed;
  const body = { ...aBody('New'), ...change };
  const answers = [
    await call('POST', base, { body }),
    await call('PUT', `${base}/${app.app_code}`, { body }),
    await call('POST', '/api/v1/app/create', { body }),
    await call('POST', '/api/v1/app/edit', { body: { ...body, app_code: app.app_code } }),
  ];
  for (const answer of answers) {
    expectRefusal(answer, 400, 'invalid_request');
    expect(answer.body.detail?.map(({ loc }) => loc.join('.'))).toContain(`body.${where}`);
  }
  expect(await server.ctx.apps.get(app.app_code)).toEqual(app);
  expect((await call('GET', base)).body.data).toMatchObject({ total_count: 1 });
});

test('whatever the fields hold, an app is made as it should be or refused', async () => {
  const names = Object.keys(AppBody.shape);
  const value = fc.oneof(fc.string(), fc.jsonValue({ maxDepth: 3 }));
  const wild = fc.dictionary(fc.constantFrom(...names), value);
  const nearly = fc
    .tuple(fc.uuid(), fc.constantFrom(...names), value)
    .map(([name, field, held]) => ({ ...aBody(name), [field]: held }));
  let made = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(wild, nearly, nearly), async (body) => {
      const answer = await call('POST', base, { body });
      // The other is for the key `__proto__`.
      const code = answer.body.err_code === 'invalid_json' ? 'invalid_json' : 'invalid_request';
      if (answer.status !== 201) return expectRefusal(answer, 400, code);
      const app = App.parse(answer.body.data);
      expect(app).toEqual(answer.body.data);
      expect((await call('DELETE', `${base}/${app.app_code}`)).status).toBe(200);
      made++;
    }),
    { numRuns: 200 },
  );
  expect(made).toBeGreaterThan(propertyRuns(200) / 20);
});

test('all mistakes are reported at once', async () => {
  const { body } = await call('POST', base, { body: { team_mode: 'crowd', language: 5, details: [{}] } });
  expect(body.detail?.map(({ loc }) => loc.join('.'))).toEqual([
    'body.app_name',
    'body.app_describe',
    'body.team_mode',
    'body.language',
    'body.details.0.agent_name',
  ]);
});

test('an app that is larger than one may be is refused', async () => {
  const details = Array.from({ length: 5 }, () => ({ agent_name: 'A', prompt_template: 'x'.repeat(60_000) }));
  expectRefusal(await call('POST', base, { body: aBody('New', { details }) }), 413, 'body_too_large');
});

test.each([
  'page=abc',
  'page=1.5',
  'page=1&page=2',
  'page=99999999999999999999',
  'page_size=0',
  'page_size=101',
  'page_size=all',
  'is_collected=true&is_collected=false',
  `name=${long}`,
  'name=a&name=b',
  'user_name=a&user_name=b',
])('the query %s is refused', async (query) => {
  const answer = await call('GET', `${base}?${query}`);
  expectRefusal(answer, 400, 'invalid_request');
  expect(answer.body.detail?.[0]?.loc[0]).toBe('query');
});

test.each([
  'page=0',
  'page=',
  'page=-1',
  'is_collected=perhaps',
  'colour=red',
  'app_name=x&_=17',
  '__proto__=1',
])('the query %s lists what it does without, as in DB-GPT', async (query) => {
  const answer = await call('GET', `${base}?${query}`);
  const all = await call('GET', base);
  const appsOf = ({ body }: typeof all) => (body as { data: { app_list: unknown[] } }).data.app_list;
  expect([answer.status, appsOf(answer)]).toEqual([200, appsOf(all)]);
});

test.each([
  '..%2F..%2Fetc%2Fpasswd',
  'a%00b',
  '__proto__',
  'constructor',
  '%F0%9F%92%A5',
  "'; DROP TABLE apps; --",
  '<script>alert(1)</script>',
])('the code %s is that of no app', async (code) =>
  expectRefusal(await call('GET', `${base}/${code.replaceAll('/', '%2F')}`), 404, 'app_not_found'),
);

test('a code of endless length and one that is badly encoded are refused', async () => {
  expectRefusal(await call('GET', `${base}/${'x'.repeat(300)}`), 414, 'uri_too_long');
  expectRefusal(await call('GET', `${base}/%zz`), 400, 'invalid_request');
});
