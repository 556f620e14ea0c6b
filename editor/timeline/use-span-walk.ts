import type { Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useState } from 'react';
import type { SpanRow } from './span-rows.ts';

const PAGE = 10;

interface Walk {
  /** The row with the keyboard focus. */
  readonly at: number;
  setAt(index: number): void;
  onKeyDown(event: KeyboardEvent): void;
}

/** Arrow keys move from row to row, and open and close rows that have parts. */
export function useSpanWalk(
  rows: readonly SpanRow[],
  virtual: Virtualizer<HTMLDivElement, Element>,
  toggle: (id: string) => void,
): Walk {
  const [at, setAt] = useState(0);
  const [wanted, setWanted] = useState<string>();

  // The row may only be rendered after scrolling to it.
  useEffect(() => {
    if (wanted === undefined) return;
    const button = virtual.scrollElement?.querySelector<HTMLElement>(`[data-span="${CSS.escape(wanted)}"]`);
    if (!button) return;
    button.focus({ preventScroll: true });
    setWanted(undefined);
  }, [wanted, virtual, virtual.range]);

  function goTo(index: number): void {
    const next = Math.min(Math.max(index, 0), rows.length - 1);
    const row = rows[next];
    if (!row) return;
    virtual.scrollToIndex(next);
    setAt(next);
    setWanted(row.span.id);
  }

  function openOrClose(open: boolean): void {
    const row = rows[at];
    if (row && row.parts > 0 && row.isOpen !== open) toggle(row.span.id);
    else if (open) goTo(at + 1);
    else goTo(rows.findIndex(({ span }) => span.id === row?.span.parent));
  }

  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => goTo(at + 1),
    ArrowUp: () => goTo(at - 1),
    PageDown: () => goTo(at + PAGE),
    PageUp: () => goTo(at - PAGE),
    Home: () => goTo(0),
    End: () => goTo(rows.length - 1),
    ArrowRight: () => openOrClose(true),
    ArrowLeft: () => openOrClose(false),
  };

  return {
    at: Math.min(at, rows.length - 1),
    setAt,
    onKeyDown(event) {
      const act = keys[event.key];
      if (act === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    },
  };
}
