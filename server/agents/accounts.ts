import type { AgentBudget, StateService } from '#engine';
import type { AgentBudgets, DailyLimits } from '#shared/agent-budget.ts';
import type { Account, Counted, Used } from './budget.ts';

/** What the agents of apps, and the holders of keys, may use each day. */
export interface Accounts {
  /** The limits for one answer, and the accounts that it draws on. */
  open(who: {
    readonly app: string | undefined;
    readonly key: string | undefined;
  }): Promise<{ readonly answer: AgentBudget; readonly shared: readonly Account[] }>;
}

export interface AccountsParts {
  readonly budgets: () => AgentBudgets;
  readonly state: StateService;
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** No id of a flow, so that no flow can change what is counted. */
const SCOPE = '#agents';
const KEPT_MS = 2 * 24 * 3_600_000;
const counted: readonly Counted[] = ['tokens', 'cost', 'steps'];

export function createAccounts(parts: AccountsParts): Accounts {
  return {
    async open({ app, key }) {
      const { answer, apps, keys } = parts.budgets();
      const found = [
        app === undefined
          ? undefined
          : { name: `The app ${app}`, id: `app:${app}`, limits: apps[app] ?? apps['*'] },
        key === undefined
          ? undefined
          : { name: `The key ${key}`, id: `key:${key}`, limits: keys[key] ?? keys['*'] },
      ];
      const limited = found.flatMap((one) => (one?.limits ? [{ ...one, limits: one.limits }] : []));
      return { answer, shared: await Promise.all(limited.map((one) => openAccount(one, parts))) };
    },
  };
}

interface Limited {
  readonly name: string;
  readonly id: string;
  readonly limits: DailyLimits;
}

async function openAccount(
  { name, id, limits }: Limited,
  { state, now, warn }: AccountsParts,
): Promise<Account> {
  const day = new Date(now()).toISOString().slice(0, 10);
  const keyOf = (what: Counted): string => `${day}:${what}:${id}`;
  const used: Record<Counted, number> = { tokens: 0, cost: 0, steps: 0 };
  await Promise.all(
    counted.map(async (what) => {
      const kept = await state.get(SCOPE, keyOf(what));
      if (typeof kept === 'number') used[what] = kept;
    }),
  );

  async function addOne(what: Counted, more: number): Promise<void> {
    used[what] += more;
    if (more === 0) return;
    try {
      used[what] = await state.add(SCOPE, keyOf(what), more, { ttlMs: KEPT_MS });
    } catch (error) {
      warn(`What agents use could not be counted: ${(error as Error).message}`);
    }
  }

  return {
    name: `${name} today`,
    limits: limitsOf(limits),
    used: () => used,
    async add(more: Used) {
      await Promise.all(counted.map((what) => addOne(what, more[what])));
    },
  };
}

function limitsOf(limits: DailyLimits): Partial<Used> {
  return Object.fromEntries(
    counted.flatMap((what) => (limits[what] === undefined ? [] : [[what, limits[what]]])),
  );
}
