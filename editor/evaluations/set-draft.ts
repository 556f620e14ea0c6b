import type { EvaluationInfo, EvaluationSet, Scorer } from '#shared/evaluation.ts';

/** A new evaluation as it is typed. */
export interface SetDraft {
  readonly id: string;
  readonly of: 'flow' | 'space';
  /** The id of the flow, or the name of the space. */
  readonly target: string;
  readonly kinds: readonly Kind[];
  readonly threshold: string;
}

type Kind = Exclude<Scorer['kind'], 'flow'>;

export const EMPTY_SET: SetDraft = { id: '', of: 'flow', target: '', kinds: ['contains'], threshold: '' };

/** `spaces`: whether it can score a search, which has no answer. A judging flow is written into the file. */
export const KINDS: readonly { kind: Kind; label: string; help: string; spaces: boolean }[] = [
  { kind: 'exact', label: 'Exact', help: 'The answer is the expected one.', spaces: false },
  { kind: 'contains', label: 'Contains', help: 'The answer has the expected texts.', spaces: false },
  {
    kind: 'recall',
    label: 'Recall',
    help: 'The expected documents are among the first 5 found.',
    spaces: true,
  },
  { kind: 'judge', label: 'Judged by a model', help: 'The default model gives a score.', spaces: false },
];

export function setOf({ of, target, kinds, threshold }: SetDraft): EvaluationSet {
  return {
    format: 1,
    target: of === 'flow' ? { flow: target } : { space: target, limit: 10 },
    scorers: KINDS.filter(({ kind }) => kinds.includes(kind)).map(({ kind }) =>
      kind === 'recall' ? { kind, k: 5 } : { kind },
    ),
    ...(threshold.trim() !== '' && { threshold: Number(threshold) }),
    cases: [],
  };
}

/** The fault of each field that has one. */
export function faultsOf(
  { id, kinds, threshold }: SetDraft,
  all: readonly Pick<EvaluationInfo, 'id'>[],
): { readonly id?: string; readonly scorers?: string; readonly threshold?: string } {
  const idFault = setNameFault(id, all);
  const isScore = threshold.trim() === '' || (Number(threshold) >= 0 && Number(threshold) <= 1);
  return {
    ...(idFault !== undefined && { id: idFault }),
    ...(kinds.length === 0 && { scorers: 'Choose at least one.' }),
    ...(!isScore && { threshold: 'A number from 0 to 1.' }),
  };
}

/** The fault of the name of a new evaluation; an empty one is only not there yet. */
export function setNameFault(id: string, all: readonly Pick<EvaluationInfo, 'id'>[]): string | undefined {
  if (id === '') return undefined;
  if (!/^[a-z][a-z0-9_]{0,63}$/.test(id))
    return 'A lower-case letter, then lower-case letters, digits and _.';
  return all.some((one) => one.id === id) ? 'Another evaluation has this name.' : undefined;
}
