import { CircleAlert, CircleX, Info, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { softTone } from './Badge.tsx';
import { cx } from './cx.ts';

interface BannerProps {
  tone: 'busy' | 'warn' | 'bad';
  children: ReactNode;
  /** Buttons, size `sm`. */
  actions?: ReactNode;
}

const ICONS: Readonly<Record<BannerProps['tone'], LucideIcon>> = {
  busy: Info,
  warn: CircleAlert,
  bad: CircleX,
};

/** One line across a view about a lasting state, with actions. */
export function Banner({ tone, children, actions }: BannerProps) {
  const Icon = ICONS[tone];
  return (
    <div
      role={tone === 'bad' ? 'alert' : 'status'}
      className={cx(
        'flex min-h-9 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1',
        softTone[tone],
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <div className="min-w-0 flex-1">{children}</div>
      {actions && <div className="flex shrink-0 gap-2 text-text">{actions}</div>}
    </div>
  );
}
