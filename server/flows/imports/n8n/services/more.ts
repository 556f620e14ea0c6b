import { isRecord } from '#shared/json.ts';
import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import { allLines } from './all-lines.ts';
import { encoded, filesIn, type Given, mostOf, post, type Request, type Service, some } from './service.ts';
import { appOperations, ownApps } from './apps.ts';
import { communityMore, communitySteps } from './community.ts';
import { pathOf, serviceOf } from './lines.ts';
import { servicesOfAws } from './aws.ts';
import { businessOperations, servicesOfBusiness } from './business.ts';
import { mondayOperations } from './monday.ts';
import { lookedUp, lookedUpAfter, personOfReddit } from './looked-up.ts';
import { officeOperations, servicesOfOffices } from './offices.ts';
import { ownPlatforms, platformOperations, platformSteps } from './platforms.ts';
import { ticketOperations } from './tickets.ts';
import { ownTools, toolOperations } from './tools.ts';
import { airtopSteps } from './airtop.ts';
import { madeFiles } from './made-files.ts';

/** Operations of services that no line of data says, and services with nothing else. */

type Operations = Service['operations'];

/** Fields of a form by the ids of their columns. */
function fields(g: Given): Record<string, unknown> | string {
  if (g.text('dataToSend', 'defineBelow') !== 'defineBelow') return `{{ ${g.item} }}`;
  const given = g.list('fieldsUi.fieldValues');
  if (given.length === 0) throw new NotHere('its fields are not set');
  return Object.fromEntries(
    given.map((one) => [asText(one['fieldName'] ?? one['fieldId'] ?? ''), g.made(one['fieldValue'] ?? '')]),
  );
}

const nocoRow =
  (method: 'POST' | 'PATCH') =>
  (g: Given): Request => {
    for (const path of ['projectId', 'workspaceId']) g.seen(path);
    const id = g.value('id');
    const row = fields(g);
    return {
      method,
      url: `/api/v2/tables/${encoded(g.expr('table'))}/records`,
      bodyType: 'json',
      body: typeof row === 'string' || id === undefined ? row : { Id: id, ...row },
    };
  };

const baserowRow =
  (method: 'POST' | 'PATCH') =>
  (g: Given): Request => {
    g.seen('databaseId');
    const row = fields(g);
    const named =
      typeof row === 'string'
        ? row
        : Object.fromEntries(Object.entries(row).map(([id, value]) => [`field_${id}`, value]));
    const at = method === 'PATCH' ? `${encoded(g.expr('rowId'))}/` : '';
    return {
      method,
      url: `/api/database/rows/table/${encoded(g.expr('tableId'))}/${at}`,
      bodyType: 'json',
      body: named,
    };
  };

/** The file in a field of the item, or a text of the node. */
function content(g: Given): string {
  const isText = g.value('binaryData') === false || g.value('binaryDataUpload') === false;
  const field = g.text('binaryPropertyName', 'data');
  return isText ? g.text('fileContent') : `{{ ${filesIn(g, field)[0] ?? 'null'} }}`;
}

const sent = (method: string, url: string, g: Given, headers?: Record<string, string>): Request => ({
  method,
  url,
  bodyType: 'bytes',
  body: content(g),
  ...(headers && { headers }),
});

const GRAPH = 'https://graph.microsoft.com/v1.0/me/drive';

/** The whole workflow as the node has it, which may be a text of JSON. */
const workflowObject = (g: Given): unknown => {
  const of = g.expr('workflowObject', 'null');
  return `{{ typeOf(${of}) == "string" ? json(${of}) : ${of} }}`;
};

/** Ranges of days of Google Analytics. */
const RANGES: Readonly<Record<string, readonly [from: string, to: string]>> = {
  last7days: ['7daysAgo', 'today'],
  last30days: ['30daysAgo', 'today'],
  today: ['today', 'today'],
  yesterday: ['yesterday', 'yesterday'],
};

