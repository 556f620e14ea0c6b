import { ArrowLeftRight, CircleCheck, CircleX, Download } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { TriggerAnswer } from '../api/trigger-call.ts';
import { useRuns } from '../session/session.tsx';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { downloadBlob } from '../ui/download.ts';
import { bytesText, durationText } from '../ui/format.ts';
import { HeaderList } from '../runs/AnswerBody.tsx';
import { JsonView } from '../ui/JsonView.tsx';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
import { sectionTitle } from '../ui/styles.ts';
import { useTester } from './use-tester.ts';

/** The answer to the last request, and the run that it started. */
export function AnswerView() {
  const answer = useTester((state) => state.answer);
  const failure = useTester((state) => state.failure);
  const sending = useTester((state) => state.sending);
  const section = useRef<HTMLElement>(null);
  const seen = useRef(answer);
  // In a narrow panel the answer is below the request.
  useEffect(() => {
    if (answer !== seen.current) section.current?.scrollIntoView({ block: 'nearest' });
    seen.current = answer;
  }, [answer]);
  return (
    <section
      ref={section}
      aria-label="Answer"
      aria-busy={sending}
      className="flex min-h-0 min-w-0 flex-col border-line @max-2xl:border-t"
    >
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1">
        <h3 className={sectionTitle}>Answer</h3>
        {answer && failure === undefined && <Facts answer={answer} />}
      </div>
      <div
        tabIndex={0}
        role="region"
        aria-label="Content of the answer"
        className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto px-3 pb-3 *:shrink-0"
      >
        {failure !== undefined && (
          <p role="alert" className="rounded-md bg-bad-soft p-2 text-bad">
            {failure}
          </p>
        )}
        {failure === undefined && answer && <Content answer={answer} />}
        {failure === undefined && !answer && (
          <EmptyState icon={ArrowLeftRight} title="No answer yet">
            Send the request: status, headers and body appear here, and its run appears on the canvas.
          </EmptyState>
        )}
      </div>
    </section>
  );
}

function Facts({ answer: { status, statusText, ms, run } }: { answer: TriggerAnswer }) {
  const isGood = status < 400;
  return (
    <div
      role="status"
      className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1 text-xs whitespace-nowrap"
    >
      <Badge tone={isGood ? 'ok' : 'bad'} icon={isGood ? CircleCheck : CircleX}>
        {status} {statusText}
      </Badge>
      <span className="text-text-2 tabular-nums">{durationText(ms)}</span>
      {run !== undefined && <RunLink run={run} />}
    </div>
  );
}

function RunLink({ run }: { run: string }) {
  const status = useRuns((state) => state.recent.find((row) => row.run === run)?.status);
  const isShown = useRuns((state) => state.shown?.id === run);
  const actions = useRuns((state) => state.actions);
  return (
    <span className="ml-auto inline-flex items-center gap-2">
      <span className="text-text-2">Its run</span>
      {status && <RunStatusBadge status={status} />}
      {isShown ? (
        <span className="text-text-2">on the canvas</span>
      ) : (
        <Button size="sm" onClick={() => void actions.open(run)}>
          Show on the canvas
        </Button>
      )}
    </span>
  );
}

function Content({ answer: { text, json, file, headers } }: { answer: TriggerAnswer }) {
  return (
    <>
      {file && (
        <div className="flex min-w-0 items-center gap-2">
          <span className="min-w-0 flex-1 truncate text-xs">
            {file.name}, {bytesText(file.content.size)}
          </span>
          <Button size="sm" icon={Download} onClick={() => downloadBlob(file.name, file.content)}>
            Download
          </Button>
        </div>
      )}
      {text === '' && file ? null : text === '' ? (
        <p className="text-text-2">The body is empty.</p>
      ) : (
        <JsonView value={json ? json.value : text} asText={!json} label="the body of the answer" />
      )}
      <HeaderList headers={headers} />
    </>
  );
}
