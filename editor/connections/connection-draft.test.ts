import { expect, test } from 'vitest';
import type { ConnectionInfo, ConnectionKind } from '#shared/connection.ts';
import { connectionPlace, grantWords, rateWords } from '#shared/connection-labels.ts';
import {
  countFault,
  draftOf,
  grantsOf,
  isComplete,
  nameFault,
  rateOf,
  settingFields,
  settingsForm,
  shownSettings,
} from './connection-draft.ts';

const draft = { ...draftOf(undefined, []), name: 'shop' };

test('grants are lists of names, and what is empty restricts nothing', () => {
  expect(grantsOf({ ...draft, flows: ' a, b\nb ,' }, {})).toEqual({ flows: ['a', 'b'] });
  expect(grantsOf({ ...draft, operators: 'sql.query', drafts: true }, {})).toEqual({
    operators: ['sql.query'],
    drafts: true,
  });
  expect(grantsOf({ ...draft, flows: '' }, { flows: ['a'] })).toEqual({});
});

test('an empty list that nobody has touched still allows nobody', () => {
  expect(grantsOf({ ...draft, operators: 'sql.query' }, { flows: [] })).toEqual({
    flows: [],
    operators: ['sql.query'],
  });
});

test.each([
  [{}, undefined],
  [{ flows: [] }, undefined],
  [{ drafts: true }, undefined],
  [{ flows: ['a', 'b'] }, 'flows a, b'],
  [{ flows: ['a'], operators: ['sql.query'], drafts: true }, 'flows a; nodes sql.query; drafts too'],
])('the grants %j in words', (grants, words) => {
  expect(grantWords(grants)).toBe(words);
});

test('flows and operators are called by their names in grants', () => {
  const names = { flow: (id: string) => `Flow ${id}`, operator: () => 'Read with SQL' };
  expect(grantWords({ flows: ['a'], operators: ['sql.query'] }, names)).toBe(
    'flows Flow a; nodes Read with SQL',
  );
});

test('a name is an id that is not taken', () => {
  expect(nameFault('shop', [])).toBeUndefined();
  expect(nameFault('Shop', [])).toContain('lower-case');
  expect(nameFault('shop', [{ name: 'shop' } as never])).toContain('already');
});

test('settings that are emptied are gone', () => {
  const form = settingsForm({ host: 'a' });
  let told = 0;
  form.subscribe(() => told++);
  form.set(['port'], 5432, 'Change port');
  form.set(['host'], undefined, 'Change host');
  expect([form.current(), told]).toEqual([{ port: 5432 }, 2]);
});

test('options are shown if they differ from their defaults, or are stored and hidden', () => {
  const option = { type: 'string', default: '', group: 'Proxy' };
  const kind = {
    kind: 'http',
    settings: {
      type: 'object',
      properties: {
        address: { type: 'string' },
        proxy: option,
        credentials: { ...option, format: 'password' },
      },
    },
    harmless: {},
  } as unknown as ConnectionKind;
  const settings = { address: 'https://a.example', proxy: '', credentials: '' };
  const connection = { kind: 'http', settings, hidden: [] as string[] } as unknown as ConnectionInfo;
  expect(shownSettings(kind, connection)).toEqual({ address: 'https://a.example' });
  const used = { ...connection, settings: { ...settings, proxy: 'none' } };
  expect(shownSettings(kind, used)).toEqual({ address: 'https://a.example', proxy: 'none' });
  const groups = (hidden: string[]) =>
    settingFields(kind, { ...connection, hidden }, {}).map(({ name, group }) => [name, group]);
  expect(groups([])).toEqual([
    ['address', undefined],
    ['proxy', 'Proxy'],
    ['credentials', 'Proxy'],
  ]);
  expect(groups(['credentials'])).toEqual([
    ['address', undefined],
    ['proxy', 'Proxy'],
    ['credentials', undefined],
  ]);
});

test.each([
  [{ host: 'db', port: 5432, database: 'shop' }, 'db:5432/shop'],
  [{ folder: 'shop', file: 'a.db' }, 'shop/a.db'],
  [{ endpoint: 'https://s3.example.com/', bucket: 'files', prefix: '' }, 'https://s3.example.com/files'],
  [
    { endpoint: 'https://s3.example.com', bucket: 'files', prefix: 'a/b' },
    'https://s3.example.com/files/a/b',
  ],
  [{ address: 'https://api.example.com/v1' }, 'https://api.example.com/v1'],
  [{}, ''],
])('the settings %j lead to %j', (settings, place) => {
  expect(connectionPlace({ settings })).toBe(place);
});

test('a rate limit is what is typed, or none', () => {
  const rate = { limit: 10, per: 'hour', burst: 2 } as const;
  expect(rateOf(draft)).toBeNull();
  expect(rateOf({ ...draft, limit: ' 10', per: 'hour', burst: '2' })).toEqual(rate);
  expect(rateOf(draftOf({ kind: 'http', grants: {}, rate } as never, []))).toEqual(rate);
  expect(
    ['', '1', '100000', '0', '100001', '1.5', 'x'].map((text) => countFault(text) === undefined),
  ).toEqual([true, true, true, false, false, false, false]);
});

test.each([
  [{ limit: 1, per: 'second' }, 'at most 1 use a second'],
  [{ limit: 60, per: 'hour', burst: 5 }, 'at most 60 uses an hour, 5 at once'],
] as const)('the rate %j in words', (rate, words) => {
  expect(rateWords(rate)).toBe(words);
});

test('a stored password is asked for again when it would go elsewhere', () => {
  const text = { type: 'string' };
  const kind: ConnectionKind = {
    kind: 'postgres',
    title: 'PostgreSQL',
    doc: '',
    settings: {
      type: 'object',
      properties: {
        host: text,
        port: { type: 'integer', default: 5432 },
        password: { ...text, format: 'password', default: '' },
        most: { type: 'integer', default: 10 },
      },
      required: ['host'],
    },
    harmless: { most: 'any' },
  };
  const stored = { host: 'db', port: 5432, most: 10 };
  const connection = {
    kind: 'postgres',
    settings: stored,
    hidden: ['password'],
  } as unknown as ConnectionInfo;
  const asked = (settings: Readonly<Record<string, unknown>>) => {
    const fields = settingFields(kind, connection, settings);
    return {
      doc: fields.find(({ name }) => name === 'password')?.doc,
      isReady: isComplete(fields, settings),
    };
  };
  const stays = { doc: expect.stringContaining('stays as it is'), isReady: true };
  for (const same of [stored, { ...stored, most: 3 }, { host: 'db' }]) expect(asked(same)).toEqual(stays);
  const again = { doc: expect.stringMatching(/^Enter it again: Port changed/), isReady: false };
  expect(asked({ ...stored, port: 6432 })).toEqual(again);
  expect(asked({ ...stored, port: 6432, password: 'x' })).toEqual({ ...again, isReady: true });
});
