import { expect, test } from 'vitest';
import { render } from '../../../../../engine/expr/testing/evaluate.ts';
import { accounted, importedShort, type Node, shareServer } from '../testing/service-bed.ts';
import type { Asked } from '../../../../testing/stand-in.ts';
import { imported, requestsIn, run } from '../testing/community-bed.ts';

shareServer();

/** What files leave out is what the node does there: what it looks up, how many items it reads, and which operation it is. */

const told = async (kind: string, params: Record<string, unknown>): Promise<string[]> => {
  const { report } = await importedShort({
    nodes: {
      Hook: ['webhook@2', { path: 'job', httpMethod: 'POST', responseMode: 'lastNode' }],
      Node: accounted([kind, params]),
    },
    wires: ['Hook > Node'],
  });
  return report.changes.filter(({ effect }) => effect === 'changed').map(({ message }) => message);
};

const requestOf = async (node: Node): Promise<Record<string, unknown> | undefined> =>
  requestsIn((await imported(node)).nodes)[0];

const PAGES = 'It read page after page; here it reads the first page. http.pages reads more.';

test('the output of a phantom is the result of its last run', async () => {
  const asked: Asked[] = [];
  const node: Node = ['phantombuster@1', { operation: 'getOutput', agentId: '7' }];
  const answer = (one: Asked): unknown => {
    asked.push(one);
    return one.path.endsWith('fetch-output')
      ? { containerId: 'c' }
      : { resultObject: '[{"name":"Ada"},{"name":"Alan"}]' };
  };
  expect(await run(node, [{}], answer)).toEqual([{ name: 'Ada' }, { name: 'Alan' }]);
  expect(asked.map(({ path }) => path)).toEqual([
    '/api/v2/agents/fetch-output',
    '/api/v2/containers/fetch-result-object',
  ]);
});

test('a phantom that is launched gives its container, unless the node says otherwise', async () => {
  const answer = ({ path, body }: Asked): unknown =>
    path.endsWith('launch') ? { containerId: 'c', sent: body } : { id: 'c', status: 'running' };
  const params = { agentId: '7', additionalFields: { argumentsJson: '{"a":1}' } };
  expect(await run(['phantombuster@1', params], [{}], answer)).toEqual([{ id: 'c', status: 'running' }]);
  expect(await run(['phantombuster@1', { ...params, resolveData: false }], [{}], answer)).toEqual([
    { containerId: 'c', sent: { id: '7', argument: { a: 1 } } },
  ]);
});

test('the members of a channel are people, and all of them', async () => {
  const params = { resource: 'channel', operation: 'members', channelId: 'c' };
  expect(await requestOf(['mattermost@1', params])).toMatchObject({
    url: '/users',
    query: { in_channel: 'c', per_page: 200 },
  });
  expect(
    await requestOf(['mattermost@1', { ...params, resolveData: false, returnAll: false, limit: 5 }]),
  ).toMatchObject({ url: '/channels/{{ urlEncode("c") }}/members', query: { per_page: 5 } });
});

test('of a person of Reddit, the posts are not the profile', async () => {
  const params = { resource: 'user', operation: 'get', username: 'ada' };
  const url = 'https://oauth.reddit.com/user/{{ urlEncode("ada") }}';
  expect(await requestOf(['reddit@1', params])).toMatchObject({ url: `${url}/about` });
  expect(await requestOf(['reddit@1', { ...params, details: 'submitted' }])).toMatchObject({
    url: `${url}/submitted`,
    query: { limit: 100 },
  });
});

test.each([
  ['nasa@1', { download: false }],
  ['nasa@1', { resource: 'asteroidNeoLookup', asteroidId: '1' }],
  ['hunter@1', { domain: 'a.example' }],
  ['pushover@1', { userKey: 'u', message: 'm' }],
  ['humanticAi@1', { operation: 'get', userId: 'u' }],
  ['marketstack@1', { symbols: 'AAPL' }],
  ['openWeatherMap@1', { cityName: 'Bern' }],
  ['n8n-nodes-serpapi.serpApi@1', { q: 'Bern' }],
] as const)('%s %o has a place for the secret in its address', async (kind, params) => {
  expect((await requestOf([kind, params]))?.['url']).toMatch(/\?\w+=\{secret\}$/);
});

