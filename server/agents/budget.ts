import { type AgentBudget, type Host, WeftError } from '#engine';
import type { TokenUsage } from '#shared/chat-item.ts';

/** What is counted. `cost` is in the currency of the models' prices. */
export interface Used {
  readonly tokens: number;
  readonly cost: number;
  readonly steps: number;
}

export type Counted = keyof Used;

/** What several answers share: those of an app, or of a key. */
export interface Account {
  /** For messages: `The app demo, today`. */
  readonly name: string;
  readonly limits: Partial<Used>;
  /** What all of them have used, and this one so far. */
  used(): Used;
  add(used: Used): Promise<void>;
}

/** Price of a call. */
export type Price = (model: string, usage: TokenUsage) => number;

/** One call of a model while it goes on. */
export interface Meter {
  /** More of the answer came. */
  wrote(text: string): void;
  /** The end; without usage, as when it broke off, what was estimated counts. */
  close(end?: CallEnd): Promise<void>;
}

/** What the provider says at the end of a call. */
interface CallEnd {
  readonly model: string;
  readonly usage: TokenUsage;
}

/**
 * What one answer may use.
 * B1. Once a limit is passed `signal` aborts with `agent_budget`, which ends everything the answer does.
 * B2. While a call goes on its tokens are estimated, so that it ends in the middle and not behind it; the provider's count
 *     takes the place of the estimate.
 * B3. A call that ended well is never failed afterwards: what it used beyond the limit stops the next one.
 */
export interface Budget {
  readonly signal: AbortSignal;
  /** All tokens that the provider has counted. */
  readonly usage: TokenUsage;
  /** Throws `agent_budget` when there is nothing left for another call. `sent` is the text that is sent to the model. */
  open(sent: string): Meter;
  /** Counts a call that others made for this answer. */
  took(model: string, usage: TokenUsage): Promise<void>;
  /** Calls off the time limit. */
  close(): void;
}

export interface BudgetParts {
  readonly limits: AgentBudget;
  readonly accounts: readonly Account[];
  readonly price: Price;
  readonly host: Pick<Host, 'timer'>;
}

/** For what an answer's own budget leaves out. */
export const DEFAULT_LIMITS = { tokens: 1_000_000, steps: 100, timeMs: 300_000 } as const;

/** Models differ; for English text four characters a token is near to what most count. */
const CHARACTERS_PER_TOKEN = 4;

const NOTHING: Used = { tokens: 0, cost: 0, steps: 0 };
const counted: readonly Counted[] = ['tokens', 'cost', 'steps'];

export function createBudget(parts: BudgetParts): Budget {
  return new AnswerBudget(parts);
}

class AnswerBudget implements Budget {
  usage: TokenUsage = { inputTokens: 0, outputTokens: 0 };
  private readonly controller = new AbortController();
  private readonly accounts: readonly Account[];
  private readonly price: Price;
  private readonly stop: () => void;
  /** Tokens of the calls that go on, as estimated. */
  private pending = 0;

  constructor({ limits, accounts, price, host }: BudgetParts) {
    const { tokens, steps, timeMs, cost } = { ...DEFAULT_LIMITS, ...limits };
    const own = ownAccount({ tokens, steps, ...(cost !== undefined && { cost }) });
    this.accounts = [own, ...accounts];
    this.price = price;
    this.stop = host.timer(timeMs, () => this.controller.abort(tooLong(own, timeMs)));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  open(sent: string): Meter {
    this.signal.throwIfAborted();
    let characters = sent.length;
    let estimate = 0;
    const estimateAnew = (): void => {
      const next = tokensOf(characters);
      this.pending += next - estimate;
      estimate = next;
    };
    estimateAnew();
    try {
      this.check({ tokens: this.pending, steps: 1 });
    } catch (error) {
      this.pending -= estimate;
      throw error;
    }
    return {
      wrote: (text) => {
        characters += text.length;
        estimateAnew();
        this.check({ tokens: this.pending });
      },
      close: async (end) => {
        this.pending -= estimate;
        await this.count(end, estimate);
      },
    };
  }

  took(model: string, usage: TokenUsage): Promise<void> {
    return this.count({ model, usage }, 0);
  }

  close(): void {
    this.stop();
  }

  private check(ahead: Partial<Used>): void {
    for (const account of this.accounts) {
      const passed = counted.find((what) => {
        const most = account.limits[what];
        return most !== undefined && account.used()[what] + (ahead[what] ?? 0) > most;
      });
      if (passed === undefined) continue;
      this.controller.abort(usedUp(account, passed));
      this.signal.throwIfAborted();
    }
  }

  private async count(end: CallEnd | undefined, estimate: number): Promise<void> {
    const said = end === undefined ? 0 : end.usage.inputTokens + end.usage.outputTokens;
    const cost = end === undefined ? 0 : this.price(end.model, end.usage);
    if (end) this.usage = sum(this.usage, end.usage);
    const used = { tokens: said || estimate, cost, steps: 1 };
    await Promise.all(this.accounts.map((account) => account.add(used)));
  }
}

function tooLong({ name }: Account, timeMs: number): WeftError {
  return new WeftError('agent_budget', `${name} may take at most ${timeMs / 1000} seconds.`, {
    data: { limit: 'time', most: timeMs },
  });
}

function ownAccount(limits: Partial<Used>): Account {
  let used = NOTHING;
  return {
    name: 'One answer',
    limits,
    used: () => used,
    async add(more) {
      used = plus(used, more);
    },
  };
}

export function plus(a: Used, b: Used): Used {
  return { tokens: a.tokens + b.tokens, cost: a.cost + b.cost, steps: a.steps + b.steps };
}

function sum(a: TokenUsage, b: TokenUsage): TokenUsage {
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

const words: Readonly<Record<Counted, string>> = {
  tokens: 'tokens',
  cost: 'money',
  steps: 'calls of models',
};

function usedUp({ name, limits, used }: Account, what: Counted): WeftError {
  const most = limits[what];
  const message = `${name} may use at most ${most} ${words[what]}, of which ${used()[what]} were used before this call.`;
  return new WeftError('agent_budget', message, { data: { limit: what, most, used: used() } });
}
