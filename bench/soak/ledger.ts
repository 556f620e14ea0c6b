import type { Answer } from '../../tests/support/client.ts';
import { codeOf, leaks } from '../../tests/support/leaks.ts';
import type { Line } from '../harness.ts';
import { faultList } from './killed-load.ts';
import { fact } from './part.ts';

/** What the disk does at a moment: a new stage each time that it changes. */
export interface Stage {
  readonly isFree: boolean;
  /** In words, for what is found at that time. */
  readonly name: string;
}

/** Something that is numbered: what was acknowledged, and whether the answer to the next number was lost in a kill. */
export interface Numbered {
  acknowledged: number;
  isOpen: boolean;
}

/**
 * What the server said that it has taken, against which it is held later.
 * L1. A refusal is 503 `storage_failed`, and changes nothing.
 * L2. What is asked while there is room is not refused.
 */
export class Ledger {
  private current: Stage = { isFree: true, name: 'a disk with room' };
  private taken = 0;
  private refused = 0;
  private readonly uncoded = faultList('answers that are neither a success nor 503 `storage_failed`');
  private readonly needless = faultList('refusals while there was room');
  private readonly lost = faultList('acknowledged changes that were lost, and refused ones that were made');

  set stage(stage: Stage) {
    this.current = stage;
  }

  get stage(): Stage {
    return this.current;
  }

  /** When something was asked: the stage in which it was sent, and the one in which it was answered. */
  describe(during: Stage): string {
    return during === this.current ? during.name : `${during.name}, then ${this.current.name}`;
  }

  /** Notes a loss. */
  isLost(what: string): void {
    this.lost.add(what);
  }

  /** Whether a request of some stage was taken; `during` is the stage in which it was sent. */
  isTaken(answer: Answer, what: string, during: Stage): boolean {
    const { status, text } = answer;
    if (status < 300) {
      this.taken++;
      return true;
    }
    this.refused++;
    if (status !== 503 || codeOf(answer) !== 'storage_failed' || leaks(text).length > 0)
      this.uncoded.add(`${what}: ${status} ${text}`);
    else if (during.isFree && during === this.current) this.needless.add(`${what}: ${text}`);
    return false;
  }

  /** Asks for the next number. */
  async next(of: Numbered, what: string, ask: (n: number) => Promise<Answer>): Promise<void> {
    const during = this.current;
    of.isOpen = true;
    if (this.isTaken(await ask(of.acknowledged + 1), what, during)) of.acknowledged++;
    of.isOpen = false;
  }

  /** Holds what is there now against what was acknowledged. */
  compare(of: Numbered, what: string, found: number): void {
    const { acknowledged, isOpen } = of;
    if (found !== acknowledged && !(isOpen && found === acknowledged + 1))
      this.lost.add(`${what}: acknowledged ${acknowledged}, found ${found}`);
    of.acknowledged = found;
    of.isOpen = false;
  }

  lines(): Line[] {
    return [
      fact('changes taken', this.taken),
      fact('changes refused', this.refused),
      this.uncoded.line(),
      this.needless.line(),
      this.lost.line(),
    ];
  }
}

export function numbered(): Numbered {
  return { acknowledged: 0, isOpen: false };
}
