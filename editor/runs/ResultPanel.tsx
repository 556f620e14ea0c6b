import { Link } from '@tanstack/react-router';
import { CirclePlay, CloudOff, CornerUpLeft, LocateFixed, Square, TriangleAlert } from 'lucide-react';
import type { NodeDecision } from '#shared/run-event.ts';
import { SHOP } from '#shared/shop.ts';
import { publishCommand } from '../commands/file.ts';
import { runAgainCommand, runCommand, runWithInputCommand } from '../commands/run.ts';
import { revealNodes } from '../commands/view.ts';
import { flatFlow, nodeIn } from '../model/document/flat.ts';
import { CommandButton } from '../session/CommandButton.tsx';
import { useEditor, useIsPast, useRuns, useSession, useSync } from '../session/session.tsx';
import { useNodeTitle } from '../session/use-node-title.ts';
import { readInputs } from '../state/run-inputs.ts';
import { drawnPast } from '../state/drawn.ts';
import { isOver } from '../state/run-status.ts';
import type { HandRun, ShownRun } from '../state/run-store.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyPanel, EmptyState } from '../ui/EmptyState.tsx';
import { clockText } from '../ui/format.ts';
import { Spinner } from '../ui/Spinner.tsx';
import { AnswerBody } from './AnswerBody.tsx';
import { ErrorBox } from './ErrorBox.tsx';
import { GoOn } from './GoOn.tsx';
import { answersOverHttp } from './http-caller.ts';
import { givenResult, handRunOf, recordedResult, type Result as RunResult } from './result-of.ts';
import { missingText } from './run-labels.ts';
import { RunFacts } from './RunFacts.tsx';
import { Questions } from '../waits/WaitTools.tsx';

/** The result of the run on the canvas, as its caller sees it, or of the one that is being started. */
export function ResultPanel() {
  const byHand = useRuns(handRunOf);
  const shown = useRuns((state) => state.shown);
  const run = byHand && byHand.run !== shown?.id ? undefined : shown;
  if (byHand?.state === 'refused') return <Refused run={byHand} />;
  if (!run && byHand) return <Starting run={byHand} />;
  return run ? <Result run={run} byHand={byHand} /> : <NoResult />;
}

function NoResult() {
  return (
    <EmptyPanel label="Result">
      <EmptyState
        icon={CirclePlay}
        title="No result yet"
        action={<CommandButton command={runCommand} variant="primary" />}
      >
        Run the flow to see the answer that its caller would get.
      </EmptyState>
    </EmptyPanel>
  );
}

function Refused({ run: { refusal, again } }: { run: HandRun }) {
  const isOffline = refusal?.code === 'offline';
  return (
    <EmptyPanel label="Result">
      <EmptyState
        icon={isOffline ? CloudOff : TriangleAlert}
        title={isOffline ? 'You are offline' : 'The run was not started'}
        action={<Button onClick={() => void again()}>Try again</Button>}
      >
        <span role="alert">{refusal?.message}</span>
      </EmptyState>
    </EmptyPanel>
  );
}

/** The server has not reported its first event yet. */
function Starting({ run }: { run: HandRun }) {
  const result = givenResult(run);
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3">
      {run.state === 'ended' || run.state === 'lost' ? null : (
        <Spinner label="Starting the run" className="size-4" />
      )}
      {result && <AnswerBody {...result} run={run.run} />}
    </div>
  );
}

/** Whether the answer of the run on the canvas goes back over HTTP; what was started here by hand stands for a call. */
function useAnswersOverHttp({ id, trigger = '', source }: ShownRun, byHand: HandRun | undefined): boolean {
  const inList = useRuns(({ recent }) => recent.find(({ run }) => run === id)?.source);
  const past = useRuns(drawnPast)?.flow;
  const now = useEditor(({ doc }) => doc.flow);
  return answersOverHttp(byHand ? 'manual' : (source ?? inList), nodeIn(past ?? now, trigger));
}

function Result({ run, byHand }: { run: ShownRun; byHand: HandRun | undefined }) {
  const isOverHttp = useAnswersOverHttp(run, byHand);
  const status = (byHand && givenResult(byHand)?.status) ?? run.answered?.status;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line px-3 py-1 text-xs">
        <RunFacts run={run} status={isOverHttp ? status : undefined} />
        <InPart run={run} />
        <span className="flex-1" />
        <Actions run={run} />
      </div>
      <section
        aria-label="Result"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
        tabIndex={0}
        className="flex min-h-0 flex-1 flex-col gap-3 overflow-y-auto p-3 outline-offset-[-2px] *:shrink-0"
      >
        {run.error && <Failure run={run} />}
        {!isOver(run.status) && <Questions run={run} />}
        {run.status === 'ok' && <AfterRun run={run} />}
        <Answer run={run} byHand={byHand} isOverHttp={isOverHttp} />
      </section>
    </div>
  );
}

