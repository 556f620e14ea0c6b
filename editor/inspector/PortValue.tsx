import type { DragEvent, ReactNode } from 'react';
import { FileCards } from '../runs/FileCards.tsx';
import { useRuns } from '../session/session.tsx';
import type { Source } from '../model/expression/source.ts';
import type { JsonTreeProps } from '../ui/JsonTree.tsx';
import { type ValueDrags, ValueView } from '../runs/ValueView.tsx';

/** The effect of a value that is dropped onto the name of the port. */
export interface PortDrop {
  onDragEnter(event: DragEvent): void;
  onDragOver(event: DragEvent): void;
  onDrop(event: DragEvent): void;
}

interface PortValueProps extends Pick<JsonTreeProps, 'onPick' | 'pickLabel' | 'entriesOf'> {
  name: string;
  /** The value, or the known facts about it. */
  source: Source;
  /** The text if there is no value. */
  missing: string;
  from?: ReactNode;
  drags?: ValueDrags | undefined;
  drop?: PortDrop | undefined;
}

/** The value at one port. */
export function PortValue({ name, source, missing, from, drop, ...how }: PortValueProps) {
  const run = useRuns((state) => state.shown?.id);
  const { value, schema, parts } = source;
  const isKnown = value !== undefined || schema !== undefined || parts !== undefined;
  return (
    <div
      role="group"
      aria-label={name}
      className="flex min-w-0 flex-col gap-1 border-b border-line px-3 py-2 last:border-b-0"
    >
      <div {...drop} {...(drop && { 'data-takes': '' })} className="flex min-h-6 items-center gap-2">
        <h3 className="min-w-0 flex-1 truncate font-mono text-xs font-semibold">{name}</h3>
        {from}
      </div>
      {value === undefined && <p className="text-xs text-text-2">{missing}</p>}
      {value !== undefined && <FileCards value={value} run={run} />}
      {isKnown && <ValueView source={source} label={name} {...how} />}
    </div>
  );
}
