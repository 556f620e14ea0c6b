import { expect, test } from 'vitest';
import { formatFlow } from '#engine/check';
import { findingsOf } from '../../../../../engine/check/check.ts';
import { render } from '../../../../../engine/expr/testing/evaluate.ts';
import { catalog, ELSEWHERE, importedShort, post, shareServer } from '../testing/service-bed.ts';
import { appOperations, ownApps } from './apps.ts';
import { ownPlatforms, platformOperations } from './platforms.ts';
import { ownTools, toolOperations } from './tools.ts';

shareServer();

/** Operations of apps and platforms that are written in code become requests that `check` accepts. */

const imported = (kind: string, parameters: Record<string, unknown>, credential = 'any') =>
  importedShort({
    nodes: {
      Hook: ['webhook@2', { path: 'job', httpMethod: 'POST', responseMode: 'lastNode' }],
      Node: [kind, parameters, { credentials: { [credential]: { id: '1', name: 'Account' } } }],
    },
    wires: ['Hook > Node'],
  });

async function converted(kind: string, parameters: Record<string, unknown>) {
  const { flows, report } = await imported(kind, parameters);
  const [flow] = flows;
  if (flow === undefined) throw new Error('no flow');
  const found = findingsOf(flow, catalog, { routes: [], variables: [], secrets: undefined });
  expect(found.filter(({ code, severity }) => severity !== 'warning' && !ELSEWHERE.has(code))).toEqual([]);
  return { flow, report };
}

async function requestsOf(kind: string, parameters: Record<string, unknown>) {
  const { flow, report } = await converted(kind, parameters);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  return Object.values(flow.nodes)
    .filter(({ operator }) => operator === 'http.request')
    .map(({ params }) => params);
}

const GIVEN: Readonly<Record<string, Record<string, unknown>>> = {
  'strapi entry.create': { contentType: 'posts', columns: 'title' },
  'strapi entry.update': { contentType: 'posts', columns: 'title' },
  'clockify timeEntry.update': { workspaceId: 'w', timeEntryId: 't', updateFields: { start: '2026-01-02' } },
  'apiTemplateIo pdf.create': {
    pdfTemplateId: 't',
    propertiesUi: { propertyValues: [{ key: 'a', value: 1 }] },
  },
  ...Object.fromEntries(
    ['alert', 'case', 'task', 'log', 'observable'].flatMap((kind) => [
      [`theHiveProject ${kind}.create`, { [`${kind}Fields`]: { value: { title: 'Odd mail' } } }],
      [`theHiveProject ${kind}.update`, { [`${kind}UpdateFields`]: { value: { id: '~1', title: 'Odd' } } }],
    ]),
  ),
  'theHiveProject observable.create': {
    dataType: 'domain',
    observableFields: { value: { data: 'x.example' } },
  },
};

const coded = [
  ...Object.entries({ ...appOperations, ...platformOperations, ...toolOperations }),
  ...[...ownApps, ...ownPlatforms, ...ownTools].map(({ kind, operations }) => [kind, operations] as const),
].flatMap(([kind, operations]) => Object.keys(operations).map((name) => [kind, name] as const));

test.each(coded)('%s %s', async (kind, name) => {
  const [resource = '', operation = ''] = name.split('.');
  const { report } = await converted(kind === 'mindee' ? 'mindee@3' : kind, {
    ...(resource !== '' && { resource }),
    ...(operation !== '' && { operation }),
    ...GIVEN[`${kind} ${name}`],
  });
  expect(report.nodes.find((node) => node.name === 'Node')?.word).not.toBe('placeholder');
});

test('a picture that the service made is fetched from its address, without the connection', async () => {
  const [first, second] = await requestsOf('apiTemplateIo', {
    resource: 'pdf',
    pdfTemplateId: 'tpl',
    jsonParameters: true,
    propertiesJson: '{"name":"Ada"}',
    download: true,
    binaryProperty: 'file',
  });
  expect(first).toMatchObject({
    url: 'https://rest.apitemplate.io/v2/create-pdf',
    query: { template_id: 'tpl' },
    connection: 'account',
  });
  expect(second).toEqual({ method: 'GET', url: '{{ input.download_url }}', response: 'file' });
});

test('an enrichment of Dropcontact is read after a while, unless it is simplified', async () => {
  const { flow } = await converted('dropcontact', { email: 'ada@example.com', options: { waitTime: 20 } });
  const nodes = Object.values(flow.nodes);
  expect(nodes.find(({ operator }) => operator === 'logic.delay')?.params).toEqual({ ms: 20_000 });
  expect(nodes.filter(({ operator }) => operator === 'http.request').at(-1)?.params).toMatchObject({
    url: 'https://api.dropcontact.com/v1/enrich/all/{{ urlEncode(input.request_id) }}',
    connection: 'account',
  });
  expect(await requestsOf('dropcontact', { email: 'ada@example.com', simplify: true })).toHaveLength(1);
});

