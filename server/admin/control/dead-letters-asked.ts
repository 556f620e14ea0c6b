import { dropLetters, retryLetters } from '../../execution/after-runs/retry-letters.ts';
import type { ErrorFlow } from '../../execution/after-runs/error-flow.ts';
import type { CallStores } from '../../execution/after-runs/open-calls.ts';
import type { DurableRuns } from '../../execution/durable/durable-runs.ts';
import { COMMAND_LINE } from '../../access/security/access.ts';
import { type AuditDeps, auditLocal } from '../../access/security/audit.ts';
import type { Ask } from './protocol.ts';

type LettersAsk = Extract<Ask, { readonly do: `letters.${string}` }>;

/** Executes a request of the command line about dead letters. */
export async function lettersAsked(
  parts: {
    readonly durable: DurableRuns;
    readonly calls: CallStores & { readonly errorFlow: Pick<ErrorFlow, 'stats'> };
  } & AuditDeps,
  ask: LettersAsk,
): Promise<unknown> {
  if (ask.do === 'letters.list')
    return await parts.calls.deadLetters.list({ flow: ask.flow, limit: ask.limit });
  const { runs, flow } = ask;
  if (ask.do === 'letters.drop') {
    const dropped = await dropLetters(parts, { runs, flow });
    auditLocal(parts, COMMAND_LINE, 'dead letters dropped', { runs, flow, dropped });
    return { dropped };
  }
  const retried = await retryLetters(parts, { runs, flow }, ask.version);
  auditLocal(parts, COMMAND_LINE, 'dead letters retried', { runs, flow, retried: retried.retried.length });
  return retried;
}
