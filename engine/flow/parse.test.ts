import { fc } from '../../tests/support/property.ts';
import { describe, expect, it } from 'vitest';
import { flowOf } from '../testing/flows.ts';
import { decodeUtf8, MAX_FLOW_BYTES, parse } from '../check/index.ts';
import { readJson } from './read-json.ts';

const good = '{"format":1,"id":"a","nodes":{},"edges":[]}';
const codes = (text: string | Uint8Array, id?: string) =>
  parse(text, id === undefined ? {} : { id }).problems.map((p) => p.code);
const bytes = (...values: number[]) => Uint8Array.from([...values, ...new TextEncoder().encode(good)]);

describe('parse', () => {
  it('reads a flow from text and from bytes, with or without a byte order mark', () => {
    const expected = { format: 1, id: 'a', nodes: {}, edges: [] };
    expect(parse(good)).toMatchObject({ flow: expected, problems: [] });
    expect(parse(bytes())).toMatchObject({ flow: expected, problems: [] });
    expect(parse(bytes(0xef, 0xbb, 0xbf))).toMatchObject({ flow: expected, problems: [] });
  });

  it('keeps unknown keys everywhere and fills defaults in', () => {
    const text =
      '{"format":1,"id":"a","x":1,"nodes":{"n":{"operator":"o","y":[2],"retry":{"attempts":2,"z":3}}},"edges":[{"from":"n.a","to":"n.b","w":4}]}';
    expect(parse(text).flow).toEqual({
      ...{ format: 1, id: 'a', x: 1 },
      nodes: {
        n: { operator: 'o', y: [2], retry: { attempts: 2, z: 3, backoffMs: 1000, factor: 2, jitter: 0 } },
      },
      edges: [{ from: 'n.a', to: 'n.b', w: 4 }],
    });
  });

  it.each([
    ['a comment', '// no\n{}', 'json-syntax', 1, 1],
    ['a trailing comma', '{\n  "a": 1,\n}', 'json-syntax', 3, 1],
    ['an end too early', '{"a": [1', 'json-syntax', 1, 9],
    ['nothing at all', '', 'json-syntax', 1, 1],
    ['a byte order mark in a text', `\ufeff${good}`, 'json-syntax', 1, 1],
    ['a list', '[]', 'bad-field', 1, 1],
    ['no format', '{}', 'bad-format', 1, 1],
    ['a later format', '{\r\n  "format": 3}', 'bad-format', 2, 3],
    ['a format in words', '{"format": "1"}', 'bad-format', 1, 2],
    ['a missing field', '{"format":1,"id":"a","nodes":{}}', 'bad-field', 1, 1],
    ['a bad id', good.replace('"a"', '"A"'), 'bad-field', 1, 13],
    ['a bad node id', good.replace('{},', '{"N":{"operator":"x"}},'), 'bad-field', 1, 31],
    [
      'a node that cannot be named so',
      good.replace('{},', '{"constructor":{"operator":"x"}},'),
      'bad-field',
      1,
      31,
    ],
    ['a bad port', good.replace('[]', '[{"from":"a","to":"b.c"}]'), 'bad-field', 1, 43],
    [
      'a key twice',
      good.replace('{},', '{"n":{"operator":"x"},\n"n":{"operator":"y"}},'),
      'duplicate-key',
      2,
      1,
    ],
    [
      'a key that leads to code',
      good.replace('{},', '{"n":{"operator":"x","params":{"__proto__":{"polluted":1}}}},'),
      'bad-field',
      1,
      61,
    ],
    ['a number without end', good.replace('[]', '[],"x":1e999'), 'bad-field', 1, 48],
  ])('reports %s with its place and reads no flow', (_, text, code, line, column) => {
    const { flow, problems } = parse(text);
    expect(flow).toBeUndefined();
    expect(problems[0]).toMatchObject({ code, severity: 'error', line, column });
  });

  it('never lets a file reach the prototypes', () => {
    parse(good.replace('{},', '{"__proto__":{"polluted":1}},'));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('reports all bad fields at once, by node and field', () => {
    const text =
      '{"format":1,"id":"a","nodes":{"n":{"operator":1,"onError":"no"}},"edges":[{"from":"x","to":"y"}]}';
    expect(parse(text).problems.map(({ node, field }) => [node, field])).toEqual([
      ['n', 'operator'],
      ['n', 'onError'],
      [undefined, 'edges[0].from'],
      [undefined, 'edges[0].to'],
    ]);
  });

  it('reports an id other than the file name, but still reads the flow', () => {
    expect(codes(good, 'b')).toEqual(['id-mismatch']);
    expect(parse(good, { id: 'b' }).flow?.id).toBe('a');
    expect(codes(good, 'a')).toEqual([]);
  });

  it('turns away a number whose digits would change', () => {
    const { flow, problems } = parse(good.replace('[]', '[],"x":12345678901234567890'));
    expect(problems).toMatchObject([{ code: 'bad-field', severity: 'error', field: 'x' }]);
    expect(flow).toBeUndefined();
  });

  it('turns away bytes that are not UTF-8', () => {
    expect(codes(bytes(0xff))).toEqual(['invalid-utf8']);
    expect(decodeUtf8(Uint8Array.of(0xc3, 0x28))).toBeUndefined();
  });

  it('turns away what is too large, too deep or has too many nodes', () => {
    expect(codes(' '.repeat(MAX_FLOW_BYTES + 1))).toEqual(['too-large']);
    expect(codes('['.repeat(100_000))).toEqual(['too-deep']);
    expect(codes(`{"a":${'{"a":'.repeat(100_000)}`)).toEqual(['too-deep']);
    expect(codes(`${'/* " */ ['.repeat(100_000)}`)).toEqual(['too-deep']);
    expect(codes(`${'['.repeat(201)}${']'.repeat(201)}`)).toEqual(['too-deep']);
    expect(codes(`${'['.repeat(200)}${']'.repeat(200)}`)).toEqual(['bad-field']);
    const nodes = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`n${i}`, 'x']));
    expect(codes(JSON.stringify(flowOf(nodes)))).toEqual(['too-many-nodes']);
    delete nodes['n0'];
    expect(codes(JSON.stringify(flowOf(nodes)))).toEqual([]);
  });

  it('limits the list of syntax errors to a useful length', () => {
    expect(codes('x '.repeat(10_000)).length).toBeLessThanOrEqual(50);
  });

  it('locates values by path, and the nearest one for what is not there', () => {
    const { locate } = parse(
      '{"format":1,\n "id":"a",\n "nodes":{\n  "n":{"operator":"x","params":{"list":[1,\n2]}}},"edges":[]}',
    );
    expect(locate(['nodes', 'n'])).toEqual({ line: 4, column: 3 });
    expect(locate(['nodes', 'n', 'params', 'list', 1])).toEqual({ line: 5, column: 1 });
    expect(locate(['nodes', 'n', 'params', 'gone', 'deep'])).toEqual({ line: 4, column: 23 });
    expect(locate([])).toEqual({ line: 1, column: 1 });
  });
});

