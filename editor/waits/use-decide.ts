import { faultSentence } from '#shared/fault-sentences.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { DecideBody, WaitInfo } from '#shared/wait.ts';
import { ApiError } from '../api/client.ts';
import { decideWait } from '../api/waits.ts';

type Fault = Parameters<typeof faultSentence>[0] & { readonly loc?: readonly unknown[] };

interface Refusal {
  readonly message: string;
  /** Problems by field of the form. */
  readonly faults: ReadonlyMap<string, string>;
}

/** Sends a decision and reloads the waits, even if somebody else was quicker. */
export function useDecide({ id }: Pick<WaitInfo, 'id'>, onDone: () => void) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState<DecideBody['decision']>();
  const [refusal, setRefusal] = useState<Refusal>();

  async function decide(body: DecideBody): Promise<void> {
    setBusy(body.decision);
    setRefusal(undefined);
    try {
      await decideWait(id, body);
      onDone();
    } catch (error) {
      setRefusal(refusalOf(error));
    }
    setBusy(undefined);
    await Promise.all(['waits', 'wait'].map((key) => queries.invalidateQueries({ queryKey: [key] })));
  }
  return { busy, refusal, decide };
}

/** `loc` of a problem is `body`, then the field. */
function refusalOf(error: unknown): Refusal {
  const message = error instanceof Error ? error.message : String(error);
  const detail = error instanceof ApiError ? error.detail : [];
  const faults = detail.map((problem) => {
    // What a form refuses has the shape of a request that is refused.
    const { loc, ...about } = problem as unknown as Fault;
    return [String(loc?.[1]), faultSentence(about)] as const;
  });
  return {
    message: faults.length > 0 ? 'Check the marked fields.' : message,
    faults: new Map(faults),
  };
}
