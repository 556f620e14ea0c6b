import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { type WaitAsk, waitId } from '#shared/wait.ts';
import { type Decided, type Waits } from './wait-store.ts';

/** Creates an empty store with the given clock. */
type Open = (now: () => number) => Promise<Waits>;

const APPROVED: Decided = { decision: 'approved', by: 'Ada', via: 'session', comment: 'Fine' };
const REJECTED: Decided = { decision: 'rejected', by: 'Bob', via: 'key', comment: '' };
const ID = waitId('run1', 'ask');

/** A question of `run1`, node `ask`. */
export function question(more: Partial<WaitAsk> = {}, until?: number) {
  const ask: WaitAsk = { kind: 'approval', text: 'Shall we?', ...more };
  const what = { kind: 'answer' as const, title: 'Send it', ask, ...(until !== undefined && { until }) };
  return { run: 'run1', key: 'ask', node: 'ask', flow: 'orders', what, at: 1000 };
}

/** The contract of every wait store. */
export function waitsContract(name: string, open: Open): void {
  describe(`waits ${name}: decisions`, () => decisionContract(open));
  describe(`waits ${name}: what fits`, () => fitContract(open));
  describe(`waits ${name}: before the run asks`, () => earlyContract(open));
  describe(`waits ${name}: ends without a decision`, () => endContract(open));
  describe(`waits ${name}: lists`, () => listContract(open));
  describe(`waits ${name}: notices`, () => notifyContract(open));
  describe(`waits ${name}: calls and events`, () => programContract(open));
}

function decisionContract(open: Open): void {
  test('a wait is open until it is decided, and then the run gets the decision', async () => {
    const waits = await open(() => 2000);
    const hints: string[] = [];
    waits.onAnswer((run) => hints.push(run));
    await waits.open(question({ who: 'the boss', data: { amount: 3 } }));
    expect(await waits.answer('run1', 'ask')).toBeUndefined();
    expect(await waits.get(ID)).toEqual({
      id: ID,
      run: 'run1',
      flow: 'orders',
      node: 'ask',
      status: 'open',
      title: 'Send it',
      ask: { kind: 'approval', text: 'Shall we?', who: 'the boss', data: { amount: 3 } },
      openedAt: new Date(1000).toISOString(),
    });
    const decision = { ...APPROVED, at: new Date(2000).toISOString() };
    expect(await waits.decide(ID, APPROVED)).toMatchObject({ status: 'decided', decision });
    expect(hints).toEqual(['run1']);
    expect(await waits.answer('run1', 'ask')).toEqual({ value: decision });
  });

  test('asking again changes nothing, before the decision and after it', async () => {
    const waits = await open(() => 2000);
    await waits.open(question());
    await waits.open({ ...question({ text: 'Other words' }), at: 5000 });
    expect(await waits.get(ID)).toMatchObject({
      openedAt: new Date(1000).toISOString(),
      ask: { text: 'Shall we?' },
    });
    await waits.decide(ID, APPROVED);
    await waits.open(question());
    expect(await waits.get(ID)).toMatchObject({ status: 'decided' });
  });

  test('of many decisions at once one counts, and all others learn who decided and when', async () => {
    const all = fc.array(fc.constantFrom(APPROVED, REJECTED), { minLength: 2, maxLength: 8 });
    const waits = await open(() => 2000);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(all, async (given) => {
        const run = `run${++runs}`;
        await waits.open({ ...question(), run });
        const ends = await Promise.allSettled(given.map((one) => waits.decide(waitId(run, 'ask'), one)));
        const first = ends.findIndex(({ status }) => status === 'fulfilled');
        const { by } = given[first] as Decided;
        for (const [at, end] of ends.entries()) {
          if (at === first) continue;
          expect(end).toMatchObject({ reason: { code: 'wait_decided', status: 409 } });
          expect(String((end as PromiseRejectedResult).reason)).toContain(by);
          expect(String((end as PromiseRejectedResult).reason)).toContain('1970-01-01T00:00:02.000Z');
        }
        expect((await waits.answer(run, 'ask'))?.value).toMatchObject(given[first] as Decided);
      }),
      { numRuns: 20 },
    );
  });
}

