import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Gauge, Plus, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { EvaluationInfo } from '#shared/evaluation.ts';
import { removeEvaluation } from '../api/evaluations.ts';
import { LongList } from '../lists/LongList.tsx';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { agoText, countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { type Column, ListTable, listRow } from '../ui/ListTable.tsx';
import { evaluationsQuery } from './queries.ts';
import { ResultBadge } from './ResultBadge.tsx';
import { scoreText, targetText } from './score-text.ts';
import { cx } from '../ui/cx.ts';
import { tapLine } from '../ui/styles.ts';

const SetDialog = lazy(() => import('./SetDialog.tsx').then((file) => ({ default: file.SetDialog })));

const COLUMNS: readonly Column[] = [
  { name: 'Evaluation' },
  { name: 'Of', className: 'w-52 max-md:hidden' },
  { name: 'Cases', className: 'w-20 max-md:hidden' },
  { name: 'Newest scores', className: 'w-72 max-sm:hidden' },
  { name: 'Actions', className: 'w-14', hidden: true },
];

/** All evaluations, each with what its newest result was. */
export function EvaluationsScreen() {
  const evaluations = useQuery(evaluationsQuery);
  const [isNew, setNew] = useState(false);
  const [leaving, setLeaving] = useState<EvaluationInfo>();
  return (
    <HomePage
      title="Evaluations"
      count={evaluations.data && countText(evaluations.data.length, 'set')}
      actions={
        <Button variant="primary" icon={Plus} onClick={() => setNew(true)}>
          New evaluation
        </Button>
      }
    >
      <Loaded query={evaluations} what="the evaluations">
        {(all) =>
          all.length === 0 ? (
            <NoEvaluations onNew={() => setNew(true)} />
          ) : (
            <LongList
              items={all}
              noun="evaluation"
              textOf={({ id, set }) => `${id} ${set?.description ?? ''} ${set ? targetText(set.target) : ''}`}
            >
              {(shown) => (
                <ListTable columns={COLUMNS} caption="Evaluations">
                  <tbody>
                    {shown.map((one) => (
                      <EvaluationRow key={one.id} info={one} onDelete={() => setLeaving(one)} />
                    ))}
                  </tbody>
                </ListTable>
              )}
            </LongList>
          )
        }
      </Loaded>
      <Suspense fallback={null}>
        {isNew && <SetDialog all={evaluations.data ?? []} onClose={() => setNew(false)} />}
      </Suspense>
      {leaving && <DeleteEvaluation info={leaving} onClose={() => setLeaving(undefined)} />}
    </HomePage>
  );
}

function NoEvaluations({ onNew }: { onNew(): void }) {
  return (
    <EmptyState
      icon={Gauge}
      title="No evaluations yet"
      steps={[
        'Choose what is scored: a flow, or the search in a knowledge space.',
        'Add questions with the answers or documents that you expect; hits and runs can be kept as cases.',
        'Run it before and after each change, and compare the scores.',
      ]}
      action={
        <Button variant="primary" icon={Plus} onClick={onNew}>
          Create the first evaluation
        </Button>
      }
    >
      An evaluation tells whether a change has made a flow or a search better.
    </EmptyState>
  );
}

function EvaluationRow({ info, onDelete }: { info: EvaluationInfo; onDelete(): void }) {
  const { id, file, set, problem, latest } = info;
  return (
    <tr className={listRow}>
      <td>
        <Link
          to="/evaluations/$set"
          params={{ set: id }}
          className={cx('block truncate font-mono font-semibold text-accent-strong hover:underline', tapLine)}
        >
          {id}
        </Link>
        <span translate="no" className="block text-xs wrap-anywhere text-text-2">
          {set?.description ?? file}
        </span>
        {problem !== null && <span className="text-xs wrap-anywhere text-bad">{problem}</span>}
      </td>
      <td className="max-md:hidden">
        <span className="block truncate" title={set ? targetText(set.target) : undefined}>
          {set && targetText(set.target)}
        </span>
      </td>
      <td className="tabular-nums max-md:hidden">{set?.cases.length}</td>
      <td className="max-sm:hidden">
        {latest ? (
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <ResultBadge result={latest} />
            <span translate="no" className="text-xs tabular-nums">
              {Object.entries(latest.scores)
                .map(([name, score]) => `${name} ${scoreText(score)}`)
                .join(', ')}
            </span>
            <time dateTime={latest.at} className="text-xs text-text-2">
              {agoText(latest.at)}
            </time>
          </span>
        ) : (
          <span className="text-xs text-text-2">not run yet</span>
        )}
      </td>
      <td className="!py-1.5 text-right">
        <IconButton icon={Trash2} label={`Delete ${id}…`} onClick={onDelete} />
      </td>
    </tr>
  );
}

function DeleteEvaluation({ info: { id, file }, onClose }: { info: EvaluationInfo; onClose(): void }) {
  const { busy, error, change } = useChange(['evaluations'], onClose);
  return (
    <ConfirmDialog
      title={`Delete the evaluation “${id}”?`}
      description={`The file ${file} and all results are deleted. They cannot be restored.`}
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeEvaluation(id))}
      onClose={onClose}
    />
  );
}
