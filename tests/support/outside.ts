import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { type FlowJson, httpTrigger } from './flows.ts';

export interface Effect {
  readonly path: string;
  readonly key: string;
  readonly body: string;
  readonly at: number;
}

/** Somebody else's server: an append-only log of what is asked of it. It answers at an address while nothing holds that. */
export async function startOutside(...held: string[]) {
  const log: Effect[] = [];
  const holds = new Set(held);
  const waiting: (() => void)[] = [];
  /** Requests at once that are answered late. */
  const late = { now: 0, most: 0 };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = request.url ?? '';
      log.push({ path, key: String(request.headers['idempotency-key']), body, at: performance.now() });
      if (path === '/late') {
        late.most = Math.max(late.most, ++late.now);
        setTimeout(() => {
          late.now--;
          response.end('{}');
        }, 100);
      } else if (holds.has(path)) waiting.push(() => void response.end('{}'));
      else response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  /** Answers the requests that are held, and no longer holds any. */
  const release = (): void => {
    holds.clear();
    for (const answer of waiting.splice(0)) answer();
  };
  return { url, log, holds, release, late, paths: () => log.map(({ path }) => path) };
}

/**
 * Expects of the requests of a durable chain what its contract says: a step that has ended is never repeated, and all calls of
 * one carry one key. Each claim after the first may repeat the step that was in flight; the steps in `repeated` were.
 */
export function expectSteps(
  calls: readonly Effect[],
  steps: readonly string[],
  { claims, repeated = [] }: { readonly claims: number; readonly repeated?: readonly string[] },
): void {
  const paths = calls.map(({ path }) => path);
  // A step begins once the one before it is recorded.
  expect(paths).toEqual(steps.flatMap((step) => paths.filter((path) => path === step)));
  expect([...new Set(paths)]).toEqual(steps);
  expect(new Set(calls.map(({ path, key }) => `${path} ${key}`)).size).toBe(steps.length);
  expect(paths.length - steps.length, `${claims} claims: ${paths.join(' ')}`).toBeLessThan(claims);
  for (const step of repeated) expect(paths.lastIndexOf(step), step).toBeGreaterThan(paths.indexOf(step));
}

/** A durable chain of requests to `outside`, one after the other. */
export function postingFlow(
  id: string,
  url: string,
  names: readonly string[],
  more: Partial<FlowJson> = {},
): FlowJson {
  const post = (name: string) => ({
    operator: 'http.request',
    params: { method: 'POST', url: `${url}/${name}`, timeoutMs: 60_000 },
  });
  return {
    format: 1,
    id,
    nodes: {
      start: httpTrigger(`/${id}`, { methods: ['POST'], answer: 'immediately' }),
      ...Object.fromEntries(names.map((name) => [name, post(name)])),
    },
    edges: names.map((name, at) => ({
      from: at === 0 ? 'start.out' : `${names[at - 1]}.body`,
      to: `${name}.in`,
    })),
    ...more,
  };
}
