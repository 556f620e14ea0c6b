import fc from 'fast-check';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';
import type { JsonSchema } from '#shared/json.ts';
import { randomExpression, randomValue } from './random.ts';

/** A node as a handful of small numbers and texts, so that a failing flow shrinks well. */
interface Seed {
  readonly kind: (typeof KINDS)[number];
  readonly texts: readonly string[];
  /** An expression over `item`. */
  readonly each: string;
  readonly sources: readonly number[];
  readonly onError: 'fail' | 'continue' | 'route';
  readonly fallback: unknown;
  readonly disabled: boolean;
}

const KINDS = [
  'map',
  'record',
  'set',
  'pick',
  'join',
  'merge',
  'if',
  'template',
  'format',
  'parse',
  'stream',
  'item',
  'collect',
  'rename',
  'objects',
  'flatten',
  'aggregate',
  'group',
  'regex',
  'convert',
  'pipe',
] as const;

/** Operators that take several edges at their only input. */
const TAKES_MANY: readonly Seed['kind'][] = ['merge', 'objects'];
const TAKES_STREAM: readonly Seed['kind'][] = ['item', 'collect', 'pipe'];
const GIVES_STREAM: readonly Seed['kind'][] = ['stream', 'item', 'pipe'];

const expressionOver = (root: string) =>
  fc
    .oneof({ weight: 3, arbitrary: randomExpression(root) }, { weight: 1, arbitrary: fc.constant(root) })
    .map((source) => `{{ ${source} }}`);
const expression = expressionOver('input');

const seed: fc.Arbitrary<Seed> = fc.record({
  kind: fc.constantFrom(...KINDS),
  texts: fc.array(expression, { minLength: 2, maxLength: 2 }),
  each: expressionOver('item'),
  sources: fc.array(fc.nat(20), { minLength: 2, maxLength: 2 }),
  onError: fc.constantFrom('fail', 'continue', 'continue', 'route'),
  fallback: randomValue,
  disabled: fc.nat(20).map((n) => n === 0),
});

/** A flow of pure nodes behind a trigger whose input has this schema. Edges go to later nodes only. */
export function randomTypedFlow(schema: JsonSchema): fc.Arbitrary<Flow> {
  return fc.array(seed, { minLength: 1, maxLength: 10 }).map((seeds) => build(schema, seeds));
}

interface Made {
  readonly nodes: Record<string, FlowNode>;
  readonly edges: FlowEdge[];
  /** Outputs that carry values, and those that carry streams. */
  readonly values: string[];
  readonly streams: string[];
}

function build(schema: JsonSchema, seeds: readonly Seed[]): Flow {
  const trigger: FlowNode = { operator: 'trigger.manual', params: { input: schema } };
  // Some node must answer, so that a stream at an end of the flow is not the result and its items are read.
  const made: Made = {
    nodes: { t: trigger, answer: { operator: 'core.respond' } },
    edges: [{ from: 't.out', to: 'answer.in' }],
    values: ['t.out'],
    streams: [],
  };
  seeds.forEach((one, i) => addNode(made, `n${i}`, one));
  return { format: 1, id: 'random_types', nodes: made.nodes, edges: made.edges };
}

function addNode(made: Made, id: string, one: Seed): void {
  const takesStream = TAKES_STREAM.includes(one.kind);
  const from = takesStream ? made.streams : made.values;
  const [first, second] = one.sources.map((n) => from[n % from.length]);
  if (first === undefined) return;
  const isJoin = one.kind === 'join';
  const isMerge = TAKES_MANY.includes(one.kind);
  // The stream's error passes with it.
  const onError = takesStream || one.kind === 'stream' ? 'fail' : one.onError;
  made.nodes[id] = {
    ...operatorOf(one),
    onError,
    ...(onError === 'continue' && { fallback: { out: one.fallback } }),
    ...(one.disabled && { disabled: true }),
  };
  made.edges.push({ from: first, to: `${id}.${isJoin ? 'a' : 'in'}` });
  if (isJoin && second) made.edges.push({ from: second, to: `${id}.b` });
  if (isMerge && second && second !== first) made.edges.push({ from: second, to: `${id}.in` });
  const outputs = one.kind === 'if' ? ['then', 'else'] : ['out'];
  const to = GIVES_STREAM.includes(one.kind) ? made.streams : made.values;
  to.push(...outputs.map((port) => `${id}.${port}`));
  if (onError === 'route') made.values.push(`${id}.error`);
}

