import { describe, expect, test } from 'vitest';
import type { WaitAsk } from '#shared/wait.ts';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';
import { question } from '../../execution/waits/waits.contract.ts';

const ID = 'run1.ask';
const schema = { type: 'object', required: ['paid'], properties: { paid: { type: 'boolean' } } };

async function startWaiting(...asks: Partial<WaitAsk>[]): Promise<Bed> {
  const bed = await startBed();
  for (const [at, ask] of asks.entries()) await bed.ctx.waits.open({ ...question(ask), run: `run${at + 1}` });
  bed.ctx.durable.get = async (run) => (run === 'run9' ? undefined : ({ run, flow: 'orders' } as never));
  return bed;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { data?: unknown; err_code?: string; err_msg?: string };
}

async function post(url: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const type = body === undefined ? undefined : { 'content-type': 'application/json' };
  const text = body === undefined ? null : JSON.stringify(body);
  const answer = await fetch(url, { method: 'POST', body: text, headers: { ...type, ...headers } });
  return {
    status: answer.status,
    headers: answer.headers,
    body: (await answer.json()) as Answer['body'],
  };
}

const seen = ({ status, body }: Answer): unknown[] => [status, body.err_code ?? body.data];

describe('POST /wait/:id/call', () => {
  const addressOf = (bed: Bed, id = ID): Promise<string> => bed.ctx.waitLinks.urlOf(id, 'program');

  test('takes one call that fits; a repeat with the same key gets the same answer', async () => {
    const bed = await startWaiting({ kind: 'call', schema });
    const address = await addressOf(bed);
    const key = { 'idempotency-key': 'call-1' };
    expect(seen(await post(address, { paid: 'who knows' }))).toEqual([422, 'wait_answer_invalid']);
    expect(seen(await post(address, { paid: true }, key))).toEqual([200, { received: true }]);
    expect(seen(await post(address, { paid: true }, key))).toEqual([200, { received: true }]);
    expect(seen(await post(address, { paid: true }))).toEqual([409, 'wait_decided']);
    expect((await bed.ctx.waits.answer('run1', 'ask'))?.value).toMatchObject({
      decision: 'received',
      via: 'link',
      data: { paid: true },
    });
  });

  test('refuses other addresses before it reads a body, and calls that reach nobody', async () => {
    const bed = await startWaiting({ kind: 'call' });
    const address = await addressOf(bed);
    const { search } = new URL(await addressOf(bed, 'run1.other'));
    for (const wrong of [address.replace(/token=.*/, 'token=x'), address.replace(/\?.*/, search)])
      expect(seen(await post(wrong, {}))).toEqual([403, 'forbidden']);
    expect(seen(await post(await addressOf(bed, 'run9.ask'), {}))).toEqual([404, 'wait_not_found']);
    expect(seen(await post(address, {}, { 'idempotency-key': 'ü'.repeat(3) }))[0]).toBe(400);
    expect(await bed.ctx.waits.get(ID)).toMatchObject({ status: 'open' });
  });

  test('takes a call before the run waits, and none for a question to people', async () => {
    const bed = await startWaiting({});
    expect(seen(await post(await addressOf(bed, 'run2.later'), [1]))).toEqual([200, { received: true }]);
    expect(seen(await post(await addressOf(bed), {}))).toEqual([422, 'wait_answer_invalid']);
  });

  test('shows a person who opens it that it is for a program', async () => {
    const bed = await startWaiting({ kind: 'call' });
    const page = await bed.ctx.waitLinks.urlOf(ID);
    expect(await (await fetch(page)).text()).toContain('for a program');
    const body = new URLSearchParams({ decision: 'received' });
    expect((await fetch(page, { method: 'POST', body })).status).toBe(422);
    expect(await bed.ctx.waits.get(ID)).toMatchObject({ status: 'open' });
  });
});

describe('POST /api/v1/events/:name/:key', () => {
  const event = { name: 'order-paid', key: 'a/b 7' };
  const path = `/api/v1/events/order-paid/${encodeURIComponent(event.key)}`;

  test('wakes all runs that wait for the event, under the name of the caller', async () => {
    const asks = [{ kind: 'event', event } as const, { kind: 'event', event, schema } as const];
    const bed = await startWaiting(...asks);
    const headers = await signIn(bed);
    expect(seen(await post(bed.url + path, { paid: true }, headers))).toEqual([
      200,
      {
        received: ['run1', 'run2'].map((run) => ({ id: `${run}.ask`, run, flow: 'orders', node: 'ask' })),
        refused: [],
      },
    ]);
    expect((await bed.ctx.waits.answer('run1', 'ask'))?.value).toMatchObject({ data: { paid: true } });
    expect(seen(await post(bed.url + path, {}, headers))).toEqual([200, { received: [], refused: [] }]);
  });

  test('wakes nobody a second time by a repeat with the same key, and refuses another event with it', async () => {
    const bed = await startWaiting({ kind: 'event', event });
    const headers = { ...(await signIn(bed)), 'idempotency-key': 'event-1' };
    const first = await post(bed.url + path, { n: 1 }, headers);
    await bed.ctx.waits.open({ ...question({ kind: 'event', event }), run: 'run5' });
    const repeat = await post(bed.url + path, { n: 1 }, headers);
    expect([repeat.body.data, repeat.headers.get('idempotent-replayed')]).toEqual([first.body.data, 'true']);
    expect(await bed.ctx.waits.get('run5.ask')).toMatchObject({ status: 'open' });
    expect(seen(await post(bed.url + path, { n: 2 }, headers))).toEqual([422, 'idempotency_mismatch']);
  });

  test('refuses what no run takes, names that are none, and callers without the right', async () => {
    const bed = await startWaiting({ kind: 'event', event, schema });
    const headers = await signIn(bed);
    const keyed = { ...headers, 'idempotency-key': 'event-2' };
    expect(seen(await post(bed.url + path, {}, keyed))).toEqual([422, 'wait_answer_invalid']);
    expect(seen(await post(`${bed.url}/api/v1/events/9/x`, {}, headers))).toEqual([400, 'invalid_request']);
    expect(seen(await post(`${bed.url}/api/v1/events/a/${'x'.repeat(201)}`, {}, headers))[0]).toBe(400);
    expect(seen(await post(bed.url + path, { paid: true }))[0]).toBe(401);
    expect(await bed.ctx.waits.get(ID)).toMatchObject({ status: 'open' });
  });
});
