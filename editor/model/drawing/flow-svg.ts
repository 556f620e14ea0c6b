import type { Catalog } from '#shared/catalog.ts';
import { purposeOf } from '#shared/purpose.ts';
import type { Doc } from '../document/document.ts';
import { idsWithin, nodeIn } from '../document/flat.ts';
import { around } from '../document/frames.ts';
import { type Bounds, HEADER_HEIGHT } from '../document/geometry.ts';
import { noteColor, noteOfKey } from '../document/notes.ts';
import { noteLines } from './note-lines.ts';
import {
  type CanvasEdge,
  type CanvasNode,
  type FrameCanvasNode,
  type OperatorCanvasNode,
  type PortLook,
  type ShownPort,
  project,
} from './project.ts';

/** The part of a flow to draw, and the colours to draw it in. */
export interface PictureOf {
  readonly doc: Doc;
  readonly catalog: Catalog;
  /** Only these nodes and notes, with what is in them; empty for all. */
  readonly nodes: ReadonlySet<string>;
  readonly notes: ReadonlySet<string>;
  /** The value of a colour token of the theme. */
  color(token: string): string;
}

/** Pixels of the flow, at 100 %. */
export interface Picture {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
}

const MARGIN = 32;
const RADIUS = 8;
const BAND = 4;
/** Pictures that embed the editor's font have it under its name. */
const FONT = "'Inter Variable', Inter, 'Helvetica Neue', Arial, sans-serif";
/** A width that most signs have at 1 px, to cut texts without measuring them. */
const SIGN = 0.56;

/** A flow as a picture that stands alone: cards, frames, notes and wires, with their texts as texts. Undefined for nothing. */
export function flowPicture(of: PictureOf): Picture | undefined {
  const { nodes, edges } = chosen(of);
  const boxes = nodes.map(boundsOf);
  const whole = around(boxes);
  if (!whole) return undefined;
  const [width, height] = [whole.width + 2 * MARGIN, whole.height + 2 * MARGIN].map(Math.ceil) as [
    number,
    number,
  ];
  const at = new Map(nodes.map((node) => [node.id, node]));
  const pen: Pen = { color: of.color };
  const parts = [
    rect({ x: whole.x - MARGIN, y: whole.y - MARGIN, width, height }, { fill: of.color('--canvas') }),
    ...nodes.filter((node) => node.type === 'frame').map((node) => frame(pen, node)),
    ...nodes.filter((node) => node.type === 'note').map((node) => note(pen, node)),
    ...edges.map((edge) => wire(pen, edge, at)),
    ...nodes.filter((node) => node.type === 'operator').map((node) => card(pen, node)),
    ...nodes.flatMap((node) => (node.type === 'note' ? [] : ports(pen, node))),
  ];
  const view = `${whole.x - MARGIN} ${whole.y - MARGIN} ${width} ${height}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${view}" font-family="${FONT}">${parts.join('')}</svg>`;
  return { svg, width, height };
}

const NOTHING: ReadonlySet<never> = new Set();

function chosen({ doc, catalog, nodes: ids, notes }: PictureOf) {
  const { nodes, edges } = project(
    doc,
    catalog,
    {
      selectedNodes: NOTHING,
      selectedEdges: NOTHING,
      selectedNotes: NOTHING,
      moved: new Map(),
      sized: new Map(),
    },
    undefined,
  );
  if (ids.size + notes.size === 0) return { nodes, edges };
  const wanted = new Set([...ids].flatMap((id) => [id, ...idsWithin(nodeIn(doc.flow, id) ?? {})]));
  const isWanted = ({ id }: { readonly id: string }): boolean => {
    const key = noteOfKey(id);
    return key === undefined ? wanted.has(id) : notes.has(key);
  };
  return {
    nodes: nodes.filter(isWanted),
    edges: edges.filter(({ source, target }) => wanted.has(source) && wanted.has(target)),
  };
}

interface Pen {
  color(token: string): string;
}

function boundsOf({ position, width = 0, height = 0 }: CanvasNode): Bounds {
  return { ...position, width, height };
}

/** Texts of people stay texts: no sign of them is markup, and none turns the direction of what follows. */
function escaped(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- signs that XML forbids
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\u202a-\u202e\u2066-\u2069]/g, '')
      .toWellFormed()
      .replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
  );
}

