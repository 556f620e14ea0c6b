import { afterAll, describe, expect, test } from 'vitest';
import { callOf, type TestCall } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

/** The end of the stack below QuickJS ends its host. */
const overflow = 'try { (function deep() { deep(); })(); } catch (error) { made.overflow = error; }';

/**
 * Walks over everything that code can reach without having created it, also what only accessors give, and puts the
 * caller's name wherever something accepts it. `input` may be a stream.
 */
const walkAndMark = (engine: string): string => `
const seen = new Map();
const reach = (value, path) => {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) return;
  seen.set(value, path);
};
const traced = {};
if (Error.captureStackTrace) Error.captureStackTrace(traced);
const made = {
  asyncFunction: async () => {}, generator: function* () {}, asyncGenerator: async function* () {}, list: [].values(), text: ''[Symbol.iterator](),
  map: new Map().keys(), set: new Set().keys(), matches: 'a'.matchAll(/a/g), bytes: new Uint8Array(1), pattern: /a/, match: /a/.exec('a'),
  args: (function () { return arguments; })(), sloppy: Function('return arguments')(), promise: Promise.resolve(), klass: class {}, error: new TypeError('x'), traced,
};
try { made.helper = [].values().map((x) => x); made.wrapped = Iterator.from({ next() {} }); } catch {}
try { made.segments = new Intl.Segmenter().segment('a'); made.segment = made.segments[Symbol.iterator](); } catch {}
try { null.x; } catch (error) { made.thrown = error; }
${engine === 'isolated-vm' ? overflow : ''}
reach(globalThis, 'globalThis');
for (const name in made) {
  reach(Object.getPrototypeOf(made[name]), 'prototype of ' + name);
  for (const key of Reflect.ownKeys(made[name])) {
    const { get, set } = Object.getOwnPropertyDescriptor(made[name], key);
    reach(get, name + '.get ' + String(key));
    reach(set, name + '.set ' + String(key));
  }
}
const walk = () => {
  for (const [value, path] of seen) {
    reach(Object.getPrototypeOf(value), path + '.__proto__');
    for (const key of Reflect.ownKeys(value)) {
      const { value: field, get, set } = Object.getOwnPropertyDescriptor(value, key);
      for (const part of [field, get, set]) reach(part, path + '.' + String(key));
      try { reach(Reflect.get(value, key), path + '.' + String(key) + '()'); } catch {}
    }
  }
};
walk();
const lasting = seen.size;
const loose = [...seen].filter(([value]) => !Object.isFrozen(value)).map(([, path]) => path);
for (const [name, value] of Object.entries({ ctx, console, stream: input })) reach(value, name);
walk();
const found = [];
for (const [value, path] of seen) {
  if (Object.hasOwn(value, 'mark')) found.push(path + ': ' + value.mark);
  try { Object.defineProperty(value, 'mark', { value: 'left', configurable: true, writable: true }); } catch {}
}
const said = { lasting, all: seen.size, loose, found };
`;

interface Said {
  readonly lasting: number;
  readonly all: number;
  readonly loose: string[];
  readonly found: string[];
}

describe.each(['isolated-vm', 'quickjs'] as const)('between two calls in %s', (engine) => {
  const sandbox = testSandbox({ engine });
  afterAll(() => sandbox.close());
  const roomy: TestCall = { cpuMs: 10_000, maxMs: 60_000 };

  async function first(stream: AsyncIterable<unknown>): Promise<unknown> {
    for await (const item of stream) return item;
    return undefined;
  }

  test.each([false, true])('nothing that lives on can be changed (pure: %s)', async (pure) => {
    const source = `${walkAndMark(engine)} return said;`;
    for (let call = 0; call < 2; call++) {
      const said = (await sandbox.run(callOf(source, null, { ...roomy, pure }))) as Said;
      expect(said).toMatchObject({ loose: [], found: [] });
      expect(said.lasting).toBeGreaterThan(500);
    }
  });

  test('nothing is left on the input of a stream', async () => {
    const source = `${walkAndMark(engine)} yield said;`;
    async function* items() {
      yield 1;
    }
    for (let call = 0; call < 2; call++) {
      const said = (await first(sandbox.stream(callOf(source, items(), roomy)))) as Said;
      expect(said).toMatchObject({ loose: [], found: [] });
      expect(said.all).toBeGreaterThan(said.lasting + 5);
    }
  });

  test('built-in methods carry nothing to the next caller', async () => {
    const source = `const methods = [Object.prototype, Error.prototype, TypeError.prototype]
        .flatMap((one) => Object.getOwnPropertyNames(one).map((name) => one[name]))
        .filter((method) => typeof method === 'function');
      const known = methods.map((method) => method.stash).filter((stash) => stash !== undefined);
      for (const method of methods) try { method.stash = input; } catch {}
      try { ctx.uuid.stash = input; } catch {}
      return { count: methods.length, known };`;
    const before = await sandbox.run(callOf(source, 'ALICE'));
    expect(before).toMatchObject({ count: expect.any(Number), known: [] });
    expect(await sandbox.run(callOf(source, 'BOB'))).toEqual(before);
  });

  test('a method cannot be replaced for later callers', async () => {
    const source = `if (input.evil) {
        const { hasOwnProperty } = Object.prototype;
        let caught = '';
        Object.defineProperty(hasOwnProperty, 'call', { value: (given) => { caught = JSON.stringify(given); return caught; } });
        return 'replaced';
      }
      return Object.prototype.hasOwnProperty.call(input, 'card');`;
    const evil = await sandbox
      .run(callOf(source, { evil: true }))
      .catch(({ code }: { code: string }) => code);
    expect(evil).toBe('code_failed');
    expect(await sandbox.run(callOf(source, { card: '4111' }))).toBe(true);
  });

  test('the input of a stream cannot be made for another call', async () => {
    async function* items() {
      yield 1;
    }
    expect(await first(sandbox.stream(callOf('yield typeof input.constructor;', items())))).toBe('function');
    const source = 'yield input.constructor === Object && input instanceof input.constructor;';
    expect(await first(sandbox.stream(callOf(source, items())))).toBe(true);
  });
});
