import { expect, test } from 'vitest';
import { parseTests } from './test-file.ts';

const read = (one: object) => () => parseTests(JSON.stringify({ format: 1, cases: [{ name: 'a', ...one }] }));

test('a name that a test does not have is told with the names that there are', () => {
  expect(read({ expect: { output: 1 } })).toThrow(
    'cases.0.expect: there is no `output`; there are `status`, `error`, `answer`, `answerStatus`, `holds`, `matches`, `outputs`',
  );
  expect(read({ expected: {}, expect: {} })).toThrow(/^cases\.0: there is no `expected`; there are `name`, /);
  const errors = { ask: { code: 'timeout', text: 'late' } };
  expect(read({ errors, expect: {} })).toThrow(
    'cases.0.errors.ask: there is no `text`; there are `code`, `message`, `data`',
  );
});