function report(g: Given): Request {
  const named = (path: string): { name: string }[] =>
    g.list(path).map((one) => ({ name: g.written(one['name'] ?? one['listName'] ?? one['name']) }));
  const range = g.text('dateRange', 'last7days');
  const days = RANGES[range];
  if (days === undefined && range !== 'custom') throw new NotHere(`it reports on “${range}”`);
  const [from, to] = days ?? [
    `{{ formatDate(date(${g.expr('startDate')}), "yyyy-MM-dd") }}`,
    `{{ formatDate(date(${g.expr('endDate')}), "yyyy-MM-dd") }}`,
  ];
  const dimensions = named('dimensionsGA4.dimensionValues');
  const metrics = named('metricsGA4.metricValues').filter(({ name }) => name !== 'custom');
  const isSimple = g.value('simple') !== false;
  return post(
    `https://analyticsdata.googleapis.com/v1beta/properties/${encoded(g.expr('propertyId'))}:runReport`,
    {
      dateRanges: [{ startDate: from, endDate: to }],
      // The form begins with these.
      dimensions:
        dimensions.length > 0 ? dimensions.map(({ name }) => ({ name: name || 'date' })) : [{ name: 'date' }],
      metrics:
        metrics.length > 0
          ? metrics.map(({ name }) => ({ name: name || 'totalUsers' }))
          : [{ name: 'totalUsers' }],
      limit: Math.min(mostOf(g, 50), 100_000),
    },
    {
      items: isSimple
        ? '(one?.rows ?? []).map(row => fromEntries([...(one?.dimensionHeaders ?? []).map((head, at) => [head.name, row.dimensionValues[at].value]), ...(one?.metricHeaders ?? []).map((head, at) => [head.name, row.metricValues[at].value])]))'
        : 'one',
    },
  );
}

const more: Readonly<Record<string, Operations>> = {
  clickUp: {
    'list.create': (g) => {
      for (const path of ['team', 'space', 'folder', 'folderless']) g.seen(path);
      const isLoose = g.flag('folderless') || g.value('folder') === undefined;
      const at = isLoose ? `space/${encoded(g.expr('space'))}` : `folder/${encoded(g.expr('folder'))}`;
      return post(
        `https://api.clickup.com/api/v2/${at}/list`,
        some({ name: g.text('name'), content: g.text('additionalFields.content') }),
      );
    },
    'comment.create': (g) => {
      const place = g.text('commentOn', 'task');
      return post(`https://api.clickup.com/api/v2/${place}/${encoded(g.expr('id'))}/comment`, {
        comment_text: g.text('commentText'),
      });
    },
  },
  reddit: {
    'user.get': personOfReddit,
    'postComment.create': (g) => ({
      method: 'POST',
      url: 'https://oauth.reddit.com/api/comment',
      bodyType: 'form',
      body: { api_type: 'json', thing_id: `t3_${g.text('postId')}`, text: g.text('commentText') },
      items: '(one?.json?.data?.things ?? []).map(found => found.data)',
    }),
  },
  zendesk: {
    'ticket.getAll': (g) => ({
      url: '/api/v2/search.json',
      query: some({
        query: [
          'type:ticket',
          g.text('options.query'),
          ...(g.text('options.status') === '' ? [] : [`status:${g.text('options.status')}`]),
        ]
          .filter((part) => part !== '')
          .join(' '),
        sort_by: g.text('options.sortBy'),
        sort_order: g.text('options.sortOrder'),
        per_page: Math.min(mostOf(g, 100), 100),
      }),
      items: 'one?.results ?? []',
    }),
  },
  nocoDb: { 'row.create': nocoRow('POST'), 'row.update': nocoRow('PATCH') },
  baserow: { 'row.create': baserowRow('POST'), 'row.update': baserowRow('PATCH') },
  n8n: {
    'workflow.create': (g) => post('/workflows', workflowObject(g)),
    'workflow.update': (g) => ({
      method: 'PUT',
      url: `/workflows/${encoded(g.expr('workflowId'))}`,
      bodyType: 'json',
      body: workflowObject(g),
    }),
  },
  dropbox: {
    'file.upload': (g) =>
      sent('POST', 'https://content.dropboxapi.com/2/files/upload', g, {
        'Dropbox-API-Arg': `{{ toJson({ path: ${g.expr('path')}, mode: "overwrite" }) }}`,
      }),
    'file.download': (g) => ({
      method: 'POST',
      url: 'https://content.dropboxapi.com/2/files/download',
      headers: { 'Dropbox-API-Arg': `{{ toJson({ path: ${g.expr('path')} }) }}` },
      file: g.text('binaryPropertyName', 'data'),
    }),
  },
  microsoftOneDrive: {
    'file.upload': (g) =>
      sent(
        'PUT',
        `${GRAPH}/items/${encoded(g.expr('parentId', '"root"'))}:/${encoded(g.expr('fileName', `${filesIn(g, g.text('binaryPropertyName', 'data'))[0]}?.name`))}:/content`,
        g,
      ),
    'file.search': (g) => ({
      url: `${GRAPH}/root/search(q='${encoded(g.expr('query'))}')`,
      items: '(one?.value ?? []).filter(found => found?.file != null)',
    }),
    'folder.search': (g) => ({
      url: `${GRAPH}/root/search(q='${encoded(g.expr('query'))}')`,
      items: '(one?.value ?? []).filter(found => found?.folder != null)',
    }),
  },
  nextCloud: {
    'file.upload': (g) => sent('PUT', `/{{ ${pathOf(g.expr('path'))} }}`, g),
  },
  googleSlides: {
    'presentation.replaceText': (g) =>
      post(
        `https://slides.googleapis.com/v1/presentations/${encoded(g.expr('presentationId'))}:batchUpdate`,
        {
          requests: g.list('textUi.textValues').map((one) => ({
            replaceAllText: {
              containsText: { text: g.written(one['text']), matchCase: one['matchCase'] === true },
              replaceText: g.written(one['replaceText']),
              ...(Array.isArray(one['pageObjectIds']) &&
                one['pageObjectIds'].length > 0 && { pageObjectIds: one['pageObjectIds'] }),
            },
          })),
        },
      ),
  },
  '@blotato/n8n-nodes-blotato.blotato': {
    'post.create': (g) => {
      const platform = g.text('platform', 'twitter');
      return post('https://backend.blotato.com/v2/posts', {
        post: {
          accountId: g.text('accountId'),
          content: {
            text: g.text('postContentText'),
            mediaUrls: `{{ compact(split(string(${g.expr('postContentMediaUrls')}), ",")) }}`,
            platform,
          },
          target: some({
            targetType: platform,
            pageId: g.text('facebookPageId') || g.text('linkedinPageId'),
            boardId: g.text('pinterestBoardId'),
            title: g.text('postCreateYoutubeOptionTitle'),
            privacyStatus: g.text('postCreateYoutubeOptionPrivacyStatus'),
            shouldNotifySubscribers: g.value('postCreateYoutubeOptionShouldNotifySubscribers'),
          }),
        },
      });
    },
  },
};

