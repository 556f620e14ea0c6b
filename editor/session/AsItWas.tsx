import { asRanOf } from '../state/drawn.ts';
import { Banner } from '../ui/Banner.tsx';
import { Button } from '../ui/Button.tsx';
import { clockText } from '../ui/format.ts';
import { useRuns } from './session.tsx';

/** Says that the opened run is not of the flow as it is now, and leads back there. */
export function AsItWas() {
  const asRan = useRuns(asRanOf);
  const startedAt = useRuns((runs) => runs.shown?.startedAt ?? 0);
  const actions = useRuns((runs) => runs.actions);
  if (!asRan) return null;
  const back = (
    <Button size="sm" onClick={actions.follow}>
      Back to today’s flow
    </Button>
  );
  if (!asRan.doc) {
    return (
      <Banner tone="busy" actions={back}>
        The flow has changed since this run, and the draft that ran is not kept. The run is drawn on the flow
        as it is now, where nodes may differ.
      </Banner>
    );
  }
  return (
    <Banner
      tone="busy"
      actions={
        <>
          <Button size="sm" variant="ghost" onClick={actions.drawOnToday}>
            Draw this run on today’s flow
          </Button>
          {back}
        </>
      }
    >
      <strong className="font-semibold">The flow as it was</strong> when it ran at{' '}
      {clockText(startedAt).slice(0, 8)} (version{' '}
      <code className="font-mono">{asRan.version.slice(0, 8)}</code>
      ). It can be looked at, not changed.
    </Banner>
  );
}
