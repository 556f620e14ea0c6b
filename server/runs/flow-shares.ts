/** The share of the places that one flow gets at most while another needs some. */
const SHARE = 0.8;
/** For how long a flow that asked for a place counts as one that needs some, in milliseconds. */
const NEEDED_MS = 60_000;

/**
 * How the places of runs are shared between flows.
 * RF1. A flow alone may take all of them. Beyond its share it gets no further ones while another flow has asked lately, or asks
 *     now and was refused: as its runs end, the others find room.
 * RF2. A request costs one comparison, as long as the same flow asks and most places are free.
 */
export class FlowShares {
  /** From so many runs in progress on it is looked at whose they are. */
  readonly share: number;
  private readonly now: () => number;
  private readonly runs = new Map<string, number>();
  private latest: string | undefined = undefined;
  /** When another flow than the one before asked. */
  private changedAt = Number.NEGATIVE_INFINITY;

  constructor(maxRuns: number, now: () => number) {
    this.share = Math.max(1, Math.floor(maxRuns * SHARE));
    this.now = now;
  }

  /** Notes who asks for a place. */
  asks(flow: string): void {
    if (flow === this.latest) return;
    if (this.latest !== undefined) this.changedAt = this.now();
    this.latest = flow;
  }

  /** Whether the flow that has asked last has all that it gets. */
  isFull(flow: string): boolean {
    return (this.runs.get(flow) ?? 0) >= this.share && this.now() - this.changedAt < NEEDED_MS;
  }

  began(flow: string): void {
    this.runs.set(flow, (this.runs.get(flow) ?? 0) + 1);
  }

  ended(flow: string): void {
    const left = (this.runs.get(flow) ?? 0) - 1;
    if (left > 0) this.runs.set(flow, left);
    else this.runs.delete(flow);
  }
}
