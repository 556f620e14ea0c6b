import { useMemo, useState } from 'react';
import type { Flow } from '#shared/flow.ts';
import { waitsForCall } from '../commands/run.ts';
import { sampleForm } from '../model/form/sample-input.ts';
import { type Trigger, triggersOf } from '../model/form/triggers.ts';
import { useEditor, useSession, useUi } from '../session/session.tsx';
import { readInputs, rememberInput } from '../state/run-inputs.ts';
import { createInputModel } from '../form/input-model.ts';

/** The state of the flow to run: the draft, or the live version. */
export type Target = 'draft' | 'live';

/** The state of the run form: where to start, and the input. */
export function useRunForm() {
  const session = useSession();
  const flow = useEditor((state) => state.doc.flow);
  const catalog = useEditor((state) => state.catalog);
  const triggers = useMemo(() => triggersOf(flow, catalog), [flow, catalog]);
  const part = useUi(({ overlay }) => (overlay?.kind === 'run-form' ? overlay.part : undefined));
  const [node, setNode] = useState(() => part?.trigger ?? readInputs(flow.id).trigger);
  const trigger = triggers.find((one) => one.node === node) ?? triggers[0];
  // Another start value makes another form.
  const [given, setGiven] = useState<{ readonly node: string; readonly input: unknown }>();
  const model = useMemo(
    () => trigger && createInputModel(given?.node === trigger.node ? given.input : firstInput(flow, trigger)),
    // The input stays while the flow is saved.
    [flow.id, trigger?.node, given],
  );
  const [target, setTarget] = useState<Target>('draft');
  const [pins, setPins] = useState(
    useUi(({ overlay }) => overlay?.kind !== 'run-form' || overlay.pins !== false),
  );
  const [listens, setListens] = useState(
    () => !part && trigger !== undefined && waitsForCall(session, trigger),
  );

  function run(): void {
    if (!trigger || !model) return;
    const input = model.value();
    rememberInput(flow.id, trigger.node, JSON.stringify(input ?? {}));
    session.ui.setState({ overlay: undefined });
    const live = target === 'live';
    void session.actions.run({ trigger: trigger.node, input, pins, live, part: part?.wish });
  }

  const fill = (input: unknown): void => {
    if (trigger) setGiven({ node: trigger.node, input });
  };
  return {
    triggers,
    trigger,
    setNode,
    model,
    fill,
    example: () => trigger && sampleForm(flow, trigger),
    target,
    setTarget,
    pins,
    setPins,
    listens,
    setListens,
    run,
    part,
  };
}

function firstInput(flow: Flow, trigger: Trigger): unknown {
  const kept = readInputs(flow.id).inputs[trigger.node];
  try {
    if (kept !== undefined) return JSON.parse(kept) as unknown;
  } catch {
    // The stored text is not JSON: start over.
  }
  return sampleForm(flow, trigger);
}
