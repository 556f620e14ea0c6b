import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Described } from '#shared/described.ts';
import { builtIns, flowOf } from '../../engine/testing/play.ts';
import { createEditorStore } from '../state/editor-store.ts';
import { watchStatements } from './watch-statements.ts';

const world = {
  routes: [],
  variables: undefined,
  secrets: undefined,
  connections: { shop: { flows: ['test_flow'] } },
};
const rows: Described = {
  is: 'rows',
  columns: [{ name: 'id', type: 'int', nullable: false, schema: { type: 'integer' } }],
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function open(answer: () => Promise<Described>, connection = 'shop') {
  const editor = createEditorStore();
  editor.getState().setCatalog(builtIns.catalog, world);
  const flow = flowOf(
    {
      t: 'trigger.manual',
      q: { operator: 'sql.query', params: { connection, sql: 'SELECT id FROM t' } },
      w: { operator: 'sql.execute', params: { connection, sql: 'TRUNCATE t' } },
      s: { operator: 'text.template', params: { template: '{{ nodes.q[0].di }}' } },
    },
    ['t > w', 'w > q', 'q > s'],
  );
  editor.getState().load({ flow, layout: { format: 1, nodes: {} } }, 'r');
  const ask = vi.fn((_connection: string, _body: { sql: string }) => answer());
  const stop = watchStatements({ editor }, { ask });
  const settle = async () => {
    // Longer than the pause, and shorter than what is waited for a database that is away.
    for (let i = 0; i < 2; i++) {
      await vi.advanceTimersByTimeAsync(1000);
      await vi.dynamicImportSettled();
    }
  };
  await settle();
  return { editor, ask, stop, settle };
}

const codes = ({ editor }: Awaited<ReturnType<typeof open>>) =>
  editor.getState().problems.map(({ code }) => code);

test('a statement that gives rows is described once, and the flow is checked against it', async () => {
  const session = await open(async () => rows);
  expect(session.ask.mock.calls).toEqual([
    ['shop', { flow: 'test_flow', operator: 'sql.query', sql: 'SELECT id FROM t', change: false }],
  ]);
  expect(codes(session)).toEqual(['missing-field']);
  // Neither another change nor a newer world asks again, or forgets it.
  session.editor.getState().setCatalog(builtIns.catalog, { ...world, variables: [] });
  session.editor.getState().select(['q']);
  await session.settle();
  expect(session.ask).toHaveBeenCalledTimes(1);
  expect(codes(session)).toEqual(['missing-field']);
  session.stop();
});

test('another text is another statement, and the old one is forgotten', async () => {
  const session = await open(async () => rows);
  session.editor.getState().commit('Type', (draft) => {
    (draft.flow.nodes['q'] as { params: object }).params = { connection: 'shop', sql: 'SELECT 1 AS id' };
  });
  await session.settle();
  expect(session.ask).toHaveBeenCalledTimes(2);
  expect(session.editor.getState().world.statements?.map(({ sql }) => sql)).toEqual(['SELECT 1 AS id']);
  session.stop();
});

test('a database that is away costs no check, and is asked again later', async () => {
  let isAway = true;
  const session = await open(() => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(rows)));
  expect(codes(session)).toEqual([]);
  expect(session.editor.getState().world.statements).toMatchObject([
    { described: { is: 'unknown', message: 'away' } },
  ]);
  isAway = false;
  await vi.advanceTimersByTimeAsync(10_000);
  await session.settle();
  expect(codes(session)).toEqual(['missing-field']);
  session.stop();
});

test('nobody is asked about a connection that is not there', async () => {
  const session = await open(async () => rows, 'other');
  expect(session.ask).not.toHaveBeenCalled();
  session.stop();
});

test('a change is asked about as one, and its refusal is a problem before a run', async () => {
  const refused: Described = { is: 'refused', message: 'There is no table t.' };
  const session = await open(async () => refused);
  session.editor.getState().commit('Type', (draft) => {
    (draft.flow.nodes['w'] as { params: object }).params = { connection: 'shop', sql: 'DELETE FROM t' };
  });
  await session.settle();
  expect(session.ask.mock.calls.at(-1)?.[1]).toMatchObject({ sql: 'DELETE FROM t', change: true });
  expect(codes(session).filter((code) => code === 'statement-refused')).toHaveLength(2);
  session.stop();
});
