import fc from 'fast-check';
import type { Flow, FlowEdge, FlowNode } from '#shared/flow.ts';

/**
 * Random flows of streams and what each of their nodes must give, computed as plain lists: the items do not depend on when
 * they arrive, who else reads them and how large a buffer is. A node is a handful of numbers, so that a failing flow
 * shrinks.
 */
interface Seed {
  readonly kind: 'source' | Pipe | Joined | Sink;
  readonly from: readonly [number, number];
  readonly size: number;
  readonly failAt: number;
  /** How its failures are handled. */
  readonly onError: 'fail' | 'continue' | 'route';
  readonly retries: boolean;
  readonly slow: boolean;
}
const pipes = ['map', 'slow', 'late', 'filter', 'take', 'window', 'relay'] as const;
const joined = ['concat', 'zip', 'merge'] as const;
const sinks = ['collect', 'count', 'peek'] as const;
type Pipe = (typeof pipes)[number];
type Joined = (typeof joined)[number];
type Sink = (typeof sinks)[number];

/** The items of a stream, as far as they are certain. */
export interface StreamModel {
  readonly items: readonly unknown[];
  /** Fails after the items; if `unsure`, may fail after any number of them. */
  readonly fails: boolean;
  /** Depends on what comes first, so it is not checked. */
  readonly unsure: boolean;
}

export interface StreamFlow {
  readonly flow: Flow;
  /** The end of each sink, and of what follows a routed error; undefined if it is skipped, absent if it is uncertain. */
  readonly values: ReadonlyMap<string, unknown>;
  /** Nodes whose failure ends the run. */
  readonly fatal: ReadonlySet<string>;
  /** Whether the run fails may depend on what comes first. */
  readonly unsure: boolean;
}

const seed: fc.Arbitrary<Seed> = fc.record({
  kind: fc.oneof(
    { weight: 2, arbitrary: fc.constant('source' as const) },
    { weight: 4, arbitrary: fc.constantFrom(...pipes) },
    { weight: 2, arbitrary: fc.constantFrom(...joined) },
    { weight: 4, arbitrary: fc.constantFrom(...sinks) },
  ),
  from: fc.tuple(fc.nat(50), fc.nat(50)),
  size: fc.oneof(fc.nat(5), fc.nat(200)),
  failAt: fc.oneof({ weight: 4, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(100) }),
  onError: fc.constantFrom('fail', 'fail', 'continue', 'route'),
  retries: fc.boolean(),
  slow: fc.boolean(),
});

export const randomStreams: fc.Arbitrary<StreamFlow> = fc
  .tuple(fc.array(seed, { minLength: 1, maxLength: 12 }), fc.constantFrom(undefined, 1, 2))
  .map(([seeds, concurrency]) => new Builder(concurrency).build([firstSource, ...seeds]));

const firstSource: Seed = {
  kind: 'source',
  from: [0, 0],
  size: 130,
  failAt: -1,
  onError: 'fail',
  retries: false,
  slow: false,
};

/** Steps that wait for every item get short streams, since each wait advances the clock. */
const FEW = 12;

class Builder {
  private readonly nodes: Record<string, FlowNode> = {
    t: { operator: 'trigger.manual' },
    // Answers at once, so that no stream is the result.
    answer: { operator: 'core.respond' },
  };
  private readonly edges: FlowEdge[] = [{ from: 't.out', to: 'answer.in' }];
  private readonly streams: { id: string; model: StreamModel | undefined }[] = [];
  private readonly values = new Map<string, unknown>();
  private readonly fatal = new Set<string>();
  private unsure = false;
  private readonly concurrency: number | undefined;

  constructor(concurrency: number | undefined) {
    this.concurrency = concurrency;
  }

  build(seeds: readonly Seed[]): StreamFlow {
    seeds.forEach((one, i) => this.add(one, `n${String(i).padStart(2, '0')}`));
    const read = new Set(this.edges.map((e) => e.from));
    for (const { id, model } of this.streams)
      if (!read.has(`${id}.out`) && model?.fails) this.fails(id, model.unsure);
    const settings = this.concurrency === undefined ? {} : { concurrency: this.concurrency };
    const flow: Flow = { format: 1, id: 'streams', nodes: this.nodes, edges: this.edges, settings };
    return { flow, values: this.values, fatal: this.fatal, unsure: this.unsure };
  }

