import { ArrowRight } from 'lucide-react';
import type { FlowVersion } from '#shared/api.ts';
import { useRuns, useSession } from '../session/session.tsx';
import { versionOf } from '../state/drawn.ts';
import { agoText } from '../ui/format.ts';
import { Select, type SelectOption } from '../ui/Select.tsx';
import { compareVersions, NOW } from './show-version.ts';
import { versionName } from './use-versions.ts';

/** The two versions whose differences the canvas shows. */
export function Comparison({ all }: { all: readonly FlowVersion[] }) {
  const session = useSession();
  const from = useRuns((runs) => versionOf(runs)?.from);
  const to = useRuns((runs) => versionOf(runs)?.to);
  const options = optionsOf(all);
  const compare = (before: string, after: string): void =>
    void compareVersions(session, before, after).catch((error: Error) =>
      session.actions.toast(error.message, 'error'),
    );
  return (
    <div role="group" aria-label="Compare" className="flex min-w-0 items-center gap-1.5 text-xs">
      <span className="shrink-0 text-text-2">Compare</span>
      <Select
        size="sm"
        label="Compare from"
        className="w-44"
        value={from}
        options={options}
        onValueChange={(next) => compare(next, to ?? NOW)}
      />
      <ArrowRight aria-hidden className="size-3.5 shrink-0 text-text-2" />
      <Select
        size="sm"
        label="Compare to"
        className="w-44"
        value={to ?? NOW}
        options={options}
        onValueChange={(next) => compare(from ?? all[0]?.version ?? NOW, next)}
      />
    </div>
  );
}

function optionsOf(all: readonly FlowVersion[]): SelectOption<string>[] {
  return [
    { value: NOW, label: 'Current draft' },
    ...all.map(({ version, at, live }) => ({
      value: version,
      label: `${versionName(version, all)}${live ? ' (live)' : ''}`,
      hint: agoText(at),
    })),
  ];
}
