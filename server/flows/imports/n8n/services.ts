import { asText } from './params.ts';
import { encoded, type Given, post, type Request, type Service, some } from './service.ts';
import { servicesOfGoogle } from './services-of-google.ts';

/** Operations of services as requests to their documented addresses. */

const TELEGRAM = 'https://api.telegram.org/bot{secret}';
const bot = (method: string, body: Record<string, unknown>): Request =>
  post(`${TELEGRAM}/${method}`, some(body), { items: 'one' });
const SLACK = 'https://slack.com/api';
const NOTION = { 'Notion-Version': '2022-06-28' };
const AIRTABLE = 'https://api.airtable.com/v0';
const airtable = (g: Given): string =>
  `${AIRTABLE}/${encoded(g.expr('base', g.expr('application')))}/${encoded(g.expr('table'))}`;
const columns = (g: Given): unknown => g.value('columns.value') ?? {};
const RECORD = '({ id: one?.id, createdTime: one?.createdTime, ...(one?.fields ?? { }) })';
const DISCORD = 'https://discord.com/api/v10';
const GITHUB = 'https://api.github.com';
const repo = (g: Given): string =>
  `${GITHUB}/repos/${encoded(g.expr('owner'))}/${encoded(g.expr('repository'))}`;

export const services: readonly Service[] = [
  ...servicesOfGoogle,
  {
    kind: 'telegram',
    credential: 'telegramApi',
    first: ['message', 'sendMessage'],
    operations: {
      'message.sendMessage': (g) =>
        bot('sendMessage', {
          chat_id: g.text('chatId'),
          text: g.text('text'),
          parse_mode: g.text('additionalFields.parse_mode'),
          reply_to_message_id: g.text('additionalFields.reply_to_message_id'),
        }),
      'message.sendPhoto': (g) =>
        bot('sendPhoto', {
          chat_id: g.text('chatId'),
          photo: g.text('file'),
          caption: g.text('additionalFields.caption'),
        }),
      'message.sendDocument': (g) =>
        bot('sendDocument', {
          chat_id: g.text('chatId'),
          document: g.text('file'),
          caption: g.text('additionalFields.caption'),
        }),
      'message.sendChatAction': (g) =>
        bot('sendChatAction', { chat_id: g.text('chatId'), action: g.text('action', 'typing') }),
      'message.editMessageText': (g) =>
        bot('editMessageText', {
          chat_id: g.text('chatId'),
          message_id: g.text('messageId'),
          text: g.text('text'),
        }),
      'message.deleteChatMessage': (g) =>
        bot('deleteMessage', { chat_id: g.text('chatId'), message_id: g.text('messageId') }),
      'callback.answerQuery': (g) =>
        bot('answerCallbackQuery', {
          callback_query_id: g.text('queryId'),
          text: g.text('additionalFields.text'),
        }),
      'file.get': (g) => bot('getFile', { file_id: g.text('fileId') }),
    },
  },
  {
    kind: 'slack',
    credential: 'slackOAuth2Api',
    first: ['message', 'post'],
    operations: {
      'message.post': (g) =>
        post(
          `${SLACK}/chat.postMessage`,
          some({
            channel: g.text('channelId', g.text('user', g.text('channel'))),
            text: g.text('text'),
            thread_ts: g.text('otherOptions.thread_ts.replyValues.thread_ts'),
          }),
        ),
      'message.update': (g) =>
        post(`${SLACK}/chat.update`, {
          channel: g.text('channelId'),
          ts: g.text('ts'),
          text: g.text('text'),
        }),
      'message.delete': (g) =>
        post(`${SLACK}/chat.delete`, { channel: g.text('channelId'), ts: g.text('timestamp') }),
      'channel.history': (g) => ({
        url: `${SLACK}/conversations.history`,
        query: { channel: g.text('channelId'), limit: g.number('limit', 100) },
        items: 'one?.messages ?? []',
      }),
      'user.info': (g) => ({
        url: `${SLACK}/users.info`,
        query: { user: g.text('user') },
        items: 'one?.user',
      }),
    },
  },
  {
    kind: 'airtable',
    credential: 'airtableTokenApi',
    first: ['record', 'get'],
    operations: {
      'record.get': (g) => ({ url: `${airtable(g)}/${encoded(g.expr('id'))}`, items: RECORD }),
      'record.search': (g) => ({
        url: airtable(g),
        query: some({ filterByFormula: g.text('filterByFormula'), maxRecords: g.number('limit', 100) }),
        items: `(one?.records ?? []).map(one => ${RECORD})`,
      }),
      'record.list': (g) => ({
        url: airtable(g),
        query: some({
          filterByFormula: g.text('additionalOptions.filterByFormula'),
          maxRecords: g.number('limit', 100),
        }),
        items: `(one?.records ?? []).map(one => ${RECORD})`,
      }),
      'record.create': (g) =>
        post(airtable(g), { fields: columns(g), typecast: g.flag('options.typecast') }, { items: RECORD }),
      'record.deleteRecord': (g) => ({ method: 'DELETE', url: `${airtable(g)}/${encoded(g.expr('id'))}` }),
    },
  },
  {
    kind: 'notion',
    credential: 'notionApi',
    first: ['page', 'create'],
    operations: {
      'databasePage.getAll': (g) =>
        post(
          `https://api.notion.com/v1/databases/${encoded(g.expr('databaseId'))}/query`,
          { page_size: g.number('limit', 50) },
          { headers: NOTION, items: 'one?.results ?? []' },
        ),
      'databasePage.get': (g) => ({
        url: `https://api.notion.com/v1/pages/${encoded(g.expr('pageId'))}`,
        headers: NOTION,
      }),
      'database.get': (g) => ({
        url: `https://api.notion.com/v1/databases/${encoded(g.expr('databaseId'))}`,
        headers: NOTION,
      }),
      'block.getAll': (g) => ({
        url: `https://api.notion.com/v1/blocks/${encoded(g.expr('blockId'))}/children`,
        headers: NOTION,
        items: 'one?.results ?? []',
      }),
      'page.archive': (g) => ({
        method: 'PATCH',
        url: `https://api.notion.com/v1/pages/${encoded(g.expr('pageId'))}`,
        headers: NOTION,
        bodyType: 'json',
        body: { archived: true },
      }),
    },
  },
  {
    kind: 'discord',
    credential: 'discordBotApi',
    first: ['message', 'send'],
    operations: {
      'message.send': (g) =>
        post(`${DISCORD}/channels/${encoded(g.expr('channelId'))}/messages`, { content: g.text('content') }),
      'message.get': (g) => ({
        url: `${DISCORD}/channels/${encoded(g.expr('channelId'))}/messages/${encoded(g.expr('messageId'))}`,
      }),
      'message.deleteMessage': (g) => ({
        method: 'DELETE',
        url: `${DISCORD}/channels/${encoded(g.expr('channelId'))}/messages/${encoded(g.expr('messageId'))}`,
        items: '{ success: true }',
      }),
    },
  },
  {
    kind: 'github',
    credential: 'githubApi',
    first: ['issue', 'create'],
    operations: {
      'issue.create': (g) => post(`${repo(g)}/issues`, { title: g.text('title'), body: g.text('body') }),
      'issue.get': (g) => ({ url: `${repo(g)}/issues/${encoded(g.expr('issueNumber'))}` }),
      'issue.createComment': (g) =>
        post(`${repo(g)}/issues/${encoded(g.expr('issueNumber'))}/comments`, { body: g.text('body') }),
      'repository.get': (g) => ({ url: repo(g) }),
      'repository.getIssues': (g) => ({
        url: `${repo(g)}/issues`,
        query: { per_page: g.number('limit', 50) },
      }),
    },
  },
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
      'post.getAll': (g) => ({ url: '/wp-json/wp/v2/posts', query: { per_page: g.number('limit', 50) } }),
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
        url: 'https://api.openweathermap.org/data/2.5/weather',
        query: some({ q: g.text('cityName'), units: g.text('format', 'metric') }),
      }),
      '.5DayForecast': (g) => ({
        url: 'https://api.openweathermap.org/data/2.5/forecast',
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
  {
    kind: 'hubspot',
    credential: 'hubspotAppToken',
    first: ['contact', 'upsert'],
    operations: {
      'contact.get': (g) => ({
        url: `https://api.hubapi.com/crm/v3/objects/contacts/${encoded(g.expr('contactId'))}`,
      }),
      'contact.getAll': (g) => ({
        url: 'https://api.hubapi.com/crm/v3/objects/contacts',
        query: { limit: g.number('limit', 100) },
        items: 'one?.results ?? []',
      }),
      'deal.get': (g) => ({
        url: `https://api.hubapi.com/crm/v3/objects/deals/${encoded(g.expr('dealId'))}`,
      }),
    },
  },
];

/** Conditions of PostgREST: `id=eq.7`. */
function conditions(g: Given): Record<string, unknown> {
  return Object.fromEntries(
    g
      .list('filters.conditions')
      .map((one) => [
        asText(one['keyName'] ?? ''),
        `${asText(one['condition'] ?? 'eq')}.${g.written(one['keyValue'])}`,
      ]),
  );
}

function fieldValues(g: Given): unknown {
  if (g.text('dataToSend', 'defineBelow') !== 'defineBelow') return '{{ input }}';
  return Object.fromEntries(
    g.list('fieldsUi.fieldValues').map((one) => [asText(one['fieldId'] ?? ''), g.written(one['fieldValue'])]),
  );
}
