import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findingsOf } from '#engine/check';
import { render } from '../../../../../../engine/expr/testing/evaluate.ts';
import { startBed, tempFolder } from '../../../../../testing/platform-bed.ts';
import { serviceHookEntries } from './service-hooks.ts';
import { catalog, ELSEWHERE, importedShort } from '../../testing/service-bed.ts';

/** Triggers of services that call an address: their items are those that n8n made of the same calls. */

const imported = async (kind: string, parameters: Record<string, unknown> = {}) => {
  const { flows, report } = await importedShort({
    nodes: {
      Start: [kind, parameters],
      Set: ['set@3.4', { includeOtherFields: true, assignments: { assignments: [] } }],
    },
    wires: ['Start > Set'],
  });
  const [flow] = flows;
  if (flow === undefined) throw new Error('Nothing was imported.');
  return { flow, report };
};

interface Call {
  readonly body: unknown;
  readonly headers?: Record<string, string>;
  readonly query?: Record<string, string>;
}

/** The item that a call becomes; undefined if the flow's condition leaves it out. */
async function itemOf(kind: string, parameters: Record<string, unknown>, call: Call): Promise<unknown> {
  const { flow } = await imported(kind, parameters);
  const nodes = Object.entries(flow.nodes);
  const world = { body: call.body, headers: call.headers ?? {}, query: call.query ?? {}, method: 'POST' };
  const asInput = (text: unknown) => String(text).replaceAll(/\btrigger(?=\??\.)/g, 'input');
  const condition = nodes.find(([id]) => id.endsWith('_kind'))?.[1].params?.['condition'];
  if (condition !== undefined && render(asInput(condition), world) !== true) return undefined;
  const value = nodes.find(([, { operator }]) => operator === 'core.map')?.[1].params?.['value'];
  return typeof value === 'string'
    ? render(asInput(value), world)
    : Object.fromEntries(
        Object.entries(value as Record<string, string>).map(([name, text]) => [
          name,
          render(asInput(text), world),
        ]),
      );
}

const body = { event: 'made', id: 7 };
const answers = {
  form_response: {
    definition: {
      fields: [
        { id: 'a', title: 'Your {{name}}' },
        { id: 'b', title: 'Colours' },
        { id: 'c', title: 'Size' },
        { id: 'd', title: 'Old enough' },
      ],
    },
    answers: [
      { type: 'text', text: 'Ada', field: { id: 'a' } },
      { type: 'choices', choices: { labels: ['red', 'blue'] }, field: { id: 'b' } },
      { type: 'choice', choice: { label: 'M' }, field: { id: 'c' } },
      { type: 'boolean', boolean: false, field: { id: 'd' } },
    ],
  },
};
const simple = { 'Your [name]': 'Ada', Colours: ['red', 'blue'], Size: 'M', 'Old enough': false };

describe('the item of a call', () => {
  test.each([
    ['gitlabTrigger@1', {}, { body, headers: { 'x-gitlab-event': 'Push Hook' }, query: { a: '1' } }, 'whole'],
    ['jiraTrigger@1.1', {}, { body, query: { key: 'W-1' } }, { ...body, key: 'W-1' }],
    [
      'jotFormTrigger@1',
      { resolveData: false },
      { body: { rawRequest: '{"q3_name":"Ada"}' } },
      { q3_name: 'Ada' },
    ],
    [
      'jotFormTrigger@1',
      { resolveData: false, onlyAnswers: false },
      { body: { formID: '1', rawRequest: '{"q3_name":"Ada"}' } },
      { formID: '1', rawRequest: { q3_name: 'Ada' } },
    ],
    ['typeformTrigger@1.1', {}, { body: answers }, simple],
    [
      'typeformTrigger@1.1',
      { onlyAnswers: false },
      { body: answers },
      { form_response: { ...answers.form_response, answers: simple } },
    ],
    [
      'typeformTrigger@1.1',
      { simplifyAnswers: false },
      { body: answers },
      Object.fromEntries(answers.form_response.answers.map((one) => [one.field.id, one])),
    ],
    ['typeformTrigger@1', { simplifyAnswers: false }, { body: answers }, answers.form_response.answers],
    ['typeformTrigger@1', { simplifyAnswers: false, onlyAnswers: false }, { body: answers }, answers],
    [
      'hubspotTrigger@1',
      {},
      { body: [{ subscriptionType: 'ticket.creation', objectId: 7, appId: 1 }] },
      [{ subscriptionType: 'ticket.creation', appId: 1, ticketId: 7 }],
    ],
    ['twilioTrigger@1', {}, { body: [{ type: 'a' }, { type: 'b' }] }, [{ type: 'a' }, { type: 'b' }]],
    [
      'mailjetTrigger@1',
      {},
      { body: [{ event: 'open' }, { event: 'click' }] },
      [{ event: 'open' }, { event: 'click' }],
    ],
    [
      'calTrigger@2',
      {},
      { body: { triggerEvent: 'BOOKING_CREATED', createdAt: 'now', payload: { title: 'Tea' } } },
      { triggerEvent: 'BOOKING_CREATED', createdAt: 'now', title: 'Tea' },
    ],
    ['calTrigger@2', {}, { body: { mine: 1 } }, { mine: 1 }],
    [
      'netlifyTrigger@1',
      { event: 'submissionCreated' },
      { body: { id: 1, data: { name: 'Ada' } } },
      { name: 'Ada' },
    ],
    [
      'netlifyTrigger@1',
      { event: 'submissionCreated', simple: false },
      { body: { id: 1, data: { name: 'Ada' } } },
      { id: 1, data: { name: 'Ada' } },
    ],
    ['netlifyTrigger@1', { event: 'deployBuilding' }, { body }, body],
    [
      'shopifyTrigger@1',
      { topic: 'orders/create' },
      { body, headers: { 'x-shopify-topic': 'orders/create' } },
      body,
    ],
    [
      'shopifyTrigger@1',
      { topic: 'orders/create' },
      { body, headers: { 'x-shopify-topic': 'orders/paid' } },
      undefined,
    ],
    [
      'chargebeeTrigger@1',
      { events: ['card_added'] },
      { body: { event_type: 'card_added' } },
      { event_type: 'card_added' },
    ],
    ['chargebeeTrigger@1', { events: ['card_added'] }, { body: { event_type: 'card_deleted' } }, undefined],
    ['chargebeeTrigger@1', { events: ['*'] }, { body }, body],
    [
      'taigaTrigger@1',
      { resources: ['task'], operations: ['create'] },
      { body: { action: 'create', type: 'task' } },
      { action: 'create', type: 'task' },
    ],
    [
      'taigaTrigger@1',
      { resources: ['task'], operations: ['create'] },
      { body: { action: 'change', type: 'task' } },
      undefined,
    ],
    ['taigaTrigger@1', { resources: ['all'], operations: ['all'] }, { body }, body],
    ['githubTrigger@1', { events: ['fork'] }, { body, headers: { 'x-github-event': 'fork' } }, 'whole'],
  ] as const)('of %s with %j', async (kind, parameters, call, item) => {
    const whole = { query: {}, headers: {}, ...call };
    expect(await itemOf(kind, parameters, call)).toEqual(item === 'whole' ? whole : item);
  });

  const special = /gitlab|jira|jotForm|typeform|hubspot|twilio|mailjet|netlify|whatsApp/;
  const plain = serviceHookEntries.map(({ kind }) => kind).filter((kind) => !special.test(kind));
  test.each(plain)('of %s is its body', async (kind) => {
    expect(await itemOf(`${kind}@1`, {}, { body })).toEqual(body);
  });
});

