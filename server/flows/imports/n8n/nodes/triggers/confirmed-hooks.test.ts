import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { findingsOf } from '../../../../../../engine/check/check.ts';
import { startBed, tempFolder } from '../../../../../testing/platform-bed.ts';
import { catalog, ELSEWHERE, importedShort } from '../../testing/service-bed.ts';

/** Meta asks for its word before it calls, and then puts what has happened into lists. */
test('the trigger of WhatsApp gives the word back, and the message that comes', async () => {
  const { flows } = await importedShort({
    nodes: {
      Came: ['whatsAppTrigger@1', { updates: ['messages'] }],
      Text: [
        'set@3.4',
        {
          assignments: {
            assignments: [{ name: 'text', type: 'string', value: '={{ $json.messages[0].text.body }}' }],
          },
        },
      ],
    },
    wires: ['Came > Text'],
  });
  const folder = await tempFolder();
  await writeFile(join(folder, 'job.json'), JSON.stringify(flows[0]));
  const bed = await startBed({ flows: [folder] });
  const address = `${bed.url}/api/v1/awel/trigger/whatsapp-job`;
  const asked = await fetch(`${address}?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=x`);
  expect([asked.status, await asked.text()]).toEqual([200, '1158201444']);
  const value = { messages: [{ text: { body: 'Hello' } }] };
  const called = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ entry: [{ changes: [{ value }] }] }),
  });
  expect(called.status).toBeLessThan(300);
});

/** An imported trigger behind its address. */
async function hooked(kind: string, parameters: Record<string, unknown>, path: string) {
  const { flows, report } = await importedShort({
    nodes: {
      Came: [kind, parameters],
      Item: ['set@3.4', { includeOtherFields: true, assignments: { assignments: [] } }],
    },
    wires: ['Came > Item'],
  });
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  const folder = await tempFolder();
  await writeFile(join(folder, 'job.json'), JSON.stringify(flows[0]));
  const bed = await startBed({ flows: [folder] });
  const address = `${bed.url}/api/v1/awel/trigger/${path}`;
  const call = (body: unknown, headers: Record<string, string> = {}) =>
    fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return { address, call };
}

test('the trigger of Onfleet gives the word back', async () => {
  const { address, call } = await hooked('onfleetTrigger@1', { triggerOn: 'taskCompleted' }, 'onfleet-job');
  const asked = await fetch(`${address}?check=abc`);
  expect([asked.status, await asked.text()]).toEqual([200, 'abc']);
  expect((await call({ taskId: 't' })).status).toBeLessThan(300);
});

test('the trigger of Asana gives the secret back in a header', async () => {
  const { call } = await hooked('asanaTrigger@1', { resource: '1', workspace: '2' }, 'asana-job');
  const asked = await call({}, { 'x-hook-secret': 'abc' });
  expect([asked.status, asked.headers.get('x-hook-secret')]).toEqual([200, 'abc']);
  expect((await call({ events: [{ action: 'added' }] })).status).toBeLessThan(300);
});

test('the trigger of Trello is there when Trello asks for it', async () => {
  const { address, call } = await hooked('trelloTrigger@1', { id: 'b' }, 'trello-job');
  expect((await fetch(address, { method: 'HEAD' })).status).toBe(200);
  expect((await call({ action: { type: 'createCard' } })).status).toBeLessThan(300);
});

test('the trigger of Strava gives the challenge back as JSON', async () => {
  const { address } = await hooked('stravaTrigger@1', { resolveData: false, event: 'create' }, 'strava-job');
  const asked = await fetch(`${address}?hub.mode=subscribe&hub.challenge=15f7&hub.verify_token=x`);
  expect([asked.status, await asked.json()]).toEqual([200, { 'hub.challenge': '15f7' }]);
});

test.each([
  ['eventbriteTrigger@1', { organization: 'o', actions: ['order.placed'] }],
  ['stravaTrigger@1', {}],
  ['trelloTrigger@1', { id: 'b' }],
])('the trigger %s is imported, and nothing of it is lost', async (kind, parameters) => {
  const { flows, report } = await importedShort({
    nodes: { Came: [kind, parameters], Item: ['set@3.4', { assignments: { assignments: [] } }] },
    wires: ['Came > Item'],
  });
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(report.changes.filter(({ effect }) => effect === 'lost')).toEqual([]);
  const found = findingsOf(flows[0] as Flow, catalog, { routes: [], variables: [], secrets: undefined });
  expect(found.filter(({ severity, code }) => severity !== 'warning' && !ELSEWHERE.has(code))).toEqual([]);
});
