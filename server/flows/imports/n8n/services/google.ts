import { asText } from '../params.ts';
import { NotHere } from '../entry.ts';
import { objectOf, shortMail, wholeMail } from '../mails.ts';
import { encoded, filesIn, type Given, mostOf, post, rowOf, type Service, type Use, use } from './service.ts';

/** Operations of Google's services. */

const GMAIL = 'https://gmail.googleapis.com/gmail/v1/users/me';
const DRIVE = 'https://www.googleapis.com/drive/v3';
const CALENDAR = 'https://www.googleapis.com/calendar/v3/calendars';
const sheetOf = (g: Given): Record<string, unknown> => ({
  spreadsheet: g.text('documentId'),
  sheet: g.text('sheetName.name', 'Sheet1'),
});

function readRows(g: Given): Use {
  const place = g.text('options.dataLocationOnSheet.values.rangeDefinition', 'detectAutomatically');
  if (place === 'specifyRange') throw new NotHere('its columns are named by another row than the first');
  const tests = g.list('filtersUI.values').map((one) => {
    const field = `row?.[${JSON.stringify(asText(one['lookupColumn'] ?? ''))}]`;
    return `(string(${field} ?? "") == string(${g.after.said(one['lookupValue'])} ?? ""))`;
  });
  const glue = g.text('combineFilters', 'AND') === 'OR' ? ' || ' : ' && ';
  // Before 4.5 the first match is the default, later all are.
  const isFirst =
    g.version < 4.5
      ? g.text('options.returnAllMatches', 'returnFirstMatch') === 'returnFirstMatch'
      : g.flag('options.returnFirstMatch');
  const found =
    tests.length === 0 ? '' : `.filter(row => ${tests.join(glue)})${isFirst ? '.slice(0, 1)' : ''}`;
  return use(
    'google-sheets.read-rows',
    {
      ...sheetOf(g),
      range: place === 'specifyRangeA1' ? g.text('options.dataLocationOnSheet.values.range') : undefined,
      rowNumbers: true,
      show: g.text('options.outputFormatting.values.general', 'UNFORMATTED_VALUE'),
      dates: g.text('options.outputFormatting.values.date', 'FORMATTED_STRING'),
    },
    `(one ?? []).map(row => fromEntries(entries(row).map(cell => [cell[0], cell[1] ?? ""])))${found}`,
  );
}

function saveRow(g: Given): Use {
  const by = g.value('columns.matchingColumns');
  const [first, ...more] = Array.isArray(by) ? by.map(asText) : [];
  if (first === undefined || more.length > 0 || first === 'row_number')
    throw new NotHere('it does not know rows by one column');
  return use('google-sheets.save-row', {
    ...sheetOf(g),
    by: first,
    row: rowOf(g),
    input: g.text('options.cellFormat', 'USER_ENTERED'),
  });
}

/** Rows that change only: by their number, else by a column. */
function updateRow(g: Given): Use {
  const by = g.value('columns.matchingColumns');
  if (!Array.isArray(by) || by.join() !== 'row_number') {
    const made = saveRow(g);
    g.tell('A row that is not there is added.');
    return made;
  }
  const row = rowOf(g);
  const names = g
    .list('columns.schema')
    .map((one) => asText(one['id']))
    .filter((name) => name !== 'row_number');
  if (typeof row !== 'object' || row === null || !('row_number' in row) || names.length === 0)
    throw new NotHere('it does not name the columns of the row');
  const given = new Map(Object.entries(row));
  const at = given.get('row_number');
  given.delete('row_number');
  if ([...given.keys()].some((name) => !names.includes(name)))
    throw new NotHere('it writes columns whose place is not known');
  g.tell('Columns have the order that they had when the workflow was made.');
  return use('google-sheets.update-cells', {
    ...sheetOf(g),
    range: `A${asText(at)}`,
    values: [names.map((name) => given.get(name) ?? null)],
    input: g.text('options.cellFormat', 'USER_ENTERED'),
  });
}

function clearCells(g: Given): Use {
  const what = g.text('clear', 'wholeSheet');
  if (what !== 'wholeSheet' && what !== 'specificRange') throw new NotHere(`it clears “${what}”`);
  const all = g.flag('keepFirstRow') ? 'A2:ZZZ' : undefined;
  return use('google-sheets.clear-cells', {
    ...sheetOf(g),
    range: what === 'specificRange' ? g.text('range') : all,
  });
}

function deleteRows(g: Given): Use {
  if (g.text('toDelete', 'rows') !== 'rows') throw new NotHere('it deletes columns');
  return use('google-sheets.delete-rows', {
    ...sheetOf(g),
    from: g.value('startIndex') ?? 2,
    count: g.value('numberToDelete') ?? 1,
  });
}

/** Who gets a mail, what is in it, and its files. */
function mailOf(g: Given): Record<string, unknown> {
  const files = g
    .list('options.attachmentsUi.attachmentsBinary')
    .flatMap((one) => filesIn(g, asText(one['property'] ?? 'data')));
  return {
    [g.text('emailType', 'html') === 'text' ? 'text' : 'html']: g.text('message'),
    cc: g.text('options.ccList'),
    bcc: g.text('options.bccList'),
    attachments: files.length === 0 ? undefined : `{{ compact([${files.join(', ')}]) }}`,
  };
}

