import { Play } from 'lucide-react';
import { useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';

/** There is no run to look at yet. */
export function NoRun({ what }: { what: string }) {
  const { actions, ui } = useSession();
  return (
    <EmptyState
      icon={Play}
      title="No run yet"
      action={
        <>
          <Button icon={Play} variant="primary" onClick={() => void actions.run()}>
            Run
          </Button>
          <Button onClick={() => ui.setState({ dockOpen: true, dockTab: 'runs' })}>Past runs</Button>
        </>
      }
    >
      Run the flow, or open a past run, to see what {what} here.
    </EmptyState>
  );
}
