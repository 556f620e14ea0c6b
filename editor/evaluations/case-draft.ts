import type { EvaluationCase } from '#shared/evaluation.ts';
import { parseKeepingDigits } from '#shared/lost-digits.ts';

/** A case as it is typed: lists one a line; input and answer as JSON if they are, otherwise as text. */
export interface CaseDraft {
  readonly name: string;
  readonly input: string;
  readonly answer: string;
  readonly contains: string;
  readonly documents: string;
}

export const EMPTY_CASE: CaseDraft = { name: '', input: '', answer: '', contains: '', documents: '' };

export function caseOf({ name, input, answer, contains, documents }: CaseDraft): EvaluationCase {
  const lists = { contains: linesOf(contains), documents: linesOf(documents) };
  return {
    name: name.trim(),
    input: valueOf(input),
    expect: {
      ...(answer.trim() !== '' && { answer: valueOf(answer) }),
      ...(lists.contains.length > 0 && { contains: lists.contains }),
      ...(lists.documents.length > 0 && { documents: lists.documents }),
    },
  };
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** Objects, lists and quoted texts are JSON; `28` and `true` are what people write, so they stay texts. */
function valueOf(text: string): EvaluationCase['input'] {
  const trimmed = text.trim();
  if (!/^[[{"]/.test(trimmed)) return trimmed;
  try {
    return parseKeepingDigits(trimmed) as EvaluationCase['input'];
  } catch {
    return trimmed;
  }
}
