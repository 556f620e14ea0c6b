import { describe, expect, test } from 'vitest';
import { compileExpression, parseExpression } from './index.ts';
import { env, evaluate, thrown } from './testing/evaluate.ts';

const input = {
  name: 'Ann',
  age: 18,
  nothing: null,
  gone: undefined,
  address: { city: 'Bonn', zip: '53111' },
  items: [{ price: 2, qty: 3 }, { price: 5 }],
  'odd key': 1,
};

describe('a missing field is an error that helps', () => {
  test.each<[source: string, message: string, suggestion?: string]>([
    ['input.nmae', '`input.nmae` is not there; did you mean `input.name`?', 'input.name'],
    ['input.Name', '`input.Name` is not there; did you mean `input.name`?', 'input.name'],
    ['input.adress.city', '`input.adress` is not there; did you mean `input.address`?', 'input.address'],
    [
      'input.address.ctiy',
      '`input.address.ctiy` is not there; did you mean `input.address.city`?',
      'input.address.city',
    ],
    ['input.quite.other', '`input.quite` is not there.'],
    [
      'input["odd_key"]',
      '`input.odd_key` is not there; did you mean `input["odd key"]`?',
      'input["odd key"]',
    ],
    ['input.nothing.x', '`input.nothing.x` cannot be read, since `input.nothing` is null.'],
    ['input.gone', '`input.gone` is not there.'],
    ['input.age.years', '`input.age.years` is not there: `input.age` is a number.'],
    ['input.items[7]', '`input.items[7]` is not there: the array has 2 elements.'],
    ['input.items[-1].price', '`input.items[-1]` is not there: the array has 2 elements.'],
    ['input.items[input.age].price', '`input.items[18]` is not there: the array has 2 elements.'],
    ['input.items.map(i => i.qty)', '`i.qty` is not there.'],
    [
      'input.items.find(i => i.price == 9).qty',
      '`input.items.find(…).qty` cannot be read, since `input.items.find(…)` is null.',
    ],
    ['input.a.b.c.d.e.f.g.h.i.j.k.l', '`input.a` is not there.'],
    ['input.address.city.size', '`input.address.city.size` is not there: `input.address.city` is text.'],
  ])('%s', (source, message, suggestion) => {
    const error = thrown(() => evaluate(source, input));
    expect(error).toMatchObject({ code: 'missing_field', message });
    expect((error.data as { suggestion?: string }).suggestion).toBe(suggestion);
  });

  test('the error says where in the expression', () => {
    const error = thrown(() => evaluate('1 + input.address.town', input));
    expect(error.data).toMatchObject({ path: 'input.address.town', start: 4, end: 22 });
  });
});

describe('a read may allow for a missing field', () => {
  test.each<[string, unknown]>([
    ['input?.nmae', null],
    ['input.nothing?.x', null],
    ['input.nothing?.x.y.z', null],
    ['input.nothing?.[0]', null],
    ['input.nothing?.trim()', null],
    ['input.nothing?.trim().length', null],
    ['input.missing?.trim()', null],
    ['input.missing?.x', null],
    ['input.address?.town', null],
    ['input.items?.[9]', null],
    ['input.missing ?? 1', 1],
    ['input.missing.x.y ?? 1', 1],
    ['(input.missing.x) ?? 1', 1],
    ['input.items[9].price ?? 1', 1],
    ['input["no"]["such"] ?? 1', 1],
    ['input.missing.trim() ?? 1', 1],
    ['input.missing ?? input.other ?? 1', 1],
    ['input.items.map(i => i.qty ?? 0)', [3, 0]],
    ['input.items.map(i => i?.qty)', [3, null]],
    ['has(input, "nmae")', false],
  ])('%s', (source, value) => {
    expect(evaluate(source, input)).toEqual(value);
  });

  test.each([
    'input.address?.town.size',
    'input.missing.x?.y',
    '(input.nothing?.x).y',
    'input.missing || 1',
    'input.missing ? 1 : 2',
    '(input.missing + 1) ?? 1',
    'null ?? 2 + input.missing',
    'abs(input.missing) ?? 1',
    'null ?? input.missing',
    'input.items[input.missing] ?? 1',
  ])('%s is still an error', (source) => {
    expect(thrown(() => evaluate(source, input))).toMatchObject({ code: 'missing_field' });
  });
});

