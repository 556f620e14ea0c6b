import { describe, expect, it } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import { Problem } from '#shared/problem.ts';
import { testCatalog } from '../testing/catalog.ts';
import { check, formatFlow, parse, type World } from './index.ts';
import { applyFix, renameNode } from './edit.ts';
import { fc } from '../../tests/support/property.ts';

const world: World = {
  routes: [{ flow: 'other', path: '/a/:x', methods: ['GET'] }],
  variables: ['v'],
  secrets: ['s'],
};

const word = fc.constantFrom('in', 'out', 'then', 'else', 'error', 'default', 'x', 'y');
const ref = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'gone', 'constructor');
const root = fc.constantFrom(
  'input',
  'inputs.x',
  'nodes.a',
  'nodes.b?',
  'nodes.c.then',
  'nodes.zz',
  'vars.v',
  'vars.q',
  'item',
  'trigger.body',
  'foo',
  'nodes',
  'nodes[input]',
  'inputs',
);
const expression = fc.oneof(
  fc
    .tuple(root, fc.constantFrom('', '.x', '?.y', ' + 1', ' ?? 2', '.map(v => v.q)', '.', '('))
    .map(([a, b]) => `{{ ${a}${b} }}`),
  fc.string(),
  fc.string().map((text) => `{{${text}}}`),
);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    ...[
      expression,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.record({ $secret: fc.constantFrom('s', 'q', 1) }),
    ],
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('name', 'when', 'required', 'toString', 'type', 'properties', '$ref'),
      tie('value'),
    ),
  ),
})).value;
const params = fc.dictionary(
  fc.constantFrom(
    'value',
    'cases',
    'inputs',
    'path',
    'methods',
    'auth',
    'request',
    'template',
    'condition',
    'status',
    'zz',
  ),
  fc.oneof(
    value,
    fc.array(fc.record({ name: word, when: value, required: fc.boolean() }), { maxLength: 3 }),
    fc.constant('/a/{b}'),
  ),
);
const operator = fc.constantFrom(
  ...Object.keys(testCatalog.operators),
  'core.mapp',
  'trigger.x',
  '__proto__',
  'toString',
);
const node = fc.record(
  {
    operator,
    params,
    disabled: fc.boolean(),
    onError: fc.constantFrom('fail' as const, 'continue' as const, 'route' as const),
    fallback: fc.dictionary(word, value),
    retry: fc.record({ attempts: fc.integer({ min: 1, max: 3 }) }),
  },
  { requiredKeys: ['operator'] },
);
const port = fc.tuple(ref, word).map(([a, b]) => `${a}.${b}`);
const flow = fc.record({
  format: fc.constant(1),
  id: fc.constant('fuzz'),
  nodes: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), node),
  edges: fc.array(
    fc.record({ from: port, to: port, order: fc.integer() }, { requiredKeys: ['from', 'to'] }),
    { maxLength: 12 },
  ),
});

/** Parses a text and, if it is a flow, checks it. Asserts everything that must hold for any text. */
function examine(text: string): void {
  const { flow: read, problems, locate } = parse(text);
  for (const problem of problems) expect(Problem.safeParse(sent(problem)).success).toBe(true);
  expect(read !== undefined || problems.some((p) => p.severity === 'error')).toBe(true);
  if (!read) return;
  const found = check(read, testCatalog, world, locate);
  expect(check(read, testCatalog, world, locate)).toEqual(found);
  for (const problem of found) {
    expect(Problem.safeParse(sent(problem)).success).toBe(true);
    expect(problem.line).toBeGreaterThan(0);
  }
  for (const { fix } of found) {
    if (fix) expect(applyFix(read, sent(fix))).toEqual(applyFix(read, fix));
  }
  parseAgain(found.reduce((changed, { fix }) => (fix ? applyFix(changed, fix) : changed), read));
  parseAgain(renameNode(read, 'a', 'fresh', testCatalog));
}

/** A value as it arrives over the wire. */
function sent<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** The result of a change can be written and parsed again. */
function parseAgain(changed: Flow): void {
  expect(parse(formatFlow(changed)).problems).toEqual([]);
}

describe('parse and check', () => {
  it('never throw on flows with anything wrong in them, and say the same every time', () => {
    fc.assert(
      fc.property(flow, (random) => examine(JSON.stringify(random))),
      { numRuns: 150 },
    );
  });

  it('find the same problems whatever the order of nodes and edges in the file', () => {
    const plain = (random: unknown) => parse(JSON.stringify(random)).flow as Flow;
    fc.assert(
      fc.property(flow, (random) => {
        const shuffled = { ...random, nodes: Object.fromEntries(Object.entries(random.nodes).reverse()) };
        expect(check(plain(shuffled), testCatalog, world)).toEqual(check(plain(random), testCatalog, world));
      }),
      { numRuns: 125 },
    );
  });

  it('never throw on flows that were cut, pasted and scribbled into', () => {
    const mutated = fc
      .tuple(flow, fc.nat(), fc.nat(40), fc.string({ maxLength: 4 }))
      .map(([random, at, length, by]) => {
        const text = JSON.stringify(random);
        const start = at % text.length;
        return text.slice(0, start) + by + text.slice(start + length);
      });
    fc.assert(fc.property(fc.oneof(mutated, fc.json(), fc.string()), examine), {
      numRuns: 150,
    });
  });
});
