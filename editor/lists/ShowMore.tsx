import { useRef, useState } from 'react';
import { Button } from '../ui/Button.tsx';

/** How many rows are drawn at first, and with each press of the button below them. */
const STEP = 200;

/** How many rows of a table are drawn, and a function that draws more. */
export function useShown(): readonly [shown: number, showMore: () => void] {
  const [shown, setShown] = useState(STEP);
  return [shown, () => setShown(shown + STEP)];
}

interface ShowMoreProps {
  /** All rows in words: `10,000 flows`. */
  all: string;
  shown: number;
  onShow(): void;
}

/** Below a table, beside which it is drawn. The first row that it brings has the focus then: whoever reads on goes on there. */
export function ShowMore({ all, shown, onShow }: ShowMoreProps) {
  const place = useRef<HTMLDivElement>(null);
  const show = (): void => {
    const list = place.current?.parentElement;
    onShow();
    requestAnimationFrame(() => {
      const row = list?.querySelectorAll('tbody > tr')[shown];
      row?.querySelector<HTMLElement>('button, a, input')?.focus({ preventScroll: true });
    });
  };
  return (
    <div ref={place} className="flex justify-center pt-3">
      <Button onClick={show}>Show more of {all}</Button>
    </div>
  );
}
