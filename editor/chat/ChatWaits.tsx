import { UserCheck } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { AskedWait } from '../api/chat.ts';
import { Button } from '../ui/Button.tsx';

const DecideDialog = lazy(async () => ({
  default: (await import('../waits/DecideDialog.tsx')).DecideDialog,
}));

/** The questions that an answer waits for, to decide here or under Waiting. */
export function ChatWaits({ waits }: { waits: readonly AskedWait[] }) {
  const [asked, setAsked] = useState<string>();
  return (
    <ul aria-label="Waits for a decision" className="flex flex-col gap-1.5">
      {waits.map(({ wait, title }) => (
        <li
          key={wait}
          className="flex flex-wrap items-center gap-2 rounded-md border border-line bg-surface-2 px-3 py-2"
        >
          <UserCheck size={16} aria-hidden className="shrink-0 text-text-2" />
          <span className="min-w-0 flex-1 wrap-anywhere">{title}</span>
          <Button size="sm" variant="primary" aria-label={`Decide: ${title}`} onClick={() => setAsked(wait)}>
            Decide…
          </Button>
        </li>
      ))}
      {asked !== undefined && (
        <Suspense>
          <DecideDialog id={asked} onClose={() => setAsked(undefined)} />
        </Suspense>
      )}
    </ul>
  );
}
