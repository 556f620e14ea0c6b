import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { RunSummary } from '#shared/run-event.ts';
import { useRunNames } from '../../session/use-flow-names.ts';
import type { LogLine } from '../../state/run-store.ts';
import { costText, tokensText } from '../../timeline/span-labels.ts';
import { Badge } from '../../ui/Badge.tsx';
import { clockText, countText, durationText } from '../../ui/format.ts';
import { ProseText } from '../../ui/ProseText.tsx';
import { RunStatusBadge } from '../../ui/RunStatusBadge.tsx';
import { AnswerBody } from '../AnswerBody.tsx';
import { ErrorBox } from '../ErrorBox.tsx';
import { RoundList } from './RoundList.tsx';
import type { Step } from './run-steps.ts';
import { statusLooks } from '../../canvas/node-status.ts';

interface StepListProps {
  steps: readonly Step[];
  run: string;
  nameOf(node: string): string;
  /** The runs that it started. */
  parts: readonly RunSummary[];
  /** The step that is open. */
  chosen: string | undefined;
  onChoose(node: string | undefined): void;
  /** Lines of the log that belong to no step. */
  lines: readonly LogLine[];
}

/** The steps of a run, each with what it gave, its error, its log and the runs that it called. */
export function StepList({ steps, run, nameOf, parts, chosen, onChoose, lines }: StepListProps) {
  return (
    <section aria-label="Steps" className="overflow-hidden rounded-lg border border-line bg-surface">
      <h2 className="border-b border-line px-3 py-2 font-semibold">
        Steps <span className="text-xs font-normal text-text-2">{countText(steps.length, 'step')}</span>
      </h2>
      <ol>
        {steps.map((step) => (
          <StepItem
            key={step.node}
            step={step}
            run={run}
            nameOf={nameOf}
            parts={parts.filter(({ parentNode }) => parentNode === step.node)}
            isOpen={chosen === step.node}
            onToggle={(open) => onChoose(open ? step.node : undefined)}
          />
        ))}
      </ol>
      {lines.length > 0 && (
        <details className="border-t border-line px-3 py-2">
          <summary className="text-xs text-text-2">Log of the run, {countText(lines.length, 'line')}</summary>
          <Lines lines={lines} />
        </details>
      )}
    </section>
  );
}

interface StepItemProps {
  step: Step;
  run: string;
  nameOf(node: string): string;
  parts: readonly RunSummary[];
  isOpen: boolean;
  onToggle(isOpen: boolean): void;
}

function StepItem({ step, run, nameOf, parts, isOpen, onToggle }: StepItemProps) {
  const { node } = step;
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <li ref={item} data-step={node} className="border-b border-line last:border-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => onToggle(!isOpen)}
        className="flex min-h-9 w-full cursor-default flex-wrap items-center gap-x-2 gap-y-1 px-3 py-1.5 text-left text-xs -outline-offset-2 hover:bg-surface-2"
      >
        <Icon aria-hidden className="size-3.5 shrink-0 text-text-2" />
        <bdi className="min-w-0 flex-1 truncate text-[13px] font-medium">{nameOf(node)}</bdi>
        <StepFacts step={step} />
      </button>
      {isOpen && <StepDetails step={step} run={run} nameOf={nameOf} parts={parts} />}
    </li>
  );
}

function StepFacts({ step: { run, span, rounds } }: { step: Step }) {
  const { word, tone, icon } = statusLooks[run.status];
  const ms = run.ms ?? span?.ms;
  const facts = [
    run.attempt > 1 && countText(run.attempt, 'attempt'),
    rounds && countText(rounds.count, 'round'),
    span?.model,
    span && tokensText(span),
    span && costText(span),
    ms !== undefined && durationText(ms),
  ].filter((fact) => typeof fact === 'string');
  return (
    <>
      {facts.map((fact) => (
        <span key={fact} className="text-text-2 tabular-nums">
          {fact}
        </span>
      ))}
      <Badge tone={tone} icon={icon}>
        {word}
      </Badge>
    </>
  );
}

type StepDetailsProps = Omit<StepItemProps, 'isOpen' | 'onToggle'>;

/** Everything that is known of a step. */
export function StepDetails({ step: { run: state, lines, rounds, node }, run, nameOf, parts }: StepDetailsProps) {
  const outputs = Object.entries(state.outputs);
  return (
    <div className="flex flex-col gap-3 border-t border-line bg-surface-2 px-3 py-3">
      {state.error && <ErrorBox error={state.error} />}
      {state.waitingFor !== undefined && <p className="text-xs">It waits for {state.waitingFor}.</p>}
      {outputs.map(([port, value]) => (
        <section key={port} aria-label={`Output ${port}`} className="flex flex-col gap-1">
          <h3 className="font-mono text-xs font-semibold">{port}</h3>
          <AnswerBody value={value} run={run} label={`Output ${port}`} />
        </section>
      ))}
      {Object.entries(state.counts)
        .filter(([port]) => state.outputs[port] === undefined)
        .map(([port, count]) => (
          <p key={port} className="text-xs text-text-2">
            {port}: a stream of {countText(count, 'item')}
          </p>
        ))}
      {outputs.length === 0 && !state.error && Object.keys(state.counts).length === 0 && (
        <p className="text-xs text-text-2">It gave no output.</p>
      )}
      {rounds && <RoundList node={node} rounds={rounds} run={run} nameOf={nameOf} />}
      {parts.length > 0 && <Parts parts={parts} />}
      {lines.length > 0 && <Lines lines={lines} />}
    </div>
  );
}

/** The runs that a step started. */
function Parts({ parts }: { parts: readonly RunSummary[] }) {
  const nameOf = useRunNames(parts.map(({ flow }) => flow));
  return (
    <section aria-label="Runs that it started" className="flex flex-col gap-1">
      <h3 className="text-xs font-semibold">Runs that it started</h3>
      <ul className="flex flex-col gap-1">
        {parts.map(({ run, flow, status, ms }) => (
          <li key={run} className="flex items-center gap-2 text-xs">
            <RunStatusBadge status={status} />
            <Link to="/runs/$id" params={{ id: run }} className="truncate text-accent-strong underline">
              <bdi>{nameOf(flow)}</bdi>
            </Link>
            {ms !== undefined && <span className="text-text-2 tabular-nums">{durationText(ms)}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Lines that are shown of a log. */
const MOST_LINES = 500;

function Lines({ lines }: { lines: readonly LogLine[] }) {
  return (
    <section aria-label="Log" className="flex flex-col text-xs">
      {lines.slice(0, MOST_LINES).map(({ seq, at, level, text }) => (
        <p key={seq} className="flex gap-2 wrap-anywhere">
          <span className="shrink-0 text-text-2 tabular-nums">{clockText(at)}</span>
          <span className="w-10 shrink-0 text-text-2">{level}</span>
          <span className="min-w-0">
            <ProseText text={text} />
          </span>
        </p>
      ))}
      {lines.length > MOST_LINES && (
        <p className="text-text-2">and {countText(lines.length - MOST_LINES, 'more line')}: the export has all</p>
      )}
    </section>
  );
}
