import { purposeOf } from '#shared/purpose.ts';
import type { Mark } from '../model/drawing/marks.ts';
import type { CanvasNode, OperatorCanvasNode, PortLook } from '../model/drawing/project.ts';
import { type Detail, detailAt } from '../model/drawing/viewport.ts';
import type { NodeStatus } from '../state/run-store.ts';
import { drawFarEdges } from './draw-far-edges.ts';
import { type Box, boxOf, type FarScene, type Pen, viewOf } from './far-scene.ts';
import { problemsOf } from './node-problems.ts';

interface Look {
  readonly token: string;
  /** In a box of 24 × 24, so that a state is not told by its colour alone. */
  readonly glyph: string;
}

const STATES: Readonly<Record<NodeStatus, Look>> = {
  waiting: { token: '--line-strong', glyph: 'M12 3a9 9 0 1 0 .01 0M12 7v5l3 2' },
  running: { token: '--busy', glyph: 'M21 12a9 9 0 1 1-6.2-8.6' },
  ok: { token: '--ok', glyph: 'M12 3a9 9 0 1 0 .01 0M8 12l3 3 5-6' },
  failed: { token: '--bad', glyph: 'M12 3a9 9 0 1 0 .01 0M9 9l6 6M15 9l-6 6' },
  cancelled: { token: '--line-strong', glyph: 'M12 3a9 9 0 1 0 .01 0M6 6l12 12' },
  skipped: { token: '--line', glyph: 'M12 3a9 9 0 1 0 .01 0M9 15l6-6' },
  retrying: { token: '--warn', glyph: 'M3 12a9 9 0 1 0 3-6.7L3 8M3 3v5h5' },
  abandoned: { token: '--warn', glyph: 'M6 12h3M15 12h3M12 6v3M12 15v3' },
};
const PROBLEM = 'M12 4 3 20h18ZM12 10v4M12 17v.01';
const MARKS: Readonly<Record<Mark, string>> = {
  added: '--ok',
  removed: '--bad',
  changed: '--warn',
  untested: '--warn',
};
const NOTES: Readonly<Record<string, string>> = {
  yellow: '--warn-soft',
  blue: '--busy-soft',
  green: '--ok-soft',
  red: '--bad-soft',
  grey: '--surface-3',
};
const PORTS: Readonly<Record<PortLook, string>> = {
  value: '--port-value',
  stream: '--port-stream',
  error: '--port-error',
  missing: '--bad',
};
const RADIUS = 8;
const BAND = 4;
const FOOT = 24;

/** Draws the part of the scene that is in view: cards as the elements show them at this zoom, and edges. */
export function drawFar(element: HTMLCanvasElement, scene: FarScene): void {
  const { viewport, canvas } = scene;
  const ratio = devicePixelRatio || 1;
  const [width, height] = [Math.round(canvas.width * ratio), Math.round(canvas.height * ratio)];
  if (element.width !== width) element.width = width;
  if (element.height !== height) element.height = height;
  const context = element.getContext('2d');
  if (!context) return;
  const scale = viewport.zoom * ratio;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, width, height);
  context.setTransform(scale, 0, 0, scale, viewport.x * ratio, viewport.y * ratio);
  const style = getComputedStyle(element);
  const known = new Map<string, string>();
  const color = (token: string): string => {
    const value = known.get(token) ?? style.getPropertyValue(token);
    known.set(token, value);
    return value;
  };
  const pen: Pen = { context, color, font: style.fontFamily, zoom: viewport.zoom, scale };
  const inView = viewOf(viewport, canvas);
  const places = new Map(scene.nodes.map((node) => [node.id, node]));
  const shown = scene.nodes.filter((node) => inView(boxOf(node)));
  for (const node of shown) if (node.type === 'note') drawNote(pen, node);
  drawFarEdges(pen, scene, { places, inView });
  for (const node of shown) if (node.type === 'operator') drawCard(pen, node, scene);
}

function drawNote({ context, color }: Pen, node: Extract<CanvasNode, { type?: 'note' }>): void {
  context.fillStyle = color(NOTES[node.data.note.color ?? 'yellow'] ?? '--warn-soft');
  context.strokeStyle = color('--line-strong');
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(node.position.x, node.position.y, node.width ?? 0, node.height ?? 0, RADIUS);
  context.fill();
  context.stroke();
}

function drawCard(pen: Pen, node: OperatorCanvasNode, scene: FarScene): void {
  const box = boxOf(node);
  const detail = detailAt(pen.zoom);
  const isBlock = detail.level === 'blocks';
  const purpose = pen.color(`--purpose-${purposeOf(node.data.info)}`);
  drawBody(pen, node, { box, detail, purpose });
  drawPorts(pen, node, box);
  drawFrames(pen, node, { scene, box: isBlock ? grown(box, 4) : box, border: isBlock ? 6 : 2 });
  if (isBlock) return;
  drawBand(pen, box, { purpose, isFaint: node.data.disabled });
  drawFoot(pen, node, { scene, box });
}

interface Around {
  readonly scene: FarScene;
  readonly box: Box;
}

function drawFrames(
  pen: Pen,
  { id, selected }: OperatorCanvasNode,
  { scene, box, border }: Around & { border: number },
): void {
  const run = scene.runs[id];
  const mark = scene.marks?.nodes[id];
  const dashed = scene.stale[id] !== undefined;
  if (run) frame(pen, box, { color: pen.color(STATES[run.status].token), width: border, dashed });
  if (mark) frame(pen, grown(box, 4), { color: pen.color(MARKS[mark]), width: border, dashed: true });
  if (!selected) return;
  frame(pen, grown(box, 2 * border), { color: pen.color('--accent'), width: 2 * border });
}

