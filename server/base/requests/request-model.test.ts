import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '#shared/json.ts';
import { ServiceError } from '../errors/errors.ts';
import type { RequestProblem } from '../errors/errors.ts';
import { parsePairs } from './query-string.ts';
import { createRequestModel } from './request-model.ts';

const object = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
  type: 'object',
  required,
  properties,
});

function query(schema: JsonSchema, text: string, params: Record<string, string> = {}): unknown {
  return createRequestModel(schema, Object.keys(params)).fromPairs(parsePairs(text), params, 'query');
}

function body(schema: JsonSchema, value: unknown, params: Record<string, string> = {}): unknown {
  return createRequestModel(schema, Object.keys(params)).fromJson(value, params, 100);
}

function problems(call: () => unknown): RequestProblem[] {
  try {
    call();
  } catch (error) {
    if (error instanceof ServiceError) return error.detail as RequestProblem[];
    throw error;
  }
  throw new Error('the request was accepted');
}

const hello = object({ name: { type: 'string' }, age: { type: 'integer', default: 18 } }, ['name']);

describe('query conversions', () => {
  const one = (type: string, text: string): unknown =>
    (query(object({ v: { type } }), `v=${encodeURIComponent(text)}`) as { v: unknown }).v;

  it.each([
    ['20', 20],
    ['-5', -5],
    ['+5', 5],
    [' 7 ', 7],
    ['007', 7],
    ['1_000', 1000],
    ['1.0', 1],
    ['-0', 0],
    ['9007199254740991', 9007199254740991],
  ])('takes %j as an integer', (text, value) => expect(one('integer', text)).toBe(value));

  it.each(['', 'abc', '1.5', '1e3', '0x10', 'true', '１２', '1__0', '_1', '1 2', 'null'])(
    'refuses %j as an integer',
    (text) => {
      expect(problems(() => one('integer', text))).toEqual([
        {
          type: 'int_parsing',
          loc: ['query', 'v'],
          msg: 'Input should be a valid integer, unable to parse string as an integer',
          input: text,
        },
      ]);
    },
  );

  it.each(['9007199254740992', '-9007199254740992', '99999999999999999999'])(
    'refuses %s, which a number would not hold exactly, and names the reason',
    (text) => {
      expect(problems(() => one('integer', text))).toMatchObject([{ type: 'int_parsing_size', input: text }]);
    },
  );

  it.each([
    ['1e3', 1000],
    ['1.5', 1.5],
    [' -2 ', -2],
    ['.5', 0.5],
    ['inf', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
  ])('takes %j as a number', (text, value) => expect(one('number', text)).toBe(value));

  it.each(['', 'abc', '0x10', '1,5', '.'])('refuses %j as a number', (text) => {
    const msg = 'Input should be a valid number, unable to parse string as a number';
    expect(problems(() => one('number', text))).toEqual([
      { type: 'float_parsing', loc: ['query', 'v'], msg, input: text },
    ]);
  });

  it('refuses a number whose digits would change', () =>
    expect(problems(() => one('number', '1212092628029698048'))).toMatchObject([
      { type: 'float_parsing', msg: expect.stringContaining('all its digits') },
    ]));

  it.each(['true', 'YES', 'On', '1', 't', 'Y'])('reads %j as true', (text) =>
    expect(one('boolean', text)).toBe(true),
  );
  it.each(['false', 'NO', 'Off', '0', 'F', 'n'])('reads %j as false', (text) =>
    expect(one('boolean', text)).toBe(false),
  );
  it.each(['', '2', 'maybe', 'truee'])('refuses %j as a truth value', (text) => {
    const msg = 'Input should be a valid boolean, unable to interpret input';
    expect(problems(() => one('boolean', text))).toEqual([
      { type: 'bool_parsing', loc: ['query', 'v'], msg, input: text },
    ]);
  });

  it.each(['', '5', 'null', ' x '])('reads %j as text, unchanged', (text) =>
    expect(one('string', text)).toBe(text),
  );

  it('refuses long nonsense in linear time', () => {
    expect(problems(() => one('number', `${'1_'.repeat(1_000_000)}x`))).toHaveLength(1);
    expect(problems(() => one('integer', `${'1'.repeat(1_000_000)}x`))).toHaveLength(1);
  });
});

describe('a form', () => {
  const form = (schema: JsonSchema, text: string, drops = false) =>
    createRequestModel(schema, ['id'], drops).fromPairs(parsePairs(text), { id: '7' }, 'body');

  it('keeps the fields that the schema does not name, as JSON does, or drops them', () => {
    const schema = object({ id: { type: 'integer' }, n: { type: 'integer' } });
    const text = 'n=1&note=hi&tag=a&tag=b&id=8&__proto__=x';
    expect(form(schema, text)).toEqual({ id: 7, n: 1, note: 'hi', tag: ['a', 'b'] });
    expect(form(schema, text, true)).toEqual({ id: 7, n: 1 });
    expect(form({ type: 'object' }, text, true)).toEqual({});
  });

  it('refuses or converts such fields where the schema says so', () => {
    const closed = { ...object({ n: {}, id: {} }), additionalProperties: false };
    expect(problems(() => form(closed, 'n=1&note=hi'))).toMatchObject([
      { type: 'extra_forbidden', loc: ['body', 'note'], input: 'hi' },
    ]);
    expect(form(closed, 'n=1&note=hi', true)).toEqual({ id: '7', n: '1' });
    const numbers = { ...object({ id: {} }), additionalProperties: { type: 'number' } };
    expect(form(numbers, 'a=1.5&b=2')).toEqual({ id: '7', a: 1.5, b: 2 });
  });

  it('keeps or drops files like texts', () => {
    const files = new Map([['more', ['f1', 'f2']]]);
    const read = (drops: boolean) =>
      createRequestModel(object({ n: {} }), [], drops).fromPairs([], {}, 'body', files);
    expect([read(false), read(true)]).toEqual([{ more: ['f1', 'f2'] }, {}]);
  });
});

describe('a query', () => {
  it('gets defaults, leaves out undeclared fields, and uses the last of a repeated value', () => {
    expect(query(hello, 'name=a&x=1&name=Ada')).toEqual({ name: 'Ada', age: 18 });
  });

  it('distinguishes names by case, and reads a name without a value as the empty text', () => {
    expect(query(hello, 'name&Age=3')).toEqual({ name: '', age: 18 });
  });

  it('collects a declared list, also of one value, and converts its elements', () => {
    const schema = object({ ids: { type: 'array', items: { type: 'integer' } } });
    expect(query(schema, 'ids=1&ids=2')).toEqual({ ids: [1, 2] });
    expect(query(schema, 'ids=1')).toEqual({ ids: [1] });
    expect(problems(() => query(schema, 'ids=1&ids=b&ids=c'))).toMatchObject([
      { type: 'int_parsing', loc: ['query', 'ids', 1], input: 'b' },
      { type: 'int_parsing', loc: ['query', 'ids', 2], input: 'c' },
    ]);
  });

  it('reads a value as the first type of a union that fits', () => {
    expect(query(object({ v: { type: ['integer', 'null'] } }), 'v=5')).toEqual({ v: 5 });
    expect(query(object({ v: { anyOf: [{ type: 'boolean' }, { type: 'string' }] } }), 'v=on')).toEqual({
      v: true,
    });
    const listOrText = object({
      v: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    });
    expect(query(listOrText, 'v=a')).toEqual({ v: 'a' });
    expect(query(listOrText, 'v=a&v=b')).toEqual({ v: ['a', 'b'] });
  });

  it('follows references and reads untyped choices by their text', () => {
    const schema = {
      $ref: '#/$defs/Query',
      $defs: {
        Query: object({ n: { $ref: '#/$defs/Count' }, c: { enum: [1, 'x', true] } }),
        Count: { type: 'integer', default: 2 },
      },
    };
    expect(query(schema, 'c=1')).toEqual({ n: 2, c: 1 });
    expect(query(schema, 'n=5&c=true')).toEqual({ n: 5, c: true });
  });

  it('reads fields named in the path from the path, and places their problems there', () => {
    const schema = object({ id: { type: 'integer' }, q: { type: 'string' } }, ['id', 'q']);
    expect(query(schema, 'id=9&q=x', { id: '7' })).toEqual({ id: 7, q: 'x' });
    expect(problems(() => query(schema, 'id=9', { id: 'seven' }))).toMatchObject([
      { type: 'int_parsing', loc: ['path', 'id'], input: 'seven' },
      { type: 'missing', loc: ['query', 'q'], input: null },
    ]);
  });

  it('lists all problems in declaration order', () => {
    const schema = object({ b: { type: 'integer' }, a: { type: 'string' }, c: { type: 'boolean' } }, [
      'c',
      'a',
      'b',
    ]);
    expect(problems(() => query(schema, 'b=x')).map((p) => [p.type, ...p.loc])).toEqual([
      ['int_parsing', 'query', 'b'],
      ['missing', 'query', 'a'],
      ['missing', 'query', 'c'],
    ]);
  });

  it('gives every request its own copy of a default', () => {
    const model = createRequestModel(object({ tags: { type: 'array', default: ['a'] } }), []);
    const first = model.fromPairs([], {}, 'query') as { tags: string[] };
    first.tags.push('b');
    expect(model.fromPairs([], {}, 'query')).toEqual({ tags: ['a'] });
  });

  it('does not let a param reach a prototype, or a method stand in for a field', () => {
    expect(
      problems(() => query(object({ toString: { type: 'string' } }, ['toString']), '__proto__=x')),
    ).toEqual([{ type: 'missing', loc: ['query', 'toString'], msg: 'Field required', input: null }]);
  });
});

describe('a JSON body', () => {
  const one = (type: string, v: unknown): unknown =>
    (body(object({ v: { type } }), { v }) as { v: unknown }).v;

  it.each([
    ['integer', '3', 3],
    ['integer', 3.0, 3],
    ['integer', 1e2, 100],
    ['integer', true, 1],
    ['number', '1e3', 1000],
    ['number', 2, 2],
    ['boolean', 0, false],
    ['boolean', 1, true],
    ['boolean', 'Yes', true],
    ['string', 'x', 'x'],
  ])('takes for %s the value %j', (type, value, result) => expect(one(type, value)).toBe(result));

  it.each([
    [
      'integer',
      3.5,
      'int_from_float',
      'Input should be a valid integer, got a number with a fractional part',
    ],
    ['integer', null, 'int_type', 'Input should be a valid integer'],
    [
      'integer',
      'abc',
      'int_parsing',
      'Input should be a valid integer, unable to parse string as an integer',
    ],
    [
      'integer',
      2 ** 53,
      'int_parsing_size',
      'Input should be an integer between -9007199254740991 and 9007199254740991',
    ],
    [
      'integer',
      1e300,
      'int_parsing_size',
      'Input should be an integer between -9007199254740991 and 9007199254740991',
    ],
    ['number', [], 'float_type', 'Input should be a valid number'],
    ['number', 'x', 'float_parsing', 'Input should be a valid number, unable to parse string as a number'],
    ['boolean', 2, 'bool_parsing', 'Input should be a valid boolean, unable to interpret input'],
    ['boolean', {}, 'bool_type', 'Input should be a valid boolean'],
    ['string', 5, 'string_type', 'Input should be a valid string'],
    ['string', true, 'string_type', 'Input should be a valid string'],
    ['array', 'x', 'list_type', 'Input should be a valid list'],
    ['object', 'x', 'dict_type', 'Input should be a valid dictionary'],
  ])('refuses for %s the value %j as %s', (type, value, problem, msg) => {
    expect(problems(() => one(type, value))).toEqual([
      { type: problem, loc: ['body', 'v'], msg, input: value },
    ]);
  });

  it('explains how to send a file when a text arrives in its place', () => {
    const schema = object({ picture: { type: 'object', format: 'file' } });
    expect(problems(() => body(schema, { picture: 'cat.png' }))).toMatchObject([
      { type: 'file_type', loc: ['body', 'picture'], msg: expect.stringContaining('-F field=@name') },
    ]);
  });

  it('reports a number that JSON rounded to infinity without breaking the report', () => {
    expect(problems(() => one('integer', Number.POSITIVE_INFINITY))).toMatchObject([
      { type: 'int_parsing_size', input: null },
    ]);
  });

  it.each([
    [undefined, 'missing', 'Field required', null],
    [null, 'missing', 'Field required', null],
    [
      [1],
      'model_attributes_type',
      'Input should be a valid dictionary or object to extract fields from',
      [1],
    ],
    [
      'x',
      'model_attributes_type',
      'Input should be a valid dictionary or object to extract fields from',
      'x',
    ],
  ])('refuses %j where an object with fields is expected', (value, type, msg, input) => {
    expect(problems(() => body(hello, value))).toEqual([{ type, loc: ['body'], msg, input }]);
  });

  it('accepts any object where no fields are declared, and keeps it unchanged', () => {
    const value = { a: [1, { b: null }] };
    expect(body({ type: 'object' }, value)).toBe(value);
    expect(problems(() => body({ type: 'object' }, 5))).toMatchObject([{ type: 'dict_type', loc: ['body'] }]);
  });

  it('shows the whole posted object where a field is missing from it', () => {
    expect(problems(() => body(hello, { age: 3 }))).toEqual([
      { type: 'missing', loc: ['body', 'name'], msg: 'Field required', input: { age: 3 } },
    ]);
  });

  it('names both types of a union that fits neither', () => {
    const schema = object({
      messages: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    });
    expect(problems(() => body(schema, { messages: 5 })).map(({ type, loc }) => [type, loc])).toEqual([
      ['string_type', ['body', 'messages', 'str']],
      ['list_type', ['body', 'messages', 'list[str]']],
    ]);
    expect(
      problems(() => body(object({ v: { type: ['string', 'boolean'] } }), { v: 5 })).map((p) => p.loc),
    ).toEqual([
      ['body', 'v', 'str'],
      ['body', 'v', 'bool'],
    ]);
  });

  it('reports an optional field like a plain one', () => {
    const schema = object({ n: { anyOf: [{ type: 'integer' }, { type: 'null' }] } });
    expect(body(schema, { n: null })).toEqual({ n: null });
    expect(problems(() => body(schema, { n: 'x' }))).toMatchObject([
      { type: 'int_parsing', loc: ['body', 'n'] },
    ]);
  });

  it('converts and fills in at every depth without changing what came in', () => {
    const item = object({ n: { type: 'integer' }, unit: { type: 'string', default: 'kg' } });
    const schema = object({ items: { type: 'array', items: item } });
    const came = { items: [{ n: '1' }, { n: 2, unit: 'g' }], extra: true };
    expect(body(schema, came)).toEqual({
      items: [
        { n: 1, unit: 'kg' },
        { n: 2, unit: 'g' },
      ],
      extra: true,
    });
    expect(came).toEqual({ items: [{ n: '1' }, { n: 2, unit: 'g' }], extra: true });
  });

  it('handles schemas that refer to themselves', () => {
    const tree = {
      type: 'object',
      properties: { n: { type: 'integer' }, children: { type: 'array', items: { $ref: '#' } } },
    };
    expect(body(tree, { n: '1', children: [{ n: '2', children: [{ n: true }] }] })).toEqual({
      n: 1,
      children: [{ n: 2, children: [{ n: 1 }] }],
    });
    const loop = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
    expect(() => createRequestModel(loop, [])).not.toThrow();
  });

  it('adds fields from the path', () => {
    const schema = object({ id: { type: 'integer' }, name: { type: 'string' } }, ['id', 'name']);
    expect(body(schema, { name: 'x', id: 1 }, { id: '7' })).toEqual({ name: 'x', id: 7 });
    expect(problems(() => body(schema, {}, { id: 'x' }))).toMatchObject([
      { type: 'int_parsing', loc: ['path', 'id'], input: 'x' },
      { type: 'missing', loc: ['body', 'name'], input: { id: 'x' } },
    ]);
  });

  it('reports at most 50 problems, and of a large body the first only', () => {
    const schema = object({
      v: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } },
    });
    const model = createRequestModel(schema, []);
    const value = { v: Array.from({ length: 20_000 }, () => 'x') };
    expect(problems(() => model.fromJson(value, {}, 60_000))).toHaveLength(50);
    expect(problems(() => model.fromJson(value, {}, 100_000)).length).toBeLessThan(3);
  });

  it('does not repeat a large body in its problems', () => {
    const model = createRequestModel(hello, []);
    expect(problems(() => model.fromJson({ age: 1, x: 'y'.repeat(20_000) }, {}, 20_020))).toMatchObject([
      { input: null },
    ]);
    expect(
      problems(() => body(object({ v: { type: 'integer' } }), { v: 'y'.repeat(5000) }))[0]?.input,
    ).toHaveLength(1001);
  });
});

