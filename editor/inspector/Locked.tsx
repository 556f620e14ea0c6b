import type { ReactNode } from 'react';
import { ReadOnly } from '../form/read-only.ts';
import { useIsPast } from '../shell/session.tsx';

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
