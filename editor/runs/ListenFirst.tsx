import { useEffect } from 'react';
import { draftBase } from '../api/trigger-call.ts';
import { curlOf, sampleRequest } from '../model/form/trigger-request.ts';
import type { Trigger } from '../model/form/triggers.ts';
import { useRuns, useSync } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { CopyBlock } from '../ui/CopyBlock.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { useNow } from '../ui/use-now.ts';

/** Waits for the first call of a webhook: nobody knows yet what it gets. */
export function ListenFirst({ trigger }: { trigger: Trigger }) {
  const flow = useSync((sync) => sync.record.id);
  const until = useRuns((state) => state.listeningUntil);
  const actions = useRuns((state) => state.actions);
  const base = draftBase(flow);
  const request = sampleRequest(trigger, base);
  useEffect(() => {
    void actions.listen();
    return actions.stopListening;
  }, [actions]);
  return (
    <div className="flex flex-col gap-3">
      <p>
        This webhook has not been called yet. Call its draft from the service that will send to it: the flow
        runs with the first call, and later runs can use its content again.
      </p>
      <CopyBlock
        title="Address of the draft"
        text={`${base}${trigger.http?.path ?? ''}`}
        label="Copy the address"
      />
      {request && <CopyBlock title="As a command" text={curlOf(request)} label="Copy the command" />}
      {until === undefined ? (
        <Button className="self-start" onClick={() => void actions.listen()}>
          Listen again
        </Button>
      ) : (
        <p role="status" className="flex items-center gap-2 text-busy">
          <Spinner className="size-4" />
          {until === 'opening' ? 'Opening the address' : 'Waiting for a call'} <TimeLeft until={until} />
        </p>
      )}
    </div>
  );
}

export function TimeLeft({ until }: { until: number | 'opening' }) {
  const now = useNow();
  if (until === 'opening') return null;
  const seconds = Math.max(0, Math.round((until - now) / 1000));
  return (
    <span className="tabular-nums" aria-hidden>
      {Math.floor(seconds / 60)}:{String(seconds % 60).padStart(2, '0')}
    </span>
  );
}
