import { expect, test } from 'vitest';
import { runError } from './answer.ts';

const failure = { code: 'bad_input', message: 'No.', node: 'all' };

test('the field of a stream’s failure belongs to the node that made the stream', () => {
  const params = { field: 'params.source' };
  expect(runError({ ...failure, ...params, via: 'items' }).field).toBe('items.params.source');
  expect(runError({ ...failure, ...params }).field).toBe('all.params.source');
  expect(runError({ ...failure, via: 'items' }).field).toBe('all');
});
