import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { cx } from './cx.ts';

/** The meaning of a colour. `busy`: something is in progress. */
export type Tone = 'neutral' | 'accent' | 'ok' | 'warn' | 'bad' | 'busy';

/** The classes of a soft background and of its text. */
export const softTone: Readonly<Record<Tone, string>> = {
  neutral: 'bg-surface-3 text-text-2',
  accent: 'bg-accent-soft text-accent',
  ok: 'bg-ok-soft text-ok',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  busy: 'bg-busy-soft text-busy',
};

interface BadgeProps {
  tone?: Tone;
  icon?: LucideIcon;
  spin?: boolean;
  children: ReactNode;
  className?: string;
  title?: string;
}

/** A word with a colour and, for a state, an icon, so that colour is never the only sign. */
export function Badge({ tone = 'neutral', icon: Icon, spin, children, className, title }: BadgeProps) {
  return (
    <span
      title={title}
      className={cx(
        'inline-flex h-5 shrink-0 items-center gap-1 rounded px-1.5 text-[11px] font-medium whitespace-nowrap',
        softTone[tone],
        className,
      )}
    >
      {Icon && <Icon aria-hidden className={cx('size-3.5 shrink-0', spin && 'animate-spin')} />}
      {children}
    </span>
  );
}

/** A small number beside a label (of a tab, a section); nothing for 0. */
export function Count({ n, tone = 'neutral' }: { n: number; tone?: Tone }) {
  if (n === 0) return null;
  return (
    <span
      className={cx(
        'inline-flex h-4 min-w-4 items-center justify-center rounded-full px-1 text-[10px] font-semibold tabular-nums',
        softTone[tone],
      )}
    >
      {n > 999 ? '999+' : n}
    </span>
  );
}
