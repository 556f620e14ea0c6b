/** The largest share of the places for one flow while another flow needs places. */
const SHARE = 0.8;
/** How long a flow that asked for a place counts as needing places, in milliseconds. */
const NEEDED_MS = 60_000;

/**
 * Shares the places of runs among flows.
 * RF1. A flow alone may take all of them. Beyond its share it gets no more while another flow has asked recently, or
 *      was just refused: as its runs end, the others find room.
 * RF2. A request costs one comparison, as long as the same flow asks and most places are free.
 */
export class FlowShares {
  /** From this number of runs in progress on, the runs of each flow are counted. */
  readonly share: number;
  private readonly now: () => number;
  private readonly runs = new Map<string, number>();
  private latest: string | undefined = undefined;
  /** When a flow other than the previous one asked. */
  private changedAt = Number.NEGATIVE_INFINITY;

  constructor(maxRuns: number, now: () => number) {
    this.share = Math.max(1, Math.floor(maxRuns * SHARE));
    this.now = now;
  }

  /** Notes that the flow asks for a place. */
  asks(flow: string): void {
    if (flow === this.latest) return;
    if (this.latest !== undefined) this.changedAt = this.now();
    this.latest = flow;
  }

  /** Whether the flow that asked last has its full share. */
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
