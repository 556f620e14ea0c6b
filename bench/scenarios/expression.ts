import type { Flow, FlowNode } from '#shared/flow.ts';
import { createLocalEngine, paramsOf } from '../local-engine.ts';
import { type BenchContext, type Line, type Scenario, timeCalls } from '../harness.ts';

interface Person {
  name: string;
  age: number;
  address: { city: { code: string } };
  items: { price: number }[];
}

/** Different objects in turn, so that no answer can be kept. */
const PEOPLE: Person[] = Array.from({ length: 16 }, (_, i) => ({
  name: `Ada ${i}`,
  age: 10 + i,
  address: { city: { code: `C${i}` } },
  items: [{ price: i }, { price: 2 * i }, { price: 3 * i }],
}));

/** Each as the flow says it, and as it would be written by hand. */
const cases = {
  template: {
    node: {
      operator: 'text.template',
      params: { template: 'Hello, {{ input.name }}, your age is {{ input.age }}' },
    },
    native: (p: Person) => ({ template: `Hello, ${p.name}, your age is ${p.age}` }),
  },
  path: {
    node: map('{{ input.address.city.code }}'),
    native: (p: Person) => ({ value: p.address.city.code }),
  },
  condition: {
    node: map("{{ input.age >= 18 && input.name != '' ? 'adult' : 'minor' }}"),
    native: (p: Person) => ({ value: p.age >= 18 && p.name !== '' ? 'adult' : 'minor' }),
  },
  sum: {
    node: map('{{ input.items.map(item => item.price).reduce((a, b) => a + b, 0) }}'),
    native: (p: Person) => ({ value: p.items.map((item) => item.price).reduce((a, b) => a + b, 0) }),
  },
} as const satisfies Record<string, { node: FlowNode; native: (p: Person) => unknown }>;

function map(value: string): FlowNode {
  return { operator: 'core.map', params: { value } };
}

export const expression: Scenario = {
  name: 'expression',
  title: 'Expressions, one evaluation as a node does it',
  async run({ quick }: BenchContext): Promise<Line[]> {
    const evaluate = await compileCases();
    const { ns, slowness } = await timeCalls(
      {
        template: overPeople(evaluate('template')),
        path: overPeople(evaluate('path')),
        condition: overPeople(evaluate('condition')),
        sum: overPeople(evaluate('sum')),
        nativeTemplate: overPeople(cases.template.native),
        nativePath: overPeople(cases.path.native),
        nativeCondition: overPeople(cases.condition.native),
        nativeSum: overPeople(cases.sum.native),
      },
      quick ? 9 : 75,
    );
    const line = (name: string, own: number, native: number): Line => ({
      name,
      figure: own / 1000,
      unit: 'µs',
      note: `${(own / native).toFixed(1)} times JavaScript by hand (${native.toFixed(0)} ns)`,
    });
    return [
      {
        ...line('simple template', ns.template, ns.nativeTemplate),
        bar: { kind: 'at most', value: 0.15 },
        slowness,
      },
      line('path of three fields', ns.path, ns.nativePath),
      line('condition', ns.condition, ns.nativeCondition),
      line('sum over three items', ns.sum, ns.nativeSum),
    ];
  },
};

function overPeople(fn: (person: Person) => unknown): () => unknown {
  let at = 0;
  return () => fn(PEOPLE[at++ & 15] as Person);
}

async function compileCases(): Promise<(name: keyof typeof cases) => (person: Person) => unknown> {
  const { plan } = await createLocalEngine();
  const names = Object.keys(cases) as (keyof typeof cases)[];
  const flow: Flow = {
    format: 1,
    id: 'expressions',
    nodes: {
      trigger: { operator: 'trigger.manual' },
      ...Object.fromEntries(names.map((name) => [name, cases[name].node])),
    },
    edges: names.map((name) => ({ from: 'trigger.out', to: `${name}.in` })),
  };
  const compiled = plan(flow);
  return (name) => {
    const evaluate = paramsOf(compiled, name);
    assertSame(name, evaluate);
    return evaluate;
  };
}

/** A fast wrong answer is none. */
function assertSame(name: keyof typeof cases, evaluate: (person: Person) => unknown): void {
  for (const person of PEOPLE) {
    const own = JSON.stringify(evaluate(person));
    const native = JSON.stringify(cases[name].native(person));
    if (own !== native) throw new Error(`${name} gives ${own} instead of ${native}`);
  }
}
