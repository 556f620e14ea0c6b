import { DEFAULT_PROJECT, type Sql, type SqlValue } from '../../../storage/database/sql.ts';
import { gathered } from '../../../storage/database/gathered.ts';
import { GONE_MS } from '../../../storage/database/postgres/node-rows.ts';
import type { NewRun, RecordedStep, RunEnd, StoredQuery, StoredRun } from '../port.ts';

const NOW = '(extract(epoch from clock_timestamp()) * 1000)';
/**
 * A text that no run needs is kept this long after its last use, in milliseconds: a server may be about to start such a
 * run.
 */
const TEXT_MS = 24 * 3_600_000;
/** A run that has no workflow after this time lost its server before it was made, in milliseconds. */
const LATE_MS = 10_000;
const AT_ONCE = 200;

/**
 * Turns a JSON text into a row for each element: a statement with a variable number of rows would have to be prepared
 * for each number. PostgreSQL estimates ten elements for an array but a hundred for a JSON text, for which it would
 * rather read a whole table.
 */
function askedOf(columns: Readonly<Record<string, string>>): string {
  const fields = Object.entries(columns).map(
    ([name, type]) => `CAST(one ->> '${name}' AS ${type}) AS ${name}`,
  );
  return `asked AS (
    SELECT ${fields.join(', ')} FROM unnest(ARRAY(SELECT json_array_elements(CAST(? AS JSON)))) AS one)`;
}

/**
 * The beginning of a statement that changes many runs: `mine` has the requested runs that are stored and fulfil the
 * condition, locked in a fixed order, so that two servers never wait for each other. Each is looked up by its key: a
 * join would read all runs of the project while PostgreSQL has no statistics of the table.
 */
function changing(columns: Readonly<Record<string, string>>, condition = ''): string {
  return `WITH ${askedOf(columns)}, mine AS (
    SELECT held.project, asked.* FROM (SELECT * FROM asked ORDER BY run) AS asked, LATERAL (
      SELECT project FROM durable_run WHERE project = ? AND run = asked.run ${condition} FOR NO KEY UPDATE
    ) AS held)`;
}

const OF_MINE = 'durable_run.project = mine.project AND durable_run.run = mine.run';

const FACTS = {
  run: 'TEXT',
  name: 'TEXT',
  flow: 'TEXT',
  version: 'TEXT',
  input: 'TEXT',
  texts: 'TEXT',
  given: 'TEXT',
  started_at: 'DOUBLE PRECISION',
};
const NAMED = Object.keys(FACTS).join(', ');
/** In a fixed order, because adding a key waits for another server that has just added it. */
const ADD = `WITH ${askedOf(FACTS)}
  INSERT INTO durable_run (project, ${NAMED}, status, passes, told, attempt, parks, wakes, seen)
  SELECT CAST(? AS TEXT), ${NAMED}, 'pending', 0, 0, 0, 0, 0, 0 FROM asked ORDER BY name, run
  ON CONFLICT DO NOTHING RETURNING run`;
const KNOWN = 'SELECT run FROM durable_run WHERE project = ? AND (run = ? OR name = ?)';
const OF = 'SELECT * FROM durable_run WHERE project = ?';
const GET = `${OF} AND run = ?`;
const SET_WORKFLOW = `${changing({ run: 'TEXT', workflow: 'TEXT' })}
  UPDATE durable_run SET workflow = mine.workflow FROM mine WHERE ${OF_MINE} AND durable_run.workflow IS NULL`;
const BEGIN = `${changing({ run: 'TEXT', workflow: 'TEXT', attempt: 'BIGINT' })}
  UPDATE durable_run SET workflow = mine.workflow, attempt = mine.attempt, status = 'running', passes = passes + 1,
  waiting = NULL, seen = wakes FROM mine
  WHERE ${OF_MINE} AND ended_at IS NULL
  AND (durable_run.workflow IS NULL OR durable_run.workflow = mine.workflow) AND durable_run.attempt < mine.attempt
  RETURNING durable_run.*`;