test('each becomes a flow that check accepts, and says which events the service has to send', async () => {
  for (const { kind } of serviceHookEntries) {
    const { flow, report } = await imported(`${kind}@1`, { events: ['made', 'gone'] });
    const found = findingsOf(flow, catalog, { routes: [], variables: [], secrets: undefined });
    const faults = found.filter(({ code, severity }) => severity !== 'warning' && !ELSEWHERE.has(code));
    expect([kind, faults]).toEqual([kind, []]);
    expect(report.needs.map(({ message }) => message).join('\n')).toContain('for made, gone');
    const { auth } = Object.values(flow.nodes)[0]?.params ?? {};
    const isTold = report.changes.some(({ message }) => message.includes('nothing here checks'));
    expect([kind, isTold]).toEqual([kind, auth === 'none']);
  }
});

const text = JSON.stringify({ id: 7, type: 'task', action: 'create' });
const secret = 'the secret of the service';
const mac = (algorithm: string, encoding: 'hex' | 'base64'): string =>
  createHmac(algorithm, secret).update(text).digest(encoding);

/** The headers that these services send, by their references. */
const proofs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'shopifyTrigger@1': { 'x-shopify-hmac-sha256': mac('sha256', 'base64') },
  'wooCommerceTrigger@1': { 'x-wc-webhook-signature': mac('sha256', 'base64') },
  'clickUpTrigger@1': { 'x-signature': mac('sha256', 'hex') },
  'linearTrigger@1': { 'linear-signature': mac('sha256', 'hex') },
  'typeformTrigger@1': { 'typeform-signature': `sha256=${mac('sha256', 'base64')}` },
  'mauticTrigger@1': { 'webhook-signature': mac('sha256', 'base64') },
  'calTrigger@2': { 'x-cal-signature-256': mac('sha256', 'hex') },
  'taigaTrigger@1': { 'x-taiga-webhook-signature': mac('sha1', 'hex') },
  'gitlabTrigger@1': { 'x-gitlab-token': secret },
  'githubTrigger@1': { 'x-hub-signature-256': `sha256=${mac('sha256', 'hex')}` },
  'telegramTrigger@1': { 'x-telegram-bot-api-secret-token': secret },
};

test('a trigger whose service signs its calls is started by those, and by nothing else', async () => {
  const folder = await tempFolder();
  const calls: { kind: string; path: string; headers: Readonly<Record<string, string>> }[] = [];
  const secrets = new Set<string>();
  for (const [kind, headers] of Object.entries(proofs)) {
    const id = kind.replace(/@.*/, '').toLowerCase();
    const { flow, report } = await imported(kind, { updates: ['poll'], events: ['fork'] });
    await writeFile(join(folder, `${id}.json`), JSON.stringify({ ...flow, id }));
    for (const need of report.needs) if (need.kind === 'secret') secrets.add(need.name);
    calls.push({ kind, headers, path: String(Object.values(flow.nodes)[0]?.params?.['path']) });
  }
  const bed = await startBed({ flows: [folder] });
  for (const name of secrets)
    await bed.ctx.secrets.put(name, { value: secret, grants: { operators: ['trigger.http'] } });
  await bed.ctx.flows.worldChanged('secrets');
  for (const { kind, path, headers } of calls) {
    const call = async (more: Readonly<Record<string, string>>): Promise<number> => {
      const { status } = await fetch(`${bed.url}/api/v1/awel/trigger${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...more },
        body: text,
      });
      return status;
    };
    const forged = Object.entries(headers).map(([name, value]) => [name, `${value.slice(0, -2)}xy`]);
    expect([kind, await call(headers), await call({}), await call(Object.fromEntries(forged))]).toEqual([
      kind,
      expect.toSatisfy((status: number) => status < 300),
      401,
      401,
    ]);
  }
});
