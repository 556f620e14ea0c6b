import { randomUUID } from 'node:crypto';
import type { Bus } from '../../../storage/database/bus.ts';
import type { Recording } from './live-pass.ts';
import type { SharedRows } from '../postgres/shared-rows.ts';

/** How long a server that requests a hand-over waits for the first answer, in milliseconds. */
const ANSWER_MS = 500;
/** How often a server with steps in flight sends a sign of life, and how long it may be silent, in milliseconds. */
const BEAT_MS = 1000;
const SILENT_MS = 5000;

interface Deps {
  readonly rows: Pick<SharedRows, 'getText' | 'replaceText' | 'takeText'>;
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>;
  /**
   * Stops the run's pass here. Resolves to the steps beyond its records, once its steps in flight have ended. Undefined
   * if there is no pass.
   */
  readonly give: (run: string) => Promise<readonly Recording[]> | undefined;
  readonly complain: (error: unknown) => void;
}

/**
 * Restate may turn to another server while a pass that lost its connection continues here. That server requests the
 * results of the pass, so that no step in flight is executed twice.
 * HO1. Notices are hints. Without an answer the run continues from its records, as after the death of a server.
 * HO2. Handed-over results are in the database before the notice is sent, because a result may be larger than a notice.
 * HO3. They stay there until Restate has recorded them: the server that got them may lose its connection too, and the
 *      next one needs them then.
 */
export class HandOvers {
  private readonly deps: Deps;

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** Answers other servers. Returns the function that stops this. */
  begin(): () => void {
    return this.deps.bus.subscribe('pass-sought', (name, isOwn) => {
      const [run = '', asked = ''] = name.split(' ');
      const given = isOwn ? undefined : this.deps.give(run);
      if (given !== undefined) void this.answer(run, asked, given).catch(this.deps.complain);
    });
  }

  /**
   * Resolves once a pass of the run on another server has handed over its results, or no server answers. Rejects once
   * `signal` is aborted.
   */
  async seek(run: string, signal: AbortSignal): Promise<void> {
    const { bus } = this.deps;
    const asked = randomUUID();
    const over = Promise.withResolvers<void>();
    let silent = setTimeout(over.resolve, ANSWER_MS);
    const stops = [
      bus.subscribe('pass-held', (name) => {
        if (name !== asked) return;
        clearTimeout(silent);
        silent = setTimeout(over.resolve, SILENT_MS);
      }),
      bus.subscribe('pass-handed', (name) => {
        if (name === asked) over.resolve();
      }),
    ];
    const abort = (): void => over.reject(new Error('Restate has given this attempt up.'));
    signal.addEventListener('abort', abort, { once: true });
    try {
      bus.publish('pass-sought', `${run} ${asked}`);
      await over.promise;
    } finally {
      clearTimeout(silent);
      signal.removeEventListener('abort', abort);
      for (const stop of stops) stop();
    }
  }

  /** The results that passes of the run handed over, until they are forgotten. */
  async kept(run: string): Promise<readonly Recording[]> {
    const text = await this.deps.rows.getText(nameOf(run));
    return text === undefined ? [] : (JSON.parse(text) as Recording[]);
  }

  async keep(run: string, steps: readonly Recording[]): Promise<void> {
    if (steps.length === 0) return;
    const before = await this.kept(run);
    // Two requests at once are given the same results.
    const more = steps.filter(({ key }) => !before.some((one) => one.key === key));
    await this.deps.rows.replaceText(nameOf(run), JSON.stringify([...before, ...more]));
  }

  /** Deletes results that are recorded. */
  async forget(run: string): Promise<void> {
    await this.deps.rows.takeText(nameOf(run));
  }

  private async answer(run: string, asked: string, given: Promise<readonly Recording[]>): Promise<void> {
    const { bus } = this.deps;
    const announce = (): void => bus.publish('pass-held', asked);
    announce();
    const beat = setInterval(announce, BEAT_MS).unref();
    try {
      await this.keep(run, await given);
      bus.publish('pass-handed', asked);
    } finally {
      clearInterval(beat);
    }
  }
}

function nameOf(run: string): string {
  return `handed:${run}`;
}
