import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { FlowDetail, FlowSummary } from '#shared/api.ts';
import type { ConnectionInfo } from '#shared/connection.ts';
import type { NodeInfo } from '#shared/node.ts';
import type { WaitPage } from '#shared/wait.ts';
import { secretsKeys } from '../fixtures/facts.ts';
import { type Fixture, programOf020, unpackOf020 } from '../fixtures/of-0.2.0.ts';
import { ask, call, signIn } from '../support/client.ts';
import type { Node } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { httpTrigger, sayFlow } from '../support/flows.ts';
import { runProgram } from '../support/process.ts';
import { discard, product, type ServerSetup, startServer, tempFolder } from '../support/server.ts';

/** Servers of 0.2.0 beside those of this version, and again after them. */
let program: string;
let removeProgram: () => void;

beforeAll(() => {
  ({ program, remove: removeProgram } = programOf020());
});
afterAll(() => removeProgram());

const LATER = 3 * 3_600_000;

async function fixtureIn(place: 'folder' | 'database'): Promise<Fixture> {
  const fixture = await unpackOf020(place, LATER);
  onTestFinished(() => fixture.remove());
  return fixture;
}

async function start(setup: ServerSetup): Promise<Node> {
  const server = await startServer(setup);
  onTestFinished(() => discard(server));
  return { ...server, owner: await signIn(server) };
}

/** Format 2: a node for each item. */
const eachFlow = {
  format: 2,
  id: 'each_item',
  nodes: {
    trigger: httpTrigger('/each-item'),
    more: { operator: 'core.map', params: { value: '{{ input + 1 }}' }, each: { items: '{{ [1, 2] }}' } },
  },
  edges: [{ from: 'trigger.out', to: 'more.in' }],
};
const mailbox = { kind: 'imap', settings: { host: 'mail.example.com', user: 'ada', password: 'sesame' } };

describe('three servers on one database, one of them of 0.2.0', () => {
  const seenBy = ({ owner }: Node, id: string) => owner.data<FlowDetail>('GET', `/flows/${id}`);

  test('nothing goes live that the old one would not serve, until it is replaced; it then starts no more', async () => {
    const { facts, setup } = await fixtureIn('database');
    const env = { ...setup.env, WEFT_ADMIN_PASSWORD: '' };
    const old = await start({ env, program });
    const [a, b] = await Promise.all([start({ env }), start({ env })]);
    expect((await a.owner.data<NodeInfo[]>('GET', '/nodes')).map(({ state }) => state)).toEqual(
      Array(3).fill('up'),
    );

    // What all read goes live on all, also with a folder, which the old one does not know.
    await a.owner.data('POST', '/flows', { flow: sayFlow('news', 'from the new one') });
    await b.owner.data('PUT', '/flows/doubled/place', { folder: 'shop', tags: ['sums'] });
    for (const server of [old, a, b]) {
      expect((await call(server, '/news')).body).toBe('from the new one');
      expect((await call(server, '/doubled')).body).toEqual(facts.answers['/doubled']);
    }
    await old.owner.data('POST', '/flows', { flow: sayFlow('olds', 'from the old one') });
    for (const server of [a, b]) expect((await call(server, '/olds')).body).toBe('from the old one');

    // What it does not read is refused with its name, and stays a draft; so is a connection that would damage its list.
    const refused = await a.owner.api('POST', '/flows', { flow: eachFlow });
    expect(refused).toMatchObject({ status: 409, body: { err_code: 'servers_too_old' } });
    const [name] = (refused.body as { detail: string[] }).detail;
    expect(name).toMatch(new RegExp(`/${old.process.pid}$`));
    const { revision } = await a.owner.data<FlowDetail>('POST', '/flows', { flow: eachFlow, mode: 'draft' });
    expect(await seenBy(old, 'each_item')).toMatchObject({
      state: 'draft',
      problems: [{ code: 'bad-format', message: 'This is format 2; this version reads format 1.' }],
    });
    expect(await b.owner.api('PUT', '/connections/mailbox', mailbox)).toMatchObject({
      status: 409,
      body: { err_code: 'servers_too_old' },
    });
    const site = { kind: 'http', settings: { address: 'https://crm.example.com' } };
    await b.owner.data('PUT', '/connections/site', site);
    const connectionsOf = async ({ owner }: Node) =>
      (await owner.data<ConnectionInfo[]>('GET', '/connections')).map((one) => one.name);
    for (const server of [old, a]) expect(await connectionsOf(server)).toEqual(['crm', 'site']);

    // A run that waits is decided at the old one, whoever goes on with it.
    const { waits } = await old.owner.data<WaitPage>('GET', '/waits');
    const wait = waits.find(({ run }) => run === facts.approving.run);
    await old.owner.data('POST', `/waits/${wait?.id}/decide`, { decision: 'approved' });
    for (const server of [a, b])
      await eventually(async () =>
        expect((await ask(`${server.url}${facts.approving.statusUrl}`)).body).toMatchObject({
          data: { status: 'ok', answer: { body: ['calm', 'calm'] } },
        }),
      );

    await old.stop();
    expect(await a.owner.api('POST', '/flows/each_item/publish', { revision })).toMatchObject({
      status: 200,
    });
    for (const server of [a, b]) expect((await call(server, '/each-item')).body).toEqual([2, 3]);
    await b.owner.data('PUT', '/connections/mailbox', mailbox);
    await expect(startServer({ env, program })).rejects.toThrow(
      /database_newer: The database was migrated by a newer Weft \(format \d+; this version knows formats up to 13\)/,
    );
  });
});

