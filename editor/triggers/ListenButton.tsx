import { Ear, X } from 'lucide-react';
import { TimeLeft } from '../runs/ListenFirst.tsx';
import { useRuns } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { Tooltip } from '../ui/Tooltip.tsx';
import { useReason } from './use-tester.ts';

/** Waits for the next call of the draft's address, from anywhere, and shows its run. */
export function ListenButton() {
  const until = useRuns((state) => state.listeningUntil);
  const actions = useRuns((state) => state.actions);
  const reason = useReason('draft');
  if (until !== undefined) {
    return (
      <span className="flex items-center gap-2 rounded-md bg-busy-soft py-0.5 pr-0.5 pl-2 text-xs text-busy">
        <Spinner className="size-3.5" />
        <span role="status">
          {until === 'opening' ? 'Opening the address of the draft' : 'Waiting for a call of the draft'}
        </span>
        <TimeLeft until={until} />
        <Button size="sm" variant="ghost" icon={X} onClick={actions.stopListening}>
          Stop
        </Button>
      </span>
    );
  }
  return (
    <Tooltip
      text={
        reason ?? 'Opens the draft’s address to callers for five minutes, and shows the run of the next call'
      }
    >
      <Button size="sm" icon={Ear} disabled={reason !== undefined} onClick={() => void actions.listen()}>
        Listen
      </Button>
    </Tooltip>
  );
}
