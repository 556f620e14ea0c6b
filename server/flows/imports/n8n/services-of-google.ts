import { asText } from './params.ts';
import { encoded, type Given, post, type Service, some } from './service.ts';

/** Operations of Google's services as requests. */

const SHEETS = 'https://sheets.googleapis.com/v4/spreadsheets';
const sheet = (g: Given): string =>
  `${SHEETS}/${encoded(g.expr('documentId'))}/values/${encoded(g.expr('sheetName.name', '"Sheet1"'))}`;
const GMAIL = 'https://gmail.googleapis.com/gmail/v1/users/me';
const DRIVE = 'https://www.googleapis.com/drive/v3';
const CALENDAR = 'https://www.googleapis.com/calendar/v3/calendars';
/** A mail as Gmail takes it. */
function mime(g: Given, subject: string): string {
  const html = g.text('emailType', 'html') !== 'text';
  const lines = [
    ['To', g.expr('sendTo', g.expr('toList', '""'))],
    ['Cc', g.expr('options.ccList', '""')],
    ['Bcc', g.expr('options.bccList', '""')],
    ['Reply-To', g.expr('options.replyTo', '""')],
  ].map(([name, value]) => (value === '""' ? '' : `${name}: \${${value}}\\r\\n`));
  const type = `Content-Type: text/${html ? 'html' : 'plain'}; charset=utf-8\\r\\n\\r\\n`;
  const body = g.expr('message', '""');
  const text = `\`${lines.join('')}Subject: =?UTF-8?B?\${base64Encode(${subject})}?=\\r\\n${type}\${${body}}\``;
  return `{{ base64Encode(${text}).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") }}`;
}

/** The values of a row in the order of the sheet's columns. */
function row(g: Given): unknown {
  const value = g.value('columns.value');
  const given = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  const named = g
    .list('columns.schema')
    .filter((one) => one['removed'] !== true)
    .map((one) => asText(one['id']));
  const names = named.length > 0 ? named : Object.keys(given);
  return names.map((name) => given[name] ?? '');
}

const rows = (extra: string): string =>
  `((one?.values ?? []).slice(1).map((row, at) => ({ row_number: at + 2, ...fromEntries((one?.values ?? [[]])[0].map((name, i) => [name, row.at(i) ?? ""])) }))${extra})`;

function filters(g: Given): string {
  const all = g
    .list('filtersUI.values')
    .map(
      (one) =>
        `(row?.[${JSON.stringify(asText(one['lookupColumn'] ?? ''))}] == ${g.said(one['lookupValue'])})`,
    );
  const glue = g.text('combineFilters', 'AND') === 'OR' ? ' || ' : ' && ';
  return all.length === 0 ? '' : `.filter(row => ${all.join(glue)})`;
}

