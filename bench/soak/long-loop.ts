import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import type { AcceptedRun } from '#shared/calls-api.ts';
import type { Flow } from '#shared/flow.ts';
import { call } from '../../tests/support/client.ts';
import { writeFlows } from '../flows.ts';
import type { Line } from '../harness.ts';
import { startWeft, tempFolder } from '../servers.ts';
import { endOf } from './durable.ts';
import { lifeOf } from './killed-load.ts';
import { fact, never, type SoakContext, type SoakPart } from './part.ts';

const CONCURRENCY = 32;
/** An expression makes no list of a million: rows of so many are put together. */
const ROW = 1000;
/** How often the progress and the memory are read, in milliseconds. */
const LOOK_MS = 250;
/** What the memory of the server may grow between the first tenth of the items and the end, in MB. */
const GROWTH_MB = 150;
const PASSWORD = 'a password of the soak';

/** One durable run whose loop has a million items, killed in the middle again and again. */
export const longLoop: SoakPart = {
  name: 'long-loop',
  title: 'A durable loop over a million items, with kills (-9)',
  async run({ random, short, say }: SoakContext): Promise<Line[]> {
    const items = short ? 20_000 : 1_000_000;
    const kills = short ? 2 : 10;
    using folder = tempFolder();
    await using outside = await startCounter(items);
    writeFlows(join(folder.path, 'flows'), [loopOver(items, outside.url)]);
    const options = {
      env: { WEFT_OUTBOUND_ALLOW: '127.0.0.1', WEFT_ADMIN_PASSWORD: PASSWORD },
      anyCore: true,
    };
    const moments = Array.from({ length: kills }, () => random.between(1, items)).sort((a, b) => a - b);
    const memory: { readonly seen: number; readonly mb: number }[] = [];
    const began = performance.now();
    let url: string | undefined;
    let end: string | undefined;
    while (end === undefined) {
      await using server = await startWeft(folder.path, options);
      const life = await lifeOf(server, PASSWORD);
      url ??= ((await call(life, '/loop')).body as AcceptedRun).statusUrl;
      const moment = moments.shift() ?? Number.POSITIVE_INFINITY;
      while (outside.seen() < moment && end === undefined) {
        await sleep(LOOK_MS);
        memory.push({ seen: outside.seen(), mb: server.rssMB() });
        end = await endOf(life, url);
      }
      if (end !== undefined) break;
      const ended = once(server.child, 'exit');
      server.child.kill('SIGKILL');
      await ended;
      say(`killed at ${outside.seen()} of ${items} items`);
    }
    const seconds = (performance.now() - began) / 1000;
    const early = Math.max(...memory.filter(({ seen }) => seen <= items / 10).map(({ mb }) => mb));
    const most = Math.max(...memory.map(({ mb }) => mb));
    return [
      fact('items', items),
      fact('kills', kills),
      fact('time', seconds, 's'),
      fact('most memory', most, 'MB'),
      {
        name: 'growth of the memory after the first tenth',
        figure: most - early,
        unit: 'MB',
        bar: { kind: 'at most', value: GROWTH_MB },
      },
      never('ends that are not good', end === 'ok' ? [] : [end]),
      never(
        'items that the outside did not see',
        outside.seen() === items ? [] : [`${items - outside.seen()}`],
      ),
      {
        name: 'items that came again',
        figure: outside.repeated(),
        unit: '',
        bar: { kind: 'at most', value: kills * CONCURRENCY },
      },
    ];
  },
};

function loopOver(items: number, outside: string): Flow {
  return {
    format: 2,
    id: 'loop',
    nodes: {
      trigger: {
        operator: 'trigger.http',
        params: { path: '/loop', methods: ['GET'], auth: 'none', answer: 'immediately' },
      },
      rows: {
        operator: 'core.map',
        params: { value: `{{ range(${ROW}) }}` },
        each: { items: `{{ range(${items / ROW}) }}` },
      },
      list: { operator: 'data.flatten', params: {} },
      each: {
        operator: 'data.for-each',
        params: { input: '{{ index }}', maxItems: items, concurrency: CONCURRENCY },
        body: {
          start: 'item',
          nodes: {
            count: { operator: 'http.request', params: { method: 'POST', url: `${outside}/{{ input }}` } },
            done: { operator: 'core.map', params: { value: '{{ nodes.item }}' } },
          },
          edges: [
            { from: 'item.out', to: 'count.in' },
            { from: 'count.body', to: 'done.in' },
          ],
        },
      },
      sum: { operator: 'core.map', params: { value: '{{ length(input) }}' } },
    },
    edges: [
      { from: 'trigger.out', to: 'rows.in' },
      { from: 'rows.out', to: 'list.in' },
      { from: 'list.out', to: 'each.in' },
      { from: 'each.out', to: 'sum.in' },
    ],
    settings: { durable: true, record: 'summary', timeoutMs: 86_400_000 },
  };
}

/** A server outside that knows which items came, and how often one came again. */
async function startCounter(items: number) {
  const came = new Uint8Array(items);
  let seen = 0;
  let repeated = 0;
  const server = createServer((request, response) => {
    request.resume();
    const item = Number((request.url ?? '/').slice(1));
    if (came[item] === 0) seen++;
    else repeated++;
    came[item] = 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('1');
  });
  // On a busy machine it would close connections while requests are on their way.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: () => seen,
    repeated: () => repeated,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
