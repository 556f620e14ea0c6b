import type { KeyboardEvent, PointerEvent } from 'react';
import { cx } from './cx.ts';

interface SplitterProps {
  /** Direction of the line itself: a `vertical` line is between two columns. */
  orientation: 'vertical' | 'horizontal';
  /** Size in pixels of the panel that it resizes. */
  value: number;
  min: number;
  max: number;
  onChange(value: number): void;
  /** The panel is after the line (right of or below it). */
  after?: boolean;
  label: string;
}

const STEP = 16;

/** A line between two panels, moved by the pointer and by arrow keys. */
export function Splitter({ orientation, value, min, max, onChange, after, label }: SplitterProps) {
  const isVertical = orientation === 'vertical';
  const sign = after ? -1 : 1;
  const set = (next: number): void => onChange(Math.round(Math.min(max, Math.max(min, next))));

  function onPointerDown(event: PointerEvent<HTMLDivElement>): void {
    const line = event.currentTarget;
    const start = isVertical ? event.clientX : event.clientY;
    line.setPointerCapture(event.pointerId);
    line.onpointermove = (move) => set(value + sign * ((isVertical ? move.clientX : move.clientY) - start));
    line.onlostpointercapture = () => {
      line.onpointermove = null;
    };
  }

  function onKeyDown(event: KeyboardEvent): void {
    const [less, more] = isVertical ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown'];
    if (event.key === less) set(value - sign * STEP);
    else if (event.key === more) set(value + sign * STEP);
    else return;
    event.preventDefault();
  }

  return (
    <div
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
      className={cx(
        'relative z-10 shrink-0 touch-none bg-line hover:bg-accent focus-visible:bg-accent',
        'after:absolute after:content-[""]',
        isVertical
          ? 'w-px cursor-col-resize after:-inset-x-1 after:inset-y-0'
          : 'h-px cursor-row-resize after:inset-x-0 after:-inset-y-1',
      )}
    />
  );
}
