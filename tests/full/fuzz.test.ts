import { fc } from '../support/property.ts';
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBed } from '../../server/testing/platform-bed.ts';
import { type Answer, call, keyHeaders, type Owner, signIn } from '../support/client.ts';
import { copyOfExamples } from '../support/flows.ts';
import { metric } from '../support/metrics.ts';
import { discard, startServer, type TestServer } from '../support/server.ts';
import { faults, fire, type Shot, shots } from '../support/shots.ts';

/** Requests that chance puts together from the server's own routes, fields and ids. */
const REQUESTS = 4000;
const AT_ONCE = 8;

let server: TestServer;
let owner: Owner;
const agent = new Agent({ connections: AT_ONCE });

beforeAll(async () => {
  server = await startServer({ flows: copyOfExamples() });
  owner = await signIn(server);
});
afterAll(async () => {
  await agent.close();
  await discard(server);
});

function fireHere(shot: Shot): Promise<Answer> {
  const { url } = server;
  return fire(shot, {
    url,
    dispatcher: agent,
    headers: {
      owner: owner.headers,
      key: keyHeaders(server),
      wrong: { authorization: 'Bearer wrong' },
      nobody: {},
    },
  });
}

test(`${REQUESTS} requests by chance find no bug, no page, no stack and nothing of the machine`, async () => {
  const bed = await startBed();
  const todo = fc.sample(shots(bed.app.routeTable), REQUESTS);
  const before = await metric(server, 'process_resident_memory_bytes');
  const faulty: unknown[] = [];
  const statuses = new Map<number, number>();
  async function shooter(): Promise<void> {
    for (let shot = todo.pop(); shot !== undefined; shot = todo.pop()) {
      const answer = await fireHere(shot).catch((error: unknown) => ({ ...failed, text: String(error) }));
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      const found = faults(shot, answer);
      if (found.length > 0)
        faulty.push({ found, shot, status: answer.status, text: answer.text.slice(0, 500) });
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, shooter));
  expect(faulty).toEqual([]);
  // Chance must have come far enough in to meet more than the door.
  for (const status of [200, 400, 404, 405, 415])
    expect(statuses.get(status) ?? 0, `${status}`).toBeGreaterThan(20);
  expect(server.output()).not.toMatch(/"level":(?:50|60)/);
  expect((await call(server, '/examples/hello?name=Ada')).body).toBe('Hello, Ada, your age is 18');
  const grown = (await metric(server, 'process_resident_memory_bytes')) - before;
  expect(grown / 1024 / 1024).toBeLessThan(300);
});

const failed: Answer = { status: 0, headers: new Headers(), text: '', body: undefined };
