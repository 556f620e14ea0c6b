import type { FlowJson, NodeJson } from '../../../tests/support/flows.ts';
import type { Random } from '../random.ts';

/** A flow whose steps all go outside, and what the judge has to know of it. */
export interface Drawn {
  readonly id: string;
  /** By step, those whose results it is given. */
  readonly parents: Readonly<Record<string, readonly string[]>>;
  readonly maxRuns?: number;
  text(version: number): string;
}

interface Step {
  readonly name: string;
  readonly parents: readonly string[];
  /** What comes before it. */
  readonly wait?: 'time' | 'person' | undefined;
}

/** Answers the first calls of each run with a 503, which the step repeats. */
export const MOODY = 'moody';
/** Fails the run once; a retry of the run goes on. */
export const BAD = 'bad';
/** Started by the schedule. */
export const TICK = 'tick';

/** Random graphs: layers of steps that need some of the layer before, with waits, and some with a limit. */
export function drawFlows(count: number, outside: string, random: Random): Drawn[] {
  return Array.from({ length: count }, (_, n) => {
    const steps = drawSteps(random);
    const id = `chaos_${n}`;
    const maxRuns = n % 4 === 3 ? { maxRuns: random.between(2, 4) } : {};
    const parents = Object.fromEntries(steps.map(({ name, parents: some }) => [name, some]));
    const text = (version: number): string =>
      JSON.stringify(flowOf(id, steps, { outside, version, settings: { durable: true, ...maxRuns } }));
    return { id, parents, ...maxRuns, text };
  });
}

function drawSteps(random: Random): Step[] {
  const steps: Step[] = [];
  let before: string[] = [];
  const layers = random.between(2, 4);
  for (let layer = 0; layer < layers; layer++) {
    const names: string[] = [];
    for (let n = random.between(1, layer === 0 ? 2 : 3); n > 0; n--) {
      const name = `s${layer}_${n}`;
      const parents = before.filter(() => random.next() < 0.6);
      const chance = random.next();
      const wait = layer === 0 || chance > 0.4 ? undefined : chance < 0.2 ? 'time' : 'person';
      steps.push({ name, parents: layer > 0 && parents.length === 0 ? before.slice(0, 1) : parents, wait });
      names.push(name);
    }
    before = names;
  }
  if (random.next() < 0.5) steps.push({ name: MOODY, parents: before.slice(0, 1) });
  if (random.next() < 0.3) steps.push({ name: BAD, parents: before.slice(-1) });
  return steps;
}

interface Target {
  readonly outside: string;
  readonly version: number;
  readonly settings: Readonly<Record<string, unknown>>;
}

function flowOf(id: string, steps: readonly Step[], { outside, version, settings }: Target): FlowJson {
  const nodes: Record<string, NodeJson> = {
    start: {
      operator: 'trigger.http',
      params: {
        path: `/${id}`,
        methods: ['POST'],
        auth: 'none',
        answer: 'immediately',
        notify: { url: `${outside}/told` },
      },
    },
  };
  const edges: { from: string; to: string }[] = [];
  for (const { name, parents, wait } of steps) {
    nodes[name] = posting(`${outside}/step/${id}/${name}?v=${version}&name={{ trigger.query.name }}`, name);
    let from = parents.length === 0 ? 'start.out' : `${parents[0]}.body`;
    if (parents.length > 1) {
      nodes[`join_${name}`] = {
        operator: 'core.join',
        params: { inputs: parents.map((one) => ({ name: one })) },
      };
      for (const one of parents) edges.push({ from: `${one}.body`, to: `join_${name}.${one}` });
      from = `join_${name}.out`;
    }
    if (wait === 'time') {
      nodes[`wait_${name}`] = { operator: 'logic.wait-until', params: { for: 2500 } };
      edges.push({ from, to: `wait_${name}.in` });
      from = `wait_${name}.out`;
    } else if (wait === 'person') {
      nodes[`ask_${name}`] = { operator: 'human.approval', params: { title: 'Go on?' } };
      edges.push({ from, to: `ask_${name}.in` });
      from = `ask_${name}.approved`;
    }
    edges.push({ from, to: `${name}.in` });
  }
  // A run with several last steps has no result of its own.
  const last = steps
    .map(({ name }) => name)
    .filter((name) => !steps.some(({ parents }) => parents.includes(name)));
  if (last.length > 1) {
    nodes['end'] = { operator: 'core.join', params: { inputs: last.map((name) => ({ name })) } };
    for (const name of last) edges.push({ from: `${name}.body`, to: `end.${name}` });
  }
  return { format: 1, id, nodes, edges, settings };
}

function posting(url: string, name: string): NodeJson {
  const params = { method: 'POST', url, bodyType: 'json', body: '{{ input }}', timeoutMs: 60_000 };
  const retry = { attempts: 10, backoffMs: 100, factor: 1, jitter: 0 };
  return { operator: 'http.request', params, ...(name === MOODY && { retry }) };
}

/** Tells each time of a schedule, every two seconds. */
export function tickFlow(outside: string): string {
  const tell = {
    method: 'POST',
    url: `${outside}/tick`,
    bodyType: 'json',
    body: '{{ input }}',
    timeoutMs: 60_000,
  };
  return JSON.stringify({
    format: 1,
    id: TICK,
    nodes: {
      clock: {
        operator: 'trigger.schedule',
        params: { cron: '*/2 * * * * *', catchUp: 'all', overlap: 'allow' },
      },
      tell: { operator: 'http.request', params: tell },
    },
    edges: [{ from: 'clock.out', to: 'tell.in' }],
  } satisfies FlowJson);
}
