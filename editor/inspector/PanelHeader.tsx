import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

interface PanelHeaderProps {
  icon: LucideIcon;
  title: ReactNode;
  hint?: ReactNode;
  aside?: ReactNode;
}

/** The subject of the panel. */
export function PanelHeader({ icon: Icon, title, hint, aside }: PanelHeaderProps) {
  return (
    <header className="flex shrink-0 items-center gap-2 border-b border-line px-3 py-2">
      <span className="inline-flex size-7 shrink-0 items-center justify-center rounded-md bg-surface-3 text-text-2">
        <Icon aria-hidden className="size-4" />
      </span>
      <div className="min-w-0 flex-1">
        {title}
        {hint !== undefined && <div className="truncate px-1 text-xs text-text-2">{hint}</div>}
      </div>
      {aside}
    </header>
  );
}

export function PanelTitle({ children }: { children: ReactNode }) {
  return <h2 className="truncate px-1 font-semibold">{children}</h2>;
}
