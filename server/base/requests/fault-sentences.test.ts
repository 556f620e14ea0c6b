import { expect, test } from 'vitest';
import { faultSentence } from '#shared/fault-sentences.ts';
import { describe } from './problem-texts.ts';

test.each([
  [{ keyword: 'required', params: {} }, undefined, 'Fill this in.'],
  [{ keyword: 'type', params: { type: 'integer' } }, 1.5, 'Write a whole number.'],
  [{ keyword: 'type', params: { type: 'integer' } }, 'two', 'Write a whole number.'],
  [{ keyword: 'type', params: { type: 'number' } }, 'two', 'Write a number.'],
  [{ keyword: 'type', params: { type: 'boolean' } }, 'x', 'Choose yes or no.'],
  [{ keyword: 'minimum', params: { limit: 1000 } }, 1, 'Write a number of at least 1,000.'],
  [{ keyword: 'minimum', params: { limit: 0.0005 } }, 0, 'Write a number of at least 0.0005.'],
  [{ keyword: 'multipleOf', params: { multipleOf: 0.0001 } }, 0.5, 'Write a multiple of 0.0001.'],
  [{ keyword: 'maxLength', params: { limit: 20 } }, 'x', 'Write at most 20 characters.'],
  [{ keyword: 'minItems', params: { limit: 2 } }, [], 'Give at least 2 entries.'],
  [{ keyword: 'enum', params: { allowedValues: ['a', 'b'] } }, 'c', 'Choose one of the list.'],
  [{ keyword: 'format', params: { format: 'email' } }, 'x', 'Write a mail address.'],
  [{ keyword: 'format', params: { format: 'date' } }, 'x', 'Write a day such as 2026-03-01.'],
  [{ keyword: 'pattern', params: { pattern: '^a$' } }, 'x', 'Write it in the form that is asked for.'],
])('What %j asks of a person is a sentence', (broken, input, sentence) => {
  const [problem] = describe(broken as never, input);
  expect(problem && faultSentence(problem)).toBe(sentence);
});

test('What nobody foresaw keeps its words', () => {
  expect(faultSentence({ type: 'assertion_error', msg: 'Value error, no' })).toBe('Value error, no');
});
