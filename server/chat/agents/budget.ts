import { type AgentBudget, type Host, WeftError } from '#engine';
import type { TokenUsage } from '#shared/chat-item.ts';
import { type Account, type Counted, createLedger, type Limits, type Passed } from './ledger.ts';

/** Price of a call. */
export type Price = (model: string, usage: TokenUsage) => number;

/** One model call in progress. */
export interface Meter {
  /** Counts more of the answer. Throws, or rejects with, `agent_budget` and `storage_failed`. */
  wrote(text: string): void | Promise<void>;
  /** Ends the call; without usage, as after a broken connection, the estimate counts. */
  close(end?: CallEnd): Promise<void>;
}

/** The provider's report at the end of a call. */
interface CallEnd {
  readonly model: string;
  readonly usage: TokenUsage;
}

/**
 * The limits of one answer.
 * AB1. Once a limit is exceeded, `signal` aborts with `agent_budget`, which ends everything the answer does.
 * AB2. While a call is in progress its tokens are estimated, so that it can be stopped midway and not only after it;
 *      the provider's count replaces the estimate.
 * AB3. A call that succeeded never fails afterwards: usage beyond the limit stops the next call.
 */
export interface Budget {
  readonly signal: AbortSignal;
  /** All tokens that the provider has counted. */
  readonly usage: TokenUsage;
  /**
   * Rejects with `agent_budget` if nothing is left for another call, and with `storage_failed`. `sent` is the text that
   * is sent to the model.
   */
  open(sent: string): Promise<Meter>;
  /** Counts a call that was made for this answer elsewhere. */
  took(model: string, usage: TokenUsage): Promise<void>;
  /** Counts a call that an earlier pass of a durable run made, for this answer only; returns its cost. */
  resumed(model: string, usage: TokenUsage): number;
  /** The time of the answer does not count until the returned function is called. */
  holdClock(): () => void;
  /** Cancels the time limit. */
  close(): void;
}

export interface BudgetDeps {
  /** Infinite values mean no limit; omitted limits get the server's default. */
  readonly limits: AgentBudget;
  /** Accounts that this answer shares with others. */
  readonly accounts: readonly Account[];
  readonly price: Price;
  readonly host: Pick<Host, 'timer'>;
}

/** Limits that an answer's own budget does not set. */
const DEFAULT_LIMITS = { tokens: 1_000_000, steps: 100, timeMs: 300_000 } as const;

/** Models differ; for English text most are close to four characters per token. */
const CHARACTERS_PER_TOKEN = 4;

export function createBudget(deps: BudgetDeps): Budget {
  return new AnswerBudget(deps);
}

class AnswerBudget implements Budget {
  usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  private readonly controller = new AbortController();
  private readonly accounts: readonly Account[];
  private readonly price: Price;
  private readonly host: BudgetDeps['host'];
  private readonly longest: number;
  private stop: () => void = () => {};
  /** Of the time, in milliseconds. */
  private left: number;
  private since = 0;
  private holds = 0;

