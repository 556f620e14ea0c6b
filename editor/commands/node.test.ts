import { expect, test } from 'vitest';
import { docOf } from '../model/testing/docs.ts';
import { deleteCommand } from './edit.ts';
import { nodeCommands } from './node.ts';
import { run, selected, sessionOf, steps } from './testing/session.ts';

const row = docOf({ a: 'trigger.http', b: 'text.template', c: 'core.log' }, ['a.out>b.in', 'b.out>c.in']);

test('arrow keys in quick succession are one step, which one undo takes back', async () => {
  const session = sessionOf(row);
  session.editor.getState().select(['b']);
  await run(nodeCommands, 'nudge-right', session);
  await run(nodeCommands, 'nudge-right', session);
  await run(nodeCommands, 'nudge-far-down', session);
  expect(session.editor.getState().doc.layout.nodes['b']).toEqual({ x: 320, y: 50 });
  expect(steps(session)).toEqual(['Move']);
  session.editor.getState().undo();
  expect(session.editor.getState().doc.layout.nodes['b']).toEqual({ x: 300, y: 0 });
});

test('moving another node begins a new step', async () => {
  const session = sessionOf(row);
  session.editor.getState().select(['b']);
  await run(nodeCommands, 'nudge-right', session);
  session.editor.getState().select(['c']);
  await run(nodeCommands, 'nudge-right', session);
  expect(steps(session)).toEqual(['Move', 'Move']);
});

test('a selected note is moved along, and deleted along', async () => {
  const session = sessionOf(row);
  await run(nodeCommands, 'add-note', session);
  const note = session.editor.getState().doc.layout.notes?.[0];
  session.editor.getState().select(['b'], [], ['note_1']);
  await run(nodeCommands, 'nudge-left', session);
  expect(session.editor.getState().doc.layout.notes?.[0]?.x).toBe((note?.x ?? Number.NaN) - 10);
  await run([deleteCommand], 'delete', session);
  expect(session.editor.getState().doc.layout.notes).toBeUndefined();
  expect(session.editor.getState().selectedNotes.size).toBe(0);
});

test('nothing selected, nothing to move: the command says so', async () => {
  await expect(run(nodeCommands, 'nudge-right', sessionOf(row))).rejects.toThrow('Select a node first.');
});

test('going to a neighbour selects it and asks the canvas to show it', async () => {
  const session = sessionOf(row);
  await run(nodeCommands, 'go-right', session);
  expect(selected(session)).toEqual(['a']);
  await run(nodeCommands, 'go-right', session);
  expect(selected(session)).toEqual(['b']);
  expect(session.ui.getState().reveal).toEqual({ nodes: ['b'], request: 2 });
  await run(nodeCommands, 'go-up', session);
  expect(selected(session)).toEqual(['b']);
  expect(session.ui.getState().announcement).toMatch(/no node in this direction/);
});

test('upstream and downstream selection keep the node itself', async () => {
  const session = sessionOf(row);
  session.editor.getState().select(['b']);
  await run(nodeCommands, 'select-upstream', session);
  expect(selected(session)).toEqual(['a', 'b']);
  session.editor.getState().select(['b']);
  await run(nodeCommands, 'select-downstream', session);
  expect(selected(session)).toEqual(['b', 'c']);
});

test('a mixed selection is disabled as a whole first, then enabled, leaving no trace in the file', async () => {
  const session = sessionOf(row);
  session.editor.getState().select(['b']);
  await run(nodeCommands, 'toggle-disabled', session);
  session.editor.getState().select(['b', 'c']);
  await run(nodeCommands, 'toggle-disabled', session);
  const nodes = () => session.editor.getState().doc.flow.nodes;
  expect([nodes()['b']?.disabled, nodes()['c']?.disabled]).toEqual([true, true]);
  await run(nodeCommands, 'toggle-disabled', session);
  expect(nodes()).toEqual(row.flow.nodes);
});

test('renaming, connecting and opening name the one selected node', async () => {
  const session = sessionOf(row);
  session.editor.getState().select(['b']);
  await run(nodeCommands, 'rename-node', session);
  expect(session.ui.getState().overlay).toEqual({ kind: 'rename', node: 'b' });
  await run(nodeCommands, 'connect-node', session);
  expect(session.ui.getState().overlay).toEqual({ kind: 'connect', node: 'b' });
  session.ui.setState({ panel: 'none' });
  await run(nodeCommands, 'open-node', session);
  expect(session.ui.getState().panel).toBe('inspector');
  session.editor.getState().select(['a', 'b']);
  await expect(run(nodeCommands, 'rename-node', session)).rejects.toThrow('Select one node first.');
});
