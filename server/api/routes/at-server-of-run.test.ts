import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { FastifyRequest } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { RunPage } from '#shared/api.ts';
import { Servers } from '../../access/peers/servers.ts';
import type { Caller } from '../../access/security/access.ts';
import { withRunsElsewhere } from './at-server-of-run.ts';
import type { Context } from './context.ts';

const run = {
  run: 'run0bbbbbbbbbb',
  flow: 'far',
  version: 'v1',
  trigger: 'start',
  source: 'http',
  startedAt: 1,
  status: 'running',
  recorded: true,
} as const;

test('a list of runs has those in progress on other servers, and names the servers that do not say theirs', async () => {
  const answers = createServer((_request, response) =>
    response.end(JSON.stringify({ success: true, data: { runs: [run] } })),
  );
  answers.listen(0, '127.0.0.1');
  await once(answers, 'listening');
  onTestFinished(() => void answers.close());
  const { port } = answers.address() as AddressInfo;
  const others = [
    { name: 'far/1', tag: 'bbbbbbbbbb', url: `http://127.0.0.1:${port}` },
    { name: 'cut/2', tag: 'cccccccccc', url: 'http://127.0.0.1:1' },
    { name: 'starting/3', tag: 'dddddddddd', url: null },
  ];
  const known = {
    name: 'here/0',
    tag: 'aaaaaaaaaa',
    now: Date.now,
    find: async () => undefined,
    others: async () => others,
  };
  const caller: Caller = { kind: 'key', name: 'ci', owner: 'key:1', scopes: new Set(), csrf: undefined };
  const servers = new Servers({ known, secretsKeys: () => [Buffer.alloc(32)], log: { warn: () => {} } });
  const ctx = { servers, access: { require: () => caller } } as unknown as Context;
  const request = { url: '/api/v1/runs', headers: {} } as FastifyRequest;
  const query = { limit: 50, nested: false };
  const page = await withRunsElsewhere(ctx, request, { query, found: { runs: [] } });
  expect(page).toEqual({ runs: [{ ...run, server: 'far/1' }], missing: ['cut/2'] });
  expect(RunPage.parse(page)).toEqual(page);
  others.splice(1, 1);
  const whole = await withRunsElsewhere(ctx, request, { query, found: { runs: [] } });
  expect(whole).not.toHaveProperty('missing');
});
