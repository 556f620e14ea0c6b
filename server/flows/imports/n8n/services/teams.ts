import { NotHere } from '../entry.ts';
import { asText } from '../params.ts';
import {
  encoded,
  filesIn,
  type Given,
  mostOf,
  post,
  type Request,
  rowOf,
  type Service,
  some,
  type Use,
  use,
} from './service.ts';

/** Operations of messengers and shared tables that have operators here. */

const becomes = (group: string): string =>
  `operators of \`${group}\`, else \`http.request\` through a connection`;

const TELEGRAM = 'https://api.telegram.org/bot{secret}';
const bot = (method: string, body: Record<string, unknown>): Request =>
  post(`${TELEGRAM}/${method}`, some(body), { items: 'one' });
const ANSWER = '{ ok: true, result: one }';

/** A file of the item, or one that Telegram knows by an id or an address. */
function sent(g: Given, what: 'photo' | 'document' | 'audio' | 'video'): Request | Use {
  const format = g.text('additionalFields.parse_mode');
  const caption = g.text('additionalFields.caption');
  const name = `${what[0]?.toUpperCase()}${what.slice(1)}`;
  if (!g.flag('binaryData'))
    return bot(`send${name}`, {
      chat_id: g.text('chatId'),
      [what]: g.text('file'),
      caption,
      parse_mode: format,
    });
  if (format === 'Markdown' && caption !== '')
    throw new NotHere('its text is marked up in the old way of Telegram');
  const [file] = filesIn(g, g.text('binaryPropertyName', 'data'));
  return use(
    `telegram.send-${what}`,
    { chat: g.text('chatId'), [what]: `{{ ${file} }}`, caption, format },
    ANSWER,
  );
}

const SLACK = 'https://slack.com/api';
const channel = (g: Given): string => g.text('channelId', g.text('user', g.text('channel')));

function slackMessage(g: Given): Use {
  const blocks = g.expr('blocksUi', '');
  return use('slack.send-message', {
    channel: channel(g),
    text: g.text('text', ' '),
    thread: g.text('otherOptions.thread_ts.replyValues.thread_ts'),
    broadcast: g.flag('otherOptions.thread_ts.replyValues.reply_broadcast') || undefined,
    blocks:
      g.text('messageType', 'text') === 'block' && blocks !== ''
        ? `{{ [${blocks}].map(one => typeOf(one) == "string" ? json(one) : one)[0].blocks }}`
        : undefined,
  });
}

const tableOf = (g: Given): Record<string, unknown> => ({
  base: g.text('base', g.text('application')),
  table: g.text('table'),
});
const RECORD =
  '({ id: one?.id, createdTime: one?.createdTime, fields: one?.fields, ...(one?.fields ?? { }) })';
const RECORDS = `(one ?? []).map(one => ${RECORD})`;

function findRecords(g: Given, formula: string): Use {
  const sort = g
    .list('sort.property')
    .map((one) => some({ field: one['field'], direction: one['direction'] }));
  const fields = g.value('options.fields');
  return use(
    'airtable.list-records',
    {
      ...tableOf(g),
      formula: g.text(formula),
      view: g.text('options.view'),
      fields: Array.isArray(fields) && fields.length > 0 ? fields : undefined,
      sort: sort.length > 0 ? sort : undefined,
      limit: mostOf(g, 100),
    },
    RECORDS,
  );
}

const matching = (g: Given): string[] => {
  const by = g.value('columns.matchingColumns');
  return Array.isArray(by) ? by.map(asText) : [];
};

function changeRecord(g: Given): Use {
  const row = rowOf(g);
  if (matching(g).join() !== 'id' || typeof row !== 'object' || row === null || !('id' in row))
    throw new NotHere('it does not know the record by its id');
  const { id, ...fields } = row as Record<string, unknown>;
  return use(
    'airtable.update-record',
    { ...tableOf(g), record: id, fields, convert: g.flag('options.typecast') },
    RECORD,
  );
}

function saveRecord(g: Given): Use {
  const by = matching(g);
  if (by.length === 0 || by.length > 3 || by.includes('id'))
    throw new NotHere('it does not know records by one to three fields');
  return use(
    'airtable.save-records',
    { ...tableOf(g), records: rowOf(g), by, convert: g.flag('options.typecast') },
    RECORDS,
  );
}

const NOTION = { 'Notion-Version': '2022-06-28' };
/** Pages as n8n simplifies them. */
const PAGE =
  '({ ...one, name: one?.fields?.Name, ...fromEntries(entries(one?.fields ?? { }).map(pair => ["property_" + snakeCase(pair[0]), pair[1]])) })';
const isSimple = (g: Given): boolean => g.value('simple') !== false;

