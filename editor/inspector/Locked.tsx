import type { ReactNode } from 'react';
import { ReadOnly } from '../form/read-only.ts';
import { useIsPast } from '../session/session.tsx';

/** Settings that are read-only while a past state of the flow is shown. */
export function Locked({ children }: { children: ReactNode }) {
  const isPast = useIsPast();
  return (
    <ReadOnly value={isPast}>
      <fieldset disabled={isPast} className="contents">
        {children}
      </fieldset>
    </ReadOnly>
  );
}

/** For a scrolling area of locked settings: it contains nothing that can have the focus, so it takes the focus itself. */
export function useLockedArea() {
  const isPast = useIsPast();
  return isPast ? ({ tabIndex: 0, role: 'region', 'aria-label': 'Past settings' } as const) : {};
}
