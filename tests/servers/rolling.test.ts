import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { NodeInfo } from '#shared/node.ts';
import { operatorTemplate } from '../../server/admin/cli/local/operator-template.ts';
import { newDatabase } from '../../server/storage/database/testing/postgres-server.ts';
import { startBalancer } from '../support/balancer.ts';
import { ask, call } from '../support/client.ts';
import { publish, startNode } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type FlowJson, httpTrigger, lateFlow, sayFlow } from '../support/flows.ts';
import { runProgram } from '../support/process.ts';
import { product, tempFolder } from '../support/server.ts';

/** Servers on one database that are replaced one after the other, as a new version is put out. */
describe('servers that are replaced', () => {
  test('refuse nothing under load, and let slow requests end', async () => {
    const url = await newDatabase();
    const balancer = await startBalancer();
    // On a busy machine a look of the balancer may take as long as many usual ones.
    const env = { WEFT_DRAIN_MS: '3000', WEFT_ALLOWED_HOSTS: new URL(balancer.url).host };
    const old = await Promise.all([startNode(url, env), startNode(url, env)]);
    for (const server of old) balancer.add(server);
    await publish(old[0], sayFlow('hello', 'one'));
    await publish(old[0], { ...lateFlow('slow', 'done', 700) });
    await eventually(() => expect(old.every(balancer.isReady)).toBe(true));

    let stopped = false;
    const seen = new Map<string, number>();
    const load = ['/hello', '/hello', '/hello', '/slow', '/slow'].map(async (path) => {
      while (!stopped) {
        const { status } = await call(balancer, path).catch((error: Error) => ({ status: error.message }));
        const said = `${path} ${status}`;
        seen.set(said, (seen.get(said) ?? 0) + 1);
      }
    });
    for (const server of old) {
      const next = await startNode(url, env);
      balancer.add(next);
      await eventually(() => expect(balancer.isReady(next)).toBe(true));
      const before = seen.get('/hello 200') ?? 0;
      expect(await server.stop()).toBe(0);
      await eventually(() => expect(seen.get('/hello 200') ?? 0, [...seen].join()).toBeGreaterThan(before));
    }
    stopped = true;
    await Promise.all(load);
    expect([...seen.keys()].sort()).toEqual(['/hello 200', '/slow 200']);
    expect(seen.get('/hello 200')).toBeGreaterThan(20);
  });

  test('say first that they leave, and give back what they have claimed', async () => {
    const url = await newDatabase();
    const a = await startNode(url, { WEFT_DRAIN_MS: '1500' });
    await publish(a, sayFlow('hello', 'one'));
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    onTestFinished(() => sql.end());
    const claims = async () =>
      (await sql`SELECT node FROM claim WHERE name = 'sources'`).map(({ node }) => node);
    const [self] = await a.owner.data<NodeInfo[]>('GET', '/nodes');
    await eventually(async () => expect(await claims()).toEqual([self?.id]));
    const b = await startNode(url);
    const stopped = a.stop();
    const states = async () => {
      const list = await b.owner.data<NodeInfo[]>('GET', '/nodes');
      return list.map(({ state }) => state).sort();
    };
    await eventually(async () => expect(await states()).toEqual(['leaving', 'up']));
    const ready = await ask(`${a.url}/readyz`);
    expect([ready.status, ready.body]).toMatchObject([503, { checks: { server: 'draining' } }]);
    const answer = await call(a, '/hello');
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
    await stopped;
    // Not after the ten seconds for which a claim holds.
    expect(await claims()).not.toEqual([self?.id]);
    expect(await states()).toEqual(['up']);
  });
});

describe('servers that differ', () => {
  test('a flow is not served where an operator is missing, not even an older version, and that is shown', async () => {
    const url = await newDatabase();
    const operators = tempFolder('operators');
    mkdirSync(join(operators, 'user'));
    writeFileSync(join(operators, 'user/twice.ts'), operatorTemplate('user.twice'));
    const a = await startNode(url, { WEFT_OPERATORS: operators });
    const b = await startNode(url);
    const first = await publish(a, sayFlow('hello', 'ha'));
    expect((await call(b, '/hello')).text).toBe('"ha"');
    const flow = sayFlow('hello', 'ha', httpTrigger('/hello'));
    const twice: FlowJson = {
      ...flow,
      nodes: { ...flow.nodes, twice: { operator: 'user.twice' } },
      edges: [...flow.edges, { from: 'say.out', to: 'twice.in' }],
    };
    await a.owner.data('PUT', '/flows/hello', { text: JSON.stringify(twice), revision: first.revision });
    expect((await call(a, '/hello')).text).toBe('"haha"');
    const refused = await call(b, '/hello');
    expect([refused.status, refused.body]).toMatchObject([503, { err_code: 'flow_needs_operator' }]);
    expect(refused.text).toContain('user.twice');
    const lacking = async () => {
      const list = await a.owner.data<NodeInfo[]>('GET', '/nodes');
      return list.map(({ self, unserved }) => [self, unserved]);
    };
    await eventually(async () =>
      expect(await lacking()).toEqual([
        [true, undefined],
        [false, [{ flow: 'hello', operators: ['user.twice'] }]],
      ]),
    );
    const { key } = await a.owner.data<{ key: string }>('POST', '/keys', { name: 'ops', scopes: ['admin'] });
    const weft = join(product, 'server/weft.js');
    const { stdout } = await runProgram(process.execPath, [weft, 'nodes', '--url', a.url, '--key', key]);
    expect(stdout).toContain('  does not serve hello: it lacks user.twice');
    // Also after a start, when the version before is the last one that it could serve.
    const c = await startNode(url);
    expect((await call(c, '/hello')).body).toMatchObject({ err_code: 'flow_needs_operator' });
    const whole = await startNode(url, { WEFT_OPERATORS: operators });
    expect((await call(whole, '/hello')).text).toBe('"haha"');
    // Whoever takes the node out again serves it everywhere.
    const { revision } = await a.owner.data<{ revision: string }>('GET', '/flows/hello');
    await a.owner.data('PUT', '/flows/hello', { text: JSON.stringify(flow), revision });
    expect((await call(b, '/hello')).text).toBe('"ha"');
  });
});
