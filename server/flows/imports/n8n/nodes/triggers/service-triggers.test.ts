import { expect, test } from 'vitest';
import { imported, itemsOf, mails } from './service-triggers.contract.ts';

/** Workflows of n8n that a service starts; the items of each service are in `service-triggers.full.test.ts`. */

test('a mail, in short', async () => {
  expect(await itemsOf(['gmailTrigger@1.2', { filters: {} }], mails, 1)).toEqual([
    {
      id: 'm2',
      threadId: 't',
      snippet: 'See',
      labels: [{ id: 'INBOX', name: 'INBOX' }],
      internalDate: '1772438400000',
      From: 'Ada <ada@example.com>',
      To: 'shop@example.com, Bob <bob@example.com>',
      Cc: '',
      Subject: 'Figures',
    },
  ]);
});

test.each([
  ['a label of the account', ['gmailTrigger@1', { filters: { labelIds: ['Label_7'] } }]],
  ['one file', ['googleDriveTrigger@1', { triggerOn: 'specificFile', event: 'fileUpdated' }]],
  [
    'rows that change only',
    ['googleSheetsTrigger@1', { event: 'rowUpdate', documentId: 'D', sheetName: 'S' }],
  ],
  ['an event that begins', ['googleCalendarTrigger@1', { calendarId: 'a', triggerOn: 'eventStarted' }]],
  ['a mention', ['slackTrigger@1', { trigger: ['app_mention'], channelId: 'C' }]],
  [
    'a formula',
    [
      'airtableTrigger@1',
      { baseId: 'a', tableId: 'b', triggerField: 'c', additionalFields: { formula: '1' } },
    ],
  ],
] as const)('%s is a placeholder', async (_, [kind, parameters]) => {
  const { report } = await imported(kind, parameters);
  expect(report.nodes[0]).toMatchObject({
    word: 'placeholder',
    difference: expect.stringMatching(/^It cannot be taken over/),
  });
});

test.each([
  [{}, '-in:drafts -in:sent'],
  [
    { sender: 'ada@example.com', readStatus: 'unread' },
    'from:(ada@example.com) is:unread -in:drafts -in:sent',
  ],
  [
    { labelIds: ['INBOX', 'CATEGORY_PERSONAL'], q: 'has:attachment' },
    'in:inbox category:primary has:attachment -in:drafts',
  ],
  [{ includeSpamTrash: true, includeDrafts: true }, 'in:anywhere -in:sent'],
])('mails are looked for as %j', async (filters, search) => {
  const { flow } = await imported('gmailTrigger@1.2', { filters });
  expect(Object.values(flow.nodes)[0]?.params).toMatchObject({ search, every: 60 });
});

test.each([
  [{ mode: 'everyX', value: 5, unit: 'minutes' }, 300, []],
  [{ mode: 'everyX', value: 2, unit: 'hours' }, 7200, []],
  [{ mode: 'everyHour' }, 3600, []],
  [{ mode: 'custom', cronExpression: '*/10 * * * *' }, 600, []],
  [{ mode: 'everyDay', hour: 9 }, 86_400, ['changed']],
])('it asks as often as %j', async (rule, every, told) => {
  const { flow, report } = await imported('gmailTrigger@1.2', { pollTimes: { item: [rule] } });
  expect(Object.values(flow.nodes)[0]?.params).toMatchObject({ every });
  expect(report.changes.map(({ effect }) => effect)).toEqual(told);
});

test('mails of Outlook are asked for since the last look, by folder, state and sender', async () => {
  const filters = { sender: "o'neill@example.com", readStatus: 'unread', foldersToInclude: ['f1', 'f2'] };
  const { others } = await imported('microsoftOutlookTrigger@1', { filters, options: {} });
  const asked = Object.values(others[0]?.nodes ?? {}).filter(({ operator }) => operator === 'http.request');
  expect(asked.map(({ params }) => params)).toMatchObject(
    ['f1', 'f2'].map((folder) => ({
      url: `https://graph.microsoft.com/v1.0/me/mailFolders/${folder}/messages`,
      query: {
        $orderby: 'receivedDateTime asc',
        $filter:
          "receivedDateTime ge {{ nodes.since }} and ((from/emailAddress/address eq 'o''neill@example.com' or from/emailAddress/name eq 'o''neill@example.com') and isRead eq false)",
      },
    })),
  );
});
