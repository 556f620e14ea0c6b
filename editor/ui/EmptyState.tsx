import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface EmptyStateProps {
  icon: LucideIcon;
  title: string;
  /** For a page that has no other heading. */
  isPage?: boolean;
  /** What would be here, and how to get it. */
  children?: ReactNode;
  action?: ReactNode;
}

/** A view without content, with what belongs there and what to do. */
export function EmptyState({ icon: Icon, title, isPage, children, action }: EmptyStateProps) {
  const Title = isPage ? 'h1' : 'p';
  return (
    <div className="m-auto flex max-w-100 flex-col items-center gap-2 p-6 text-center">
      <span className="inline-flex size-10 items-center justify-center rounded-full bg-surface-3 text-text-2">
        <Icon aria-hidden className="size-5" />
      </span>
      <Title className="font-semibold">{title}</Title>
      {children && <div className="text-text-2">{children}</div>}
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}

/** A panel that contains only an empty state, which may be higher than the panel: the keyboard can scroll it. */
export function EmptyPanel({ label, children }: { label: string; children: ReactNode }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
      tabIndex={0}
      className="flex min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
    >
      {children}
    </section>
  );
}
