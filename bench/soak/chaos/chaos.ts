import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Line } from '../../harness.ts';
import { fact, never, pause, type SoakContext } from '../part.ts';
import type { Random } from '../random.ts';
import { type Audit, startAudit } from './audit.ts';
import { type Cluster, type Engine, type Process, startCluster } from './cluster.ts';
import { startEffects } from './effects.ts';
import { type Entry, EntryLog, type FaultKind, faultKinds, only } from './entries.ts';
import { faults } from './faults.ts';
import { drawFlows, tickFlow } from './flows.ts';
import { caseOf, invariants, judge, repeated, type Violation } from './judge.ts';
import { Load } from './load.ts';

const FLOWS = 12;
/** How long all runs may take after the last fault of a round, in milliseconds. */
const SETTLE_MS = 180_000;
/** How long a process may take to be ready again after the last fault, in milliseconds. */
const BACK_MS = 60_000;
const STALL_MS = 700;
/** A lane goes through its faults no more often than so many times what was asked. */
const MOST_TIMES = 5;
/** How often in a row no run is found that goes on: retries of failed ones begin in between. */
const QUIET = 3;

/** A while in which runs are started and these faults happen, one after the other in each lane. */
export interface Round {
  readonly lanes: readonly (readonly FaultKind[])[];
  readonly runs: number;
  /** How often each lane goes through its faults. */
  readonly times: number;
}

export interface ChaosPlan {
  readonly engine: Engine;
  readonly rounds: readonly Round[];
  /** Milliseconds between two runs. */
  readonly paceMs: number;
}

export interface Outcome {
  readonly entries: readonly Entry[];
  readonly violations: readonly Violation[];
  readonly surprises: readonly string[];
  /** Processes that did not serve again, though nothing happened to them any more. */
  readonly gone: readonly string[];
}

interface Scene {
  readonly cluster: Cluster;
  readonly load: Load;
  readonly log: EntryLog;
  readonly audit: Audit;
  readonly random: Random;
  readonly paceMs: number;
  readonly say: SoakContext['say'];
}

/** Carries the plan out; what happened lies in `folder`. */
export async function chaos(
  { engine, rounds, paceMs }: ChaosPlan,
  folder: string,
  { random, say }: Pick<SoakContext, 'random' | 'say'>,
): Promise<Outcome> {
  mkdirSync(folder, { recursive: true });
  const log = new EntryLog(join(folder, 'entries.jsonl'));
  await using stack = new AsyncDisposableStack();
  const effects = stack.use(await startEffects(log, random.fork('effects')));
  const cluster = stack.use(await startCluster(engine, folder));
  const audit = stack.use(await startAudit(cluster.url, engine));
  const flows = drawFlows(FLOWS, effects.url, random.fork('flows'));
  const load = new Load({ cluster, effects, log, flows, random: random.fork('load') });
  for (const flow of flows) await load.publish(flow);
  await load.publish({ id: 'tick', parents: {}, text: () => tickFlow(effects.url) });
  stack.use(watchMachine(audit, log));
  const scene = { cluster, load, log, audit, random, paceMs, say };
  for (const round of rounds) {
    const begun = performance.now();
    await carryOut(round, scene, () =>
      load.publish(flows[random.between(0, FLOWS - 1)] as (typeof flows)[number]),
    );
    say(
      `${engine}: ${round.lanes.flat().join(', ')}: ${round.runs} runs in ${((performance.now() - begun) / 1000).toFixed(0)} s`,
    );
  }
  const gone = await Promise.all(cluster.processes.map((one) => comesBack(one)));
  for (const entry of await audit.read()) log.add(entry);
  for (const one of cluster.processes)
    for (const stall of one.stalls()) log.add({ kind: 'stall', ...stall, node: one.name });
  const entries = log.read();
  const violations = judge(entries);
  for (const one of cluster.processes) writeFileSync(join(folder, `${one.name}.log`), one.output());
  return { entries, violations, surprises: load.surprises, gone: gone.flat() };
}

