import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { verdictOf } from './harness.ts';
import { type Section, table } from './report.ts';
import { bodies } from './soak/bodies.ts';
import { chaosOpenWorkflow, chaosRestate } from './soak/chaos-part.ts';
import { disk } from './soak/disk.ts';
import { longLoop } from './soak/long-loop.ts';
import { kills } from './soak/kills.ts';
import { nestedOnFolder, nestedOnPostgres, nestedOnRestate } from './soak/nested.ts';
import type { SoakPart } from './soak/part.ts';
import { searches } from './soak/searches.ts';
import { seeded } from './soak/random.ts';
import { summaries } from './soak/summaries.ts';
import { uploads } from './soak/uploads.ts';

/**
 * `npm run soak`: checks within an hour what must be true after thousands: kills at any moment, very many runs, random
 * requests. Prints a table; exit code 1 if any check failed. The same seed does the same things, though not at the same
 * microsecond.
 */
const parts: readonly SoakPart[] = [
  kills,
  nestedOnFolder,
  nestedOnPostgres,
  nestedOnRestate,
  longLoop,
  summaries,
  bodies,
  uploads,
  disk,
  searches,
  chaosOpenWorkflow,
  chaosRestate,
];

const usage = `npm run soak -- [--short] [--seed number] [--only name,name]

  --short  the same with less of it, in about a minute
  --seed   what chance begins with
  --only   ${parts.map(({ name }) => name).join(', ')}
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      seed: { type: 'string' },
      only: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return void process.stdout.write(usage);
  const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
  if (!Number.isSafeInteger(seed)) return refuse(`--seed ${values.seed}: write a whole number.`);
  const names = values.only?.split(',') ?? parts.map(({ name }) => name);
  const unknown = names.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined) return refuse(`There is no part ${unknown}.`);

  const sections: Section[] = [];
  for (const part of parts.filter(({ name }) => names.includes(name)))
    sections.push(await sectionOf(part, seed, values.short));
  process.stdout.write(`${table(sections)}\nseed ${seed}\n`);
  process.exitCode = sections.every(isGood) ? 0 : 1;
  // What a part that failed left open would keep this process, and who waits for it, for long.
  if (sections.some(({ error }) => error !== undefined)) process.exit();
}

async function sectionOf(part: SoakPart, seed: number, short: boolean): Promise<Section> {
  const { name, title } = part;
  const say = (text: string): void => void process.stderr.write(`  ${text}\n`);
  process.stderr.write(`${title} …\n`);
  const started = performance.now();
  try {
    return { name, title, lines: await part.run({ random: seeded(seed).fork(name), short, say }) };
  } catch (error) {
    return { name, title, lines: [], error: stackOf(error) };
  } finally {
    say(`${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
}

/** The stack of the first failure, even if the clean-up failed too. */
function stackOf(error: unknown): string | undefined {
  return error instanceof SuppressedError ? stackOf(error.suppressed) : (error as Error).stack;
}

function isGood({ lines, error }: Section): boolean {
  return error === undefined && lines.every((line) => verdictOf(line) !== 'MISS');
}

function refuse(message: string): void {
  process.stderr.write(`${message}\n\n${usage}`);
  process.exitCode = 2;
}

await main();
