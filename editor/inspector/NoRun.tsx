import { Play } from 'lucide-react';
import { runCommand } from '../commands/run.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';

/** There is no run to look at yet. */
export function NoRun() {
  const { ui } = useSession();
  return (
    <EmptyState
      icon={Play}
      title="No run yet"
      action={
        <>
          <CommandButton command={runCommand} variant="primary" />
          <Button onClick={() => ui.setState({ dockOpen: true, dockTab: 'runs' })}>Past runs</Button>
        </>
      }
    >
      Run the flow, or open a past run, to see the output here.
    </EmptyState>
  );
}
