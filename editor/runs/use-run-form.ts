import { useMemo, useState } from 'react';
import type { StartedRun } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import { runFlow } from '../api/flows.ts';
import { unaskedWrites } from '../api/partial-runs.ts';
import { sampleInput } from '../model/form/sample-input.ts';
import { type Trigger, triggersOf } from '../model/form/triggers.ts';
import { useEditor, useSession, useUi } from '../session/session.tsx';
import { readInputs, rememberInput } from '../state/run-inputs.ts';
import { createInputModel } from './input-model.ts';

export type Target = 'draft' | 'live';
export type Progress =
  | { readonly kind: 'ready' }
  | { readonly kind: 'running' }
  | { readonly kind: 'refused'; readonly message: string }
  /** These nodes, which change something outside, would run too. */
  | { readonly kind: 'asks'; readonly nodes: readonly string[]; onYes(): void }
  | { readonly kind: 'done'; readonly run: StartedRun };

/** The state of the run form: where to start, the input, and the result. */
export function useRunForm() {
  const session = useSession();
  const flow = useEditor((state) => state.doc.flow);
  const catalog = useEditor((state) => state.catalog);
  const triggers = useMemo(() => triggersOf(flow, catalog), [flow, catalog]);
  const part = useUi(({ overlay }) => (overlay?.kind === 'run-form' ? overlay.part : undefined));
  const [node, setNode] = useState(() => part?.trigger ?? readInputs(flow.id).trigger);
  const trigger = triggers.find((one) => one.node === node) ?? triggers[0];
  const model = useMemo(
    () => (trigger ? createInputModel(firstInput(flow, trigger)) : undefined),
    // The input stays while the flow is saved.
    [flow.id, trigger?.node],
  );
  const [target, setTarget] = useState<Target>('draft');
  const [pins, setPins] = useState(
    useUi(({ overlay }) => overlay?.kind !== 'run-form' || overlay.pins !== false),
  );
  const [progress, setProgress] = useState<Progress>({ kind: 'ready' });

  async function run(allowWrites: readonly string[] = []): Promise<void> {
    if (!trigger || !model) return;
    const { editor, saver, runs } = session;
    const input = model.value();
    rememberInput(flow.id, trigger.node, JSON.stringify(input ?? {}));
    setProgress({ kind: 'running' });
    try {
      const isSaved = target === 'live' || editor.getState().saveState === 'saved' || (await saver.save());
      if (!isSaved) {
        setProgress({ kind: 'refused', message: 'The flow could not be saved, so it was not run.' });
        return;
      }
      runs.setState({ follow: true });
      const done = await runFlow(flow.id, {
        draft: target === 'draft',
        trigger: trigger.node,
        input,
        pins,
        wait: true,
        ...part?.wish,
        ...(allowWrites.length > 0 && { allowWrites }),
      });
      setProgress({ kind: 'done', run: done });
    } catch (error) {
      const nodes = unaskedWrites(error);
      setProgress(
        nodes === undefined
          ? { kind: 'refused', message: (error as Error).message }
          : { kind: 'asks', nodes, onYes: () => void run([...allowWrites, ...nodes]) },
      );
    }
  }

  const change = (): void => setProgress({ kind: 'ready' });
  return { triggers, trigger, setNode, model, target, setTarget, pins, setPins, progress, run, change, part };
}

function firstInput(flow: Flow, trigger: Trigger): unknown {
  const kept = readInputs(flow.id).inputs[trigger.node];
  try {
    if (kept !== undefined) return JSON.parse(kept) as unknown;
  } catch {
    // The stored text is not JSON: start over.
  }
  return sampleInput(flow, trigger);
}
