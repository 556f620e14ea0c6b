import { pause } from '../part.ts';
import type { Random } from '../random.ts';
import type { Cluster, Process } from './cluster.ts';
import type { EntryLog, FaultKind, Of } from './entries.ts';

/** Longer than a claim holds, and than a permission may be old, in milliseconds. */
const FREEZE_MS = 15_000;
/** How wrong clocks are, in milliseconds. */
const HOUR_MS = 3_600_000;
const AWAY_MS = { from: 100, to: 6000 };

interface Scene {
  readonly cluster: Cluster;
  readonly log: EntryLog;
  readonly random: Random;
}

type Fault = (of: Scene) => Promise<void>;

/** Does it, and writes it down once it is over. */
export const faults: Readonly<Record<FaultKind, Fault>> = {
  kill: (of) =>
    ofOne('kill', of, async (one) => {
      await one.kill();
      await pause(of.random.between(0, 3000));
      await one.start();
    }),
  freeze: (of) =>
    ofOne('freeze', of, async (one) => {
      one.freeze();
      await pause(FREEZE_MS);
      one.thaw();
    }),
  async database({ cluster, log, random }) {
    await noted({ log, fault: 'database' }, async () => {
      await cluster.postgres.crash();
      await pause(random.between(AWAY_MS.from, AWAY_MS.to));
      await cluster.postgres.start();
    });
  },
  delay: (of) =>
    ofOne('delay', of, async ({ gate }) => {
      gate.delayMs = of.random.between(200, 2500);
      gate.mode = 'delay';
      await pause(of.random.between(3000, 8000));
      gate.mode = 'pass';
    }),
  drop: (of) =>
    ofOne('drop', of, async ({ gate }) => {
      gate.mode = 'refuse';
      gate.cut();
      await pause(of.random.between(AWAY_MS.from, AWAY_MS.to));
      gate.mode = 'pass';
      for (let cuts = of.random.between(0, 4); cuts > 0; cuts--) {
        await pause(of.random.between(50, 500));
        gate.cut();
      }
    }),
  /** The connections of before are never heard of again; sometimes new ones work at once. */
  'half-open': (of) =>
    ofOne('half-open', of, async ({ gate }) => {
      gate.mute();
      if (of.random.next() < 0.5) gate.mode = 'half-open';
      await pause(of.random.between(3000, 8000));
      gate.mode = 'pass';
      // Until the process itself finds out.
      await pause(20_000);
    }),
  clock: (of) =>
    ofOne('clock', of, async (one) => {
      await restart(one, of.log, of.random.next() < 0.5 ? HOUR_MS : -HOUR_MS);
      await pause(of.random.between(10_000, 20_000));
      await restart(one, of.log);
    }),
  /** No notice of the database arrives anywhere. */
  async deaf({ cluster, log, random }) {
    await noted({ log, fault: 'deaf' }, async () => {
      for (const { gate } of cluster.processes) {
        gate.isDeaf = true;
        gate.mute('listening');
      }
      await pause(random.between(20_000, 30_000));
      for (const { gate } of cluster.processes) {
        gate.isDeaf = false;
        gate.cut();
      }
    });
  },
  async restate({ cluster, log, random }) {
    const node = cluster.restate[random.between(0, cluster.restate.length - 1)];
    await noted({ log, fault: 'restate' }, async () => {
      await node?.kill();
      await pause(random.between(AWAY_MS.from, AWAY_MS.to));
      await node?.start();
    });
  },
};

async function restart(one: Process, log: EntryLog, shiftMs = 0): Promise<void> {
  await noted({ log, fault: 'kill', node: one.name, during: 'clock' }, async () => {
    await one.kill();
    await one.start(shiftMs);
  });
}

async function noted(
  { log, ...of }: { readonly log: EntryLog } & Pick<Of<'fault'>, 'fault' | 'node' | 'during'>,
  work: () => Promise<void>,
): Promise<void> {
  const at = Date.now();
  await work();
  log.add({ kind: 'fault', at, until: Date.now(), ...of });
}

/** Does it to a process to which nothing happens at the moment: two faults at once would start it twice. */
async function ofOne(
  fault: FaultKind,
  { cluster: { processes }, log, random }: Scene,
  work: (one: Process) => Promise<void>,
): Promise<void> {
  while (processes.every(({ isFaulty }) => isFaulty)) await pause(100);
  const well = processes.filter(({ isFaulty }) => !isFaulty);
  const one = well[random.between(0, well.length - 1)] as Process;
  one.isFaulty = true;
  await noted({ log, fault, node: one.name }, () => work(one));
  one.isFaulty = false;
}
