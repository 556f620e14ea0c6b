import type { PassEnd, RecordedStep, StoredRun } from '../port.ts';
import type { FromEngine, ToEngine } from './protocol.ts';

type PassMessage = Exclude<ToEngine, { id: number }>;

interface OpenPass {
  readonly record: (key: string, result: string) => void;
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
    record: (key: string, result: string) => void,
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

  take(message: PassMessage): void {
    const pass = this.open.get(message.pass);
    if (pass === undefined) return;
    if ('end' in message) pass.end.resolve(message.end);
    else if ('failed' in message) pass.end.reject(new Error(message.failed));
    else this.record(pass, message);
  }

  private record({ record }: OpenPass, message: Extract<PassMessage, { key: string }>): void {
    const { pass, key, result } = message;
    try {
      record(key, result);
      this.send({ pass, recorded: key });
    } catch (error) {
      this.send({ pass, recorded: key, error: (error as Error).message });
    }
  }
}
