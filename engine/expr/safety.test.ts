import { describe, expect, test } from 'vitest';
import { compileExpression, parseExpression, toText } from './index.ts';
import { evaluate, render, thrown } from './testing/evaluate.ts';

class Secret {
  readonly own = 1;
  method(): string {
    return 'called';
  }
}

const input = {
  text: 'abc',
  list: [1, 2, 3],
  o: { a: 1 },
  fn: () => 'called',
  fns: [() => 'called'],
  instance: new Secret(),
  map: new Map([['a', 1]]),
  bytes: new Uint8Array(4),
  error: new Error('why'),
  hostile: JSON.parse('{ "__proto__": { "polluted": 1 }, "constructor": 5, "ok": 2 }') as unknown,
};

describe('nothing leads from the data to code', () => {
  test.each([
    'input.constructor',
    'input.text.constructor',
    'input["constructor"]',
    'input?.["__proto__"]',
    'input.list.__proto__.push',
    'input.o.prototype',
    'constructor',
    '__proto__.x',
    'input.list.map(constructor => 1)',
    '{ __proto__: input }',
    '{ "__proto__": input }',
    '{ constructor: 1 }',
    '{ prototype }',
    'input["\\u005f_proto__"]',
  ])('%s is refused when it is parsed', (source) => {
    const result = parseExpression(source);
    expect(result).toMatchObject({ ok: false, error: { code: 'expression-syntax' } });
  });

  test.each([
    'input["const" + "ructor"]',
    'input.text["const" + "ructor"]',
    'input.list[`__proto__`]',
    'input.list[["constructor"].at(0)]',
    'input.hostile["__proto" + "__"]',
    'input.hostile["const" + "ructor"]',
    'input.list.push',
    'input.list["map"]',
    'input.text.trim',
    'input.text["tr" + "im"]',
    'input.o.toString',
    'input.o.hasOwnProperty',
    'input.o.valueOf',
    'input.age.toFixed',
    'input.fn',
    'input["f" + "n"]',
    'input.fn.name',
    'input.fns[0]',
    'input.fns.x',
    'input.instance.method',
    'input.map.size',
    'input.map.get',
    'input.bytes.buffer',
    'input.bytes.byteLength',
    'input.list.at',
  ])('%s is a missing field', (source) => {
    expect(thrown(() => evaluate(source, { ...input, age: 5 }))).toMatchObject({ code: 'missing_field' });
  });

  test.each([
    'input.list.push(1)',
    'input.text.constructor("x")',
    'input.o.toLocaleString()',
    'input.o.__defineGetter__("a")',
    'input.list.constructor()',
    'input.list.valueOf()',
    'input.list.forEach(x => x)',
    'input.text.link("a")',
    'eval("1")',
    'Function("return 1")',
    'fetch("http://localhost")',
    'setTimeout(1)',
    'require("fs")',
    'hasOwnProperty("a")',
    'toString()',
    'globalThis',
    'process.exit()',
    'arguments',
  ])('%s names nothing that can be called or read', (source) => {
    const { code } = thrown(() => evaluate(source, input));
    expect(code).toMatch(/^expression-(unknown-name|unknown-function|syntax)$/);
  });

  test.each([
    'import("fs")',
    'new Function("x")',
    'this',
    'super.x',
    'async () => 1',
    'await input',
    'class {}',
  ])('%s is not in the language', (source) => {
    expect(parseExpression(source).ok).toBe(false);
  });

  test.each(['toString', 'valueOf.x', 'hasOwnProperty', '__defineGetter__'])(
    '%s is no root, even where the environment is a plain object',
    (source) => {
      const table: Record<string, (scope: unknown) => unknown> = {};
      const parsed = parseExpression(source);
      if (!parsed.ok) throw new Error(parsed.error.message);
      const compiled = compileExpression(parsed.ast, { root: (name) => table[name] });
      expect(compiled).toMatchObject({ ok: false, errors: [{ code: 'expression-unknown-name' }] });
    },
  );

  test('functions in the data are neither called nor listed', () => {
    expect(evaluate('keys(input.instance)', input)).toEqual(['own']);
    expect(evaluate('values({ ...input }).length < keys(input).length + 1 && !has(input, "fn")', input)).toBe(
      true,
    );
    expect(evaluate('keys(input).includes("fn")', input)).toBe(false);
    expect(thrown(() => evaluate('"a".replace("a", input.fns.at(0))', input)).code).toBe('expression_type');
    expect(thrown(() => evaluate('string(input.fns.at(0))', input)).code).toBe('expression_type');
    expect(thrown(() => evaluate('input.list.sort(input.fns.at(0))', input)).code).toBe('expression-syntax');
    expect(() => toText(() => 1)).toThrow(/cannot be written as text/);
  });

  test('copies leave the keys out that could reach a prototype', () => {
    const copy = evaluate('{ ...input.hostile }', input) as object;
    expect(copy).toEqual({ ok: 2 });
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    const parsed = evaluate('json(input.text)', {
      text: '[{ "__proto__": 1, "\\u005f_proto__": 2, "a": 3 }]',
    });
    expect(JSON.stringify(parsed)).toBe('[{"a":3}]');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });

  test('own getters, which only a host can make, give their value', () => {
    const own = Object.defineProperty({}, 'a', { get: () => 7, enumerable: true });
    expect(evaluate('input.a', own)).toBe(7);
  });
});

