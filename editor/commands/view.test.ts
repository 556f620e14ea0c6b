import { expect, test } from 'vitest';
import { middleOf } from '../model/drawing/viewport.ts';
import { docOf } from '../model/testing/docs.ts';
import { run, sessionOf } from './testing/session.ts';
import { viewCommands } from './view.ts';

const wide = docOf({ a: 'trigger.http', b: 'core.log' }, [], { a: { x: 0, y: 0 }, b: { x: 4000, y: 0 } });

test('zooming in and out again comes back to the same view', async () => {
  const session = sessionOf(wide);
  const before = session.ui.getState().viewport;
  await run(viewCommands, 'zoom-in', session);
  expect(session.ui.getState().viewport.zoom).toBe(1.25);
  await run(viewCommands, 'zoom-out', session);
  expect(session.ui.getState().viewport).toEqual(before);
});

test('100 % keeps the middle of the view', async () => {
  const session = sessionOf(wide);
  session.ui.setState({ viewport: { x: 30, y: 40, zoom: 0.5 } });
  const { canvas, viewport } = session.ui.getState();
  const middle = middleOf(viewport, canvas);
  await run(viewCommands, 'zoom-reset', session);
  expect(session.ui.getState().viewport.zoom).toBe(1);
  expect(middleOf(session.ui.getState().viewport, canvas)).toEqual(middle);
});

test('fitting shows all nodes, fitting the selection shows these', async () => {
  const session = sessionOf(wide);
  await run(viewCommands, 'fit', session);
  const all = session.ui.getState().viewport;
  expect(all.x).toBeGreaterThanOrEqual(0);
  expect(all.x + 4240 * all.zoom).toBeLessThanOrEqual(session.ui.getState().canvas.width);
  session.editor.getState().select(['b']);
  await run(viewCommands, 'fit-selection', session);
  const { viewport, canvas } = session.ui.getState();
  expect(viewport.zoom).toBe(1);
  expect(middleOf(viewport, canvas).x).toBe(4120);
});

test('an empty flow cannot be fitted or laid out, and the commands say so', async () => {
  const session = sessionOf(docOf({}));
  await expect(run(viewCommands, 'fit', session)).rejects.toThrow('The flow is empty.');
  await expect(run(viewCommands, 'auto-layout', session)).rejects.toThrow('The flow is empty.');
});
