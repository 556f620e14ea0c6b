import { asText } from '../params.ts';
import { encoded, type Given, post, type Service, some } from './service.ts';
import { servicesOfDocuments } from './documents.ts';
import { servicesOfGoogle } from './google.ts';
import { moreServices } from './more.ts';
import { servicesOfSales } from './sales.ts';
import { servicesOfTeams } from './teams.ts';

/** Operations of services: those with operators here, then requests to documented addresses. */

export const services: readonly Service[] = [
  ...servicesOfGoogle,
  ...servicesOfTeams,
  {
    kind: 'supabase',
    credential: 'supabaseApi',
    first: ['row', 'create'],
    operations: {
      'row.getAll': (g) => ({
        url: `/rest/v1/${encoded(g.expr('tableId'))}`,
        query: { limit: g.number('limit', 50), ...conditions(g) },
      }),
      'row.create': (g) =>
        post(`/rest/v1/${encoded(g.expr('tableId'))}`, fieldValues(g), {
          headers: { Prefer: 'return=representation' },
        }),
      'row.update': (g) => ({
        method: 'PATCH',
        url: `/rest/v1/${encoded(g.expr('tableId'))}`,
        query: conditions(g),
        headers: { Prefer: 'return=representation' },
        bodyType: 'json',
        body: fieldValues(g),
      }),
      'row.delete': (g) => ({
        method: 'DELETE',
        url: `/rest/v1/${encoded(g.expr('tableId'))}`,
        query: conditions(g),
        headers: { Prefer: 'return=representation' },
      }),
    },
  },
  {
    kind: 'whatsApp',
    credential: 'whatsAppApi',
    first: ['message', 'send'],
    operations: {
      'message.send': (g) =>
        post(`https://graph.facebook.com/v23.0/${encoded(g.expr('phoneNumberId'))}/messages`, {
          messaging_product: 'whatsapp',
          to: g.text('recipientPhoneNumber'),
          type: 'text',
          text: { body: g.text('textBody') },
        }),
    },
  },
  {
    kind: 'twilio',
    credential: 'twilioApi',
    first: ['sms', 'send'],
    operations: {
      'sms.send': (g) => ({
        method: 'POST',
        url: '/Messages.json',
        bodyType: 'form',
        body: { From: g.text('from'), To: g.text('to'), Body: g.text('message') },
      }),
    },
  },
  {
    kind: 'twitter',
    credential: 'twitterOAuth2Api',
    first: ['tweet', 'create'],
    operations: {
      'tweet.create': (g) =>
        post('https://api.x.com/2/tweets', { text: g.text('text') }, { items: 'one?.data' }),
    },
  },
  {
    kind: 'wordpress',
    credential: 'wordpressApi',
    first: ['post', 'create'],
    operations: {
      'post.create': (g) =>
        post(
          '/wp-json/wp/v2/posts',
          some({
            title: g.text('title'),
            content: g.text('additionalFields.content'),
            status: g.text('additionalFields.status'),
            slug: g.text('additionalFields.slug'),
          }),
        ),
      'post.get': (g) => ({ url: `/wp-json/wp/v2/posts/${encoded(g.expr('postId'))}` }),
      'post.getAll': (g) => ({ url: '/wp-json/wp/v2/posts', query: { per_page: g.number('limit', 5) } }),
    },
  },
  {
    kind: 'jira',
    credential: 'jiraSoftwareCloudApi',
    first: ['issue', 'create'],
    operations: {
      'issue.create': (g) =>
        post('/rest/api/2/issue', {
          fields: some({
            project: { id: g.text('project') },
            issuetype: { id: g.text('issueType') },
            summary: g.text('summary'),
            description: g.text('additionalFields.description'),
          }),
        }),
      'issue.get': (g) => ({ url: `/rest/api/2/issue/${encoded(g.expr('issueKey'))}` }),
      'issueComment.add': (g) =>
        post(`/rest/api/2/issue/${encoded(g.expr('issueKey'))}/comment`, { body: g.text('comment') }),
    },
  },
  {
    kind: 'openWeatherMap',
    credential: 'openWeatherMapApi',
    first: ['', 'currentWeather'],
    operations: {
      '.currentWeather': (g) => ({
        url: 'https://api.openweathermap.org/data/2.5/weather?appid={secret}',
        query: some({ q: g.text('cityName'), units: g.text('format', 'metric') }),
      }),
      '.5DayForecast': (g) => ({
        url: 'https://api.openweathermap.org/data/2.5/forecast?appid={secret}',
        query: some({ q: g.text('cityName'), units: g.text('format', 'metric') }),
      }),
    },
  },
  {
    kind: 'microsoftOutlook',
    credential: 'microsoftOutlookOAuth2Api',
    first: ['message', 'send'],
    operations: {
      'message.send': (g) =>
        post(
          'https://graph.microsoft.com/v1.0/me/sendMail',
          {
            message: {
              subject: g.text('subject'),
              body: {
                contentType: g.text('additionalFields.bodyContentType', 'Text'),
                content: g.text('bodyContent'),
              },
              toRecipients: [{ emailAddress: { address: g.text('toRecipients') } }],
            },
          },
          { items: '{ success: true }' },
        ),
      'message.get': (g) => ({
        url: `https://graph.microsoft.com/v1.0/me/messages/${encoded(g.expr('messageId'))}`,
      }),
    },
  },
  {
    kind: 'facebookGraphApi',
    credential: 'facebookGraphApi',
    first: ['', ''],
    operations: {
      '.': (g) => ({
        method: g.text('httpRequestMethod', 'GET'),
        url: `https://graph.facebook.com/${g.text('graphApiVersion', 'v23.0')}/${g.text('node')}${g.text('edge') === '' ? '' : `/${g.text('edge')}`}`,
        query: Object.fromEntries(
          g
            .list('options.queryParameters.parameter')
            .map((one) => [asText(one['name']), g.written(one['value'])]),
        ),
      }),
    },
  },
  {
    kind: 'linkedIn',
    credential: 'linkedInOAuth2Api',
    first: ['post', 'create'],
    operations: {
      'post.create': (g) =>
        post(
          'https://api.linkedin.com/rest/posts',
          {
            author:
              g.text('postAs', 'person') === 'organization'
                ? `urn:li:organization:${g.text('organization')}`
                : `urn:li:person:${g.text('person')}`,
            commentary: g.text('text'),
            visibility: 'PUBLIC',
            distribution: { feedDistribution: 'MAIN_FEED' },
            lifecycleState: 'PUBLISHED',
          },
          { headers: { 'LinkedIn-Version': '202509' } },
        ),
    },
  },
  ...servicesOfSales,
  ...servicesOfDocuments,
  ...moreServices,
];

/** Conditions of PostgREST: `id=eq.7`; of several one suffices, unless all have to hold. */
function conditions(g: Given): Record<string, unknown> {
  const all = g
    .list('filters.conditions')
    .map((one) => [
      asText(one['keyName'] ?? ''),
      `${asText(one['condition'] ?? 'eq')}.${g.written(one['keyValue'])}`,
    ]);
  const isAny = g.text('matchType', 'anyFilter') === 'anyFilter';
  if (all.length < 2 || !isAny) return Object.fromEntries(all) as Record<string, unknown>;
  return { or: `(${all.map((one) => one.join('.')).join(',')})` };
}

function fieldValues(g: Given): unknown {
  if (g.text('dataToSend', 'defineBelow') !== 'defineBelow') return '{{ input }}';
  return Object.fromEntries(
    g.list('fieldsUi.fieldValues').map((one) => [asText(one['fieldId'] ?? ''), g.written(one['fieldValue'])]),
  );
}