test('uProc gets the params of its tool', async () => {
  const [request] = await requestsOf('uproc', {
    tool: 'getEmailByFirstnameLastnameDomain',
    firstname: 'Ada',
    domain: '={{ $json.body.domain }}',
  });
  expect(request?.['body']).toEqual({
    processor: 'get-email-by-firstname-lastname-domain',
    params: { domain: expect.stringContaining('domain'), firstname: 'Ada' },
  });
  const [left] = await requestsOf('uproc', { group: 'security', number: '7' });
  expect(left?.['body']).toEqual({ processor: 'check-number-luhn', params: { number: '7' } });
});

test('names and values of a form are fields', async () => {
  const [call] = await requestsOf('homeAssistant', {
    resource: 'service',
    operation: 'call',
    domain: 'light',
    service: 'turn_on',
    serviceAttributes: { attributes: [{ name: 'entity_id', value: 'light.desk' }] },
  });
  expect(call).toMatchObject({ method: 'POST', body: { entity_id: 'light.desk' } });
  const [created] = await requestsOf('bubble', {
    operation: 'create',
    typeName: 'My Thing',
    properties: { property: [{ key: 'color', value: '={{ $json.body.color }}' }] },
  });
  expect(created?.['body']).toEqual({ color: '{{ input?.body?.color }}' });
});

test('the sport of Strava has another name since version 1.1 of the node', async () => {
  const given = { name: 'Run', type: 'Run', startDate: '2026-01-02T03:04:05', elapsedTime: 60 };
  const [old] = await requestsOf('strava@1', given);
  expect(old?.['body']).toMatchObject({ type: 'Run', elapsed_time: 60 });
  const { type: _, ...others } = given;
  const [today] = await requestsOf('strava@1.1', others);
  expect(today?.['body']).toMatchObject({ sport_type: 'Run' });
});

test('MailerLite is asked in its two versions', async () => {
  const given = { email: 'ada@example.com' };
  expect((await requestsOf('mailerLite@1', given))[0]?.['url']).toBe(
    'https://api.mailerlite.com/api/v2/subscribers',
  );
  expect((await requestsOf('mailerLite@2', given))[0]?.['url']).toBe(
    'https://connect.mailerlite.com/api/subscribers',
  );
});

test('a message of Matrix in HTML has its text beside it', async () => {
  const [request] = await requestsOf('matrix', {
    roomId: '!r:example.com',
    text: '<b>Hi</b>',
    messageFormat: 'org.matrix.custom.html',
    fallbackText: 'Hi',
  });
  expect(request?.['body']).toEqual({
    msgtype: 'm.text',
    body: 'Hi',
    format: 'org.matrix.custom.html',
    formatted_body: '<b>Hi</b>',
  });
});

test('a list without a limit of the service is cut here', async () => {
  const { flow } = await converted('homeAssistant', { resource: 'state', operation: 'getAll', limit: 3 });
  expect(JSON.stringify(flow.nodes)).toContain('(one).slice(0, 3)');
});

test('conditions of Bubble are a text of JSON, with what is worked out in it', async () => {
  const filter = [
    { key: 'color', constraint_type: 'equals', value: '={{ $json.body.color }}' },
    { key: 'size', constraint_type: 'is_empty' },
  ];
  const [request] = await requestsOf('bubble', {
    operation: 'getAll',
    typeName: 'My Thing',
    options: { filters: { filter } },
  });
  const query = Object(request?.['query']) as { constraints: string };
  const constraints = query.constraints.replaceAll('nodes.hook_item', 'input');
  expect(JSON.parse(String(render(constraints, { body: { color: 'red' } })))).toEqual([
    { key: 'color', constraint_type: 'equals', value: 'red' },
    { key: 'size', constraint_type: 'is_empty', value: '' },
  ]);
  expect(render(String(request?.['url']), {})).toBe('/obj/mything');
});

test('a list with a value that is worked out in it is a placeholder', async () => {
  const keys = ['watts', '={{ $json.body.key }}'];
  const { report } = await imported('strava', { operation: 'getStreams', activityId: '1', keys });
  expect(report.nodes.find(({ name }) => name === 'Node')).toMatchObject({
    word: 'placeholder',
    difference: 'It cannot be taken over: one of its keys is worked out.',
  });
});

test('times and tags of TheHive are numbers and lists', async () => {
  const [request] = await requestsOf('theHiveProject', {
    alertFields: {
      mappingMode: 'defineBelow',
      value: { title: 'Odd', date: '2026-01-02T03:04:05Z', tags: 'a, b' },
    },
  });
  const body = Object(request?.['body']) as Record<string, string>;
  expect(body['title']).toBe('Odd');
  expect(render(body['date'] ?? '', {})).toBe(1_767_323_045_000);
  expect(render(body['tags'] ?? '', {})).toEqual(['a', 'b']);
});

