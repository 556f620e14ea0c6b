import { expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { sha256 } from './host/guest/sha256.js';
import { type CodeText, prepareCode } from './prepare.ts';

function prepare(source: string, more: Partial<CodeText> = {}) {
  return prepareCode({ source, language: 'javascript', kind: 'function', ...more });
}

test.each([
  ['return 1;', 'sync'],
  ['return await input;', 'async'],
  ['for await (const x of input) {}', 'async'],
  ['return (async () => { await 1; })();', 'sync'],
  ['const f = function* () { yield 1; }; return 1;', 'sync'],
])('%s is called as %s', (source, mode) => {
  expect(prepare(source)).toMatchObject({ code: { mode } });
});

test.each([
  ['return input;', false, []],
  ['return ctx.vars.a + ctx.index;', true, ['vars', 'index']],
  ['const { vars } = ctx; return vars;', true, undefined],
  ['return ctx[input];', true, undefined],
  ['console.log(1);', true, []],
  ['return arguments[2];', true, undefined],
])('%s: what it reads of ctx', (source, usesContext, fields) => {
  const prepared = prepare(source);
  expect(prepared).toMatchObject({ code: { usesContext } });
  if ('code' in prepared) expect(prepared.code.contextFields).toEqual(fields && new Set(fields));
});

test.each([
  ['return input.a;', false],
  ['return [ctx.vars.a, ctx.hash("x")];', false],
  ['return ctx.now();', true],
  ['const { now } = ctx; return now();', true],
  ['return (await ctx.fetch("https://a.test")).status;', true],
  ['return new Date(input);', true],
  ['return Math.random();', true],
  ['return Math.max(1, 2);', false],
  ['return crypto.randomUUID();', true],
  ['return await ctx.state.get("a");', true],
  ['return new URL(input).host;', false],
  ['await ctx.sleep(1);', false],
  ['return globalThis["Da" + "te"].now();', true],
])('%s: whether it hears the clock, chance or the outside', (source, hears) => {
  expect(prepare(source)).toMatchObject({ code: { hears } });
});

test.each([
  ['return Object.keys(input);', false],
  ['return ctx.vars.a;', false],
  ['return Buffer.from("a").length;', true],
  ['return await ctx.sleep(1);', true],
  ['return (await ctx.fetch("http://a")).bytes();', true],
  ['const { vars } = ctx; return vars;', true],
  ['return (() => 1).constructor("return 1")();', true],
])('%s: whether it may use the library', (source, usesLibrary) => {
  expect(prepare(source)).toMatchObject({ code: { usesLibrary } });
});

test('types are taken out without moving anything', () => {
  const source = 'const a: number = 1;\n  return a as unknown;';
  const prepared = prepare(source, { language: 'typescript' });
  expect(prepared).toMatchObject({ code: { source: 'const a         = 1;\n  return a           ;' } });
});

test.each([
  ['const a = 1;\nlet b = ;', 'javascript', 2, 9],
  ['const a = 1;\n  enum A { B }', 'typescript', 2, 3],
  ['let a: = 1;', 'typescript', 1, 8],
  ['return 1;\n}', 'javascript', 2, 2],
  ['if (a) {', 'javascript', 1, 9],
  ['return 1;\nimport("x");', 'javascript', 2, 1],
  ['\nyield 1;', 'javascript', 2, 1],
  ['} function b() {', 'javascript', 1, 1],
] as const)('%j is refused at its place', (source, language, line, column) => {
  expect(prepare(source, { language })).toMatchObject({ problem: { line, column } });
});

test('code that breaks the stripper is refused, and the next one is read', () => {
  const deep = `return ${'['.repeat(20_000)}${']'.repeat(20_000)};`;
  expect(prepare(deep, { language: 'typescript' })).toHaveProperty('problem');
  expect(prepare('return 1 as number;', { language: 'typescript' })).toHaveProperty('code');
});

test('code that is too long is refused', () => {
  expect(prepare(`return '${'x'.repeat(300_000)}';`)).toMatchObject({ problem: { line: 1 } });
});

test.each(['', 'abc', 'ä😀\u0000\ud800', 'x'.repeat(1000)])('the digest of %j is that of Node', (text) => {
  expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
});
