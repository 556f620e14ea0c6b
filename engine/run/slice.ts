import { SLICE_MS } from './state.ts';

/** How long a run has gone on without a pause. */
export class Slice {
  private start = 0;

  /** Whether it is time for a pause; the next slice begins with the look after that. */
  isOver(now: number): boolean {
    if (this.start === 0) this.start = now;
    if (now - this.start < SLICE_MS) return false;
    this.start = 0;
    return true;
  }
}
