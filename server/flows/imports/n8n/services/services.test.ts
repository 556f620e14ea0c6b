import { expect, test } from 'vitest';
import { check, formatFlow } from '#engine/check';
import {
  catalog,
  ELSEWHERE,
  importedAlone,
  type Node,
  people,
  post,
  rl,
  sheet,
  table,
  shareServer,
} from '../testing/service-bed.ts';
import type { Asked } from '../../../../testing/stand-in.ts';

shareServer();

/** Nodes of services become operators of these services, which send what they sent there. */

const byMail = {
  mappingMode: 'defineBelow',
  matchingColumns: ['Mail'],
  value: { Mail: '={{ $json.m }}', Age: 3 },
};
const byNumber = {
  mappingMode: 'defineBelow',
  matchingColumns: ['row_number'],
  value: { row_number: '={{ $json.row_number }}', Age: '={{ $json.age }}' },
  schema: [{ id: 'Name', removed: true }, { id: 'Age' }, { id: 'Town', removed: true }, { id: 'row_number' }],
};
const byAll = { mappingMode: 'autoMapInputData', value: null };
const mapped = {
  mappingMode: 'defineBelow',
  matchingColumns: ['id'],
  value: { id: '={{ $json.id }}', Name: 'x' },
};
const repo = { owner: rl('o'), repository: rl('r') };
const fields = {
  propertyValues: [
    { key: 'Name|title', title: '={{ $json.name }}' },
    { key: 'Tags|multi_select', multiSelectValue: ['a'] },
    { key: 'Age|number', numberValue: 3 },
  ],
};