const own: readonly Service[] = [
  {
    kind: 'perplexity',
    credential: 'perplexityApi',
    first: ['chat', 'complete'],
    operations: {
      'chat.complete': (g) =>
        post(
          'https://api.perplexity.ai/chat/completions',
          some({
            model: g.text('model', 'sonar'),
            messages: g
              .list('messages.message')
              .map((one) => ({ role: asText(one['role'] ?? 'user'), content: g.written(one['content']) })),
            max_tokens: g.value('options.maxTokens'),
            temperature: g.value('options.temperature'),
            top_p: g.value('options.topP'),
            search_recency_filter: g.text('options.searchRecency'),
            return_related_questions: g.value('options.returnRelatedQuestions'),
          }),
          g.flag('simplify')
            ? { items: '{ message: one?.choices?.[0]?.message?.content, citations: one?.citations }' }
            : {},
        ),
    },
  },
  {
    kind: 'sendGrid',
    credential: 'sendGridApi',
    first: ['list', 'create'],
    firsts: { mail: 'send', contact: 'upsert' },
    operations: {
      'mail.send': (g) => {
        if (g.flag('dynamicTemplate')) throw new NotHere('it fills in a template of the service');
        return post(
          'https://api.sendgrid.com/v3/mail/send',
          {
            personalizations: [
              { to: `{{ split(string(${g.expr('toEmail')}), ",").map(one => ({ email: trim(one) })) }}` },
            ],
            from: some({ email: g.text('fromEmail'), name: g.text('fromName') }),
            subject: g.text('subject'),
            content: [{ type: g.text('contentType', 'text/plain'), value: g.text('contentValue') }],
            ...(g.text('additionalFields.replyToEmail') !== '' && {
              reply_to: { email: g.text('additionalFields.replyToEmail') },
            }),
          },
          { items: '{ success: true }' },
        );
      },
      'contact.upsert': (g) => ({
        method: 'PUT',
        url: 'https://api.sendgrid.com/v3/marketing/contacts',
        bodyType: 'json',
        body: {
          contacts: [
            some({
              email: g.text('email'),
              first_name: g.text('additionalFields.firstName'),
              last_name: g.text('additionalFields.lastName'),
            }),
          ],
        },
      }),
    },
  },
  {
    kind: 'graphql',
    credential: 'httpHeaderAuth',
    open: true,
    first: ['', ''],
    operations: {
      '.': (g) => {
        g.seen('requestFormat');
        g.seen('requestMethod');
        const variables = g.expr('variables', 'null');
        const headers = g
          .list('headerParametersUi.parameter')
          .map((one) => [asText(one['name'] ?? ''), g.written(one['value'])] as const);
        return post(
          g.text('endpoint'),
          some({
            query: g.text('query'),
            variables:
              variables === 'null'
                ? undefined
                : `{{ typeOf(${variables}) == "string" ? json(${variables}) : ${variables} }}`,
            operationName: g.text('operationName'),
          }),
          headers.length > 0 ? { headers: Object.fromEntries(headers) } : {},
        );
      },
    },
  },
  {
    kind: 'mondayCom',
    credential: 'mondayComApi',
    first: ['board', 'create'],
    firsts: { boardItem: 'create' },
    operations: mondayOperations,
  },
  {
    kind: 'googleAnalytics',
    credential: 'googleAnalyticsOAuth2',
    first: ['report', 'get'],
    operations: { 'report.get': report },
  },
  {
    kind: 'zohoCrm',
    credential: 'zohoOAuth2Api',
    first: ['account', 'create'],
    firsts: { lead: 'create', contact: 'create' },
    operations: {
      'lead.create': (g) =>
        post(
          'https://www.zohoapis.com/crm/v2/Leads',
          {
            data: [
              { Company: g.text('Company'), Last_Name: g.text('lastName'), ...others(g, 'additionalFields') },
            ],
          },
          { items: '(one?.data ?? []).map(found => found.details)' },
        ),
      'lead.update': (g) => ({
        method: 'PUT',
        url: `https://www.zohoapis.com/crm/v2/Leads/${encoded(g.expr('leadId'))}`,
        bodyType: 'json',
        body: { data: [others(g, 'updateFields')] },
        items: '(one?.data ?? []).map(found => found.details)',
      }),
      'lead.get': (g) => ({
        url: `https://www.zohoapis.com/crm/v2/Leads/${encoded(g.expr('leadId'))}`,
        items: 'one?.data ?? []',
      }),
    },
  },
];

