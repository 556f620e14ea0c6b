import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FlowNode } from '#shared/flow.ts';
import { eventually } from '../../../tests/support/eventually.ts';
import { flowText } from '../../admin/cli/testing/temp-project.ts';
import { type Bed, startBed, tempFolder } from '../../testing/platform-bed.ts';
import { standIn } from '../../testing/stand-in.ts';

/** What examples of a file cannot show: services that remember, lists that are long, and triggers. */

async function bedWith(nodes: Record<string, FlowNode>, address: string): Promise<Bed> {
  const flows = await tempFolder();
  const [first = '', second = ''] = Object.keys(nodes);
  await writeFile(join(flows, 'job.json'), flowText('job', nodes, [`${first} > ${second}`]));
  const bed = await startBed({ flows: [flows] });
  await bed.ctx.connections.put('account', {
    kind: 'http',
    settings: { address, auth: 'bearer', secret: 'a-token' },
    grants: { flows: ['job'] },
  });
  await bed.ctx.flows.worldChanged('connections');
  return bed;
}

const start: FlowNode = {
  operator: 'trigger.http',
  params: { path: '/job', methods: ['POST'], auth: 'none', maxBodyBytes: 10_000_000 },
};

async function post(bed: Bed, body: unknown): Promise<{ status: number; value: unknown }> {
  const answer = await fetch(`${bed.url}/api/v1/awel/trigger/job`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, value: await answer.json() };
}

test('a sheet gets its rows by the names of its columns, and gives them back', async () => {
  const cells: unknown[][] = [['Name', 'Age', 'Mail']];
  const address = await standIn(({ method, path, body }) => {
    const values = (body as { values?: unknown[][] } | undefined)?.values ?? [];
    if (method === 'GET' && path.endsWith('!1:1'))
      return { range: 'People!A1:C1', values: cells.slice(0, 1) };
    if (method === 'GET') return { range: 'People!A1:C99', values: cells };
    cells.push(...values);
    return { updates: { updatedRange: `People!A2:C${cells.length}`, updatedRows: values.length } };
  });
  const nodes = (operator: string, params: object): Record<string, FlowNode> => ({
    start,
    use: { operator, params: { connection: 'account', spreadsheet: 'abc', sheet: 'People', ...params } },
  });
  const writes = await bedWith(nodes('google-sheets.append-rows', { rows: '{{ input }}' }), address);
  const rows = Array.from({ length: 2000 }, (_row, at) => ({ Mail: `${at}@example.com`, Name: `N${at}` }));
  expect(await post(writes, rows)).toMatchObject({ status: 200, value: { updatedRows: 2000 } });
  expect(cells[2000]).toEqual(['N1999', null, '1999@example.com']);
  expect(await post(writes, [{ Name: 'Ada' }, { Town: 'London' }])).toMatchObject({
    status: 500,
    value: { err_msg: 'The sheet has no column Town; it has Name, Age, Mail.' },
  });
  expect(cells).toHaveLength(2001);
  const reads = await bedWith(nodes('google-sheets.read-rows', {}), address);
  const { value } = await post(reads, {});
  expect(value).toHaveLength(2000);
  expect(value).toMatchObject({ 1999: { Name: 'N1999', Age: null, Mail: '1999@example.com' } });
});

test('a list that is longer than a service takes is sent in pieces, and what they give is joined', async () => {
  const sizes: number[] = [];
  const address = await standIn(({ body }) => {
    const { records } = body as { records: { fields: { N: number } }[] };
    sizes.push(records.length);
    return { records: records.map(({ fields }) => ({ id: `rec${fields.N}`, fields })) };
  });
  const params = { connection: 'account', base: 'b', table: 'T', records: '{{ input }}' };
  const bed = await bedWith({ start, add: { operator: 'airtable.create-records', params } }, address);
  const records = Array.from({ length: 23 }, (_record, at) => ({ N: at }));
  const { value } = await post(bed, records);
  expect(sizes).toEqual([10, 10, 3]);
  expect((value as { id: string }[]).map(({ id }) => id)).toEqual(records.map(({ N }) => `rec${N}`));
});

/** The lines of a mail as Gmail gets it. */
function linesOf(body: unknown): string[] {
  return Buffer.from((body as { raw: string }).raw, 'base64url')
    .toString()
    .split('\r\n');
}

