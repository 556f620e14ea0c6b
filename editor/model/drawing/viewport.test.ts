import { expect, test } from 'vitest';
import { catalog } from '../testing/catalog.ts';
import { docOf } from '../testing/docs.ts';
import { firstView, fitAll, MAX_ZOOM, middleOf, reveal, toFlow, zoomAround } from './viewport.ts';

const canvas = { width: 1000, height: 600 };

test('zooming keeps the place that it zooms around', () => {
  const before = { x: 40, y: -10, zoom: 0.8 };
  const at = middleOf(before, canvas);
  const after = zoomAround(before, at, 1.6);
  expect(after.zoom).toBe(1.6);
  expect(middleOf(after, canvas).x).toBeCloseTo(at.x);
  expect(middleOf(after, canvas).y).toBeCloseTo(at.y);
});

test('the zoom has an end', () => {
  expect(zoomAround({ x: 0, y: 0, zoom: 1 }, { x: 0, y: 0 }, 50).zoom).toBe(MAX_ZOOM);
});

test('fitting takes notes into account, and an empty flow has no fit', () => {
  const doc = docOf({ a: 'core.log' });
  const noted = { ...doc, layout: { ...doc.layout, notes: [{ id: 'n', text: '', x: 5000, y: 0 }] } };
  const plain = fitAll(doc, catalog, canvas);
  const wide = fitAll(noted, catalog, canvas);
  expect(plain?.zoom).toBe(1);
  expect(wide?.zoom).toBeLessThan(0.3);
  expect(fitAll(docOf({}), catalog, canvas)).toBeUndefined();
});

test('what is in view stays where it is; what is not comes to the middle', () => {
  const viewport = { x: 0, y: 0, zoom: 1 };
  expect(reveal({ x: 10, y: 10, width: 100, height: 100 }, viewport, canvas)).toBe(viewport);
  const moved = reveal({ x: 5000, y: 10, width: 100, height: 100 }, viewport, canvas);
  expect(toFlow(moved, { x: 500, y: 300 })).toEqual({ x: 5050, y: 60 });
});

test('what is partly in view, or just outside, is brought in by the shortest way', () => {
  const viewport = { x: 0, y: 0, zoom: 1 };
  expect(reveal({ x: 900, y: 10, width: 200, height: 100 }, viewport, canvas)).toEqual({
    x: -140,
    y: 0,
    zoom: 1,
  });
  expect(reveal({ x: 100, y: -150, width: 200, height: 100 }, viewport, canvas)).toEqual({
    x: 0,
    y: 190,
    zoom: 1,
  });
  const small = { ...viewport, zoom: 0.2 };
  expect(reveal({ x: 10, y: 10, width: 100, height: 100 }, small, canvas).zoom).toBe(0.8);
});

test('a flow opens as a whole where that can be read, else as it was left', () => {
  const small = docOf({ a: 'core.log' });
  const left = { x: 7, y: 8, zoom: 1 };
  const withView = (doc: typeof small) => ({ ...doc, layout: { ...doc.layout, viewport: left } });
  expect(firstView(withView(small), catalog, canvas)).not.toEqual(left);
  const large = docOf({ a: 'core.log', b: 'core.log' }, [], { a: { x: 0, y: 0 }, b: { x: 9000, y: 0 } });
  expect(firstView(withView(large), catalog, canvas)).toEqual(left);
  expect(firstView(large, catalog, canvas).zoom).toBeLessThan(0.2);
});
