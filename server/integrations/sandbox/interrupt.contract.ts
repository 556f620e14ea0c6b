import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from './spawn.ts';
import type { CodeSandbox } from './code-service.ts';
import { callOf } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

/** Ways in which the language calls `f` back; each as statements. */
const callers: Readonly<Record<string, string>> = {
  sort: '[3, 1, 2].sort(f);',
  'sort of many': 'Array.from({ length: 200 }, (_, i) => -i).sort(f);',
  toSorted: '[3, 1, 2].toSorted(f);',
  'sort by the text of items': '[{ toString: f }, { toString: f }].sort();',
  'sort of a typed array': 'new Float64Array([3, 1, 2]).sort(f);',
  map: '[1].map(f);',
  filter: '[1].filter(f);',
  reduce: '[1, 2].reduce(f);',
  reduceRight: '[1, 2].reduceRight(f);',
  forEach: '[1].forEach(f);',
  some: '[1].some(f);',
  every: '[1].every(f);',
  find: '[1].find(f);',
  findLast: '[1].findLast(f);',
  flatMap: '[1].flatMap(f);',
  'map of a typed array': 'new Uint8Array(1).map(f);',
  'species of a list':
    'const a = [1]; Object.defineProperty(a, "constructor", { value: { get [Symbol.species]() { f(); } } }); a.slice();',
  'Array.from, mapping': 'Array.from([1], f);',
  'Array.from, iterating':
    'Array.from({ [Symbol.iterator]: () => ({ next: () => (f(), { done: true }) }) });',
  'Array.from, a length': 'Array.from({ get length() { f(); return 0; } });',
  'a join': '[{ toString: () => (f(), "") }].join();',
  'spread of an iterator': '[...{ [Symbol.iterator]: () => ({ next: () => (f(), { done: true }) }) }];',
  'the return of an iterator':
    'for (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }), return: () => (f(), {}) }) }) break;',
  'the return of an iterator behind an error':
    'try { for (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1 }), return: () => (f(), {}) }) }) throw 1; } catch {}',
  'a destructuring': 'const [a] = { [Symbol.iterator]: () => ({ next: () => (f(), { done: true }) }) };',
  'a generator': '[...(function* () { yield f(); })()];',
  'finally of a generator':
    'const g = (function* () { try { yield 1; } finally { f(); } })(); g.next(); g.return();',
  'Map of an iterable': 'new Map({ [Symbol.iterator]: () => ({ next: () => (f(), { done: true }) }) });',
  'forEach of a map': 'new Map([[1, 1]]).forEach(f);',
  'forEach of a set': 'new Set([1]).forEach(f);',
  'Object.fromEntries':
    'Object.fromEntries({ [Symbol.iterator]: () => ({ next: () => (f(), { done: true }) }) });',
  'Object.groupBy': 'if (Object.groupBy) Object.groupBy([1], f); else f();',
  'Object.assign': 'Object.assign({}, { get a() { return f(); } });',
  'a getter': '({ get a() { return f(); } }).a;',
  'a setter': '({ set a(v) { f(); } }).a = 1;',
  'a proxy, read': 'new Proxy({}, { get: () => f() }).a;',
  'a proxy, asked': '"a" in new Proxy({}, { has: () => f() });',
  'a proxy, its keys': 'Object.keys(new Proxy({}, { ownKeys: () => (f(), []) }));',
  'a proxy, constructed': 'new (new Proxy(class {}, { construct: () => (f(), {}) }))();',
  'a number of an object': '+{ valueOf: () => (f(), 1) };',
  'a text of an object': '`${{ toString: () => (f(), "") }}`;',
  'Symbol.toPrimitive': '`${{ [Symbol.toPrimitive]: () => (f(), "") }}`;',
  'Symbol.hasInstance': '1 instanceof { [Symbol.hasInstance]: () => f() };',
  'replace, a function': '"a".replace("a", f);',
  'replaceAll, a function': '"aa".replaceAll("a", f);',
  'replace by a pattern': '"aa".replace(/a/g, f);',
  'a pattern of its own': '"a".match({ [Symbol.match]: () => f() });',
  'exec of a pattern':
    'const r = /a/; Object.defineProperty(r, "exec", { value: () => (f(), null) }); r.test("a");',
  'JSON.stringify, toJSON': 'JSON.stringify({ toJSON: f });',
  'JSON.stringify, a replacer': 'JSON.stringify({}, f);',
  'JSON.stringify, a getter': 'JSON.stringify({ get a() { return f(); } });',
  'JSON.parse, a reviver': 'JSON.parse("[1]", f);',
  'Reflect.apply': 'Reflect.apply(f, null, []);',
  'Function.prototype.call': 'f.call();',
  'a bound function': 'f.bind()();',
  'a constructor': 'new (class { constructor() { f(); } })();',
  'a field of a class': 'new (class { a = f(); })();',
  'a static block': 'class A { static { f(); } }',
  'a tagged template': '((...parts) => f())`a${1}`;',
  eval: '(0, eval)("(f) => f()")(f);',
  'the executor of a promise': 'new Promise(f);',
  'the executor of a promise that is caught': 'new Promise(f).catch(() => {});',
  'Promise.all of an iterable':
    'Promise.all({ [Symbol.iterator]: () => ({ next: () => (f(), { done: true }) }) }).catch(() => {});',
  'an async function': '(async () => f())().catch(() => {});',
  'an argument by default of an async function': '(async (a = f()) => a)().catch(() => {});',
  'an async generator': 'await (async function* () { yield f(); })().next().catch(() => {});',
  'then of a promise': 'await Promise.resolve().then(f).catch(() => {});',
  'finally of a promise': 'await Promise.resolve().finally(f).catch(() => {});',
  'a thenable': 'await Promise.resolve({ then: (ok) => { f(); ok(); } }).catch(() => {});',
  'a getter of then': 'await Promise.resolve({ get then() { f(); } }).catch(() => {});',
  'a for await':
    'for await (const x of { [Symbol.asyncIterator]: () => ({ next: () => (f(), { done: true }) }) });',
  'a promise that nobody waits for': 'Promise.resolve().then(f); await null; await null;',
};