/** Fields with the names that the service has for them; those of a form are left to be told. */
function others(g: Given, path: string): Record<string, unknown> {
  const given = g.value(path);
  if (!isRecord(given)) return {};
  for (const [name, one] of Object.entries(given))
    if (isRecord(one)) g.tell(`The setting ${path}.${name} is left out.`);
  return Object.fromEntries(Object.entries(given).filter(([, one]) => !isRecord(one) && one !== ''));
}

const operations: Readonly<Record<string, Operations>> = {
  ...more,
  ...businessOperations,
  ...ticketOperations,
  ...officeOperations,
  ...appOperations,
  ...platformOperations,
  ...toolOperations,
  ...lookedUp,
  ...communityMore,
};
const further: Readonly<Record<string, Pick<Service, 'several' | 'awaited'>>> = {
  ...communitySteps,
  ...platformSteps,
  ...madeFiles,
  ...lookedUpAfter,
  airtop: { several: airtopSteps },
};

export const moreServices: readonly Service[] = [
  ...Object.entries(allLines).map(([kind, lines]) => serviceOf(kind, lines, operations[kind], further[kind])),
  ...own,
  ...ownApps,
  ...ownPlatforms,
  ...ownTools,
  ...servicesOfBusiness,
  ...servicesOfAws,
  ...servicesOfOffices,
];
