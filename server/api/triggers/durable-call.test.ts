import { afterEach, expect, test } from 'vitest';
import { WeftError } from '#engine';
import type { Context } from '../routes/context.ts';
import type { LiveFlow } from '../../flows/service/flow-types.ts';
import type { DurableView } from '../../execution/durable/durable-runs.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { createMemoryIdempotency } from '../../storage/idempotency/memory-idempotency.ts';
import { RunLimits } from '../../execution/runs/run-limits.ts';
import triggerRoutes from './routes.ts';
import { createTriggerTable } from './table.ts';
import { fakeRuns, value } from './testing/fake-runs.ts';
import { liveFlow, routeOf } from './testing/live-flow.ts';
import { fakeGate, listen, newApp } from './testing/trigger-server.ts';

/**
 * Calls whose runs outlive them, over HTTP: the disk for the durable runs fails on the test's request, and runs end
 * on its request.
 */
function createFakeDurable() {
  const keys: string[] = [];
  const refusals: Error[] = [];
  const end = Promise.withResolvers<DurableView>();
  const durable = {
    onEnd: () => {},
    async start(_: unknown, { key = '' }: { key?: string } = {}) {
      const created = !keys.includes(key);
      if (created) keys.push(key);
      const refusal = refusals.shift();
      if (refusal) throw refusal;
      return { run: `run-${keys.indexOf(key) + 1}`, created };
    },
    settled: (_: string, signal?: AbortSignal) =>
      new Promise<DurableView>((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
        void end.promise.then(resolve);
      }),
  };
  const answer = (body: unknown): void =>
    end.resolve({ run: 'run-1', status: 'ok', answer: { status: 200, body } } as DurableView);
  return { durable: durable as unknown as Context['durable'], keys, refusals, answer };
}

const FLOW: LiveFlow = liveFlow('f', { path: '/f', methods: ['POST'], auth: 'none' }, { durable: true });

let close = async (): Promise<void> => {};
afterEach(() => close());

async function serve(flow = FLOW) {
  const fake = createFakeDurable();
  const triggers = createTriggerTable();
  triggers.replace('f', [routeOf(flow)]);
  const app = newApp();
  const runs = fakeRuns(() => value('in memory')) as unknown as Context['runs'];
  const links: Context['links'] = {
    prepare: async () => {},
    of: async (run) => `/status/${run}`,
    fits: async () => true,
  };
  // Two requests of one millisecond would have one name, which the fake store of runs takes for one run.
  let now = Date.now();
  const idempotency = createMemoryIdempotency(() => ++now);
  const ctx = {
    triggers,
    runs,
    gate: fakeGate,
    idempotency,
    durable: fake.durable,
    links,
    limits: new RunLimits(),
  };
  await app.register((scope) => triggerRoutes(scope, ctx));
  const { url, close: stop } = await listen(app);
  close = stop;
  const hungUp = new Promise<void>((resolve) => {
    app.server.once('connection', (socket) => socket.once('close', () => setImmediate(resolve)));
  });
  const send = (signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/api/v1/awel/trigger/f`, {
      method: 'POST',
      headers: { 'idempotency-key': 'k' },
      ...(signal && { signal }),
    });
  return { ...fake, send, hungUp };
}

test('a repeat finds the run of a first one of which the disk left open whether it began', async () => {
  const { send, refusals, keys, answer } = await serve();
  answer('done');
  refusals.push(new WeftError('storage_failed', 'The disk is full.'));
  expect((await send()).status).toBe(503);
  const again = await send();
  expect([again.status, await again.json(), keys.length]).toEqual([200, 'done', 1]);
});

test('a repeat that is refused while the first one is in doubt leaves the key with its run', async () => {
  const { send, refusals, keys, answer } = await serve();
  answer('done');
  refusals.push(new WeftError('storage_failed', 'The disk is full.'), new ServiceError('overloaded'));
  expect([(await send()).status, (await send()).status]).toEqual([503, 503]);
  expect([(await send()).status, keys.length]).toEqual([200, 1]);
});

test('a first one that is refused leaves the key free', async () => {
  const { send, refusals, keys, answer } = await serve();
  answer('done');
  refusals.push(new ServiceError('overloaded'));
  expect([(await send()).status, (await send()).status, keys.length]).toEqual([503, 200, 2]);
});

test('a caller that hangs up finds the result under its key, not a 202', async () => {
  const { send, keys, answer, hungUp } = await serve();
  const hangUp = new AbortController();
  const first = send(hangUp.signal);
  await expect.poll(() => keys.length).toBe(1);
  hangUp.abort();
  await expect(first).rejects.toThrow();
  await hungUp;
  const again = send();
  answer('done');
  expect([(await again).status, await (await again).json()]).toEqual([200, 'done']);
});

test('a request of which the key of `maxRuns` cannot be read is refused, as one of a run in memory is', async () => {
  const settings = { durable: true, maxRuns: 1, maxRunsKey: '{{ trigger.body.a.b }}' };
  const { send, keys } = await serve(
    liveFlow('f', { path: '/f', methods: ['POST'], auth: 'none' }, settings),
  );
  const refused = await send();
  expect([refused.status, keys]).toEqual([422, []]);
  expect(await refused.json()).toMatchObject({ err_code: 'missing_field' });
});
