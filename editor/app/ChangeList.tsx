import { ArrowLeftRight, Minus, Pencil, Plus } from 'lucide-react';
import type { Change } from '../model/document/changes.ts';
import { Badge } from '../ui/Badge.tsx';
import { sectionTitle } from '../ui/styles.ts';

const LOOKS = {
  added: { icon: Plus, tone: 'ok' },
  removed: { icon: Minus, tone: 'bad' },
  changed: { icon: Pencil, tone: 'warn' },
} as const;

interface ChangeListProps {
  title: string;
  changes: readonly Change[];
  /** The text for an empty list. */
  none: string;
}

/** The differences between two states of a flow, one line each. */
export function ChangeList({ title, changes, none }: ChangeListProps) {
  return (
    <section className="min-w-0">
      <h3 className={sectionTitle}>{title}</h3>
      {changes.length === 0 && (
        <p className="mt-2 flex gap-2 text-text-2">
          <ArrowLeftRight aria-hidden className="mt-0.5 size-4 shrink-0" /> {none}
        </p>
      )}
      <ul className="mt-2 flex flex-col gap-1.5">
        {changes.map(({ kind, text }) => (
          <li key={`${kind} ${text}`} className="flex items-baseline gap-2">
            <Badge tone={LOOKS[kind].tone} icon={LOOKS[kind].icon}>
              {kind}
            </Badge>
            <span className="min-w-0 break-words">{text}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