function fitContract(open: Open): void {
  test('a decision of another kind than requested is refused, and the wait stays open', async () => {
    const waits = await open(() => 2000);
    await waits.open(question());
    const wrong = { ...APPROVED, decision: 'submitted' as const };
    await expect(waits.decide(ID, wrong)).rejects.toMatchObject({ code: 'wait_answer_invalid', status: 422 });
    expect(await waits.get(ID)).toMatchObject({ status: 'open' });
  });

  test('a form is checked against its schema, with all faults, and its defaults are filled in', async () => {
    const waits = await open(() => 2000);
    await waits.open(question({ kind: 'form', schema: FORM }));
    const given = { ...APPROVED, decision: 'submitted' as const };
    await expect(waits.decide(ID, { ...given, data: { count: 'many' } })).rejects.toMatchObject({
      code: 'wait_answer_invalid',
      detail: [{ loc: ['body', 'name'] }, { loc: ['body', 'count'] }],
    });
    await waits.decide(ID, { ...given, data: { name: 'Ada' } });
    const { value } = (await waits.answer('run1', 'ask')) ?? {};
    expect(value).toHaveProperty('data', { name: 'Ada', count: 1 });
  });

  test('a question that cannot be answered is refused when it is asked', async () => {
    const waits = await open(() => 2000);
    const broken = question({ kind: 'form', schema: { type: 'nonsense' } });
    await expect(waits.open(broken)).rejects.toMatchObject({ code: 'bad_params', field: 'params.schema' });
    const large = question({ data: 'x'.repeat(300_000) });
    await expect(waits.open(large)).rejects.toMatchObject({ code: 'value_too_large' });
    expect(await waits.get(ID)).toBeUndefined();
  });
}

const FORM = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, count: { type: 'integer', default: 1 } },
};

function earlyContract(open: Open): void {
  test('a decision is stored for a run that has not asked yet, which gets it as soon as it asks', async () => {
    const waits = await open(() => 500);
    const hints: string[] = [];
    await waits.decide(ID, APPROVED, { flow: 'orders' });
    waits.onAnswer((run) => hints.push(run));
    expect(await waits.get(ID)).toMatchObject({ status: 'early', flow: 'orders', node: 'ask' });
    expect(await waits.answer('run1', 'ask')).toBeUndefined();
    await waits.open(question());
    expect(hints).toEqual(['run1']);
    expect((await waits.answer('run1', 'ask'))?.value).toMatchObject(APPROVED);
    expect(await waits.get(ID)).toMatchObject({ status: 'decided', title: 'Send it' });
  });

  test('the first early decision counts too', async () => {
    const waits = await open(() => 500);
    await waits.decide(ID, APPROVED, { flow: 'orders' });
    const second = waits.decide(ID, REJECTED, { flow: 'orders' });
    await expect(second).rejects.toMatchObject({ code: 'wait_decided' });
  });

  test('an early decision that does not fit the question leaves the wait open', async () => {
    const waits = await open(() => 500);
    await waits.decide(ID, APPROVED, { flow: 'orders' });
    await waits.open(question({ kind: 'form', schema: FORM }));
    expect(await waits.get(ID)).toMatchObject({ status: 'open' });
    expect(await waits.answer('run1', 'ask')).toBeUndefined();
  });

  test('nothing is stored for a question that no run will ask', async () => {
    const waits = await open(() => 500);
    await expect(waits.decide(ID, APPROVED)).rejects.toMatchObject({ code: 'wait_not_found', status: 404 });
  });
}

