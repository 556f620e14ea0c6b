import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type UIEvent, useCallback, useEffect, useRef, useState } from 'react';
import type { LogLine } from '../state/run-store.ts';

const ROW = 24;

export const lineKey = (line: LogLine): string => `${line.run}:${line.seq}`;

/** Renders only the visible lines, and stays at the end until somebody scrolls up. */
export function useLogScroll(lines: readonly LogLine[]) {
  const box = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
    getItemKey: useCallback((i: number) => lineKey(lines[i] as LogLine), [lines]),
  });

  useEffect(() => {
    // Done by the browser, once: computing the position of the last line would lay out the page several times.
    if (atEnd) box.current?.scrollTo({ top: virtual.getTotalSize() });
  }, [atEnd, virtual, lines]);

  const onScroll = ({ currentTarget }: UIEvent): void => {
    const { scrollHeight, scrollTop, clientHeight } = currentTarget;
    setAtEnd(scrollHeight - scrollTop - clientHeight < ROW);
  };
  return { box, virtual, atEnd, goToEnd: () => setAtEnd(true), onScroll };
}

/** Arrow keys walk from line to line; one line is in the tab order. */
export function useLogWalk(
  lines: readonly LogLine[],
  { box, virtual }: Pick<ReturnType<typeof useLogScroll>, 'box' | 'virtual'>,
) {
  const [active, setActive] = useState<string>();
  const at = active === undefined ? -1 : lines.findIndex((line) => lineKey(line) === active);
  const tabStop = at < 0 ? lines.length - 1 : at;

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = Math.min(lines.length - 1, Math.max(0, tabStop + step));
    const line = lines[next];
    if (!line) return;
    setActive(lineKey(line));
    virtual.scrollToIndex(next);
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(`[data-line="${lineKey(line)}"]`)?.focus(),
    );
  };
  return { tabStop, onKeyDown, setActive };
}
