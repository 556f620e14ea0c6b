import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { createRedactor } from '../secrets/redactor.ts';

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

test('entries below the level are left out', () => {
  const { out, text } = capture();
  createLog({ logLevel: 'error', logFormat: 'json' }, out).warn('not this');
  expect(text()).toBe('');
});

test('a secret in an error’s text is masked, and the line stays JSON also where the secret looks like a part of it', () => {
  const { out, text } = capture();
  const redactor = createRedactor();
  for (const secret of ['s3cr3t-value', '4030405060', '","msg":"']) redactor.add(secret);
  const log = createLog({ logLevel: 'info', logFormat: 'json' }, out, redactor);
  log.error({ err: new Error('it said "s3cr3t-value"'), code: 4030405060 }, 'failed');
  log.info({ flow: 'x' }, 'clean');
  const [first = '', second = ''] = text().trim().split('\n');
  expect(first).not.toContain('s3cr3t');
  expect(JSON.parse(first)).toMatchObject({ code: '***', msg: 'failed', err: { message: 'it said "***"' } });
  expect(JSON.parse(second)).toMatchObject({ flow: 'x', msg: 'clean' });
});