describe.each(['folder', 'database'] as const)('back to 0.2.0, in a %s', (place) => {
  const weft = (of: string, env: Record<string, string>, ...args: string[]) =>
    runProgram(process.execPath, [join(of, 'server/weft.js'), ...args], { env });

  test('it refuses what was migrated with one line; an export for it brings everything but runs', async () => {
    const { facts, setup } = await fixtureIn(place);
    const today = await start(setup);
    await today.owner.data('POST', '/flows', { flow: eachFlow });
    await today.owner.data('PUT', '/connections/mailbox', mailbox);
    await today.owner.data('PUT', '/flows/doubled/place', { folder: 'shop', tags: ['sums'] });
    await today.stop();
    const line =
      place === 'folder'
        ? /weft\.db in format \d+ \(known: 13\): this version would damage it\. Start Weft \S+ or a later one, or restore a backup/
        : /database_newer: The database was migrated by a newer Weft/;
    await expect(startServer({ ...setup, program })).rejects.toThrow(line);
    // Refused, it has changed nothing.
    const again = await start(setup);
    expect((await call(again, '/each-item')).body).toEqual([2, 3]);
    await again.stop();

    const folder = tempFolder('back');
    const [file, flows, data] = ['all.jsonl', 'flows', 'data'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    for (const each of [flows, data]) mkdirSync(each);
    const { WEFT_DATABASE_URL: _, ...alone } = setup.env;
    const env = { ...alone, WEFT_SECRETS_KEY: secretsKeys['0.2.0'] };
    const own = { ...setup.env, WEFT_DATA: String(setup.data), WEFT_FLOWS: String(setup.flows) };
    const exported = await weft(product, own, 'export', '--all', '--for', '0.2', '--out', file);
    expect(exported).toMatchObject({ code: 0 });
    expect(exported.stderr).toContain('Left out: connections of kinds that 0.2 does not know: mailbox.\n');
    expect(exported.stderr).toContain(
      'Flows in a newer format, which 0.2 shows and does not serve: each_item.\n',
    );
    const imported = await weft(
      program,
      { ...env, WEFT_DATA: data, WEFT_FLOWS: flows },
      'import',
      '--all',
      file,
    );
    expect(imported).toMatchObject({ code: 0, stderr: '' });

    const old = await start({ program, flows, data, env });
    for (const [path, body] of Object.entries(facts.answers))
      expect((await call(old, path)).body).toEqual(body);
    const authorization = `Bearer ${facts.firstKey}`;
    expect((await call(old, '/keyed', { headers: { authorization } })).body).toBe('let in');
    const basic = { headers: { authorization: `Basic ${btoa('ada:open sesame')}` } };
    expect((await call(old, '/guarded', basic)).body).toBe('come in');
    expect((await call(old, '/counted')).body).toBe(Number(facts.answered.text) + 1);
    expect((await old.owner.data<ConnectionInfo[]>('GET', '/connections')).map(({ name }) => name)).toEqual([
      'crm',
    ]);
    const all = await old.owner.data<FlowSummary[]>('GET', '/flows');
    expect(all.filter(({ state }) => state === 'broken').map(({ id }) => id)).toEqual(['each_item']);
    expect((await call(old, '/each-item')).body).toMatchObject({ err_code: 'trigger_not_found' });
  });
});