test.each([
  ['clickUp@1', { operation: 'getAll', list: 'l' }],
  ['clickUp@1', { operation: 'getAll', list: 'l', returnAll: false, limit: 150 }],
  ['helpScout@1', { operation: 'getAll' }],
  ['helpScout@1', { operation: 'getAll', returnAll: true }],
  ['tapfiliate@1', { operation: 'getAll', returnAll: true }],
  ['taiga@1', { operation: 'getAll', projectId: 1 }],
  ['sentryIo@1', { operation: 'getAll', organizationSlug: 'o', projectSlug: 'p', returnAll: true }],
] as const)('%s %o tells that it reads one page', async (kind, params) => {
  expect(await told(kind, params)).toContain(PAGES);
});

test.each([
  ['clickUp@1', { operation: 'getAll', list: 'l', returnAll: false }],
  ['helpScout@1', { operation: 'getAll', limit: 10 }],
  ['tapfiliate@1', { operation: 'getAll' }],
  ['homeAssistant@1', { resource: 'state', operation: 'getAll', returnAll: true }],
] as const)('%s %o reads no other page', async (kind, params) => {
  expect(await told(kind, params)).not.toContain(PAGES);
});

test.each([
  ['trello@1', { resource: 'list', operation: 'getAll', id: 'b' }, 25, 20],
  ['phantombuster@1', { operation: 'getAll' }, 30, 25],
  ['wise@1', { resource: 'recipient', operation: 'getAll' }, 9, 5],
] as const)('%s gives as many as its form proposes', async (kind, params, has, gives) => {
  const all = Array.from({ length: has }, (_, at) => ({ at }));
  expect(await run([kind, params], [{}], () => all)).toHaveLength(gives);
});

test.each([
  ['awsIam@1', { operation: 'getAll', returnAll: true }],
  ['n8n-nodes-sinergiacrm.sinergiaCrm@1', { module: 'Leads', returnAll: true }],
])('%s tells that it reads a thousand at most', async (kind, params) => {
  expect(await told(kind, params)).toContain(
    'It read everything; here it reads at most 1000. http.pages reads more.',
  );
});

test('a post of Upload-Post that is waited for there is told, as the form proposes it', async () => {
  const post = { operation: 'uploadText', user: 'u', title: 't', platform: ['x'] };
  const waits = 'It waits until the networks have the post; here it goes on when Upload-Post has it.';
  const kind = 'n8n-nodes-upload-post.uploadPost@1';
  expect(await told(kind, post)).toContain(waits);
  expect(await told(kind, { ...post, waitForCompletion: false })).not.toContain(waits);
});

test('events of businesses are those that the form proposes', async () => {
  const kind = '@exploriumai/n8n-nodes-explorium-ai.exploriumApiNode@1';
  const params = { operation: 'events', type: 'businesses' };
  expect(JSON.stringify(await requestOf([kind, params]))).toContain('ipo_announcement');
});

test('an n8n is asked for all of its workflows, unless the node says otherwise', async () => {
  expect(await requestOf(['n8n@1', {}])).toMatchObject({ query: { limit: 250 } });
  expect(await requestOf(['n8n@1', { returnAll: false }])).toMatchObject({ query: { limit: 100 } });
});

test('what a form proposes is sent', async () => {
  expect(await requestOf(['mistralAi@1', { inputType: 'url', url: 'u' }])).toMatchObject({
    body: { model: 'mistral-ocr-latest' },
  });
  const project = { resource: 'project', operation: 'create', name: 'P', clientId: '1', accountId: '2' };
  expect(await requestOf(['harvest@1', project])).toMatchObject({
    body: { is_billable: true, bill_by: 'none', budget_by: 'none' },
  });
  expect(await requestOf(['reddit@1', { subreddit: 'a', title: 't', text: 'x' }])).toMatchObject({
    body: { kind: 'self' },
  });
});

