import { z } from 'zod';

/** Budgets of agents, as `/api/v1/budgets` takes and returns them. */

const tokens = z.int().min(1).max(1_000_000_000_000);
const cost = z.number().positive().max(1_000_000_000).describe('In US dollars, by the prices of the models.');
const steps = z.int().min(1).max(1_000_000).describe('Model calls.');

export const AnswerLimits = z.strictObject({
  tokens: tokens.optional(),
  cost: cost.optional(),
  steps: steps.optional(),
  timeMs: z.int().min(1).max(86_400_000).optional(),
});

/** For one day, in UTC. */
export const DailyLimits = z.strictObject({
  tokens: tokens.optional(),
  cost: cost.optional(),
  steps: steps.optional(),
});
export type DailyLimits = Readonly<z.infer<typeof DailyLimits>>;

export const AgentBudgets = z.strictObject({
  /** For every answer that sets no budget of its own. */
  answer: AnswerLimits.default({}),
  /** By app code; `*` for all apps that are not listed. */
  apps: z.record(z.string().min(1).max(255), DailyLimits).default({}),
  /** By the name of the API key; `*` for all keys that are not listed. */
  keys: z.record(z.string().min(1).max(255), DailyLimits).default({}),
});
export type AgentBudgets = Readonly<z.infer<typeof AgentBudgets>>;
