import { expect, test } from 'vitest';
import { lackingIn, preludeFor } from './modules.ts';

test.each([
  ["const { DateTime } = require('luxon');", []],
  ["const c = require('node:crypto');", []],
  ["const _ = require('lodash');\nconst fs = require('fs');", ["require('lodash')", "require('fs')"]],
  ['const m = require(name);', ['require(…)']],
  ["const c = require('crypto');\nc.createCipheriv('aes-256-cbc', k, v);", ['createCipheriv']],
  ['const createCipheriv = 1;', []],
  ['Interval.fromDateTimes(a, b)', ['Interval.from']],
  ["// require(it) and $jmespath\nreturn [{ json: { text: 'require(x) $jmespath' } }];", []],
  ['return $jmespath(items, "a");', ['$jmespath']],
  ["await this.helpers.httpRequestWithAuthentication.call(this, 'x', {})", ['httpRequestWithAuthentication']],
])('%j asks for what is not there: %j', (source, lacking) => {
  expect(lackingIn(source).map(({ before }) => before)).toEqual(lacking);
});

test('only what code names stands before it', () => {
  expect(preludeFor('// DateTime\nreturn [{ json: { a: "$now" } }];', 'UTC')).toEqual([]);
  const few = preludeFor('return $json.at.toISO() + DateTime.now().toMillis();', 'UTC').join('\n');
  const more = preludeFor('return DateTime.fromFormat(a, b).diff($now, "days").toRFC2822();', 'UTC').join(
    '\n',
  );
  expect([few.includes('fromFormat('), few.includes('diff('), more.includes('fromFormat(')]).toEqual([
    false,
    false,
    true,
  ]);
  expect(few.length).toBeLessThan(more.length * 0.8);
});

test('what else code asks of Luxon is an error that names it', () => {
  const run = (source: string): unknown =>
    new Function('ctx', [...preludeFor(source, 'Europe/Rome'), `return ${source}`].join('\n'))({
      now: () => 0,
    });
  expect(run('$now.toISO()')).toBe('1970-01-01T01:00:00.000+01:00');
  expect(() => run('$now.toRelativeCalendar()')).toThrow('DateTime.toRelativeCalendar of Luxon is not there');
  expect(() => run('$now.plus({ eons: 1 })')).toThrow('Invalid unit eons');
  expect(() => run('DateTime.fromISOish("x")')).toThrow('DateTime.fromISOish of Luxon is not there');
});
