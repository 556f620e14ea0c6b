import type { AgentBudget, StateService } from '#engine';
import type { AgentBudgets, DailyLimits } from '#shared/agent-budget.ts';
import { DayLedger } from './day-ledger.ts';
import { type Account, counted, type Ledger, type Limits } from './ledger.ts';

/** The daily limits of agents of apps, and of holders of keys. */
export interface Accounts {
  /** The limits for one answer, and the accounts that it is charged to. */
  open(who: { readonly app: string | undefined; readonly key: string | undefined }): {
    readonly answer: AgentBudget;
    readonly shared: readonly Account[];
  };
  /** Gives back the portions that this server has taken and not used. */
  close(): Promise<void>;
}

export interface AccountsDeps {
  readonly budgets: () => AgentBudgets;
  readonly state: StateService;
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** The prefix of a caller's name, before the name of its key. */
const CALLER = /^key /;

/** The usage of a day is in the state, so it outlasts a restart, and servers that share the state count together. */
export function createAccounts(deps: AccountsDeps): Accounts {
  let today = '';
  const ledgers = new Map<string, DayLedger>();

  function ledgerOf(id: string): Ledger {
    const day = new Date(deps.now()).toISOString().slice(0, 10);
    if (day !== today) ledgers.clear();
    today = day;
    const ledger = ledgers.get(id) ?? new DayLedger(`${day}:${id}`, deps);
    ledgers.set(id, ledger);
    return ledger;
  }

  function account(name: string, id: string, limits: DailyLimits | undefined): Account[] {
    if (limits === undefined) return [];
    return [{ name: `${name} today`, limits: limitsOf(limits), ledger: ledgerOf(id) }];
  }

  return {
    open({ app, key: caller }) {
      const key = caller?.replace(CALLER, '');
      const { answer, apps, keys } = deps.budgets();
      const shared = [
        ...(app === undefined ? [] : account(`The app ${app}`, `app:${app}`, limitsFor(apps, app))),
        ...(key === undefined ? [] : account(`The key ${key}`, `key:${key}`, limitsFor(keys, key))),
      ];
      return { answer, shared };
    },
    async close() {
      await Promise.all([...ledgers.values()].map((ledger) => ledger.close()));
    },
  };
}

/** People choose names, so a name may equal that of a property that every object has. */
function limitsFor(named: Readonly<Record<string, DailyLimits>>, name: string): DailyLimits | undefined {
  return Object.hasOwn(named, name) ? named[name] : named['*'];
}

function limitsOf(limits: DailyLimits): Limits {
  return Object.fromEntries(
    counted.flatMap((what) => (limits[what] === undefined ? [] : [[what, limits[what]]])),
  );
}
