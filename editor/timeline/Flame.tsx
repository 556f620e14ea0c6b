import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { useWidth } from '../ui/use-width.ts';
import { barAt, drawFlame, FLAME_HEAD, FLAME_LINE } from './draw-flame.ts';
import { type Flame as FlameLayout, type FlameBar, flameOf, neighbourBar } from './flame-layout.ts';
import { SpanFacts } from './SpanFacts.tsx';
import type { TimelineProps } from './timeline-props.ts';

interface FlameProps extends TimelineProps {
  /** How many times wider than the panel the run is. */
  zoom: number;
  onZoom(zoom: number): void;
}

const ARROWS: readonly string[] = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];

/** A run as bars over time, each above its parts; drawn, so that a run with very many of them scrolls. */
export function Flame(props: FlameProps) {
  const { flame, box, drawing, full, told, setAt, setHovered, barUnder, onKeyDown } = useFlameView(props);
  const { timeline, nameOf, onChoose } = props;
  return (
    <>
      <div
        ref={box}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- arrow keys go from bar to bar
        tabIndex={0}
        role="group"
        aria-label="Flame view of the run; arrow keys go from bar to bar, Enter opens one, plus and minus zoom"
        data-flame={timeline.spans.length}
        onKeyDown={onKeyDown}
        onPointerMove={(event) => setHovered(barUnder(event))}
        onPointerLeave={() => setHovered(undefined)}
        onClick={(event) => {
          const bar = barUnder(event);
          if (!bar) return;
          setAt(bar);
          onChoose(bar.span);
        }}
        className="min-h-0 flex-1 overflow-auto -outline-offset-2"
      >
        <div style={{ width: full, height: FLAME_HEAD + flame.lines * FLAME_LINE }} className="min-h-full">
          <canvas ref={drawing} aria-hidden className="sticky top-0 left-0 block" />
        </div>
      </div>
      {told && <SpanFacts span={told.span} name={nameOf(told.span)} isSaid />}
    </>
  );
}

/** The bars in view and the chosen one, and the handlers of the pointer and the keys. */
function useFlameView({ timeline, zoom, onZoom, nameOf, purposeOf, onChoose }: FlameProps) {
  const { spans } = timeline;
  const flame = useMemo(() => flameOf(spans), [spans]);
  const box = useRef<HTMLDivElement>(null);
  const drawing = useRef<HTMLCanvasElement>(null);
  const width = useWidth(box);
  const full = Math.max(1, width) * zoom;
  const ms = Math.max(1, timeline.ms);
  const [at, setAt] = useState<FlameBar | undefined>(flame.byLine[0]?.[0]);
  const [hovered, setHovered] = useState<FlameBar>();
  const told = hovered ?? at;

  const sceneOf = (element: HTMLDivElement) => ({
    flame,
    ms,
    full,
    nameOf,
    purposeOf,
    left: element.scrollLeft,
    top: element.scrollTop,
    width: element.clientWidth,
    height: element.clientHeight,
  });

  useDrawing(box, (element) => {
    if (drawing.current) drawFlame(drawing.current, { ...sceneOf(element), at });
  });

  const barUnder = ({ clientX, clientY }: MouseEvent): FlameBar | undefined => {
    const element = box.current;
    if (!element) return undefined;
    const { x, y } = element.getBoundingClientRect();
    return barAt(sceneOf(element), clientX - x, clientY - y);
  };
  const show = (bar: FlameBar | undefined): void => {
    if (!bar || !box.current) return;
    setAt(bar);
    setHovered(undefined);
    scrollTo(box.current, bar, { ms, full });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const acts = keysOf({ flame, at, show, onChoose, onZoom: (times) => onZoom(zoom * times) });
    const act = acts[event.key];
    if (!act || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return { flame, box, drawing, full, told, setAt, setHovered, barUnder, onKeyDown };
}

/** Draws after each change, and when the element is scrolled, gets another size, or the theme changes. */
function useDrawing(box: RefObject<HTMLDivElement | null>, draw: (element: HTMLDivElement) => void): void {
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let frame = 0;
    const ask = (): void => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        draw(element);
      });
    };
    draw(element);
    element.addEventListener('scroll', ask, { passive: true });
    const theme = new MutationObserver(ask);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    const size = new ResizeObserver(ask);
    size.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('scroll', ask);
      theme.disconnect();
      size.disconnect();
    };
  });
}

interface Walk {
  readonly flame: FlameLayout;
  readonly at: FlameBar | undefined;
  show(bar: FlameBar | undefined): void;
  onChoose(span: FlameBar['span']): void;
  onZoom(times: number): void;
}

function keysOf({ flame, at, show, onChoose, onZoom }: Walk): Readonly<Record<string, () => void>> {
  const choose = (): void => at && onChoose(at.span);
  return {
    '+': () => onZoom(2),
    '-': () => onZoom(0.5),
    Home: () => show(flame.bars[0]),
    End: () => show(flame.bars.at(-1)),
    Enter: choose,
    ' ': choose,
    ...Object.fromEntries(ARROWS.map((key) => [key, () => show(at && neighbourBar(flame, at, key))])),
  };
}

function scrollTo(
  element: HTMLDivElement,
  { span, line }: FlameBar,
  { ms, full }: { ms: number; full: number },
): void {
  const left = (span.start / ms) * full;
  if (left < element.scrollLeft || left > element.scrollLeft + element.clientWidth - 40)
    element.scrollLeft = left - element.clientWidth / 3;
  const top = line * FLAME_LINE;
  const room = element.clientHeight - FLAME_HEAD - FLAME_LINE;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (top > element.scrollTop + room) element.scrollTop = top - room;
}
