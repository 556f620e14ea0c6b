import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FlowSummary } from '#shared/api.ts';
import type { Fix, Problem } from '#shared/problem.ts';
import { applyFixTo, applySafeFixes, goToProblem } from '../commands/fix.ts';
import type { Session } from '../commands/command.ts';
import { createEditorStore } from '../state/editor-store.ts';
import { createSyncStore } from '../state/sync-store.ts';
import { createUiStore } from '../state/ui-store.ts';
import { builtIns, flowOf } from '../../engine/testing/play.ts';
import { watchProblems } from './watch-problems.ts';

const world = { routes: [], variables: undefined, secrets: undefined };

/** The checks are loaded with the first one. */
const checked = () => vi.dynamicImportSettled();

async function open() {
  const editor = createEditorStore();
  const ui = createUiStore(undefined);
  editor.getState().setCatalog(builtIns.catalog, world);
  const flow = flowOf(
    { start: 'trigger.manual', a: { operator: 'text.template', params: { template: 'x' } } },
    ['start > a', 'a > nowhere'],
  );
  editor.getState().load({ flow, layout: { format: 1, nodes: {} } }, 'r');
  await checked();
  const sync = createSyncStore({ problems: [] } as unknown as FlowSummary);
  return { editor, ui, sync } as unknown as Session;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const codes = ({ editor }: Session) => editor.getState().problems.map((problem) => problem.code);

test('problems follow a change after a moment, once for many changes', async () => {
  const session = await open();
  const stop = watchProblems(session);
  const refresh = vi.spyOn(session.editor.getState(), 'refreshProblems');
  for (const text of ['{{', '{{ nobody', '{{ nobody }}']) {
    session.editor.getState().commit('Type', (draft) => {
      (draft.flow.nodes['a'] as { params: object }).params = { template: text };
    });
  }
  expect(codes(session)).toEqual(['dangling-edge']);
  vi.runAllTimers();
  await checked();
  expect(codes(session)).toEqual(['dangling-edge', 'expression-unknown-name']);
  expect(refresh.mock.calls.length).toBeLessThanOrEqual(1);
  stop();
});

test('what only the server can find is kept beside the own findings until the next save', async () => {
  const session = await open();
  const stop = watchProblems(session);
  const told: Problem = { code: 'code-syntax', severity: 'error', message: 'Unexpected token.', node: 'a' };
  const save = (problems: Problem[]) =>
    session.sync.setState((state) => ({ record: { ...state.record, problems } }));
  save([told]);
  vi.runAllTimers();
  await checked();
  expect(codes(session)).toEqual(['dangling-edge', 'code-syntax']);
  save([]);
  vi.runAllTimers();
  await checked();
  expect(codes(session)).toEqual(['dangling-edge']);
  stop();
});

test('moving a node checks nothing, and after the end nothing is checked either', async () => {
  const session = await open();
  const stop = watchProblems(session);
  session.editor.getState().commit('Move', (draft) => {
    draft.layout.nodes['a'] = { x: 10, y: 10 };
  });
  expect(vi.getTimerCount()).toBe(0);
  stop();
  session.editor.getState().commit('Delete', (draft) => {
    draft.flow.edges = [];
  });
  expect(vi.getTimerCount()).toBe(0);
});

test('a fix is one step that can be undone', async () => {
  const session = await open();
  const [dangling] = session.editor.getState().problems;
  if (!dangling) throw new Error('one problem');
  applyFixTo(session, dangling.fix as Fix);
  await checked();
  expect(codes(session)).toEqual([]);
  expect(session.editor.getState().history.past.map((step) => step.label)).toEqual(['Remove the edge']);
  session.editor.getState().undo();
  expect(session.editor.getState().doc.flow.edges).toHaveLength(2);
});

test('all safe fixes together are one step', async () => {
  const session = await open();
  session.editor.getState().commit('More', (draft) => {
    draft.flow.edges.push({ from: 'a.out', to: 'ghost.in' });
  });
  session.editor.getState().refreshProblems();
  await checked();
  applySafeFixes(session);
  await checked();
  expect(codes(session)).toEqual([]);
  expect(session.editor.getState().history.past.at(-1)?.label).toBe('Fix 2 problems');
});

test('going to a problem selects what it is about and asks for its field', async () => {
  const session = await open();
  goToProblem(session, {
    code: 'bad-param',
    severity: 'error',
    message: '',
    node: 'a',
    field: 'params.template',
  });
  expect([...session.editor.getState().selectedNodes]).toEqual(['a']);
  expect(session.ui.getState()).toMatchObject({
    focusField: 'params.template',
    reveal: { nodes: ['a'], request: 1 },
  });
});

test('a problem of an edge selects the edge, one of the flow selects nothing', async () => {
  const session = await open();
  const [dangling] = session.editor.getState().problems;
  if (dangling) goToProblem(session, dangling);
  expect([...session.editor.getState().selectedEdges]).toEqual(['a.out>nowhere.in']);
  goToProblem(session, { code: 'bad-field', severity: 'error', message: '', field: 'settings.timeoutMs' });
  expect(session.editor.getState().selectedNodes.size + session.editor.getState().selectedEdges.size).toBe(0);
  expect(session.ui.getState().focusField).toBe('settings.timeoutMs');
});
