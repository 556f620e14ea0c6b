/** Bodies up to this many bytes are small: a tenth of the budget is reserved for them. */
export const SMALL_BODY = 64 * 1024;
const SMALL_SHARE = 0.1;

/** A body that occupies room in the budget. */
export interface HeldBody {
  /** Requests room for `bytes` in total; false if there is none, and this body is then dropped. */
  hold(bytes: number): boolean;
  /** The body is complete and is no longer dropped for others. A large one keeps its room until `free`. */
  arrived(): void;
  /** Gives its room back. */
  free(): void;
}

/**
 * The bytes of request bodies that the server holds at once.
 * HB1. All bodies together never exceed the budget, large ones never nine tenths of it.
 * HB2. If there is no room, the slowest large body so far is dropped, then the slowest small one; a complete
 *      body is never dropped.
 * HB3. A body that still has no room once no other can be dropped is dropped itself.
 */
export interface BodyBudget {
  /** Largest body that can ever have room, in bytes. */
  readonly largest: number;
  /** Bytes held now. */
  readonly held: number;
  /**
   * `onDrop` is called at most once, when the body is dropped for others. `arrived`: the bytes so far of a body that occupies
   * less room than it has bytes, since it goes to the disk.
   */
  open(onDrop: () => void, arrived?: () => number): HeldBody;
}

interface Entry {
  readonly since: number;
  readonly onDrop: () => void;
  readonly arrived: (() => number) | undefined;
  bytes: number;
}

/** `total` in bytes; `now` in milliseconds, by any clock that never goes back. */
export function createBodyBudget(total: number, now: () => number = () => performance.now()): BodyBudget {
  const largest = Math.floor(total * (1 - SMALL_SHARE));
  const arriving = new Set<Entry>();
  let held = 0;
  let heldByLarge = 0;

  function book(entry: Entry, bytes: number): void {
    held += bytes - entry.bytes;
    heldByLarge += largeBytes(bytes) - largeBytes(entry.bytes);
    entry.bytes = bytes;
  }

  const fits = (entry: Entry, bytes: number): boolean =>
    held + bytes - entry.bytes <= total &&
    (bytes <= SMALL_BODY || heldByLarge + bytes - largeBytes(entry.bytes) <= largest);

  function giveUp(entry: Entry): void {
    arriving.delete(entry);
    book(entry, 0);
  }

  function makeRoom(asking: Entry, bytes: number): boolean {
    while (!fits(asking, bytes)) {
      const isLarge = bytes > SMALL_BODY;
      const asked = { arriving, asking, bytes, at: now() };
      const victim = slowest(true, asked) ?? (isLarge ? asking : slowest(false, asked));
      giveUp(victim ?? asking);
      if (victim === undefined || victim === asking) return false;
      victim.onDrop();
    }
    return true;
  }

  return {
    largest,
    get held() {
      return held;
    },
    open(onDrop, arrived) {
      const entry: Entry = { since: now(), onDrop, arrived, bytes: 0 };
      arriving.add(entry);
      return {
        hold(bytes) {
          if (!arriving.has(entry) || !makeRoom(entry, bytes)) return false;
          book(entry, bytes);
          return true;
        },
        arrived() {
          arriving.delete(entry);
          if (entry.bytes <= SMALL_BODY) book(entry, 0);
        },
        free: () => giveUp(entry),
      };
    },
  };
}

interface Asked {
  readonly arriving: Iterable<Entry>;
  readonly asking: Entry;
  readonly bytes: number;
  readonly at: number;
}

/** The one with the fewest bytes per millisecond; the requesting one counts with the bytes it requests. */
function slowest(isLarge: boolean, { arriving, asking, bytes, at }: Asked): Entry | undefined {
  let found: Entry | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const entry of arriving) {
    const size = entry === asking ? bytes : entry.bytes;
    if (size > SMALL_BODY !== isLarge) continue;
    const speed = Math.max(size, entry.arrived?.() ?? 0) / Math.max(at - entry.since, 1);
    if (speed < least) [found, least] = [entry, speed];
  }
  return found;
}

function largeBytes(bytes: number): number {
  return bytes > SMALL_BODY ? bytes : 0;
}
