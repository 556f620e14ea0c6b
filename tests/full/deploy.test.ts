import { afterAll, beforeAll, expect, test } from 'vitest';
import { Agent, request } from 'undici';
import type { FlowDetail } from '#shared/api.ts';
import { call, type Owner, signIn, triggerPrefix } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { copyOfExamples, flowText, httpTrigger, sayFlow, write } from '../support/flows.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';

/** Flows that go live while everybody is calling them. */
let server: TestServer;
let owner: Owner;
const agent = new Agent({ connections: 8, pipelining: 1 });

beforeAll(async () => {
  server = await startServer({ flows: copyOfExamples() });
  owner = await signIn(server);
});
afterAll(async () => {
  await agent.close();
  await discard(server);
});

const CALLERS = 8;

/** Calls in parallel without a pause until told to stop; gives how many answers of each kind there were. */
function load(path: string, kind: (status: number, body: string) => string) {
  const seen = new Map<string, number>();
  let stopped = false;
  async function caller(): Promise<void> {
    while (!stopped) {
      const answer = await request(`${server.url}${triggerPrefix}${path}`, { dispatcher: agent });
      const found = kind(answer.statusCode, await answer.body.text());
      seen.set(found, (seen.get(found) ?? 0) + 1);
    }
  }
  const callers = Array.from({ length: CALLERS }, caller);
  return {
    seen,
    async stop(): Promise<Map<string, number>> {
      stopped = true;
      await Promise.all(callers);
      return seen;
    },
  };
}

test('two hundred publishes under constant load fail no request, and each answer is of one whole version', async () => {
  const versioned = (n: number) => sayFlow('busy', `${n} ${n}`);
  let { revision } = await owner.data<FlowDetail>('POST', '/flows', { flow: versioned(0) });
  const numbers = new Set<string>();
  const calls = load('/busy', (status, body) => {
    const [, first, second] = /^"(\d+) (\d+)"$/.exec(body) ?? [];
    if (status !== 200 || first === undefined || first !== second) return `${status} ${body}`;
    numbers.add(first);
    return 'whole';
  });
  for (let n = 1; n <= 200; n++) {
    const saved = await owner.data<FlowDetail>('PUT', '/flows/busy', {
      text: flowText(versioned(n)),
      revision,
    });
    expect(saved.state).toBe('live');
    ({ revision } = saved);
  }
  const seen = await calls.stop();
  expect([...seen.keys()]).toEqual(['whole']);
  expect(seen.get('whole')).toBeGreaterThan(200);
  expect(numbers.size).toBeGreaterThan(20);
  expect((await call(server, '/busy')).body).toBe('200 200');
});

test('a neighbour that is saved again and again, good and broken, fails no request to a flow', async () => {
  const calls = load('/examples/hello?name=Ada', (status, body) => `${status} ${body}`);
  for (let n = 0; n < 20; n++) {
    const isGood = n % 2 === 0;
    const flow = sayFlow('neighbour', `${n}`, httpTrigger(`/n${n}/:x`));
    write(server.flows, 'neighbour.json', isGood ? flow : flowText(flow).slice(0, -20));
    await eventually(async () => {
      const { state } = await owner.data<FlowDetail>('GET', '/flows/neighbour');
      expect(state).toBe(isGood ? 'live' : 'broken');
    });
  }
  expect(await calls.stop()).toEqual(new Map([['200 "Hello, Ada, your age is 18"', expect.any(Number)]]));
});

test('of many saves that are based on one state exactly one wins', async () => {
  const { revision } = await owner.data<FlowDetail>('POST', '/flows', { flow: sayFlow('raced', '0') });
  const saves = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      owner.api('PUT', '/flows/raced', { text: flowText(sayFlow('raced', `by ${n}`)), revision }),
    ),
  );
  const statuses = saves.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
  const winner = saves.findIndex(({ status }) => status === 200);
  expect((await owner.data<FlowDetail>('GET', '/flows/raced')).text).toContain(`by ${winner}`);
});
