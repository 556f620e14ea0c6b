import { ChevronRight } from 'lucide-react';
import { type ReactNode, useState } from 'react';

interface FoldProps {
  title: string;
  /** The set values inside, in one line; shown while it is closed. */
  summary: string;
  isOpen?: boolean;
  children: ReactNode;
}

/** A part of a form that few need: one line that says what is set, and the fields when it is opened. */
export function Fold({ title, summary, isOpen = false, children }: FoldProps) {
  const [open, setOpen] = useState(isOpen);
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group rounded-md border border-line"
    >
      <summary className="flex min-h-8 cursor-default list-none items-center gap-1.5 rounded-md px-2 hover:bg-surface-2 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 shrink-0 text-text-2 group-open:rotate-90" />
        <span className="shrink-0 text-xs font-medium">{title}</span>
        {!open && <span className="min-w-0 flex-1 truncate text-right text-xs text-text-2">{summary}</span>}
      </summary>
      <div className="flex flex-col gap-3 px-3 pt-1 pb-3">{children}</div>
    </details>
  );
}
