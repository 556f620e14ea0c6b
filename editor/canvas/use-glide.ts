import { useLayoutEffect, useRef } from 'react';
import { AUTO_LAYOUT } from '../commands/view.ts';
import type { Doc, Point } from '../model/document/document.ts';
import { useEditor, useSession } from '../session/session.tsx';
import { type CanvasStore, nothingMoved, useCanvasStore } from './canvas-store.ts';

const GLIDE_MS = 200;
const AT_MOST = 300;

/** Animates the nodes to their new positions after an auto-layout (or its undo), so that the eye can follow. */
export function useGlide(): void {
  const { editor } = useSession();
  const canvas = useCanvasStore();
  const doc = useEditor((s) => s.doc);
  const before = useRef(doc);
  useLayoutEffect(() => {
    const from = before.current;
    before.current = doc;
    const { past, future } = editor.getState().history;
    const isLayout = past.at(-1)?.label === AUTO_LAYOUT || future[0]?.label === AUTO_LAYOUT;
    if (!isLayout || from === doc || from.layout.nodes === doc.layout.nodes) return;
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    return glide(canvas, from, doc);
  }, [doc, editor, canvas]);
}

function glide(canvas: CanvasStore, from: Doc, to: Doc): (() => void) | undefined {
  const ways = Object.entries(to.layout.nodes).flatMap(([id, end]) => {
    const start = from.layout.nodes[id];
    return start && (start.x !== end.x || start.y !== end.y) ? [{ id, start, end }] : [];
  });
  if (ways.length === 0 || ways.length > AT_MOST) return undefined;
  const place = (part: number) =>
    canvas.setState({ moved: new Map(ways.map(({ id, start, end }) => [id, between(start, end, part)])) });
  let frame = 0;
  let begin: number | undefined;
  const step = (now: number) => {
    begin ??= now;
    const part = Math.min(1, (now - begin) / GLIDE_MS);
    if (part === 1) canvas.setState(nothingMoved);
    else {
      place(1 - (1 - part) ** 3);
      frame = requestAnimationFrame(step);
    }
  };
  place(0);
  frame = requestAnimationFrame(step);
  return () => {
    cancelAnimationFrame(frame);
    canvas.setState(nothingMoved);
  };
}

function between(start: Point, end: Point, part: number): Point {
  return { x: start.x + (end.x - start.x) * part, y: start.y + (end.y - start.y) * part };
}
