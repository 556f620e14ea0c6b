import type { FastifyBaseLogger } from 'fastify';
import { dropLetters, retryLetters } from '../after-runs/retry-letters.ts';
import type { ErrorFlow } from '../after-runs/error-flow.ts';
import type { CallStores } from '../after-runs/open-calls.ts';
import type { DurableRuns } from '../durable/durable-runs.ts';
import type { Ask } from './protocol.ts';

type LettersAsk = Extract<Ask, { readonly do: `letters.${string}` }>;

/** A request of the command line about dead letters. */
export async function lettersAsked(
  parts: {
    readonly durable: DurableRuns;
    readonly calls: CallStores & { readonly errorFlow: Pick<ErrorFlow, 'stats'> };
  } & { readonly log: FastifyBaseLogger },
  ask: LettersAsk,
): Promise<unknown> {
  if (ask.do === 'letters.list')
    return await parts.calls.deadLetters.list({ flow: ask.flow, limit: ask.limit });
  const by = 'command line';
  const { runs, flow } = ask;
  if (ask.do === 'letters.drop') {
    const dropped = await dropLetters(parts, { runs, flow });
    parts.log.info({ audit: 'dead letters dropped', by, runs, flow, dropped }, 'dead letters dropped');
    return { dropped };
  }
  const retried = await retryLetters(parts, { runs, flow }, ask.version);
  const facts = { runs, flow, retried: retried.retried.length };
  parts.log.info({ audit: 'dead letters retried', by, ...facts }, 'dead letters retried');
  return retried;
}
