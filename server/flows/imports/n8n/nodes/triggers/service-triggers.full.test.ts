import { expect, test } from 'vitest';
import { AT_HOME, itemsOf, mails } from './service-triggers.contract.ts';

/** Workflows of n8n that a service starts: each new thing starts a run, and its item has the fields that it has there. */

test('a whole mail with its files', async () => {
  const parameters = { simple: false, filters: {}, options: { downloadAttachments: true } };
  expect(await itemsOf(['gmailTrigger@1.2', parameters], mails, 1)).toEqual([
    expect.objectContaining({
      id: 'm2',
      labelIds: ['INBOX'],
      subject: 'Figures',
      from: { value: [{ name: 'Ada', address: 'ada@example.com' }], text: 'Ada <ada@example.com>' },
      to: expect.objectContaining({ text: 'shop@example.com, Bob <bob@example.com>' }),
      text: expect.stringContaining('See the table.'),
      attachment_0: expect.objectContaining({ name: 'table.csv', type: 'text/csv' }),
    }),
  ]);
});

test('a row', async () => {
  const parameters = {
    event: 'rowAdded',
    documentId: { __rl: true, mode: 'list', value: 'D' },
    sheetName: { __rl: true, mode: 'list', value: 'gid=0', cachedResultName: 'People' },
  };
  const rows = (path: string, isLater: boolean): unknown => {
    if (path !== "/spreadsheets/D/values/'People'") return undefined;
    const values = [['Name', 'Age'], ['Ada', '36'], ...(isLater ? [['Alan', '41']] : [])];
    return { range: 'People!A1:B99', values };
  };
  expect(await itemsOf(['googleSheetsTrigger@1', parameters], rows, 1)).toEqual([
    { row_number: 3, Name: 'Alan', Age: '41' },
  ]);
});

test('a file of a folder, and no folder', async () => {
  const parameters = {
    triggerOn: 'specificFolder',
    event: 'fileCreated',
    folderToWatch: { __rl: true, mode: 'list', value: 'F' },
  };
  const made = (id: string, mimeType: string, minute: number): object => ({
    id,
    mimeType,
    name: id,
    createdTime: `2026-03-01T10:0${minute}:00.000Z`,
  });
  const files = (_: string, isLater: boolean): unknown => ({
    files: [
      ...(isLater
        ? [made('c', 'application/vnd.google-apps.folder', 3), made('b', 'application/pdf', 2)]
        : []),
      made('a', 'text/plain', 1),
    ],
  });
  const items = await itemsOf(['googleDriveTrigger@1', parameters], files, 2);
  expect(items).toEqual(expect.arrayContaining([expect.objectContaining({ id: 'b', name: 'b' })]));
  expect(items).not.toContainEqual(expect.objectContaining({ id: 'c' }));
});

test('a record, by the field of its time', async () => {
  const parameters = {
    baseId: { __rl: true, value: 'appX' },
    tableId: { __rl: true, value: 'tblX' },
    triggerField: 'Created',
  };
  const made = (id: string, Created: string): object => ({ id, createdTime: Created, fields: { Created } });
  const records = (path: string, isLater: boolean): unknown =>
    path === '/appX/tblX' ? { records: isLater ? [made('b', '2026-03-01T11:00:00.000Z')] : [] } : undefined;
  expect(await itemsOf(['airtableTrigger@1', parameters], records, 1)).toEqual([
    expect.objectContaining({ id: 'b', fields: { Created: '2026-03-01T11:00:00.000Z' } }),
  ]);
});

test('an event that changes, and none that is new', async () => {
  const parameters = { calendarId: { __rl: true, mode: 'list', value: 'a@b.c' }, triggerOn: 'eventUpdated' };
  const made = (id: string, created: string): object => ({
    id,
    created,
    updated: '2026-03-02T10:00:30.000Z',
  });
  const events = (path: string, isLater: boolean): unknown =>
    path === '/calendars/a@b.c/events'
      ? {
          items: isLater
            ? [made('new', '2026-03-02T10:00:00.000Z'), made('old', '2026-03-01T10:00:00.000Z')]
            : [],
        }
      : undefined;
  const items = await itemsOf(['googleCalendarTrigger@1', parameters], events, 2);
  expect(items).toContainEqual(expect.objectContaining({ id: 'old' }));
  expect(items).not.toContainEqual(expect.objectContaining({ id: 'new' }));
});

test('a page of a database', async () => {
  const pages = (path: string, isLater: boolean): unknown => {
    if (path === '/databases/d')
      return { object: 'database', id: 'd', data_sources: [{ id: 's', name: 'S' }] };
    if (path !== '/data_sources/s/query') return undefined;
    const properties = {
      Name: { type: 'title', title: [{ plain_text: 'Ada' }] },
      'Born in': { type: 'number', number: 1815 },
    };
    return { object: 'list', results: isLater ? [{ id: 'p', url: 'u', properties }] : [], has_more: false };
  };
  expect(await itemsOf(['notionTrigger@1', { databaseId: { __rl: true, value: 'd' } }], pages, 1)).toEqual([
    expect.objectContaining({ id: 'p', url: 'u', name: 'Ada', property_name: 'Ada', property_born_in: 1815 }),
  ]);
});