  private add(one: Seed, id: string): void {
    if (one.kind === 'source') this.addSource(one, id);
    else if (isOneOf(pipes, one.kind)) this.addPipe(one, one.kind, id);
    else if (isOneOf(joined, one.kind)) this.addJoined(one, one.kind, id);
    else this.addSink(one, one.kind, id);
    if (one.onError === 'route') this.addErrorPath(id);
  }

  private addErrorPath(id: string): void {
    const path = errorPath(id);
    this.nodes[path] = { operator: 'core.map', params: { value: 'routed' } };
    this.edges.push({ from: `${id}.error`, to: `${path}.in` });
  }

  /** Whether the error of a node is routed, if its settings say so. */
  private routes(one: Seed, id: string, isLive: boolean): void {
    if (one.onError === 'route') this.values.set(errorPath(id), isLive ? 'routed' : undefined);
  }

  private addSource(one: Seed, id: string): void {
    const items = one.slow ? Math.min(one.size, FEW) : one.size;
    const params = { items, ms: one.slow ? 3 : 0, failAt: one.failAt, once: one.retries };
    const retry = { attempts: 2, backoffMs: 2, factor: 1, jitter: 0 };
    this.nodes[id] = { ...node('test.source', params, one), ...(one.retries && { retry }) };
    this.edge('t', id, 'in');
    const fails = one.failAt >= 0 && one.failAt < items && !(one.retries && one.failAt === 0);
    this.stream(id, one, { items: range(fails ? one.failAt : items), fails, unsure: false });
  }

  private addPipe(one: Seed, kind: Pipe, id: string): void {
    const from = this.pick(one.from[0], kind === 'slow' || kind === 'late' || (kind === 'relay' && one.slow));
    this.nodes[id] = pipeNode(kind, one);
    this.edge(from.id, id, 'in');
    this.stream(id, one, from.model && pipeModel(kind, one, from.model));
  }

  private addJoined(one: Seed, kind: Joined, id: string): void {
    const parts = one.from.map((at) => this.pick(at, false));
    const operator = kind === 'merge' ? 'core.merge-streams' : `core.${kind}`;
    this.nodes[id] = node(operator, {}, one);
    parts.forEach((part, i) => {
      // The same stream twice means two edges only if they end at different inputs.
      if (kind === 'zip') this.edge(part.id, id, i === 0 ? 'a' : 'b');
      else if (i === 0 || part.id !== parts[0]?.id) this.edge(part.id, id, 'in', i);
    });
    const unique = kind !== 'zip' && parts[0]?.id === parts[1]?.id ? parts.slice(0, 1) : parts;
    this.stream(
      id,
      one,
      joinedModel(
        kind,
        unique.map((part) => part.model),
      ),
    );
  }

  private addSink(one: Seed, kind: Sink, id: string): void {
    const from = this.pick(one.from[0], false);
    const fallback = one.onError === 'continue' ? { fallback: { out: 'fallback' } } : {};
    this.nodes[id] = { ...sinkNode(kind, one), ...fallback };
    this.edge(from.id, id, 'in');
    const { model } = from;
    if (model?.unsure) {
      this.unsure ||= one.onError === 'fail';
      return;
    }
    this.values.set(id, undefined);
    this.routes(one, id, false);
    if (model) this.settle(one, kind, id, model);
  }

  private settle(one: Seed, kind: Sink, id: string, { items, fails }: StreamModel): void {
    const leaves = kind === 'peek' && items.length >= peekCount(one);
    if (fails && !leaves) {
      if (one.onError === 'continue') this.values.set(id, 'fallback');
      else if (one.onError === 'route') this.routes(one, id, true);
      else this.fails(id, false);
    } else if (kind === 'count') this.values.set(id, items.length);
    else this.values.set(id, kind === 'peek' ? items.slice(0, peekCount(one)) : items);
  }

  /** A stream that fails before its first item is its node's own failure. */
  private stream(id: string, one: Seed, model: StreamModel | undefined): void {
    const isOwn = model !== undefined && model.fails && model.items.length === 0;
    if (isOwn && one.onError === 'fail') this.fails(id, model.unsure);
    if (model?.unsure && one.onError === 'fail') this.unsure = true;
    if (!model?.unsure) this.routes(one, id, isOwn);
    this.streams.push({ id, model: isOwn ? (model.unsure ? model : undefined) : model });
  }

  private fails(id: string, unsure: boolean): void {
    if (unsure) this.unsure = true;
    else this.fatal.add(id);
  }

