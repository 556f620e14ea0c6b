import { Menu as Base } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import { cx } from './cx.ts';
import { Kbd } from './Kbd.tsx';
import type { MenuEntry } from './menu-entry.ts';
import { listItem, popupBox, sectionTitle } from './styles.ts';

export const menuPopup = cx(popupBox, 'min-w-48 max-w-96 p-1');

/** The entries of a menu; `Menu` and `ContextMenu` put them into their popups. */
export function MenuEntries({ entries }: { entries: readonly MenuEntry[] }) {
  return entries.map((entry) => {
    if ('separator' in entry) return <Base.Separator key={entry.id} className="mx-1 my-1 h-px bg-line" />;
    if ('heading' in entry) {
      return (
        <div key={entry.id} role="presentation" className={cx(sectionTitle, 'px-2 pt-1.5 pb-1')}>
          {entry.heading}
        </div>
      );
    }
    const { icon: Icon, label, keys, disabled, danger, checked, onSelect } = entry;
    return (
      <Base.Item
        key={entry.id}
        label={label}
        disabled={disabled !== undefined}
        title={disabled}
        onClick={onSelect}
        className={cx(listItem, danger && 'text-bad data-highlighted:bg-bad-soft')}
      >
        {Icon ? <Icon aria-hidden className="size-4 shrink-0 opacity-80" /> : <span className="size-4" />}
        <span className="min-w-0 flex-1 truncate">
          {label}
          {checked && <span className="sr-only"> (chosen)</span>}
        </span>
        {checked && <Check aria-hidden className="size-4 shrink-0 text-accent" />}
        {keys && <Kbd keys={keys} />}
      </Base.Item>
    );
  });
}
