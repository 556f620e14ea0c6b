import { ChevronLeft, ChevronRight } from 'lucide-react';
import { IconButton } from '../../ui/IconButton.tsx';
import { Input } from '../../ui/Input.tsx';

interface ItemPickerProps {
  count: number;
  /** From 0; people count from 1. */
  index: number;
  onChoose(index: number): void;
}

/** The item for which the result is shown. */
export function ItemPicker({ count, index, onChoose }: ItemPickerProps) {
  const at = Math.min(index, count - 1);
  const choose = (next: number): void => {
    if (Number.isInteger(next)) onChoose(Math.min(Math.max(0, next), count - 1));
  };
  return (
    <div role="group" aria-label="Item" className="flex items-center gap-1 text-xs text-text-2">
      <IconButton
        size="sm"
        icon={ChevronLeft}
        label="Previous item"
        disabled={at === 0}
        onClick={() => choose(at - 1)}
      />
      <span>Item</span>
      <Input
        aria-label="Number of the item"
        inputMode="numeric"
        value={String(at + 1)}
        onValueChange={(text) => choose(Number(text.replace(/\D/g, '')) - 1)}
        className="!h-6 w-14 text-center tabular-nums"
      />
      <span className="tabular-nums">of {count.toLocaleString('en')}</span>
      <IconButton
        size="sm"
        icon={ChevronRight}
        label="Next item"
        disabled={at === count - 1}
        onClick={() => choose(at + 1)}
      />
    </div>
  );
}
