import { z } from 'zod';
import { Id } from './flow.ts';
import { KnowledgeName, MAX_HITS } from './knowledge.ts';

/**
 * Evaluations: cases with what is expected, and a score in place of passed or failed. A set is a file
 * `<set>.eval.json` in a flows folder, so that it is versioned with what it judges; the results are stored by the server.
 */
export const EvaluationCase = z.strictObject({
  name: z.string().trim().min(1).max(200),
  input: z.json().describe('What is asked: a question, or the input of the trigger.'),
  expect: z
    .strictObject({
      answer: z.json().optional().describe('For `exact`, and for a judge to compare with.'),
      contains: z
        .array(z.string().min(1).max(1000))
        .min(1)
        .max(100)
        .optional()
        .describe('Texts that the answer has, whatever the case.'),
      documents: z
        .array(KnowledgeName)
        .min(1)
        .max(100)
        .optional()
        .describe('Names of the documents that are to be found.'),
    })
    .default({}),
  run: z.string().max(64).optional().describe('The run that it was made of.'),
});
export type EvaluationCase = z.infer<typeof EvaluationCase>;

const model = z.string().min(1).max(300).optional().describe('By default the default model of the server.');

export const Scorer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('exact') }).describe('1 if the answer is the expected one.'),
  z
    .strictObject({ kind: z.literal('contains') })
    .describe('The share of the expected texts that the answer has.'),
  z
    .strictObject({ kind: z.literal('recall'), k: z.int().min(1).max(MAX_HITS).default(5) })
    .describe('The share of the expected documents that are among the first k chunks found.'),
  z
    .strictObject({
      kind: z.literal('judge'),
      model,
      instructions: z.string().max(10_000).optional().describe('What counts, besides being right.'),
    })
    .describe('A model gives a score from 0 to 1.'),
  z
    .strictObject({ kind: z.literal('flow'), flow: Id })
    .describe(
      'A flow gives the score: it gets `input`, `answer`, `documents` and `expect`, and answers with a number from 0 to 1, true or false, or `{"score": …, "why": …}`.',
    ),
]);
export type Scorer = z.infer<typeof Scorer>;

export const EvaluationTarget = z.union([
  z.strictObject({
    flow: Id,
    trigger: Id.optional().describe('May be left out where the flow has one trigger.'),
    answer: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('The field of the result that is the answer; by default all of it.'),
  }),
  z.strictObject({
    space: KnowledgeName,
    limit: z.int().min(1).max(MAX_HITS).default(10).describe('How many chunks each question asks for.'),
  }),
]);
export type EvaluationTarget = z.infer<typeof EvaluationTarget>;

/** The name of a scorer in results: `exact`, `recall@5`, `flow tone`. */
export function scorerName(scorer: Scorer): string {
  if (scorer.kind === 'recall') return `recall@${scorer.k}`;
  return scorer.kind === 'flow' ? `flow ${scorer.flow}` : scorer.kind;
}

const distinct = (names: readonly string[]): boolean => new Set(names).size === names.length;
const threshold = z.number().min(0).max(1);

export const EvaluationSet = z.strictObject({
  format: z.literal(1),
  description: z.string().max(10_000).optional(),
  target: EvaluationTarget.describe('What is evaluated: a flow, or the search in a knowledge space.'),
  scorers: z
    .array(Scorer)
    .min(1)
    .max(20)
    .refine((all) => distinct(all.map(scorerName)), 'must have names of their own'),
  threshold: threshold.optional().describe('The lowest mean of each scorer that is good enough.'),
  cases: z
    .array(EvaluationCase)
    .max(10_000)
    .refine((all) => distinct(all.map(({ name }) => name)), 'must have names of their own'),
});
export type EvaluationSet = z.infer<typeof EvaluationSet>;

// ------------------------------------------------------------------------------------------------------- results

const Fault = z.object({ code: z.string(), message: z.string() });

export const CaseScore = z.object({
  /** Null if the scorer has nothing to compare with, or failed. */
  score: z.number().nullable(),
  why: z.string().optional(),
  error: Fault.optional().describe('Why the scorer failed.'),
});
export type CaseScore = z.infer<typeof CaseScore>;

export const CaseResult = z.object({
  name: z.string(),
  input: z.unknown().optional(),
  answer: z.unknown().optional().describe('What came out; absent for a search.'),
  documents: z.array(z.string()).describe('The documents of the chunks found, in their order.'),
  expect: EvaluationCase.shape.expect,
  scores: z.record(z.string(), CaseScore).describe('By the name of the scorer.'),
  error: Fault.optional().describe('Why there is no answer; all scores are 0 then.'),
  run: z.string().optional(),
  ms: z.number(),
});
export type CaseResult = z.infer<typeof CaseResult>;

export const EvaluationSummary = z.object({
  id: z.string(),
  set: z.string(),
  at: z.string(),
  status: z
    .enum(['running', 'done', 'stopped'])
    .describe('stopped: by a person, or by the end of the server.'),
  target: z.string().describe('`flow <id>` or `space <name>`.'),
  version: z
    .string()
    .describe('Of a flow, its version, with `draft` for one; of a space, how it is searched and split.'),
  done: z.int().describe('How many cases have ended.'),
  cases: z.int(),
  failed: z.int().describe('Cases without an answer, or with a scorer that failed.'),
  scores: z
    .record(z.string(), z.number().nullable())
    .describe('The mean of each scorer; null without any score.'),
  threshold: threshold.nullable(),
  passed: z
    .boolean()
    .nullable()
    .describe(
      'Whether nothing failed and each mean reaches the threshold; null without one, or before the end.',
    ),
  ms: z.number(),
});
export type EvaluationSummary = z.infer<typeof EvaluationSummary>;

export const EvaluationResult = EvaluationSummary.extend({ results: z.array(CaseResult) });
export type EvaluationResult = z.infer<typeof EvaluationResult>;

export const EvaluationInfo = z.object({
  id: Id,
  file: z.string().describe('Path below its flows folder.'),
  set: EvaluationSet.nullable(),
  problem: z.string().nullable().describe('Why the file cannot be used.'),
  latest: EvaluationSummary.nullable(),
});
export type EvaluationInfo = z.infer<typeof EvaluationInfo>;

export const RunEvaluationBody = z.strictObject({
  flow: Id.optional().describe('Another flow in place of the one of the set.'),
  draft: z.boolean().default(false).describe('The draft of the flow, if there is one.'),
  threshold: threshold.optional().describe('In place of the one of the set.'),
});
export type RunEvaluationBody = z.infer<typeof RunEvaluationBody>;

export const KeepCaseBody = z.strictObject({
  set: Id.describe('An existing set.'),
  name: EvaluationCase.shape.name.optional().describe('By default the id of the run.'),
});
export type KeepCaseBody = z.infer<typeof KeepCaseBody>;