  constructor({ limits, accounts, price, host }: BudgetDeps) {
    this.accounts = [ownAccount(limits), ...accounts];
    this.price = price;
    this.host = host;
    this.longest = limits.timeMs ?? DEFAULT_LIMITS.timeMs;
    this.left = this.longest;
    this.startClock();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  async open(sent: string): Promise<Meter> {
    this.signal.throwIfAborted();
    let characters = sent.length;
    let estimate = tokensOf(characters);
    await this.take({ tokens: estimate, steps: 1 });
    const release = (): void => {
      for (const { ledger } of this.accounts) ledger.release({ tokens: estimate, steps: 1 });
    };
    return {
      wrote: (text) => {
        characters += text.length;
        const next = tokensOf(characters);
        const more = { tokens: next - estimate };
        estimate = next;
        return this.grow(more);
      },
      close: (end) => {
        release();
        return this.count(end, estimate);
      },
    };
  }

  took(model: string, usage: TokenUsage): Promise<void> {
    return this.count({ model, usage }, 0);
  }

  resumed(model: string, usage: TokenUsage): number {
    const cost = this.price(model, usage);
    this.usage = sum(this.usage, usage);
    const [own] = this.accounts;
    void own?.ledger.add({ tokens: usage.inputTokens + usage.outputTokens, cost, steps: 1 });
    return cost;
  }

  holdClock(): () => void {
    if (this.holds++ === 0) {
      this.stop();
      this.left -= performance.now() - this.since;
    }
    return () => {
      if (--this.holds === 0) this.startClock();
    };
  }

  close(): void {
    this.holds = Number.POSITIVE_INFINITY;
    this.stop();
  }

  private startClock(): void {
    if (this.longest === Number.POSITIVE_INFINITY) return;
    this.since = performance.now();
    const tooLate = (): void => this.controller.abort(tooLong(this.longest));
    this.stop = this.host.timer(Math.max(0, this.left), tooLate);
  }

  /** Reserves in all accounts, or in none. */
  private async take(more: Limits): Promise<void> {
    const taken: Account[] = [];
    try {
      for (const account of this.accounts) {
        this.judge(account, await account.ledger.take(more, account.limits));
        taken.push(account);
      }
      this.signal.throwIfAborted();
    } catch (error) {
      for (const { ledger } of taken) ledger.release(more);
      throw error;
    }
  }

  private grow(more: Limits): void | Promise<void> {
    // All accounts first, because the written text counts in each of them.
    const all = this.accounts.map((account) => [account, account.ledger.grow(more, account.limits)] as const);
    const asked = all.flatMap(([account, passed]) =>
      passed instanceof Promise ? [passed.then((came) => this.judge(account, came))] : [],
    );
    try {
      for (const [account, passed] of all) if (!(passed instanceof Promise)) this.judge(account, passed);
    } catch (error) {
      for (const one of asked) one.catch(() => {});
      throw error;
    }
    return asked.length === 0 ? undefined : Promise.all(asked).then(() => {});
  }

  /** Ends the answer if it exceeds a limit. */
  private judge(account: Account, passed: Passed): void {
    if (passed === undefined) return;
    this.controller.abort(usedUp(account, passed));
    this.signal.throwIfAborted();
  }

  private async count(end: CallEnd | undefined, estimate: number): Promise<void> {
    const reported = end === undefined ? 0 : end.usage.inputTokens + end.usage.outputTokens;
    const cost = end === undefined ? 0 : this.price(end.model, end.usage);
    if (end) this.usage = sum(this.usage, end.usage);
    const used = { tokens: reported || estimate, cost, steps: 1 };
    await Promise.all(this.accounts.map(({ ledger }) => ledger.add(used)));
  }
}

const OWN = 'One answer';

function ownAccount({ tokens, steps, cost }: AgentBudget): Account {
  const limits = {
    tokens: tokens ?? DEFAULT_LIMITS.tokens,
    steps: steps ?? DEFAULT_LIMITS.steps,
    ...(cost !== undefined && { cost }),
  };
  return { name: OWN, limits, ledger: createLedger() };
}

function sum(a: TokenUsage, b: TokenUsage): TokenUsage {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function tooLong(most: number): WeftError {
  return new WeftError('agent_budget', `${OWN} may take at most ${most / 1000} seconds.`, {
    data: { limit: 'time', most },
  });
}

const words: Readonly<Record<Counted, string>> = {
  tokens: 'tokens',
  cost: 'of money',
  steps: 'calls of models',
};

function usedUp({ name, limits, ledger }: Account, what: Counted): WeftError {
  const most = limits[what];
  const used = ledger.used(what);
  const message = `${name} may use at most ${most} ${words[what]}; ${used} were used before this call.`;
  return new WeftError('agent_budget', message, { data: { limit: what, most, used } });
}