async function carryOut(
  { lanes, runs, times }: Round,
  scene: Scene,
  publish: () => Promise<void>,
): Promise<void> {
  const { cluster, load, log, random, paceMs } = scene;
  const of = { cluster, log, random: random.fork(lanes.flat().join()) };
  const begun = Promise.withResolvers<void>();
  const starting = Promise.all(
    Array.from({ length: runs }, async (_, n) => {
      await pause(n * paceMs);
      await load.begin();
      begun.resolve();
    }),
  );
  let isStarting = true;
  void starting.finally(() => (isStarting = false)).catch(() => {});
  const faulty = Promise.all(
    lanes.map(async (lane) => {
      await begun.promise;
      // On a busy machine runs take longer to start than faults to pass.
      for (let time = 0; time < times || (isStarting && time < MOST_TIMES * times); time++)
        for (const kind of lane) {
          await pause(random.between(0, 1500));
          await faults[kind](of);
        }
    }),
  );
  let isFaulty = true;
  const faultless = faulty.finally(() => (isFaulty = false));
  const background = [
    again(() => isFaulty, 4000, publish),
    again(
      () => isFaulty,
      1000,
      () => load.revoke(),
    ),
  ];
  await Promise.all([
    faultless,
    starting,
    ...background,
    people(load, async () => {
      await Promise.all([faultless, starting]);
      await settle(scene);
    }),
  ]);
}

async function again(isOn: () => boolean, ms: number, work: () => Promise<void>): Promise<void> {
  while (isOn()) {
    await work();
    await pause(ms);
  }
}

/** They answer and retry until `work` is done. */
async function people(load: Load, work: () => Promise<void>): Promise<void> {
  let isOn = true;
  const working = work().finally(() => (isOn = false));
  await Promise.all([
    working,
    again(
      () => isOn,
      300,
      () => load.approve(),
    ),
    again(
      () => isOn,
      300,
      () => load.retry(),
    ),
  ]);
}

/** Until every run has ended and was told, or for long enough. Runs of the schedule are always there, for a moment. */
async function settle({ audit }: Scene): Promise<void> {
  const limit = performance.now() + SETTLE_MS;
  for (let quiet = 0; quiet < QUIET && performance.now() < limit; await pause(300))
    quiet = (await audit.open()) === 0 ? quiet + 1 : 0;
}

/** Its name, if it is not ready in time. */
async function comesBack({ name, url }: Process): Promise<string[]> {
  const limit = performance.now() + BACK_MS;
  while (performance.now() < limit) {
    const signal = AbortSignal.timeout(BACK_MS);
    const answer = url && (await fetch(`${url}/readyz`, { signal }).catch(() => undefined));
    if (answer && answer.ok) return [];
    await pause(300);
  }
  return [`${name} is not ready`];
}

/** Notes when this process, or the database without a gate, stood still. */
function watchMachine(audit: Audit, log: EntryLog): Disposable {
  let isOn = true;
  const watching = async (work: () => Promise<unknown>): Promise<void> => {
    for (let at = Date.now(); isOn; at = Date.now()) {
      await Promise.all([work(), pause(100)]);
      const until = Date.now();
      if (isOn && until - at > STALL_MS) log.add({ kind: 'stall', at, until });
    }
  };
  void watching(() => Promise.resolve());
  void watching(() => audit.open());
  return { [Symbol.dispose]: () => void (isOn = false) };
}

/** Counts by invariant and fault. */
export function linesOf({ entries, violations, surprises, gone }: Outcome): Line[] {
  const of = caseOf(entries);
  const again_ = repeated(of);
  const all = of.faults;
  const count = (kind: FaultKind): number => all.filter(({ fault }) => fault === kind).length;
  return [
    fact('runs', only(entries, 'run').length),
    fact('steps executed', of.calls.length),
    fact('steps in flight at a fault, repeated', again_.filter(({ excuse }) => excuse === 'fault').length),
    fact(
      'steps in flight when the machine stood still, repeated',
      again_.filter(({ excuse }) => excuse === 'stall').length,
    ),
    fact(
      'tries of revoked keys that were refused',
      only(entries, 'tried').filter(({ status }) => status >= 400).length,
    ),
    ...faultKinds.filter((kind) => count(kind) > 0).map((kind) => fact(`faults: ${kind}`, count(kind))),
    ...invariants.map((invariant) => {
      const found = violations.filter((one) => one.invariant === invariant);
      const by = faultKinds.map(
        (kind) => [kind, found.filter(({ fault }) => fault === kind).length] as const,
      );
      const where = by.flatMap(([kind, n]) => (n > 0 ? [`${kind} ${n}`] : [])).join(', ');
      return never(
        invariant,
        found.map(({ text }) => `${where}; ${text}`),
      );
    }),
    never('processes that did not come back', gone),
    never('answers that nobody expects', surprises),
  ];
}
