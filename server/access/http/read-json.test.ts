import { isRecord } from '#shared/json.ts';
import { expect, test } from 'vitest';
import { fc } from '../../../tests/support/property.ts';
import { isLargeJson, jsonMediaType, readJsonAhead, readJsonBody } from './read-json.ts';

function codeOf(text: string | Buffer): unknown {
  try {
    readJsonBody(Buffer.from(text as string));
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

test('any JSON value is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      fc.pre(!text.includes('__proto__'));
      expect(readJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
    }),
  );
});

test('any bytes give a value or a coded error', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      expect([undefined, 'invalid_json', 'invalid_encoding', 'too_deep']).toContain(
        codeOf(Buffer.from(bytes)),
      );
    }),
  );
});

test('200 levels are read, 201 are too deep, a million overflow nothing', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  expect(codeOf(nested(200))).toBeUndefined();
  expect(codeOf(nested(201))).toBe('too_deep');
  expect(codeOf('{"a":'.repeat(1_000_000))).toBe('too_deep');
});

test('brackets inside of texts are no levels', () => {
  const text = JSON.stringify({ a: '['.repeat(500), b: '\\"[[['.repeat(200) });
  expect(readJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
});

test.each([
  '{"__proto__":{"a":1}}',
  '{"a":[{"\\u005f_proto__":null}]}',
  '{"constructor":{"prototype":{"a":1}}}',
  '{"constr\\u0075ctor":{"prototype":1}}',
])('a key that reaches prototypes is refused and named: %s', (text) => {
  expect(() => readJsonBody(Buffer.from(text))).toThrow(/not accepted: (__proto__|constructor)/);
});

test('harmless uses of the same words are read', () => {
  for (const text of [
    '{"constructor":"Lego"}',
    '{"a":"__proto__"}',
    '{"prototype":{}}',
    '{"a":"\\u0061"}',
    '[{"constructor":1},{"prototype":2}]',
    '{"constructor":[{"prototype":1}]}',
  ]) {
    expect(readJsonBody(Buffer.from(text))).toEqual(JSON.parse(text));
  }
});

test('keys are refused where they reach prototypes, and nowhere else', () => {
  const key = fc.constantFrom('a', 'constructor', 'prototype', '__proto__');
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom('1', 'null', '"constructor"', '"prototype"'),
      fc.array(tie('value'), { maxLength: 3 }).map((list) => `[${list.join()}]`),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((fields) => {
        // Only the last value of a repeated key remains.
        const last = new Map(fields);
        return `{${[...last].map(([name, inner]) => `"${name}": ${String(inner)}`).join()}}`;
      }),
    ),
  }));
  fc.assert(
    fc.property(value, (text) => {
      expect(codeOf(String(text)) === 'invalid_json').toBe(reachesPrototypes(JSON.parse(String(text))));
    }),
    { numRuns: 500 },
  );
});

function reachesPrototypes(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const made: unknown = Object.getOwnPropertyDescriptor(value, 'constructor')?.value;
  const reaches = Object.hasOwn(value, '__proto__') || (isRecord(made) && Object.hasOwn(made, 'prototype'));
  return reaches || Object.values(value).some(reachesPrototypes);
}

test('a byte order mark is skipped, and nothing else before the value', () => {
  expect(readJsonBody(Buffer.from('\uFEFF{"a":1}'))).toEqual({ a: 1 });
  expect(codeOf('\uFEFF\uFEFF{}')).toBe('invalid_json');
});

test('JSON types are those that say json, whatever their parameters', () => {
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/ld+json',
    'Application/JSON',
  ]) {
    expect(jsonMediaType.test(type)).toBe(true);
  }
  for (const type of ['application/jsonp', 'text/json', 'application/xml', 'application/x-ndjson']) {
    expect(jsonMediaType.test(type)).toBe(false);
  }
});

test('a number that is too large for a double is refused by name', () => {
  for (const number of ['1e400', '-1E400', '1.5e+400', '1e-400'])
    expect(() => readJsonBody(Buffer.from(`{"a":[1e5,${number}]}`))).toThrow(
      `The body has the number ${number}, which can only be held as ${Number(number)}: send it as a text.`,
    );
  expect(readJsonBody(Buffer.from('[1e308,-1e-300,"1e400"]'))).toEqual([1e308, -1e-300, '1e400']);
});

test('a whole number that would lose digits is refused by name, and no other', () => {
  for (const text of [
    '12345678901234567890',
    '1212092628029698048',
    '9007199254740993',
    '-9007199254740993',
    '1'.repeat(400),
  ]) {
    expect(codeOf(`{"id": ${text}}`), text).toBe('invalid_json');
    expect(codeOf(`[1,${text}]`), text).toBe('invalid_json');
    expect(codeOf(text), text).toBe('invalid_json');
    expect(codeOf(`{"id": "${text}"}`), text).toBeUndefined();
    expect(codeOf(JSON.stringify([`a "\\" : ${text} , ${text}`, 1, `\\ ${text}`])), text).toBeUndefined();
    expect(codeOf(`["\\\\", ${text}, ""]`), text).toBe('invalid_json');
  }
  expect(() => readJsonBody(Buffer.from('{"id":12345678901234567890}'))).toThrow(
    /12345678901234567890.*12345678901234567000.*send it as a text/,
  );
  for (const value of [2 ** 53, 2 ** 60, 1e20, -1e20, 1e300, 0.1234567890123456, 9007199254740991])
    expect(readJsonBody(Buffer.from(JSON.stringify({ value })))).toEqual({ value });
  expect(codeOf('9007199254740994')).toBeUndefined();
  expect(codeOf('0.12345678901234567890')).toBeUndefined();
});

test.each([
  ['many objects', `[${Array.from({ length: 30_000 }, (_, i) => `{"k${i}":"\\u00e9\\""}`).join()}]`],
  ['one that is cut off', `[${'{"a":1},'.repeat(40_000)}`],
  ['a number that loses digits', `[${'{"a":1},'.repeat(40_000)}12345678901234567891]`],
  ['a name that is not accepted', `[${'{"a":1},'.repeat(40_000)}{"__proto__":1}]`],
  ['too many values', `[${'1,'.repeat(200_001)}1]`],
  ['one text', `["${'x'.repeat(300_000)}"]`],
])('a large body that is read ahead has the same outcome: %s', async (_, text) => {
  const body = Buffer.from(text);
  expect(isLargeJson(body)).toBe(true);
  const outcome = () => {
    try {
      return readJsonBody(body);
    } catch (error) {
      return String(error);
    }
  };
  const plain = outcome();
  await readJsonAhead(body);
  expect(outcome()).toEqual(plain);
  expect(outcome()).toEqual(plain);
});

test('large bodies that come at once are read one after the other, and others work between them', async () => {
  const bodies = Array.from({ length: 4 }, () => Buffer.from(`[${'{"a":1},'.repeat(40_000)}1]`));
  const done: number[] = [];
  const turns: number[] = [];
  let count = 0;
  let isOver = false;
  const work = (): void => {
    count++;
    if (!isOver) setImmediate(work);
  };
  setImmediate(work);
  await Promise.all(
    bodies.map(async (body, n) => {
      await readJsonAhead(body);
      done.push(n);
      turns.push(count);
      expect(readJsonBody(body)).toHaveLength(40_001);
    }),
  );
  isOver = true;
  expect(done).toEqual([0, 1, 2, 3]);
  for (let n = 1; n < 4; n++) expect(turns[n]).toBeGreaterThan(turns[n - 1] as number);
});
