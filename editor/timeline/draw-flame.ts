import type { TimelineSpan } from '#shared/run-timeline.ts';
import type { Purpose } from '#shared/catalog.ts';
import { durationText } from '../ui/format.ts';
import { barsWithin, type Flame, type FlameBar } from './flame-layout.ts';
import { markStep } from './span-rows.ts';

/** Height of a line of bars, in pixels. */
export const FLAME_LINE = 22;
/** Height of the time marks above the bars, in pixels. */
export const FLAME_HEAD = 24;
const GAP = 2;
/** A bar that is narrower has no text, and one without a duration is still seen. */
const TEXT_FROM = 36;
const LEAST = 2;

/** The bars of a run, and the part of them that is in view. */
export interface FlameScene {
  readonly flame: Flame;
  /** Duration of the whole run, in milliseconds. */
  readonly ms: number;
  /** Width of the whole run at this zoom, and how far it is scrolled, in pixels. */
  readonly full: number;
  readonly left: number;
  readonly top: number;
  /** Size of the picture, in pixels of the screen. */
  readonly width: number;
  readonly height: number;
  /** The chosen bar. */
  readonly at: FlameBar | undefined;
  nameOf(span: TimelineSpan): string;
  purposeOf(span: TimelineSpan): Purpose | undefined;
}

/** Draws the bars that are in view: what a picture costs depends on its size, not on the run's. */
export function drawFlame(element: HTMLCanvasElement, scene: FlameScene): void {
  const { width, height, flame, top } = scene;
  const ratio = devicePixelRatio || 1;
  element.width = Math.round(width * ratio);
  element.height = Math.round(height * ratio);
  Object.assign(element.style, { width: `${width}px`, height: `${height}px` });
  const pen = element.getContext('2d');
  if (!pen) return;
  const style = getComputedStyle(element);
  const color = (token: string): string => style.getPropertyValue(token);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.font = `11px ${style.fontFamily}`;
  pen.textBaseline = 'middle';
  const marks = marksOf(scene);
  drawMarks(pen, scene, { marks, color: color('--line') });
  const first = Math.max(0, Math.floor(top / FLAME_LINE));
  const last = Math.min(flame.lines - 1, Math.ceil((top + height) / FLAME_LINE));
  for (let line = first; line <= last; line++) drawLine(pen, scene, { line, color });
  drawHead(pen, scene, { marks, color });
}

type Color = (token: string) => string;
type Pen = CanvasRenderingContext2D;

const xOf = ({ full, ms, left }: FlameScene, time: number): number => (time / ms) * full - left;
const timeAt = ({ full, ms, left }: FlameScene, x: number): number => ((x + left) / full) * ms;

function drawLine(pen: Pen, scene: FlameScene, { line, color }: { line: number; color: Color }): void {
  const { flame, width, top, at } = scene;
  const y = FLAME_HEAD + line * FLAME_LINE - top + GAP / 2;
  let drawnTo = Number.NEGATIVE_INFINITY;
  for (const bar of barsWithin(flame.byLine[line] ?? [], timeAt(scene, -LEAST), timeAt(scene, width))) {
    const x = xOf(scene, bar.span.start);
    const wide = Math.max(LEAST, xOf(scene, bar.span.start + bar.span.ms) - x - 1);
    // Of many bars on one pixel the first is enough, unless it is the chosen one.
    if (x + wide <= drawnTo && bar !== at) continue;
    drawnTo = x + wide;
    drawBar(pen, scene, { bar, color, x, y, wide });
  }
}

interface Place {
  readonly bar: FlameBar;
  readonly color: Color;
  readonly x: number;
  readonly y: number;
  readonly wide: number;
}

const FILLS: Readonly<Record<TimelineSpan['status'], string | undefined>> = {
  ok: undefined,
  running: '--busy',
  failed: '--bad',
  cancelled: '--line-strong',
  abandoned: '--warn',
};

function drawBar(pen: Pen, scene: FlameScene, { bar, color, x, y, wide }: Place): void {
  const { span } = bar;
  const high = FLAME_LINE - GAP;
  const purpose = scene.purposeOf(span);
  const tone = color(FILLS[span.status] ?? (purpose ? `--purpose-${purpose}` : '--line-strong'));
  pen.fillStyle = tone;
  pen.globalAlpha = span.kind === 'node' ? 0.28 : 0.14;
  pen.fillRect(x, y, wide, high);
  pen.globalAlpha = 1;
  pen.fillRect(x, y, Math.min(3, wide), high);
  if (span.critical) {
    pen.fillStyle = color('--accent');
    pen.fillRect(x, y + high - 2, wide, 2);
  }
  if (bar === scene.at) {
    pen.strokeStyle = color('--accent');
    pen.lineWidth = 2;
    pen.strokeRect(x + 1, y + 1, Math.max(wide - 2, 2), high - 2);
  }
  if (wide < TEXT_FROM) return;
  // The name stays in view while its bar is scrolled past.
  const from = Math.max(x, 0) + 7;
  const room = Math.min(x + wide, scene.width) - from - 4;
  if (room < TEXT_FROM / 2) return;
  pen.save();
  pen.beginPath();
  pen.rect(from, y, room, high);
  pen.clip();
  pen.fillStyle = color('--text');
  const failed = span.status === 'failed' ? '✕ ' : '';
  pen.fillText(`${failed}${scene.nameOf(span)}  ${durationText(span.ms)}`, from, y + high / 2 + 0.5);
  pen.restore();
}

/** The times of the marks in view. */
function marksOf(scene: FlameScene): readonly number[] {
  const step = markStep(scene.ms, scene.full);
  const first = Math.max(0, Math.floor(timeAt(scene, 0) / step));
  const last = Math.floor(Math.min(scene.ms, timeAt(scene, scene.width)) / step);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * step);
}

function drawMarks(
  pen: Pen,
  scene: FlameScene,
  { marks, color }: { marks: readonly number[]; color: string },
): void {
  pen.fillStyle = color;
  for (const mark of marks) pen.fillRect(Math.round(xOf(scene, mark)), 0, 1, scene.height);
}

function drawHead(
  pen: Pen,
  scene: FlameScene,
  { marks, color }: { marks: readonly number[]; color: Color },
): void {
  pen.fillStyle = color('--surface-2');
  pen.fillRect(0, 0, scene.width, FLAME_HEAD);
  drawMarks(pen, { ...scene, height: FLAME_HEAD }, { marks, color: color('--line') });
  pen.fillStyle = color('--text-2');
  for (const mark of marks)
    pen.fillText(mark === 0 ? '0' : durationText(mark), xOf(scene, mark) + 4, FLAME_HEAD / 2);
}

/** The bar at a point, in pixels from the corner of the picture. */
export function barAt(scene: Omit<FlameScene, 'at'>, x: number, y: number): FlameBar | undefined {
  if (y < FLAME_HEAD) return undefined;
  const line = Math.floor((y - FLAME_HEAD + scene.top) / FLAME_LINE);
  const full = { ...scene, at: undefined };
  // A short bar is as wide as it is drawn.
  const [from, to] = [timeAt(full, x - LEAST), timeAt(full, x + 1)];
  return barsWithin(scene.flame.byLine[line] ?? [], from, to).at(-1);
}
