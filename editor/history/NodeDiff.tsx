import { ArrowRight } from 'lucide-react';
import type { RunNodeDiff, RunNodeState } from '#shared/run-diff.ts';
import { NodeName } from '../lists/NodeName.tsx';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { countText, durationText } from '../ui/format.ts';
import { ValueChange } from '../ui/ValueChange.tsx';

const STATES: Readonly<Record<RunNodeState, readonly [words: string, tone: Tone]>> = {
  ok: ['ok', 'ok'],
  failed: ['failed', 'bad'],
  skipped: ['skipped', 'neutral'],
  open: ['not ended', 'warn'],
  none: ['not there', 'neutral'],
};

interface NodeDiffProps {
  /** Of the later run. */
  flow: string;
  diff: RunNodeDiff;
}

/** One node in both runs: how it ended, how long it took, and where its outputs differ. */
export function NodeDiff({ flow, diff: { node, status, ms, changes, more } }: NodeDiffProps) {
  return (
    <section aria-label={node} className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-3">
      <div className="flex flex-wrap items-center gap-2 text-xs">
        <h2 className="font-semibold" title={node}>
          <bdi>
            <NodeName flow={flow} node={node} />
          </bdi>
        </h2>
        <State state={status.before} ms={ms.before} />
        <ArrowRight aria-hidden className="size-3.5 text-text-2" />
        <State state={status.after} ms={ms.after} />
      </div>
      {changes.map(({ place, before, after }) => (
        <ValueChange key={place} place={place} before={before} after={after} />
      ))}
      {more !== undefined && <p className="text-xs text-text-2">And {countText(more, 'difference')} more.</p>}
    </section>
  );
}

function State({ state, ms }: { state: RunNodeState; ms: number | undefined }) {
  const [words, tone] = STATES[state];
  return (
    <Badge tone={tone}>
      {words}
      {ms !== undefined && <span className="tabular-nums"> {durationText(ms)}</span>}
    </Badge>
  );
}
