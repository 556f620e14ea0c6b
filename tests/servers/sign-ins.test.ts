import { expect, test } from 'vitest';
import type { ConnectionInfo } from '#shared/connection.ts';
import type { StartedSignIn } from '#shared/sign-in.ts';
import {
  CLIENT,
  startAuthorizationServer,
} from '../../server/integrations/connections/kinds/oauth2/testing/authorization-server.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { call } from '../support/client.ts';
import { type Node, publish, startNode } from '../support/cluster.ts';
import { httpTrigger } from '../support/flows.ts';

const RUNS = 50;

test('fifty runs on four servers that meet a token which is no longer accepted make one refresh', async () => {
  const url = await newDatabase();
  const first = await startNode(url, { WEFT_OUTBOUND_ALLOW: '127.0.0.1' });
  const others = await Promise.all([1, 2, 3].map(() => startNode(url, { WEFT_OUTBOUND_ALLOW: '127.0.0.1' })));
  const nodes: readonly Node[] = [first, ...others];
  const server = await startAuthorizationServer({ redirects: [`${first.url}/oauth/callback`] });
  const settings = {
    issuer: server.origin,
    clientId: CLIENT.id,
    secret: CLIENT.secret,
    address: `${server.origin}/api`,
    scopes: ['openid', 'email'],
  };
  const grants = { flows: ['ask'] };
  await first.owner.data('PUT', '/connections/sheets', { kind: 'oauth2', settings, grants });
  await publish(first, {
    format: 1,
    id: 'ask',
    nodes: {
      ask: { operator: 'http.request', params: { connection: 'sheets', url: '/rows' } },
      trigger: httpTrigger('/ask'),
    },
    edges: [{ from: 'trigger.out', to: 'ask.in' }],
  });
  const started = await first.owner.data<StartedSignIn>('POST', '/connections/sheets/sign-ins');
  const begun = await fetch(started.address, { redirect: 'manual' });
  const cookie = (begun.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  const back = await server.consent(begun.headers.get('location') ?? '');
  expect((await fetch(back, { headers: { cookie } })).status).toBe(200);

  // Another server knows of it at once.
  const [known] = await (others[0] as Node).owner.data<ConnectionInfo[]>('GET', '/connections');
  expect(known?.account).toMatchObject({ state: 'connected', name: 'ada@example.com' });
  for (const node of nodes) expect((await call(node, '/ask')).status).toBe(200);
  await server.revokeAccess(server.came.at(-1) as string);
  const runs = Array.from({ length: RUNS }, (_, at) => nodes[at % nodes.length] as Node).map((node) =>
    call(node, '/ask'),
  );
  expect((await Promise.all(runs)).map(({ status }) => status)).toEqual(Array<number>(RUNS).fill(200));
  expect(server.asked).toEqual(['authorization_code', 'refresh_token']);
});