const operators: readonly (readonly [operator: string, kind: string, parameters: Record<string, unknown>])[] =
  [
    [
      'google-sheets.read-rows',
      'googleSheets@4.5',
      {
        operation: 'read',
        ...sheet,
        filtersUI: { values: [{ lookupColumn: 'a', lookupValue: '={{ $json.a }}' }] },
      },
    ],
    ['google-sheets.append-rows', 'googleSheets@4.5', { operation: 'append', ...sheet, columns: byAll }],
    [
      'google-sheets.save-row',
      'googleSheets@4.5',
      { operation: 'appendOrUpdate', ...sheet, columns: byMail },
    ],
    ['google-sheets.clear-cells', 'googleSheets@4.5', { operation: 'clear', ...sheet, keepFirstRow: true }],
    [
      'google-sheets.delete-rows',
      'googleSheets@4.5',
      { operation: 'delete', ...sheet, startIndex: '={{ $json.row_number }}' },
    ],
    [
      'google-sheets.add-sheet',
      'googleSheets@4.5',
      { operation: 'create', documentId: rl('D'), title: 'New' },
    ],
    [
      'google-sheets.create-spreadsheet',
      'googleSheets@4.5',
      { resource: 'spreadsheet', operation: 'create', title: 'New' },
    ],
    ['google-sheets.save-row', 'googleSheets@4.5', { operation: 'update', ...sheet, columns: byMail }],
    ['google-sheets.update-cells', 'googleSheets@4.5', { operation: 'update', ...sheet, columns: byNumber }],
    [
      'hubspot.save-contact',
      'hubspot@2',
      { email: '={{ $json.m }}', additionalFields: { firstName: 'Ada' } },
    ],
    [
      'hubspot.create-deal',
      'hubspot@2',
      { resource: 'deal', operation: 'create', stage: 's', additionalFields: { dealName: 'D' } },
    ],
    ['stripe.create-customer', 'stripe@1', { resource: 'customer', operation: 'create', name: 'Ada' }],
    ['stripe.list-charges', 'stripe@1', { resource: 'charge', operation: 'getAll', returnAll: true }],
    [
      'gmail.send',
      'gmail@2.1',
      {
        sendTo: 'a@b.c',
        subject: 'Hi',
        message: 'x',
        emailType: 'text',
        options: { attachmentsUi: { attachmentsBinary: [{ property: 'data' }] } },
      },
    ],
    ['gmail.reply', 'gmail@2.1', { operation: 'reply', messageId: '={{ $json.id }}', message: 'Thanks' }],
    ['gmail.get', 'gmail@2.1', { operation: 'get', messageId: '={{ $json.id }}', simple: false }],
    [
      'gmail.search',
      'gmail@2.1',
      {
        operation: 'getAll',
        limit: 5,
        filters: { q: 'x', labelIds: ['Label_1'], receivedAfter: '2026-03-01' },
      },
    ],
    ['gmail.label', 'gmail@2.1', { operation: 'addLabels', messageId: '1', labelIds: ['Label_1'] }],
    [
      'gmail.create-draft',
      'gmail@2.1',
      { resource: 'draft', operation: 'create', subject: 'Hi', message: 'x' },
    ],
    ['google-drive.upload', 'googleDrive@3', { name: 'a.txt', folderId: rl('F'), driveId: rl('My Drive') }],
    ['google-drive.download', 'googleDrive@3', { operation: 'download', fileId: rl('f') }],
    [
      'google-drive.search',
      'googleDrive@3',
      {
        resource: 'fileFolder',
        operation: 'search',
        queryString: 'a',
        filter: { folderId: rl('F'), whatToSearch: 'files' },
      },
    ],
    ['google-drive.move', 'googleDrive@3', { operation: 'move', fileId: rl('f'), folderId: rl('F') }],
    [
      'google-drive.create-folder',
      'googleDrive@3',
      { resource: 'folder', operation: 'create', name: 'a', folderId: rl('root') },
    ],
    [
      'google-calendar.create-event',
      'googleCalendar@1.3',
      {
        calendar: rl('primary'),
        start: '={{ $json.s }}',
        end: '={{ $json.e }}',
        additionalFields: { summary: 'x', attendees: ['a@b.c'] },
      },
    ],
    [
      'google-calendar.list-events',
      'googleCalendar@1.3',
      { operation: 'getAll', calendar: rl('primary'), timeMin: '={{ $now }}', returnAll: true },
    ],
    [
      'google-calendar.update-event',
      'googleCalendar@1.3',
      { operation: 'update', calendar: rl('primary'), eventId: 'e', updateFields: { summary: 'y' } },
    ],
    ['telegram.send-photo', 'telegram@1.2', { operation: 'sendPhoto', chatId: '1', binaryData: true }],
    [
      'telegram.download-file',
      'telegram@1.2',
      { resource: 'file', fileId: '={{ $json.f }}', operation: 'get' },
    ],
    [
      'slack.send-message',
      'slack@2.2',
      { select: 'channel', channelId: rl('C1'), text: 'Hi', messageType: 'block', blocksUi: '{"blocks":[]}' },
    ],
    [
      'airtable.list-records',
      'airtable@2.1',
      { operation: 'search', ...table, returnAll: true, sort: { property: [{ field: 'a' }] } },
    ],
    ['airtable.create-records', 'airtable@2.1', { operation: 'create', ...table, columns: mapped }],
    ['airtable.update-record', 'airtable@2.1', { operation: 'update', ...table, columns: mapped }],
    ['airtable.save-records', 'airtable@2.1', { operation: 'upsert', ...table, columns: byMail }],
    [
      'notion.query-database',
      'notion@2.2',
      { resource: 'databasePage', operation: 'getAll', databaseId: rl('d') },
    ],
    [
      'notion.create-page',
      'notion@2.2',
      { resource: 'databasePage', operation: 'create', databaseId: rl('d'), propertiesUi: fields },
    ],
    [
      'notion.update-page',
      'notion@2.2',
      { resource: 'databasePage', operation: 'update', pageId: rl('p'), propertiesUi: fields },
    ],
    [
      'discord.send-message',
      'discord@2',
      { resource: 'message', operation: 'send', channelId: rl('c'), content: 'x' },
    ],
    [
      'github.create-issue',
      'github@1',
      { ...repo, title: 't', body: 'b', labels: [{ label: 'bug' }], resource: 'issue', operation: 'create' },
    ],
    [
      'github.comment',
      'github@1',
      { ...repo, resource: 'issue', operation: 'createComment', issueNumber: 7, body: 'b' },
    ],
  ];

test.each(operators)('%s', async (operator, kind, parameters) => {
  const { flow, report } = await importedAlone([kind, parameters]);
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(Object.values(flow.nodes).map((node) => node.operator)).toContain(operator);
  const found = check(flow, catalog, { routes: [], variables: [], secrets: undefined });
  expect(found.filter(({ severity, code }) => severity === 'error' && !ELSEWHERE.has(code))).toEqual([]);
});