describe('readJson', () => {
  it('agrees with JSON.parse on what is JSON, and on its value', () => {
    const almost = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([json, at, by]) => {
      const cut = at % (json.length + 1);
      return json.slice(0, cut) + by + json.slice(cut + (at % 3));
    });
    fc.assert(
      fc.property(fc.oneof(fc.json(), almost, fc.string()), (text) => {
        const { value, problems } = readJson(text);
        const errors = problems.filter((p) => p.severity === 'error');
        if (errors.some((p) => p.code !== 'json-syntax')) return;
        expect([value, errors.length === 0]).toEqual(parsed(text));
      }),
      { numRuns: 3000 },
    );
  });
});

/** A text that was written by a program is read the short way; each of these must not be. */
it.each([
  ['{\n  "a": 1,\n  "a": 1\n}\n', 'duplicate-key'],
  ['{ "a": { "b": [{ "c": 1, "c": 2 }] } }', 'duplicate-key'],
  ['{"__proto__": 1}', 'bad-field'],
  ['{"a":1212092628029698048}', 'bad-field'],
  ['{"a":1e999}', 'bad-field'],
  [`${'['.repeat(201)}${']'.repeat(201)}`, 'too-deep'],
  [`${'{"a":'.repeat(201)}1${'}'.repeat(201)}`, 'too-deep'],
  ['{"a":1} // more', 'json-syntax'],
  ['{"a":"x\ty"}', 'json-syntax'],
])('a text with a fault is looked at closely: %s', (text, code) => {
  expect(readJson(text).problems).toMatchObject([{ code }]);
});

it.each([
  '{\n  "a": [ 1, "x  y\\"  z" ]\r\n}\n',
  `${'['.repeat(200)}${']'.repeat(200)}`,
  ' "  " ',
  '"\\u0041"',
])('white space and escapes make no fault: %s', (text) => {
  expect(readJson(text)).toEqual({ value: JSON.parse(text), problems: [] });
});

function parsed(text: string): [unknown, boolean] {
  try {
    return [JSON.parse(text), true];
  } catch {
    return [undefined, false];
  }
}

it('a text that breaks off in the middle says so once', () => {
  const { problems } = parse('{"format": 1, "nodes": {"a": {"operator": "x"');
  const said = problems.map((p) => `${p.line}:${p.column} ${p.message}`);
  expect(new Set(said).size).toBe(said.length);
});
