import { expect, test } from 'vitest';
import {
  chartMarkup,
  chartText,
  referencesMarkup,
  referencesText,
  withoutEvidence,
  withoutOwnAddresses,
} from './chat-markup.ts';

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
  expect(withoutEvidence(words + referencesText(documents))).toBe(words);
  expect(withoutEvidence(words + referencesMarkup(documents))).toBe(words);
  expect(withoutEvidence(`${words}${chartMarkup(chart)}`)).toBe(words);
  const tables = chartText(chart) + chartText({ ...chart, more: false });
  expect(withoutEvidence(`${words}${tables}\n\nDone.`)).toBe(`${words}${statement}${statement}\nDone.`);
  expect(withoutEvidence('a\n\n[1] says “b”\n```sql\nc\n```')).toBe('a\n\n[1] says “b”\n```sql\nc\n```');
});

test('a stranger reads passages without their addresses on this server', () => {
  const shown = withoutOwnAddresses(`It boils [1].${referencesText(documents)}`);
  expect(shown).toBe(
    'It boils [1].\n\n[1] a.pdf, page 2, Heat: “Water “really” boils.”' +
      '\n\n[2] a.pdf, page 2, Heat: “Water “really” boils.” <https://example.com/#a>',
  );
});

test.each([
  '\n```sql\n'.repeat(100_000),
  `\n\n[1] ${'“'.repeat(200_000)}${'” '.repeat(200_000)}`,
  `\n\n[1] ${'” </'.repeat(200_000)}`,
])('no text takes long: case %#', (text) => {
  const begin = performance.now();
  withoutEvidence(text);
  withoutOwnAddresses(text);
  expect(performance.now() - begin).toBeLessThan(2000);
});
