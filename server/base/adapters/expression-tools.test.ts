import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { expressionTools, linearRegex } from './expression-tools.ts';

it('a pattern is searched for anywhere in the text, unless it is anchored', () => {
  expect(linearRegex('b+').test('abbc')).toBe(true);
  expect(linearRegex('^b+').test('abbc')).toBe(false);
});

it('a pattern with exponential time in other engines is answered', () => {
  expect(linearRegex('^(a+)+$').test(`${'a'.repeat(5_000)}b`)).toBe(false);
});

it('a pattern that is none, or needs backtracking, throws', () => {
  expect(() => linearRegex('(')).toThrow();
  expect(() => linearRegex('(a)\\1')).toThrow();
});

it('digests are those of the platform, and dates those of luxon', () => {
  const tools = expressionTools('UTC');
  expect(tools.digest('sha256', 'é')).toBe(
    '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c',
  );
  expect(tools.dates().DateTime.fromMillis(0, { zone: 'utc' }).toISO()).toBe('1970-01-01T00:00:00.000Z');
});

it('the libraries of patterns and dates are loaded when they are first used', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const asked = [];
    registerHooks({ resolve: (name, context, next) => (asked.push(name), next(name, context)) });
    const loaded = () => ['luxon', 're2js'].filter((library) => asked.some((name) => name.includes(library)));
    const { expressionTools } = await import('./server/base/adapters/expression-tools.ts');
    const before = loaded();
    const tools = expressionTools('UTC');
    tools.dates();
    tools.regex('a');
    console.log(JSON.stringify([before, loaded()]));`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', script];
  const cwd = new URL('../../..', import.meta.url);
  expect(JSON.parse(execFileSync(process.execPath, args, { cwd, encoding: 'utf8' }))).toEqual([
    [],
    ['luxon', 're2js'],
  ]);
});
