import type { ErrorEntry } from './entry.ts';

/** Tests and evaluations of flows. */
export const flowTestErrors = {
  test_not_found: {
    status: 404,
    meaning: 'The flow has no test of this name.',
    remedy: 'GET /api/v1/flows/{id}/tests lists them; it may have been renamed or removed.',
  },
  evaluation_not_found: {
    status: 404,
    meaning: 'There is no evaluation with this name, or no result with this id.',
    remedy: 'List them with `GET /api/v1/evaluations`; a set is a file `<set>.eval.json` in a flows folder.',
  },
  evaluation_broken: {
    status: 409,
    meaning: 'The file of an evaluation cannot be used.',
    remedy: 'Correct the file as the message says; docs/evaluations.md describes its fields.',
  },
  evaluation_bad_score: {
    status: 422,
    meaning: 'The answer of a judging flow is not a score.',
    remedy: 'Let the flow answer with a number from 0 to 1, true or false, or `{"score": 0.5, "why": "…"}`.',
  },
} as const satisfies Record<string, ErrorEntry>;
