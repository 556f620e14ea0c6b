import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canInstallRestate } from '../../tests/runner/services.ts';
import type { Line } from '../harness.ts';
import { tempFolder } from '../servers.ts';
import { chaos, linesOf, type Outcome, type Round } from './chaos/chaos.ts';
import type { Engine } from './chaos/cluster.ts';
import type { FaultKind } from './chaos/entries.ts';
import type { SoakContext, SoakPart } from './part.ts';

/** Milliseconds between two runs. */
const PACE_MS = 250;

const KINDS: Readonly<Record<Engine, readonly FaultKind[]>> = {
  openworkflow: ['kill', 'freeze', 'database', 'delay', 'drop', 'half-open', 'clock', 'deaf'],
  restate: ['kill', 'freeze', 'database', 'delay', 'drop', 'half-open', 'clock', 'deaf', 'restate'],
};

/** Each fault for itself, so that what it breaks is seen, then several at once: 2,000 runs. */
function roundsOf(engine: Engine): Round[] {
  const kinds = KINDS[engine];
  const each = Math.floor(2000 / (kinds.length + 1));
  const alone = kinds.map((kind): Round => ({ lanes: [[kind]], runs: each, times: 4 }));
  const half = Math.ceil(kinds.length / 2);
  const mixed = {
    lanes: [kinds.slice(0, half), kinds.slice(half)],
    runs: 2000 - each * kinds.length,
    times: 2,
  };
  return [...alone, mixed];
}

/** Some of everything, in about two minutes. */
const short: Record<Engine, readonly Round[]> = {
  openworkflow: [
    {
      lanes: [
        ['kill', 'database', 'clock'],
        ['freeze', 'drop', 'half-open'],
      ],
      runs: 60,
      times: 1,
    },
  ],
  restate: [
    {
      lanes: [
        ['kill', 'database'],
        ['restate', 'freeze'],
      ],
      runs: 60,
      times: 1,
    },
  ],
};

/** The log of everything, what the servers printed, and what was found: to find out why. */
function keep(engine: Engine, from: string, { violations }: Outcome): string {
  const to = join('.cache', `chaos-${engine}`);
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, filter: (path) => path === from || /\.(jsonl|log)$/.test(path) });
  writeFileSync(join(to, 'violations.json'), JSON.stringify(violations, undefined, 2));
  return to;
}

/** Durable runs on four processes to which everything happens that may. */
function chaosOf(engine: Engine, title: string): SoakPart {
  return {
    name: `chaos-${engine}`,
    title,
    async run(ctx: SoakContext): Promise<Line[]> {
      if (engine === 'restate' && !canInstallRestate())
        throw new Error('The server of Restate could not be installed.');
      using folder = tempFolder();
      const rounds = ctx.short ? short[engine] : roundsOf(engine);
      const at = join(folder.path, 'chaos');
      const outcome = await chaos({ engine, rounds, paceMs: PACE_MS }, at, ctx);
      if (outcome.violations.length > 0) ctx.say(`what happened is kept in ${keep(engine, at, outcome)}`);
      return linesOf(outcome);
    },
  };
}

export const chaosOpenWorkflow = chaosOf(
  'openworkflow',
  'Chaos: durable runs of four processes on one PostgreSQL (OpenWorkflow)',
);
export const chaosRestate = chaosOf(
  'restate',
  'Chaos: durable runs of four processes on three nodes of Restate',
);
