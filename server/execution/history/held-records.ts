import type { Host } from '#engine';
import type { RunEvent } from '#shared/run-event.ts';
import type { RunHistory } from './history.ts';
import type { RecordedEvent } from './recorded-event.ts';

/** The stored events of one run, as texts, and as objects once a reader needed these. */
export interface HeldRecord {
  readonly kept: readonly RecordedEvent[];
  readonly events: (RunEvent | undefined)[];
}

const HOLD_MS = 1000;
const MAX_HELD = 4;

/**
 * The records of ended runs, read once for all who want them within a second. A thousand watchers of a run that ends
 * early all request the rest, each many times, and a record may have megabytes.
 */
export class HeldRecords {
  private readonly held = new Map<string, Promise<HeldRecord>>();
  private readonly host: Host;
  private readonly history: RunHistory;
  private inUse = false;

  constructor({ host, history }: { readonly host: Host; readonly history: RunHistory }) {
    this.host = host;
    this.history = history;
  }

  /** Only for a run that has ended: nothing is added to its record any more. */
  read(run: string): Promise<HeldRecord> {
    this.inUse = true;
    const held = this.held.get(run);
    if (held !== undefined) return held;
    if (this.held.size === 0) this.letGoLater();
    const [oldest] = this.held.keys();
    if (oldest !== undefined && this.held.size >= MAX_HELD) this.held.delete(oldest);
    const read = this.history.events(run, 0).then((kept) => ({ kept, events: [] }));
    this.held.set(run, read);
    read.catch(() => this.held.delete(run));
    return read;
  }

  private letGoLater(): void {
    this.inUse = false;
    this.host.timer(HOLD_MS, () => {
      if (this.inUse) this.letGoLater();
      else this.held.clear();
    });
  }
}
