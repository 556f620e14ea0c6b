import { mkdirSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { compile } from '#engine';
import { linearRegex } from '../adapters/regex.ts';
import { createTriggerTable } from '../triggers/table.ts';
import { createFlowService } from './flow-service.ts';
import { builtInRegistry, helloFlow } from './testing/flow-fixture.ts';
const root = '/tmp/scale'; const n = 10000;
if (process.argv[2]) rmSync(root + '/data', { recursive: true, force: true });
if (!existsSync(root + '/flows/f_1.json')) { mkdirSync(root + '/flows', { recursive: true });
for (let i = 0; i < n; i++) writeFileSync(`${root}/flows/f_${i}.json`, helloFlow('f_' + i, { says: 'Hello, {{ input.name }} ' + i })); }
const registry = await builtInRegistry();
const say = () => undefined;
const t0 = performance.now();
const triggers = createTriggerTable();
const s = await createFlowService({ config: { flows: [root + '/flows'], data: root + '/data', editor: 'on', deploy: 'on-save' }, log: { info: say, warn: console.log, error: console.log }, registry, triggers, variables: { snapshot: () => ({}) }, compile, tools: { regex: linearRegex }, host: { now: Date.now } });
console.log('load ms', performance.now() - t0, s.list().length, s.list().filter((f) => f.state !== 'live').slice(0, 2), Math.round(process.memoryUsage().rss / 1e6), 'MB');
const t1 = performance.now(); s.list(); console.log('list', performance.now() - t1);
for (let r = 0; r < 3; r++) {
await new Promise((ok) => setTimeout(ok, Number(process.argv[3] ?? 0)));
const times = [];
for (let i = 0; i < 30; i++) {
  const id = 'f_' + i; const doc = await s.get(id);
  const a = performance.now();
  await s.save(id, helloFlow(id, { says: `changed ${r} {{ input.name }}` + i }), { revision: doc.revision, author: 'x' });
  times.push(performance.now() - a);
}
times.sort((a, b) => a - b);
console.log('publish ms p50', times[15].toFixed(1), 'max', times[29].toFixed(1));
}
const t2 = performance.now();
for (const { id } of s.list()) s.live(id)?.compiled;
console.log('compile all', performance.now() - t2);
if (process.argv[2]) await new Promise((ok) => setTimeout(ok, 40000)); await s.close();
for (let i = 0; i < 30; i++) writeFileSync(`${root}/flows/f_${i}.json`, helloFlow('f_' + i, { says: 'Hello, {{ input.name }} ' + i }));
