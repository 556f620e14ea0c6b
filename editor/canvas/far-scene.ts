import type { Problem } from '#shared/problem.ts';
import type { Marks } from '../model/drawing/marks.ts';
import type { CanvasEdge, CanvasNode } from '../model/drawing/project.ts';
import type { Size, Viewport } from '../model/drawing/viewport.ts';
import type { NodeRun } from '../state/run-store.ts';

/** The drawing in place of elements while a large flow is far away. */
export interface FarScene {
  readonly nodes: readonly CanvasNode[];
  readonly edges: readonly CanvasEdge[];
  /** Nodes of the run on the canvas, by id. */
  readonly runs: Readonly<Record<string, NodeRun>>;
  /** Nodes whose result is out of date, by id. */
  readonly stale: Readonly<Record<string, unknown>>;
  readonly marks: Marks | undefined;
  readonly problems: readonly Problem[];
  readonly viewport: Viewport;
  /** Size of the canvas on the screen. */
  readonly canvas: Size;
}

/** The context to draw with, in flow coordinates, and how the drawing looks. */
export interface Pen {
  readonly context: CanvasRenderingContext2D;
  /** The value of a colour token. */
  readonly color: (token: string) => string;
  /** The font family of the page. */
  readonly font: string;
  readonly zoom: number;
  /** Pixels of the drawing on a pixel of the flow. */
  readonly scale: number;
}

/** A rectangle in flow coordinates. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** All nodes of the scene by canvas id, also those out of view: edges lead to them. */
export type Places = ReadonlyMap<string, CanvasNode>;

/** Whether a rectangle of the flow is on the screen. */
export function viewOf({ x, y, zoom }: Viewport, { width, height }: Size): (box: Box) => boolean {
  const [left, top] = [-x / zoom, -y / zoom];
  const [right, bottom] = [left + width / zoom, top + height / zoom];
  return (box) => box.x < right && box.y < bottom && box.x + box.width > left && box.y + box.height > top;
}

/** Where a node stands in the flow. */
export function boxOf({ position, width = 0, height = 0 }: CanvasNode): Box {
  return { ...position, width, height };
}
