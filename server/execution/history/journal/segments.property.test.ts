import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fc } from '../../../../tests/support/property.ts';
import { afterEach, describe, expect, test } from 'vitest';
import type { RunSummary } from '#shared/run-event.ts';
import { tempFolder } from '../../../testing/platform-bed.ts';
import type { RunQuery } from '../history.ts';
import { createDiskBlobs } from '../blobs/disk-blobs.ts';
import { batch, row } from '../history.contract.ts';
import { packRows } from './packs.ts';
import { Segments } from './segments.ts';

const DAY_MS = 24 * 3600 * 1000;
const open: Segments[] = [];
afterEach(() => {
  for (const segments of open.splice(0)) segments.close();
});

interface Bed {
  /** Folder of the files. */
  readonly runs: string;
  readonly segments: () => Segments;
  append(rows: readonly RunSummary[]): void;
  nextDay(): void;
  /** Opens them again, as after a crash. */
  reopen(): void;
}

async function bedOf(): Promise<Bed> {
  const folder = await tempFolder();
  let now = Date.UTC(2026, 0, 1);
  const make = (): Segments => {
    const blobs = createDiskBlobs(join(folder, 'blobs'));
    const limits = { bytes: 1e9, days: 100_000 };
    const made = new Segments({ folder: join(folder, 'runs'), limits, blobs, now: () => now });
    open.push(made);
    return made;
  };
  let segments = make();
  return {
    runs: join(folder, 'runs'),
    segments: () => segments,
    append(rows) {
      const { packs, rest } = packRows(rows);
      segments.append({ rows: rest, packs, batches: [] });
    },
    nextDay() {
      now += DAY_MS;
    },
    reopen() {
      segments.close();
      segments = make();
    },
  };
}

const plain = fc.record({
  flow: fc.constantFrom('a', 'b'),
  source: fc.constantFrom('http' as const, 'chat' as const),
  ms: fc.double({ min: 0, max: 100, noNaN: true }).map((ms) => ms + 0),
});
const special = fc.constantFrom<Partial<RunSummary>>(
  { status: 'failed', error: { code: 'bad_input', message: 'No.' } },
  { status: 'cancelled' },
  { parent: 'x1' },
  { cost: 2, tokens: { input: 1, output: 1 } },
);
/** Mostly plain runs, as under load. */
const one = fc.tuple(plain, fc.option(special, { freq: 8 })).map(([head, more]) => ({ ...head, ...more }));
const batches = fc.array(fc.array(one, { minLength: 1, maxLength: 120 }), { minLength: 1, maxLength: 6 });

const query: fc.Arbitrary<RunQuery> = fc.record(
  {
    limit: fc.integer({ min: 1, max: 60 }),
    flow: fc.constantFrom('a', 'b', 'none'),
    status: fc.constantFrom('ok', 'failed'),
    source: fc.constantFrom('http', 'chat'),
    code: fc.constant('bad_input'),
    parent: fc.constant('x1'),
    nested: fc.boolean(),
    before: fc.integer({ min: 0, max: 600 }).map(idAt),
    since: fc.integer({ min: 1000, max: 1300 }),
    until: fc.integer({ min: 1000, max: 1300 }),
    text: fc.constantFrom('R01', '3', 'a', 'bad_input', 'b '),
  },
  { requiredKeys: ['limit'] },
);

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('ask' as const), query }) },
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(600) }),
  fc.record({ kind: fc.constant('prune' as const), time: fc.integer({ min: 1000, max: 1200 }) }),
);

