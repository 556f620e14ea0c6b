import {
  type IdempotencyLimits,
  type IdempotencyStore,
  idempotencyLimits,
  KEPT_MS,
  type KeyId,
  type KnownRequest,
  newRequest,
  SWEEP_EVERY,
} from './idempotency-store.ts';
import { KeyRoom, type Used } from './key-room.ts';

interface Entry extends KnownRequest {
  readonly trigger: string;
}

/** Keys that live as long as the process, when there is no data folder. */
export function createMemoryIdempotency(
  now: () => number,
  limits: IdempotencyLimits = idempotencyLimits,
): IdempotencyStore {
  const entries = new Map<string, Entry>();
  const room = new KeyRoom(limits);
  let claims = 0;

  const isOver = (at: number): boolean => at + KEPT_MS <= now();

  function sweep(): void {
    if (++claims % SWEEP_EVERY !== 0) return;
    const used = new Map<string, Used>();
    for (const [name, { trigger, at, answer }] of entries) {
      if (isOver(at)) entries.delete(name);
      else {
        const of = used.get(trigger) ?? { keys: 0, bytes: 0 };
        used.set(trigger, { keys: of.keys + 1, bytes: of.bytes + (answer?.body.length ?? 0) });
      }
    }
    room.recount(used);
  }

  function change(id: KeyId, changed: Partial<KnownRequest>): void {
    const entry = entries.get(nameOf(id));
    if (entry !== undefined) entries.set(nameOf(id), { ...entry, ...changed });
  }

  return {
    async claim(id, fingerprint) {
      sweep();
      const { trigger } = id;
      const name = nameOf(id);
      const known = entries.get(name);
      if (known !== undefined && !isOver(known.at)) return { ...known, isNew: false };
      if (known === undefined) room.addKey(trigger);
      const fresh = newRequest(fingerprint, now());
      entries.set(name, { ...fresh, trigger });
      return { ...fresh, isNew: true };
    },
    async started(id, run) {
      change(id, { run });
    },
    async answered(id, run, answer) {
      const kept = answer !== undefined && room.addAnswer(id.trigger, answer.body.length);
      change(id, { run, state: kept ? 'answered' : 'not-kept', answer: kept ? answer : undefined });
    },
    async release(id) {
      if (entries.delete(nameOf(id))) room.dropKey(id.trigger);
    },
  };
}

function nameOf({ trigger, caller, key }: KeyId): string {
  return JSON.stringify([trigger, caller, key]);
}
