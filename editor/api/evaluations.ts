import type {
  EvaluationCase,
  EvaluationInfo,
  EvaluationResult,
  EvaluationSet,
  EvaluationSummary,
  RunEvaluationBody,
} from '#shared/evaluation.ts';
import { call } from './client.ts';

/** Evaluations: sets of cases, and the results of the versions that were evaluated. */
const EVALUATIONS = '/api/v1/evaluations';
const schemas = () => import('./service-schemas.ts');
const at = (set: string): string => `${EVALUATIONS}/${encodeURIComponent(set)}`;

export const listEvaluations = (): Promise<EvaluationInfo[]> =>
  call(async () => (await schemas()).Evaluations, 'GET', EVALUATIONS);

export const readEvaluation = (set: string): Promise<EvaluationInfo> =>
  call(async () => (await schemas()).EvaluationInfo, 'GET', at(set));

export const writeEvaluation = (set: string, body: EvaluationSet): Promise<EvaluationSet> =>
  call(async () => (await schemas()).EvaluationSet, 'PUT', at(set), { body });

export const removeEvaluation = (set: string): Promise<unknown> => call((s) => s.Anything, 'DELETE', at(set));

export const addCase = (set: string, body: EvaluationCase): Promise<EvaluationCase> =>
  call(async () => (await schemas()).EvaluationCase, 'POST', `${at(set)}/cases`, { body });

export const removeCase = (set: string, name: string): Promise<unknown> =>
  call((s) => s.Anything, 'DELETE', `${at(set)}/cases/${encodeURIComponent(name)}`);

/** Keeps a run as a case. */
export const keepRun = (run: string, body: { set: string; name: string }): Promise<EvaluationCase> =>
  call(
    async () => (await schemas()).EvaluationCase,
    'POST',
    `/api/v1/runs/${encodeURIComponent(run)}/evaluation`,
    {
      body,
    },
  );

export const startEvaluation = (set: string, body: Partial<RunEvaluationBody>): Promise<EvaluationSummary> =>
  call(async () => (await schemas()).EvaluationSummary, 'POST', `${at(set)}/run`, { body });

export const listResults = (set: string): Promise<EvaluationSummary[]> =>
  call(async () => (await schemas()).EvaluationSummaries, 'GET', `${at(set)}/results`);

export const readResult = (set: string, result: string): Promise<EvaluationResult> =>
  call(
    async () => (await schemas()).EvaluationResult,
    'GET',
    `${at(set)}/results/${encodeURIComponent(result)}`,
  );

export const stopEvaluation = (set: string, result: string): Promise<EvaluationResult> =>
  call(
    async () => (await schemas()).EvaluationResult,
    'POST',
    `${at(set)}/results/${encodeURIComponent(result)}/stop`,
  );
