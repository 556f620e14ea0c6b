import type { WaitDecision, WaitExpiry, WaitInfo, WaitListQuery, WaitPage } from '#shared/wait.ts';
import type { OpenWait, WaitStore } from '../durable/durable-runs.ts';

/**
 * Waits of runs for people, and what they decided. `waits.contract.ts` says what every store does.
 * WS1. A decision is on disk when `decide` resolves; the first one counts, every later one is told who came first.
 * WS2. A decision may come before its run has asked: it is kept and taken once asked, where it fits. Otherwise the wait opens.
 * WS3. What a run was told (a decision, or that the time is over) stays: nobody decides after it.
 * WS4. Where the run is over, open waits are void and closed ones stay as they are.
 */
export interface Waits extends WaitStore {
  /** Throws `bad_params` for what cannot be asked, `value_too_large`. Waits for a time are not kept here. */
  open(wait: OpenWait): Promise<void>;
  /** What the run is told; undefined as long as there is nothing to tell. */
  answer(run: string, key: string): Promise<{ readonly value: WaitDecision | WaitExpiry } | undefined>;
  get(id: string): Promise<WaitInfo | undefined>;
  list(query: WaitListQuery): Promise<WaitPage>;
  /**
   * Throws `wait_decided`, `wait_expired`, `wait_void`, `wait_answer_invalid`; `wait_not_found` where nothing was asked yet,
   * unless `early` names the flow of a run that is still going on.
   */
  decide(id: string, decided: Decided, early?: { readonly flow: string }): Promise<WaitInfo>;
  /** Told when an address is to be told of a wait; a hint only. */
  onUntold(fn: () => void): void;
  /** Those whose address is still to be told of them. */
  untold(): Promise<WaitInfo[]>;
  /** The address was told, or could not be. */
  told(id: string, problem?: string): Promise<void>;
}

export type Decided = Omit<WaitDecision, 'at'>;

/** Under which a wait is known, also before the run has asked; fit for an address. `key` is that of `DurableStep`. */
export function waitId(run: string, key: string): string {
  return `${run}.${key.replace('@', '-').replace('#', '~')}`;
}

/** The run and the node of an id; undefined for a text that is none. */
export function partsOf(id: string): { run: string; node: string } | undefined {
  const found = /^([0-9a-z]{1,64})\.([a-z]\w{0,63})([-~]\d{1,10}){0,2}$/.exec(id);
  return found ? { run: found[1] as string, node: found[2] as string } : undefined;
}