const MINE = 'project = ? AND run = ? AND attempt = ? AND ended_at IS NULL';
const PARK = `UPDATE durable_run SET status = 'waiting', waiting = ?, parks = parks + 1 WHERE ${MINE}`;
const ENDING = {
  run: 'TEXT',
  attempt: 'BIGINT',
  status: 'TEXT',
  result: 'TEXT',
  at: 'DOUBLE PRECISION',
  teller: 'TEXT',
};
/** The run's place in a limited flow becomes free with its end. */
const END = `${changing(ENDING, 'AND attempt = asked.attempt AND ended_at IS NULL')},
  freed AS (DELETE FROM durable_turn WHERE project = ? AND run IN (SELECT run FROM mine))
  UPDATE durable_run SET status = mine.status, result = mine.result, ended_at = mine.at, waiting = NULL,
  teller = mine.teller FROM mine WHERE ${OF_MINE} AND durable_run.attempt = mine.attempt AND ended_at IS NULL
  RETURNING durable_run.run, durable_run.attempt`;
const WAKE = 'UPDATE durable_run SET wakes = wakes + 1 WHERE project = ? AND run = ? AND ended_at IS NULL';
const CANCEL = `UPDATE durable_run SET cancelled_by = ?, wakes = wakes + 1
  WHERE project = ? AND run = ? AND ended_at IS NULL`;
const REPORTED = `${changing({ run: 'TEXT', input: 'TEXT' })}
  UPDATE durable_run SET told = 1, input = coalesce(mine.input, durable_run.input) FROM mine WHERE ${OF_MINE}`;
const WAITING = `SELECT count(*) AS n FROM durable_run WHERE project = ? AND status = 'waiting' AND waiting <> '[]'`;
const PUT_TEXT = `INSERT INTO durable_text (project, name, text, at) VALUES (?, ?, ?, ${NOW})
  ON CONFLICT (project, name) DO UPDATE SET at = excluded.at`;
const REPLACE_TEXT = `${PUT_TEXT}, text = excluded.text`;
const GET_TEXT = 'SELECT text FROM durable_text WHERE project = ? AND name = ?';
const TAKE_TEXT = 'DELETE FROM durable_text WHERE project = ? AND name = ? RETURNING text';
const DROP_TEXTS = `DELETE FROM durable_text WHERE project = ? AND at < ${NOW} - ${TEXT_MS} AND name NOT IN (
  SELECT jsonb_array_elements_text(texts::jsonb) FROM durable_run WHERE durable_run.project = durable_text.project)`;
/** Ends whose reporting server is gone. */
const LEFT = `${OF} AND ended_at IS NOT NULL AND told = 0 AND teller IS DISTINCT FROM ? AND NOT EXISTS (
  SELECT 1 FROM node WHERE node.project = durable_run.project AND node.id = durable_run.teller
  AND node.seen_at > ${NOW} - ${GONE_MS}) ORDER BY run LIMIT ${AT_ONCE}`;
const TAKE_LEFT = `UPDATE durable_run SET teller = ? WHERE project = ? AND run = ? AND told = 0
  AND teller IS NOT DISTINCT FROM CAST(? AS TEXT)`;
const UNSEEN = `SELECT run FROM durable_run WHERE project = ? AND status = 'waiting' AND wakes <> seen
  ORDER BY run LIMIT ${AT_ONCE}`;
const UNMADE = `SELECT run FROM durable_run WHERE project = ? AND status = 'pending' AND workflow IS NULL
  AND started_at < ${NOW} - ${LATE_MS} ORDER BY run LIMIT ${AT_ONCE}`;
/** Waiting runs with a decided wait; the caller finds out which one. */
const DECIDED = `SELECT DISTINCT durable_run.run, waiting FROM waits JOIN durable_run
  ON durable_run.project = waits.project AND durable_run.run = waits.run
  WHERE waits.project = ? AND waits.status = 'decided' AND waits.over_at IS NULL AND durable_run.status = 'waiting' LIMIT ${AT_ONCE}`;
const ENDED = `SELECT run, workflow FROM durable_run WHERE project = ? AND ended_at < ? AND told = 1 LIMIT ${AT_ONCE}`;

