import { describe, expect, test } from 'vitest';
import {
  type IdempotencyLimits,
  type IdempotencyStore,
  KEPT_MS,
  type KeptAnswer,
  SWEEP_EVERY,
} from './idempotency-store.ts';

type Open = (now: () => number, limits?: IdempotencyLimits) => IdempotencyStore | Promise<IdempotencyStore>;

const id = { trigger: 'orders start', caller: 'anyone', key: 'k1' };
const answerOf = (text: string): KeptAnswer => ({
  status: 201,
  headers: [
    ['content-type', 'text/plain'],
    ['x-a', 'ä'],
  ],
  body: Buffer.from(text),
});

/** The contract of every idempotency store. `open` returns an empty one with the given clock. */
export function idempotencyContract(name: string, open: Open): void {
  describe(`idempotency keys ${name}`, () => {
    keyContract(open);
    answerContract(open);
    limitContract(open);
  });
}

function keyContract(open: Open): void {
  test('a key is claimed once, and known with its fingerprint and run', async () => {
    const store = await open(() => 0);
    expect(await store.claim(id, 'print')).toMatchObject({ isNew: true });
    await store.started(id, 'run-1');
    const known = { fingerprint: 'print', state: 'started', run: 'run-1', answer: undefined };
    expect(await store.claim(id, 'other')).toMatchObject(known);
  });

  test('one of many concurrent claims wins', async () => {
    const store = await open(() => 0);
    const claims = await Promise.all(Array.from({ length: 20 }, () => store.claim(id, 'print')));
    expect(claims.filter(({ isNew }) => isNew)).toHaveLength(1);
  });

  test('triggers, callers and keys are kept apart', async () => {
    const store = await open(() => 0);
    const others = [id, { ...id, trigger: 'orders' }, { ...id, caller: 'k1' }, { ...id, key: 'K1' }];
    for (const other of others) expect(await store.claim(other, 'print')).toMatchObject({ isNew: true });
    for (const other of others) expect(await store.claim(other, 'print')).toMatchObject({ isNew: false });
  });

  test('a released key is free', async () => {
    const store = await open(() => 0);
    await store.claim(id, 'print');
    await store.release(id);
    await store.release(id);
    expect(await store.claim(id, 'other')).toMatchObject({ isNew: true });
  });
}

function answerContract(open: Open): void {
  test('an answer is given back byte for byte', async () => {
    const store = await open(() => 0);
    await store.claim(id, 'print');
    await store.answered(id, 'run-1', answerOf('Zeit\u0000\u{1f600}'));
    const known = await store.claim(id, 'print');
    expect(known).toMatchObject({ state: 'answered', run: 'run-1', answer: { status: 201 } });
    expect(known.answer?.headers).toEqual(answerOf('').headers);
    expect(Buffer.from(known.answer?.body ?? []).toString()).toBe('Zeit\u0000\u{1f600}');
  });

  test('that there is no answer to keep is kept too', async () => {
    const store = await open(() => 0);
    await store.claim(id, 'print');
    await store.answered(id, 'run-1', undefined);
    expect(await store.claim(id, 'print')).toMatchObject({ state: 'not-kept', run: 'run-1' });
  });

  test('a key is known for 24 hours, to the millisecond', async () => {
    let time = 5;
    const store = await open(() => time);
    await store.claim(id, 'print');
    await store.answered(id, 'run-1', answerOf('old'));
    time += KEPT_MS - 1;
    expect(await store.claim(id, 'print')).toMatchObject({ state: 'answered' });
    time += 1;
    expect(await store.claim(id, 'new')).toMatchObject({ isNew: true });
    expect(await store.claim(id, 'new')).toMatchObject({
      fingerprint: 'new',
      state: 'started',
      at: KEPT_MS + 5,
    });
  });
}

function limitContract(open: Open): void {
  const small = { keys: 2, answer: 10, answers: 15 };

  test('a trigger with too many keys refuses new ones, and others accept them; expired ones make room', async () => {
    let time = 0;
    const store = await open(() => time, small);
    const key = (n: number) => ({ ...id, key: `k${n}` });
    await store.claim(key(1), 'print');
    await store.claim(key(2), 'print');
    await expect(store.claim(key(3), 'print')).rejects.toMatchObject({
      code: 'idempotency_full',
      status: 429,
    });
    expect(await store.claim(key(1), 'print')).toMatchObject({ isNew: false });
    expect(await store.claim({ ...key(3), trigger: 'other' }, 'print')).toMatchObject({ isNew: true });
    await store.release(key(1));
    expect(await store.claim(key(3), 'print')).toMatchObject({ isNew: true });
    time = KEPT_MS;
    for (let i = 0; i < SWEEP_EVERY; i++) await store.claim({ ...id, trigger: 'other' }, 'print');
    expect(await store.claim(key(4), 'print')).toMatchObject({ isNew: true });
  });

  test('an answer that is too large, or one too many, is not kept', async () => {
    const store = await open(() => 0, { ...small, keys: 9 });
    const kept = async (key: string, text: string) => {
      await store.claim({ ...id, key }, 'print');
      await store.answered({ ...id, key }, 'run', answerOf(text));
      return (await store.claim({ ...id, key }, 'print')).state;
    };
    expect(await kept('a', 'x'.repeat(11))).toBe('not-kept');
    expect(await kept('b', 'x'.repeat(10))).toBe('answered');
    expect(await kept('c', 'x'.repeat(6))).toBe('not-kept');
    expect(await kept('d', 'x'.repeat(5))).toBe('answered');
  });
}
