import { describe, expect, it, test } from 'vitest';
import { z } from 'zod';
import { ChatRequestBody } from '#shared/chat-request.ts';
import { ServiceError } from '../errors/errors.ts';
import { createRequestModel } from './request-model.ts';
import { readPart } from './read-part.ts';

function refused(work: () => unknown): ServiceError {
  try {
    work();
  } catch (error) {
    if (error instanceof ServiceError) return error;
  }
  throw new Error('It was not refused.');
}

const fields = z.object({
  text: z.string().min(2).max(3),
  count: z.int().min(1).lt(5),
  other: z.number().int(),
  share: z.number().multipleOf(0.5),
  on: z.boolean(),
  tags: z.array(z.string()).max(1),
  more: z.record(z.string(), z.number()),
  kind: z.enum(['a', 'b']),
  at: z.object({ x: z.number() }),
  word: z.string().regex(/^a+$/),
});
const good = {
  text: 'ab',
  count: 1,
  other: 2,
  share: 1,
  on: true,
  tags: [],
  more: {},
  kind: 'a',
  at: { x: 1 },
  word: 'a',
};

/** The error of the validator of triggers for the same schema. */
function asTrigger(schema: z.ZodType, value: unknown): ServiceError {
  const model = createRequestModel(z.toJSONSchema(schema), []);
  return refused(() => model.fromJson(value, {}, 100));
}

describe('a body is refused in the words of triggers', () => {
  test.each<[string, object]>([
    ['missing', { text: undefined }],
    ['text', { text: 5 }],
    ['short text', { text: 'a' }],
    ['long text', { text: 'abcd' }],
    ['integer', { count: 'x' }],
    ['fraction', { count: 1.5 }],
    ['another integer', { other: 'x' }],
    ['small number', { count: 0 }],
    ['large number', { count: 5 }],
    ['no number', { share: [] }],
    ['no multiple', { share: 0.3 }],
    ['switch', { on: [] }],
    ['list', { tags: 'x' }],
    ['long list', { tags: ['a', 'b'] }],
    ['item', { tags: [1] }],
    ['record', { more: 1 }],
    ['value of a record', { more: { a: 'x' } }],
    ['choice', { kind: 'c' }],
    ['object', { at: 1 }],
    ['field of an object', { at: {} }],
    ['pattern', { word: 'b' }],
    ['several', { text: 1, kind: 'z', at: null }],
  ])('%s', (_what, broken) => {
    const value = JSON.parse(JSON.stringify({ ...good, ...broken })) as unknown;
    const ours = refused(() => readPart(fields, value, 'body'));
    const theirs = asTrigger(fields, value);
    expect(ours.detail).toEqual(theirs.detail);
    expect(ours.message).toBe(theirs.message);
  });

  it('whatever is no object, too', () => {
    for (const value of [5, 'x', []])
      expect(refused(() => readPart(fields, value, 'body')).detail).toEqual(asTrigger(fields, value).detail);
  });

  it('with all problems in the message, the first five of them in full', () => {
    const { message, detail, param } = refused(() => readPart(fields, {}, 'body'));
    expect(detail).toHaveLength(10);
    expect(message).toMatch(/^body\.text: Field required; body\.count: Field required; .*; and 5 more$/);
    expect(param).toBe('text');
  });
});

it('the words of a schema itself count', () => {
  const schema = z.object({ a: z.string('must be a word'), b: z.int().max(3, 'at most three') });
  expect(refused(() => readPart(schema, { a: 1, b: 4 }, 'query')).detail).toMatchObject([
    { type: 'string_type', loc: ['query', 'a'], msg: 'must be a word', input: 1 },
    { type: 'less_than_equal', loc: ['query', 'b'], msg: 'at most three', input: 4 },
  ]);
});

it('a field that is missing from a query shows no input', () => {
  expect(refused(() => readPart(z.object({ a: z.string() }), {}, 'query')).detail).toEqual([
    { type: 'missing', loc: ['query', 'a'], msg: 'Field required', input: null },
  ]);
});

it('fields that are not known are named each', () => {
  expect(refused(() => readPart(z.strictObject({}), { a: 1, b: 'x' }, 'body')).detail).toEqual([
    { type: 'extra_forbidden', loc: ['body', 'a'], msg: 'Extra inputs are not permitted', input: 1 },
    { type: 'extra_forbidden', loc: ['body', 'b'], msg: 'Extra inputs are not permitted', input: 'x' },
  ]);
});

it('large objects and texts are not sent back', () => {
  const long = 'x'.repeat(9000);
  const { detail } = refused(() => readPart(z.object({ a: z.string(), b: z.int() }), { b: long }, 'body'));
  expect(detail).toMatchObject([{ input: null }, { input: `${'x'.repeat(1000)}…` }]);
});

it('chats are refused in the same words', () => {
  const { detail, message } = refused(() => readPart(ChatRequestBody, {}, 'body'));
  expect(detail).toEqual(
    ['model', 'messages'].map((name) => ({
      type: 'missing',
      loc: ['body', name],
      msg: 'Field required',
      input: {},
    })),
  );
  expect(message).toBe('body.model: Field required; body.messages: Field required');
  const { detail: more } = refused(() =>
    readPart(ChatRequestBody, { model: 5, messages: 'x', temperature: 3 }, 'body'),
  );
  expect(more).toMatchObject([
    { type: 'string_type', msg: 'Input should be a valid string', input: 5 },
    { type: 'less_than_equal', msg: 'Input should be less than or equal to 2', input: 3 },
  ]);
});