function endContract(open: Open): void {
  test('no decision is accepted after the time is over, even if the clock is set back', async () => {
    let time = 2999;
    const waits = await open(() => time);
    await waits.open(question({}, 3000));
    expect(await waits.get(ID)).toMatchObject({ status: 'open', expiresAt: new Date(3000).toISOString() });
    expect(await waits.answer('run1', 'ask')).toBeUndefined();
    time = 3000;
    expect(await waits.answer('run1', 'ask')).toEqual({ value: { at: new Date(3000).toISOString() } });
    time = 10;
    await expect(waits.decide(ID, APPROVED)).rejects.toMatchObject({ code: 'wait_expired', status: 409 });
    expect(await waits.get(ID)).toMatchObject({ status: 'expired' });
  });

  test('a decision in time counts, however late the run asks for it', async () => {
    let time = 2999;
    const waits = await open(() => time);
    await waits.open(question({}, 3000));
    await waits.decide(ID, APPROVED);
    time = 999_999;
    expect((await waits.answer('run1', 'ask'))?.value).toMatchObject(APPROVED);
  });

  test('once the run is over, open waits are void and decided ones stay', async () => {
    const waits = await open(() => 2000);
    await waits.open(question());
    await waits.open({ ...question(), key: 'other', node: 'other' });
    await waits.decide(ID, APPROVED);
    await waits.close('run1');
    expect(await waits.get(ID)).toMatchObject({ status: 'decided' });
    const other = waitId('run1', 'other');
    expect(await waits.get(other)).toMatchObject({ status: 'void' });
    await expect(waits.decide(other, APPROVED)).rejects.toMatchObject({ code: 'wait_void', status: 409 });
  });

  test('the waits of a deleted run are deleted at once, decided ones too, and no others', async () => {
    const waits = await open(() => 2000);
    await waits.open(question());
    await waits.open({ ...question(), run: 'run2' });
    await waits.decide(ID, APPROVED);
    await waits.forget('run1');
    await waits.forget('run3');
    expect(await waits.get(ID)).toBeUndefined();
    expect(await waits.answer('run1', 'ask')).toBeUndefined();
    expect(await waits.get(waitId('run2', 'ask'))).toMatchObject({ status: 'open' });
  });

  test('waits are deleted a month after their run, never before its end', async () => {
    let time = 2000;
    const waits = await open(() => time);
    await waits.open(question());
    await waits.open({ ...question(), run: 'run2' });
    await waits.decide(ID, APPROVED);
    await waits.close('run2');
    time += 31 * 86_400_000;
    await waits.close('run3');
    expect(await waits.get(waitId('run2', 'ask'))).toBeUndefined();
    expect(await waits.answer('run1', 'ask')).toBeDefined();
  });
}

