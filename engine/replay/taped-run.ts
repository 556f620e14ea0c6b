import type { RunEvent } from '#shared/run-event.ts';
import { isAsyncIterable } from '../base/item-stream.ts';
import type { CancelReason, Outcome, Run, RunAnswer } from '../run/state.ts';
import type { RunRecord, RunTape } from './record.ts';
import type { Tape } from './tape.ts';

/** A run that is recorded. The actions of its caller go through this object, since they can influence the run. */
export interface RecordedRun extends Run {
  /** The recording so far, complete once the run has ended; undefined if it exceeded the limit. */
  tape(): RunTape | undefined;
  /** The same with the run's events. */
  record(): RunRecord | undefined;
}

/** A run whose dealings with the world outside are written down, so that it can be replayed. */
export class TapedRun implements RecordedRun {
  private readonly run: Run;
  private readonly notes: Tape;
  private readonly write: () => RunTape;
  private watched: RunAnswer | undefined = undefined;

  /** `write` assembles the whole recording. */
  constructor(run: Run, notes: Tape, write: () => RunTape) {
    this.run = run;
    this.notes = notes;
    this.write = write;
  }

  get id(): string {
    return this.run.id;
  }

  get flow(): string {
    return this.run.flow;
  }

  get version(): string {
    return this.run.version;
  }

  get trigger(): string {
    return this.run.trigger;
  }

  get startedAt(): number {
    return this.run.startedAt;
  }

  get answer(): RunAnswer | undefined {
    const { answer } = this.run;
    return answer && this.noting(answer);
  }

  get outcome(): Outcome | undefined {
    return this.run.outcome;
  }

  get errors(): Run['errors'] {
    return this.run.errors;
  }

  onAnswer(fn: (answer: RunAnswer) => void): void {
    this.run.onAnswer((answer) => fn(this.noting(answer)));
  }

  onEnd(fn: (outcome: Outcome) => void): void {
    this.run.onEnd(fn);
  }

  observe(fn: (event: RunEvent) => void): () => void {
    if (this.run.outcome !== undefined) return this.run.observe(fn);
    let leave: (() => void) | undefined;
    let left = false;
    this.notes.deliver(() => {
      if (left) return;
      this.notes.note({ caller: 'observe' });
      leave = this.run.observe(fn);
    });
    return () => {
      left = true;
      leave?.();
    };
  }

  events(): RunEvent[] {
    return this.run.events();
  }

  cancel(reason: CancelReason): void {
    this.notes.deliver(() => {
      this.notes.note({ cancel: reason });
      this.run.cancel(reason);
    });
  }

  endClock(): boolean {
    // A removed limit is one that never calls back, which is what the record then says.
    return this.run.endClock();
  }

  leave(): void {
    this.run.leave();
  }

  tape(): RunTape | undefined {
    return this.notes.full ? undefined : this.write();
  }

  record(): RunRecord | undefined {
    const tape = this.tape();
    return tape && { ...tape, events: this.run.events() };
  }

  /** An answer that is a stream has one reader. */
  private noting(answer: RunAnswer): RunAnswer {
    if (answer.kind !== 'value' || !isAsyncIterable(answer.body)) return answer;
    this.watched ??= { ...answer, body: watched(answer.body, this.notes) };
    return this.watched;
  }
}

/** A stream that records when its reader pulls, and when the reader leaves. */
function watched(body: AsyncIterable<unknown>, notes: Tape): AsyncIterable<unknown> {
  const items = body[Symbol.asyncIterator]();
  const turn = (caller: 'pull' | 'leave', act: () => Promise<IteratorResult<unknown>>) =>
    new Promise<IteratorResult<unknown>>((resolve, reject) => {
      notes.deliver(() => {
        notes.note({ caller });
        act().then(resolve, reject);
      });
    });
  const end = { done: true, value: undefined } as const;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => turn('pull', () => items.next()),
      return: () => turn('leave', () => items.return?.() ?? Promise.resolve(end)),
    }),
  };
}