interface Row {
  readonly run: string;
  readonly name: string | null;
  readonly flow: string;
  readonly version: string;
  readonly input: string;
  readonly given: string | null;
  readonly started_at: number;
  readonly status: StoredRun['status'];
  readonly passes: number;
  readonly waiting: string | null;
  readonly cancelled_by: string | null;
  readonly result: string | null;
  readonly ended_at: number | null;
  readonly teller: string | null;
  readonly workflow: string | null;
  readonly attempt: number;
  readonly parks: number;
  readonly wakes: number;
  readonly seen: number;
}

/** A run with the facts that only the engine needs. */
export interface SharedRun {
  readonly stored: StoredRun;
  readonly given: readonly RecordedStep[];
  /** The library's workflow that executes it. */
  readonly workflow: string | undefined;
  /** The number of its last claim. */
  readonly attempt: number;
  /** How often it was parked, and how often it had a reason to continue. */
  readonly parks: number;
  readonly wakes: number;
  /** It has reasons that no pass knows. */
  readonly isUnseen: boolean;
}

/** The claim that writes: the library's workflow and the number of the claim. */
export interface Claim {
  readonly run: string;
  readonly workflow: string;
  readonly attempt: number;
}

/**
 * The facts about durable runs, in database rows that servers share. Steps and claims are the library's.
 * SR1. Only the last claim of a run writes: numbers of claims only grow.
 * SR2. A run has one workflow: the first that began. Others, from a repeated start, find it taken.
 */
export class SharedRows {
  private readonly sql: Sql;
  private readonly project: string;

  constructor(sql: Sql, project: string = DEFAULT_PROJECT) {
    this.sql = sql;
    this.project = project;
  }

  /** The existing run with this id or key; if undefined, the run was added. */
  async add(added: NewRun): Promise<string | undefined> {
    const { run, key = null, flow, version, input, texts, startedAt, steps } = added;
    const given = steps === undefined || steps.length === 0 ? null : JSON.stringify(steps);
    const facts = {
      run,
      name: key,
      flow,
      version,
      input,
      texts: JSON.stringify(texts),
      given,
      started_at: startedAt,
    };
    for (;;) {
      if (await this.addRow(facts)) return undefined;
      const known = await this.sql.first<Pick<Row, 'run'>>(KNOWN, this.project, run, key);
      // The run with this key may have been deleted in between.
      if (known !== undefined) return known.run;
    }
  }

  private readonly addRow = gathered(async (all: readonly NewRow[]) => {
    const rows = await this.sql.all<Pick<Row, 'run'>>(ADD, JSON.stringify(all), this.project);
    const added = new Set(rows.map(({ run }) => run));
    return all.map(({ run }) => added.delete(run));
  }, sizeOf);

  setWorkflow(run: string, workflow: string): Promise<void> {
    return this.setWorkflows({ run, workflow });
  }

  private readonly setWorkflows = gathered(async (all: readonly Pick<Claim, 'run' | 'workflow'>[]) => {
    await this.sql.run(SET_WORKFLOW, JSON.stringify(all), this.project);
    return [];
  });

  async find(run: string): Promise<SharedRun | undefined> {
    const row = await this.sql.first<Row>(GET, this.project, run);
    return row && sharedOf(row);
  }

  async list({ flow, key, status, before, limit }: StoredQuery): Promise<StoredRun[]> {
    const asked: (readonly [condition: string, values: readonly SqlValue[] | undefined])[] = [
      ['flow = ?', flow === undefined ? undefined : [flow]],
      ['name = ?', key === undefined ? undefined : [key]],
      [`status IN (${(status ?? []).map(() => '?').join(', ')})`, status],
      ['run < ?', before === undefined ? undefined : [before]],
    ];
    const given = asked.filter((one): one is readonly [string, readonly SqlValue[]] => one[1] !== undefined);
    const where = given.map(([condition]) => ` AND ${condition}`).join('');
    const values = given.flatMap(([, some]) => some);
    const rows = await this.sql.all<Row>(
      `${OF}${where} ORDER BY run DESC LIMIT ?`,
      this.project,
      ...values,
      limit,
    );
    return rows.map(storedOf);
  }