function operatorOf(seed: Seed): FlowNode {
  const { kind, texts, sources } = seed;
  const [one = '', two = ''] = texts;
  switch (kind) {
    case 'map':
    case 'item':
      return { operator: 'core.map', params: { value: one } };
    case 'record':
      return { operator: 'core.map', params: { value: { a: one, items: [two, 1] } } };
    case 'set':
      return { operator: 'data.set', params: { fields: { a: one, b: two } } };
    case 'pick': {
      const missing = ['error', 'skip', 'null'][(sources[0] ?? 0) % 3];
      return { operator: 'data.pick', params: { fields: ['a', 'b.a'], missing } };
    }
    case 'join':
      return { operator: 'core.join', params: {} };
    case 'merge':
      return { operator: 'core.merge', params: {} };
    case 'if':
      return { operator: 'logic.if', params: { condition: one } };
    case 'template':
      return { operator: 'text.template', params: { template: `t ${one}` } };
    case 'format':
      return { operator: 'text.format-json', params: {} };
    case 'parse':
      return { operator: 'text.parse-json', params: {} };
    case 'stream':
      return { operator: 'core.streamify', params: {} };
    case 'collect':
      return { operator: 'core.unstreamify', params: {} };
    default:
      return dataOperatorOf(kind, seed);
  }
}

const RENAMES = [{ a: 'b' }, { a: 'c', b: 'a' }, { items: 'a' }];
const FUNCTIONS = ['count', 'sum', 'avg', 'min', 'max', 'first', 'last', 'list'];
const CONVERSIONS = ['upper', 'to-text', 'to-number', 'to-base64', 'to-iso-time'];
const MODES = ['test', 'match', 'all', 'replace', 'split'];

function dataOperatorOf(
  kind: 'rename' | 'objects' | 'flatten' | 'aggregate' | 'group' | 'regex' | 'convert' | 'pipe',
  { each, sources: [n = 0, m = 0] }: Seed,
): FlowNode {
  const pick = <T>(list: readonly T[], at = n) => list[at % list.length] as T;
  switch (kind) {
    case 'rename':
      return {
        operator: 'data.rename',
        params: { fields: pick(RENAMES), missing: pick(['error', 'skip'], m) },
      };
    case 'objects':
      return { operator: 'data.merge', params: { deep: n % 2 === 0 } };
    case 'flatten':
      return { operator: 'data.flatten', params: { depth: 1 + (n % 3) } };
    case 'aggregate': {
      const fields = [
        { name: 'a', as: pick(FUNCTIONS) },
        { name: 'b', as: pick(FUNCTIONS, m), of: each },
      ];
      return { operator: 'data.aggregate', params: { fields, ...(n % 2 === 0 && { by: each }) } };
    }
    case 'group':
      return { operator: 'data.group', params: { by: each } };
    case 'regex':
      return {
        operator: 'text.regex',
        params: { mode: pick(MODES), pattern: pick(['e', '(x)|y', '']) || '.' },
      };
    case 'convert':
      return { operator: 'text.convert', params: { conversion: pick(CONVERSIONS) } };
    case 'pipe': {
      const mode = pick(['map', 'filter', 'take', 'window', 'lines', 'sse']);
      return {
        operator: 'core.transform-stream',
        params: { mode, value: each, keep: each, count: 1 + (m % 3) },
      };
    }
  }
}