describe('runs in files, whether they lie in packs or in rows', () => {
  test('match a plain list of them, through queries, deletions and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(
        batches,
        fc.array(step, { maxLength: 12 }),
        fc.func(fc.nat()),
        async (all, steps, chance) => {
          const bed = await bedOf();
          let model = write(bed, all, chance);
          for (const [at, doing] of steps.entries()) {
            if (doing.kind === 'ask') {
              expect(bed.segments().list(doing.query)).toEqual(answer(model, doing.query));
            } else if (doing.kind === 'remove') {
              const run = idAt(doing.at);
              expect(bed.segments().remove(run)).toBe(model.some((known) => known.run === run));
              model = model.filter((known) => known.run !== run);
            } else {
              const left = model.filter(({ startedAt }) => startedAt >= doing.time);
              expect(bed.segments().prune(doing.time)).toBe(model.length - left.length);
              model = left;
            }
            if (chance(at) % 3 === 0) bed.reopen();
          }
          for (const run of ['r0000', idAt(chance('get') % 600)])
            expect(bed.segments().get(run)).toEqual(model.find((known) => known.run === run));
        },
      ),
      { numRuns: 40 },
    );
  });

  test('a run that has waited is listed once, over a change of the day and a crash', async () => {
    const bed = await bedOf();
    const others = Array.from({ length: 40 }, (_, i) => row(idAt(100 + i)));
    bed.append([
      row('r0001', { status: 'waiting' }),
      row('r0002', { status: 'waiting' }),
      ...others.slice(0, 20),
    ]);
    bed.nextDay();
    bed.reopen();
    bed.append([row('r0001'), ...others.slice(20)]);
    bed.append([row('r0002', { status: 'waiting' })]);
    const seen = (status?: RunSummary['status']) =>
      bed
        .segments()
        .list({ limit: 100, ...(status && { status }) })
        .map(({ run }) => run);
    expect(seen()).toEqual([...others.map(({ run }) => run).toReversed(), 'r0002', 'r0001']);
    expect(seen('waiting')).toEqual(['r0002']);
    bed.append([row('r0002', { status: 'ok' }), ...others.map(({ run }) => row(`${run}a`))]);
    expect(seen('waiting')).toEqual([]);
    expect(seen().filter((run) => run.startsWith('r000'))).toEqual(['r0002', 'r0001']);
    expect(bed.segments().get('r0001')?.status).toBe('ok');
  });

  test('the end of a run that waited is kept even if its old line cannot be removed until later', async () => {
    const bed = await bedOf();
    bed.append([row('r0001', { status: 'waiting' })]);
    const [old = ''] = readdirSync(bed.runs).filter((name) => name.endsWith('.db'));
    bed.nextDay();
    bed.reopen();
    const other = new DatabaseSync(join(bed.runs, old));
    other.exec('BEGIN IMMEDIATE');
    bed.append([row('r0001')]);
    expect(bed.segments().get('r0001')?.status).toBe('ok');
    other.exec('ROLLBACK');
    other.close();
    bed.reopen();
    expect(bed.segments().list({ limit: 10 })).toEqual([row('r0001')]);
  });

  test('a run in a pack whose events were stored shows that', async () => {
    const bed = await bedOf();
    bed.segments().append({ rows: [], packs: [], batches: [batch('r0103', 1)] });
    bed.append(Array.from({ length: 40 }, (_, i) => row(idAt(100 + i))));
    expect(bed.segments().get('r0103')?.recorded).toBe(true);
    expect(
      bed
        .segments()
        .list({ limit: 100 })
        .filter(({ recorded }) => recorded),
    ).toHaveLength(1);
  });

  test('a run whose end is written twice, packed and as a row, is listed once', async () => {
    const bed = await bedOf();
    const all = Array.from({ length: 40 }, (_, i) => row(idAt(100 + i)));
    bed.append(all);
    bed.nextDay();
    bed.append([row('r0103'), row('r0120', { ms: 7 })]);
    const found = bed.segments().list({ limit: 30 });
    expect(found.map(({ run }) => run)).toEqual(
      all
        .map(({ run }) => run)
        .toReversed()
        .slice(0, 30),
    );
    expect(found.find(({ run }) => run === 'r0120')?.ms).toBe(7);
  });
});

/** Ends come in another order than starts. */
function write(
  bed: Bed,
  all: readonly (readonly Partial<RunSummary>[])[],
  chance: (key: unknown) => number,
): RunSummary[] {
  const model: RunSummary[] = [];
  const ids = Array.from({ length: all.flat().length }, (_, i) => idAt(i));
  for (const rows of all) {
    const made = rows.map((more) => {
      const near = chance(ids.length) % Math.min(5, ids.length);
      const [run = ''] = ids.splice(near, 1);
      // Ids sort by start.
      return row(run, { ...more, startedAt: 1000 + Math.floor(Number(run.slice(1)) / 2) });
    });
    bed.append(made);
    model.push(...made);
    if (chance(made.length) % 4 === 0) bed.nextDay();
  }
  return model;
}

function answer(model: readonly RunSummary[], asked: RunQuery): RunSummary[] {
  const { flow, status, source, code, parent, nested, before, since, until, text, limit } = asked;
  return model
    .filter((one) => flow === undefined || one.flow === flow)
    .filter((one) => status === undefined || one.status === status)
    .filter((one) => source === undefined || one.source === source)
    .filter((one) => code === undefined || one.error?.code === code)
    .filter((one) =>
      parent === undefined ? nested === true || one.parent === undefined : one.parent === parent,
    )
    .filter((one) => before === undefined || one.run < before)
    .filter((one) => since === undefined || one.startedAt >= since)
    .filter((one) => until === undefined || one.startedAt < until)
    .filter((one) => text === undefined || wordsOf(one).includes(text.toLowerCase()))
    .toSorted((a, b) => (a.run < b.run ? 1 : -1))
    .slice(0, limit);
}

function wordsOf({ run, flow, error }: RunSummary): string {
  return `${run} ${flow} ${error === undefined ? '' : JSON.stringify(error)}`.toLowerCase();
}

function idAt(at: number): string {
  return `r${String(at).padStart(4, '0')}`;
}