describe('members that are known at compile time', () => {
  const nodes = { a: { b: 1 } };

  test.each<[string, unknown]>([
    ['nodes.a.b', 1],
    ['nodes["a"].b', 1],
    ['nodes.a.b + nodes["a"]["b"]', 2],
    ['nodes.skipped?.b', null],
    ['nodes?.skipped', null],
    ['nodes.skipped.b ?? 2', 2],
    ['nodes.skipped ?? 2', 2],
    ['[{ a: 5 }].map(nodes => nodes.a)', [5]],
  ])('%s', (source, value) => {
    expect(evaluate(source, {}, { nodes })).toEqual(value);
  });

  test('a skipped node is an error when nothing allows for it', () => {
    expect(thrown(() => evaluate('nodes.skipped.b', {}, { nodes }))).toMatchObject({ code: 'node_skipped' });
    expect(thrown(() => evaluate('nodes.a.c', {}, { nodes }))).toMatchObject({ code: 'missing_field' });
  });

  test('an unknown member is a problem', () => {
    expect(thrown(() => evaluate('1 + nodes.nobody.b'))).toEqual({
      code: 'expression-unknown-name',
      message: 'There is no `nodes.nobody` here.',
      offset: 4,
    });
  });
});

test.each(['secret.bot', 'secrets.bot', 'secret'])('`%s` says where secrets belong', (source) => {
  expect(thrown(() => evaluate(source))).toMatchObject({
    code: 'expression-unknown-name',
    message: expect.stringContaining('choose it in `auth`'),
  });
});

describe('wrong types are errors with a place', () => {
  test.each<[string, RegExp]>([
    ['1 + null', /`\+` needs two numbers, or text on one side, but got a number and null/],
    ['true + 1', /a boolean and a number/],
    ['[1] + [2]', /an array and an array/],
    ['"2" * 2', /`\*` needs two numbers, but got text and a number/],
    ['null - 1', /null and a number/],
    ['-"1"', /`-` needs a number/],
    ['1 < "2"', /`<` compares two numbers or two texts/],
    ['null >= 0', /`>=` compares/],
    ['[1] < [2]', /`<` compares/],
    ['{}[true]', /key in brackets/],
    ['{}.trim()', /`trim` is a method of text, but `\(…\)` is an object/],
    ['input.age.trim()', /`input\.age` is a number/],
    ['input.nothing.trim()', /`input\.nothing` is null/],
    ['input.name.map(x => x)', /method of arrays, but `input\.name` is text/],
    ['input.name.slice("1")', /`slice` needs a number, but got text/],
    ['[...input.name]', /needs an array, but got text/],
    ['{ ...[1] }', /needs an object, but got an array/],
    ['[2, 1].sort((a, b) => a > b)', /must return a number/],
  ])('%s', (source, message) => {
    const error = thrown(() => evaluate(source, input));
    expect(error).toMatchObject({ code: 'expression_type', message: expect.stringMatching(message) });
    expect(error.data).toMatchObject({ start: expect.any(Number), end: expect.any(Number) });
  });
});

describe('text and numbers', () => {
  test.each<[string, unknown]>([
    ['"a" + 1 + true + null', 'a1true'],
    ['"a" + { b: [1] }', 'a{"b":[1]}'],
    ['1 + 2 + "a"', '3a'],
    ['`${null}|${[1, 2]}|${{ a: null }}`', '|[1,2]|{"a":null}'],
    ['"b" > "a"', true],
    ['0 / 0 || "none"', 'none'],
    ['"abc"[1] + "abc".length', 'b3'],
    ['input.items.length', 2],
    ['input["na" + "me"]', 'Ann'],
    ['"1" == 1', true],
    ['1 == " 1.0 "', true],
    ['"1" === 1', false],
    ['"1" != 1', false],
    ['"" == 0', false],
    ['"a" == 0 || true == 1 || null == 0', false],
    ['"2" == input.items.length || input.items.length == "02"', true],
    ['input.items.length === "2"', false],
  ])('%s', (source, value) => {
    expect(evaluate(source, input)).toBe(value);
  });

  test.each(['"a" + 1 / 0', '`${0 / 0}`', 'string(1 / 0)', 'toJson({ a: [0 / 0] })', '(1 / 0).toFixed(1)'])(
    '%s has no text',
    (source) => {
      expect(thrown(() => evaluate(source))).toMatchObject({ code: 'bad_number' });
    },
  );
});