const newMail = (g: Given): Record<string, unknown> => ({
  to: g.text('sendTo', g.text('toList', g.text('options.sendTo'))),
  subject: g.text('subject'),
  ...mailOf(g),
});

const mail = (g: Given, of: string): string =>
  g.value('simple') === false ? wholeMail(of, g.prefix) : objectOf(shortMail(of));

function findMails(g: Given): Use {
  if (g.prefix !== undefined) throw new NotHere('it downloads the files of the mails that it finds');
  const read = g.text('filters.readStatus', 'both');
  const at = (path: string, word: string): string =>
    g.text(path) === '' ? '' : `${word}:{{ timestamp(${g.expr(path)}, "seconds") }}`;
  const search = [
    g.text('filters.q'),
    g.text('filters.sender') === '' ? '' : `from:(${g.text('filters.sender')})`,
    read === 'both' ? '' : `is:${read}`,
    at('filters.receivedAfter', 'after'),
    at('filters.receivedBefore', 'before'),
    g.flag('filters.includeDrafts') ? '' : '-in:drafts',
  ];
  return use(
    'gmail.search',
    {
      search: search.filter((one) => one !== '').join(' '),
      labels: g.value('filters.labelIds'),
      spam: g.flag('filters.includeSpamTrash') || undefined,
      limit: mostOf(g, 50),
    },
    `(one ?? []).map(mail => (${mail(g, 'mail')}))`,
  );
}

const reading = (g: Given): Use => use('gmail.get', { message: g.text('messageId') }, mail(g, 'one'));

/** What is in My Drive itself has no folder. */
const folderOf = (g: Given, path: string): string | undefined => {
  const folder = g.text(path);
  return folder === '' || folder === 'root' ? undefined : folder;
};

function upload(g: Given): Use {
  const [content] = filesIn(g, g.text('inputDataFieldName', g.text('binaryPropertyName', 'data')));
  return use('google-drive.upload', {
    content: `{{ ${content} }}`,
    folder: folderOf(g, 'folderId'),
    name: g.text('name'),
  });
}

function findFiles(g: Given): Use {
  const what = g.text('filter.whatToSearch', 'all');
  if (g.text('searchMethod', 'name') !== 'name')
    return use('google-drive.search', { query: g.text('queryString'), limit: mostOf(g, 50) });
  return use('google-drive.search', {
    name: g.text('queryString'),
    folder: folderOf(g, 'filter.folderId'),
    kind: what === 'folders' ? 'folder' : undefined,
    query: what === 'files' ? "mimeType != 'application/vnd.google-apps.folder'" : undefined,
    limit: mostOf(g, 50),
  });
}

const calendarOf = (g: Given): string => g.text('calendar', 'primary');
const time = (g: Given, path: string): string | undefined =>
  g.text(path) === '' ? undefined : `{{ formatDate(${g.expr(path)}, "yyyy-MM-dd'T'HH:mm:ssZZ") }}`;

/** Its fields, which are in `additionalFields` of new events and in `updateFields` of changed ones. */
function eventOf(g: Given, fields: string): Record<string, unknown> {
  if (g.text(`${fields}.allday`, 'no') === 'yes') throw new NotHere('it makes an event of whole days');
  const guests = g.value(`${fields}.attendees`);
  return {
    calendar: calendarOf(g),
    summary: g.text(`${fields}.summary`),
    description: g.text(`${fields}.description`),
    location: g.text(`${fields}.location`),
    color: g.text(`${fields}.color`),
    guests: Array.isArray(guests) ? guests : g.text(`${fields}.attendees`),
    tell: g.text(`${fields}.sendUpdates`),
  };
}

/** An end of the time whose events are listed; forms of today propose the days from now on, which files leave out. */
function listed(g: Given, name: 'timeMin' | 'timeMax', days: number): ReturnType<typeof time> {
  if (g.version >= 1.3 && g.raw(name) === undefined && g.value(`options.${name}`) === undefined)
    return `{{ formatDate(date(timestamp(now()) + ${days * 86_400_000}), "yyyy-MM-dd'T'HH:mm:ss'Z'", "UTC") }}`;
  return time(g, g.text(name) === '' ? `options.${name}` : name);
}