  private pick(at: number, few: boolean): { id: string; model: StreamModel | undefined } {
    const fitting = few ? this.streams.filter((s) => (s.model?.items.length ?? 0) <= FEW) : this.streams;
    const found = fitting[at % Math.max(1, fitting.length)];
    if (found) return found;
    const id = `few${this.streams.length}`;
    this.addSource({ ...firstSource, size: 3 }, id);
    return this.streams.at(-1) as { id: string; model: StreamModel };
  }

  private edge(from: string, to: string, port: string, order?: number): void {
    this.edges.push({ from: `${from}.out`, to: `${to}.${port}`, ...(order !== undefined && { order }) });
  }
}

function isOneOf<T extends string>(names: readonly T[], name: string): name is T {
  return (names as readonly string[]).includes(name);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function node(operator: string, params: Record<string, unknown>, { onError }: Seed): FlowNode {
  return { operator, params, ...(onError !== 'fail' && { onError }) };
}

/** The node that a routed error goes to. */
function errorPath(id: string): string {
  return `${id}_error`;
}

function peekCount({ size }: Seed): number {
  return (size % 80) + 1;
}

function sinkNode(kind: Sink, one: Seed): FlowNode {
  if (kind === 'collect') return node('core.unstreamify', {}, one);
  if (kind === 'count') return node('core.reduce', { value: '{{ acc + 1 }}', initial: 0 }, one);
  return node('test.peek', { count: peekCount(one), ms: one.slow ? 5 : 0 }, one);
}

function pipeNode(kind: Pipe, one: Seed): FlowNode {
  const transform = (params: Record<string, unknown>) => node('core.transform-stream', params, one);
  switch (kind) {
    case 'map':
      return node('core.map', { value: '{{ [input, index] }}' }, one);
    case 'slow':
      return node('test.slow', { ms: 4 }, one);
    case 'late':
      return {
        ...node('test.slow', { ms: 10 }, one),
        timeoutMs: 5,
        ...(one.onError === 'continue' && { fallback: { out: 'late' } }),
      };
    case 'filter':
      return transform({ mode: 'filter', keep: '{{ index % 3 == 1 }}' });
    case 'take':
      return transform({ mode: 'take', count: one.size + 1 });
    case 'window':
      return transform({ mode: 'window', count: (one.size % 7) + 1 });
    case 'relay':
      return node('test.relay', { ms: one.slow ? 3 : 0 }, one);
  }
}

function pipeModel(kind: Pipe, one: Seed, model: StreamModel): StreamModel {
  const { items, fails } = model;
  const count = (one.size % 7) + 1;
  switch (kind) {
    case 'map':
      return { ...model, items: items.map((item, i) => [item, i]) };
    case 'slow':
    case 'relay':
      return model;
    case 'late':
      if (one.onError === 'continue' || items.length === 0)
        return { ...model, items: items.map(() => 'late') };
      return { ...model, items: [], fails: true };
    case 'filter':
      return { ...model, items: items.filter((_, i) => i % 3 === 1) };
    case 'take':
      return {
        ...model,
        items: items.slice(0, one.size + 1),
        fails: fails && (model.unsure || items.length <= one.size),
      };
    case 'window': {
      const windows = range(Math.ceil(items.length / count)).map((i) =>
        items.slice(i * count, (i + 1) * count),
      );
      return { ...model, items: fails ? windows.filter((w) => w.length === count) : windows };
    }
  }
}

function joinedModel(kind: Joined, parts: readonly (StreamModel | undefined)[]): StreamModel | undefined {
  const live = parts.filter((part) => part !== undefined);
  if (live.length === 0 || (kind === 'zip' && live.length < 2)) return undefined;
  const unsure = live.some((part) => part.unsure);
  if (kind === 'zip') return zipModel(live[0] as StreamModel, live[1] as StreamModel, unsure);
  const cut = live.findIndex((part) => part.fails);
  const read = cut < 0 ? live : live.slice(0, cut + 1);
  const items = read.flatMap((part) => part.items);
  const fails = cut >= 0;
  return { items, fails, unsure: unsure || (kind === 'merge' && live.length > 1) };
}

function zipModel(a: StreamModel, b: StreamModel, unsure: boolean): StreamModel {
  const rows = Math.min(a.items.length, b.items.length);
  const items = range(rows).map((i) => ({ a: a.items[i], b: b.items[i] }));
  if (unsure) return { items, fails: a.fails || b.fails, unsure };
  const ends = [a, b].filter((part) => part.items.length === rows);
  const fails = ends.some((part) => part.fails);
  // If an end and a failure are in the same row, either may be seen first.
  return { items, fails, unsure: fails && ends.length > 1 };
}
