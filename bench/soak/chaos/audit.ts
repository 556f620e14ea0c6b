import postgres from 'postgres';
import { pause } from '../part.ts';
import type { Entry } from './entries.ts';

/** `WEFT_DATABASE_URL` of each process ends in its name, so that triggers know who writes. */
const WHO = "current_setting('application_name')";

/** What rows of runs go through, whoever changes them: who claimed, began, parked and ended them. */
const RUNS = `CREATE TABLE chaos_entry (seq BIGSERIAL PRIMARY KEY, entry JSONB NOT NULL);
CREATE FUNCTION chaos_note(kind TEXT, more JSONB) RETURNS VOID LANGUAGE SQL AS $$
  INSERT INTO chaos_entry (entry) VALUES (jsonb_build_object('kind', kind,
    'at', (extract(epoch from clock_timestamp()) * 1000)::float8, 'node', ${WHO}) || more) $$;
CREATE FUNCTION chaos_run() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  IF OLD.ended_at IS NOT NULL THEN
    IF (NEW.status, NEW.result, NEW.ended_at, NEW.attempt) IS DISTINCT FROM (OLD.status, OLD.result, OLD.ended_at, OLD.attempt) THEN
      PERFORM chaos_note('changed', jsonb_build_object('run', NEW.run, 'what', 'an end was changed'));
    END IF;
  ELSIF NEW.attempt <> OLD.attempt OR NEW.ended_at IS NOT NULL OR NEW.parks <> OLD.parks THEN
    PERFORM chaos_note('claim', jsonb_build_object('run', NEW.run, 'attempt', NEW.attempt, 'what',
      CASE WHEN NEW.attempt <> OLD.attempt THEN 'begun' WHEN NEW.ended_at IS NOT NULL THEN 'ended' ELSE 'parked' END));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER chaos_run AFTER UPDATE ON durable_run FOR EACH ROW EXECUTE FUNCTION chaos_run();`;

/** Claims and records of OpenWorkflow. */
const WORKFLOWS = `CREATE FUNCTION chaos_workflow() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
  PERFORM chaos_note('claim', jsonb_build_object('run', NEW.input->>'run', 'workflow', NEW.id, 'attempt', NEW.attempts, 'what', 'claimed'));
  RETURN NULL;
END $$;
CREATE TRIGGER chaos_workflow AFTER UPDATE ON weft_workflows.workflow_runs FOR EACH ROW
  WHEN (NEW.worker_id IS NOT NULL AND NEW.worker_id IS DISTINCT FROM OLD.worker_id) EXECUTE FUNCTION chaos_workflow();
CREATE FUNCTION chaos_step() RETURNS TRIGGER LANGUAGE plpgsql AS $$ DECLARE of TEXT; BEGIN
  SELECT input->>'run' INTO of FROM weft_workflows.workflow_runs WHERE id = coalesce(NEW.workflow_run_id, OLD.workflow_run_id);
  IF TG_OP = 'INSERT' THEN
    PERFORM chaos_note('record', jsonb_build_object('run', of, 'workflow', NEW.workflow_run_id, 'step', NEW.step_name, 'digest', md5(NEW.output::text)));
  ELSE
    PERFORM chaos_note('changed', jsonb_build_object('run', of, 'what', 'the record of ' || OLD.step_name || ' was changed'));
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER chaos_step_new AFTER INSERT ON weft_workflows.step_attempts FOR EACH ROW
  WHEN (NEW.kind = 'function') EXECUTE FUNCTION chaos_step();
CREATE TRIGGER chaos_step_old AFTER UPDATE OR DELETE ON weft_workflows.step_attempts FOR EACH ROW
  WHEN (OLD.kind = 'function') EXECUTE FUNCTION chaos_step();`;

/** Runs that have not ended, and ends that were not told. What a killed server was just telling, another one tells a minute later. */
const OPEN = `SELECT (SELECT count(*) FROM durable_run WHERE (ended_at IS NULL OR told = 0) AND flow <> 'tick')
  + (SELECT count(*) FROM deliveries WHERE next_at IS NOT NULL) AS open`;

const UNENDED = 'SELECT run FROM durable_run WHERE ended_at IS NULL';
/** A run that was not over so long ago and is not is stuck, in milliseconds. */
const STUCK_MS = 10_000;

export interface Audit extends AsyncDisposable {
  /** How many runs have not ended, or were not told; undefined while the database is away. */
  open(): Promise<number | undefined>;
  /** What the triggers noted, in their order, and what the rows say now. */
  read(): Promise<Entry[]>;
}

/** Once the tables are there. */
export async function startAudit(url: string, engine: 'openworkflow' | 'restate'): Promise<Audit> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 5 });
  await sql.unsafe(RUNS);
  if (engine === 'openworkflow') await sql.unsafe(WORKFLOWS);
  return {
    open: async () => {
      try {
        return Number((await sql.unsafe(OPEN))[0]?.['open']);
      } catch {
        return undefined;
      }
    },
    async read() {
      const at = Date.now();
      const noted = await sql.unsafe('SELECT entry FROM chaos_entry ORDER BY seq');
      const unended = new Set((await sql.unsafe(UNENDED)).map((row) => row['run'] as string));
      // Runs of the schedule begin all the time.
      if (unended.size > 0) await pause(STUCK_MS);
      const runs = await sql.unsafe('SELECT run, ended_at, cancelled_by FROM durable_run');
      const waits = await sql.unsafe('SELECT id, status FROM waits');
      return [
        ...noted.map((row) => row['entry'] as Entry),
        ...runs.map((row): Entry => {
          const isOver = row['ended_at'] !== null || !unended.has(row['run'] as string);
          return {
            kind: 'run',
            at,
            run: row['run'] as string,
            isOver,
            cancelled: row['cancelled_by'] !== null,
          };
        }),
        ...waits.map(
          (row): Entry => ({ kind: 'wait', at, wait: row['id'] as string, status: row['status'] as string }),
        ),
      ];
    },
    [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }),
  };
}