export const servicesOfGoogle: readonly Service[] = [
  {
    kind: 'googleSheets',
    credential: 'googleSheetsOAuth2Api',
    first: ['sheet', 'read'],
    operations: {
      'sheet.read': (g) => ({ url: sheet(g), items: rows(filters(g)) }),
      'sheet.append': (g) =>
        post(
          `${sheet(g)}:append`,
          { values: [row(g)] },
          { query: { valueInputOption: g.text('options.cellFormat', 'USER_ENTERED') } },
        ),
      'sheet.clear': (g) => post(`${sheet(g)}:clear`, {}),
      'spreadsheet.create': (g) => post(SHEETS, { properties: { title: g.text('title') } }),
    },
  },
  {
    kind: 'gmail',
    credential: 'gmailOAuth2',
    first: ['message', 'send'],
    operations: {
      'message.send': (g) => post(`${GMAIL}/messages/send`, { raw: mime(g, g.expr('subject', '""')) }),
      'message.get': (g) => ({
        url: `${GMAIL}/messages/${encoded(g.expr('messageId'))}`,
        query: { format: 'full' },
      }),
      'message.delete': (g) => ({
        method: 'DELETE',
        url: `${GMAIL}/messages/${encoded(g.expr('messageId'))}`,
        items: '{ success: true }',
      }),
      'message.addLabels': (g) =>
        post(`${GMAIL}/messages/${encoded(g.expr('messageId'))}/modify`, {
          addLabelIds: g.value('labelIds'),
        }),
      'message.removeLabels': (g) =>
        post(`${GMAIL}/messages/${encoded(g.expr('messageId'))}/modify`, {
          removeLabelIds: g.value('labelIds'),
        }),
      'message.markAsRead': (g) =>
        post(`${GMAIL}/messages/${encoded(g.expr('messageId'))}/modify`, { removeLabelIds: ['UNREAD'] }),
      'message.markAsUnread': (g) =>
        post(`${GMAIL}/messages/${encoded(g.expr('messageId'))}/modify`, { addLabelIds: ['UNREAD'] }),
      'draft.create': (g) => post(`${GMAIL}/drafts`, { message: { raw: mime(g, g.expr('subject', '""')) } }),
    },
  },
  {
    kind: 'googleDrive',
    credential: 'googleDriveOAuth2Api',
    first: ['file', 'upload'],
    operations: {
      'file.download': (g) => ({
        url: `${DRIVE}/files/${encoded(g.expr('fileId'))}`,
        query: { alt: 'media' },
        file: g.text('options.binaryPropertyName', 'data'),
      }),
      'file.deleteFile': (g) => ({
        method: 'DELETE',
        url: `${DRIVE}/files/${encoded(g.expr('fileId'))}`,
        items: '{ success: true }',
      }),
      'file.copy': (g) =>
        post(`${DRIVE}/files/${encoded(g.expr('fileId'))}/copy`, some({ name: g.text('name') })),
      'file.share': (g) =>
        post(
          `${DRIVE}/files/${encoded(g.expr('fileId'))}/permissions`,
          g.value('permissionsUi.permissionsValues'),
        ),
      'folder.create': (g) =>
        post(`${DRIVE}/files`, {
          name: g.text('name'),
          mimeType: 'application/vnd.google-apps.folder',
          parents: [g.text('folderId', 'root')],
        }),
      'fileFolder.search': (g) => ({
        url: `${DRIVE}/files`,
        query: {
          q: g.text('queryString') === '' ? undefined : `name contains '${g.text('queryString')}'`,
          pageSize: g.number('limit', 50),
        },
        items: 'one?.files ?? []',
      }),
    },
  },
  {
    kind: 'googleDocs',
    credential: 'googleDocsOAuth2Api',
    first: ['document', 'create'],
    operations: {
      'document.create': (g) => post('https://docs.googleapis.com/v1/documents', { title: g.text('title') }),
      'document.get': (g) => ({
        url: `https://docs.googleapis.com/v1/documents/${encoded(g.expr('documentURL'))}`,
      }),
    },
  },
  {
    kind: 'googleCalendar',
    credential: 'googleCalendarOAuth2Api',
    first: ['event', 'create'],
    operations: {
      'event.create': (g) =>
        post(
          `${CALENDAR}/${encoded(g.expr('calendar', '"primary"'))}/events`,
          some({
            summary: g.text('additionalFields.summary'),
            description: g.text('additionalFields.description'),
            location: g.text('additionalFields.location'),
            start: { dateTime: `{{ date(${g.expr('start')}) }}` },
            end: { dateTime: `{{ date(${g.expr('end')}) }}` },
          }),
        ),
      'event.get': (g) => ({
        url: `${CALENDAR}/${encoded(g.expr('calendar', '"primary"'))}/events/${encoded(g.expr('eventId'))}`,
      }),
      'event.getAll': (g) => ({
        url: `${CALENDAR}/${encoded(g.expr('calendar', '"primary"'))}/events`,
        query: some({
          maxResults: g.number('limit', 50),
          timeMin: g.text('timeMin'),
          timeMax: g.text('timeMax'),
          singleEvents: true,
        }),
        items: 'one?.items ?? []',
      }),
      'event.delete': (g) => ({
        method: 'DELETE',
        url: `${CALENDAR}/${encoded(g.expr('calendar', '"primary"'))}/events/${encoded(g.expr('eventId'))}`,
        items: '{ success: true }',
      }),
    },
  },
];
