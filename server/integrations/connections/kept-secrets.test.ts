import { describe, expect, test } from 'vitest';
import type { ConnectionKindName } from '#shared/connection.ts';
import { describeKinds } from './open-connections.ts';
import { connectionBed } from './testing/connection-bed.ts';

/** What may change while a stored password stays: every setting of every kind is in this table. */

type Value = string | number | boolean | object;
/** A setting as it was, and changes to it that are refused or taken without the secret. */
interface Line {
  readonly from: Value;
  readonly refused?: readonly Value[];
  readonly taken?: readonly Value[];
}

const server = {
  host: { from: 'db.example', refused: ['elsewhere.example', 'localhost'] },
  port: { from: 6000, refused: [6001] },
  database: { from: 'shop', refused: ['other'] },
  user: { from: 'weft', refused: ['admin'] },
  tls: { from: 'unverified', refused: ['off'], taken: ['verified'] },
  ca: { from: 'CA', refused: ['another CA'] },
  most: { from: 3, taken: [4] },
} satisfies Record<string, Line>;

const table: Record<ConnectionKindName, Record<string, Line>> = {
  postgres: server,
  mysql: server,
  sqlite: {},
  s3: {
    endpoint: {
      from: 'https://s3.example.com',
      refused: ['https://elsewhere.example', 'http://s3.example.com', 'https://s3.example.com:8443'],
      taken: ['https://s3.example.com/'],
    },
    region: { from: 'eu', refused: ['us'] },
    bucket: { from: 'papers', refused: ['other'] },
    prefix: { from: 'a', taken: ['b'] },
    accessKey: { from: 'AK', refused: ['BK'] },
    addressing: { from: 'path', refused: ['virtual-host'] },
    timeoutMs: { from: 1000, taken: [2000] },
  },
  http: {
    address: {
      from: 'https://api.example.com/v1',
      refused: [
        'https://elsewhere.example/v1',
        'http://api.example.com/v1',
        'https://api.example.com:8443/v1',
      ],
      taken: ['https://api.example.com/v2'],
    },
    auth: { from: 'bearer', refused: ['header', 'basic'] },
    user: { from: 'u', refused: ['v'] },
    header: { from: 'X-Key', refused: ['X-Log'] },
    headers: { from: { 'X-A': '1' }, taken: [{ 'X-A': '2' }] },
    testPath: { from: '/me', taken: ['/you'] },
    timeoutMs: { from: 1000, taken: [2000] },
  },
};

/** The hidden setting of each kind. */
const hidden: Partial<Record<ConnectionKindName, string>> = {
  postgres: 'password',
  mysql: 'password',
  s3: 'secretKey',
  http: 'secret',
};

const kinds = await describeKinds();

describe.each(kinds)('$kind', ({ kind, settings: schema }) => {
  const secret = hidden[kind];
  const lines = Object.entries(table[kind]);
  const properties = Object.entries(schema['properties'] as Record<string, { readonly format?: string }>);

  test('the table has every setting that is shown, and knows which are hidden', () => {
    const of = (isHidden: boolean) =>
      properties.flatMap(([name, { format }]) => ((format === 'password') === isHidden ? [name] : []));
    expect(of(true)).toEqual(secret === undefined ? [] : [secret]);
    if (secret !== undefined) expect(lines.map(([name]) => name).sort()).toEqual(of(false).sort());
  });

  if (secret === undefined) return;
  const before = Object.fromEntries(lines.map(([name, { from }]) => [name, from]));

  async function changed(name: string, to: Value | undefined) {
    const { connections } = connectionBed();
    await connections.put('one', { kind, settings: { ...before, [secret as string]: 'the-kept-secret' } });
    const { [name]: _, ...others } = before;
    const settings = to === undefined ? others : { ...others, [name]: to };
    return { put: connections.put('one', { kind, settings }), connections, settings };
  }

  const cases = (which: 'refused' | 'taken') =>
    lines.flatMap(([name, line]) => (line[which] ?? []).map((to) => [name, to] as const));

  test.each(cases('refused'))('another %s (%j) asks for it again', async (name, to) => {
    const { put, connections, settings } = await changed(name, to);
    await expect(put).rejects.toMatchObject({
      code: 'connection_secret_again',
      message: expect.stringMatching(`Give \`${secret}\` again, since .*\`${name}\``),
      detail: [{ loc: ['body', 'settings', secret] }],
    });
    // A test of what is not stored sends it too.
    await expect(connections.tryOut('one', { kind, settings })).rejects.toMatchObject({
      code: 'connection_secret_again',
    });
    const again = { ...settings, [secret]: 'the-kept-secret' };
    expect(await connections.put('one', { kind, settings: again })).toMatchObject({ hidden: [secret] });
  });

  test.each(cases('taken'))('another %s (%j) leaves it as it is', async (name, to) => {
    const { put } = await changed(name, to);
    expect(await put).toMatchObject({ settings: { [name]: to }, hidden: [secret] });
  });

  test('a setting that is left out is its default, and so another one', async () => {
    const left = { postgres: 'port', mysql: 'port', s3: 'region', http: 'header', sqlite: '' }[kind];
    await expect((await changed(left, undefined)).put).rejects.toMatchObject({
      code: 'connection_secret_again',
    });
  });
});
