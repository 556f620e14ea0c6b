import type { Tokens } from '#shared/run-event.ts';

/** Usage of one model call, or of several together. */
export interface Spent {
  readonly tokens: Tokens;
  /** In US dollars; undefined if no price is known. */
  readonly cost: number | undefined;
}

/** The cost of one model. */
export interface ModelSpent extends Spent {
  /** `<provider>/<model>`. */
  readonly model: string;
}

/** What a run has spent on models, including its sub-runs. Created on the first call. */
export class Spending {
  private all: Spent | undefined = undefined;
  private readonly steps = new Map<number, ModelSpent>();
  private last: string | undefined = undefined;

  get total(): Spent | undefined {
    return this.all;
  }

  /** The model that was called last. */
  get model(): string | undefined {
    return this.last;
  }

  /** By the step's index; with the model that was called last. */
  of(step: number): ModelSpent | undefined {
    return this.steps.get(step);
  }

  add(step: number, more: ModelSpent): void {
    this.all = plus(this.all, more);
    this.last = more.model;
    this.steps.set(step, { ...plus(this.steps.get(step), more), model: more.model });
  }
}

/** As events tell it. */
export function spentFields({ tokens, cost }: Spent): { tokens: Tokens; cost?: number } {
  return cost === undefined ? { tokens } : { tokens, cost };
}

/** The sum of both; usage without a price adds nothing to the cost. */
export function plus(a: Spent | undefined, b: Spent): Spent {
  if (a === undefined) return { tokens: b.tokens, cost: b.cost };
  const cached = sumOf(a.tokens.cached, b.tokens.cached);
  const reasoning = sumOf(a.tokens.reasoning, b.tokens.reasoning);
  return {
    tokens: {
      input: a.tokens.input + b.tokens.input,
      output: a.tokens.output + b.tokens.output,
      ...(cached !== undefined && { cached }),
      ...(reasoning !== undefined && { reasoning }),
    },
    cost: sumOf(a.cost, b.cost),
  };
}

/** What `b` has beyond `a`, an earlier sum. */
export function beyond(a: Spent | undefined, b: Spent): Spent {
  if (a === undefined) return b;
  return plus(b, { tokens: negated(a.tokens), cost: a.cost === undefined ? undefined : -a.cost });
}

function negated({ input, output, cached, reasoning }: Tokens): Tokens {
  return {
    input: -input,
    output: -output,
    ...(cached !== undefined && { cached: -cached }),
    ...(reasoning !== undefined && { reasoning: -reasoning }),
  };
}

/** Without the rounding error of adding fractions, such as 0.00030000000000000003. */
function sumOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : Number((a + (b ?? 0)).toPrecision(12));
}
