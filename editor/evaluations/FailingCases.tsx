import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleX } from 'lucide-react';
import { useEffect } from 'react';
import type { CaseResult, EvaluationSummary } from '#shared/evaluation.ts';
import { Loaded } from '../session/Loaded.tsx';
import { Badge } from '../ui/Badge.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { countText } from '../ui/format.ts';
import { resultQuery } from './queries.ts';
import { isFailing, scoreText, valueText } from './score-text.ts';

/** The cases of a result that are below the threshold, or have failed. */
export function FailingCases({ set, result }: { set: string; result: EvaluationSummary }) {
  const full = useQuery(resultQuery(set, result.id));
  const { status } = result;
  const refetch = full.refetch;
  useEffect(() => {
    if (status !== 'running') void refetch();
  }, [status, refetch]);
  return (
    <section aria-label="Failing cases" className="flex flex-col gap-2">
      <Loaded query={full} what="the cases">
        {({ results, threshold }) => {
          const failing = results.filter((one) => isFailing(one, threshold));
          return (
            <>
              <h2 className="flex items-center gap-2 font-semibold">
                {failing.length === 0 ? (
                  <CircleCheck aria-hidden className="size-4 text-ok" />
                ) : (
                  <CircleX aria-hidden className="size-4 text-bad" />
                )}
                {failing.length === 0
                  ? `None of ${countText(results.length, 'case')} fails`
                  : `${countText(failing.length, 'failing case')} of ${results.length}`}
              </h2>
              <ol className="flex flex-col gap-2">
                {failing.map((one) => (
                  <FailingCase key={one.name} one={one} />
                ))}
              </ol>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}

function FailingCase({ one }: { one: CaseResult }) {
  const { name, input, answer, documents, expect, scores, error, run } = one;
  return (
    <li className="rounded-lg border border-line bg-surface px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <h3 translate="no" className="mr-auto min-w-0 font-semibold wrap-anywhere">
          {name}
        </h3>
        {Object.entries(scores).map(([scorer, { score, error: fault }]) => (
          <Badge key={scorer} tone={fault ? 'bad' : score === null ? 'neutral' : score === 1 ? 'ok' : 'warn'}>
            {scorer} {fault ? 'failed' : scoreText(score)}
          </Badge>
        ))}
        {run !== undefined && (
          <Link to="/runs/$id" params={{ id: run }} className="text-xs text-accent-strong underline">
            Show the run
          </Link>
        )}
      </div>
      <dl className="mt-2 grid grid-cols-[max-content_1fr] gap-x-3 gap-y-1 text-xs [&>dd]:wrap-anywhere [&>dd]:whitespace-pre-wrap [&>dt]:text-text-2">
        <Line name="Input" text={valueText(input)} />
        <Line name="Expected" text={expectedText(expect)} />
        <Line name="Answer" text={valueText(answer)} />
        <Line name="Found" text={[...new Set(documents)].join(', ')} />
        {Object.entries(scores).map(([scorer, { why }]) => (
          <Line key={scorer} name={scorer} text={why ?? ''} />
        ))}
      </dl>
      {error && <ErrorNote code={error.code} message={error.message} />}
      {Object.entries(scores).map(
        ([scorer, { error: fault }]) =>
          fault && <ErrorNote key={scorer} code={fault.code} message={`${scorer}: ${fault.message}`} />,
      )}
    </li>
  );
}

function Line({ name, text }: { name: string; text: string }) {
  if (text === '') return null;
  return (
    <>
      <dt>{name}</dt>
      <dd translate="no">{text}</dd>
    </>
  );
}

function expectedText({ answer, contains, documents }: CaseResult['expect']): string {
  return [
    ...(answer === undefined ? [] : [valueText(answer)]),
    ...(contains ? [`contains ${contains.join(', ')}`] : []),
    ...(documents ? [`finds ${documents.join(', ')}`] : []),
  ].join('\n');
}
