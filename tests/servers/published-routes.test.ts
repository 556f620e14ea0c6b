import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { call } from '../support/client.ts';
import { save, startPair } from '../support/cluster.ts';
import { PATIENCE_MS } from '../support/eventually.ts';
import { httpTrigger, sayFlow } from '../support/flows.ts';

/** Every server gets this claim at once, as if each had lost it without noticing. */
const NO_CLAIM = `
  CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN DELETE FROM claim WHERE name = NEW.name; RETURN NULL; END $$;
  CREATE TRIGGER lost AFTER INSERT OR UPDATE ON claim FOR EACH ROW WHEN (NEW.name = 'flows') EXECUTE FUNCTION lose()`;
const WAITING = `SELECT count(*)::int AS n FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

test('two servers that publish one route at the same moment: one flow is live, the other is refused', async () => {
  const { url, a, b } = await startPair();
  const sql = postgres(url, { max: 2, onnotice: () => {} });
  onTestFinished(() => sql.end());
  await sql.unsafe(NO_CLAIM);
  let publishing: ReturnType<typeof save>[] = [];
  // Both have found the route free before one of them can commit.
  await sql.begin(async (tx) => {
    await tx.unsafe('SELECT seq FROM change_head FOR UPDATE');
    publishing = [
      save(a, sayFlow('x', 'x', httpTrigger('/same'))),
      save(b, sayFlow('y', 'y', httpTrigger('/same'))),
    ];
    const waiting = async (): Promise<unknown> => (await sql.unsafe(WAITING))[0]?.['n'];
    await expect.poll(waiting, { timeout: PATIENCE_MS }).toBe(2);
  });
  const answers = await Promise.all(publishing);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ err_code: 'publish_conflict' });
  const said = await Promise.all([a, b].map(async (node) => (await call(node, '/same')).text));
  expect(said).toEqual(answers[0]?.status === 201 ? ['"x"', '"x"'] : ['"y"', '"y"']);
});
