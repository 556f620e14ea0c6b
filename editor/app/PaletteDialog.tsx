import { Dialog as Base } from '@base-ui/react/dialog';
import { CommandEmpty, CommandInput, CommandList, CommandRoot } from 'cmdk';
import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from '../ui/cx.ts';
import { popupBox } from '../ui/styles.ts';

interface PaletteDialogProps {
  label: string;
  placeholder: string;
  /** The text if nothing matches. */
  empty: string;
  onClose(): void;
  query: string;
  onQuery(query: string): void;
  /** The list is filtered already. */
  filtered?: boolean;
  children: ReactNode;
}

/** Every word must occur; matches at the start of a word, and early ones, come first. */
export function rank(text: string, query: string): number {
  const [value, words] = [text.toLowerCase(), query.toLowerCase().split(/\s+/).filter(Boolean)];
  const scores = words.map((word) => {
    const at = ` ${value}`.indexOf(` ${word}`);
    if (at >= 0) return 1 - at / 1000;
    return value.includes(word) ? 0.3 : 0;
  });
  return scores.length === 0 ? 1 : Math.min(...scores);
}

/** A search field with a list below it, above everything: type, move with the arrow keys, press Enter. */
export function PaletteDialog(props: PaletteDialogProps) {
  const { label, placeholder, empty, onClose, query, onQuery, filtered, children } = props;
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/25" />
        <Base.Popup
          aria-label={label}
          className={cx(
            popupBox,
            'fixed top-[10vh] left-1/2 z-40 w-140 max-w-[94vw] -translate-x-1/2 overflow-hidden',
          )}
        >
          <CommandRoot label={label} loop shouldFilter={!filtered} filter={rank}>
            <div className="flex items-center gap-2 border-b border-line px-3">
              <Search aria-hidden className="size-4 shrink-0 text-text-2" />
              <CommandInput
                autoFocus
                value={query}
                onValueChange={onQuery}
                placeholder={placeholder}
                className="h-11 flex-1 bg-transparent text-sm outline-hidden placeholder:text-text-2"
              />
            </div>
            <CommandEmpty className="p-6 pb-4 text-center text-text-2">{empty}</CommandEmpty>
            <CommandList label="Found" className="max-h-[52vh] overflow-y-auto p-1.5">
              {children}
            </CommandList>
          </CommandRoot>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

export const paletteItem =
  'flex min-h-8 cursor-default items-center gap-2.5 rounded-md px-2 py-1 select-none ' +
  'data-[selected=true]:bg-surface-3 data-[disabled=true]:opacity-55';

export const paletteGroup =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 ' +
  '[&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-text-2';
