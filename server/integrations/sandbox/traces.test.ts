import { afterAll, describe, expect, test } from 'vitest';
import { callOf } from './testing/call.ts';
import { testSandbox } from './testing/sandbox.ts';

/** Everything that code can reach without having created it, with the path to it; and the possible forms of a mark. */
const walk = `
const seen = new Map();
const reach = (value, path) => {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || seen.has(value)) return;
  seen.set(value, path);
};
const made = [async () => {}, function* () {}, async function* () {}, [].values(), ''[Symbol.iterator](), new Map().keys(), new Set().keys(),
  'a'.matchAll(/a/g), new Uint8Array(1), /a/, (function () { return arguments; })(), Promise.resolve(), (x) => x, class {}, [], {}];
try { made.push([].values().map((x) => x), Iterator.from({ next() {} })); } catch {}
try { const s = new Intl.Segmenter().segment('a'); made.push(s, s[Symbol.iterator]()); } catch {}
for (const name of Object.getOwnPropertyNames(typeof Intl === 'object' ? Intl : {})) try { made.push(new Intl[name]('en')); } catch {}
reach(globalThis, 'globalThis');
made.forEach((value, i) => reach(Object.getPrototypeOf(value), 'of ' + i));
for (const [value, path] of seen) {
  reach(Object.getPrototypeOf(value), path + '.__proto__');
  for (const key of Reflect.ownKeys(value)) {
    const { value: field, get, set } = Object.getOwnPropertyDescriptor(value, key);
    for (const part of [field, get, set]) reach(part, path + '.' + String(key));
  }
}
const MARK = 'left by ' + 'the call before';
`;

const leave = `${walk}
for (const target of seen.keys()) {
  try { target.mark = MARK; } catch {}
  try { Object.defineProperty(target, 'mark', { value: MARK }); } catch {}
  try { Object.setPrototypeOf(target, { mark: MARK }); } catch {}
  for (const key of Reflect.ownKeys(target)) {
    if (key === '__proto__') continue;
    try { target[key] = MARK; } catch {}
    try { delete target[key]; } catch {}
  }
}
/^(.*)$/.exec(MARK);
try { RegExp.input = MARK; } catch {}
return seen.size;`;

const find = `
const early = ['$1', '$_', '$&', '$+', '$\x60', "$'", 'input', 'lastMatch', 'lastParen', 'leftContext', 'rightContext'].map((name) => [name, RegExp[name]]);
${walk}
const found = early.filter(([, value]) => String(value ?? '').includes(MARK)).map(([name]) => 'RegExp.' + name);
for (const [value, path] of seen) {
  if (value.mark === MARK) found.push(path + ' has it');
  for (const key of Reflect.ownKeys(value)) {
    try { if (value[key] === MARK) found.push(path + '.' + String(key)); } catch {}
  }
}
return { found, names: [...seen.values()].sort() };`;

describe.each(['isolated-vm', 'quickjs'] as const)('a call in %s', (engine) => {
  const sandbox = testSandbox({ engine });
  afterAll(() => sandbox.close());

  test.each([false, true])('finds no mark of the one before on anything (pure: %s)', async (pure) => {
    const source = `if (input === 'leave') { ${leave} } else { ${find} }`;
    const of = (input: string) =>
      sandbox.run(callOf(source, input, { pure, cpuMs: 10_000, maxMs: 60_000 })) as Promise<{
        found: string[];
        names: string[];
      }>;
    const before = await of('find');
    expect(before.names.length).toBeGreaterThan(500);
    expect(await of('leave')).toBe(before.names.length);
    expect(await of('find')).toEqual(before);
  });

  test('finds no match of the one before, whatever has its turn in between', async () => {
    const source = `const before = [RegExp.$1 ?? '', RegExp.input ?? ''];
      /^(.*)$/.exec(input);
      await null;
      return [before, RegExp.$1 === input || RegExp.$1 === '' || RegExp.$1 === undefined];`;
    for (let n = 0; n < 5; n++) await sandbox.run(callOf(source, 'warm'));
    const all = (await Promise.all(
      ['ALICE', 'BOB', 'CAROL'].map((name) => sandbox.run(callOf(source, name))),
    )) as [unknown[], boolean][];
    for (const [before, isOwn] of all) {
      expect(before.filter((text) => text !== '')).toEqual([]);
      expect(isOwn).toBe(true);
    }
  });

  test('may name its errors as it likes', async () => {
    const source = "const e = new TypeError('m'); e.name = 'Mine'; e.message = 'n'; return String(e);";
    expect(await sandbox.run(callOf(source, null))).toBe('Mine: n');
  });
});
