import type { ReactNode } from 'react';
import { sectionTitle } from '../ui/styles.ts';

interface SectionProps {
  title: string;
  /** If the context makes the heading obvious, it is only for screen readers. */
  hidden?: boolean;
  children: ReactNode;
}

/** A part of a form with its own heading. */
export function Section({ title, hidden, children }: SectionProps) {
  return (
    <div
      role="group"
      aria-label={title}
      className="flex flex-col gap-3 border-b border-line px-3 py-3 last:border-b-0"
    >
      <h3 className={hidden ? 'sr-only' : sectionTitle}>{title}</h3>
      {children}
    </div>
  );
}