test.each([
  [
    '@brightdata/n8n-nodes-brightdata.brightData@1',
    { url: 'u' },
    { body: { zone: 'n8n_unlocker', format: 'raw', method: 'GET' } },
  ],
  [
    'n8n-nodes-qdrant.qdrant@1',
    { resource: 'point', operation: 'scrollPoints', collectionName: 'c' },
    { body: { limit: 50 } },
  ],
  ['n8n-nodes-dart.dart@1', { resource: 'Task', operation: 'List Tasks' }, { query: { limit: 50 } }],
  [
    '@easysoftware/n8n-nodes-easy-redmine.easyRedmine@1',
    { resource: 'issues', operation: 'get-many' },
    { query: { limit: 50 } },
  ],
  [
    'n8n-nodes-craftmypdf.craftMyPdf@1',
    { resource: 'image', operation: 'create', templateId: 't' },
    { body: { output_type: 'jpeg' } },
  ],
  [
    '@brave/n8n-nodes-brave-search.braveSearch@1',
    { operation: 'suggest', query: 'q', count: 7 },
    { query: { count: 7 } },
  ],
] as const)('%s %o sends what its form proposes', async (kind, params, sent) => {
  expect(await requestOf([kind, params])).toMatchObject(sent);
});

test.each([
  ['n8n-nodes-dart.dart@1', { resource: 'Task', item: '{}' }],
  [
    'theHiveProject@1',
    { resource: 'observable', operation: 'create', id: '1', observableFields: { value: { message: 'm' } } },
  ],
] as const)('%s is a placeholder if what it leaves out is not done here', async (kind, params) => {
  const { report } = await importedShort({
    nodes: {
      Hook: ['webhook@2', { path: 'job', httpMethod: 'POST', responseMode: 'lastNode' }],
      Node: accounted([kind, params]),
    },
    wires: ['Hook > Node'],
  });
  expect(report.nodes.find(({ name }) => name === 'Node')?.word).toBe('placeholder');
});

const operatorOf = async (node: Node, operator: string): Promise<Record<string, unknown> | undefined> =>
  Object.values((await imported(node)).nodes).find((one) => one.operator === operator)?.params;

test('events of a calendar are those of the next seven days, unless the node says otherwise', async () => {
  const asked = (kind: string, params: Record<string, unknown> = {}) =>
    operatorOf([kind, { operation: 'getAll', calendar: 'c', ...params }], 'google-calendar.list-events');
  const week = await asked('googleCalendar@1.3');
  const [from, until] = [week?.['from'], week?.['until']].map((one) =>
    Date.parse(String(render(String(one), {}))),
  );
  const now = Number(render('{{ timestamp(now()) }}', {}));
  expect(Math.abs(Number(from) - now)).toBeLessThan(60_000);
  expect(Number(until) - Number(from)).toBe(7 * 86_400_000);
  for (const other of [
    await asked('googleCalendar@1.2'),
    await asked('googleCalendar@1.3', { timeMin: '', timeMax: '' }),
  ]) {
    expect(other?.['from'] ?? '').toBe('');
    expect(other?.['until'] ?? '').toBe('');
  }
});

test('a list has as many entries as the form proposes', async () => {
  expect(await requestOf(['wordpress@1', { operation: 'getAll' }])).toMatchObject({ query: { per_page: 5 } });
  const history = { resource: 'channel', operation: 'history', channelId: 'c' };
  expect(await requestOf(['slack@2', history])).toMatchObject({ query: { limit: 50 } });
  const channels: Node = ['slack@2', { resource: 'channel', operation: 'getAll' }];
  expect(await operatorOf(channels, 'slack.list-channels')).toMatchObject({ limit: 50 });
});

test('the day of an activity of Pipedrive has no time', async () => {
  const additionalFields = { due_date: '2026-01-02T03:04:05Z' };
  const activity = { resource: 'activity', operation: 'create', subject: 's', additionalFields };
  const { due_date: day } = Object((await requestOf(['pipedrive@2', activity]))?.['body']) as {
    due_date?: string;
  };
  expect(render(String(day), {})).toBe('2026-01-02');
});

test('several choices are one text with commas', async () => {
  const filters = { seniority: ['senior', 'executive'] };
  expect(await requestOf(['hunter@1', { domain: 'a.example', filters }])).toMatchObject({
    query: { seniority: '{{ join([["senior","executive"]].flat()) }}' },
  });
});

test.each([
  ['trello@1', { resource: 'label', boardId: 'b' }, '/boards/'],
  ['spotify@1', { resource: 'track', id: 'spotify:track:7' }, '/tracks/'],
  ['gitlab@1', { resource: 'repository', owner: 'o', repository: 'r' }, '/issues'],
] as const)('%s does the operation that its form proposes', async (kind, params, part) => {
  expect((await requestOf([kind, params]))?.['url']).toContain(part);
});
