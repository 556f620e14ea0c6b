import { useMemo } from 'react';
import { useStore } from 'zustand';
import { sampleInput } from '../model/form/sample-input.ts';
import { triggersOf } from '../model/form/triggers.ts';
import { useEditor, useSession, useSync } from '../session/session.tsx';
import { type Call, type CallableTrigger, testerOf, type TesterState } from './tester.ts';

export function useTester<T>(select: (state: TesterState) => T): T {
  return useStore(testerOf(useSession()), select);
}

/** The triggers of the flow that answer HTTP. */
export function useCallable(): readonly CallableTrigger[] {
  const flow = useEditor((state) => state.doc.flow);
  const catalog = useEditor((state) => state.catalog);
  return useMemo(
    () =>
      triggersOf(flow, catalog).filter((trigger): trigger is CallableTrigger => trigger.http !== undefined),
    [flow, catalog],
  );
}

/** The trigger to test; undefined if none can be called. */
export function useCall(triggers: readonly CallableTrigger[]): Call | undefined {
  const flow = useEditor((state) => state.doc.flow);
  const isLive = useSync(({ record }) => record.version !== undefined && !record.hasDraft);
  const node = useTester((state) => state.node);
  const chosen = useTester((state) => state.target);
  const trigger = triggers.find((one) => one.node === node) ?? triggers[0];
  // With changes that are not live, the draft is what somebody wants to try.
  const target = chosen ?? (isLive ? 'live' : 'draft');
  return useMemo(
    () => trigger && { flow: flow.id, trigger, target, sample: sampleInput(flow, trigger) },
    [flow, trigger, target],
  );
}

/** Why the trigger cannot be called now; undefined if it can. */
export function useReason(target: Call['target']): string | undefined {
  const isLive = useSync((sync) => sync.record.version !== undefined);
  const errors = useEditor((state) => state.problems.some(({ severity }) => severity === 'error'));
  if (target === 'live') {
    return isLive ? undefined : 'The flow is not live yet. Publish it, or try the draft.';
  }
  return errors
    ? 'The flow has problems that keep it from running; the panel Problems lists them.'
    : undefined;
}
