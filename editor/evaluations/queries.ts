import { queryOptions } from '@tanstack/react-query';
import { listEvaluations, listResults, readEvaluation, readResult } from '../api/evaluations.ts';

/** How often an evaluation under way is looked at, in milliseconds. */
const LOOK_MS = 600;

export const evaluationsQuery = queryOptions({
  queryKey: ['evaluations'],
  queryFn: listEvaluations,
  refetchInterval: ({ state }) =>
    state.data?.some(({ latest }) => latest?.status === 'running') ? LOOK_MS : false,
});

export const evaluationQuery = (set: string) =>
  queryOptions({ queryKey: ['evaluation', set], queryFn: () => readEvaluation(set) });

export const resultsQuery = (set: string) =>
  queryOptions({
    queryKey: ['evaluation-results', set],
    queryFn: () => listResults(set),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'running') ? LOOK_MS : false,
  });

export const resultQuery = (set: string, result: string) =>
  queryOptions({
    queryKey: ['evaluation-result', set, result],
    queryFn: () => readResult(set, result),
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? LOOK_MS : false),
  });

/** All queries that show sets or their results. */
export const EVALUATION_READS = ['evaluations', 'evaluation', 'evaluation-results'];
