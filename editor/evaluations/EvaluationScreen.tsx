import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft, Gauge, ListChecks, Play, Plus, Square, Trash2 } from 'lucide-react';
import { useState } from 'react';
import {
  type EvaluationCase,
  type EvaluationInfo,
  type EvaluationSet,
  type EvaluationSummary,
  scorerName,
} from '#shared/evaluation.ts';
import { removeCase, startEvaluation, stopEvaluation } from '../api/evaluations.ts';
import { HomePage } from '../session/HomePage.tsx';
import { Loaded } from '../session/Loaded.tsx';
import { useChange } from '../session/use-change.ts';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { type Column, ListTable, listRow } from '../ui/ListTable.tsx';
import { CaseDialog } from './CaseDialog.tsx';
import { FailingCases } from './FailingCases.tsx';
import { evaluationQuery, EVALUATION_READS, resultsQuery } from './queries.ts';
import { ResultTable } from './ResultTable.tsx';
import { targetText, valueText } from './score-text.ts';

/** One evaluation: versions and their scores, the failing cases of one result, and all cases. */
export function EvaluationScreen() {
  const { set: id } = useParams({ from: '/evaluations/$set' });
  const info = useQuery(evaluationQuery(id));
  const results = useQuery(resultsQuery(id));
  const [adding, setAdding] = useState(false);
  const running = results.data?.find(({ status }) => status === 'running');
  const set = info.data?.set ?? undefined;
  return (
    <HomePage
      title={<Title id={id} />}
      actions={
        set && (
          <>
            <Button icon={Plus} onClick={() => setAdding(true)}>
              Add a case…
            </Button>
            <RunButton id={id} cases={set.cases.length} running={running} />
          </>
        )
      }
    >
      <Loaded query={info} what="the evaluation">
        {(found) =>
          found.set ? (
            <>
              <About info={found} set={found.set} />
              <Loaded query={results} what="the results">
                {(all) => <Results id={id} set={found.set as EvaluationSet} results={all} />}
              </Loaded>
              <Cases id={id} set={found.set} />
            </>
          ) : (
            <EmptyState icon={Gauge} title="The file of this evaluation cannot be used">
              {found.problem}
            </EmptyState>
          )
        }
      </Loaded>
      {adding && set && <CaseDialog id={id} set={set} onClose={() => setAdding(false)} />}
    </HomePage>
  );
}

function Title({ id }: { id: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <Link
        to="/evaluations"
        aria-label="All evaluations"
        className="inline-flex size-8 shrink-0 items-center justify-center rounded-md text-text-2 hover:bg-surface-3 hover:text-text"
      >
        <ArrowLeft aria-hidden className="size-4.5" />
      </Link>
      <span className="min-w-0 font-mono wrap-anywhere">{id}</span>
    </span>
  );
}

interface RunButtonProps {
  id: string;
  cases: number;
  running: EvaluationSummary | undefined;
}

function RunButton({ id, cases, running }: RunButtonProps) {
  const { busy, error, change } = useChange(EVALUATION_READS, () => {});
  return (
    <>
      {error !== undefined && (
        <p role="alert" className="order-last w-full text-right text-xs text-bad">
          {error}
        </p>
      )}
      {running ? (
        <Button icon={Square} busy={busy} onClick={() => void change(() => stopEvaluation(id, running.id))}>
          Stop
        </Button>
      ) : (
        <Button
          variant="primary"
          icon={Play}
          busy={busy}
          disabled={cases === 0}
          onClick={() => void change(() => startEvaluation(id, {}))}
        >
          Evaluate
        </Button>
      )}
    </>
  );
}

function About({ info: { file }, set }: { info: EvaluationInfo; set: EvaluationSet }) {
  const { target, scorers, threshold, description } = set;
  const goal = threshold === undefined ? '' : `, each at least ${threshold}`;
  return (
    <p className="text-xs wrap-anywhere text-text-2">
      {description !== undefined && <span className="block max-w-180">{description}</span>}
      {targetText(target)}, scored by {scorers.map(scorerName).join(', ')}
      {goal}; <span className="font-mono">{file}</span>
    </p>
  );
}

function Results({ id, set, results }: { id: string; set: EvaluationSet; results: EvaluationSummary[] }) {
  const [chosen, setChosen] = useState<string>();
  const shown = results.find((one) => one.id === chosen) ?? results[0];
  if (shown === undefined)
    return (
      <EmptyState icon={Gauge} title="Not evaluated yet">
        {set.cases.length === 0
          ? 'Add cases first: here, from a search in a knowledge space, or from a run of the flow.'
          : 'Each evaluation becomes a row with the version and its scores.'}
      </EmptyState>
    );
  return (
    <>
      <ResultTable
        results={results}
        scorers={set.scorers.map(scorerName)}
        shown={shown.id}
        onShow={setChosen}
      />
      <FailingCases key={shown.id} set={id} result={shown} />
    </>
  );
}

const CASES: readonly Column[] = [
  { name: 'Case' },
  { name: 'Expected', className: 'max-sm:hidden' },
  { name: 'Actions', className: 'w-14', hidden: true },
];

function Cases({ id, set: { cases } }: { id: string; set: EvaluationSet }) {
  if (cases.length === 0) return null;
  return (
    <section aria-label="Cases" className="flex flex-col gap-2">
      <h2 className="flex items-center gap-2 font-semibold">
        <ListChecks aria-hidden className="size-4 text-text-2" />
        {countText(cases.length, 'case')}
      </h2>
      <ListTable columns={CASES} caption="Cases">
        <tbody>
          {cases.map((one) => (
            <CaseRow key={one.name} id={id} one={one} />
          ))}
        </tbody>
      </ListTable>
    </section>
  );
}

function CaseRow({ id, one: { name, input, expect } }: { id: string; one: EvaluationCase }) {
  const queries = useQueryClient();
  const { busy, change, error } = useChange(['evaluations'], () => {
    void queries.invalidateQueries({ queryKey: ['evaluation', id] });
  });
  const { answer, contains, documents } = expect;
  return (
    <tr className={listRow}>
      <td>
        <bdi className="font-semibold wrap-anywhere">{name}</bdi>
        {valueText(input) !== name && (
          <span translate="no" className="line-clamp-2 text-xs wrap-anywhere text-text-2">
            {valueText(input)}
          </span>
        )}
        {error !== undefined && (
          <p role="alert" className="text-xs text-bad">
            {error}
          </p>
        )}
      </td>
      <td className="text-xs wrap-anywhere max-sm:hidden">
        {answer !== undefined && <span className="line-clamp-2">Answer: {valueText(answer)}</span>}
        {contains && <span className="line-clamp-2">Contains: {contains.join(', ')}</span>}
        {documents && <span className="line-clamp-2">Documents: {documents.join(', ')}</span>}
      </td>
      <td className="!py-1.5 text-right">
        <IconButton
          icon={Trash2}
          label={`Delete the case ${name}`}
          disabled={busy}
          onClick={() => void change(() => removeCase(id, name))}
        />
      </td>
    </tr>
  );
}