export const servicesOfGoogle: readonly Service[] = [
  {
    kind: 'googleSheets',
    becomes: 'operators of `google-sheets`, else `http.request` through a connection',
    difference:
      'Adding and changing rows gives what the service answers, values are those of cells, and columns that a sheet lacks are an error. ',
    credential: 'googleSheetsOAuth2Api',
    first: ['sheet', 'read'],
    operations: {
      'sheet.read': readRows,
      'sheet.append': (g) =>
        use('google-sheets.append-rows', {
          ...sheetOf(g),
          rows: rowOf(g),
          input: g.text('options.cellFormat', 'USER_ENTERED'),
        }),
      'sheet.appendOrUpdate': saveRow,
      'sheet.update': updateRow,
      'sheet.clear': clearCells,
      'sheet.delete': deleteRows,
      'sheet.create': (g) =>
        use('google-sheets.add-sheet', {
          spreadsheet: g.text('documentId'),
          title: g.text('title', 'n8n-sheet'),
        }),
      'sheet.remove': (g) => use('google-sheets.delete-sheet', sheetOf(g)),
      'spreadsheet.create': (g) =>
        use(
          'google-sheets.create-spreadsheet',
          { title: g.text('title') },
          '{ ...one, spreadsheetId: one?.id, spreadsheetUrl: one?.url }',
        ),
    },
  },
  {
    kind: 'gmail',
    becomes: 'operators of `gmail`, else `http.request` through a connection',
    difference: 'Labels of mails have ids in place of names. ',
    credential: 'gmailOAuth2',
    first: ['message', 'send'],
    firsts: { draft: 'create', label: 'getAll', thread: 'getAll' },
    operations: {
      'message.send': (g) => use('gmail.send', { ...newMail(g), replyTo: g.text('options.replyTo') }),
      'message.reply': (g) =>
        use('gmail.reply', {
          message: g.text('messageId'),
          everybody: !g.flag('options.replyToSenderOnly'),
          ...mailOf(g),
        }),
      'message.get': reading,
      'message.getAll': findMails,
      'message.delete': (g) => ({
        method: 'DELETE',
        url: `${GMAIL}/messages/${encoded(g.expr('messageId'))}`,
        items: '{ success: true }',
      }),
      'message.addLabels': (g) =>
        use('gmail.label', { message: g.text('messageId'), add: g.value('labelIds') }),
      'message.removeLabels': (g) =>
        use('gmail.label', { message: g.text('messageId'), remove: g.value('labelIds') }),
      'message.markAsRead': (g) => use('gmail.mark-read', { message: g.text('messageId') }),
      'message.markAsUnread': (g) => use('gmail.mark-unread', { message: g.text('messageId') }),
      'draft.create': (g) => use('gmail.create-draft', newMail(g)),
      'label.getAll': () => use('gmail.list-labels', {}),
    },
  },
  {
    kind: 'googleDrive',
    becomes: 'operators of `google-drive`, else `http.request` through a connection',
    difference: 'Files have their most used fields. ',
    credential: 'googleDriveOAuth2Api',
    first: ['file', 'upload'],
    firsts: { fileFolder: 'search', folder: 'create', drive: 'create' },
    operations: {
      'file.download': (g) =>
        use(
          'google-drive.download',
          { file: g.text('fileId') },
          `{ ${JSON.stringify(g.text('options.binaryPropertyName', 'data'))}: one }`,
        ),
      'file.upload': upload,
      'file.move': (g) =>
        use('google-drive.move', { file: g.text('fileId'), folder: g.text('folderId', 'root') }),
      'file.deleteFile': (g) => ({
        method: 'DELETE',
        url: `${DRIVE}/files/${encoded(g.expr('fileId'))}`,
        items: '{ success: true }',
      }),
      'file.copy': (g) =>
        use('google-drive.copy', {
          file: g.text('fileId'),
          name: g.text('name'),
          folder: g.value('sameFolder') === false ? folderOf(g, 'folderId') : undefined,
        }),
      'file.share': (g) =>
        post(
          `${DRIVE}/files/${encoded(g.expr('fileId'))}/permissions`,
          g.value('permissionsUi.permissionsValues'),
        ),
      'folder.create': (g) =>
        use('google-drive.create-folder', { name: g.text('name'), folder: folderOf(g, 'folderId') }),
      'fileFolder.search': findFiles,
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
    becomes: 'operators of `google-calendar`, else `http.request` through a connection',
    credential: 'googleCalendarOAuth2Api',
    first: ['event', 'create'],
    operations: {
      'event.create': (g) =>
        use('google-calendar.create-event', {
          ...eventOf(g, 'additionalFields'),
          summary: g.text('additionalFields.summary', '{{ "" }}'),
          start: time(g, 'start'),
          end: time(g, 'end'),
        }),
      'event.get': (g) =>
        use('google-calendar.get-event', { calendar: calendarOf(g), event: g.text('eventId') }),
      'event.getAll': (g) =>
        use('google-calendar.list-events', {
          calendar: calendarOf(g),
          from: listed(g, 'timeMin', 0),
          until: listed(g, 'timeMax', 7),
          search: g.text('options.query'),
          limit: mostOf(g, 50),
        }),
      'event.update': (g) =>
        use('google-calendar.update-event', {
          ...eventOf(g, 'updateFields'),
          event: g.text('eventId'),
          start: time(g, 'updateFields.start'),
          end: time(g, 'updateFields.end'),
        }),
      'event.delete': (g) => ({
        method: 'DELETE',
        url: `${CALENDAR}/${encoded(g.expr('calendar', '"primary"'))}/events/${encoded(g.expr('eventId'))}`,
        items: '{ success: true }',
      }),
    },
  },
];
