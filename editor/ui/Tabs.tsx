import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

export interface Tab<T extends string> {
  readonly value: T;
  readonly label: string;
  /** A count or a mark beside the label. */
  readonly badge?: ReactNode;
}

interface TabsProps<T extends string> {
  /** Undefined: none is chosen, and there is no panel. */
  value: T | undefined;
  onValueChange(value: T): void;
  tabs: readonly Tab<T>[];
  label: string;
  /** At the right end of the row. */
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A row of tabs above one panel: the content of the chosen one. */
export function Tabs<T extends string>(props: TabsProps<T>) {
  const { value, onValueChange, tabs, label, aside, children, className } = props;
  return (
    <Base.Root
      value={value ?? null}
      onValueChange={(next: T) => onValueChange(next)}
      className={cx('flex min-h-0 flex-1 flex-col', className)}
    >
      <div className="flex h-9 shrink-0 items-center border-b border-line pr-1">
        <Base.List aria-label={label} className="flex h-full min-w-0 flex-1 overflow-x-auto px-1">
          {tabs.map((tab) => (
            <Base.Tab
              key={tab.value}
              value={tab.value}
              className="relative inline-flex h-full shrink-0 items-center gap-1.5 px-2.5 text-xs font-medium text-text-2 outline-offset-[-3px] hover:text-text data-active:text-text data-active:after:absolute data-active:after:inset-x-2 data-active:after:bottom-0 data-active:after:h-0.5 data-active:after:rounded-full data-active:after:bg-accent"
            >
              {tab.label}
              {tab.badge}
            </Base.Tab>
          ))}
        </Base.List>
        {aside}
      </div>
      {value !== undefined && (
        <Base.Panel value={value} className="flex min-h-0 flex-1 flex-col outline-offset-[-2px]">
          {children}
        </Base.Panel>
      )}
    </Base.Root>
  );
}