function listContract(open: Open): void {
  test('lists by status, flow and run, the longest open first, and reports whether there are more', async () => {
    const waits = await open(() => 2000);
    for (const [i, run] of ['a', 'b', 'c'].entries()) {
      await waits.open({ ...question(), run, flow: run === 'c' ? 'other' : 'orders', at: 3000 - i });
    }
    const idsOf = async (query: object): Promise<readonly unknown[]> => {
      const { waits: found, more } = await waits.list({ status: 'open', limit: 10, ...query });
      return [...found.map(({ run }) => run), more];
    };
    expect(await idsOf({})).toEqual(['c', 'b', 'a', false]);
    expect(await idsOf({ limit: 2 })).toEqual(['c', 'b', true]);
    expect(await idsOf({ flow: 'orders' })).toEqual(['b', 'a', false]);
    expect(await idsOf({ run: 'a' })).toEqual(['a', false]);
    await waits.decide(waitId('b', 'ask'), APPROVED);
    expect(await idsOf({})).toEqual(['c', 'a', false]);
    expect(await idsOf({ status: 'decided' })).toEqual(['b', false]);
  });

  test.each(['open', 'decided', 'expired'] as const)(
    'a list of %s ones goes on behind its last page, also among waits of one moment',
    async (status) => {
      const waits = await open(() => 2000);
      for (const run of ['a', 'b', 'c', 'd', 'e']) {
        const until = status === 'expired' ? 1500 : undefined;
        await waits.open({ ...question({}, until), run, at: run < 'c' ? 900 : 901 });
        if (status === 'decided') await waits.decide(waitId(run, 'ask'), APPROVED);
      }
      const found: string[] = [];
      let after: string | undefined;
      do {
        const page = await waits.list({ status, limit: 2, ...(after !== undefined && { after }) });
        found.push(...page.waits.map(({ run }) => run));
        expect(page.more).toBe(page.next !== undefined);
        after = page.next;
      } while (after !== undefined);
      const inOrder = ['a', 'b', 'c', 'd', 'e'];
      expect(found).toEqual(status === 'open' ? inOrder : inOrder.toReversed());
    },
  );

  test('an expired wait is not among the open ones', async () => {
    const waits = await open(() => 2000);
    await waits.open(question({}, 1500));
    expect((await waits.list({ status: 'open', limit: 10 })).waits).toEqual([]);
    expect((await waits.list({ status: 'expired', limit: 10 })).waits).toMatchObject([
      { id: ID, status: 'expired' },
    ]);
  });

  test('expired waits and those whose expiry the run saw are one list with the newest first, by flow and run too', async () => {
    const waits = await open(() => 2000);
    for (const [i, run] of ['a', 'b', 'c', 'd'].entries()) {
      const until = run === 'd' ? 2001 : 1500;
      await waits.open({ ...question({}, until), run, flow: run === 'c' ? 'other' : 'orders', at: 900 - i });
    }
    expect(await waits.answer('b', 'ask')).toBeDefined();
    const runsOf = async (query: object): Promise<readonly unknown[]> => {
      const { waits: found, more } = await waits.list({ status: 'expired', limit: 10, ...query });
      return [...found.map(({ run }) => run), more];
    };
    expect(await runsOf({})).toEqual(['a', 'b', 'c', false]);
    expect(await runsOf({ limit: 2 })).toEqual(['a', 'b', true]);
    expect(await runsOf({ flow: 'orders' })).toEqual(['a', 'b', false]);
    expect(await runsOf({ flow: 'orders', run: 'a' })).toEqual(['a', false]);
  });
}

function notifyContract(open: Open): void {
  test('a notice is due until the address was notified, or could not be; waits without an address have none', async () => {
    const waits = await open(() => 2000);
    let hints = 0;
    waits.onUnnotified(() => hints++);
    await waits.open(question());
    await waits.open({ ...question({ notify: 'https://a.org/' }), run: 'run2' });
    await waits.open({ ...question({ notify: { $secret: 'hook' } }), run: 'run3' });
    expect(hints).toBe(2);
    expect((await waits.unnotified()).map(({ run }) => run)).toEqual(['run2', 'run3']);
    await waits.notified(waitId('run2', 'ask'));
    await waits.notified(waitId('run3', 'ask'), 'it answered 404');
    expect(await waits.unnotified()).toEqual([]);
    expect((await waits.get(waitId('run2', 'ask')))?.notified).toEqual({ state: 'sent' });
    const failed = { state: 'failed', problem: 'it answered 404' };
    expect((await waits.get(waitId('run3', 'ask')))?.notified).toEqual(failed);
  });
}

const PAID = { name: 'paid', key: 'order 7' };
const RECEIVED = { decision: 'received', by: 'shop', via: 'key', comment: '', data: { amount: 3 } } as const;
const AMOUNT = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'number', maximum: 5 } },
};

