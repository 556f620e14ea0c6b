import { fc } from '../../tests/support/property.ts';
import { describe, expect, it } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { Layout } from '#shared/layout.ts';
import { formatFlow, formatLayout, parse } from '../check/index.ts';

const flow = {
  zebra: { b: 1, a: [] },
  edges: [
    { to: 'handler.in', from: 'trigger.out' },
    { to: 'handler.in', from: 'b.out' },
    { to: 'handler.in', from: 'c.out', order: 1, note: { x: [1] } },
    { to: 'b.in', from: 'trigger.out' },
  ],
  nodes: {
    trigger: { params: { path: '/hello', auth: 'none' }, operator: 'trigger.http', extra: true },
    handler: { operator: 'text.template', retry: { jitter: 0, attempts: 2 } },
  },
  id: 'hello',
  format: 1,
  name: 'Say hello',
} as unknown as Flow;

const canonical = `{
  "format": 1,
  "id": "hello",
  "name": "Say hello",
  "nodes": {
    "handler": {
      "operator": "text.template",
      "retry": {
        "attempts": 2,
        "backoffMs": 1000,
        "factor": 2,
        "jitter": 0
      }
    },
    "trigger": {
      "operator": "trigger.http",
      "params": {
        "path": "/hello",
        "auth": "none"
      },
      "extra": true
    }
  },
  "edges": [
    { "from": "trigger.out", "to": "b.in" },
    { "from": "c.out", "to": "handler.in", "order": 1, "note": { "x": [1] } },
    { "from": "b.out", "to": "handler.in" },
    { "from": "trigger.out", "to": "handler.in" }
  ],
  "zebra": {
    "b": 1,
    "a": []
  }
}
`;

const id = fc
  .stringMatching(/^[a-z][a-z0-9_]{0,8}$/)
  .filter((name) => name !== 'constructor' && name !== 'prototype');
const key = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.nat(20).map(String),
  fc.constant('toString'),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    ...[
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
    ],
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const object = fc.dictionary(
  key.filter((name) => name !== '__proto__'),
  json,
  { maxKeys: 3, noNullPrototype: true },
);
const withUnknown = (known: fc.Arbitrary<object>) =>
  fc.tuple(object, known).map(([more, fields]) => ({ ...more, ...fields }));
const retry = fc.record(
  { attempts: fc.integer({ min: 1, max: 9 }), backoffMs: fc.nat(999) },
  { requiredKeys: ['attempts'] },
);
const node = withUnknown(
  fc.record(
    {
      operator: fc.string({ minLength: 1 }),
      name: fc.string(),
      params: object,
      disabled: fc.boolean(),
      retry,
      onError: fc.constantFrom('fail', 'route'),
    },
    { requiredKeys: ['operator'] },
  ),
);
const port = fc.tuple(id, id).map(([a, b]) => `${a}.${b}`);
const edge = withUnknown(
  fc.record({ from: port, to: port, order: fc.integer() }, { requiredKeys: ['from', 'to'] }),
);
const anyFlow = withUnknown(
  fc.record(
    {
      format: fc.constant(1),
      id,
      name: fc.string(),
      nodes: fc.dictionary(id, node, { maxKeys: 5, noNullPrototype: true }),
      edges: fc.array(edge, { maxLength: 6 }),
      settings: withUnknown(fc.record({ timeoutMs: fc.integer({ min: 1, max: 99 }) })),
    },
    { requiredKeys: ['format', 'id', 'nodes', 'edges'] },
  ),
)
  // Known keys of other objects may come out of the random ones with values that no flow may have.
  .map((value) => value as unknown as Flow)
  .filter((value) => parse(JSON.stringify(value)).flow !== undefined);

describe('formatFlow', () => {
  it('writes the one canonical form', () => {
    expect(formatFlow(flow)).toBe(canonical);
    expect(formatFlow({ format: 1, id: 'a', nodes: {}, edges: [] })).toBe(
      '{\n  "format": 1,\n  "id": "a",\n  "nodes": {},\n  "edges": []\n}\n',
    );
  });

  it('gives the same bytes when its text is read and written again, and loses nothing', () => {
    fc.assert(
      fc.property(anyFlow, (random) => {
        const text = formatFlow(random);
        const read = parse(text).flow as Flow;
        expect(formatFlow(read)).toBe(text);
        expect(parse(JSON.stringify(random)).flow).toEqual({ ...read, edges: expect.anything() });
        expect(read.edges).toHaveLength(random.edges.length);
      }),
      { numRuns: 500 },
    );
  });

  it('gives the same text whatever the order of nodes, edges and known keys was', () => {
    const reversed = {
      ...Object.fromEntries(Object.entries(flow).reverse()),
      nodes: Object.fromEntries(Object.entries(flow.nodes).reverse()),
      edges: flow.edges.toReversed(),
    } as Flow;
    expect(formatFlow(reversed)).toBe(canonical);
  });

  it('changes only the lines of an edit and at most a comma beside them', () => {
    const renamed = structuredClone(flow);
    (renamed.nodes['handler'] as { operator: string }).operator = 'core.map';
    expect(changedLines(canonical, formatFlow(renamed))).toEqual(['      "operator": "core.map",']);
    const connected = { ...flow, edges: [...flow.edges, { from: 'x.out', to: 'z.in' }] };
    expect(changedLines(canonical, formatFlow(connected))).toEqual([
      '    { "from": "trigger.out", "to": "handler.in" },',
      '    { "from": "x.out", "to": "z.in" }',
    ]);
    const added = { ...flow, nodes: { ...flow.nodes, first: { operator: 'o' } } };
    expect(changedLines(canonical, formatFlow(added))).toEqual([
      '    "first": {',
      '      "operator": "o"',
      '    },',
    ]);
  });
});

/** Lines of the second text that its longest common subsequence with the first lacks. */
function changedLines(before: string, after: string): string[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const common = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const [row, next] = [common[i] as number[], common[i + 1] as number[]];
      row[j] = a[i] === b[j] ? 1 + (next[j + 1] ?? 0) : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  const changed: string[] = [];
  for (let i = 0, j = 0; j < b.length; ) {
    if (i < a.length && a[i] === b[j]) {
      i++;
      j++;
    } else if (i < a.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0)) i++;
    else changed.push(b[j++] as string);
  }
  return changed;
}

describe('formatLayout', () => {
  it('writes one node, note and group a line, nodes by id, and reads back to the same', () => {
    const layout = Layout.parse({
      viewport: { zoom: 1, y: 0, x: 0 },
      groups: [{ id: 'g', nodes: ['a'] }],
      nodes: { b: { x: 1, y: 2 }, a: { x: 3.5, y: -4, width: 9 } },
      format: 1,
      theme: 'dark',
    });
    const text = formatLayout(layout);
    expect(text).toBe(
      [
        ...[
          '{',
          '  "format": 1,',
          '  "nodes": {',
          '    "a": { "x": 3.5, "y": -4, "width": 9 },',
          '    "b": { "x": 1, "y": 2 }',
          '  },',
        ],
        ...[
          '  "groups": [',
          '    { "id": "g", "nodes": ["a"] }',
          '  ],',
          '  "viewport": { "x": 0, "y": 0, "zoom": 1 },',
        ],
        ...['  "theme": "dark"', '}', ''],
      ].join('\n'),
    );
    expect(formatLayout(Layout.parse(JSON.parse(text)))).toBe(text);
  });
});
