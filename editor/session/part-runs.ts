import type { NodeOutputs } from '#shared/api.ts';
import { getPins, removePin, renamePin, setPin } from '../api/partial-runs.ts';
import type { Session } from '../commands/command.ts';
import { holdersOf } from '../model/document/flat.ts';
import { withUpstream } from '../model/document/neighbours.ts';
import { type Trigger, triggersOf } from '../model/form/triggers.ts';
import { toast } from '../ui/toast.ts';
import { earlierRun } from '../state/earlier-run.ts';
import { lastInput } from '../state/last-input.ts';
import type { RunActions } from '../state/run-store.ts';
import { startByHand } from './run-actions.ts';
import type { PartWish } from '../api/partial-runs.ts';

/** The actions of the store that need partial runs, and the pins. */
export type PartRuns = Pick<RunActions, 'runPart' | 'fork' | 'pin'> & {
  /** Loads the pins of the flow into the store. */
  loadPins(): Promise<void>;
  /** Moves a pin to the new id of its node. */
  renamePin(from: string, to: string): void;
};

/** Partial runs that are started from the editor. The flow on the canvas runs, so it is saved first. */
export function createPartRuns(session: Session, flow: string): PartRuns {
  const { runs, ui, actions } = session;

  async function told(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      actions.toast(error instanceof Error ? error.message : String(error), 'error');
    }
  }

  async function part(wish: PartWish): Promise<void> {
    const trigger = triggerBefore(session, 'only' in wish ? wish.only : wish.from);
    if (!trigger) {
      toast('No trigger leads to this node. Connect it, then run it.', { kind: 'error' });
      return;
    }
    // Before the list has arrived, nobody knows whether an earlier run has the values or an input must be asked for.
    if (runs.getState().list === 'loading') await runs.getState().actions.loadRecent();
    const state = runs.getState();
    const reuse = earlierRun(state, trigger.node)?.id ?? (state.list === 'ready' ? undefined : 'last');
    const start = reuse === undefined ? lastInput(flow, trigger) : { reuse };
    if (start) await startByHand(session, { flow, draft: true, trigger: trigger.node, ...start, ...wish });
    else ui.setState({ overlay: { kind: 'run-form', part: { trigger: trigger.node, wish } } });
  }

  const setPins = (pins: NodeOutputs): void => runs.setState({ pins });
  const loadPins = (): Promise<void> => getPins(flow).then(setPins, () => undefined);
  let renaming: Promise<unknown> = Promise.resolve();
  return {
    runPart: (wish) => told(part(wish)),
    fork: (run, outputs) => startByHand(session, { fork: run, outputs }),
    pin: (node, outputs) =>
      told(
        (outputs
          ? setPin(flow, node, { outputs, run: runs.getState().shown?.id })
          : removePin(flow, node)
        ).then(setPins),
      ),
    // Without them the canvas lacks some marks; the server uses the pins anyway.
    loadPins,
    renamePin(from, to) {
      const { [from]: outputs = {}, ...others } = runs.getState().pins;
      setPins({ ...others, [to]: outputs });
      // One after the other, since the next one may be for the same node.
      renaming = renaming.then(() => told(renamePin(flow, from, to)));
    },
  };
}

/** Of the triggers that lead to a node: that of the run on the canvas, otherwise the first. */
function triggerBefore({ editor, runs }: Session, node: string): Trigger | undefined {
  const { doc, catalog } = editor.getState();
  const before = withUpstream(doc, [node, ...holdersOf(doc.flow, node)]);
  const leading = triggersOf(doc.flow, catalog).filter((trigger) => before.has(trigger.node));
  const shown = runs.getState().shown?.trigger;
  return leading.find((trigger) => trigger.node === shown) ?? leading[0];
}
