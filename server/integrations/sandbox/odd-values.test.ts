import { afterAll, describe, expect, test } from 'vitest';
import type { WeftError } from '#engine';
import { callOf } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

/** Values without a JSON form, as expressions. */
const odd = [
  'NaN',
  'Infinity',
  '-Infinity',
  '10n',
  'Symbol("s")',
  '() => 1',
  'class A {}',
  'new Map([[1, 2]])',
  'new Set([1])',
  'new WeakMap()',
  '/a/g',
  'new Error("e")',
  'new (class Own extends Error {})()',
  'new (class Point { x = 1 })()',
  'Object.create({ inherited: 1 })',
  'new Uint8Array(2)',
  'new Float64Array(2)',
  'new ArrayBuffer(2)',
  'new DataView(new ArrayBuffer(2))',
  'Promise.resolve(1)',
  '(function* () {})()',
  '[1].values()',
  'new Number(1)',
  'new String("s")',
  'new Boolean(true)',
  'Object(1n)',
  'new Date(NaN)',
  'Math',
  'JSON',
  '(function () { return arguments; })(1)',
  '({ [Symbol("s")]: 1 })',
  '(() => { const o = {}; o.self = o; return o; })()',
];

/** Where it is, with the path to it. */
const places: readonly (readonly [code: string, path: string])[] = [
  ['odd', ''],
  ['({ a: odd })', 'a'],
  ['[1, odd]', '[1]'],
  ['({ list: [{ "a b": odd }] })', 'list[0]["a b"]'],
  ['({ get a() { return odd; } })', 'a'],
  ['({ a: { toJSON: () => ({ b: odd }) } })', 'a.b'],
  ['Object.assign(Object.create(null), { a: [[odd]] })', 'a[0][0]'],
];

/** Lists with nothing where something should be. */
const gaps: readonly (readonly [code: string, path: string])[] = [
  ['[1, undefined]', '[1]'],
  ['({ a: [, 1] })', 'a[0]'],
  ['new Array(3)', '[0]'],
  ['[{ toJSON() {} }]', '[0]'],
];

const kept: readonly (readonly [code: string, value: unknown])[] = [
  ['undefined', null],
  ['{ a: 1, b: undefined }', { a: 1 }],
  ['[-0, { a: -0 }]', [0, { a: 0 }]],
  ['new Date(0)', '1970-01-01T00:00:00.000Z'],
  ['{ at: [new Date(0)], n: 1 }', { at: ['1970-01-01T00:00:00.000Z'], n: 1 }],
  ['new (class { x = 1; toJSON() { return { x: this.x }; } })()', { x: 1 }],
  ['{ get a() { return 1; } }', { a: 1 }],
  ['Object.assign(Object.create(null), { a: 1 })', { a: 1 }],
  ['"a1".match(/([a-z])(\\d)/)', ['a1', 'a', '1']],
  [
    '(() => { const one = { a: 1 }; return [one, one, { one }]; })()',
    [{ a: 1 }, { a: 1 }, { one: { a: 1 } }],
  ],
  ['[1.5, 1e300, "\\ud800", "", true, null, [], {}]', [1.5, 1e300, '\ud800', '', true, null, [], {}]],
];

describe.each(['isolated-vm', 'quickjs'] as const)('a result in %s', (engine) => {
  const sandbox = testSandbox({ engine });
  afterAll(() => sandbox.close());

  test('that JSON has no form for is an error that says where', async () => {
    const inside = odd.flatMap((value) =>
      // A promise as the whole result is awaited.
      places
        .filter(([code]) => code !== 'odd' || !value.startsWith('Promise'))
        .map(([code, path]) => [`(() => { const odd = ${value}; return ${code}; })()`, path] as const),
    );
    const table = [...inside, ...gaps];
    expect(table.length).toBeGreaterThanOrEqual(200);
    const source = `const table = [${table.map(([code]) => `() => ${code}`).join(',\n')}]; return table[input]();`;
    const wrong: unknown[] = [];
    for (const [index, [code, path]] of table.entries()) {
      const said = await sandbox.run(callOf(source, index)).then(
        (result) => ({ result }),
        ({ code: error, data }: WeftError) => [error, (data as { path?: string }).path],
      );
      const at = code.includes('.self') ? `${path}${path && '.'}self` : path;
      if (JSON.stringify(said) !== JSON.stringify(['code_failed', at])) wrong.push([code, said, at]);
    }
    expect(wrong).toEqual([]);
  });

  test.each(kept)('%s is given as JSON has it', async (code, value) => {
    expect(await sandbox.run(callOf(`return ${code};`, null))).toEqual(value);
  });

  test('keeps names that mean something elsewhere', async () => {
    const text = '{"__proto__":{"a":[1]},"constructor":2}';
    const result = await sandbox.run(callOf(`return { at: new Date(0), ...[JSON.parse('${text}')] };`, null));
    expect(JSON.stringify(result)).toBe(`{"0":${text},"at":"1970-01-01T00:00:00.000Z"}`);
  });

  test('says what it is', async () => {
    const failed = sandbox.run(callOf('return { items: [{ price: 0 / 0 }] };', null));
    await expect(failed).rejects.toThrow('The code gave NaN at `items[0].price`, which is no JSON value.');
  });

  test('is looked at item by item in a stream', async () => {
    const seen: unknown[] = [];
    const read = async () => {
      const call = callOf('yield { a: 1 }; yield { a: new Map() };', null);
      for await (const item of sandbox.stream(call)) seen.push(item);
    };
    await expect(read()).rejects.toMatchObject({ code: 'code_failed', data: { path: 'a' } });
    expect(seen).toEqual([{ a: 1 }]);
  });
});
