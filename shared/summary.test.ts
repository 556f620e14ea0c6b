import { describe, expect, it } from 'vitest';
import type { OperatorInfo } from './catalog.ts';
import { summaryFault, summaryOf } from './summary.ts';

const info = (summary: string, properties: Record<string, unknown> = {}): OperatorInfo =>
  ({ summary, doc: 'Does it. And more.', params: { properties } }) as unknown as OperatorInfo;
const says = (summary: string, params: Record<string, unknown>, properties = {}): string =>
  summaryOf({ params }, info(summary, properties));

describe('the summary of a node', () => {
  it.each<[pattern: string, params: Record<string, unknown>, text: string]>([
    [
      '{method} {url|url}',
      { method: 'GET', url: 'https://api.example.com/users/?page=2' },
      'GET api.example.com/users',
    ],
    [
      '{url|url}',
      { url: 'https://api.example.com/{{ input?.id ?? 1 }}/x?token=abc' },
      'api.example.com/{input?.id ?? 1}/x',
    ],
    ['{condition}', { condition: '{{ input.amount > 100 }}' }, 'input.amount > 100'],
    ['{text}', { text: 'Dear {{ input.name }},\n\nhello' }, 'Dear {input.name}, hello'],
    ['{cases: {when} → {name}}', { cases: [{ when: '{{ input > 9 }}', name: 'big' }] }, 'input > 9 → big'],
    ['{fields}', { fields: { a: 1, b: 2, c: 3, d: 4 } }, 'a, b, c, +1'],
    ['{fields|pairs}', { fields: { a: 'b' } }, 'a → b'],
    ['{model}[ · “{prompt}”]', { model: 'gpt-5' }, 'gpt-5'],
    ['{model}[ · “{prompt}”]', { model: 'gpt-5', prompt: 'Sum up' }, 'gpt-5 · “Sum up”'],
    ['{cron|cron}[ {zone|zone}]', { cron: '0 9 * * *', zone: 'Europe/Oslo' }, 'every day 09:00 Oslo'],
    ['{cron|cron}', { cron: '*/5 * * * *' }, 'every 5 minutes'],
    ['{cron|cron}', { cron: '30 8 * * 1-5' }, 'on weekdays 08:30'],
    ['{cron|cron}', { cron: '0 0 1 1 *' }, '0 0 1 1 *'],
    ['{ms|duration}', { ms: 9_000_000 }, '2 h 30 min'],
    ['{ms|duration}', { ms: '90s' }, '90s'],
    ['{s|seconds}', { s: 60 }, '1 min'],
    ['{sql|sql}', { sql: '-- all\nSELECT *\n  FROM orders /* of today */' }, 'SELECT * FROM orders'],
    ['{source|code}', { source: '// sums\n\nreturn input.a;' }, 'return input.a;'],
    ['at {sep|quoted}', { sep: '\n' }, String.raw`at "\n"`],
    ['{path|route}', { path: 'orders//:id/' }, '/orders/:id'],
  ])('%s', (pattern, params, text) => {
    expect(says(pattern, params)).toBe(text);
  });

  it('takes the defaults of params that are not set', () => {
    expect(says('{a.b}', { a: {} }, { a: { properties: { b: { default: 'x' } } } })).toBe('x');
  });

  it('writes nothing half: a param that it needs is missing', () => {
    expect(says('{method} {url|url}', { method: 'GET' })).toBe('Does it.');
  });

  it('is the first sentence about the operator while nothing is set', () => {
    expect(says('{url}', {})).toBe('Does it.');
    expect(summaryOf({}, info('{url}'))).toBe('Does it.');
  });

  it.each([
    'https://ada:hunter2@example.com/',
    'Bearer abcdef123456',
    'password=hunter2',
    "const apiKey = 'hunter2';",
    'use sk-proj-hunter2hunter2hunter2',
    'key A1b2C3d4E5f6A1b2C3d4E5f6hunter2',
  ])('shows no secret: %s', (text) => {
    for (const format of ['{x}', '{x|url}', '{x|code}', '{x|sql}'])
      expect(says(format, { x: text })).not.toMatch(/hunter2|abcdef123456/);
  });

  it('shows no reference to a secret', () => {
    expect(says('{auth}', { auth: { $secret: 'stripe' } })).toBe('Does it.');
  });

  it('stays one short line whatever is in the params', () => {
    const text = says('{a} {b}', { a: 'x'.repeat(10_000_000), b: 'y\n\u202ez'.repeat(1000) });
    expect(text.length).toBeLessThanOrEqual(140);
    expect(text).not.toMatch(/[\n\u202e]/);
  });

  it('is made at once of any text', () => {
    for (const part of ['{{}}', '{{', '[?', 'password=', 'a1', '/*', '--\n', '{{?}}#']) {
      const text = part.repeat(5000);
      for (const format of ['{x}', '{x|url}', '{x|code}', '{x|sql}', '{x|cron}', '{x|quoted}'])
        expect(says(format, { x: text }).length).toBeLessThanOrEqual(140);
    }
  });

  it('takes any value', () => {
    for (const value of [null, 0, false, '', [], {}, [null], [[]], Number.NaN])
      for (const format of ['{x}', '{x|url}', '{x|cron}', '{x|pairs}', '{x|duration}', '{x: {y}}', '{x.y}'])
        expect(typeof says(format, { x: value })).toBe('string');
  });
});

describe('the pattern', () => {
  it.each([
    ['{url', 'lacks a }'],
    ['[{url}', 'lacks a ]'],
    ['url}', 'has a } that nothing opens'],
    ['{url|shout}', 'has an unknown format, shout'],
    ['{link}', 'names "link", which is not a param'],
    ['{}', 'lacks the name of a param after {'],
  ])('%s %s', (pattern, fault) => {
    expect(summaryFault(pattern, ['url'])).toBe(fault);
  });

  it('may name params only', () => {
    expect(summaryFault('[{url|url} · ]{list: {anything}}', ['url', 'list'])).toBeUndefined();
  });
});
