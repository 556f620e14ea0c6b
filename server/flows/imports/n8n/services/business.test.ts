import { expect, test } from 'vitest';
import { check, formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import {
  catalog,
  ELSEWHERE,
  importedAlone,
  type Node,
  post,
  rl,
  shareServer,
} from '../testing/service-bed.ts';
import type { Asked } from '../../../../testing/stand-in.ts';

shareServer();

/** Services of business: what is sent for a node, and the items that it gives. */

/** Posts items to an imported workflow, whose service is the stand-in. */
async function run(node: Node, items: unknown, answer: (asked: Asked) => unknown): Promise<unknown> {
  const { flow } = await importedAlone(node);
  return post([formatFlow(flow)], items, answer);
}

/** With addresses below that of the connection. */
const atHome = (flow: Flow): string =>
  formatFlow(flow).replaceAll(/https:\/\/(?:api\.airtop\.ai|people\.googleapis\.com)/g, '');

test('a browser with a session of its own: it is made, waited for, asked, and ended', async () => {
  const node: Node = [
    'airtop@1',
    {
      resource: 'extraction',
      operation: 'query',
      sessionMode: 'new',
      url: '={{ $json.page }}',
      prompt: 'Which price?',
      additionalFields: { outputSchema: '{"type":"object"}', parseJsonOutput: true },
    },
  ];
  const { flow, report } = await importedAlone(node);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  const asked: Asked[] = [];
  let looks = 0;
  const answer = (one: Asked): unknown => {
    asked.push(one);
    if (one.path.endsWith('/page-query')) return { data: { modelResponse: '{"price":3}' } };
    if (one.path.endsWith('/windows')) return { data: { windowId: 'w' } };
    return { data: { id: 's', status: one.method === 'GET' && (looks += 1) > 1 ? 'running' : 'starting' } };
  };
  expect(check(flow, catalog, { routes: [], variables: [], secrets: undefined })).toEqual([]);
  expect(await post([atHome(flow)], [{ page: 'https://shop.example' }], answer)).toEqual([
    { sessionId: 's', windowId: 'w', output: { price: 3 } },
  ]);
  expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /api/v1/sessions',
    'GET /api/v1/sessions/s',
    'GET /api/v1/sessions/s',
    'POST /api/v1/sessions/s/windows',
    'POST /api/v1/sessions/s/windows/w/page-query',
    'DELETE /api/v1/sessions/s',
  ]);
  expect(asked[3]?.body).toEqual({ url: 'https://shop.example' });
  expect(asked[4]?.body).toMatchObject({
    prompt: 'Which price?',
    configuration: { outputSchema: '{"type":"object"}' },
  });
});

test('a session and a window that stand in the item are those of the browser', async () => {
  const { flow } = await importedAlone(['airtop@1', { resource: 'window', operation: 'takeScreenshot' }]);
  const asked: Asked[] = [];
  const answer = (one: Asked): unknown => {
    asked.push(one);
    return { meta: { screenshots: [{ dataUrl: 'data:image/jpeg;base64,AA==' }] } };
  };
  expect(await post([atHome(flow)], [{ sessionId: 's', windowId: 'w' }], answer)).toEqual([
    { sessionId: 's', windowId: 'w', image: 'data:image/jpeg;base64,AA==' },
  ]);
  expect(asked.map(({ path }) => path)).toEqual(['/api/v1/sessions/s/windows/w/screenshot']);
});