const long = 'a'.repeat(1_000_000);
const periodic = `${'a'.repeat(250_000)}b${'a'.repeat(250_000)}`;

describe('nothing takes long', () => {
  test.each<[string, unknown?]>([
    ['range(1000000)'],
    ['range(1000).map(x => range(1000))'],
    ['range(400).map(x => range(400).map(y => x * y))'],
    ['"a".repeat(100000000)'],
    ['"a".repeat(-1).length + 1'],
    ['"a".padStart(1e9)'],
    ['"a".padEnd(1e300, "b")'],
    ['range(20000).join("a".repeat(100))'],
    ['"a".repeat(1000000).split("")'],
    ['"a".repeat(20000).replaceAll("a", "b".repeat(1000))'],
    ['"a".repeat(20000).replaceAll("", "b".repeat(1000))'],
    ['range(40).reduce(s => s + s, "aaaa")'],
    ['range(40).reduce(s => `${s}${s}`, "aaaa")'],
    ['range(40).reduce(a => [...a, ...a], [1, 2])'],
    ['range(40).reduce(a => a.concat(a), [1, 2])'],
    ['range(40).reduce(a => [a, a], [1, 2]).flat(100)'],
    ['string(range(40).reduce(a => [a, a], [1, 2]))'],
    ['toJson(range(40).reduce(a => ({ a, b: a }), [1, 2]))'],
    ['unique([range(40).reduce(a => [a, a], [1, 2])])'],
    ['range(40).reduce(a => [a, a], [1, 2]).join()'],
    ['range(30000).flatMap(x => range(3))'],
    ['range(20000).sort((a, b) => ((a * 7919) % 20011) - ((b * 7919) % 20011))'],
    ['range(30000).sort()'],
    ['range(50000).map(x => input.long.indexOf("b"))', { long }],
    ['range(50000).map(x => (x + input.long) < (x + input.long))', { long }],
    ['range(50000).map(x => (x + input.long)[0])', { long }],
    ['range(50000).map(x => (x + input.long).at(-1))', { long }],
    ['range(50000).map(x => input?.[x + input.long])', { long }],
    ['range(50000).map(x => has(input, x + input.long))', { long }],
    ['range(50000).map(x => input.long == input.copy)', { long, copy: `${long.slice(1)}a` }],
    ['input.long.indexOf(input.periodic)', { long, periodic }],
    ['input.long.includes(input.periodic)', { long, periodic }],
    ['input.long.split(input.periodic)', { long, periodic }],
    ['input.long.replace(input.periodic, "")', { long, periodic }],
    ['input.long.replaceAll(input.periodic, "")', { long, periodic }],
    [`range(50000).map(x => [${'x,'.repeat(7000)}])`],
    [`range(50000).map(x => x${'+x'.repeat(990)})`],
    ['matches(input.long, "a*b")', { long }],
    ['range(100000).map(x => matches("a", "a" + x))'],
    ['urlEncode(input.long + input.long)', { long }],
    ['base64Encode(input.long)', { long }],
    ['base64Decode(input.long)', { long }],
    ['json(input.long)', { long: `[${'1,'.repeat(400_000)}1]` }],
    ['json(input.deep)', { deep: `${'['.repeat(5000)}${']'.repeat(5000)}` }],
    ['toJson(range(40000).reduce(a => [a], 0))'],
    ['input.big.map(x => x)', { big: Array.from({ length: 200_000 }, () => 0) }],
    ['sum(input.big)', { big: Array.from({ length: 200_000 }, () => 0) }],
    ['string(input.big)', { big: Array.from({ length: 2_000_000 }, () => 0) }],
  ])('%s', (source, data = {}) => {
    const { code } = thrown(() => evaluate(source, data));
    expect(code).toMatch(/^(expression_budget|expression_type|not_serialisable)$/);
  });

  test('the text of a template is limited too', () => {
    expect(thrown(() => render('{{ input }}{{ input }}', long))).toMatchObject({ code: 'expression_budget' });
    expect(thrown(() => render('{{ input }} '.repeat(100), long))).toMatchObject({
      code: 'expression_budget',
    });
    expect(render('{{ input }}', long)).toBe(long);
  });

  test('each evaluation has the whole budget', () => {
    for (let i = 0; i < 5; i++) expect(evaluate('range(60000).length')).toBe(60_000);
    expect(thrown(() => evaluate('range(60000).length + range(60000).length')).code).toBe(
      'expression_budget',
    );
    expect(evaluate('range(60000).length')).toBe(60_000);
  });
});
