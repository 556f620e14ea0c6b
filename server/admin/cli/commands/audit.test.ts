import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditEntry } from '#shared/audit.ts';
import { eventually } from '../../../../tests/support/eventually.ts';
import { signIn, startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { runCli } from '../program.ts';
import { testIo } from '../testing/test-io.ts';

const flow = (name: string): string =>
  JSON.stringify({ format: 1, id: 'orders', name, nodes: {}, edges: [] });

test('weft audit lists what a browser, a key, the command line and a file did, also without a server', async () => {
  const folder = await tempFolder();
  const env = { WEFT_DATA: join(folder, 'data') };
  const weft = async (...args: string[]) => {
    const io = testIo(folder, { env });
    const code = await runCli(args, io);
    return { code, out: io.stdout.text, err: io.stderr.text };
  };
  const entries = async (...args: string[]) =>
    JSON.parse((await weft('audit', '--json', ...args)).out) as AuditEntry[];

  const scopes = ['--scopes', 'flows:read,flows:write,flows:publish'];
  const key = (await weft('keys', 'create', 'ci', ...scopes)).out.trim();
  expect(await entries()).toMatchObject([{ actor: { kind: 'command line' }, what: 'API key made' }]);

  const flows = join(folder, 'flows');
  const bed = await startBed({ data: env.WEFT_DATA, flows: [flows] });
  const browser = await signIn(bed);
  const put = await fetch(`${bed.url}/api/v1/flows`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ flow: JSON.parse(flow('one')) as object }),
  });
  expect(put.status).toBe(201);
  const set = await fetch(`${bed.url}/api/v1/variables/region`, {
    method: 'PUT',
    headers: { ...browser, 'content-type': 'application/json' },
    body: JSON.stringify({ value: 'eu' }),
  });
  expect(set.status).toBe(200);
  writeFileSync(join(flows, 'orders.json'), flow('two'));
  await eventually(async () => expect((await entries())[0]?.actor.kind).toBe('file'));
  await weft('keys', 'revoke', 'ci');

  const summaries = (all: readonly AuditEntry[]) => all.map(({ actor, what }) => `${actor.kind}: ${what}`);
  const all = [
    'command line: API key revoked',
    'file: flow changed',
    'owner: variable set',
    'key: flow made',
    'owner: signed in',
    'command line: API key made',
  ];
  expect(summaries(await entries())).toEqual(all);
  expect(await entries('--flow', 'orders', '--actor', 'key ci')).toMatchObject([
    {
      actor: { kind: 'key', name: 'key ci' },
      what: 'flow made',
      facts: { flow: 'orders' },
      from: '127.0.0.1',
    },
  ]);
  expect((await weft('audit', '--limit', '1')).out).toMatch(
    /^20\S+Z {2}command line {2}API key revoked {2}key=ci {2}keyId=\S+\n$/,
  );
  const { next } = (await (await fetch(`${bed.url}/api/v1/audit?limit=2`, { headers: browser })).json()) as {
    next?: string;
  };
  expect(next).toBeUndefined();
  await bed.stop();
  expect(summaries(await entries())).toEqual(all);
  expect((await weft('audit', '--limit', 'many')).err).toContain('--limit');
});

test('weft audit on a folder without data reports that there are no entries', async () => {
  const folder = await tempFolder();
  const io = testIo(folder, { env: { WEFT_DATA: join(folder, 'data') } });
  expect([await runCli(['audit'], io), io.stdout.text, io.stderr.text]).toEqual([
    0,
    '',
    'There are no entries.\n',
  ]);
});
