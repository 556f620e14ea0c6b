import { expect, test } from 'vitest';
import { WeftError } from '../../base/errors.ts';
import { runOperator, startOperator } from '../../testing/call.ts';
import unstreamify from './unstreamify.ts';

function stream(next: () => Promise<IteratorResult<unknown>>): {
  source: AsyncIterable<unknown>;
  stopped: () => number;
} {
  let stopped = 0;
  const iterator = {
    next,
    return: () => {
      stopped++;
      return Promise.resolve({ done: true as const, value: undefined });
    },
  };
  return { source: { [Symbol.asyncIterator]: () => iterator }, stopped: () => stopped };
}

test('an abort while the stream is silent ends the wait and tells the stream to stop', async () => {
  const { source, stopped } = stream(() => new Promise(() => {}));
  const { call, result } = startOperator('core.unstreamify', unstreamify, { inputs: { in: source } });
  const reason = new WeftError('run_cancelled', 'stop');
  call.abort(reason);
  await expect(result).rejects.toBe(reason);
  expect(stopped()).toBe(1);
});

test('a stream that is longer than the limit is told to stop', async () => {
  const { source, stopped } = stream(() => Promise.resolve({ done: false, value: 1 }));
  const run = runOperator('core.unstreamify', unstreamify, {
    params: { maxItems: 3 },
    inputs: { in: source },
  });
  await expect(run).rejects.toMatchObject({ code: 'too_many_items' });
  expect(stopped()).toBe(1);
});

test('exactly as many items as the limit are taken', async () => {
  const setup = { params: { maxItems: 3 }, inputs: { in: [1, 2, 3] } };
  expect(await runOperator('core.unstreamify', unstreamify, setup)).toEqual({ out: [1, 2, 3] });
});

test('a failure in the stream is the failure of the node', async () => {
  const failure = new WeftError('node_failed', 'broken pipe');
  const { source } = stream(() => Promise.reject(failure));
  await expect(runOperator('core.unstreamify', unstreamify, { inputs: { in: source } })).rejects.toBe(
    failure,
  );
});

test('a stream that refuses to stop does not hide why it had to', async () => {
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ done: false as const, value: 1 }),
      return: () => Promise.reject(new Error('no')),
    }),
  };
  const run = runOperator('core.unstreamify', unstreamify, {
    params: { maxItems: 1 },
    inputs: { in: source },
  });
  await expect(run).rejects.toMatchObject({ code: 'too_many_items' });
});

test('a value that is no stream is refused', async () => {
  await expect(runOperator('core.unstreamify', unstreamify, { inputs: { in: 5 } })).rejects.toMatchObject({
    code: 'bad_input',
  });
});
