import type {
  EventAnswer,
  WaitAsk,
  WaitDecision,
  WaitExpiry,
  WaitInfo,
  WaitListQuery,
  WaitPage,
} from '#shared/wait.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { DurableRuns, OpenWait, WaitStore } from '../durable/durable-runs.ts';

/**
 * Waits of runs for people and programs, and their decisions. `waits.contract.ts` tests every store.
 * WS1. A decision is stored when `decide` resolves; the first one counts, and every later caller learns who made it.
 * WS2. A decision may come before its run has asked: it is stored, and used once asked if it fits. Otherwise the wait
 *      opens.
 * WS3. A decision or expiry that a run has seen is final: no later decision is accepted.
 * WS4. When the run is over, open waits are void and closed ones stay unchanged.
 */
export interface Waits extends WaitStore {
  /** Throws `bad_params` for an invalid question, `value_too_large`. Waits for a time are not stored here. */
  open(wait: OpenWait): Promise<void>;
  /** The result for the run; undefined as long as there is none. */
  answer(run: string, key: string): Promise<{ readonly value: WaitDecision | WaitExpiry } | undefined>;
  get(id: string): Promise<WaitInfo | undefined>;
  list(query: WaitListQuery): Promise<WaitPage>;
  /**
   * Throws `wait_decided`, `wait_expired`, `wait_void`, `wait_answer_invalid`; `wait_not_found` if the run has not
   * asked yet, unless `early` names the flow of a run that is still in progress.
   */
  decide(id: string, decided: Decided, early?: { readonly flow: string }): Promise<WaitInfo>;
  /**
   * Ends all open waits for the event. Those whose schema the data do not match stay open. A repeat finds only those that
   * have opened since.
   */
  receive(event: NonNullable<WaitAsk['event']>, given: Decided): Promise<EventAnswer>;
  /** Calls `fn` when a notice may be due; only a hint. */
  onUnnotified(fn: () => void): void;
  /** Waits whose address is still to be notified. */
  unnotified(): Promise<WaitInfo[]>;
  /** Stores that the address was notified, or could not be. */
  notified(id: string, problem?: string): Promise<void>;
}

export type Decided = Omit<WaitDecision, 'at'>;

/** The run and the node of an id; undefined for a text that is not an id. */
export function partsOf(id: string): { run: string; node: string } | undefined {
  const found = /^([0-9a-z]{1,64})((?:\.\w{1,64}(?:[-~]\d{1,10}){0,3}){1,40})$/.exec(id);
  const node = /^[a-z]\w*/.exec(found?.[2]?.split('.').at(-1) ?? '')?.[0];
  return found && node !== undefined ? { run: found[1] as string, node } : undefined;
}

/** The flow of a wait whose run has not asked yet, but is in progress; undefined if it never will. */
export async function earlyFlow(
  { durable }: { readonly durable: DurableRuns },
  id: string,
): Promise<{ flow: string } | undefined> {
  const run = partsOf(id)?.run;
  const view = run === undefined ? undefined : await durable.get(run);
  return view && view.endedAt === undefined ? { flow: view.flow } : undefined;
}

/** Throws `wait_run_lost` for an open wait whose run is no longer stored, `storage_failed` if that cannot be read. */
export async function refuseLost(
  { durable }: { readonly durable: DurableRuns },
  { run, status, ask }: Pick<WaitInfo, 'run' | 'status' | 'ask'>,
): Promise<void> {
  if (status === 'open' && ask.inMemory !== true && (await durable.get(run)) === undefined)
    throw new ServiceError('wait_run_lost', `The run ${run} is not in durable.db any more.`);
}
