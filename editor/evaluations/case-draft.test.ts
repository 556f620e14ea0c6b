import { expect, test } from 'vitest';
import { caseOf, EMPTY_CASE } from './case-draft.ts';

test('what is typed becomes a case', () => {
  const draft = {
    ...EMPTY_CASE,
    name: ' days ',
    input: 'How many?',
    answer: '28',
    documents: ' a.md \n\nb.md',
  };
  expect(caseOf(draft)).toEqual({
    name: 'days',
    input: 'How many?',
    expect: { answer: '28', documents: ['a.md', 'b.md'] },
  });
  expect(caseOf({ ...EMPTY_CASE, input: '{"question": "x"}', answer: '"28"' })).toMatchObject({
    input: { question: 'x' },
    expect: { answer: '28' },
  });
  expect(caseOf({ ...EMPTY_CASE, input: '{not JSON' })).toMatchObject({ input: '{not JSON', expect: {} });
});
