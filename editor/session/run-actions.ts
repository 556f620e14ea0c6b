import { runFlow } from '../api/flows.ts';
import { cancelRun } from '../api/runs.ts';
import type { Session } from '../commands/command.ts';
import { isOver } from '../state/run-status.ts';
import type { Saver } from '../state/save.ts';
import { countText } from '../ui/format.ts';
import { toast } from '../ui/toast.ts';

/** Starts and stops runs from the editor. The draft on the canvas runs, so it is saved first; what is live stays as it is. */
export function createRunActions(
  id: string,
  { editor, runs, ui }: Pick<Session, 'editor' | 'runs' | 'ui'>,
  saver: Saver,
  onError: (error: unknown) => void,
): Pick<Session['actions'], 'run' | 'stopRun'> {
  async function run(input?: unknown, trigger?: string, pins = true): Promise<void> {
    const errors = editor.getState().problems.filter((problem) => problem.severity === 'error').length;
    if (errors > 0) {
      toast(`The flow cannot run yet: ${countText(errors, 'problem')}.`, { kind: 'error' });
      ui.setState({ dockOpen: true, dockTab: 'problems' });
      return;
    }
    if (editor.getState().saveState !== 'saved' && !(await saver.save())) return;
    try {
      const started = await runFlow(id, {
        draft: true,
        wait: false,
        pins,
        ...(input !== undefined && { input }),
        ...(trigger !== undefined && { trigger }),
      });
      runs.setState({ follow: true });
      ui.setState({ announcement: `Run ${started.run} started` });
    } catch (error) {
      onError(error);
    }
  }

  async function stopRun(): Promise<void> {
    const { shown } = runs.getState();
    if (shown === undefined || isOver(shown.status)) return;
    try {
      await cancelRun(shown.id);
    } catch (error) {
      onError(error);
    }
  }

  return { run, stopRun };
}
