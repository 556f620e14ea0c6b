import type { StartedRun } from '#shared/api.ts';
import type { RunError } from '#shared/run-event.ts';
import { Badge } from '../ui/Badge.tsx';
import { durationText } from '../ui/format.ts';
import { JsonView } from '../ui/JsonView.tsx';
import { ProseText } from '../ui/ProseText.tsx';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { FileCards } from './FileCards.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { useNodeTitle } from '../session/use-node-title.ts';

/** The result of a run that was started by hand. */
export function RunAnswer({ run }: { run: StartedRun }) {
  const { status, ms, error, answer } = run;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <RunStatusBadge status={status} />
        {ms !== undefined && <span className="tabular-nums">{durationText(ms)}</span>}
        {answer?.kind === 'value' && <Badge>HTTP status {answer.status}</Badge>}
      </div>
      {error && <Failure error={error} />}
      {answer?.kind === 'value' && <Body answer={answer} run={run.run} />}
      {answer?.kind === 'empty' && (
        <p className="text-text-2">The flow gave no answer: nothing reached a result or a respond node.</p>
      )}
    </div>
  );
}

function Failure({ error: { message, node: id, code } }: { error: RunError }) {
  const title = useNodeTitle();
  return (
    <div className="rounded-md bg-bad-soft p-2 text-bad">
      <p className="font-medium wrap-anywhere">
        <ProseText text={message} />
      </p>
      <p className="text-xs">
        {id !== undefined && `At ${title(id)}, `}
        {code}
      </p>
    </div>
  );
}

type ValueAnswer = Extract<NonNullable<StartedRun['answer']>, { kind: 'value' }>;

function Body({ answer: { body, truncated }, run }: { answer: ValueAnswer; run: string }) {
  return (
    <section aria-label="Body">
      <h3 className={sectionTitle}>Body</h3>
      <FileCards value={body} run={run} />
      <JsonView value={body} label="the body of the answer" />
      {truncated && <p className="text-xs text-text-2">The stream had more items than shown here.</p>}
    </section>
  );
}
