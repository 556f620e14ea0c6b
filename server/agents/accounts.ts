import type { AgentBudget, StateService } from '#engine';
import type { AgentBudgets, DailyLimits } from '#shared/agent-budget.ts';
import { type Account, type Counted, counted, createLedger, type Ledger, type Used } from './ledger.ts';

/** What the agents of apps, and the holders of keys, may use each day. */
export interface Accounts {
  /** The limits for one answer, and the accounts that it is charged to. */
  open(who: {
    readonly app: string | undefined;
    readonly key: string | undefined;
  }): Promise<{ readonly answer: AgentBudget; readonly shared: readonly Account[] }>;
}

export interface AccountsDeps {
  readonly budgets: () => AgentBudgets;
  readonly state: StateService;
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** Not a valid flow id, so that no flow can change the counts. */
const SCOPE = '#agents';
const KEPT_MS = 2 * 24 * 3_600_000;

/** The prefix of a caller's name, before the name of its key. */
const CALLER = /^key /;

/**
 * The ledgers belong to this process, because only one server uses a data folder. The state preserves them across a
 * restart.
 */
export function createAccounts(deps: AccountsDeps): Accounts {
  let today = '';
  const ledgers = new Map<string, Promise<Ledger>>();

  function ledgerOf(id: string): Promise<Ledger> {
    const day = new Date(deps.now()).toISOString().slice(0, 10);
    if (day !== today) ledgers.clear();
    today = day;
    const known = ledgers.get(id);
    if (known) return known;
    const opened = openLedger(`${day}:${id}`, deps);
    ledgers.set(id, opened);
    opened.catch(() => ledgers.delete(id));
    return opened;
  }

  async function account(name: string, id: string, limits: DailyLimits | undefined): Promise<Account[]> {
    if (limits === undefined) return [];
    return [{ name: `${name} today`, limits: limitsOf(limits), ledger: await ledgerOf(id) }];
  }

  return {
    async open({ app, key: caller }) {
      const key = caller?.replace(CALLER, '');
      const { answer, apps, keys } = deps.budgets();
      const shared = await Promise.all([
        app === undefined ? [] : account(`The app ${app}`, `app:${app}`, limitsFor(apps, app)),
        key === undefined ? [] : account(`The key ${key}`, `key:${key}`, limitsFor(keys, key)),
      ]);
      return { answer, shared: shared.flat() };
    },
  };
}

async function openLedger(id: string, { state, warn }: AccountsDeps): Promise<Ledger> {
  const keyOf = (what: Counted): string => `${what}:${id}`;
  const [tokens = 0, cost = 0, steps = 0] = await Promise.all(
    counted.map(async (what) => {
      const kept = await state.get(SCOPE, keyOf(what));
      return typeof kept === 'number' ? kept : 0;
    }),
  );
  return createLedger({ tokens, cost, steps }, async (what, more) => {
    try {
      await state.add(SCOPE, keyOf(what), more, { ttlMs: KEPT_MS });
    } catch (error) {
      warn(`The usage of agents could not be stored: ${(error as Error).message}`);
    }
  });
}

/** People choose names, so a name may equal that of a property that every object has. */
function limitsFor(named: Readonly<Record<string, DailyLimits>>, name: string): DailyLimits | undefined {
  return Object.hasOwn(named, name) ? named[name] : named['*'];
}

function limitsOf(limits: DailyLimits): Partial<Used> {
  return Object.fromEntries(
    counted.flatMap((what) => (limits[what] === undefined ? [] : [[what, limits[what]]])),
  );
}
