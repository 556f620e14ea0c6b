import { expect, test } from 'vitest';
import {
  chartMarkup,
  chartText,
  referencesMarkup,
  referencesText,
  withoutEvidence,
  withoutOwnAddresses,
} from './chat-markup.ts';
import { costRatio } from '../tests/support/cost.ts';

const passage = {
  n: 1,
  id: 'c1',
  text: 'Water boils.',
  metadata: {},
  score: 1,
  page: 2,
  heading: 'Heat',
  quote: 'Water “really” boils.',
  href: '/knowledge/documents/4?chunk=1',
};
const documents = [
  { name: 'a.pdf', passages: [passage, { ...passage, n: 2, href: 'https://example.com/#a' }] },
];
const chart = {
  type: 'response_table',
  sql: 'SELECT 1\nAS n',
  rows: [{ n: 1 }, { n: 2 }],
  more: true,
} as const;

test('an earlier answer loses its passages and rows, and keeps its words and statements', () => {
  const [words, statement] = ['It boils [1].', '\n\n```sql\nSELECT 1\nAS n\n```'];
  expect(withoutEvidence(words + referencesText({ documents }))).toBe(words);
  expect(withoutEvidence(words + referencesMarkup({ documents }))).toBe(words);
  for (const given of [
    { documents, question: 'Does “it” boil?' },
    { documents: [], question: 'x' },
  ]) {
    const [text, markup] = [referencesText(given), referencesMarkup(given)];
    for (const evidence of [text, markup]) expect(evidence).toContain(`Searched for: “${given.question}”`);
    expect(withoutEvidence(words + text)).toBe(words);
    expect(withoutEvidence(words + markup)).toBe(words);
  }
  expect(withoutEvidence(`${words}${chartMarkup(chart)}`)).toBe(words);
  const tables = chartText(chart) + chartText({ ...chart, more: false });
  expect(withoutEvidence(`${words}${tables}\n\nDone.`)).toBe(`${words}${statement}${statement}\nDone.`);
  expect(withoutEvidence('a\n\n[1] says “b”\n```sql\nc\n```')).toBe('a\n\n[1] says “b”\n```sql\nc\n```');
});

test('a stranger reads passages without their addresses on this server', () => {
  const shown = withoutOwnAddresses(`It boils [1].${referencesText({ documents })}`);
  expect(shown).toBe(
    'It boils [1].\n\n[1] a.pdf, page 2, Heat: “Water “really” boils.”' +
      '\n\n[2] a.pdf, page 2, Heat: “Water “really” boils.” <https://example.com/#a>',
  );
});

test.each([
  (n: number) => '\n```sql\n'.repeat(n),
  (n: number) => `\n\n[1] ${'“'.repeat(n)}${'” '.repeat(n)}`,
  (n: number) => `\n\n[1] ${'” </'.repeat(n)}`,
  (n: number) => `\n\nSearched for: “${'” '.repeat(n)}`,
  (n: number) => '\n\nSearched for: “'.repeat(n),
])('a text costs as much as it is long: case %#', (text) => {
  const [short, long] = [text(2000), text(64_000)];
  const read = (one: string): void => {
    withoutEvidence(one);
    withoutOwnAddresses(one);
  };
  const shorts = (): void => {
    for (let n = 0; n < 32; n++) read(short);
  };
  // A cost that grows with the square of the length is 32 times as large.
  expect(costRatio(shorts, () => read(long))).toBeLessThan(8);
});
