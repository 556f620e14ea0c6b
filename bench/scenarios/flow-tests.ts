import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { formatFlow } from '#engine/check';
import type { Flow } from '#shared/flow.ts';
import { type BenchContext, type Line, measureSlowness, median, type Scenario } from '../harness.ts';
import { tempFolder } from '../servers.ts';

const FLOWS = 50;
const CASES = 10;
const WEFT = fileURLToPath(new URL('../../server/weft.js', import.meta.url));

/** `weft test` as a build server calls it: a process that starts, reads all flows and runs their recorded cases. */
export const flowTests: Scenario = {
  name: 'flow-tests',
  title: 'Tests of flows: 500 recorded cases with answers of servers, code and templates',
  async run({ quick }: BenchContext): Promise<Line[]> {
    using folder = tempFolder();
    mkdirSync(join(folder.path, 'flows'));
    for (let i = 0; i < FLOWS; i++) writeFlow(join(folder.path, 'flows'), i);
    const seconds: number[] = [];
    for (let round = 0; round < (quick ? 1 : 5); round++) seconds.push(await timeTests(folder.path));
    return [
      {
        name: `${FLOWS * CASES} recorded cases of ${FLOWS} flows`,
        figure: median(seconds),
        unit: 's',
        bar: { kind: 'at most', value: 10 },
        slowness: measureSlowness(),
        note: 'with the start of the process',
      },
    ];
  },
};

async function timeTests(cwd: string): Promise<number> {
  const started = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [WEFT, 'test'], { cwd });
  const seconds = (performance.now() - started) / 1000;
  // A run that tests nothing is fast too.
  if (!stdout.endsWith(`${FLOWS * CASES} passed, 0 failed\n`)) throw new Error(stdout.slice(-500));
  return seconds;
}

function writeFlow(folder: string, i: number): void {
  const cases = Array.from({ length: CASES }, (_, n) => recordedCase(n));
  writeFileSync(join(folder, `order_${i}.json`), formatFlow(orderFlow(i)));
  writeFileSync(join(folder, `order_${i}.test.json`), JSON.stringify({ format: 1, cases }));
}

/** An order is looked up, priced by code, delivered or held back, and told in words; some wait for an hour. */
function orderFlow(i: number): Flow {
  const slow = i % 3 === 0 ? { pause: { operator: 'logic.delay', params: { ms: 3_600_000 } } } : undefined;
  return {
    format: 1,
    id: `order_${i}`,
    nodes: {
      start: { operator: 'trigger.manual' },
      fetch: { operator: 'http.request', params: { url: 'https://shop.example/{{ input.id }}' } },
      price: {
        operator: 'code.run',
        params: { source: `return { total: input.items.reduce((sum, one) => sum + one.price, ${i}) };` },
      },
      large: { operator: 'logic.if', params: { condition: '{{ input.total > 100 }}' } },
      told: { operator: 'core.merge' },
      ask: { operator: 'http.request', params: { url: 'https://stock.example', method: 'POST' } },
      hold: { operator: 'core.map', params: { value: { held: '{{ input.total }}' } } },
      ...slow,
      text: { operator: 'text.template', params: { template: 'Order: {{ input }}' } },
    },
    edges: [
      { from: 'start.out', to: 'fetch.in' },
      { from: 'fetch.body', to: 'price.in' },
      { from: 'price.out', to: 'large.in' },
      { from: 'large.then', to: 'hold.in' },
      { from: 'large.else', to: 'ask.in' },
      { from: 'hold.out', to: `${slow ? 'pause' : 'told'}.in` },
      ...(slow ? [{ from: 'pause.out', to: 'told.in' }] : []),
      { from: 'ask.body', to: 'told.in' },
      { from: 'told.out', to: 'text.in' },
    ],
  };
}

function recordedCase(n: number): object {
  return {
    name: `order ${n}`,
    input: { id: n },
    outputs: {
      fetch: { body: { items: Array.from({ length: n + 1 }, (_, at) => ({ price: at * 10 })) } },
      ask: { body: { stock: n } },
    },
    expect: { status: 'ok' },
  };
}