describe('problems with names are all reported', () => {
  function problemsOf(source: string) {
    const parsed = parseExpression(source);
    if (!parsed.ok) throw parsed.error;
    const compiled = compileExpression(parsed.ast, env);
    return compiled.ok
      ? []
      : compiled.errors.map(({ code, offset, suggestion }) => [code, offset, suggestion]);
  }

  test.each<[string, unknown[]]>([
    ['input.name + vars.x', []],
    ['inptu', [['expression-unknown-name', 0, undefined]]],
    [
      'rond(1) + foo(bar)',
      [
        ['expression-unknown-name', 14, undefined],
        ['expression-unknown-function', 10, undefined],
        ['expression-unknown-function', 0, 'round'],
      ],
    ],
    ['map(input.items)', [['expression-unknown-function', 0, undefined]]],
    ['input.name.trm()', [['expression-unknown-function', 11, 'trim']]],
    ['input?.keys()', [['expression-unknown-function', 7, undefined]]],
    ['input.items.map(item => itme.price)', [['expression-unknown-name', 24, undefined]]],
    ['input.items.map(item => itme)', [['expression-unknown-name', 24, 'item']]],
    [
      '$json.name + $vars.rate',
      [
        ['expression-unknown-name', 0, 'input'],
        ['expression-unknown-name', 13, 'vars'],
      ],
    ],
    ['$now', [['expression-unknown-name', 0, 'now()']]],
    ['parseFloat(input.name)', [['expression-unknown-function', 0, 'number']]],
    ['range()', [['expression-syntax', 0, undefined]]],
    ['input.name.trim(1)', [['expression-syntax', 10, undefined]]],
    ['input.items.map()', [['expression-syntax', 11, undefined]]],
    ['input.items.map(input.name)', [['expression-syntax', 16, undefined]]],
    ['input.items.reduce((a, b) => a, x => x)', [['expression-syntax', 32, undefined]]],
    ['matches(input.name, "(")', [['expression-syntax', 20, undefined]]],
  ])('%s', (source, problems) => {
    expect(problemsOf(source).toSorted()).toEqual(problems.toSorted());
  });

  test.each([
    ['Math.max(1, 2)', /without `Math\.`/],
    ['input.keys()', /write `keys\(value\)`/],
    ['toUpperCase("a")', /`value\.toUpperCase\(…\)`/],
    ['Date', /now\(\)/],
    ['$json.name', /`\$json\.name` here; write `input` .*`nodes\.<id>`/],
    ['$input.first().json.name', /without `\.json`/],
    ['$("Set").item.json.name', /no function `\$`; write `nodes\.<id>`/],
    ['$now.toISO()', /write `now\(\)`/],
    ['$env.HOME', /write `vars\.<name>`/],
    ['process.env.HOME', /write `vars\.<name>`/],
    ['$if(input, 1, 2)', /write `condition \? value : other`/],
    ['parseInt("3")', /write `int\(value\)`/],
  ])('%s gets a hint', (source, hint) => {
    expect(thrown(() => evaluate(source)).message).toMatch(hint);
  });
});

describe('constants', () => {
  function compiled(source: string) {
    const parsed = parseExpression(source);
    if (!parsed.ok) throw parsed.error;
    const result = compileExpression(parsed.ast, env);
    if (!result.ok) throw result.errors[0];
    return result;
  }

  test('an expression that reads no root is computed once and frozen', () => {
    const { constant, evaluate: run } = compiled('[1, 2].map(x => ({ x: [x] }))');
    const value = run({ input }) as { x: number[] }[];
    expect(constant).toBe(true);
    expect(run({ input })).toBe(value);
    expect(Object.isFrozen(value) && Object.isFrozen(value[1]?.x)).toBe(true);
  });

  test('an error in a constant waits for the run', () => {
    const { constant, evaluate: run } = compiled('1 - "a"');
    expect(constant).toBe(true);
    expect(() => run({ input })).toThrow(/needs two numbers/);
  });

  test('an expression that reads a root anywhere is no constant', () => {
    for (const source of ['input', 'nodes.a', '[1].map(x => input)', 'true || input.x', '`${vars.a}`']) {
      expect(compiled(source).constant).toBe(false);
    }
  });
});

test('matches needs an engine', () => {
  const parsed = parseExpression('matches("a", "a")');
  if (!parsed.ok) throw parsed.error;
  const compiled = compileExpression(parsed.ast, { root: () => undefined });
  expect(compiled).toMatchObject({ ok: false, errors: [{ code: 'expression-unknown-function', offset: 0 }] });
});

test('data is never changed', () => {
  const data = Object.freeze({ list: Object.freeze([3, 1, 2]), o: Object.freeze({ a: 1 }) });
  const source =
    '[input.list.sort(), input.list.reverse(), input.list.concat(4), { ...input.o, b: 2 }, input.list.flat()]';
  expect(evaluate(source, data)).toEqual([[1, 2, 3], [2, 1, 3], [3, 1, 2, 4], { a: 1, b: 2 }, [3, 1, 2]]);
});

test('an evaluation inside an evaluation keeps parameters and budget apart', () => {
  const parsed = parseExpression('input.list.map(x => x * vars.factor + x).length + sum(range(30000))');
  if (!parsed.ok) throw parsed.error;
  const result = compileExpression<{ input: unknown; depth: number }>(parsed.ast, {
    root: (name) => {
      if (name === 'input') return (scope) => scope.input;
      return (scope) => {
        if (scope.depth < 3) run({ input: { list: [9] }, depth: scope.depth + 1 });
        return { factor: 1 };
      };
    },
  });
  if (!result.ok) throw result.errors[0];
  const run = result.evaluate;
  expect(run({ input: { list: [1, 2, 3] }, depth: 0 })).toBe(3 + (30000 * 29999) / 2);
});
