import type { ReactNode } from 'react';
import { ReadOnly } from '../form/read-only.ts';
import { useIsPast } from '../session/session.tsx';

/** Settings, which can only be read while the flow is shown as it was. */
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

/** For an area of locked settings that scrolls: without a control that takes the focus, it has to take it itself. */
export function useLockedArea() {
  const isPast = useIsPast();
  return isPast ? ({ tabIndex: 0, role: 'region', 'aria-label': 'Settings as they were' } as const) : {};
}
