import { z } from 'zod';
import { type CodeCall, scopeOf, stateKey, type StateService, stateTtl } from '#engine';
import { missing, readArgs } from './ask-args.ts';

/** The same keys, scopes and lifetimes as those of the operators for state. */
const Args = z.discriminatedUnion('does', [
  z.strictObject({ does: z.literal('get'), ...stateKey }),
  z.strictObject({ does: z.literal('set'), ...stateKey, value: z.unknown(), ttlMs: stateTtl }),
  z.strictObject({ does: z.literal('add'), ...stateKey, by: z.number(), ttlMs: stateTtl }),
  z.strictObject({ does: z.literal('remove'), ...stateKey }),
]);

/** `ctx.state` of one call. */
export class StateQuestions {
  private readonly state: StateService | undefined;
  private readonly context: CodeCall['context'];
  /** How often the call has added to each number. */
  private readonly added = new Map<string, number>();

  constructor(state: StateService | undefined, context: CodeCall['context']) {
    this.state = state;
    this.context = context;
  }

  async answer(text: string): Promise<unknown> {
    const { state } = this;
    if (!state) throw missing('ctx.state');
    const args = readArgs(Args, 'ctx.state', text);
    const { asker } = this.context;
    const { does, key } = args;
    const ttl = 'ttlMs' in args && args.ttlMs !== undefined ? { ttlMs: args.ttlMs } : {};
    const scope = scopeOf(args.scope, asker);
    if (does === 'get') return (await state.get(scope, key, asker)) ?? null;
    if (does === 'add') {
      const once = this.onceFor(`${scope} ${key}`);
      return await state.add(scope, key, args.by, { once, ...ttl });
    }
    await state.set(scope, key, does === 'set' ? args.value : undefined, { by: asker, ...ttl });
    return null;
  }

  /** A new attempt counts again from the first addition, so what it did before is not added twice. */
  private onceFor(number: string): string {
    const nth = (this.added.get(number) ?? 0) + 1;
    this.added.set(number, nth);
    return `${this.context.idempotencyKey}:${nth}`;
  }
}