test.each([
  [
    'rows known by several columns',
    [
      'googleSheets@4.5',
      { operation: 'appendOrUpdate', ...sheet, columns: { ...byMail, matchingColumns: ['a', 'b'] } },
    ],
  ],
  ['columns that are deleted', ['googleSheets@4.5', { operation: 'delete', ...sheet, toDelete: 'columns' }]],
  ['a record that is known by a field', ['airtable@2.1', { operation: 'update', ...table, columns: byMail }]],
  [
    'a filter of the form',
    [
      'notion@2.2',
      { resource: 'databasePage', operation: 'getAll', databaseId: rl('d'), filterType: 'manual' },
    ],
  ],
  [
    'an event of whole days',
    [
      'googleCalendar@1.3',
      { calendar: rl('primary'), start: 'a', end: 'b', additionalFields: { allday: 'yes' } },
    ],
  ],
] as const)('%s is a placeholder', async (_, [kind, parameters]) => {
  const { report } = await importedAlone([kind, parameters]);
  expect(report.nodes.find(({ name }) => name === 'Node')).toMatchObject({ word: 'placeholder' });
});

/** Posts items to an imported workflow, whose service is the stand-in. */
async function run(node: Node, items: unknown, answer: (asked: Asked) => unknown): Promise<unknown> {
  const { flow } = await importedAlone(node);
  return post([formatFlow(flow)], items, answer);
}

test('rows are found as there: empty cells are empty texts, numbers are compared as texts', async () => {
  const values = { lookupColumn: 'Name', lookupValue: '={{ $json.who }}' };
  const found = await run(
    ['googleSheets@4.5', { operation: 'read', ...sheet, filtersUI: { values: [values] } }],
    [{ who: 'Ada' }, { who: 'Alan' }],
    ({ path }) => (path.includes("'People'") ? { range: 'People!A1:C9', values: people } : undefined),
  );
  expect(found).toEqual([
    { row_number: 2, Name: 'Ada', Age: 36, Town: 'London' },
    { row_number: 4, Name: 'Ada', Age: 7, Town: '' },
    { row_number: 3, Name: 'Alan', Age: 41, Town: '' },
  ]);
  const first = await run(
    [
      'googleSheets@4.3',
      { operation: 'read', ...sheet, filtersUI: { values: [{ lookupColumn: 'Age', lookupValue: '41' }] } },
    ],
    [{}],
    () => ({ range: 'People!A1:C9', values: people }),
  );
  expect(first).toEqual([{ row_number: 3, Name: 'Alan', Age: 41, Town: '' }]);
});

test('items become rows under the names of their columns', async () => {
  const cells: unknown[] = [];
  await run(
    ['googleSheets@4.5', { operation: 'append', ...sheet, columns: byAll }],
    [
      { Age: 1, Name: 'Bob', row_number: 9 },
      { Name: 'Eve', Age: 2 },
    ],
    ({ method, body }) => {
      if (method === 'GET') return { range: 'People!A1:C1', values: people.slice(0, 1) };
      cells.push(...(body as { values: unknown[] }).values);
      return { updates: { updatedRows: 1 } };
    },
  );
  expect(cells).toEqual([
    ['Bob', 1, null],
    ['Eve', 2, null],
  ]);
});

test('cells of a row that is known by its number are written, and no others', async () => {
  const written: unknown[] = [];
  await run(
    ['googleSheets@4.5', { operation: 'update', ...sheet, columns: byNumber }],
    [{ row_number: 3, age: 42 }],
    ({ method, path, body }) => {
      written.push([method, path, (body as { values: unknown }).values]);
      return { updatedRows: 1 };
    },
  );
  expect(written).toEqual([['PUT', "/spreadsheets/D/values/'People'!A3", [[null, 42, null]]]]);
});

test('a mail is sent for each item', async () => {
  const mails: string[] = [];
  const sent = await run(
    [
      'gmail@2.1',
      {
        sendTo: '={{ $json.to }}',
        subject: '=Hi {{ $json.name }}',
        message: '=<b>{{ $json.name }}</b>',
        options: { ccList: 'c@d.e' },
      },
    ],
    [
      { to: 'a@b.c', name: 'Ada' },
      { to: 'b@b.c', name: 'Bob' },
    ],
    ({ body }) => {
      mails.push(Buffer.from((body as { raw: string }).raw, 'base64url').toString());
      return { id: `m${mails.length}`, threadId: 't', labelIds: ['SENT'] };
    },
  );
  expect(sent).toEqual([expect.objectContaining({ id: 'm1' }), expect.objectContaining({ id: 'm2' })]);
  expect(mails[0]).toMatch(/^To: a@b\.c\r\n/m);
  expect(mails[1]).toMatch(/^Subject: Hi Bob\r\n/m);
  expect(mails[1]).toMatch(/^Cc: c@d\.e\r\n/m);
  expect(mails[1]).toContain(Buffer.from('<b>Bob</b>').toString('base64'));
});
