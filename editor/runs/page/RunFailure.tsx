import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LocateFixed, RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { RunError, RunSummary } from '#shared/run-event.ts';
import { forkRun, listDeadLetters, retryRun, unaskedWrites } from '../../api/partial-runs.ts';
import { runSubject } from '../../model/run-subject.ts';
import { isOver } from '../../state/run-status.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { toast } from '../../ui/toast.ts';
import { ErrorBox } from '../ErrorBox.tsx';

interface RunFailureProps {
  run: RunSummary;
  error: RunError;
  /** The name of a node. */
  name(node: string): string;
  onShow(node: string): void;
}

/** The error of a run: where it happened, its cause, and the ways to go on. */
export function RunFailure({ run, error, name, onShow }: RunFailureProps) {
  const { node } = error;
  return (
    <section
      aria-label="Failure"
      className="flex flex-col gap-2 rounded-lg border border-line bg-surface p-3"
    >
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="mr-auto font-semibold">
          Failed
          {node !== undefined && (
            <>
              {' at '}
              <bdi>{name(node)}</bdi>
            </>
          )}
        </h2>
        {node !== undefined && (
          <Button icon={LocateFixed} onClick={() => onShow(node)}>
            Show the step
          </Button>
        )}
        {isOver(run.status) && run.parent === undefined && runSubject(run.flow).kind === 'flow' && (
          <Retry run={run} name={name} />
        )}
      </div>
      <ErrorBox error={error} nameOf={name} />
    </section>
  );
}

/** Starts a new run from the failed step, and opens it. */
function Retry({ run: { run, flow, source }, name }: Pick<RunFailureProps, 'run' | 'name'>) {
  const navigate = useNavigate();
  const [writes, setWrites] = useState<readonly string[]>();
  const [busy, setBusy] = useState(false);
  const letters = useQuery({
    queryKey: ['dead-letters', flow, run],
    queryFn: () => listDeadLetters(flow, run),
  });
  const isLetter = letters.data?.deadLetters.some((letter) => letter.run === run) ?? false;
  const retry = async (allowed?: readonly string[]): Promise<void> => {
    setBusy(true);
    setWrites(undefined);
    try {
      const begun = isLetter
        ? await retryRun(run)
        : await forkRun(run, { draft: source === 'test', allowed });
      await navigate({ to: '/runs/$id', params: { id: begun.run } });
    } catch (error) {
      const nodes = unaskedWrites(error);
      if (nodes) setWrites([...(allowed ?? []), ...nodes]);
      else toast((error as Error).message, { kind: 'error' });
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        icon={RotateCw}
        variant="primary"
        busy={busy}
        title="As a new run, with the outputs of the steps that this one finished"
        onClick={() => void retry()}
      >
        Retry from here
      </Button>
      {writes && (
        <ConfirmDialog
          title="Run nodes that change something outside?"
          description={`The outputs of these nodes are not recorded, so they run again: ${writes.map(name).join(', ')}.`}
          action="Run them too"
          busy={busy}
          error={undefined}
          onConfirm={() => void retry(writes)}
          onClose={() => setWrites(undefined)}
        />
      )}
    </>
  );
}
