import type { CaseResult, EvaluationSet, EvaluationTarget } from '#shared/evaluation.ts';

/** `0.83`; a dash for no score. */
export function scoreText(score: number | null | undefined): string {
  return score === null || score === undefined ? '–' : score.toFixed(2);
}

/** How a mean differs from the one before: `+0.10`, `-0.05`; empty if it does not, or one of them is missing. */
export function changeText(now: number | null | undefined, before: number | null | undefined): string {
  if (now === null || now === undefined || before === null || before === undefined) return '';
  const change = now - before;
  if (Math.abs(change) < 0.005) return '';
  return `${change > 0 ? '+' : '−'}${Math.abs(change).toFixed(2)}`;
}

/** A failing case has no answer, a scorer that failed, or a score below the threshold; without one, below 1. */
export function isFailing({ error, scores }: CaseResult, threshold: number | null): boolean {
  return (
    error !== undefined ||
    Object.values(scores).some(
      (one) => one.error !== undefined || (one.score !== null && one.score < (threshold ?? 1)),
    )
  );
}

export function targetText(target: EvaluationTarget): string {
  return 'flow' in target ? `flow ${target.flow}` : `space ${target.space}`;
}

/** The text that a person types for a value: a text as it is, anything else as JSON. */
export function valueText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** The first free name like `question`, `question 2`. */
export function freeName({ cases }: Pick<EvaluationSet, 'cases'>, wanted: string): string {
  const taken = new Set(cases.map(({ name }) => name));
  const base = wanted.trim().slice(0, 190) || 'case';
  let name = base;
  for (let n = 2; taken.has(name); n++) name = `${base} ${n}`;
  return name;
}
