import { type KeyboardEvent, type RefObject, useRef } from 'react';
import { stepTo, typedTo } from '../model/list-walk.ts';

const PAUSE_MS = 600;

/** Moves the focus among the items of a list by arrow keys, Home, End and the first letters of their names. */
export function useListKeys(items: string): (event: KeyboardEvent<HTMLElement>) => void {
  const typed = useRef<Typed>({ text: '', at: 0 });
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>(items)];
    const at = all.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    const to = stepTo(event.key, at, all.length) ?? letterTo(event.key, typed, all, at);
    if (to === undefined) return;
    event.preventDefault();
    all[to]?.focus();
  };
}

interface Typed {
  readonly text: string;
  /** Time of the last letter, in milliseconds. */
  readonly at: number;
}

function letterTo(
  key: string,
  typed: RefObject<Typed>,
  all: readonly HTMLElement[],
  at: number,
): number | undefined {
  const now = performance.now();
  const isOn = now - typed.current.at < PAUSE_MS && typed.current.text !== '';
  // A space presses a button, unless it continues a name.
  if (!(isOn ? /^[\p{L}\p{N} ]$/u : /^[\p{L}\p{N}]$/u).test(key)) return undefined;
  typed.current = { text: (isOn ? typed.current.text : '') + key, at: now };
  return typedTo(
    typed.current.text,
    all.map((item) => item.textContent),
    at,
  );
}