test('records of Odoo: those that fit, a new one, and a changed one', async () => {
  const asked: Asked[] = [];
  const answer = (one: Asked): unknown => {
    asked.push(one);
    return one.path.endsWith('search_read')
      ? [{ id: 1, name: 'Ada' }]
      : one.path.endsWith('create')
        ? [7]
        : true;
  };
  const model = { resource: 'custom', customResource: 'sale.order' };
  const fieldsToCreateOrUpdate = { fields: [{ fieldName: 'name', fieldValue: '={{ $json.n }}' }] };
  const filter = [{ fieldName: 'name', operator: 'like', value: '={{ $json.n }}' }];
  const runs: [Record<string, unknown>, unknown][] = [
    [{ ...model, operation: 'getAll', filterRequest: { filter } }, [{ id: 1, name: 'Ada' }]],
    [{ ...model, operation: 'create', fieldsToCreateOrUpdate }, [{ id: 7 }]],
    [
      { ...model, operation: 'update', customResourceId: '={{ $json.id }}', fieldsToCreateOrUpdate },
      [{ id: '3' }],
    ],
    [
      { contactName: '={{ $json.n }}', additionalFields: { address: { value: { city: 'Bonn' } } } },
      [{ id: 7 }],
    ],
  ];
  for (const [parameters, found] of runs)
    expect(await run(['odoo@1', parameters], [{ n: 'Ada', id: '3' }], answer)).toEqual(found);
  expect(asked).toEqual([
    {
      method: 'POST',
      path: '/json/2/sale.order/search_read',
      body: { domain: [['name', 'like', 'Ada']], limit: 50 },
    },
    { method: 'POST', path: '/json/2/sale.order/create', body: { vals_list: [{ name: 'Ada' }] } },
    { method: 'POST', path: '/json/2/sale.order/write', body: { ids: [3], vals: { name: 'Ada' } } },
    {
      method: 'POST',
      path: '/json/2/res.partner/create',
      body: { vals_list: [{ name: 'Ada', city: 'Bonn' }] },
    },
  ]);
});

test('contacts of Google have the shape that n8n gives them', async () => {
  const person = {
    resourceName: 'people/c1',
    metadata: {},
    names: [{ displayName: 'Ada', metadata: {} }],
    emailAddresses: [
      { value: 'a@b.c', type: 'work' },
      { value: 'd@e.f', type: 'work' },
    ],
    birthdays: [{ date: { year: 1815, month: 12, day: 10 } }],
  };
  const { flow } = await importedAlone(['googleContacts@1', { operation: 'getAll', fields: ['*'] }]);
  expect(await post([atHome(flow)], [{}], () => ({ connections: [person] }))).toEqual([
    {
      resourceName: 'people/c1',
      contactId: 'c1',
      names: { displayName: 'Ada' },
      emailAddresses: { work: ['a@b.c', 'd@e.f'] },
      birthdays: '12/10/1815',
    },
  ]);
});

test('an issue of Linear is made by a mutation with its fields', async () => {
  const { flow } = await importedAlone([
    'linear@1',
    { teamId: 't', title: '={{ $json.n }}', additionalFields: { priorityId: 2, description: 'Why' } },
  ]);
  const asked: Asked[] = [];
  const answer = (one: Asked): unknown => {
    asked.push(one);
    return { data: { issueCreate: { issue: { id: 'i' } } } };
  };
  const text = formatFlow(flow).replaceAll('https://api.linear.app', '');
  expect(await post([text], [{ n: 'Broken' }], answer)).toEqual([{ id: 'i' }]);
  expect(asked[0]?.body).toMatchObject({
    variables: { input: { title: 'Broken', teamId: 't', priority: 2, description: 'Why' } },
  });
});

test('a ticket of Freshdesk has the numbers of its state, and one who asks', async () => {
  const parameters = {
    requester: 'email',
    requesterIdentificationValue: '={{ $json.m }}',
    priority: 'high',
    options: { subject: 'Broken', tags: 'a,b' },
  };
  const asked: Asked[] = [];
  const answer = (one: Asked): unknown => {
    asked.push(one);
    return { id: 1 };
  };
  expect(await run(['freshdesk@1', parameters], [{ m: 'a@b.c' }], answer)).toEqual([{ id: 1 }]);
  expect(asked).toEqual([
    {
      method: 'POST',
      path: '/api/v2/tickets',
      body: {
        email: 'a@b.c',
        status: 3,
        priority: 3,
        source: 2,
        subject: 'Broken',
        description: 'null',
        tags: ['a', 'b'],
      },
    },
  ]);
});