describe('rules beyond types', () => {
  it.each([
    [{ type: 'integer', minimum: 1 }, 0, 'greater_than_equal', 'Input should be greater than or equal to 1'],
    [{ type: 'integer', exclusiveMaximum: 5 }, 5, 'less_than', 'Input should be less than 5'],
    [{ type: 'number', multipleOf: 2 }, 3, 'multiple_of', 'Input should be a multiple of 2'],
    [{ type: 'string', minLength: 1 }, '', 'string_too_short', 'String should have at least 1 character'],
    [{ type: 'string', maxLength: 2 }, 'abc', 'string_too_long', 'String should have at most 2 characters'],
    [
      { type: 'string', pattern: '^a+$' },
      'b',
      'string_pattern_mismatch',
      "String should match pattern '^a+$'",
    ],
    [{ enum: ['a', 'b', 1] }, 'c', 'literal_error', "Input should be 'a', 'b' or 1"],
    [{ const: 'a' }, 'c', 'literal_error', "Input should be 'a'"],
    [{ type: 'array', minItems: 2 }, [1], 'too_short', 'List should have at least 2 items'],
    [
      { type: 'array', uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'unique_items',
      'List should not have equal items',
    ],
    [
      { type: 'object', additionalProperties: false },
      { x: 1 },
      'extra_forbidden',
      'Extra inputs are not permitted',
    ],
    [{ type: 'string', format: 'uuid' }, 'x', 'uuid_parsing', 'Input should be a valid UUID'],
  ] as [JsonSchema, unknown, string, string][])('%j refuses %j', (schema, value, type, msg) => {
    expect(problems(() => body(object({ v: schema }), { v: value }))).toMatchObject([{ type, msg }]);
  });

  it('runs the pattern of a flow in linear time', () => {
    const attack = object({ v: { type: 'string', pattern: '^(a+)+$' } });
    expect(problems(() => query(attack, `v=${'a'.repeat(8000)}!`))).toMatchObject([
      { type: 'string_pattern_mismatch' },
    ]);
    expect(query(attack, 'v=aaa')).toEqual({ v: 'aaa' });
  });

  it('distinguishes patterns of one schema', () => {
    const schema = object({ a: { type: 'string', pattern: '^a$' }, b: { type: 'string', pattern: '^b$' } });
    expect(query(schema, 'a=a&b=b')).toEqual({ a: 'a', b: 'b' });
    expect(problems(() => query(schema, 'a=b&b=a'))).toHaveLength(2);
  });

  it('finds equal items among very many without comparing all pairs', () => {
    const schema = { type: 'array', uniqueItems: true };
    const items = Array.from({ length: 100_000 }, (_, i) => ({ i }));
    expect(createRequestModel(schema, []).fromJson(items, {}, 100)).toBe(items);
    expect(problems(() => body(schema, [...items, { i: 5 }]))).toMatchObject([{ type: 'unique_items' }]);
  });

  it('reports an unusable schema that only fails at the first request', () => {
    const model = createRequestModel(object({ v: { type: 'string', pattern: '(?=a)' } }), []);
    expect(() => model.fromPairs(['v', 'a'], {}, 'query')).toThrow(
      /request schema of this trigger cannot be used/,
    );
  });

  it('accepts a schema that names its dialect and id, twice', () => {
    const schema = { $schema: 'https://json-schema.org/draft/2020-12/schema', $id: 'urn:x', ...hello };
    expect(query(schema, 'name=a')).toEqual({ name: 'a', age: 18 });
    expect(query({ ...schema, description: 'another' }, 'name=a')).toEqual({ name: 'a', age: 18 });
  });
});

it('a file must have a type and size that its field allows, also in a list', () => {
  const file = { type: 'object', format: 'file', accept: ['image/*', 'text/x.y+z'], maxBytes: 10 };
  const schema = { type: 'object', properties: { one: file, many: { type: 'array', items: file } } };
  const model = createRequestModel(schema, []);
  const value = (type: string, bytes: number) => ({ $file: `f_${'a'.repeat(32)}`, name: 'n', type, bytes });
  const takes = (body: object): boolean => {
    try {
      return model.fromJson(body, {}, 10) === body;
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid_request' });
      return false;
    }
  };
  expect(takes({ one: value('image/png', 10), many: [value('text/x.y+z', 1)] })).toBe(true);
  expect(takes({ one: value('image/png', 11) })).toBe(false);
  expect(takes({ many: [value('text/xay+z', 1)] })).toBe(false);
  expect(takes({ one: { bytes: 1, type: 'image/png' } })).toBe(false);
});
