import { expect, test } from 'vitest';
import { formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { imported, requestsIn, run } from '../testing/community-bed.ts';
import { accounted, importedShort, type Node, post, shareServer } from '../testing/service-bed.ts';
import type { Asked } from '../../../../testing/stand-in.ts';

shareServer();

/** Nodes of the community that no line of data says, and those that take several requests. */

const pdf = 'n8n-nodes-htmlcsstopdf.htmlcsstopdf';
const tipp = 'n8n-nodes-klicktipp.klicktipp';
const explorium = '@exploriumai/n8n-nodes-explorium-ai.exploriumApiNode';

test.each<[what: string, node: Node, requests: Record<string, unknown>[]]>([
  [
    'a PDF of HTML is an address',
    [pdf, { html_content: '<p>x</p>' }],
    [
      {
        method: 'POST',
        url: 'https://pdfmunk.com/api/v1/generatePdf',
        bodyType: 'json',
        body: {
          ...{ html_content: '<p>x</p>', viewPortWidth: 1080, viewPortHeight: 720, output_format: 'url' },
          ...{ wait_until: 'load', wait_till: 0, output_filename: 'document' },
        },
      },
    ],
  ],
  ['or a file', [pdf, { html_content: 'x', output_format: 'file' }], [{ response: 'file' }]],
  [
    'a PDF in a field is sent as one',
    [pdf, { resource: 'pdfSecurity', lock_input_type: 'file', lock_password: 'p' }],
    [
      {
        bodyType: 'multipart',
        response: 'file',
        body: { password: 'p', output: 'file', output_name: 'locked.pdf' },
      },
    ],
  ],
  [
    'fields of a contact are those of a form',
    [
      tipp,
      {
        resource: 'subscriber',
        operation: 'subscribe',
        email: 'a@b.c',
        listId: '7',
        fields: { dataFields: [{ fieldId: 'fieldFirstName', fieldValue: 'Ada' }] },
      },
    ],
    [
      {
        url: 'https://api.klicktipp.com/subscriber',
        bodyType: 'form',
        body: { email: 'a@b.c', listid: '7', 'fields[fieldFirstName]': 'Ada' },
      },
    ],
  ],
  [
    'networks get what is theirs',
    [
      'n8n-nodes-upload-post.uploadPost',
      {
        operation: 'uploadText',
        user: 'me',
        title: 'Hi',
        platform: ['x', 'linkedin', 'tiktok'],
        xTitle: 'X',
        targetLinkedinPageId: 'me',
      },
    ],
    [
      {
        url: 'https://api.upload-post.com/api/upload_text',
        bodyType: 'multipart',
        body: {
          user: 'me',
          title: 'Hi',
          'platform[]': ['x', 'linkedin'],
          x_title: 'X',
          async_upload: 'true',
        },
      },
    ],
  ],
  [
    'posts are those of the form',
    [
      'n8n-nodes-postiz.postiz',
      {
        date: '2026-01-02T03:04:05',
        posts: {
          post: [
            {
              integrationId: 'i',
              value: { contentItem: [{ content: 'Hi', image: { imageItem: [{ id: '1', path: '/p' }] } }] },
              settings: { setting: [{ key: 'title', value: 'T' }] },
            },
          ],
        },
      },
    ],
    [
      {
        url: '/public/v1/posts',
        body: {
          type: 'now',
          shortLink: false,
          date: '2026-01-02T03:04:05',
          tags: [],
          posts: [
            {
              integration: { id: 'i' },
              value: [{ content: 'Hi', image: [{ id: '1', path: '/p' }] }],
              settings: { title: 'T' },
            },
          ],
        },
      },
    ],
  ],
  [
    'a model is asked by a message',
    [
      'n8n-nodes-aimlapi.aimlApi',
      { model: 'm', prompt: 'Hi', options: { maxTokens: 5 }, requestOptions: {} },
    ],
    [
      {
        url: 'https://api.aimlapi.com/v1/chat/completions',
        body: { model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 5 },
      },
    ],
  ],
  [
    'a document is sent first',
    ['@vlm-run/n8n-nodes-vlmrun.vlmRun', { domain: 'document.invoice' }],
    [
      { url: 'https://api.vlm.run/v1/files', bodyType: 'multipart' },
      {
        url: 'https://api.vlm.run/v1/document/generate',
        body: { model: 'vlm-1', domain: 'document.invoice', batch: false },
      },
    ],
  ],
  [
    'the file of an agent goes to its own place',
    [
      '@vlm-run/n8n-nodes-vlmrun.vlmRun',
      { operation: 'executeAgent', agentPrompt: 'Read', agentCallbackUrl: 'u' },
    ],
    [
      { url: 'https://agent.vlm.run/v1/files/presigned-url' },
      { method: 'PUT', bodyType: 'bytes' },
      {
        url: 'https://agent.vlm.run/v1/agent/execute',
        body: { config: { prompt: 'Read' }, callback_url: 'u' },
      },
    ],
  ],
  [
    'each enrichment is asked for',
    [
      explorium,
      {
        operation: 'enrich',
        enrichment: ['firmographics', 'technographics'],
        business_ids: { business_ids: [{ id: 'b' }] },
      },
    ],
    [
      {
        url: 'https://api.explorium.ai/v1/businesses/firmographics/bulk_enrich',
        body: { business_ids: ['b'] },
      },
      { url: 'https://api.explorium.ai/v1/businesses/technographics/bulk_enrich' },
    ],
  ],
  [
    'a transcript is asked for by its id',
    ['@firefliesai/n8n-nodes-fireflies.fireflies', { transcriptId: 't' }],
    [{ url: 'https://api.fireflies.ai/graphql', body: { variables: { id: 't' } } }],
  ],
  [
    'a page is rendered',
    [
      '@scrapeops/n8n-nodes-scrapeops.ScrapeOps',
      { url: 'https://x.example', advancedOptions: { render_js: true } },
    ],
    [{ query: { url: 'https://x.example', render_js: true, premium: 'level_1' } }],
  ],
  [
    'a secret stands in the address',
    ['n8n-nodes-verifiemail.verifiEmail', { operation: 'checkDomainHealth', domain: 'x.example' }],
    [{ url: 'https://api.verifi.email/v1/domain/check?token={secret}', query: { domain: 'x.example' } }],
  ],
  [
    'a review has an address for its answer',
    [
      '@gotohuman/n8n-nodes-gotohuman.gotoHuman',
      { reviewTemplateID: 't', fields: { value: { a: '={{ $json.a }}' }, schema: [] }, additionalFields: {} },
    ],
    [
      {
        url: 'https://api.gotohuman.com/requestReview',
        body: { formId: 't', webhookUrl: '{{ nodes.node_address.link }}' },
      },
    ],
  ],
  [
    'HTML becomes a PDF',
    ['@custom-js/n8n-nodes-pdf-toolkit.html2Pdf', { htmlInput: '<p>x</p>' }],
    [{ url: 'https://e.customjs.io/__js1-{secret}', response: 'file', body: { input: '<p>x</p>' } }],
  ],
  [
    'layers have their names',
    [
      'n8n-nodes-templated.templated',
      { template: 't', layers: { layer: [{ layerName: 'a', text: 'x', color: '', hide: false }] } },
    ],
    [{ body: { template: 't', format: 'jpg', layers: { a: { text: 'x' } } } }],
  ],
  [
    'records are searched by a filter',
    [
      'n8n-nodes-brightdata.brightData',
      {
        resource: 'marketplaceDataset',
        operation: 'filterDataset',
        dataset_id: 'd',
        field_name: 'n',
        field_value: 'v',
      },
    ],
    [
      {
        url: 'https://api.brightdata.com/datasets/filter',
        body: { dataset_id: 'd', records_limit: 100, filter: { name: 'n', operator: '=', value: 'v' } },
      },
    ],
  ],
  [
    'a search has its fields in a list',
    [
      'n8n-nodes-dataforseo.dataForSeo',
      { resource: 'serp', keyword: 'tea', language_name: 'English', location_name: 'Malta', os: {} },
    ],
    [
      {
        url: 'https://api.dataforseo.com/v3/serp/google/organic/live/regular',
        body: [{ keyword: 'tea', language_name: 'English', location_name: 'Malta', device: 'desktop' }],
      },
    ],
  ],
  [
    'publications are those of the form',
    [
      '@postpulse/n8n-nodes-postpulse.postPulse',
      {
        isDraft: true,
        scheduledTime: '2026-01-02T03:04:05Z',
        publications: {
          publication: [
            {
              socialMediaAccountId: 7,
              posts: { post: [{ content: 'Hi' }] },
              platformSettings: '{"type":"X"}',
            },
          ],
        },
      },
    ],
    [
      {
        url: 'https://api.post-pulse.com/v1/posts',
        body: { isDraft: true, publications: [{ socialMediaAccountId: 7, posts: [{ content: 'Hi' }] }] },
      },
    ],
  ],
  [
    'pages of a PDF become text',
    [
      'n8n-nodes-pdfco.PDFco Api',
      { operation: 'Convert from PDF', url: 'u', advancedOptions: { pages: '1' } },
    ],
    [{ url: 'https://api.pdf.co/v1/pdf/convert/to/text', body: { url: 'u', inline: true, pages: '1' } }],
  ],
  [
    'a file goes to PDF.co by its own place',
    ['n8n-nodes-pdfco.PDFco Api', { operation: 'Upload File to PDF.co', name: 'n', binaryData: true }],
    [{ query: { name: 'n' } }, { method: 'PUT', bodyType: 'bytes' }],
  ],
  [
    'records are found by conditions',
    [
      'n8n-nodes-sinergiacrm.sinergiaCrm',
      { module: 'Contacts', options: { filters: { Filter: [{ field: 'nif', value: '1' }] } } },
    ],
    [{ query: { 'page[size]': 100, 'filter[nif][EQ]': '1' } }],
  ],
])('%s', async (_, node, requests) => {
  const flow = await imported(node);
  expect(requestsIn(flow.nodes)).toMatchObject(requests);
});

test('a contact is looked up by its mail address, one after the other', async () => {
  const sent: string[] = [];
  const done = await run(
    [`${tipp}@3`, { resource: 'subscriber', operation: 'get', lookupEmail: '={{ $json.mail }}' }],
    [{ mail: 'a@b.c' }, { mail: 'd@e.f' }],
    ({ method, path }) => {
      sent.push(`${method} ${path}`);
      return method === 'POST' ? [String(sent.length)] : { id: path.split('/').at(-1) };
    },
  );
  expect(sent).toEqual([
    'POST /subscriber/search',
    'GET /subscriber/1',
    'POST /subscriber/search',
    'GET /subscriber/3',
  ]);
  expect(done).toEqual([{ id: '1' }, { id: '3' }]);
});

test('what stands in the item is there for later requests, too', async () => {
  const sent: unknown[] = [];
  await run(
    [
      `${tipp}@3`,
      {
        resource: 'subscriber',
        operation: 'update',
        lookupEmail: '={{ $json.old }}',
        email: '={{ $json.mail }}',
      },
    ],
    [{ old: 'a@b.c', mail: 'd@e.f' }],
    ({ method, path, body }) => {
      sent.push([`${method} ${path}`, body]);
      return ['7'];
    },
  );
  expect(sent).toEqual([
    ['POST /subscriber/search', 'email=a%40b.c'],
    ['PUT /subscriber/7', 'newemail=d%40e.f'],
  ]);
});

test('a task is asked for until it is done', async () => {
  let asked = 0;
  const done = await run(
    [
      'n8n-nodes-browseract-workflows.browserAct',
      {
        operation: 'getTask',
        taskId: '={{ $json.id }}',
        waitForFinish: true,
        pollingInterval: 1,
        maxWaitTime: 9,
      },
    ],
    [{ id: 't' }],
    () => {
      asked += 1;
      return { status: asked < 3 ? 'running' : 'finished', output: { string: 'x' } };
    },
  );
  expect(asked).toBe(3);
  expect(done).toEqual([{ status: 'finished', output: { string: 'x' } }]);
});

test('what several enrichments know of one is put together', async () => {
  const done = await run(
    [
      explorium,
      {
        operation: 'enrich',
        enrichment: ['firmographics', 'technographics'],
        business_ids: { business_ids: [{ id: '={{ $json.id }}' }] },
      },
    ],
    [{ id: 'b' }],
    ({ path }) => ({ data: [{ business_id: 'b', data: { [path.split('/').at(-2) as string]: 1 } }] }),
  );
  expect(done).toEqual([
    { enriched_data: [{ business_id: 'b', data: { firmographics: 1, technographics: 1 } }] },
  ]);
});

test('a transaction that fails leaves by the second output', async () => {
  const { flows, report } = await importedShort({
    nodes: {
      W: ['webhook@2', { path: 'job', httpMethod: 'POST', responseMode: 'lastNode' }],
      Node: accounted(['n8n-nodes-1shot.oneShotSynch', { contractMethodId: 'm', params: '{"a":1}' }]),
      Good: ['set@3.4', { assignments: { assignments: [{ name: 'is', value: 'good', type: 'string' }] } }],
      Bad: ['set@3.4', { assignments: { assignments: [{ name: 'is', value: 'bad', type: 'string' }] } }],
    },
    wires: ['W > Node', 'Node > Good', 'Node.1 > Bad'],
  });
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  const text = formatFlow(flows[0] as Flow).replaceAll('https://api.1shotapi.com/v0', '');
  const answer =
    (status: string) =>
    ({ method }: Asked) =>
      method === 'POST' ? { id: 't' } : { id: 't', status };
  expect(await post([text], {}, answer('Failed'))).toMatchObject({ is: 'bad' });
  expect(await post([text], {}, answer('Completed'))).toMatchObject({ is: 'good' });
});