test.each([
  [
    'incident.create',
    'pagerDuty@1',
    { title: '={{ $json.n }}', serviceId: 's', email: 'a@b.c' },
    {
      incident: {
        type: 'incident',
        title: '{{ input?.n }}',
        service: { id: 's', type: 'service_reference' },
      },
    },
  ],
  [
    'contact',
    'intercom@1',
    { identifierType: 'email', idValue: '={{ $json.m }}' },
    { role: 'user', email: '{{ input?.m }}' },
  ],
  [
    'item',
    'webflow@2',
    {
      operation: 'create',
      collectionId: 'c',
      fieldsUi: { fieldValues: [{ fieldId: 'name', fieldValue: '={{ $json.n }}' }] },
    },
    { fieldData: { name: '{{ input?.n }}' } },
  ],
  [
    'item',
    'microsoftSharePoint@1',
    {
      resource: 'item',
      operation: 'update',
      site: rl('s'),
      list: rl('l'),
      columns: { mappingMode: 'defineBelow', value: { id: '4', Title: '={{ $json.n }}' } },
    },
    { Title: '{{ input?.n }}' },
  ],
])('the body of a request: %s of %s', async (_, kind, parameters, body) => {
  const { flow, report } = await importedAlone([kind, parameters]);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  const asked = Object.values(flow.nodes).find(({ operator }) => operator === 'http.request');
  expect(asked?.params?.['body']).toEqual(body);
});

test.each<readonly [string, Record<string, unknown>, string, unknown, unknown, unknown]>([
  [
    'awsLambda@1',
    { function: 'f:1', payload: '={"n":"{{ $json.n }}"}' },
    '/2015-03-31/functions/f:1/invocations',
    { n: 'Ada' },
    7,
    { result: 7 },
  ],
  [
    'awsSes@1',
    { fromEmail: 'a@b.c', toAddresses: ['d@e.f'], subject: 'Hi', body: '={{ $json.n }}', isBodyHtml: true },
    '/v2/email/outbound-emails',
    {
      FromEmailAddress: 'a@b.c',
      Destination: { ToAddresses: ['d@e.f'] },
      Content: { Simple: { Subject: { Data: 'Hi' }, Body: { Html: { Data: 'Ada', Charset: 'UTF-8' } } } },
    },
    { MessageId: 'm' },
    { MessageId: 'm' },
  ],
  [
    'awsSqs@1',
    { queue: 'https://q/1/q' },
    '/',
    { QueueUrl: 'https://q/1/q', MessageBody: '{"n":"Ada"}' },
    { MessageId: 'm' },
    { MessageId: 'm' },
  ],
  [
    'awsRekognition@1',
    { bucket: 'b', name: '={{ $json.n }}', type: 'detectText' },
    '/',
    { Image: { S3Object: { Bucket: 'b', Name: 'Ada' } } },
    { TextDetections: [] },
    { TextDetections: [] },
  ],
  [
    'awsTranscribe@1',
    { transcriptionJobName: 'j', mediaFileUri: 's3://b/{{ n }}', options: {} },
    '/',
    {
      TranscriptionJobName: 'j',
      LanguageCode: 'en-US',
      Media: { MediaFileUri: expect.any(String) },
      Settings: {},
    },
    { TranscriptionJob: { id: 1 } },
    { id: 1 },
  ],
])('%s calls the host of its connection', async (kind, parameters, path, body, given, item) => {
  const { flow, report } = await importedAlone([kind, parameters]);
  expect(report.needs[0]?.message).toContain('of the kind http,');
  const [need] = report.needs.filter((one) => one.kind === 'connection');
  const asked: Asked[] = [];
  const answer = (one: Asked): unknown => {
    asked.push(one);
    return given;
  };
  const text = formatFlow(flow).replaceAll(`"${need?.name}"`, '"account"');
  expect(await post([text], [{ n: 'Ada' }], answer)).toEqual([item]);
  expect(asked).toEqual([{ method: 'POST', path, body }]);
});

test('campaigns of Google Ads are asked for with their range and state', async () => {
  const { flow, report } = await importedAlone([
    'googleAds@1',
    {
      managerCustomerId: '12-34',
      clientCustomerId: '56-78',
      additionalOptions: { dateRange: 'LAST_7_DAYS', campaignStatus: 'ENABLED' },
    },
  ]);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  const asked: Asked[] = [];
  const answer = (one: Asked): unknown => {
    asked.push(one);
    return { results: [{ campaign: { id: 1 }, metrics: { ctr: 2 }, campaignBudget: { period: 'DAILY' } }] };
  };
  const text = formatFlow(flow).replaceAll('https://googleads.googleapis.com', '');
  expect(await post([text], [{}], answer)).toEqual([{ id: 1, ctr: 2, period: 'DAILY' }]);
  expect(asked[0]?.path).toBe('/v25/customers/5678/googleAds:search');
  expect(JSON.stringify(asked[0]?.body)).toContain(
    "where campaign.id > 0 and segments.date DURING LAST_7_DAYS and campaign.status = 'ENABLED'",
  );
});