  /** Undefined if the run is over, deleted, another workflow's, or claimed again since. */
  readonly begin = gathered(async (all: readonly Claim[]): Promise<(SharedRun | undefined)[]> => {
    const asked = all.map(({ run, workflow, attempt }) => ({ run, workflow, attempt }));
    const rows = await this.sql.all<Row>(BEGIN, JSON.stringify(asked), this.project);
    const begun = new Map(rows.map((row) => [nameOf(row), sharedOf(row)]));
    return all.map((claim) => begun.get(nameOf(claim)));
  });

  /** Undefined if the run no longer belongs to this claim. */
  async park({ run, attempt }: Claim, waitingFor: string): Promise<SharedRun | undefined> {
    return (await this.sql.run(PARK, waitingFor, this.project, run, attempt)) > 0
      ? this.find(run)
      : undefined;
  }

  /** `teller` is to report it. False if the run no longer belongs to this claim. */
  end({ run, attempt }: Claim, { status, end, at }: RunEnd, teller: string): Promise<boolean> {
    return this.endRow({ run, attempt, status, result: end, at, teller });
  }

  private readonly endRow = gathered(async (all: readonly EndRow[]): Promise<boolean[]> => {
    const { project } = this;
    const rows = await this.sql.all<EndRow>(END, JSON.stringify(all), project, project);
    const ended = new Set(rows.map(nameOf));
    return all.map((one) => ended.has(nameOf(one)));
  }, sizeOf);

  /** Counts a reason to continue. Undefined if the run is unknown or over. */
  async wake(run: string): Promise<SharedRun | undefined> {
    return (await this.sql.run(WAKE, this.project, run)) > 0 ? this.find(run) : undefined;
  }

  /** Like `wake`, with a request to end. */
  async cancel(run: string, by: string): Promise<SharedRun | undefined> {
    return (await this.sql.run(CANCEL, by, this.project, run)) > 0 ? this.find(run) : undefined;
  }

  /** Those of the runs that have a reason to continue which their passes do not know. */
  async woken(runs: readonly string[]): Promise<SharedRun[]> {
    if (runs.length === 0) return [];
    const marks = runs.map(() => '?').join(', ');
    const rows = await this.sql.all<Row>(
      `${OF} AND run IN (${marks}) AND wakes <> seen`,
      this.project,
      ...runs,
    );
    return rows.map(sharedOf);
  }

  told(run: string, input?: string): Promise<void> {
    return this.reportRow({ run, input });
  }

  private readonly reportRow = gathered(
    async (all: readonly { run: string; input: string | undefined }[]) => {
      await this.sql.run(REPORTED, JSON.stringify(all), this.project);
      return [];
    },
    sizeOf,
  );

  /** The number of runs that wait for people or a time. */
  async waiting(): Promise<number> {
    return (await this.sql.first<{ readonly n: number }>(WAITING, this.project))?.n ?? 0;
  }

  // ---------------------------------------------------------------------------------------------- what others left

  /** Ends that `teller` takes over, because the server that had to report them is gone. */
  async takeUntold(teller: string): Promise<StoredRun[]> {
    const taken: StoredRun[] = [];
    for (const row of await this.sql.all<Row>(LEFT, this.project, teller))
      if ((await this.sql.run(TAKE_LEFT, teller, this.project, row.run, row.teller)) > 0)
        taken.push(storedOf(row));
    return taken;
  }

  async unseen(): Promise<string[]> {
    const rows = await this.sql.all<Pick<Row, 'run'>>(UNSEEN, this.project);
    return rows.map(({ run }) => run);
  }

  /** Accepted runs without a workflow. */
  async unmade(): Promise<string[]> {
    const rows = await this.sql.all<Pick<Row, 'run'>>(UNMADE, this.project);
    return rows.map(({ run }) => run);
  }

  async decided(): Promise<{ readonly run: string; readonly waitingFor: string }[]> {
    const rows = await this.sql.all<Pick<Row, 'run' | 'waiting'>>(DECIDED, this.project);
    return rows.map(({ run, waiting }) => ({ run, waitingFor: waiting ?? '[]' }));
  }