function findPages(g: Given): Request | Use {
  const filter = g.text('filterType', 'none');
  if (filter !== 'none' && filter !== 'json') throw new NotHere('it looks for pages by a filter of its form');
  const json = filter === 'json' ? `{{ json(${g.expr('filterJson')}) }}` : undefined;
  if (isSimple(g))
    return use(
      'notion.query-database',
      { database: g.text('databaseId'), filter: json, limit: mostOf(g, 50) },
      `(one ?? []).map(one => ${PAGE})`,
    );
  return post(
    `https://api.notion.com/v1/databases/${encoded(g.expr('databaseId'))}/query`,
    some({ page_size: Math.min(100, g.number('limit', 50)), filter: json }),
    { headers: NOTION, items: 'one?.results ?? []' },
  );
}

/** Where the form of n8n has the value of a property, by its type. */
const VALUES: Readonly<Record<string, string>> = {
  title: 'title',
  rich_text: 'textContent',
  number: 'numberValue',
  select: 'selectValue',
  multi_select: 'multiSelectValue',
  status: 'statusValue',
  date: 'date',
  checkbox: 'checkboxValue',
  url: 'urlValue',
  email: 'emailValue',
  phone_number: 'phoneValue',
};

function fieldsOf(g: Given): Record<string, unknown> {
  const fields = g.list('propertiesUi.propertyValues').map((one): [string, unknown] => {
    const [, name = '', type = ''] = /^(.*)\|(\w+)$/s.exec(asText(one['key'] ?? '')) ?? [];
    const at = Object.hasOwn(VALUES, type) ? VALUES[type] : undefined;
    if (at === undefined || one['richText'] === true || one['range'] === true)
      throw new NotHere(`it sets the property “${asText(one['key'] ?? '')}” in a way of its own`);
    return [name, g.made(one[at] ?? null)];
  });
  return Object.fromEntries(fields);
}

function newPage(g: Given): Use {
  if (g.list('blockUi.blockValues').length > 0) throw new NotHere('it writes blocks into the page');
  const fields = fieldsOf(g);
  // Its title is a setting of its own there; the field of it has a name that only the database knows.
  if (
    g.text('title') !== '' &&
    !g.list('propertiesUi.propertyValues').some((one) => asText(one['key']).endsWith('|title'))
  )
    throw new NotHere('its title belongs to a field whose name only the database knows');
  return use('notion.create-page', { database: g.text('databaseId'), fields }, PAGE);
}

const DISCORD = 'https://discord.com/api/v10';

function discordMessage(g: Given): Use {
  if (g.list('files.values').length > 0 || g.list('embeds.values').length > 0)
    throw new NotHere('it sends embeds or files');
  if (g.text('sendTo', 'channel') === 'user')
    return use('discord.send-direct-message', { person: g.text('userId'), text: g.text('content') });
  return use('discord.send-message', { channel: g.text('channelId'), text: g.text('content') });
}

const repository = (g: Given): string => `${g.text('owner')}/${g.text('repository')}`;
const named = (g: Given, list: string, field: string): unknown => {
  const names = g.list(list).map((one) => g.made(one[field]));
  return names.length > 0 ? names : undefined;
};
const issue = (g: Given): Record<string, unknown> => ({
  repository: repository(g),
  number: `{{ int(${g.expr('issueNumber')}) }}`,
});

