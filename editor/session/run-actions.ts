import { cancelRun } from '../api/runs.ts';
import type { Session } from '../commands/command.ts';
import { isOver } from '../state/run-status.ts';
import { countText } from '../ui/format.ts';
import { toast } from '../ui/toast.ts';
import { startByHand } from './start-by-hand.ts';

/** Starts and stops runs from the editor. */
export function createRunActions(
  id: string,
  session: () => Session,
  onError: (error: unknown) => void,
): Pick<Session['actions'], 'run' | 'stopRun'> {
  const run: Session['actions']['run'] = async ({ live = false, pins = true, part, ...start } = {}) => {
    const { editor, ui } = session();
    const errors = editor.getState().problems.filter((problem) => problem.severity === 'error').length;
    if (errors > 0 && !live) {
      toast(`The flow cannot run yet: ${countText(errors, 'problem')}.`, { kind: 'error' });
      ui.setState({ dockOpen: true, dockTab: 'problems' });
      return;
    }
    await startByHand(session(), { flow: id, draft: !live, pins, ...start, ...part });
  };

  async function stopRun(): Promise<void> {
    const { shown } = session().runs.getState();
    if (shown === undefined || isOver(shown.status)) return;
    try {
      await cancelRun(shown.id);
    } catch (error) {
      onError(error);
    }
  }

  return { run, stopRun };
}
