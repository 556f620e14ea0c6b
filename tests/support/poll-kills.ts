import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { signIn } from './client.ts';
import { eventually } from './eventually.ts';
import { discard, startServer, tempFolder } from './server.ts';

/** A server that asks a service for new things is killed again and again while they appear. */

/** New things have been asked for, and their runs have ended, within this time, in milliseconds. */
const MOMENT_MS = 1500;
/** What the stand-in gives at most at one request; more is on the next page, as GitHub has it. */
const PAGE = 30;

interface Thing {
  readonly id: number;
  readonly number: number;
  readonly title: string;
}

/** The issues of a repository, newest first. */
async function standIn() {
  const things: Thing[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://stand-in');
    const size = Math.min(PAGE, Number(searchParams.get('per_page') ?? PAGE));
    const page = Number(searchParams.get('page') ?? 1);
    const shown = things.toReversed().slice((page - 1) * size, page * size);
    const isKnown = pathname === '/repos/acme/shop/issues';
    if (page * size < things.length) {
      searchParams.set('page', String(page + 1));
      response.setHeader('link', `<${url}${pathname}?${searchParams.toString()}>; rel="next"`);
    }
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isKnown ? shown : { message: 'Not Found' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const add = (title: string): void => {
    const number = things.length + 1;
    things.push({ id: 1000 + number, number, title });
  };
  return { url, add };
}

/** By the trigger of a service, and by one that asks an address. */
const triggers = {
  'github.issue-created': () => ({ connection: 'it', repository: 'acme/shop', every: 1 }),
  'trigger.poll': (url: string) => ({
    url: `${url}/repos/acme/shop/issues`,
    every: 1,
    key: '{{ item.id }}',
    existing: 'skip',
  }),
} as const;

export type Polling = keyof typeof triggers;

/** The server is killed that many times while things appear; each of them has one run in the end, and no other has. */
export async function killBetweenPolls(
  operator: Polling,
  {
    kills,
    things,
    random = Math.random,
  }: { readonly kills: number; readonly things: number; readonly random?: () => number },
): Promise<void> {
  const service = await standIn();
  const [flows, data] = [tempFolder('flows'), tempFolder('data')];
  const env = { WEFT_OUTBOUND_ALLOW: new URL(service.url).host };
  let server = await startServer({ flows, data, env });
  onTestFinished(() => discard(server));
  let owner = await signIn(server);
  await owner.data('PUT', '/connections/it', {
    kind: 'http',
    settings: { address: service.url, auth: 'bearer', secret: 'a-token' },
    grants: { flows: ['take'] },
  });
  service.add('Before');
  const flow = {
    format: 1,
    id: 'take',
    settings: { durable: true },
    nodes: {
      found: { operator, params: triggers[operator](service.url) },
      done: { operator: 'core.map', params: { value: '{{ input.title }}' } },
    },
    edges: [{ from: 'found.out', to: 'done.in' }],
  };
  writeFileSync(join(flows, 'take.json'), JSON.stringify(flow));
  await eventually(async () =>
    expect(await owner.data('GET', '/sources')).toMatchObject([
      { state: 'listening', lastLookAt: expect.any(String) },
    ]),
  );
  const added: string[] = [];
  for (let round = 0; round < kills; round++) {
    for (let i = 0; i < things; i++) {
      const title = `Thing ${round}-${i}`;
      added.push(title);
      service.add(title);
    }
    // Anywhere between the next question and the end of the runs.
    await delay(random() * MOMENT_MS);
    await server.stop('SIGKILL');
    server = await startServer({ flows, data, env });
    owner = await signIn(server);
  }
  const ended = async (): Promise<{ run: string; status: string }[]> =>
    (await owner.data<{ runs: { run: string; status: string }[] }>('GET', '/runs?flow=take&limit=500')).runs;
  await eventually(async () =>
    expect((await ended()).filter(({ status }) => status === 'ok')).toHaveLength(added.length),
  );
  // Another question finds nothing that was not there.
  const lookAt = async (): Promise<string | undefined> =>
    (await owner.data<{ lastLookAt?: string }[]>('GET', '/sources'))[0]?.lastLookAt;
  const before = await lookAt();
  await eventually(async () => expect(await lookAt()).not.toBe(before));
  const runs = await ended();
  expect(runs).toHaveLength(added.length);
  const titles = await Promise.all(
    runs.map(async ({ run }) => {
      const { events } = await owner.data<{ events: { kind: string; node?: string; value?: unknown }[] }>(
        'GET',
        `/runs/${run}/events`,
      );
      return events.find(({ kind, node }) => kind === 'node-output' && node === 'done')?.value;
    }),
  );
  expect(titles.sort()).toEqual([...added].sort());
}
