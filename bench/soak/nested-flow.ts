import type { Flow, FlowBody, FlowNode } from '#shared/flow.ts';
import type { Random } from './random.ts';

/** A flow with the flows that it calls, and what the outside must see of each run. */
export interface NestedFlow {
  readonly id: string;
  readonly flows: readonly Flow[];
  /** Each step with the keys under which it comes, without the name of the run: `['', 's1']`, `['.x0', 's2']`. */
  readonly steps: readonly (readonly [suffix: string, step: string])[];
}

interface Chain {
  readonly nodes: Record<string, FlowNode>;
  readonly edges: { from: string; to: string }[];
  /** The port behind which the next node comes. */
  end: string;
}

/** How deep bodies and called flows lie in each other. */
const DEPTH = 3;
/** Elements of a chain. */
const MOST = 3;
const KINDS = [
  'step',
  'step',
  'approval',
  'group',
  'call',
  'loop',
  'loop-flow',
  'rounds',
  'rounds-flow',
] as const;

/** Draws a flow of steps outside, approvals, bodies, called flows and loops in each other. Every node passes on `{ run }`. */
export function drawNested(id: string, outside: string, random: Random): NestedFlow {
  const drawing = new Drawing(id, outside, random);
  const own = drawing.chain('begin', [''], 0);
  const trigger: FlowNode = {
    operator: 'trigger.http',
    params: { path: `/${id}`, methods: ['GET'], auth: 'none', answer: 'immediately' },
  };
  const begin: FlowNode = { operator: 'core.map', params: { value: { run: '{{ trigger.query.run }}' } } };
  const flow: Flow = {
    format: 2,
    id,
    nodes: { trigger, begin, ...own.nodes },
    edges: [{ from: 'trigger.out', to: 'begin.in' }, ...own.edges],
    settings: { durable: true, timeoutMs: 86_400_000 },
  };
  return { id, flows: [...drawing.called, flow], steps: drawing.steps };
}

class Drawing {
  readonly called: Flow[] = [];
  readonly steps: [string, string][] = [];
  private count = 0;
  private readonly id: string;
  private readonly outside: string;
  private readonly random: Random;

  constructor(id: string, outside: string, random: Random) {
    this.id = id;
    this.outside = outside;
    this.random = random;
  }

  /** Begins behind the node `start`; `suffixes` are the keys under which it runs. */
  chain(start: string, suffixes: readonly string[], depth: number): Chain {
    const chain: Chain = { nodes: {}, edges: [], end: `${start}.out` };
    const length = this.random.between(1, MOST);
    for (let i = 0; i < length; i++) this.element(chain, suffixes, depth);
    // At least one step, and a last node with one output.
    this.step(chain, suffixes);
    this.add(chain, 'map', { operator: 'core.map', params: { value: { run: '{{ input.run }}' } } }, 'out');
    return chain;
  }

  private element(chain: Chain, suffixes: readonly string[], depth: number): void {
    const drawn = KINDS[this.random.between(0, KINDS.length - 1)] as (typeof KINDS)[number];
    const kind = depth >= DEPTH && drawn !== 'approval' ? 'step' : drawn;
    if (kind === 'step') return this.step(chain, suffixes);
    if (kind === 'approval') return this.approval(chain);
    if (kind === 'group') {
      const [operator, params] = ['core.group', {}];
      this.add(chain, 'group', { operator, params, body: this.body(suffixes, depth + 1) }, 'out');
      return;
    }
    if (kind === 'call') {
      this.add(
        chain,
        'call',
        { operator: 'flow.call', params: { flow: this.flow(suffixes, depth + 1) } },
        'out',
      );
      return;
    }
    this.repeated(chain, suffixes, { kind, depth });
  }

  private step(chain: Chain, suffixes: readonly string[]): void {
    const name = `s${++this.count}`;
    for (const suffix of suffixes) this.steps.push([suffix, name]);
    const url = `${this.outside}/${name}?run={{ input.run }}`;
    this.add(chain, name, { operator: 'http.request', params: { method: 'POST', url } }, 'body');
  }

  private approval(chain: Chain): void {
    this.add(chain, 'ask', { operator: 'human.approval', params: { title: 'May it?' } }, 'approved');
    this.add(
      chain,
      'map',
      { operator: 'core.map', params: { value: { run: '{{ input.input.run }}' } } },
      'out',
    );
  }

  /** A loop: each round has a key of its own, and the key of the loop comes back behind it. */
  private repeated(
    chain: Chain,
    suffixes: readonly string[],
    { kind, depth }: { readonly kind: string; readonly depth: number },
  ): void {
    const keep = this.add(
      chain,
      'keep',
      { operator: 'core.map', params: { value: { run: '{{ input.run }}' } } },
      'out',
    );
    const isLoop = kind.startsWith('loop');
    // Each round of a repetition begins with the result of the one before, whose key has one more mark.
    const mark = `.${isLoop ? 'x' : 'r'}${++this.count}`;
    const items = [0, 1, 2].map((at) => `${mark}_${at}`);
    const marks = isLoop ? items : [mark, mark + mark];
    const inner = suffixes.flatMap((suffix) => marks.map((mark) => suffix + mark));
    const params = isLoop
      ? { items: items.map((one) => ({ run: `{{ input.run }}${one}` })), concurrency: 2 }
      : { until: '{{ index == 1 }}', input: { run: `{{ input.run }}${mark}` } };
    const part = kind.endsWith('flow')
      ? { params: { ...params, flow: this.flow(inner, depth + 1, isLoop ? '' : mark) } }
      : { params, body: this.body(inner, depth + 1, isLoop ? '' : mark) };
    this.add(chain, 'loop', { operator: isLoop ? 'data.for-each' : 'data.repeat-until', ...part }, 'out');
    this.add(
      chain,
      'map',
      { operator: 'core.map', params: { value: { run: `{{ nodes.${keep}.run }}` } } },
      'out',
    );
  }

  private body(suffixes: readonly string[], depth: number, mark = ''): FlowBody {
    const start = `in${++this.count}`;
    const chain = this.marked(this.chain(start, suffixes, depth), mark);
    return { start, nodes: chain.nodes, edges: chain.edges };
  }

  private flow(suffixes: readonly string[], depth: number, mark = ''): string {
    const id = `${this.id}_${++this.count}`;
    const { nodes, edges } = this.marked(this.chain('t', suffixes, depth), mark);
    this.called.push({ format: 2, id, nodes: { t: { operator: 'trigger.manual' }, ...nodes }, edges });
    return id;
  }

  private marked(chain: Chain, mark: string): Chain {
    if (mark === '') return chain;
    this.add(
      chain,
      'map',
      { operator: 'core.map', params: { value: { run: `{{ input.run }}${mark}` } } },
      'out',
    );
    return chain;
  }

  /** Returns the id of the node; that of a step outside is its name. */
  private add(chain: Chain, name: string, node: FlowNode, port: string): string {
    const id = port === 'body' ? name : `${name}${++this.count}`;
    chain.nodes[id] = node;
    chain.edges.push({ from: chain.end, to: `${id}.in` });
    chain.end = `${id}.${port}`;
    return id;
  }
}
