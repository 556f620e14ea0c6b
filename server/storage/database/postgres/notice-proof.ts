import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Sealed, seal, unseal } from '../../../base/secrets/seal.ts';
import { decisiveTopics, type Topic } from '../bus.ts';

/** How old a notice may be, and how far the times of two servers may be apart, in milliseconds. */
const TOLERANCE_MS = 30_000;
/** Topics whose names are hidden from other users of the database server. */
const sealedTopics: ReadonlySet<string> = new Set<Topic>(['credentials-tried']);
/** For `hkdf`, so that the keys of notices serve no other purpose. */
const PURPOSE = 'weft notices between servers';

/**
 * Why a notice is not proven to come from a server, or to be recent. Servers of earlier versions do not sign; `stale` is also
 * a notice that waited for a paused server.
 */
export const doubts = ['unsigned', 'forged', 'stale', 'replayed'] as const;
export type Doubt = (typeof doubts)[number];

/** A notice as it arrived. */
export interface ReadNotice {
  readonly by: string;
  readonly topic: Topic;
  readonly name: string;
  /** Undefined: another server with the same key sent it just now, and once. */
  readonly doubt: Doubt | undefined;
}

interface Deps {
  /** The id of the server that writes. */
  readonly self: string;
  /** The keys that the servers of a database share: the first one signs, all are accepted. */
  readonly keys: () => readonly Uint8Array[];
  /** Unix milliseconds, by a clock that all servers share. */
  readonly now: () => number;
}

/**
 * Signs notices and recognises the signed ones among those that arrive, since every role of a database server may send some.
 * NP1. A proven notice was written by a server with the same key, within half a minute, and arrives once.
 * NP2. A decisive notice without a proof is ignored; any other one is a hint, which makes its listeners look.
 * NP3. Servers that do not sign understand all notices except the sealed names.
 */
export class NoticeProof {
  private readonly deps: Deps;
  private readonly derived = new WeakMap<Uint8Array, { readonly mac: Buffer; readonly seal: Buffer }>();
  private written = 0;
  /** The last one of each sender that was proven. */
  private readonly last = new Map<string, { readonly n: number; readonly at: number }>();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  write(topic: Topic, name: string): string {
    const { self, keys, now } = this.deps;
    const key = this.derive(keys()[0] as Uint8Array);
    const shown = sealedTopics.has(topic) ? JSON.stringify(seal(key.seal, name, topic)) : name;
    const signed = [self, topic, shown, ++this.written, now()];
    return JSON.stringify([...signed, macOf(key.mac, signed).toString('base64url')]);
  }

  /** Undefined for text that is not a notice, and for one that must be ignored. */
  read(text: string): ReadNotice | undefined {
    const parts = partsOf(text);
    if (parts === undefined) return undefined;
    const [by, topic, shown] = parts as [string, Topic, string];
    const key = this.keyOf(parts);
    const doubt = key === undefined ? unproven(parts) : this.doubtOf(by, Number(parts[3]), Number(parts[4]));
    const isSealed = sealedTopics.has(topic) && key !== undefined;
    return { by, topic, name: isSealed ? opened(key.seal, shown, topic) : shown, doubt };
  }

  /** The key that signed it. */
  private keyOf(parts: readonly unknown[]) {
    if (parts.length !== 6) return undefined;
    const mac = Buffer.from(String(parts[5]), 'base64url');
    const known = this.deps.keys().map((key) => this.derive(key));
    return known.find((key) => {
      const own = macOf(key.mac, parts.slice(0, 5));
      return own.length === mac.length && timingSafeEqual(own, mac);
    });
  }

  private doubtOf(by: string, n: number, at: number): Doubt | undefined {
    const now = this.deps.now();
    if (Math.abs(now - at) > TOLERANCE_MS) return 'stale';
    for (const [sender, one] of this.last) {
      if (now - one.at <= 2 * TOLERANCE_MS) break;
      this.last.delete(sender);
    }
    if (n <= (this.last.get(by)?.n ?? 0)) return 'replayed';
    // Re-inserted at the end, so that the oldest come first.
    this.last.delete(by);
    this.last.set(by, { n, at });
    return undefined;
  }

  private derive(secretsKey: Uint8Array) {
    const known = this.derived.get(secretsKey);
    if (known !== undefined) return known;
    const both = Buffer.from(hkdfSync('sha256', secretsKey, '', PURPOSE, 64));
    const made = { mac: both.subarray(0, 32), seal: both.subarray(32) };
    this.derived.set(secretsKey, made);
    return made;
  }
}

/** Whether listeners may receive it. */
export function mayBeHeard({ topic, doubt }: ReadNotice): boolean {
  return doubt === undefined || !decisiveTopics.has(topic);
}

function unproven(parts: readonly unknown[]): Doubt {
  return parts.length === 3 ? 'unsigned' : 'forged';
}

function macOf(key: Buffer, parts: readonly unknown[]): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
}

function opened(key: Buffer, shown: string, topic: Topic): string {
  return unseal(key, Sealed.parse(JSON.parse(shown)), topic);
}

function partsOf(text: string): readonly unknown[] | undefined {
  try {
    const parts: unknown = JSON.parse(text);
    if (!Array.isArray(parts)) return undefined;
    return parts.slice(0, 3).every((part) => typeof part === 'string') && parts.length >= 3
      ? parts
      : undefined;
  } catch {
    return undefined;
  }
}