/** What follows a run that worked: the mails that the small shop has kept, and the advice of the template while the flow is not published. */
function AfterRun({ run }: { run: ShownRun }) {
  const flow = useEditor(({ doc }) => doc.flow);
  const isLive = useSync((sync) => sync.record.version !== undefined);
  const { next } = readInputs(flow.id);
  const hasMails = Object.entries(flatFlow(flow).nodes).some(
    ([id, { params }]) => params?.['connection'] === SHOP.mail && run.nodes[id]?.status === 'ok',
  );
  return (
    <>
      {hasMails && (
        <p className="text-text-2">
          The small shop keeps the mail on this server.{' '}
          <Link to="/shop" className="text-accent underline">
            Open the mailbox
          </Link>
        </p>
      )}
      {next !== undefined && !isLive && (
        <p className="text-text-2">
          <b className="font-medium">Next:</b> {next}
        </p>
      )}
    </>
  );
}

interface AnswerProps {
  run: ShownRun;
  byHand: HandRun | undefined;
  isOverHttp: boolean;
}

function Answer({ run, byHand, isOverHttp }: AnswerProps) {
  const result = (byHand && givenResult(byHand)) ?? recordedResult(run);
  const note = noteOf(run, byHand) ?? (result === undefined ? missingAnswer(run) : undefined);
  return (
    <>
      {note !== undefined && <p className="text-text-2">{note}</p>}
      {result && <Given result={result} run={run.id} isOverHttp={isOverHttp} />}
    </>
  );
}

function Given({ result, run, isOverHttp }: { result: RunResult; run: string; isOverHttp: boolean }) {
  if (result.isEmpty) {
    return (
      <p className="text-text-2">
        The flow gave no answer: nothing reached its end or a Respond node
        {isOverHttp && ', so its caller gets 204'}.
      </p>
    );
  }
  return (
    <>
      <AnswerBody {...result} run={run} />
      {result.truncated && <p className="text-xs text-text-2">The stream had more items than shown here.</p>}
    </>
  );
}

function missingAnswer({ status }: ShownRun): string | undefined {
  if (status !== 'ok') return undefined;
  return 'The answer of this run was not recorded; its nodes show what they gave.';
}

function noteOf({ status, missing }: ShownRun, byHand: HandRun | undefined): string | undefined {
  if (byHand?.state === 'lost' && !isOver(status))
    return 'The connection was lost before the answer was complete. The run goes on, and its nodes show what they give.';
  return missing === undefined ? undefined : missingText(missing);
}

/** The error, where it happened, and how to go on. */
function Failure({ run: { id, error, status } }: { run: ShownRun }) {
  const session = useSession();
  const title = useNodeTitle();
  const node = error?.node;
  const isThere = useEditor((state) => node !== undefined && nodeIn(state.doc.flow, node) !== undefined);
  const show = (): void => {
    if (node === undefined) return;
    session.editor.getState().select([node]);
    revealNodes(session, [node]);
    session.ui.setState({ panel: 'inspector', inspectorTab: 'input' });
  };
  if (!error) return null;
  return (
    <section aria-label="Failure" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <p className="mr-auto font-medium">
          {node === undefined ? (
            'The run failed'
          ) : (
            <>
              Failed at <bdi>{title(node)}</bdi>
            </>
          )}
        </p>
        {isThere && (
          <Button icon={LocateFixed} onClick={show}>
            Show the node
          </Button>
        )}
        {isOver(status) && <GoOn run={id} />}
      </div>
      <ErrorBox error={error} nameOf={title} />
    </section>
  );
}

function Actions({ run: { id, status } }: { run: ShownRun }) {
  const { actions } = useSession();
  if (!isOver(status)) {
    return (
      <Button size="sm" icon={Square} onClick={() => void actions.stopRun()}>
        Stop
      </Button>
    );
  }
  return (
    <>
      <CommandButton command={runAgainCommand} variant="ghost" />
      <CommandButton command={runWithInputCommand} variant="ghost" label="Change the input…" />
      <Link
        to="/runs/$id"
        params={{ id }}
        className="rounded-sm px-1 py-1 text-accent hover:underline pointer-coarse:py-2.5"
      >
        Open the run
      </Link>
      {status === 'ok' && <OfferPublish />}
    </>
  );
}

/** A flow that works and was never published has one step left. */
function OfferPublish() {
  const isLive = useSync((sync) => sync.record.version !== undefined);
  const isPast = useIsPast();
  return isLive || isPast ? null : (
    <CommandButton command={publishCommand} variant="primary" label="Publish it" />
  );
}

/** The nodes that were not executed, and a link to the run whose outputs were used. */
function InPart({ run: { decisions, reused } }: { run: ShownRun }) {
  const actions = useRuns((state) => state.actions);
  const source = useRuns((state) => state.recent.find((row) => row.run === reused)?.startedAt);
  if (!decisions) return null;
  const text = standInText(Object.values(decisions));
  const at = source === undefined ? undefined : clockText(source).slice(0, 8);
  return (
    <>
      <span className="min-w-0 truncate text-text-2" title={text}>
        {text}
      </span>
      {reused !== undefined && (
        <Button
          size="sm"
          variant="ghost"
          icon={CornerUpLeft}
          title="Opens the run whose outputs were used"
          onClick={() => void actions.open(reused)}
        >
          From {at ?? 'an earlier run'}
        </Button>
      )}
    </>
  );
}

/** `2 reused, 1 left out`. */
function standInText(decisions: readonly NodeDecision[]): string {
  const counts = Map.groupBy(decisions, ({ does }) => does);
  counts.delete('run');
  return [...counts].map(([does, those]) => `${those.length} ${does.replace('-', ' ')}`).join(', ');
}
