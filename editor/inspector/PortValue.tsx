import type { ReactNode } from 'react';
import { FileCards } from '../runs/FileCards.tsx';
import { useRuns } from '../session/session.tsx';
import type { JsonPath } from '../ui/JsonTree.tsx';
import { ValueView } from '../runs/ValueView.tsx';

interface PortValueProps {
  name: string;
  value: unknown;
  /** The text if there is no value. */
  missing: string;
  from?: ReactNode;
  onPick?: (path: JsonPath) => void;
  pickLabel?: string;
}

/** The value at one port. */
export function PortValue({ name, value, missing, from, onPick, pickLabel }: PortValueProps) {
  const run = useRuns((state) => state.shown?.id);
  return (
    <div
      role="group"
      aria-label={name}
      className="flex min-w-0 flex-col gap-1 border-b border-line px-3 py-2 last:border-b-0"
    >
      <div className="flex min-h-6 items-center gap-2">
        <h3 className="min-w-0 flex-1 truncate font-mono text-xs font-semibold">{name}</h3>
        {from}
      </div>
      {value === undefined ? (
        <p className="text-xs text-text-2">{missing}</p>
      ) : (
        <>
          <FileCards value={value} run={run} />
          <ValueView value={value} label={name} onPick={onPick} pickLabel={pickLabel} />
        </>
      )}
    </div>
  );
}
