import type { NodeOutputs, StartedRun } from '#shared/api.ts';
import { forkRun, getPins, removePin, renamePin, runPart, setPin } from '../api/partial-runs.ts';
import type { Session } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import { withUpstream } from '../model/neighbours.ts';
import { triggersOf } from '../model/triggers.ts';
import { toast } from '../ui/toast.ts';
import { earlierRun } from './earlier-run.ts';
import type { PartWish, RunActions } from './run-store.ts';

type PartRuns = Pick<RunActions, 'runPart' | 'fork' | 'pin'> & {
  /** Reads the pins of the flow into the store. */
  loadPins(): Promise<void>;
  /** Keeps a pin with its node, which has another id now. */
  renamePin(from: string, to: string): void;
};

/** Runs that do not do again what was done, started from the editor. What is on the canvas runs, so it is saved first. */
export function createPartRuns(session: Session, flow: string): PartRuns {
  const { editor, runs, saver, ui, actions } = session;

  async function begin(start: () => Promise<StartedRun>): Promise<void> {
    if (editor.getState().saveState !== 'saved' && !(await saver.save())) return;
    const { decisions = [] } = await start();
    const count = decisions.filter(({ does }) => does === 'run').length;
    runs.setState({ follow: true });
    ui.setState({ announcement: `Run started: ${count} of ${decisions.length} nodes are carried out` });
  }

  async function told(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      actions.toast(error instanceof Error ? error.message : String(error), 'error');
    }
  }

  async function part(wish: PartWish): Promise<void> {
    const trigger = triggerBefore(session, 'only' in wish ? wish.only : wish.from);
    if (trigger === undefined) {
      toast('No trigger leads to this node. Connect it, then run it.', { kind: 'error' });
      return;
    }
    const state = runs.getState();
    const reuse = earlierRun(state, trigger)?.id ?? (state.list === 'ready' ? undefined : 'last');
    if (reuse === undefined) offerWholeRun(session);
    else await begin(() => runPart(flow, { trigger, reuse, wish }));
  }

  const setPins = (pins: NodeOutputs): void => runs.setState({ pins });
  const loadPins = (): Promise<void> => getPins(flow).then(setPins, () => undefined);
  let renaming: Promise<unknown> = Promise.resolve();
  return {
    runPart: (wish) => told(part(wish)),
    fork: (run, outputs) => told(begin(() => forkRun(run, outputs))),
    pin: (node, outputs) =>
      told(
        (outputs
          ? setPin(flow, node, { outputs, run: runs.getState().shown?.id })
          : removePin(flow, node)
        ).then(setPins),
      ),
    // Without them the canvas lacks some marks; the server uses the pins all the same.
    loadPins,
    renamePin(from, to) {
      const { [from]: outputs = {}, ...others } = runs.getState().pins;
      setPins({ ...others, [to]: outputs });
      // One after the other, since the next may be of the same node.
      renaming = renaming.then(() => told(renamePin(flow, from, to)));
    },
  };
}

/** Of the triggers that lead to a node: that of the run on the canvas, else the first. */
function triggerBefore({ editor, runs }: Session, node: string): string | undefined {
  const { doc, catalog } = editor.getState();
  const before = withUpstream(doc, [node]);
  const leading = triggersOf(doc.flow, catalog).filter((trigger) => before.has(trigger.node));
  const shown = runs.getState().shown?.trigger;
  return (leading.find((trigger) => trigger.node === shown) ?? leading[0])?.node;
}

function offerWholeRun(session: Session): void {
  toast('There is no earlier run whose outputs could be used.', {
    detail: 'Run the whole flow once; after that its nodes can run one by one.',
    action: { label: 'Run the whole flow', run: () => void runCommand.run(session) },
  });
}