/** State and problems. */
function drawFoot(pen: Pen, { id }: OperatorCanvasNode, { scene, box }: Around): void {
  const at = { x: box.x + 8, y: box.y + box.height - FOOT + 1, size: 22 };
  const run = scene.runs[id];
  if (run) {
    const { glyph, token } = STATES[run.status];
    strokeGlyph(pen, glyph, { ...at, color: pen.color(scene.stale[id] === undefined ? token : '--text-2') });
  }
  const problems = problemsOf(scene.problems, id);
  if (!problems) return;
  const color = pen.color(problems.errors > 0 ? '--bad' : '--warn');
  strokeGlyph(pen, PROBLEM, { ...at, x: box.x + box.width - 30, color });
}

/** Over the frame of a state. */
function drawBand({ context }: Pen, { x, y, width }: Box, look: { purpose: string; isFaint: boolean }): void {
  context.globalAlpha = look.isFaint ? 0.4 : 1;
  context.fillStyle = look.purpose;
  context.beginPath();
  context.roundRect(x, y, width, BAND, [RADIUS, RADIUS, 0, 0]);
  context.fill();
  context.globalAlpha = 1;
}

function drawPorts({ context, color }: Pen, { data }: OperatorCanvasNode, { x, y, width }: Box): void {
  for (const port of data.ports) {
    context.fillStyle = color(PORTS[port.look]);
    context.beginPath();
    context.arc(port.side === 'left' ? x : x + width, y + port.y, 5, 0, 2 * Math.PI);
    context.fill();
  }
}

interface Body {
  readonly box: Box;
  readonly detail: Detail;
  readonly purpose: string;
}

/** The card with its band, icon and name; from farther away a block in its colour with the icon. */
function drawBody(pen: Pen, { data }: OperatorCanvasNode, { box, detail, purpose }: Body): void {
  const { context, color } = pen;
  const isBlock = detail.level === 'blocks';
  const { x, y, width, height } = box;
  context.globalAlpha = 1;
  context.fillStyle = isBlock ? purpose : color(data.disabled ? '--surface-2' : '--surface');
  context.strokeStyle = color('--line-strong');
  context.lineWidth = 1;
  context.setLineDash(data.disabled ? [6, 4] : []);
  context.beginPath();
  context.roundRect(x, y, width, height, RADIUS);
  context.fill();
  if (!isBlock) context.stroke();
  context.setLineDash([]);
  const drawing = data.info?.drawing;
  if (isBlock) {
    const at = { x: x + width / 2 - 26, y: y + height / 2 - 26, size: 52, color: color('--surface') };
    if (drawing !== undefined) strokeGlyph(pen, drawing, at);
    return;
  }
  if (data.disabled) context.globalAlpha = 0.4;
  const size = 17 * detail.grow;
  const middle = y + BAND + (height - FOOT - BAND) / 2;
  const picture = 14 * detail.grow;
  const at = { x: x + 9 + (size - picture) / 2, y: middle - picture / 2, size: picture };
  if (drawing !== undefined)
    strokeGlyph(pen, drawing, { ...at, color: data.info ? purpose : color('--bad') });
  context.globalAlpha = 1;
  context.fillStyle = color(data.disabled ? '--text-2' : '--text');
  context.font = `600 ${12.5 * detail.grow}px ${pen.font}`;
  context.textBaseline = 'middle';
  const left = 9 + size + 8;
  context.fillText(shortened(context, data.title, width - left - 8), x + left, middle + 1);
}

interface Frame {
  readonly color: string;
  readonly width: number;
  readonly dashed?: boolean;
}

function frame({ context, zoom }: Pen, { x, y, width, height }: Box, look: Frame): void {
  context.strokeStyle = look.color;
  context.lineWidth = Math.max(look.width, 1.5 / zoom);
  context.setLineDash(look.dashed ? [10, 7] : []);
  context.beginPath();
  context.roundRect(x, y, width, height, RADIUS);
  context.stroke();
  context.setLineDash([]);
}

function grown({ x, y, width, height }: Box, by: number): Box {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by };
}

interface Glyph {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly color: string;
}

const glyphs = new Map<string, OffscreenCanvas>();
const MOST_GLYPHS = 500;

/** An icon as a picture that is made once: stroking its path for each node and frame would cost most of the frame. */
function strokeGlyph({ context, scale }: Pen, path: string, { x, y, size, color }: Glyph): void {
  const pixels = Math.max(1, Math.round(size * scale));
  const key = `${pixels} ${color} ${path}`;
  const known = glyphs.get(key) ?? pictureOf(path, pixels, color);
  if (!glyphs.has(key)) {
    if (glyphs.size >= MOST_GLYPHS) glyphs.clear();
    glyphs.set(key, known);
  }
  context.drawImage(known, x, y, size, size);
}

function pictureOf(path: string, pixels: number, color: string): OffscreenCanvas {
  const picture = new OffscreenCanvas(pixels, pixels);
  const context = picture.getContext('2d');
  if (!context) return picture;
  context.scale(pixels / 24, pixels / 24);
  context.strokeStyle = color;
  context.lineWidth = 2;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  context.stroke(new Path2D(path));
  return picture;
}

const widths = new Map<string, string>();
const MOST_TEXTS = 20_000;

/** As much of a text as fits, with an ellipsis; each is measured once. */
function shortened(context: CanvasRenderingContext2D, text: string, width: number): string {
  const key = `${context.font} ${Math.round(width)} ${text}`;
  const known = widths.get(key);
  if (known !== undefined) return known;
  let shown = text;
  while (shown.length > 1 && context.measureText(shown).width > width)
    shown = `${shown.slice(0, shown.endsWith('…') ? -2 : -1)}…`;
  if (widths.size >= MOST_TEXTS) widths.clear();
  widths.set(key, shown);
  return shown;
}
