import { afterAll, expect, test } from 'vitest';
import { compiling } from '#engine';
import { flowSchemas } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { createTriggerTable } from '../../api/triggers/table.ts';
import { createJudgeThread, type JudgeThread } from './apart/judge-thread.ts';
import { type InferSchemas, signatureOf } from './called-flows.ts';
import { createExaminations, LARGE_TEXT } from './examinations.ts';
import type { ExamineDeps, Examined } from './examine.ts';
import { builtInRegistry } from './testing/flow-fixture.ts';

const registry = await builtInRegistry();
const variables: Record<string, unknown> = {};
const deps: ExamineDeps = {
  registry,
  compiling,
  tools: {} as never,
  variables: { snapshot: () => variables },
  triggers: createTriggerTable(),
};
let inferred = 0;
const countedThread = (): JudgeThread => ({
  ...real,
  judge: ({ ...text }, around) => real.judge(text, (read, infer) => around(read, counted(infer))),
  infer: (flow) => counted(real.infer)(flow),
});
function counted(infer: InferSchemas): InferSchemas {
  return (flow) => {
    inferred++;
    return infer(flow);
  };
}
const real = createJudgeThread(registry.catalog);
let asked = 0;
const thread: JudgeThread = {
  ...real,
  judge(...args) {
    asked++;
    return real.judge(...args);
  },
};
const { examine, now, current, compiled } = createExaminations(deps, thread);
afterAll(() => thread.close());

/** A flow too large to be checked in this thread; each node has this text in a template. */
function largeFlow(template: string): string {
  const ids = Array.from({ length: 800 }, (_, i) => `n${i}`);
  const node = { operator: 'text.template', params: { template: `${template} ${'x'.repeat(100)}` } };
  const nodes = { start: { operator: 'trigger.manual' }, ...Object.fromEntries(ids.map((id) => [id, node])) };
  const edges = ids.map((id) => ({ from: 'start.out', to: `${id}.in` }));
  const text = JSON.stringify({ format: 1, id: 'big', nodes, edges });
  expect(text.length).toBeGreaterThan(LARGE_TEXT);
  return text;
}

/** A flow on one line, which is not canonical. */
function oneNode(value: string): string {
  const nodes = { start: { operator: 'trigger.manual' }, a: { operator: 'core.map', params: { value } } };
  return JSON.stringify({ format: 1, id: 'one', nodes, edges: [{ from: 'start.out', to: 'a.in' }] });
}

const dataOf = ({ plans: _, ...data }: Examined) => data;
const codes = ({ problems }: Examined) => [...new Set(problems.map(({ code }) => code))];

test.each([
  ['without problems', largeFlow('plain')],
  ['with problems', largeFlow('{{ vars.absent }}')],
  ['that is no flow', `{ "format": 1, "id": "big", "nodes": ${'['.repeat(LARGE_TEXT)}`],
])('a large text %s is judged in a thread as on the spot', async (_what, text) => {
  const before = asked;
  for (const places of ['source', 'canonical'] as const) {
    expect(dataOf(await examine('big', text, { places }))).toEqual(dataOf(now('big', text, places)));
  }
  const bytes = new TextEncoder().encode(text);
  expect(dataOf(await examine('big', bytes))).toEqual(dataOf(now('big', bytes)));
  expect(asked - before).toBe(3);
});

test('problems of a written text are reported with their places in it', () => {
  const text = oneNode('TOO LONG').replace('{"value":"TOO LONG"}', '{"value":"text"},"disabled":true');
  const given = now('one', text);
  const written = now('one', text, 'canonical');
  const kept = now('one', written.text);
  expect([given.source, written.source]).toEqual([text, given.text]);
  expect(new Set(given.problems.map(({ line }) => line))).toEqual(new Set([1]));
  expect(dataOf(written)).toEqual(dataOf(kept));
  expect(written.problems.map(({ line }) => line)).not.toContain(1);
  expect(codes(written)).toEqual(['disabled-node']);
});

test('a flow has the order of its canonical text, in whatever order it was written', async () => {
  const template = { operator: 'text.template', params: { template: 'x' } };
  const nodes = { z: template, start: { operator: 'trigger.manual' }, b: template, a: template };
  const edges = ['z', 'b', 'a'].map((id) => ({ from: 'start.out', to: `${id}.in` }));
  const { flow, text } = await examine('one', JSON.stringify({ format: 1, id: 'one', nodes, edges }), {
    places: 'canonical',
  });
  const { flow: read } = await examine('one', text);
  expect(JSON.stringify([Object.keys(flow?.nodes ?? {}), flow?.edges])).toBe(
    JSON.stringify([Object.keys(read?.nodes ?? {}), read?.edges]),
  );
  expect(flow?.edges.map(({ to }) => to)).toEqual(['a.in', 'b.in', 'z.in']);
});

