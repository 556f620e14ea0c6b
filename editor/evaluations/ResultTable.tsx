import type { EvaluationSummary } from '#shared/evaluation.ts';
import { cx } from '../ui/cx.ts';
import { sectionTitle, tapLine } from '../ui/styles.ts';
import { Moment } from '../ui/Moment.tsx';
import { ResultBadge } from './ResultBadge.tsx';
import { changeText, scoreText } from './score-text.ts';

interface ResultTableProps {
  /** The newest first. */
  results: readonly EvaluationSummary[];
  /** The scorers of the set; others that results have follow them. */
  scorers: readonly string[];
  /** The id of the result whose cases are shown. */
  shown: string;
  onShow(id: string): void;
}

/** Versions by scores, each score with its difference to the result before. */
export function ResultTable({ results, scorers, shown, onShow }: ResultTableProps) {
  const names = [...new Set([...scorers, ...results.flatMap(({ scores }) => Object.keys(scores))])];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus
    <section
      aria-label="Results"
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-surface"
    >
      <table className="w-full">
        <caption className="sr-only">Versions and their scores, the newest first</caption>
        <thead className={sectionTitle}>
          <tr className="border-b border-line text-left [&>th]:px-3 [&>th]:py-2 [&>th]:font-semibold">
            <th scope="col">Version</th>
            {names.map((name) => (
              <th key={name} scope="col" className="normal-case">
                {name}
              </th>
            ))}
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {results.map((result, at) => (
            <ResultRow
              key={result.id}
              result={result}
              before={results.slice(at + 1).find(({ status }) => status === 'done')}
              names={names}
              isShown={result.id === shown}
              onShow={() => onShow(result.id)}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface ResultRowProps {
  result: EvaluationSummary;
  before: EvaluationSummary | undefined;
  names: readonly string[];
  isShown: boolean;
  onShow(): void;
}

function ResultRow({ result, before, names, isShown, onShow }: ResultRowProps) {
  const { target, version, at, scores, threshold } = result;
  return (
    <tr
      className={cx(
        'border-b border-line align-top last:border-0 [&>td]:px-3 [&>td]:py-2.5',
        isShown && 'bg-surface-2',
      )}
    >
      <td>
        <button
          type="button"
          aria-pressed={isShown}
          className={cx('text-left font-mono text-xs font-semibold wrap-anywhere hover:underline', tapLine)}
          onClick={onShow}
        >
          {version}
        </button>
        <span className="block text-xs text-text-2">
          <bdi>{target}</bdi>, <Moment at={at} />
        </span>
      </td>
      {names.map((name) => (
        <Score key={name} score={scores[name]} before={before?.scores[name]} threshold={threshold} />
      ))}
      <td>
        <ResultBadge result={result} />
      </td>
    </tr>
  );
}

interface ScoreProps {
  score: number | null | undefined;
  before: number | null | undefined;
  threshold: number | null;
}

function Score({ score, before, threshold }: ScoreProps) {
  const change = changeText(score, before);
  const isLow = threshold !== null && typeof score === 'number' && score < threshold;
  return (
    <td className="tabular-nums">
      <span className={cx('font-semibold', isLow && 'text-bad')}>{scoreText(score)}</span>
      {change !== '' && (
        <span className={cx('ml-1.5 text-xs', change.startsWith('+') ? 'text-ok' : 'text-bad')}>
          {change}
        </span>
      )}
    </td>
  );
}
