import type { InferRules, TypeRule } from '#shared/type-rule.ts';
import type { WaitAsk, WaitDecision, WaitExpiry } from '#shared/wait.ts';
import type { z } from 'zod';
import type { Call } from '../base/operator.ts';
import { duration, durationMs } from './_duration.ts';
import { isoText } from './_iso-time.ts';

/** For how long a node waits for an answer. */
export const expiresAfter = duration
  .optional()
  .describe('Longest wait: milliseconds, or 90s, 2h 30m, 3d, 1w. Empty means no limit.');

interface Waiting {
  readonly title: string;
  readonly ask: WaitAsk;
  readonly expiresAfter: z.output<typeof expiresAfter>;
}

/** Waits for the answer of people or programs. `decision` is undefined if none came in time. */
export async function waitForAnswer(
  call: Pick<Call, 'wait' | 'now'>,
  { title, ask, expiresAfter: longest }: Waiting,
): Promise<{ readonly decision: WaitDecision | undefined; readonly at: string }> {
  const until = longest === undefined ? undefined : call.now() + durationMs(longest, 'params.expiresAfter');
  const what = { kind: 'answer', title, ask, ...(until !== undefined && { until }) } as const;
  const answer = (await call.wait(what)) as WaitDecision | WaitExpiry | undefined;
  const decision = answer?.decision === undefined ? undefined : answer;
  // When a run is resumed, `until` is counted from a later time than when the run asked.
  return { decision, at: answer?.at ?? isoText(until ?? call.now()) };
}

type Rules = NonNullable<InferRules['outputs']>;

const moment: TypeRule = { schema: { type: 'string', format: 'date-time' } };

/** The types of what a wait gives: the JSON of the answer in a field, whose schema is a param, and what else the answer says. */
export function answerTypes(field: string, more: Readonly<Record<string, TypeRule>> = {}): Rules {
  const json: TypeRule = {
    byParam: { name: 'schema', cases: { absent: { schema: {} } }, else: { schemaIn: 'schema' } },
  };
  const always = { at: moment, input: { input: 'in' } } as const;
  return { received: { object: { [field]: json, ...more, ...always } }, expired: { object: always } };
}
