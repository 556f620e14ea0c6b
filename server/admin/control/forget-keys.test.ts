import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { createDeliveryStore } from '../../execution/after-runs/delivery-store.ts';
import { migrateWorkflows } from '../../execution/durable/postgres/workflows.ts';
import { RESTATE } from '../../execution/durable/restate/run-rows.ts';
import { readRecord, writeRecord } from '../../execution/durable/step-record.ts';
import { createValues } from '../../execution/durable/values.ts';
import { createSqlIdempotency } from '../../storage/idempotency/sql-idempotency.ts';
import { createRedactor } from '../../base/secrets/redactor.ts';
import { openSecrets, type SecretStore } from '../../base/secrets/store.ts';
import { openShared } from '../../storage/database/open-shared.ts';
import { newDatabase } from '../../storage/database/testing/postgres-server.ts';
import { forgetKeys } from './forget-keys.ts';

const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)] as const;
const id = { trigger: 'a.start', caller: 'ann', key: 'k' };
const headers = [['content-type', 'text/plain']] as const;
const STEP = `INSERT INTO weft_workflows.step_attempts (namespace_id, id, workflow_run_id, step_name, kind, status, config,
  output, created_at, updated_at) VALUES ('default', $1, 'w', $1, 'function', 'completed', '{}', $2::text::jsonb, now(), now())`;
const WORKFLOW = `INSERT INTO weft_workflows.workflow_runs (namespace_id, id, workflow_name, status, config, attempts, available_at,
  created_at, updated_at) VALUES ('default', 'w', 'flow-run', 'running', '{}', 1, now(), now(), now())`;
const RUN = `INSERT INTO durable_run (project, run, flow, version, input, texts, given, started_at, status, passes, told, attempt,
  parks, wakes, seen, workflow) VALUES ('default', ?, 'a', 'v', ?, '[]', ?, 0, ?, 0, 0, 0, 0, 0, 0, ?)`;

async function open(url: string, secretsKey: string, secretsKeyNext?: string) {
  const given = { secretsKey, ...(secretsKeyNext !== undefined && { secretsKeyNext }) };
  const shared = await openShared({ databaseUrl: url, version: '1', migrates: true, ...given });
  onTestFinished(() => shared.close());
  const { secretStorage } = shared;
  const redactor = createRedactor();
  const deps = { environment: {}, grants: {}, redactor, now: () => 0, data: '', secretStorage };
  return { ...shared, secrets: openSecrets({ ...deps, key: secretsKey, nextKey: secretsKeyNext }) };
}

function valuesOf(sealer: SecretStore) {
  const values = createValues({ redactor: createRedactor(), sealer, blobs: undefined });
  values.sealAll();
  return values;
}

test('everything sealed with former keys is sealed again, and only then the keys are forgotten', async () => {
  const url = await newDatabase();
  await migrateWorkflows(url);
  const old = await open(url, OLD, NEW);
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  onTestFinished(() => admin.end());
  const answers = createSqlIdempotency(old.sql, () => 1000, old.secrets);
  await answers.claim(id, 'print');
  const body = Buffer.from('the answer');
  await answers.answered(id, 'r', { status: 200, headers, body, hidden: true });
  const common = {
    since: 0,
    nextAt: 0,
    attempts: 0,
    flow: 'a',
    url: 'http://x',
    secret: undefined,
    node: 'n',
  };
  await createDeliveryStore(old.sql, old.secrets).add({
    ...common,
    run: 'r',
    body: 'the notice',
    version: 'v',
  } as never);
  const values = valuesOf(old.secrets);
  const record = (value: unknown): string =>
    writeRecord({ order: ['a', 'b'], text: values.write({ value }) });
  const given = JSON.stringify([{ key: 'first', result: record('given') }]);
  await old.sql.run(RUN, 'r1', values.write('input'), given, 'running', 'w');
  const plain = createValues({ redactor: createRedactor(), sealer: old.secrets, blobs: undefined });
  await old.sql.run(RUN, 'r2', plain.write({ sealed: 'a word' }), null, 'ok', 'w2');
  await admin.unsafe(WORKFLOW);
  for (let n = 0; n < 120; n++)
    await admin.unsafe(STEP, [`s${n}`, JSON.stringify({ n, result: record(`step ${n}`) })]);
  const lost = JSON.stringify({ sealed: JSON.stringify({ iv: 'AAAA', tag: 'AAAA', data: 'AAAA' }) });
  await old.sql.run(RUN, 'r3', lost, null, 'ok', 'w3');

  expect(await forgetKeys({ ...old, sealer: old.secrets }, { dryRun: false })).toMatchObject({ keys: 0 });
  await old.secrets.rotate(Buffer.from(NEW, 'hex'));
  const deps = { ...old, sealer: old.secrets };
  const counted = { keys: 1, answers: 1, notices: 1, durable: 122, lost: 1 };
  expect(await forgetKeys(deps, { dryRun: true })).toEqual(counted);
  await old.sql.run(RUN, 'r4', values.write('x'), null, 'waiting', RESTATE);
  await expect(forgetKeys(deps, { dryRun: false })).rejects.toThrow('secrets_still_sealed: ');
  await old.sql.run("UPDATE durable_run SET status = 'ok' WHERE run = 'r4'");
  expect(await forgetKeys(deps, { dryRun: false })).toEqual(counted);
  expect(await forgetKeys(deps, { dryRun: false })).toMatchObject({ keys: 0 });

  const fresh = await open(url, NEW);
  expect(fresh.secretStorage.keys()).toHaveLength(1);
  const known = await createSqlIdempotency(fresh.sql, () => 1000, fresh.secrets).claim(id, 'print');
  expect(known.answer).toMatchObject({ status: 200, headers });
  expect(Buffer.from(known.answer?.body ?? '').toString()).toBe('the answer');
  const [notice] = await createDeliveryStore(fresh.sql, fresh.secrets).due(1, 9);
  expect(notice?.body).toBe('the notice');
  const read = valuesOf(fresh.secrets);
  const rows = await fresh.sql.all<{ run: string; input: string; given: string | null }>(
    "SELECT run, input, given FROM durable_run WHERE run IN ('r1', 'r2') ORDER BY run",
  );
  expect(rows.map(({ input }) => read.read(input))).toEqual(['input', { sealed: 'a word' }]);
  const valueIn = (result: string): unknown => {
    const { order, text } = readRecord(result);
    return [order, read.read(text)];
  };
  const [first] = JSON.parse(rows[0]?.given ?? '[]') as { key: string; result: string }[];
  expect([first?.key, valueIn(first?.result ?? '')]).toEqual(['first', [['a', 'b'], { value: 'given' }]]);
  const steps = await admin`SELECT output FROM weft_workflows.step_attempts`;
  const found = steps.map(({ output }) => output as { n: number; result: string });
  for (const { n, result } of found) expect(valueIn(result)).toEqual([['a', 'b'], { value: `step ${n}` }]);
  expect(found).toHaveLength(120);
  await expect(open(url, OLD)).rejects.toThrow('secrets_key_other: ');
});