test('a row that is added to a sheet becomes a mail, and rows that were there do not', async () => {
  const cells: unknown[][] = [
    ['Name', 'Mail'],
    ['Ada', 'ada@example.com'],
  ];
  const mails: string[][] = [];
  const address = await standIn(({ method, body }) => {
    if (method === 'GET') return { range: 'People!A1:B99', values: cells };
    return { id: `m${mails.push(linesOf(body))}`, threadId: 't' };
  });
  const nodes: Record<string, FlowNode> = {
    row: {
      operator: 'google-sheets.row-added',
      params: { connection: 'account', spreadsheet: 'abc', sheet: 'People', every: 1 },
    },
    mail: {
      operator: 'gmail.send',
      params: {
        connection: 'account',
        to: '{{ input.values.Name }} <{{ input.values.Mail }}>',
        subject: 'Grüße, {{ input.values.Name }}',
        text: 'Row {{ input.row_number }}',
      },
    },
  };
  await bedWith(nodes, address);
  await new Promise((resolve) => setTimeout(resolve, 1500));
  cells.push(['Grace', 'grace@example.com'], ['', ''], ['Alan', 'alan@example.com']);
  await eventually(() => expect(mails).toHaveLength(2));
  expect(mails[0]).toContain('To: Grace <grace@example.com>');
  expect(mails[0]?.join('\n')).toContain(Buffer.from('Row 3').toString('base64'));
  expect(mails[1]?.join('\n')).toContain(Buffer.from('Row 5').toString('base64'));
  // Letters beyond ASCII travel in encoded words (RFC 2047).
  const subject = mails[0]?.find((line) => line.startsWith('Subject: ')) ?? '';
  expect(subject).toMatch(/^Subject: (?:=\?utf-8\?B\?[\w+/=]+\?=)$/);
});

test('an answer to a mail stands in its conversation and goes to whom it should', async () => {
  const sent: { lines: string[]; threadId: unknown }[] = [];
  const headers = Object.entries({
    From: 'Ada <ada@example.com>',
    To: 'shop@example.com',
    Cc: 'bob@example.com',
    Subject: 'An order',
    'Message-ID': '<2@x>',
    References: '<1@x>',
  }).map(([name, value]) => ({ name, value }));
  const address = await standIn(({ method, body }) => {
    if (method === 'GET') return { id: 'm1', threadId: 't1', payload: { headers } };
    sent.push({ lines: linesOf(body), threadId: (body as { threadId: unknown }).threadId });
    return { id: 'm2', threadId: 't1' };
  });
  const params = { connection: 'account', message: 'm1', text: 'Thanks', everybody: '{{ input.all }}' };
  const bed = await bedWith({ start, answer: { operator: 'gmail.reply', params } }, address);
  expect((await post(bed, { all: true })).status).toBe(200);
  expect((await post(bed, { all: false })).status).toBe(200);
  const [toAll, toOne] = sent;
  expect(toAll?.threadId).toBe('t1');
  expect(toAll?.lines).toEqual(
    expect.arrayContaining([
      'To: Ada <ada@example.com>',
      'Cc: shop@example.com, bob@example.com',
      'Subject: Re: An order',
      'In-Reply-To: <2@x>',
      'References: <1@x> <2@x>',
    ]),
  );
  expect(toOne?.lines.some((line) => line.startsWith('Cc:'))).toBe(false);
});

test('the files of a mail are files of the run', async () => {
  const lines = [
    'Subject: Figures',
    'Content-Type: multipart/mixed; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'See the table.',
    '--b',
    'Content-Type: text/csv',
    'Content-Disposition: attachment; filename=table.csv',
    '',
    'a,b',
    '--b--',
  ];
  const raw = Buffer.from(lines.join('\r\n')).toString('base64url');
  const address = await standIn(({ path }) =>
    path === '/messages/m1' ? { id: 'm1', threadId: 'm1', raw } : undefined,
  );
  const params = { connection: 'account', message: '{{ input.id }}' };
  const bed = await bedWith({ start, read: { operator: 'gmail.get', params } }, address);
  expect((await post(bed, { id: 'm1' })).value).toMatchObject({
    subject: 'Figures',
    attachments: [{ $file: expect.stringMatching(/^f_/), name: 'table.csv', type: 'text/csv', bytes: 4 }],
  });
  expect(await post(bed, { id: 'm2' })).toMatchObject({
    value: { err_msg: expect.stringContaining('There is no such mail') },
  });
});

test('each new mail starts one run with its text; what was there starts none, and what is gone neither', async () => {
  const ids = ['m1'];
  const read: string[] = [];
  const said: string[] = [];
  const address = await standIn(({ path, body }) => {
    if (path === '/said') return { count: said.push((body as { text: string }).text) };
    if (path === '/messages') return { messages: ids.toReversed().map((id) => ({ id, threadId: id })) };
    const id = path.slice('/messages/'.length);
    read.push(id);
    if (id === 'gone') return undefined;
    const mail = `From: Ada <ada@example.com>\r\nSubject: Mail ${id}\r\nMessage-ID: <${id}@x>\r\n\r\nHello ${id}`;
    return { id, threadId: id, raw: Buffer.from(mail).toString('base64url') };
  });
  await bedWith(
    {
      mail: { operator: 'gmail.mail-received', params: { connection: 'account', every: 1 } },
      tell: {
        operator: 'http.request',
        params: {
          connection: 'account',
          method: 'POST',
          url: '/said',
          bodyType: 'json',
          body: { text: '{{ input.subject }}: {{ trim(input.text) }}' },
        },
      },
    },
    address,
  );
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(read).toEqual([]);
  ids.push('m2', 'gone', 'm3');
  await eventually(() => expect(read).toEqual(['m2', 'gone', 'm3']));
  await eventually(() => expect(said).toEqual(['Mail m2: Hello m2', 'Mail m3: Hello m3']));
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(read).toEqual(['m2', 'gone', 'm3']);
});
