import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { compiling } from '#engine';
import type { Flow } from '#shared/flow.ts';
import { LARGE_TEXT } from './examinations.ts';
import { actorNamed, type FixtureChanges, flowFixture, type FlowFixture } from './testing/flow-fixture.ts';

let f: FlowFixture;
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(async () => {
  vi.useRealTimers();
  await f.end();
});
const aMomentLater = () => vi.advanceTimersByTime(1000);

/** A flow that is checked in the thread. */
function largeText(says: string): string {
  const ids = Array.from({ length: 800 }, (_, i) => `n${i}`);
  const node = { operator: 'text.template', params: { template: `${says} ${'x'.repeat(100)}` } };
  const nodes = { start: { operator: 'trigger.manual' }, ...Object.fromEntries(ids.map((id) => [id, node])) };
  const edges = ids.map((id) => ({ from: 'start.out', to: `${id}.in` }));
  const text = JSON.stringify({ format: 1, id: 'big', nodes, edges });
  expect(text.length).toBeGreaterThan(LARGE_TEXT);
  return text;
}

/** The texts in the nodes of flows whose compiling has begun. */
const begun: string[] = [];
const counted: FixtureChanges['compiling'] = (flow, ...rest) => {
  begun.push(saidIn(flow));
  return compiling(flow, ...rest);
};
function saidIn({ nodes }: Flow): string {
  return String(nodes['n0']?.params?.['template']).split(' ')[0] as string;
}

async function save(text: string) {
  const { revision } = await f.service.get('big');
  return f.service.save('big', text, { revision, actor: actorNamed('ada') });
}

it('a large flow that is saved again before anybody calls it is compiled once, a moment later', async () => {
  begun.length = 0;
  f = await flowFixture({ 'big.json': largeText('one') }, { compiling: counted });
  for (const says of ['two', 'three']) expect(await save(largeText(says))).toMatchObject({ state: 'live' });
  expect(begun).toEqual([]);
  expect(f.service.live('big')?.toCompile).toBeTypeOf('function');
  aMomentLater();
  await expect.poll(() => f.service.live('big')?.toCompile).toBeUndefined();
  expect(begun).toEqual(['three']);
});

it('a large flow that serves and cannot be compiled is in the log', async () => {
  const refused: FixtureChanges['compiling'] = () => {
    throw new Error('no plan for this');
  };
  f = await flowFixture({ 'big.json': largeText('one') }, { compiling: refused });
  expect(await save(largeText('two'))).toMatchObject({ state: 'live' });
  aMomentLater();
  await expect.poll(() => f.log.map(({ message }) => message).join()).toMatch(/cannot be compiled/);
  expect(() => f.service.live('big')?.compiled).toThrow('no plan for this');
});
