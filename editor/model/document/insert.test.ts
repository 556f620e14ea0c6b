import { produce } from 'immer';
import { expect, test } from 'vitest';
import type { OperatorInfo } from '#shared/catalog.ts';
import { MAX_BODY_DEPTH } from '#shared/flow.ts';
import type { Doc } from './document.ts';
import { operatorsFor } from './fits.ts';
import { flatFlow, holderOf, nodeIn } from './flat.ts';
import { moveInto } from './reshape.ts';
import { inputThatTakes, insertOperator, outputFor, outputThatFeeds } from './insert.ts';
import { catalog } from '../testing/catalog.ts';
import { docOf } from '../testing/docs.ts';

const info = (type: string): OperatorInfo => catalog.operators[type] as OperatorInfo;
const edgesOf = (doc: Doc): string[] => doc.flow.edges.map((e) => `${e.from}>${e.to}`);
const insert = (doc: Doc, type: string, where: Parameters<typeof insertOperator>[3]): Doc =>
  produce(doc, (draft) => {
    insertOperator(draft, catalog, info(type), where);
  });

const pair = docOf({ start: 'trigger.http', log: 'core.log' }, ['start.out>log.in']);

test('a node on the end of a wire gets its edge with it', () => {
  const doc = insert(pair, 'text.template', { at: { x: 300, y: 400 }, wire: { from: 'start.out' } });
  expect(edgesOf(doc)).toEqual(['start.out>log.in', 'start.out>template.in']);
  expect(doc.layout.nodes['template']).toEqual({ x: 300, y: 400 });
});

test('a node on the end of a wire that was pulled from an input feeds that input', () => {
  const merge = docOf({ merge: 'core.merge' });
  const doc = insert(merge, 'text.template', { at: { x: -300, y: 400 }, wire: { to: 'merge.in' } });
  expect(edgesOf(doc)).toEqual(['template.out>merge.in']);
});

test('a node put into an edge takes its place, and what follows moves to make room', () => {
  const doc = insert(pair, 'text.template', { at: { x: 0, y: 0 }, edge: 'start.out>log.in' });
  expect(edgesOf(doc)).toEqual(['start.out>template.in', 'template.out>log.in']);
  const x = (id: string) => doc.layout.nodes[id]?.x ?? Number.NaN;
  expect(x('template')).toBeGreaterThanOrEqual(x('start') + 220);
  expect(x('log')).toBeGreaterThanOrEqual(x('template') + 220);
});

test('a node that does not fit into an edge stands beside it', () => {
  const doc = insert(pair, 'core.streamify', { at: { x: 0, y: 600 }, edge: 'start.out>log.in' });
  expect(edgesOf(doc)).toEqual(['start.out>log.in']);
  expect(Object.keys(doc.flow.nodes)).toContain('streamify');
});

test('a node covers no other', () => {
  const doc = insert(pair, 'text.template', { at: { x: 0, y: 0 } });
  expect(doc.layout.nodes['template']).not.toEqual(doc.layout.nodes['start']);
});

test('what is offered for a wire fits its kind, in both directions', () => {
  const doc = docOf({ list: 'core.streamify', all: 'core.unstreamify', pass: 'core.either' });
  const types = (spot: Parameters<typeof operatorsFor>[2]) =>
    operatorsFor(doc, catalog, spot).map((fit) => fit.type);
  expect(types({ wire: { from: 'list.out' } })).toEqual(['core.unstreamify', 'core.either']);
  expect(types({ wire: { to: 'all.in' } })).toEqual(['core.streamify', 'core.either']);
  expect(types({ wire: { to: 'pass.in' } })).toContain('core.streamify');
  expect(types({ wire: { to: 'pass.in' } })).toContain('text.template');
  expect(types({})).toHaveLength(Object.keys(catalog.operators).length);
});

test('what is offered for an edge has an input and an output for it', () => {
  const fits = operatorsFor(pair, catalog, { edge: 'start.out>log.in' });
  expect(fits.map((fit) => fit.type)).toEqual([
    'text.template',
    'data.for-each',
    'core.group',
    'core.merge',
    'core.either',
    'logic.switch',
  ]);
  expect(fits[0]).toEqual({ type: 'text.template', input: 'in', output: 'out' });
});

test('a following node hangs on a free output before a taken one, and on none that does not fit', () => {
  const doc = docOf(
    { pick: { operator: 'logic.switch', params: { cases: [{ name: 'a' }] } }, log: 'core.log' },
    ['pick.default>log.in'],
  );
  expect(outputFor(doc, catalog, 'pick', 'text.template')).toBe('pick.a');
  expect(outputFor(doc, catalog, 'pick', 'core.unstreamify')).toBeUndefined();
  expect(outputFor(doc, catalog, 'log', 'text.template')).toBeUndefined();
});

test('a wire dropped on a node finds the port that takes it', () => {
  expect(inputThatTakes(pair, catalog, 'start.out', 'log')).toBeUndefined();
  const doc = docOf({ start: 'trigger.http', log: 'core.log' });
  expect(inputThatTakes(doc, catalog, 'start.out', 'log')).toBe('log.in');
  expect(outputThatFeeds(doc, catalog, 'log.in', 'start')).toBe('start.out');
});

test('a frame is not put deeper than bodies may be, wherever it comes from', () => {
  let doc = docOf({ start: 'trigger.http' });
  let holder: string | undefined;
  for (let depth = 0; depth < MAX_BODY_DEPTH; depth++) {
    const before = new Set(Object.keys(flatFlow(doc.flow).nodes));
    doc = insert(doc, 'core.group', { at: { x: 0, y: 400 }, holder });
    const added = Object.keys(flatFlow(doc.flow).nodes).find(
      (id) => !before.has(id) && nodeIn(doc.flow, id)?.body,
    );
    expect(holderOf(doc.flow, String(added))).toBe(holder);
    holder = added;
  }
  expect(operatorsFor(doc, catalog, { holder }).map(({ type }) => type)).not.toContain('core.group');
  const next = insert(doc, 'core.group', { at: { x: 0, y: 900 }, holder });
  expect(Object.values(next.flow.nodes).filter(({ body }) => body)).toHaveLength(2);
  const lone = insert(doc, 'data.for-each', { at: { x: 0, y: 900 } });
  expect(moveInto(lone, catalog, ['for_each'], holder)).toMatchObject({ ok: false });
});
