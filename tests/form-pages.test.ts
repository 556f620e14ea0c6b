import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImportAnswer } from '#shared/import-report.ts';
import { n8nFile, type Short } from '../server/flows/imports/n8n/testing/short.ts';
import { type Answer, ask, type Owner, signIn } from './support/client.ts';
import { eventually } from './support/eventually.ts';
import { discard, startServer, type TestServer } from './support/server.ts';

/** Forms of several pages of n8n, sent by a browser without scripts: each page leads to the next one. */
let server: TestServer;
let owner: Owner;

const question = (fieldLabel: string, more: object = {}) => ({
  values: [{ fieldLabel, requiredField: true, ...more }],
});

const pages: Short = {
  nodes: {
    Begin: ['formTrigger@2.2', { path: 'PATH', formTitle: 'Who?', formFields: question('Name') }],
    Age: [
      'form@1',
      {
        options: { formTitle: '=Hello {{ $json.Name }}' },
        formFields: question('Age', { fieldType: 'number' }),
      },
    ],
    If: [
      'if@2',
      {
        conditions: {
          combinator: 'and',
          conditions: [
            { leftValue: '={{ $json.Age }}', rightValue: 18, operator: { type: 'number', operation: 'gte' } },
          ],
        },
      },
    ],
    Drink: ['form@1', { formFields: question('Drink') }],
    End: [
      'form@1',
      {
        operation: 'completion',
        completionTitle: 'Done',
        completionMessage:
          "={{ $('Begin').item.json.Name }} is {{ $('Age').item.json.Age }} and has {{ $json.Drink }}",
      },
    ],
    Away: [
      'form@1',
      { operation: 'completion', respondWith: 'redirect', redirectUrl: 'https://example.com/young' },
    ],
  },
  wires: ['Begin > Age', 'Age > If', 'If > Drink', 'If.1 > Away', 'Drink > End'],
};
const open: Short = {
  nodes: {
    Begin: [
      'formTrigger@2.2',
      { path: 'PATH', formTitle: 'Who?', defineForm: 'json', jsonOutput: '[{"fieldLabel": "Name"}]' },
    ],
    Age: ['form@1', { formFields: question('Age') }],
  },
  wires: ['Begin > Age'],
};

async function live(name: string, short: Short): Promise<void> {
  const text = JSON.stringify(n8nFile(name, short)).replaceAll('PATH', name);
  const files = [{ path: `${name}.json`, text }];
  const { imports } = await owner.data<ImportAnswer>('POST', '/imports', { files, save: true, open: true });
  expect(imports[0]?.report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  expect(imports[0]?.report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  const id = imports[0]?.report.flows[0] as string;
  const { revision, problems } = await owner.data<{ revision: string; problems: { severity: string }[] }>(
    'GET',
    `/flows/${id}`,
  );
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  await owner.data('POST', `/flows/${id}/publish`, { revision });
}

beforeAll(async () => {
  server = await startServer();
  owner = await signIn(server);
  await live('pages', pages);
  await live('open', open);
});
afterAll(() => discard(server));

/** The page behind an address, as a browser shows it: it follows what it is led to, and looks again. */
async function shown(path: string): Promise<{ at: string; text: string }> {
  return eventually(async () => {
    const answer: Answer = await ask(`${server.url}${path}`, { redirect: 'manual' });
    const to = answer.headers.get('location');
    if (to !== null) return shown(to);
    expect(answer.text).not.toContain('http-equiv="refresh" content="2"');
    return { at: path, text: answer.text };
  });
}

/** Sends the form of a page, and gives the page behind it. */
async function send(path: string, fields: Record<string, string>): Promise<{ at: string; text: string }> {
  const body = new URLSearchParams(fields);
  const answer = await ask(`${server.url}${path}`, { method: 'POST', body, redirect: 'manual' });
  expect([answer.status, answer.text]).toEqual([303, expect.anything()]);
  return shown(answer.headers.get('location') as string);
}

test('each page leads to the next one, and the last one shows its text', async () => {
  const age = await send('/form/pages', { 'data.field_1': 'Ada' });
  expect(age.text).toContain('<h1>Hello Ada</h1>');
  // Nothing of the flow, and nothing that only a decision has.
  expect(age.text).not.toMatch(/Your name|Comment|asked/);
  const refused = await ask(`${server.url}${age.at}`, {
    method: 'POST',
    body: new URLSearchParams({ 'data.field_1': 'old', decision: 'submitted' }),
  });
  expect(refused.status).toBe(422);
  const drink = await send(age.at, { 'data.field_1': '36', decision: 'submitted' });
  expect(drink.text).toContain('<h1>Drink</h1>');
  const end = await send(drink.at, { 'data.field_1': 'tea', decision: 'submitted' });
  expect(end.text).toContain('<strong>Done</strong>');
  expect(end.text).toContain('Ada is 36 and has tea');
  // A page that was sent leads on, and is not sent twice.
  expect((await shown(age.at)).text).toContain('Ada is 36 and has tea');
});

test('the end may lead elsewhere', async () => {
  const age = await send('/form/pages', { 'data.field_1': 'Bob' });
  const end = await send(age.at, { 'data.field_1': '7', decision: 'submitted' });
  expect(end.text).toContain('content="0; url=https://example.com/young"');
});

test('without an end the sender is thanked, and sees nothing of the run', async () => {
  const age = await send('/form/open', { 'data.field_1': 'Ada' });
  const end = await send(age.at, { 'data.field_1': 'secret', decision: 'submitted' });
  expect(end.text).toContain('Thank you. Your entries have arrived.');
  expect(end.text).not.toContain('secret');
});
