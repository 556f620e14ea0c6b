import { z } from 'zod';

/** What agents may use, as `/api/v1/budgets` takes and gives it. */

const tokens = z.int().min(1).max(1_000_000_000_000);
const cost = z.number().positive().max(1_000_000_000).describe('In US dollars, as the prices of the models.');
const steps = z.int().min(1).max(1_000_000).describe('Calls of models.');

export const AnswerLimits = z.strictObject({
  tokens: tokens.optional(),
  cost: cost.optional(),
  steps: steps.optional(),
  timeMs: z.int().min(1).max(86_400_000).optional(),
});

/** For a day, in UTC. */
export const DailyLimits = z.strictObject({
  tokens: tokens.optional(),
  cost: cost.optional(),
  steps: steps.optional(),
});
export type DailyLimits = Readonly<z.infer<typeof DailyLimits>>;

export const AgentBudgets = z.strictObject({
  /** Every answer that sets no budget of its own. */
  answer: AnswerLimits.default({}),
  /** By the code of the app; `*` for those that are not named. */
  apps: z.record(z.string().min(1).max(255), DailyLimits).default({}),
  /** By the name of the API key; `*` for those that are not named. */
  keys: z.record(z.string().min(1).max(255), DailyLimits).default({}),
});
export type AgentBudgets = Readonly<z.infer<typeof AgentBudgets>>;