export const servicesOfTeams: readonly Service[] = [
  {
    kind: 'telegram',
    becomes: becomes('telegram'),
    credential: 'telegramApi',
    first: ['message', 'sendMessage'],
    firsts: { file: 'get', callback: 'answerQuery', chat: 'get' },
    operations: {
      'message.sendMessage': (g) =>
        bot('sendMessage', {
          chat_id: g.text('chatId'),
          text: g.text('text'),
          parse_mode: g.text('additionalFields.parse_mode'),
          reply_to_message_id: g.text('additionalFields.reply_to_message_id'),
        }),
      'message.sendPhoto': (g) => sent(g, 'photo'),
      'message.sendDocument': (g) => sent(g, 'document'),
      'message.sendAudio': (g) => sent(g, 'audio'),
      'message.sendVideo': (g) => sent(g, 'video'),
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
      'file.get': (g) =>
        g.value('download') === false
          ? bot('getFile', { file_id: g.text('fileId') })
          : use('telegram.download-file', { id: g.text('fileId') }, '{ data: one }'),
    },
  },
  {
    kind: 'slack',
    becomes: becomes('slack'),
    credential: 'slackOAuth2Api',
    first: ['message', 'post'],
    firsts: { channel: 'create', file: 'upload', reaction: 'add', user: 'info' },
    operations: {
      'message.post': slackMessage,
      'message.update': (g) =>
        use('slack.update-message', { channel: channel(g), ts: g.text('ts'), text: g.text('text') }),
      'message.delete': (g) => use('slack.delete-message', { channel: channel(g), ts: g.text('timestamp') }),
      'channel.history': (g) => ({
        url: `${SLACK}/conversations.history`,
        query: { channel: g.text('channelId'), limit: g.number('limit', 50) },
        items: 'one?.messages ?? []',
      }),
      'channel.getAll': (g) => use('slack.list-channels', { limit: mostOf(g, 50) }),
      'channel.get': (g) => use('slack.get-channel', { channel: channel(g) }),
      'user.info': (g) => use('slack.get-person', { user: g.text('user') }),
      'user.getAll': (g) => use('slack.list-people', { limit: mostOf(g, 50) }),
      'reaction.add': (g) =>
        use('slack.add-reaction', { channel: channel(g), ts: g.text('timestamp'), emoji: g.text('name') }),
    },
  },
  {
    kind: 'airtable',
    becomes: becomes('airtable'),
    credential: 'airtableTokenApi',
    first: ['record', 'get'],
    operations: {
      'record.get': (g) => use('airtable.get-record', { ...tableOf(g), record: g.text('id') }, RECORD),
      'record.search': (g) => findRecords(g, 'filterByFormula'),
      'record.list': (g) => findRecords(g, 'additionalOptions.filterByFormula'),
      'record.create': (g) =>
        use(
          'airtable.create-records',
          { ...tableOf(g), records: rowOf(g), convert: g.flag('options.typecast') },
          RECORDS,
        ),
      'record.update': changeRecord,
      'record.upsert': saveRecord,
      'record.deleteRecord': (g) => use('airtable.delete-record', { ...tableOf(g), record: g.text('id') }),
    },
  },
  {
    kind: 'notion',
    becomes: becomes('notion'),
    difference: 'Values of fields are plain, dates texts, and `name` is the field Name. ',
    credential: 'notionApi',
    first: ['page', 'create'],
    firsts: { databasePage: 'create', block: 'append', database: 'get', page: 'create', user: 'get' },
    operations: {
      'databasePage.getAll': findPages,
      'databasePage.create': newPage,
      'databasePage.update': (g) =>
        use('notion.update-page', { page: g.text('pageId'), fields: fieldsOf(g) }, PAGE),
      'databasePage.get': (g) =>
        isSimple(g)
          ? use('notion.get-page', { page: g.text('pageId') }, PAGE)
          : {
              url: `https://api.notion.com/v1/pages/${encoded(g.expr('pageId'))}`,
              headers: NOTION,
            },
      'database.get': (g) => ({
        url: `https://api.notion.com/v1/databases/${encoded(g.expr('databaseId'))}`,
        headers: NOTION,
      }),
      'block.getAll': (g) => ({
        url: `https://api.notion.com/v1/blocks/${encoded(g.expr('blockId'))}/children`,
        headers: NOTION,
        items: 'one?.results ?? []',
      }),
      'page.archive': (g) => use('notion.archive-page', { page: g.text('pageId') }, PAGE),
    },
  },
  {
    kind: 'discord',
    becomes: becomes('discord'),
    credential: 'discordBotApi',
    first: ['message', 'send'],
    operations: {
      'message.send': discordMessage,
      'message.get': (g) => ({
        url: `${DISCORD}/channels/${encoded(g.expr('channelId'))}/messages/${encoded(g.expr('messageId'))}`,
      }),
      'message.getAll': (g) =>
        use('discord.read-messages', { channel: g.text('channelId'), limit: mostOf(g, 100) }),
      'message.deleteMessage': (g) =>
        use(
          'discord.delete-message',
          { channel: g.text('channelId'), message: g.text('messageId') },
          '{ success: true }',
        ),
    },
  },
  {
    kind: 'github',
    becomes: becomes('github'),
    credential: 'githubApi',
    first: ['issue', 'create'],
    firsts: { file: 'create', repository: 'getIssues', release: 'create' },
    operations: {
      'issue.create': (g) =>
        use('github.create-issue', {
          repository: repository(g),
          title: g.text('title'),
          text: g.text('body'),
          labels: named(g, 'labels', 'label'),
          assignees: named(g, 'assignees', 'assignee'),
        }),
      'issue.get': (g) => use('github.get-issue', issue(g)),
      'issue.createComment': (g) => use('github.comment', { ...issue(g), text: g.text('body') }),
      'repository.get': (g) => use('github.get-repository', { repository: repository(g) }),
      'repository.getIssues': (g) =>
        use('github.list-issues', {
          repository: repository(g),
          state: g.text('getRepositoryIssuesFilters.state'),
          limit: mostOf(g, 50),
        }),
      'release.create': (g) =>
        use('github.create-release', {
          repository: repository(g),
          tag: g.text('releaseTag'),
          name: g.text('additionalFields.name'),
          text: g.text('additionalFields.body'),
          draft: g.flag('additionalFields.draft') || undefined,
          prerelease: g.flag('additionalFields.prerelease') || undefined,
          branch: g.text('additionalFields.target_commitish'),
        }),
    },
  },
];
