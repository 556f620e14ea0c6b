import { cancelRun } from '../api/runs.ts';
import type { HandStart } from '../api/hand-runs.ts';
import type { Session } from '../commands/command.ts';
import { isOver } from '../state/run-status.ts';
import { countText } from '../ui/format.ts';
import { toast } from '../ui/toast.ts';

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

const load = () => import('./hand-run.ts');

/** Call it when there is nothing else to load, so that a run without a server can say so. */
export const preloadHandRuns = (): void => void load().catch(() => undefined);

/** `runByHand`, whose code comes after the first picture. */
export async function startByHand(session: Session, start: HandStart): Promise<void> {
  const { runByHand } = await load();
  await runByHand(session, start);
}