/** Code that may surround that. */
const wrappers: ReadonlyArray<(statements: string) => string> = [
  (statements) => `try { ${statements} } catch {}`,
  (statements) => `try { ${statements} } finally { return 1; }`,
  (statements) => `try { await (async () => { ${statements} })(); } catch {}`,
  (statements) => `await new Promise((ok) => ok((async () => { ${statements} })())).catch(() => {});`,
  (statements) => `for (let i = 0; i < 3; i++) try { ${statements} } catch { continue; }`,
];

const hang = 'const f = () => { for (;;); };';
/** Hangs inside a promise's executor, which may take the interrupt for a rejection. */
const hideAndHang = 'const f = () => { new Promise(() => { for (;;); }).catch(() => {}); return 0; };';

const limits = { cpuMs: 10, maxMs: 60_000 };

/** Code that is interrupted has no way to go on; of the ways to try, every n-th is tried. */
export function interruptContract(engine: Engine, everyNth = 1): void {
  describe(`a call that is interrupted in ${engine}`, () => {
    let sandbox: CodeSandbox;
    beforeAll(() => {
      sandbox = testSandbox({ engine });
    });
    afterAll(() => sandbox.close());

    test('each of these calls back', async () => {
      const parts = Object.entries(callers).map(
        ([name, statements]) =>
          `await (async () => { let called = false; const f = () => { called = true; return 0; }; try { ${statements} } catch {} await null; if (!called) silent.push(${JSON.stringify(name)}); })();`,
      );
      const source = `const silent = []; ${parts.join('\n')} return silent;`;
      expect(await sandbox.run(callOf(source, null, { cpuMs: 5000, maxMs: 60_000 }))).toEqual([]);
    });

    const all = Object.entries(callers).map(
      ([name, statements], index) => [name, statements, index] as const,
    );
    test.each(all.filter((_, index) => index % everyNth === 0))(
      'gives no result: %s',
      async (_, statements, index) => {
        const wrap = wrappers[index % wrappers.length] ?? String;
        for (const body of [`${hang} ${statements}`, `${hideAndHang} ${wrap(statements)}`]) {
          const call = callOf(`${body} return 'went on';`, null, limits);
          await expect(sandbox.run(call), body).rejects.toMatchObject({ code: 'code_timeout' });
        }
      },
      20_000,
    );

    test('gives no result when it has shown before that it is fast', async () => {
      const source = 'if (input > 5) Promise.resolve().then(() => { for (;;); }); return input;';
      for (let n = 0; n < 6; n++) expect(await sandbox.run(callOf(source, n))).toBe(n);
      const given = [1, 2, 7, 3, 8, 4];
      const ended = await Promise.allSettled(given.map((n) => sandbox.run(callOf(source, n))));
      expect(ended.map((end) => (end.status === 'fulfilled' ? end.value : end.reason.code))).toEqual([
        1,
        2,
        'code_timeout',
        3,
        'code_timeout',
        4,
      ]);
    });

    test('ends its stream', async () => {
      const seen: unknown[] = [];
      const call = callOf('yield 1; new Promise(() => { for (;;); }); yield 2;', null, limits);
      const read = async () => {
        for await (const item of sandbox.stream(call)) seen.push(item);
      };
      await expect(read()).rejects.toMatchObject({ code: 'code_timeout' });
      expect(seen).toEqual([1]);
    });
  });
}
