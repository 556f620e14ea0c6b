import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import type { LiveFlow } from '../context.ts';
import { createScheduleStore } from './schedule-store.ts';
import { Scheduler, type Starting } from './scheduler.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-05-01T12:30:00Z');

const hourly: Flow = {
  format: 1,
  id: 'hourly',
  nodes: { clock: { operator: 'trigger.schedule', params: { cron: '0 * * * *' } } },
  edges: [],
};

/** A server over one database, with a clock of the test; `look` lets the time pass that a timer waits for. */
function server(clock: { now: number }, db: DatabaseSync) {
  const started: unknown[] = [];
  let live: LiveFlow | undefined;
  let look: () => void = () => {};
  const timer = (_ms: number, act: () => void) => {
    look = act;
    return () => {};
  };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const host = { now: () => clock.now, timer };
  const scheduler = new Scheduler({ store: createScheduleStore(db), host, log });
  const show = (flow: Flow | undefined): void => {
    live = flow && ({ id: flow.id, flow } as unknown as LiveFlow);
    scheduler.flowChanged(hourly.id);
  };
  const run = { outcome: { status: 'ok' } } as unknown as ReturnType<Starting['runs']['start']>;
  const starting: Starting = {
    live: () => live,
    hold: (_flow, start) => start(),
    runs: {
      accepts: () => true,
      start({ output }) {
        started.push(output);
        return run;
      },
    },
  };
  return { started, show, begin: () => scheduler.begin(starting), look: () => look() };
}

test('times that passed while the server was down are late', () => {
  const [clock, db] = [{ now: START }, new DatabaseSync(':memory:')];
  const before = server(clock, db);
  before.show(hourly);
  before.begin();
  before.look();
  clock.now += 3 * HOUR;
  const after = server(clock, db);
  after.show(hourly);
  after.begin();
  after.look();
  expect(after.started).toEqual([{ at: '2026-05-01T15:00:00.000Z', late: true, input: null }]);
});

test('times that passed while the flow was not live are none of its', () => {
  const [clock, db] = [{ now: START }, new DatabaseSync(':memory:')];
  const { started, show, begin, look } = server(clock, db);
  show(hourly);
  begin();
  look();
  show(undefined);
  look();
  clock.now += 3 * HOUR;
  show(hourly);
  look();
  expect(started).toEqual([]);
  clock.now = Date.parse('2026-05-01T16:00:00Z');
  look();
  expect(started).toEqual([{ at: '2026-05-01T16:00:00.000Z', late: false, input: null }]);
});

test('a flow that is taken away and comes back does not start again what it has started, also by a clock set back', () => {
  const [clock, db] = [{ now: START }, new DatabaseSync(':memory:')];
  const { started, show, begin, look } = server(clock, db);
  show(hourly);
  begin();
  look();
  clock.now = Date.parse('2026-05-01T13:00:10Z');
  look();
  expect(started).toHaveLength(1);
  show(undefined);
  look();
  clock.now = START;
  show(hourly);
  look();
  clock.now = Date.parse('2026-05-01T13:00:20Z');
  look();
  expect(started).toHaveLength(1);
});
