import { expect, test } from 'vitest';
import { testsOf } from './sources.ts';

/** What tests may not do: see "Tests" in CONTRIBUTING.md. */
const tests = (['shared', 'engine', 'server', 'editor', 'tests'] as const).flatMap(testsOf);

const IMPORTS = /(?:from|import\(|import) ?'fast-check'/;
const RUNS = /\bfc\s*\.\s*(?:assert|check|sample|statistics)\b/;
const SETS = /\bfc\s*\.\s*(?:check|statistics|configureGlobal|resetConfigureGlobal)\b/;

test('all properties get their seed and their number of cases from tests/support/property.ts', () => {
  const others = tests.filter(({ path }) => path !== 'tests/support/fast-check.ts');
  // Files that only make values may be of a room that imports nothing of `tests/`.
  const isPlain = ({ path, text }: { path: string; text: string }): boolean =>
    path.includes('/testing/') && !RUNS.test(text);
  const past = others.filter((one) => IMPORTS.test(one.text) && !isPlain(one));
  expect(past.map(({ path }) => path)).toEqual([]);
  expect(others.filter(({ text }) => SETS.test(text)).map(({ path }) => path)).toEqual([]);
});

test('no test asserts a duration', () => {
  const others = tests.filter(({ path }) => !path.startsWith('tests/house/'));
  expect(others.flatMap(({ path, text }) => durations(text).map((found) => `${path}: ${found}`))).toEqual([]);
});

test.each([
  'expect(performance.now() - begun).toBeLessThan(100);',
  'const begun = performance.now();\nexpect((await done) - begun).toBeLessThan(100);',
  'const took = Date.now() - begun;\nexpect(took)\n.toBeGreaterThan(5);',
  'slowest = Math.max(slowest, performance.now() - from);\nexpect(slowest).toBeLessThan(9);',
])('a duration is found: %#', (text) => {
  expect(durations(text)).toHaveLength(1);
});

test.each([
  'const before = Date.now();\nexpect(made.at).toBeGreaterThanOrEqual(before);',
  'const took = performance.now() - begun;\nconsole.log(took);\nexpect(count).toBe(1);',
])('a time that is no duration may be asserted: %#', (text) => {
  expect(durations(text)).toEqual([]);
});

test('no test replaces the environment: test files share a process, and vi.stubEnv no longer reaches it', () => {
  const replaced = /\bprocess\.env\s*=(?!=)/;
  const others = tests.filter(({ path }) => !path.startsWith('tests/house/'));
  expect(others.filter(({ text }) => replaced.test(text)).map(({ path }) => path)).toEqual([]);
});

/** What a test expects of the difference of two times, one of which its clock has just said. */
function durations(text: string): string[] {
  const now = String.raw`\b(?:performance|Date)\.now\(\)`;
  const read = text.matchAll(new RegExp(`\\b(\\w+)\\s*=\\s*${now};`, 'g'));
  const readings = [now, ...[...read].map(([, name = '']) => `\\b${name}\\b`)].join('|');
  const difference = `(?:(?:${readings})\\s*-(?!=)|-\\s*(?:${readings}))`;
  const taken = text.matchAll(new RegExp(`\\b(\\w+)\\s*=(?!>)[^;{]*?${difference}`, 'g'));
  const asserted = [difference, ...[...taken].map(([, name = '']) => `\\b${name}\\b`)].join('|');
  const expected = new RegExp(`${asserted}`);
  return [...text.matchAll(/\bexpect\(([^;]*?)\)\s*\.(?:not\.)?to/g)]
    .map(([, given = '']) => given)
    .filter((given) => expected.test(given));
}
