import { expect, test } from 'vitest';
import type { Flow } from '#shared/flow.ts';
import type { Doc } from '../document/document.ts';
import { catalog } from '../testing/catalog.ts';
import { flowPicture } from './flow-svg.ts';

const HOSTILE = `</text><script>alert(1)</script>\u202E"'&\u0000\ud800`;
const flow = {
  format: 2,
  id: 'x',
  nodes: {
    start: { operator: 'trigger.http', name: HOSTILE, params: { path: '/x' } },
    loop: {
      operator: 'data.for-each',
      name: 'Each order',
      body: {
        nodes: { begin: { operator: 'body.start' }, inner: { operator: 'core.map', name: 'Inner' } },
        edges: [{ from: 'begin.out', to: 'inner.in' }],
      },
    },
  },
  edges: [{ from: 'start.out', to: 'loop.items', pick: 'orders' }],
} as unknown as Flow;
const doc: Doc = {
  flow,
  layout: {
    format: 1,
    nodes: {
      start: { x: 0, y: 0 },
      loop: { x: 400, y: 0 },
      begin: { x: 440, y: 80 },
      inner: { x: 680, y: 80 },
    },
    notes: [{ id: 'n1', x: 0, y: 300, text: `<b>${HOSTILE}</b>` }],
  } as Doc['layout'],
};

const of = (nodes: string[] = [], notes: string[] = []) =>
  flowPicture({
    doc,
    catalog,
    nodes: new Set(nodes),
    notes: new Set(notes),
    color: (token) => (token === '--surface' ? '#fff' : '#123'),
  });

test('a flow is drawn with its bodies, notes, wires and what they pick', () => {
  const { svg = '', width = 0, height = 0 } = of() ?? {};
  for (const words of ['Each order', 'Inner', 'orders']) expect(svg).toContain(words);
  expect(width).toBeGreaterThan(680);
  expect(height).toBeGreaterThan(300);
});

test('ports have their names where a node has several, and a note has no signs of Markdown', () => {
  const nodes = {
    split: { operator: 'logic.switch', params: { cases: [{ name: 'big', when: '{{ true }}' }] } },
    one: { operator: 'core.map', params: { value: 1 } },
  };
  const notes = [{ id: 'n1', x: 0, y: 300, width: 300, height: 120, text: '# Orders\nwith **bold** text' }];
  const { svg = '' } =
    flowPicture({
      doc: { flow: { ...flow, nodes, edges: [] }, layout: { format: 1, nodes: {}, notes } } as unknown as Doc,
      catalog,
      nodes: new Set(),
      notes: new Set(),
      color: () => '#123',
    }) ?? {};
  for (const words of ['>big<', '>default<', '>Orders<', '>with bold text<']) expect(svg).toContain(words);
  expect(svg).not.toContain('>out<');
});

test('texts stay texts', () => {
  const { svg = '' } = of() ?? {};
  expect(svg).not.toMatch(/<script|<b>|foreignObject|href=|onload/);
  for (const sign of ['\u0000', '\u202e', '\ud800']) expect(svg).not.toContain(sign);
  expect(svg.match(/<text/g)).toHaveLength(svg.match(/<\/text>/g)?.length ?? 0);
});

test('a selection is drawn with what is in it, and nothing else', () => {
  const { svg = '' } = of(['loop']) ?? {};
  expect(svg).toContain('Inner');
  expect(svg).not.toContain('alert');
  expect(of([], ['n1'])?.svg).not.toContain('Each order');
  expect(of(['nobody'])).toBeUndefined();
});