test('a message of a channel', async () => {
  const parameters = { trigger: ['message'], channelId: { __rl: true, mode: 'list', value: 'C1' } };
  const messages = (path: string, isLater: boolean): unknown =>
    path === '/conversations.history'
      ? {
          ok: true,
          messages: isLater ? [{ type: 'message', user: 'U', text: 'Hi', ts: '9999999999.1' }] : [],
        }
      : undefined;
  expect(await itemsOf(['slackTrigger@1', parameters], messages, 1)).toEqual([
    { type: 'message', user: 'U', text: 'Hi', ts: '9999999999.1', channel: 'C1', event_ts: '9999999999.1' },
  ]);
});

const outlook = (path: string, isLater: boolean): unknown => {
  if (path.endsWith('/attachments'))
    return { value: [{ name: 'a.txt', contentType: 'text/plain', contentBytes: 'aGk=' }, { name: 'event' }] };
  if (!path.endsWith('/me/messages')) return undefined;
  const found = (id: string): unknown => ({
    id,
    subject: `Mail ${id}`,
    from: { emailAddress: { name: 'Ada', address: 'ada@example.com' } },
    toRecipients: [{ emailAddress: { address: 'shop@example.com' } }],
    hasAttachments: true,
  });
  return { value: (isLater ? ['m1', 'm2'] : ['m1']).map(found) };
};

test('a mail of Outlook, in short', async () => {
  expect(await itemsOf(['microsoftOutlookTrigger@1', { filters: {}, options: {} }], outlook, 1)).toEqual([
    {
      id: 'm2',
      conversationId: null,
      subject: 'Mail m2',
      bodyPreview: null,
      from: 'ada@example.com',
      to: ['shop@example.com'],
      categories: null,
      hasAttachments: true,
    },
  ]);
});

test('a whole mail of Outlook with its files', async () => {
  const parameters = { output: 'raw', filters: {}, options: { downloadAttachments: true } };
  const [item] = await itemsOf(['microsoftOutlookTrigger@1', parameters], outlook, 1);
  expect(item).toMatchObject({ id: 'm2', attachment_0: { name: 'a.txt', type: 'text/plain' } });
  expect(item).not.toHaveProperty('attachment_1');
});

test('a record of Salesforce that is new', async () => {
  const records = (path: string, isLater: boolean): unknown =>
    path === '/services/data/v59.0/query'
      ? { records: (isLater ? ['1', '2'] : ['1']).map((Id) => ({ Id, Name: `Lead ${Id}` })) }
      : undefined;
  expect(await itemsOf(['salesforceTrigger@1', { triggerOn: 'leadCreated' }], records, 1)).toEqual([
    { Id: '2', Name: 'Lead 2' },
  ]);
});

test('a file of OneDrive that is new: the list of changes goes on where it ended', async () => {
  const asked: string[] = [];
  const at = new Date(Date.now() + 60_000).toISOString();
  const one = (id: string, createdDateTime: string, more: object): unknown => ({
    id,
    name: `${id}.txt`,
    fileSystemInfo: { createdDateTime, lastModifiedDateTime: at },
    parentReference: { id: 'f', path: '/drive/root:' },
    ...more,
  });
  const changes = (path: string, isLater: boolean): unknown => {
    asked.push(path);
    const link = `https://graph.microsoft.com/v1.0/me/drive/root/delta/${isLater ? 'b' : 'a'}`;
    const value = path.endsWith('/delta')
      ? [one('old', at, { file: {} })]
      : isLater
        ? [
            one('new', at, { file: {} }),
            one('changed', '2020-01-01T00:00:00Z', { file: {} }),
            one('dir', at, { folder: {} }),
          ]
        : [];
    return { value, '@odata.deltaLink': link.replace(AT_HOME, '') };
  };
  const parameters = { watch: 'selectedFolder', folderId: { __rl: true, mode: 'id', value: 'f' } };
  expect(await itemsOf(['microsoftOneDriveTrigger@1', parameters], changes, 1)).toMatchObject([
    { id: 'new', name: 'new.txt', path: '/drive/root:' },
  ]);
  expect(asked[0]).toBe('/v1.0/me/drive/root/delta');
  expect(asked).toContain('/v1.0/me/drive/root/delta/a');
});

test('a lead of a form of Facebook that is new', async () => {
  const leads = (path: string, isLater: boolean): unknown => {
    if (!path.endsWith('/leads')) return { id: '7', name: 'Form', page: { id: 'p' } };
    const made = {
      created_time: new Date().toISOString(),
      field_data: [{ name: 'email', values: ['a@b.c'] }],
    };
    return {
      data: isLater
        ? [
            { id: '2', ...made },
            { id: '1', created_time: '2020-01-01T00:00:00+0000' },
          ]
        : [],
    };
  };
  const parameters = {
    page: { __rl: true, mode: 'id', value: 'p' },
    form: { __rl: true, mode: 'id', value: '7' },
  };
  expect(await itemsOf(['facebookLeadAdsTrigger@1', parameters], leads, 1)).toMatchObject([
    { id: '2', data: { email: 'a@b.c' }, form: { id: '7', name: 'Form' }, page: { id: 'p' } },
  ]);
});