type Look = Readonly<Record<string, string | number | undefined>>;

function attributes(look: Look): string {
  return Object.entries(look)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

function rect({ x, y, width, height }: Bounds, look: Look): string {
  return `<rect${attributes({ x, y, width, height, ...look })}/>`;
}

interface Line {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  /** The width that the text may have. */
  readonly width: number;
}

function text(words: string, { x, y, size, width }: Line, look: Look): string {
  const most = Math.max(1, Math.floor(width / (size * SIGN)));
  // Characters are never halved.
  const shown = Array.from(words.replaceAll(/\s+/g, ' '));
  const cut = shown.length > most ? `${shown.slice(0, most - 1).join('')}…` : shown.join('');
  // Each text has a direction of its own.
  return `<text${attributes({ x, y, 'font-size': size, 'unicode-bidi': 'isolate', ...look })}>${escaped(cut)}</text>`;
}

function purposeColor({ color }: Pen, { data }: OperatorCanvasNode | FrameCanvasNode): string {
  return color(data.info ? `--purpose-${purposeOf(data.info)}` : '--bad');
}

function icon(
  path: string | undefined,
  { x, y, size }: { x: number; y: number; size: number },
  color: string,
) {
  if (path === undefined) return '';
  const scale = size / 24;
  const look = { d: path, transform: `translate(${x} ${y}) scale(${scale})`, stroke: color };
  return `<path${attributes({ ...look, fill: 'none', 'stroke-width': 2, 'stroke-linecap': 'round', 'stroke-linejoin': 'round' })}/>`;
}

function card(pen: Pen, node: OperatorCanvasNode): string {
  const box = boundsOf(node);
  const { title, summary, info, disabled } = node.data;
  const purpose = purposeColor(pen, node);
  const left = box.x + 38;
  const isTall = node.data.ports.some((port) => isNamed(node, port));
  const middle = box.y + (isTall ? HEADER_HEIGHT : box.height) / 2 + BAND / 2;
  const line = { x: left, width: box.width - 48 };
  return [
    `<g${attributes({ opacity: disabled ? 0.5 : undefined })}>`,
    rect(box, {
      rx: RADIUS,
      fill: pen.color('--surface'),
      stroke: pen.color('--line-strong'),
      'stroke-dasharray': disabled ? '6 4' : undefined,
    }),
    `<path d="M${box.x} ${box.y + RADIUS}q0 -${RADIUS} ${RADIUS} -${RADIUS}h${box.width - 2 * RADIUS}q${RADIUS} 0 ${RADIUS} ${RADIUS}v-${RADIUS - BAND}h-${box.width}z"${attributes({ fill: purpose })}/>`,
    icon(info?.drawing, { x: box.x + 12, y: middle - 9, size: 18 }, purpose),
    text(
      title,
      { ...line, y: summary === '' ? middle + 4 : middle - 3, size: 13 },
      { 'font-weight': 600, fill: pen.color('--text') },
    ),
    summary === ''
      ? ''
      : text(summary, { ...line, y: middle + 13, size: 11 }, { fill: pen.color('--text-2') }),
    '</g>',
  ].join('');
}

function frame(pen: Pen, node: FrameCanvasNode): string {
  const box = boundsOf(node);
  const purpose = purposeColor(pen, node);
  return [
    rect(box, { rx: RADIUS, fill: purpose, 'fill-opacity': 0.06, stroke: pen.color('--line-strong') }),
    icon(node.data.info?.drawing, { x: box.x + 12, y: box.y + 12, size: 16 }, purpose),
    text(
      node.data.title,
      { x: box.x + 36, y: box.y + 25, size: 13, width: box.width - 48 },
      { 'font-weight': 600, fill: pen.color('--text') },
    ),
  ].join('');
}

const NOTES: Readonly<Record<string, string>> = {
  yellow: '--warn-soft',
  blue: '--busy-soft',
  green: '--ok-soft',
  red: '--bad-soft',
  grey: '--surface-3',
};
const NOTE_LINE = 17;
const NOTE_SIZE = 12;

function note(pen: Pen, node: Extract<CanvasNode, { type?: 'note' }>): string {
  const box = boundsOf(node);
  const { note: of } = node.data;
  const most = Math.floor((box.width - 20) / (NOTE_SIZE * SIGN));
  const room = Math.max(1, Math.floor((box.height - 12) / NOTE_LINE));
  const lines = noteLines(of.text, most).slice(0, room);
  return [
    rect(box, {
      rx: RADIUS,
      fill: pen.color(NOTES[noteColor(of)] ?? '--warn-soft'),
      stroke: pen.color('--line-strong'),
    }),
    ...lines.map(({ text: line, isHeading }, i) =>
      text(
        line,
        { x: box.x + 10, y: box.y + 20 + i * NOTE_LINE, size: NOTE_SIZE, width: box.width - 20 },
        { fill: pen.color('--text'), 'font-weight': isHeading ? 600 : undefined },
      ),
    ),
  ].join('');
}

const PORTS: Readonly<Record<PortLook, string>> = {
  value: '--port-value',
  stream: '--port-stream',
  error: '--port-error',
  missing: '--bad',
};

function ports(pen: Pen, node: OperatorCanvasNode | FrameCanvasNode): string[] {
  const { x, y, width } = boundsOf(node);
  return node.data.ports.map((port) => {
    const at = { cx: port.side === 'left' ? x : x + width, cy: y + port.y, r: 4.5 };
    const color = pen.color(PORTS[port.look]);
    const fill = port.connected ? color : pen.color('--surface');
    const circle = `<circle${attributes({ ...at, fill, stroke: color, 'stroke-width': 1.5 })}/>`;
    return circle + (isNamed(node, port) ? portName(pen, port, { ...at, width }) : '');
  });
}

/** As on the canvas: a port that is the only one of its side needs no name. */
function isNamed(
  { data: { ports: all } }: OperatorCanvasNode | FrameCanvasNode,
  { side }: ShownPort,
): boolean {
  return all.filter((port) => port.side === side).length > 1;
}

function portName(
  pen: Pen,
  { name, side, look }: ShownPort,
  at: { cx: number; cy: number; width: number },
): string {
  const [x, anchor] = side === 'left' ? [at.cx + 13, 'start'] : [at.cx - 13, 'end'];
  const line = { x, y: at.cy + 4, size: 11, width: Math.min(96, at.width / 2) };
  return text(name, line, {
    fill: pen.color(look === 'missing' ? '--bad' : '--text-2'),
    'text-anchor': anchor,
  });
}

const LABEL_SIZE = 11;

function wire(pen: Pen, edge: CanvasEdge, at: ReadonlyMap<string, CanvasNode>): string {
  const from = portAt(at.get(edge.source), edge.sourceHandle, 'right');
  const to = portAt(at.get(edge.target), edge.targetHandle, 'left');
  if (!from || !to) return '';
  const { look = 'value', pick } = edge.data ?? {};
  const across = to.x - from.x;
  const reach = across >= 0 ? across / 2 : 6.25 * Math.sqrt(-across);
  const d = `M${from.x} ${from.y}C${from.x + reach} ${from.y} ${to.x - reach} ${to.y} ${to.x} ${to.y}`;
  const dash = look === 'stream' ? '6 4' : undefined;
  const path = `<path${attributes({ d, fill: 'none', stroke: pen.color(look === 'value' ? '--line-strong' : PORTS[look]), 'stroke-width': 2, 'stroke-dasharray': dash })}/>`;
  if (pick === undefined) return path;
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const most = 140;
  const width = Math.min(most, Array.from(pick).length * LABEL_SIZE * 0.62) + 12;
  const label = rect(
    { x: middle.x - width / 2, y: middle.y - 9, width, height: 18 },
    { rx: 4, fill: pen.color('--surface'), stroke: pen.color('--line-strong') },
  );
  const words = text(
    pick,
    { ...middle, y: middle.y + 4, size: LABEL_SIZE, width: most },
    { fill: pen.color('--text-2'), 'text-anchor': 'middle' },
  );
  return path + label + words;
}

function portAt(
  node: CanvasNode | undefined,
  name: string | null | undefined,
  side: 'left' | 'right',
): { x: number; y: number } | undefined {
  if (!node || node.type === 'note') return undefined;
  const { x, y, width } = boundsOf(node);
  const port = (node as OperatorCanvasNode).data.ports.find((one) => one.name === name && one.side === side);
  return port && { x: side === 'left' ? x : x + width, y: y + port.y };
}
