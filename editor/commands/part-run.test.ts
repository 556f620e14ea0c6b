import { expect, test } from 'vitest';
import { docOf } from '../model/testing/docs.ts';
import type { NodeRun } from '../state/run-store.ts';
import { shownFrom } from '../state/apply-event.ts';
import type { Session } from './command.ts';
import { partRunCommands } from './part-run.ts';
import { run, sessionOf } from './testing/session.ts';

const manual = { operator: 'trigger.http', params: {} };
const nodes = { manual, say: 'text.template', gone: 'text.template' } as const;

/** A session on a flow with one selected node, and the requested runs. */
function bed(selected: readonly string[] = ['say']) {
  const asked: unknown[] = [];
  const session = sessionOf(docOf(nodes, ['manual.out > say.in'])) as Session;
  session.editor.setState({ problems: [] });
  session.editor.getState().select(selected);
  const note =
    (name: string) =>
    async (...args: unknown[]) =>
      void asked.push([name, ...args]);
  const actions = { ...session.runs.getState().actions, ...{ runPart: note('runPart'), fork: note('fork') } };
  session.runs.setState({ actions: { ...actions, pin: note('pin') } });
  return { session, asked };
}

const ran: NodeRun = {
  status: 'ok',
  attempt: 1,
  startedAt: 1,
  ms: 1,
  outputs: { out: 'hello', error: { code: 'x' } },
  error: undefined,
  handled: undefined,
  skipped: undefined,
  waitingFor: undefined,
  counts: {},
};

/** Puts a run on the canvas in which `say` gave hello. */
function show({ runs }: Session, status: 'ok' | 'failed' = 'ok'): void {
  const row = { run: 'r1', version: 'v', trigger: 'manual', status, startedAt: 1, ms: 2, error: undefined };
  runs.setState({ shown: { ...shownFrom(row), nodes: { say: ran } } });
}

test('the selected node runs alone, or the flow from it on', async () => {
  const { session, asked } = bed();
  await run(partRunCommands, 'run-node', session);
  await run(partRunCommands, 'run-from', session);
  expect(asked).toEqual([
    ['runPart', { only: 'say' }],
    ['runPart', { from: 'say' }],
  ]);
});

test('what cannot run says why: no node, a trigger alone, a node that today’s flow has no more, a flow with problems', async () => {
  await expect(run(partRunCommands, 'run-node', bed([]).session)).rejects.toThrow('Select one node');
  await expect(run(partRunCommands, 'run-node', bed(['say', 'manual']).session)).rejects.toThrow(
    'Select one',
  );
  await expect(run(partRunCommands, 'run-node', bed(['manual']).session)).rejects.toThrow('run from here');
  const past = bed(['gone']);
  const { session: today } = bed();
  today.editor.getState().commit('', (draft) => void delete draft.flow.nodes['gone']);
  await expect(run(partRunCommands, 'run-from', { ...past.session, today })).rejects.toThrow('no such node');
  const { session } = bed();
  session.editor.setState({ problems: [{ code: 'cycle', severity: 'error', message: '' }] });
  await expect(run(partRunCommands, 'run-from', session)).rejects.toThrow('problems');
});

test('pinning takes what the node gave, without its error; what gave nothing is written by hand; a second time unpins', async () => {
  const { session, asked } = bed();
  await run(partRunCommands, 'pin', session);
  expect(session.ui.getState().overlay).toEqual({ kind: 'output', node: 'say' });
  show(session);
  await run(partRunCommands, 'pin', session);
  session.runs.setState({ pins: { say: { out: 'hello' } } });
  await run(partRunCommands, 'pin', session);
  expect(asked).toEqual([
    ['pin', 'say', { out: 'hello' }],
    ['pin', 'say', undefined],
  ]);
  await expect(run(partRunCommands, 'pin', bed(['manual']).session)).rejects.toThrow('input of a run');
});

test('a run without pins is offered where something is pinned, and only a failed run is gone on with', async () => {
  const { session, asked } = bed();
  await expect(run(partRunCommands, 'run-without-pins', session)).rejects.toThrow('Nothing is pinned');
  show(session);
  await expect(run(partRunCommands, 'continue-run', session)).rejects.toThrow('has not failed');
  show(session, 'failed');
  await run(partRunCommands, 'continue-run', session);
  expect(asked).toEqual([['fork', 'r1']]);
});