test('a row of Coda has a cell for each field of the item', async () => {
  const { flow } = await importedAlone([
    'coda@1',
    { docId: 'd', tableId: 't', options: { keyColumns: 'n' } },
  ]);
  const asked: Asked[] = [];
  const answer = (one: Asked): unknown => {
    asked.push(one);
    return { requestId: 'r' };
  };
  expect(await post([formatFlow(flow).replaceAll('https://coda.io', '')], [{ n: 'Ada' }], answer)).toEqual([
    { n: 'Ada' },
  ]);
  expect(asked[0]?.body).toEqual({ rows: [{ cells: [{ column: 'n', value: 'Ada' }] }], keyColumns: ['n'] });
});

test('rows of Snowflake have the names of their columns', async () => {
  const asked: Asked[] = [];
  const answer = (one: Asked): unknown => {
    asked.push(one);
    return { resultSetMetaData: { rowType: [{ name: 'ID' }, { name: 'N' }] }, data: [['1', 'Ada']] };
  };
  const parameters = {
    operation: 'executeQuery',
    query: 'select * from p where n = ?',
    options: { queryReplacement: '={{ $json.n }}' },
  };
  expect(await run(['snowflake@1', parameters], [{ n: 'Ada' }], answer)).toEqual([{ ID: '1', N: 'Ada' }]);
  expect(asked[0]).toMatchObject({
    path: '/api/v2/statements',
    body: { statement: 'select * from p where n = ?', bindings: { 1: { type: 'TEXT', value: 'Ada' } } },
  });
});

test('a file goes to Azure as a blob of its name', async () => {
  const parameters = { resource: 'blob', operation: 'create', container: rl('c'), blobCreate: 'a/b.txt' };
  const { flow, report } = await importedAlone(['azureStorage@1', parameters]);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  const asked = Object.values(flow.nodes).find(({ operator }) => operator === 'http.request')?.params;
  expect(asked).toMatchObject({
    method: 'PUT',
    headers: { 'x-ms-version': '2021-12-02', 'x-ms-blob-type': 'BlockBlob' },
    bodyType: 'bytes',
  });
  const found = check(flow, catalog, { routes: [], variables: [], secrets: undefined });
  expect(found.filter(({ code }) => !ELSEWHERE.has(code))).toEqual([]);
});

test('documents of Elasticsearch are found, and made of the item', async () => {
  const asked: Asked[] = [];
  const answer = (one: Asked): unknown => {
    asked.push(one);
    return { hits: { hits: [{ _id: '1', _source: { n: 'Ada' } }] } };
  };
  const query = { operation: 'getAll', indexId: 'p', options: { query: '{"query":{"match_all":{}}}' } };
  expect(await run(['elasticsearch@1', query], [{}], answer)).toEqual([{ _id: '1', n: 'Ada' }]);
  const made = { operation: 'create', indexId: 'p', dataToSend: 'autoMapInputData', inputsToIgnore: 'x' };
  await run(['elasticsearch@1', made], [{ n: 'Ada', x: 1 }], answer);
  expect(asked).toEqual([
    { method: 'POST', path: '/p/_search', body: { query: { match_all: {} } } },
    { method: 'POST', path: '/p/_doc', body: { n: 'Ada' } },
  ]);
});

test('a contact of Intercom that is known by another id is a placeholder', async () => {
  const { report } = await importedAlone([
    'intercom@1',
    { operation: 'update', updateBy: 'email', value: 'a@b.c' },
  ]);
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toHaveLength(1);
});

test.each<Node>([
  ['awsTextract@1', { binaryPropertyName: 'data' }],
  ['awsRekognition@1', { binaryData: true, type: 'detectLabels' }],
  ['airtop@1', { profileName: 'p', saveProfileOnTermination: true, proxy: 'integrated' }],
  ['airtop@1', { resource: 'window', operation: 'takeScreenshot', outputImageAsBinary: true }],
  ['airtop@1', { resource: 'window', url: 'https://shop.example', getLiveView: true }],
])('several requests for %s %o are checked', async (kind, parameters) => {
  const { flow, report } = await importedAlone([kind, parameters]);
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  const found = check(flow, catalog, { routes: [], variables: [], secrets: undefined });
  expect(found.filter(({ code }) => !ELSEWHERE.has(code))).toEqual([]);
});
