import { fc } from '../../../tests/support/property.ts';
import { expect, test } from 'vitest';
import { type Budget, createBudget, type Meter } from './budget.ts';
import { type Account, createLedger } from './ledger.ts';

interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

type Move =
  | { readonly do: 'open'; readonly length: number }
  | { readonly do: 'write'; readonly length: number }
  | { readonly do: 'close'; readonly usage: Usage | undefined };

const length = fc.nat({ max: 200 });
const tokens = fc.nat({ max: 60 });
const moves: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ do: fc.constantFrom('open' as const, 'write' as const), length }),
  fc.record({
    do: fc.constant('close' as const),
    usage: fc.option(fc.record({ inputTokens: tokens, outputTokens: tokens }), { nil: undefined }),
  }),
);

const host = { timer: () => () => {} };
const price = (): number => 0.5;

/** One answer that makes moves; `closed` counts its finished calls. */
class Answer {
  readonly budget: Budget;
  readonly counted = { inputTokens: 0, outputTokens: 0 };
  closed = 0;
  private readonly open: Meter[] = [];

  constructor(account: Account) {
    this.budget = createBudget({ limits: {}, accounts: [account], price, host });
  }

  /** Returns whether it continued. Throws the budget's errors. */
  async make(move: Move): Promise<boolean> {
    if (move.do === 'open') this.open.push(await this.budget.open('x'.repeat(move.length)));
    else if (this.open.length === 0) return false;
    else if (move.do === 'write') await this.open.at(-1)?.wrote('x'.repeat(move.length));
    else await this.close(move.usage);
    return move.do !== 'close';
  }

  async end(): Promise<void> {
    while (this.open.length > 0) await this.close(undefined);
  }

  private async close(usage: Usage | undefined): Promise<void> {
    await this.open.pop()?.close(usage && { model: 'm', usage });
    this.closed++;
    this.counted.inputTokens += usage?.inputTokens ?? 0;
    this.counted.outputTokens += usage?.outputTokens ?? 0;
  }
}

async function failureOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

test('answers that share an account never continue beyond its limit, and their reservations are released', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 400 }),
      fc.array(fc.tuple(fc.nat({ max: 2 }), moves), { maxLength: 60 }),
      async (limit, script) => {
        const ledger = createLedger();
        const account: Account = { name: 'All', limits: { tokens: limit }, ledger };
        const answers = [0, 1, 2].map(() => new Answer(account));
        for (const [who, move] of script) {
          const answer = answers[who] as Answer;
          let goesOn = false;
          const failure = await failureOf(async () => {
            goesOn = await answer.make(move);
          });
          if (goesOn) expect(ledger.taken('tokens')).toBeLessThanOrEqual(limit);
          if (failure === undefined) continue;
          expect(failure).toMatchObject({ code: 'agent_budget' });
          expect(answer.budget.signal.aborted).toBe(true);
        }
        for (const answer of answers) await answer.end();
        expect(ledger.taken('tokens')).toBe(ledger.used('tokens'));
        expect(ledger.taken('steps')).toBe(answers.reduce((sum, { closed }) => sum + closed, 0));
        for (const { budget, counted } of answers) expect(budget.usage).toEqual(counted);
      },
    ),
    { numRuns: 500 },
  );
});
