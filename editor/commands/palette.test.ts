import { expect, test } from 'vitest';
import type { OperatorInfo } from '#shared/catalog.ts';
import { catalog } from '../model/testing/catalog.ts';
import { docOf } from '../model/testing/docs.ts';
import { addOperator, addOperatorCommands, paletteCommands, writeFirst } from './palette.ts';
import { run, selected, sessionOf, steps } from './testing/session.ts';

const start = docOf({ start: 'trigger.http' });
const edges = (session: ReturnType<typeof sessionOf>) =>
  session.editor.getState().doc.flow.edges.map((e) => `${e.from}>${e.to}`);

test('a node is added beside the one selected node and wired to it, as one step', () => {
  const session = sessionOf(start);
  session.editor.getState().select(['start']);
  expect(addOperator(session, 'text.template')).toBe('template');
  expect(edges(session)).toEqual(['start.out>template.in']);
  expect(session.editor.getState().doc.layout.nodes['template']?.x).toBeGreaterThan(220);
  expect(selected(session)).toEqual(['template']);
  expect(steps(session)).toEqual(['Add Template']);
  session.editor.getState().undo();
  expect(session.editor.getState().doc).toEqual(start);
});

test('without a selection, a node is wired to the only one of the flow', () => {
  const session = sessionOf(start);
  addOperator(session, 'text.template');
  expect(edges(session)).toEqual(['start.out>template.in']);
});

test('behind a node that is answered at once, the next one comes before the answer, and both are shown', () => {
  const answered = docOf({ start: 'trigger.http', answer: 'core.respond' }, ['start.out>answer.in']);
  const session = sessionOf(answered);
  const { operators } = catalog;
  const respond = { ...operators['core.log'], type: 'core.respond', respond: true } as OperatorInfo;
  session.editor
    .getState()
    .setCatalog(
      { operators: { ...operators, 'core.respond': respond } },
      { routes: [], variables: undefined, secrets: undefined },
    );
  session.editor.getState().select(['start']);
  addOperator(session, 'text.template');
  expect(edges(session).toSorted()).toEqual(['start.out>template.in', 'template.out>answer.in']);
  expect(session.ui.getState().reveal?.nodes).toEqual(['template', 'answer']);
  addOperator(session, 'core.log');
  expect(edges(session), 'what cannot stand between stands beside').toContain('template.out>log.in');
});

test('whoever adds a node with the mouse is taken to what it lacks', () => {
  const session = sessionOf(start);
  const wanting = {
    ...catalog.operators['text.template'],
    params: { type: 'object', properties: { template: { type: 'string' } }, required: ['template'] },
  } as OperatorInfo;
  session.editor
    .getState()
    .setCatalog(
      { operators: { ...catalog.operators, 'text.template': wanting } },
      { routes: [], variables: undefined, secrets: undefined },
    );
  writeFirst(session, 'core.merge');
  expect(session.ui.getState().focusField).toBeUndefined();
  writeFirst(session, 'text.template');
  expect(session.ui.getState().focusField).toBe('params');
});

test('adding one after the other makes a chain', () => {
  const session = sessionOf(start);
  session.editor.getState().select(['start']);
  for (const type of ['text.template', 'core.streamify', 'core.unstreamify']) addOperator(session, type);
  expect(edges(session)).toEqual([
    'start.out>template.in',
    'template.out>streamify.in',
    'streamify.out>unstreamify.in',
  ]);
});

test('what does not fit is added without an edge', () => {
  const session = sessionOf(start);
  session.editor.getState().select(['start']);
  addOperator(session, 'core.unstreamify');
  expect(edges(session)).toEqual([]);
  expect(session.ui.getState().announcement).toBe('Collect added');
});

test('without a selection, or with a larger one, a node stands in the middle of the view', () => {
  const session = sessionOf(docOf({ a: 'trigger.http', b: 'trigger.http' }));
  session.ui.setState({ viewport: { x: -5000, y: -5000, zoom: 1 }, canvas: { width: 1000, height: 700 } });
  session.editor.getState().select(['a', 'b']);
  addOperator(session, 'core.log');
  expect(session.editor.getState().doc.layout.nodes['log']).toEqual({ x: 5380, y: 5300 });
  expect(edges(session)).toEqual([]);
});

test('an operator that is not in the catalog is not added', () => {
  const session = sessionOf(start);
  expect(addOperator(session, 'toString')).toBeUndefined();
  expect(steps(session)).toEqual([]);
});

test('the operators used last come first, each once', () => {
  const session = sessionOf(start);
  for (const type of ['core.log', 'text.template', 'core.log']) addOperator(session, type);
  expect(session.ui.getState().recentOperators).toEqual(['core.log', 'text.template']);
});

test('the picker opens at the pointer, else in the middle of the view', async () => {
  const session = sessionOf(start);
  await run(paletteCommands, 'add-node', session);
  expect(session.ui.getState().overlay).toMatchObject({
    kind: 'picker',
    at: { x: 500, y: 350 },
    isBeside: true,
  });
  session.ui.setState({ pointer: { x: 1, y: 2 } });
  await run(paletteCommands, 'add-node', session);
  expect(session.ui.getState().overlay).toMatchObject({
    kind: 'picker',
    at: { x: 1, y: 2 },
    isBeside: false,
  });
});

test('with one node selected, what the picker adds goes beside it', async () => {
  const session = sessionOf(start);
  session.editor.getState().select(['start']);
  await run(paletteCommands, 'add-node', session);
  expect(session.ui.getState().overlay).toMatchObject({ isBeside: true });
});

test('adding after a node offers what fits its output', async () => {
  const session = sessionOf(start);
  session.editor.getState().select(['start']);
  await run(paletteCommands, 'add-after', session);
  expect(session.ui.getState().overlay).toMatchObject({ kind: 'picker', wire: { from: 'start.out' } });
});

test('each operator has a command of its own', async () => {
  const session = sessionOf(start);
  const commands = addOperatorCommands(catalog);
  expect(commands).toHaveLength(Object.keys(catalog.operators).length);
  await run(commands, 'add-operator:core.log', session);
  expect(selected(session)).toEqual(['log']);
});
