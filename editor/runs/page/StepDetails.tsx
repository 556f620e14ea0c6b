import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { RunSummary } from '#shared/run-event.ts';
import { statusLooks } from '../../canvas/node-status.ts';
import { useRunNames } from '../../session/use-flow-names.ts';
import type { LogLine } from '../../state/run-store.ts';
import { Badge } from '../../ui/Badge.tsx';
import { clockText, countText, durationText, roundsText } from '../../ui/format.ts';
import { ProseText } from '../../ui/ProseText.tsx';
import { RunStatusBadge } from '../../ui/RunStatusBadge.tsx';
import { SegmentedControl } from '../../ui/SegmentedControl.tsx';
import { Select } from '../../ui/Select.tsx';
import { AnswerBody } from '../AnswerBody.tsx';
import { ErrorBox } from '../ErrorBox.tsx';
import type { Round, Rounds, Step } from './run-steps.ts';

interface StepDetailsProps {
  step: Step;
  run: string;
  nameOf(node: string): string;
  /** The runs that it started. */
  parts: readonly RunSummary[];
}

/** Everything that is known of a step. */
export function StepDetails({
  step: { run: state, lines, rounds, node },
  run,
  nameOf,
  parts,
}: StepDetailsProps) {
  const outputs = Object.entries(state.outputs);
  return (
    <div className="flex flex-col gap-3 border-t border-line bg-surface-2 px-3 py-3">
      {state.error && <ErrorBox error={state.error} nameOf={nameOf} />}
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

export function Lines({ lines }: { lines: readonly LogLine[] }) {
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
        <p className="text-text-2">
          and {countText(lines.length - MOST_LINES, 'more line')}: the export has all
        </p>
      )}
    </section>
  );
}

interface RoundListProps {
  node: string;
  rounds: Rounds;
  run: string;
  nameOf(node: string): string;
}

/** Rounds up to this number are buttons. */
const FEW = 6;

/** The rounds of a container that were kept, one at a time, with the steps of its body. */
function RoundList({ node, rounds: { count, failed, kept }, run, nameOf }: RoundListProps) {
  const [at, setAt] = useState(() => String((kept.find(hasFailed) ?? kept[0])?.at ?? 0));
  const round = kept.find((one) => String(one.at) === at) ?? kept[0];
  const choices = kept.map((one) => ({
    value: String(one.at),
    label: `${one.at + 1}${hasFailed(one) ? ' (failed)' : ''}`,
  }));
  return (
    <section aria-label={`Rounds of ${nameOf(node)}`} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2 text-xs">
        <h3 className="font-semibold">{roundsText({ count, failed })}</h3>
        {choices.length > FEW ? (
          <Select label="Round" size="sm" value={at} options={choices} onValueChange={setAt} />
        ) : (
          choices.length > 1 && (
            <SegmentedControl label="Round" value={at} options={choices} onValueChange={setAt} />
          )
        )}
        {kept.length < count && (
          <span className="text-text-2">The first, the failed and the slowest are kept.</span>
        )}
      </div>
      {round && (
        <ol className="rounded-md border border-line bg-surface">
          {round.steps.map((step) => {
            const { word, tone, icon } = statusLooks[step.run.status];
            return (
              <li key={step.node} className="border-b border-line last:border-0">
                <details>
                  <summary className="flex items-center gap-2 px-3 py-1.5 text-xs">
                    <bdi className="min-w-0 flex-1 truncate font-medium">{nameOf(step.node)}</bdi>
                    <Badge tone={tone} icon={icon}>
                      {word}
                    </Badge>
                  </summary>
                  <StepDetails step={step} run={run} nameOf={nameOf} parts={[]} />
                </details>
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
}

function hasFailed({ steps }: Round): boolean {
  return steps.some(({ run }) => run.status === 'failed' && run.handled === 'no');
}
