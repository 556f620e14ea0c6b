import { test } from 'vitest';
import pino from 'pino';
import { createRunHub } from './run-hub.ts';
import { createMemoryHistory } from './memory-history.ts';
import { fakeFlow, fakeRequest } from './testing/fake-run.ts';
import { makeRunIds } from './run-ids.ts';

const host = {
  now: () => Date.now(),
  random: Math.random,
  id: () => 'x',
  timer(ms: number, fn: () => void) {
    const t = setTimeout(fn, ms);
    return () => clearTimeout(t);
  },
  defer: (fn: () => void) => void setImmediate(fn),
};
const outcome = { status: 'ok' as const, error: undefined, ms: 0, nodes: { ok: 2, failed: 0, skipped: 0 } };
class Light {
  id;
  flow = 'hello';
  version = 'v1';
  trigger = 'trigger';
  startedAt;
  answer = undefined;
  outcome = outcome;
  constructor(id: string, at: number) {
    this.id = id;
    this.startedAt = at;
  }
  onAnswer() {}
  onEnd(fn: any) {
    fn(outcome);
  }
  observe() {
    return () => {};
  }
  events() {
    return [
      { kind: 'run-finished', run: this.id, seq: 1, at: 1, status: 'ok', ms: 1, nodes: outcome.nodes } as any,
    ];
  }
  cancel() {}
}
test('bench', async () => {
  const at = Date.now();
  const start = (plan: any, o: any, h: any) => new Light(o.id, h.now()) as any;
  const history = createMemoryHistory();
  const hub = createRunHub({
    host,
    history,
    log: pino({ level: 'silent' }),
    maxRuns: 1000,
    variables: () => ({}),
    start,
  });
  const request = fakeRequest(fakeFlow());
  const ids = makeRunIds(() => Date.now());
  let sink: any;
  for (let r = 0; r < 6; r++) {
    const n = 200_000;
    let t = performance.now();
    for (let i = 0; i < n; i++) {
      sink = start({}, { id: ids(), request: {}, output: 1, vars: {}, timeoutMs: 1 }, host);
      if (i % 100 === 99) await new Promise((f) => setImmediate(f));
    }
    const base = performance.now() - t;
    t = performance.now();
    for (let i = 0; i < n; i++) {
      sink = hub.start(request);
      if (i % 100 === 99) await new Promise((f) => setImmediate(f));
    }
    const full = performance.now() - t;
    t = performance.now();
    for (let i = 0; i < n; i++) sink = ids();
    const idt = performance.now() - t;
    console.log(
      'base',
      ((base / n) * 1e6).toFixed(0),
      'hub',
      ((full / n) * 1e6).toFixed(0),
      'diff',
      (((full - base) / n) * 1e6).toFixed(0),
      'ids',
      ((idt / n) * 1e6).toFixed(0),
      process.memoryUsage().heapUsed >> 20,
    );
  }
  console.log(hub.stats(), sink.id);
});
