import { useState } from 'react';
import { countText } from '../../ui/format.ts';
import { SegmentedControl } from '../../ui/SegmentedControl.tsx';
import { Select } from '../../ui/Select.tsx';
import type { Round, Rounds } from './run-steps.ts';
import { StepDetails } from './StepList.tsx';
import { statusLooks } from '../../canvas/node-status.ts';
import { Badge } from '../../ui/Badge.tsx';

interface RoundListProps {
  node: string;
  rounds: Rounds;
  run: string;
  nameOf(node: string): string;
}

/** Rounds up to this number are buttons. */
const FEW = 6;

/** The rounds of a container that were kept, one at a time, with the steps of its body. */
export function RoundList({ node, rounds: { count, failed, kept }, run, nameOf }: RoundListProps) {
  const [at, setAt] = useState(() => String((kept.find(hasFailed) ?? kept[0])?.at ?? 0));
  const round = kept.find((one) => String(one.at) === at) ?? kept[0];
  const choices = kept.map((one) => ({
    value: String(one.at),
    label: `${one.at + 1}${hasFailed(one) ? ' (failed)' : ''}`,
  }));
  return (
    <section aria-label={`Rounds of ${nameOf(node)}`} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2 text-xs">
        <h3 className="font-semibold">
          {countText(count, 'round')}
          {failed > 0 && `, ${failed} failed`}
        </h3>
        {choices.length > FEW ? (
          <Select label="Round" size="sm" value={at} options={choices} onValueChange={setAt} />
        ) : (
          choices.length > 1 && <SegmentedControl label="Round" value={at} options={choices} onValueChange={setAt} />
        )}
        {kept.length < count && <span className="text-text-2">The first, the failed and the slowest are kept.</span>}
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
