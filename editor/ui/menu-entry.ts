import type { LucideIcon } from 'lucide-react';

/** The content of a menu, as data. */
export type MenuEntry =
  | {
      readonly id: string;
      readonly label: string;
      readonly icon?: LucideIcon | undefined;
      /** Key combination, shown at the right. */
      readonly keys?: string | undefined;
      /** Why it cannot be chosen now. */
      readonly disabled?: string | undefined;
      readonly danger?: boolean;
      /** Marks a choice that is active. */
      readonly checked?: boolean;
      onSelect(): void;
    }
  | { readonly id: string; readonly separator: true }
  | { readonly id: string; readonly heading: string };
