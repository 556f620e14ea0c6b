import type { PassEnd, RecordedStep, StoredRun } from '../port.ts';
import type { FromEngine, Recording } from './protocol.ts';

interface OpenPass {
  readonly record: (step: Recording) => void;
  readonly end: PromiseWithResolvers<PassEnd>;
}

/** The passes that the server executes for this thread. */
export class Passes {
  private readonly send: (message: FromEngine) => void;
  private readonly open = new Map<number, OpenPass>();
  private last = 0;

  constructor(send: (message: FromEngine) => void) {
    this.send = send;
  }

  /** Requests a pass; `record` stores its steps. Rejects if the pass was given up. */
  async execute(
    run: StoredRun,
    steps: readonly RecordedStep[],
    record: (step: Recording) => void,
  ): Promise<PassEnd> {
    const pass = ++this.last;
    const end = Promise.withResolvers<PassEnd>();
    this.open.set(pass, { record, end });
    this.send({ pass, run, steps });
    try {
      return await end.promise;
    } finally {
      this.open.delete(pass);
    }
  }

  /** Throws if the step could not be recorded, or its pass is over. */
  record(pass: number, step: Recording): void {
    const open = this.open.get(pass);
    if (open === undefined) throw new Error('the pass is over');
    open.record(step);
  }

  end(pass: number, end: PassEnd): void {
    this.open.get(pass)?.end.resolve(end);
  }

  giveUp(pass: number, reason: string): void {
    this.open.get(pass)?.end.reject(new Error(reason));
  }
}