test('a result is valid until its surroundings change, and is then computed again once', async () => {
  const reading = await examine('big', largeFlow('{{ vars.later }}'));
  const other = await examine('big', largeFlow('plain'));
  const before = asked;
  expect(await current('big', reading)).toBe(reading);
  variables['later'] = 1;
  const [one, two] = await Promise.all([current('big', reading), current('big', reading)]);
  expect(one).toBe(two);
  expect([codes(reading), codes(one)].map((all) => all.includes('unknown-variable'))).toEqual([true, false]);
  expect(await current('big', one)).toBe(one);
  expect(await current('big', other)).toBe(other);
  expect(asked - before).toBe(1);
});

test('plans are compiled once, whatever surrounds the text, and let others have their turn', async () => {
  let begun = 0;
  let turns = 0;
  const slow: ExamineDeps['compiling'] = function* (flow, version) {
    begun++;
    for (let i = 0; i < 30; i++) {
      for (const until = performance.now() + 1; performance.now() < until; );
      yield;
    }
    return { id: flow.id, version, plans: new Map() };
  };
  const changing: Record<string, unknown> = { one: 1 };
  const snapshot = (): Record<string, unknown> => changing;
  const slowly = createExaminations({ ...deps, compiling: slow, variables: { snapshot } }, thread);
  const text = oneNode('{{ vars.one }}');
  const examined = await slowly.examine('one', text);
  const counting = setInterval(() => turns++, 0);
  await slowly.compiled(examined);
  clearInterval(counting);
  expect(turns).toBeGreaterThan(0);
  changing['two'] = 2;
  const again = await slowly.current('one', examined);
  expect(again).not.toBe(examined);
  expect(again.plans.all()).toBe(examined.plans.all());
  expect(begun).toBe(1);
});

test('some of many concurrent texts are refused, the others are checked', async () => {
  const text = largeFlow('many');
  const all = Array.from({ length: 20 }, (_, i) => examine('big', `${text}${' '.repeat(i)}`));
  const outcomes = (await Promise.allSettled(all)).map((one) =>
    one.status === 'fulfilled' ? 'judged' : (one.reason as { code: string }).code,
  );
  expect(outcomes.filter((code) => code === 'judged')).toHaveLength(16);
  expect(outcomes.slice(16)).toEqual(Array(4).fill('overloaded'));
});

test('a thread that is gone is replaced, and meanwhile a text is judged on the spot', async () => {
  const text = largeFlow('again');
  const judging = examine('big', text);
  await thread.close();
  expect(dataOf(await judging)).toEqual(dataOf(now('big', text)));
  const before = asked;
  expect(await compiled(await examine('big', text))).toMatchObject({ runnable: true });
  expect(asked - before).toBe(1);
});

test('the types of a large flow that others call are inferred in the thread, once', async () => {
  const { flow, version, triggers, calls } = now('big', largeFlow('plain'));
  const signature = () =>
    signatureOf('big', { flow: flow as Flow, version, triggers, calls }, registry.catalog);
  const whole = createExaminations({ ...deps, called: { find: signature } }, countedThread());
  const small = oneNode('x').replace('"core.map"', '"flow.call"').replace('"value":"x"', '"flow":"big"');
  expect(signature().inferApart).toBeDefined();
  // Both at once, and a large caller, which occupies the thread itself.
  const caller = largeFlow('plain').replace(
    '"nodes":{',
    '"nodes":{"call":{"operator":"flow.call","params":{"flow":"big"}},',
  );
  await Promise.all([
    whole.examine('one', small),
    whole.examine('two', caller),
    whole.examine('three', small),
  ]);
  expect(inferred).toBeGreaterThan(0);
  expect(signature().inferApart).toBeUndefined();
  expect(signature().schemas).toEqual(flowSchemas(flow as Flow, registry.catalog));
  const before = inferred;
  await whole.examine('one', `${small} `);
  expect(await whole.schemas(signature())).toEqual(signature().schemas);
  expect(inferred).toBe(before);
});

test('a caller that needs types of a large flow at once keeps the earlier result, until they are inferred', async () => {
  const { flow, triggers, calls } = now('big', largeFlow('plain'));
  let version = '1';
  const find = () => signatureOf('big', { flow: flow as Flow, version, triggers, calls }, registry.catalog);
  const whole = createExaminations({ ...deps, called: { find } }, thread);
  const small = oneNode('x').replace('"core.map"', '"flow.call"').replace('"value":"x"', '"flow":"big"');
  const kept = whole.now('one', small);
  version = '2';
  const { flow: same } = now('big', largeFlow('plain'));
  const findNew = () =>
    signatureOf('big', { flow: same as Flow, version, triggers, calls }, registry.catalog);
  const later = createExaminations({ ...deps, called: { find: findNew } }, thread);
  expect(later.currentNow('one', kept)).toBe(kept);
  expect(await later.current('one', kept)).not.toBe(kept);
  expect(later.currentNow('one', kept)).not.toBe(kept);
});
