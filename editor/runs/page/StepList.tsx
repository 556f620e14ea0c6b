import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { RunSummary } from '#shared/run-event.ts';
import type { LogLine } from '../../state/run-store.ts';
import { costText, tokensText } from '../../timeline/span-labels.ts';
import { Badge } from '../../ui/Badge.tsx';
import { countText, durationText, roundsText } from '../../ui/format.ts';
import type { Step } from './run-steps.ts';
import { Lines, StepDetails } from './StepDetails.tsx';
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
        <bdi className="min-w-0 flex-1 truncate text-[13px] font-medium" title={nameOf(node)}>
          {nameOf(node)}
        </bdi>
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
    rounds && roundsText(rounds),
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
