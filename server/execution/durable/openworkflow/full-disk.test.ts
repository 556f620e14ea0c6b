import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { EngineHost } from '../port.ts';
import { createOpenWorkflowEngine } from './openworkflow-engine.ts';

/** A disk that accepts small writes and refuses large ones: the database refuses one kind of write. */

let file: string;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-durable-'));
  file = join(folder, 'durable.db');
  return () => rmSync(folder, { recursive: true });
});

function refuse(write: 'INSERT' | 'UPDATE', table = 'workflow_runs'): { again(): void } {
  const db = new DatabaseSync(file, { timeout: 5000 });
  db.exec(`CREATE TRIGGER refuse BEFORE ${write} ON ${table} BEGIN SELECT RAISE(ABORT, 'disk full'); END`);
  return {
    again() {
      db.exec('DROP TRIGGER refuse');
      db.close();
    },
  };
}

function engineOf() {
  const engine = createOpenWorkflowEngine({ file, full: false });
  onTestFinished(() => engine.close());
  const passes: string[] = [];
  const ended = Promise.withResolvers<string>();
  const host: EngineHost = {
    async carryOn({ run }) {
      passes.push(run.run);
      return { kind: 'ended', status: 'ok', end: '{}', at: 1 };
    },
    parked: () => {},
    ended: ({ run }) => ended.resolve(run),
  };
  return { engine, host, passes, ended: ended.promise };
}

const run = { run: 'r1', key: 'k', flow: 'f', version: 'v', input: '{}', texts: [], startedAt: 1 };

test('a stored run is accepted although its workflow could not be stored, and is executed once there is room', async () => {
  const { engine, host, passes, ended } = engineOf();
  await engine.get('r1');
  const room = refuse('INSERT');
  engine.begin(host);
  expect(await engine.start(run)).toEqual({ run: 'r1', created: true });
  expect(await engine.start({ ...run, run: 'r2' })).toEqual({ run: 'r1', created: false });
  expect(passes).toEqual([]);
  room.again();
  expect(await ended).toBe('r1');
  expect(passes).toEqual(['r1']);
});

test('an engine that starts on a full disk begins once there is room', async () => {
  const before = createOpenWorkflowEngine({ file, full: false });
  await before.start(run);
  await before.close();
  const db = new DatabaseSync(file);
  db.exec(
    "UPDATE workflow_runs SET status = 'running', worker_id = 'dead', available_at = '2999-01-01T00:00:00.000Z'",
  );
  db.close();
  const room = refuse('UPDATE');
  const { engine, host, ended } = engineOf();
  engine.begin(host);
  await engine.get('r1');
  room.again();
  expect(await ended).toBe('r1');
});

test('a decision that could not be passed to the run wakes it once there is room', async () => {
  const { engine, host, passes, ended } = engineOf();
  const parked = Promise.withResolvers<void>();
  await engine.get('r1');
  const room = refuse('INSERT', 'workflow_signals');
  engine.begin({
    ...host,
    async carryOn(pass) {
      const end = await host.carryOn(pass);
      return passes.length > 1 ? end : { kind: 'parked', waitingFor: '[]' };
    },
    parked: () => parked.resolve(),
  });
  await engine.start(run);
  await parked.promise;
  await engine.wake('r1');
  expect(passes).toEqual(['r1']);
  room.again();
  expect(await ended).toBe('r1');
});
