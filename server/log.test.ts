import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';

function capture(): { out: Writable; text(): string } {
  const chunks: string[] = [];
  const out = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { out, text: () => chunks.join('') };
}

test('as JSON each line is one object with time, level and message', () => {
  const { out, text } = capture();
  createLog({ logLevel: 'info', logFormat: 'json' }, out).warn({ flow: 'hello' }, 'broken');
  expect(JSON.parse(text())).toEqual({
    level: 40,
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    flow: 'hello',
    msg: 'broken',
  });
});

test('for people each line has time, level, message and the other fields', () => {
  const { out, text } = capture();
  const log = createLog({ logLevel: 'info', logFormat: 'pretty' }, out);
  log.info({ flow: 'hello', problems: ['a b'] }, 'went live');
  expect(text()).toMatch(/^\d\d:\d\d:\d\d INFO {2}went live flow=hello problems=\["a b"\]\n$/);
});

test('for people an error comes with its stack, indented', () => {
  const { out, text } = capture();
  createLog({ logLevel: 'info', logFormat: 'pretty' }, out).error(
    { err: new RangeError('too far') },
    'failed',
  );
  expect(text()).toMatch(/ERROR failed\n {4}RangeError: too far\n {8}at /);
});

test('what is less severe than the level is left out', () => {
  const { out, text } = capture();
  createLog({ logLevel: 'error', logFormat: 'json' }, out).warn('not this');
  expect(text()).toBe('');
});
