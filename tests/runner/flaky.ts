import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { root } from './folders.ts';
import type { Failure, Result } from './stage.ts';

/** One run of a stage: when it ended (ISO 8601), and the titles of its flaky tests. */
interface StageRun {
  readonly at: string;
  readonly flaky: readonly Pick<Failure, 'title' | 'command'>[];
}

/** By stage name, oldest first. */
type History = Readonly<Record<string, readonly StageRun[]>>;

/** By title: the time of the mend (ISO 8601). */
type Mends = Readonly<Record<string, string>>;

/** So many runs of a stage are remembered. */
const RUNS = 10;
/** Flaky this often within them, a test counts as failed. */
const TOO_OFTEN = 2;

const mendsFile = `${root}tests/runner/mended.json`;

/**
 * Adds these results to the history in `file`, and counts each test that was flaky twice in the last ten runs of its stage as
 * failed, although it passed: until its entry in `tests/runner/mended.json` says that it was mended after those runs.
 */
export function withHistory(
  results: readonly Result[],
  file: string,
  mends: Mends = JSON.parse(readFileSync(mendsFile, 'utf8')) as Mends,
): Result[] {
  const before = readHistory(file);
  const at = new Date().toISOString();
  const now = results.map(({ name, flaky }): [string, readonly StageRun[]] => {
    const run = { at, flaky: flaky.map(({ title, command }) => ({ title, command })) };
    return [name, [...(before[name] ?? []), run].slice(-RUNS)];
  });
  const history: History = { ...before, ...Object.fromEntries(now) };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(history, null, 2)}\n`);
  renameSync(`${file}.new`, file);
  return results.map((result) => withRepeated(result, repeated(history[result.name] ?? [], mends)));
}

function repeated(runs: readonly StageRun[], mends: Mends): Failure[] {
  const counted = runs.flatMap(({ at, flaky }) =>
    flaky.filter(({ title }) => !(title in mends) || at > (mends[title] as string)),
  );
  const byTitle = Map.groupBy(counted, ({ title }) => title);
  return [...byTitle.values()].flatMap((all) =>
    all.length < TOO_OFTEN
      ? []
      : [
          {
            ...(all[0] as StageRun['flaky'][number]),
            message: `It was flaky in ${all.length} of the last ${runs.length} runs. Mend it, and enter its title with the time of the mend into tests/runner/mended.json.`,
          },
        ],
  );
}

function withRepeated(result: Result, flakyTooOften: readonly Failure[]): Result {
  const known = new Set(result.failures.map(({ title }) => title));
  const added = flakyTooOften.filter(({ title }) => !known.has(title));
  const { passed, failed } = result.count;
  return {
    ...result,
    count: { passed: Math.max(0, passed - added.length), failed: failed + added.length },
    failures: [...result.failures, ...added],
  };
}

/** A file that is missing or damaged is an empty history. */
function readHistory(file: string): History {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as History;
  } catch {
    return {};
  }
}