function programContract(open: Open): void {
  test('an event ends all waits for it, and no others', async () => {
    const waits = await open(() => 2000);
    const woken: string[] = [];
    waits.onAnswer((run) => woken.push(run));
    const event = (run: string, more: Partial<WaitAsk>, until?: number) =>
      waits.open({ ...question({ kind: 'event', event: PAID, ...more }, until), run });
    await event('a', {});
    await event('b', { schema: AMOUNT }, 2001);
    await event('c', { event: { ...PAID, key: 'order 8' } });
    await event('d', { event: { ...PAID, name: 'sent' } });
    await event('e', {}, 1500);
    await waits.open({ ...question(), run: 'f' });
    const { received, refused } = await waits.receive(PAID, RECEIVED);
    expect([received.map(({ run }) => run), refused, woken]).toEqual([['a', 'b'], [], ['a', 'b']]);
    for (const run of ['a', 'b'])
      expect((await waits.answer(run, 'ask'))?.value).toMatchObject({ data: { amount: 3 }, by: 'shop' });
    expect(await waits.receive(PAID, RECEIVED)).toEqual({ received: [], refused: [] });
    for (const run of ['c', 'd', 'f'])
      expect(await waits.get(waitId(run, 'ask'))).toMatchObject({ status: 'open' });
    expect(await waits.get(waitId('e', 'ask'))).toMatchObject({ status: 'expired' });
  });

  test('an event whose data a wait does not take leaves it open, and says why', async () => {
    const waits = await open(() => 2000);
    await waits.open(question({ kind: 'event', event: PAID, schema: AMOUNT }));
    await waits.open({ ...question({ kind: 'event', event: PAID }), run: 'run2' });
    const answer = await waits.receive(PAID, { ...RECEIVED, data: { amount: 6 } });
    expect(answer).toMatchObject({
      received: [{ run: 'run2', node: 'ask', flow: 'orders' }],
      refused: [{ id: ID, message: expect.stringContaining('amount') as string }],
    });
    expect(await waits.get(ID)).toMatchObject({ status: 'open' });
    expect((await waits.receive(PAID, RECEIVED)).received).toMatchObject([{ run: 'run1' }]);
  });

  test('an event ends hundreds of waits', async () => {
    const waits = await open(() => 2000);
    const runs = Array.from({ length: 401 }, (_, i) => `run${i}`);
    for (const run of runs) await waits.open({ ...question({ kind: 'event', event: PAID }), run });
    const { received } = await waits.receive(PAID, RECEIVED);
    expect(received.map(({ run }) => run).sort()).toEqual(runs.sort());
  });

  test('a call is taken once; its repeat with the same key is no second one', async () => {
    const waits = await open(() => 2000);
    await waits.open(question({ kind: 'call', schema: AMOUNT }));
    const call = { ...RECEIVED, via: 'link', once: 'call-1' } as const;
    await expect(waits.decide(ID, { ...call, data: {} })).rejects.toMatchObject({
      code: 'wait_answer_invalid',
    });
    await waits.decide(ID, call);
    expect(await waits.decide(ID, { ...call, data: { amount: 4 } })).toMatchObject({
      decision: { data: { amount: 3 } },
    });
    for (const other of [RECEIVED, { ...call, once: 'call-2' }])
      await expect(waits.decide(ID, other)).rejects.toMatchObject({ code: 'wait_decided' });
  });

  test('a call that comes before the run waits is kept if it fits, and a call approves nothing', async () => {
    const waits = await open(() => 2000);
    await waits.decide(ID, RECEIVED, { flow: 'orders' });
    await waits.open(question({ kind: 'call', schema: AMOUNT }));
    expect((await waits.answer('run1', 'ask'))?.value).toMatchObject({ data: { amount: 3 } });
    await waits.open({ ...question(), run: 'run2' });
    await expect(waits.decide(waitId('run2', 'ask'), RECEIVED)).rejects.toMatchObject({
      code: 'wait_answer_invalid',
    });
  });

  test('waits for programs are lists of their own', async () => {
    const waits = await open(() => 2000);
    await waits.open(question());
    await waits.open({ ...question({ kind: 'call' }), run: 'run2' });
    await waits.open({ ...question({ kind: 'event', event: PAID }), run: 'run3' });
    const runsOf = async (query: object) =>
      (await waits.list({ status: 'open', limit: 10, ...query })).waits.map(({ run }) => run);
    expect(await runsOf({})).toEqual(['run1']);
    expect(await runsOf({ of: 'call' })).toEqual(['run2']);
    expect(await runsOf({ of: 'event' })).toEqual(['run3']);
  });
}
