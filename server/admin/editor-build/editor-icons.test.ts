import { expect, test } from 'vitest';
import { ICON_DRAWING } from '#shared/catalog.ts';
import { builtIns } from '../../../engine/testing/play.ts';
import { iconDrawings } from './editor-icons.ts';

const drawings = await iconDrawings();

test('all that operators of ours name is drawn', () => {
  const named = Object.values(builtIns.catalog.operators).map(({ type, icon }) => ({ type, icon }));
  expect(named.filter(({ icon }) => !(icon in drawings))).toEqual([]);
});

test('each drawing is a path that an operator could bring itself', () => {
  expect(Object.keys(drawings).length).toBeGreaterThan(1500);
  expect(Object.entries(drawings).filter(([, drawing]) => !ICON_DRAWING.test(drawing))).toEqual([]);
  expect(Object.keys(drawings).filter((name) => ICON_DRAWING.test(name))).toEqual([]);
});

test.each([
  ['a circle', 'circle', 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0 -20 0z'],
  ['a line', 'crosshair', 'L18 12'],
  ['corners', 'square', 'M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1 -2 2h-14a2 2 0 0 1 -2 -2v-14a2 2 0 0 1 2 -2z'],
  ['a path that begins with a relative move', 'check', 'M20 6 9 17l-5-5'],
  ['what comes after it', 'box', 'M0 0m3.3 7 8.7 5 8.7-5'],
  ['an older name', 'alert-triangle', drawings['triangle-alert'] ?? 'none'],
])('%s is drawn', (_, name, part) => {
  expect(drawings[name]).toContain(part);
});