  // -------------------------------------------------------------------------------------------------------- removal

  /** Runs that ended before `time` and were reported, with their workflows; not all at once. */
  async endedBefore(time: number): Promise<Removed[]> {
    return this.sql.all<Removed>(ENDED, this.project, time);
  }

  /** Those of the runs that have ended. */
  async ended(runs: readonly string[]): Promise<Removed[]> {
    if (runs.length === 0) return [];
    const marks = runs.map(() => '?').join(', ');
    const text = `SELECT run, workflow FROM durable_run WHERE project = ? AND ended_at IS NOT NULL AND run IN (${marks})`;
    return this.sql.all<Removed>(text, this.project, ...runs);
  }

  /** Those of the runs that are stored. */
  async known(runs: readonly string[]): Promise<string[]> {
    if (runs.length === 0) return [];
    const marks = runs.map(() => '?').join(', ');
    const text = `SELECT run FROM durable_run WHERE project = ? AND run IN (${marks})`;
    const rows = await this.sql.all<Pick<Row, 'run'>>(text, this.project, ...runs);
    return rows.map(({ run }) => run);
  }

  async remove(runs: readonly string[]): Promise<void> {
    if (runs.length === 0) return;
    const marks = runs.map(() => '?').join(', ');
    await this.sql.run(
      `DELETE FROM durable_run WHERE project = ? AND run IN (${marks})`,
      this.project,
      ...runs,
    );
  }

  async putText(name: string, text: string): Promise<void> {
    await this.sql.run(PUT_TEXT, this.project, name, text);
  }

  /** Like `putText`, for a name whose text changes. */
  async replaceText(name: string, text: string): Promise<void> {
    await this.sql.run(REPLACE_TEXT, this.project, name, text);
  }

  async getText(name: string): Promise<string | undefined> {
    return (await this.sql.first<{ readonly text: string }>(GET_TEXT, this.project, name))?.text;
  }

  /** Removes a text and returns it. */
  async takeText(name: string): Promise<string | undefined> {
    return (await this.sql.first<{ readonly text: string }>(TAKE_TEXT, this.project, name))?.text;
  }

  async dropTexts(): Promise<void> {
    await this.sql.run(DROP_TEXTS, this.project);
  }
}

interface NewRow extends Pick<Row, 'run' | 'name' | 'flow' | 'version' | 'input' | 'given' | 'started_at'> {
  readonly texts: string;
}

interface EndRow extends Pick<Row, 'run' | 'attempt'> {
  readonly status: string;
  readonly result: string | null;
  readonly at: number;
  readonly teller: string;
}

/** The size of the values among the written data of a run, in characters. */
function sizeOf(
  of: { readonly [column in 'input' | 'given' | 'result']?: string | null | undefined },
): number {
  return (of.input?.length ?? 0) + (of.given?.length ?? 0) + (of.result?.length ?? 0);
}

/** The name of a run under one claim. */
function nameOf({ run, attempt }: Pick<Row, 'run' | 'attempt'>): string {
  return `${run} ${attempt}`;
}

export type Removed = Pick<Row, 'run' | 'workflow'>;

function sharedOf(row: Row): SharedRun {
  return {
    stored: storedOf(row),
    given: row.given === null ? [] : (JSON.parse(row.given) as RecordedStep[]),
    workflow: row.workflow ?? undefined,
    attempt: row.attempt,
    parks: row.parks,
    wakes: row.wakes,
    isUnseen: row.wakes !== row.seen,
  };
}

function storedOf(row: Row): StoredRun {
  const { run, name, flow, version, input, status, passes, waiting } = row;
  const { started_at, cancelled_by, result, ended_at } = row;
  return {
    run,
    flow,
    version,
    input,
    startedAt: started_at,
    status,
    passes,
    ...(name !== null && { key: name }),
    ...(waiting !== null && { waitingFor: waiting }),
    ...(cancelled_by !== null && { cancelledBy: cancelled_by }),
    ...(result !== null && { end: result }),
    ...(ended_at !== null && { endedAt: ended_at }),
  };
}