test('a second request is sent for each item, with what the first one answered', async () => {
  const { flows } = await importedShort({
    nodes: {
      Hook: [
        'webhook@2',
        { path: 'job', httpMethod: 'POST', responseMode: 'lastNode', responseData: 'allEntries' },
      ],
      List: ['splitOut@1', { fieldToSplitOut: 'body' }],
      Node: [
        'cortex',
        {
          analyzer: 'abuse::AbuseFinder',
          observableType: 'ip',
          observableValue: '={{ $json.ip }}',
          additionalFields: { timeout: 2 },
        },
        { credentials: { any: { id: '1', name: 'Account' } } },
      ],
    },
    wires: ['Hook > List', 'List > Node'],
  });
  const [flow] = flows;
  if (flow === undefined) throw new Error('no flow');
  const found = await post([formatFlow(flow)], [{ ip: '1.1.1.1' }, { ip: '2.2.2.2' }], ({ path, body }) =>
    path.endsWith('/run') ? { id: `of ${Object(body)['data']}` } : { report: path },
  );
  expect(found).toEqual([
    { report: '/api/job/of 1.1.1.1/waitreport' },
    { report: '/api/job/of 2.2.2.2/waitreport' },
  ]);
});

test('each of them is a tool of an agent, too', async () => {
  const { flows, report } = await importedShort({
    nodes: {
      Chat: ['chatTrigger@1.1'],
      Agent: ['agent@2'],
      Model: ['lmChatOpenAi@1.2', { model: { __rl: true, mode: 'list', value: 'gpt-4o' } }],
      Shop: [
        'bitlyTool',
        { longUrl: "={{ $fromAI('address', 'What to shorten', 'string') }}" },
        { credentials: { any: { id: '1', name: 'Account' } } },
      ],
    },
    wires: ['Chat > Agent', 'Model ai_languageModel> Agent', 'Shop ai_tool> Agent'],
  });
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  const requests = flows
    .flatMap(({ nodes }) => Object.values(nodes))
    .filter(({ operator }) => operator === 'http.request');
  expect(requests.map(({ params }) => params?.['url'])).toEqual(['https://api-ssl.bitly.com/v4/bitlinks']);
});

test('where the app itself signs in, the connection is by OAuth2', async () => {
  const { report } = await imported('payPal', { operation: 'get', payoutBatchId: 'p' }, 'payPalApi');
  expect(report.needs.find(({ name }) => name === 'account')?.message).toContain('of the kind oauth2');
});

test('a story of Medium is written for the person who signed in, or into a publication', async () => {
  const given = { title: 'Tea', contentFormat: 'markdown', content: '={{ $json.body.text }}' };
  const [me, story] = await requestsOf('medium', { ...given, additionalFields: { tags: 'a, b' } });
  expect(me).toMatchObject({ method: 'GET', url: 'https://api.medium.com/v1/me', connection: 'account' });
  expect(story).toMatchObject({
    method: 'POST',
    url: 'https://api.medium.com/v1/users/{{ urlEncode(input.data.id) }}/posts',
    connection: 'account',
    body: { content: '{{ nodes.hook_item?.body?.text }}' },
  });
  const tags = String(Object(story?.['body'])['tags']);
  expect(render(tags, {})).toEqual(['a', 'b']);
  const [only] = await requestsOf('medium', { ...given, publication: true, publicationId: 'p' });
  expect(render(String(only?.['url']), {})).toBe('https://api.medium.com/v1/publications/p/posts');
});

test('an alert has the secret of the connection in its path', async () => {
  const url = 'https://connect.signl4.com/webhook/{secret}';
  expect((await requestsOf('signl4', { message: 'm' }))[0]).toMatchObject({
    url,
    body: { Message: 'm', 'X-S4-Status': 'new' },
  });
  expect((await requestsOf('signl4', { operation: 'resolve', externalId: 'A1' }))[0]).toMatchObject({
    url,
    body: { 'X-S4-ExternalID': 'A1', 'X-S4-Status': 'resolved' },
  });
});

test('what Mindee read is each field by its value', async () => {
  const { flow } = await converted('mindee@3', { resource: 'invoice' });
  const items = Object.values(flow.nodes)
    .map(({ params }) => String(params?.['value']))
    .find((value) => value.includes('one.document'));
  const prediction = {
    total_amount: { value: 12.5, confidence: 1 },
    supplier_name: { value: null, raw: 'Tea Ltd' },
    locale: { currency: 'EUR', value: 'en' },
    taxes: [{ amount: 2, rate: 20 }],
    line_items: [{ description: 'Tea', quantity: 1, page_id: 0 }],
    registrations: [],
  };
  const document = { id: 'd', name: 'a.pdf', n_pages: 1, inference: { prediction } };
  expect(render(String(items), { document })).toEqual([
    {
      ...{ id: 'd', name: 'a.pdf', number_of_pages: 1, total_amount: 12.5, supplier_name: 'Tea Ltd' },
      ...{ currency: 'EUR', locale: 'en', taxes: { amount: 2, rate: 20 }, registrations: null },
      line_items: [{ description: 'Tea', quantity: 1 }],
    },
  ]);
});
