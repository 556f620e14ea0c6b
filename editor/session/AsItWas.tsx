import { asRanOf } from '../state/drawn.ts';
import { Banner } from '../ui/Banner.tsx';
import { Button } from '../ui/Button.tsx';
import { clockText } from '../ui/format.ts';
import { useRuns } from './session.tsx';

/** Says that the opened run is of an older state of the flow, and links back to the current one. */
export function AsItWas() {
  const asRan = useRuns(asRanOf);
  const startedAt = useRuns((runs) => runs.shown?.startedAt ?? 0);
  const actions = useRuns((runs) => runs.actions);
  if (!asRan) return null;
  const back = (
    <Button size="sm" onClick={actions.follow}>
      Back to the current flow
    </Button>
  );
  if (!asRan.doc) {
    return (
      <Banner tone="busy" actions={back}>
        The flow has changed since this run, and the draft of that run is not stored. The run is drawn on the
        current flow, where nodes may differ.
      </Banner>
    );
  }
  return (
    <Banner
      tone="busy"
      actions={
        <>
          <Button size="sm" variant="ghost" onClick={actions.drawOnToday}>
            Show on current flow
          </Button>
          {back}
        </>
      }
    >
      <strong className="font-semibold">The flow as it was</strong> when it ran at{' '}
      {clockText(startedAt).slice(0, 8)} (version{' '}
      <code className="font-mono">{asRan.version.slice(0, 8)}</code>
      ). It is read-only.
    </Banner>
  );
}
