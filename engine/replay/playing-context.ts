import type { DurableStep, RunCtx, Stretches } from '../base/host.ts';
import { type Asking, contentOfStep, NO_SECRETS } from './ask-content.ts';
import { describeStep } from './describe-ask.ts';
import type { Playback } from './playback.ts';
import type { RunTape } from './record.ts';
import { askedAs, execute } from './recording-context.ts';

/** The context of a durable run that is replayed: it returns what `recordingContext` recorded. */
export function playingContext(playback: Playback, record: RunTape): RunCtx {
  const order = recordedOrder(record);
  return {
    step: (step, fn) => playStep(playback, step, fn),
    next: (running, first) =>
      playback.likeness === 'same'
        ? (playback.ask('next', undefined) as Promise<string>)
        : order(running, first),
    wait: (key, _node, what) => {
      const passes = (): Promise<undefined> =>
        new Promise((resolve) => playback.atLast(0, () => resolve(undefined)));
      // The decision of a person cannot be known.
      return playback.ask(
        `wait ${key}`,
        undefined,
        what.kind === 'time' ? passes : undefined,
      ) as Promise<unknown>;
    },
    idle: () => {},
    once: (_, fn) => fn(),
    parts: () => () => {},
    stretches: playedStretches(playback, record),
  };
}

/** Those of the record; it may be older than they are. */
function playedStretches(playback: Playback, { asks }: RunTape): Stretches {
  const known = new Set(asks.map(({ what }) => what));
  return {
    kept: (of) => {
      const what = askedAs('kept', of);
      return known.has(what) ? (playback.ask(what, undefined) as { readonly value: unknown }) : undefined;
    },
    keep: (of) => {
      const what = askedAs('keep', of);
      return known.has(what) ? (playback.ask(what, undefined) as Promise<void>) : undefined;
    },
  };
}

/**
 * The result of the step, which follows by itself if the step is executed; a step that the record lacks asks for what it
 * needs.
 */
async function playStep(playback: Playback, step: DurableStep, fn: () => Promise<unknown>): Promise<unknown> {
  let own: Promise<unknown> | undefined;
  const target = {
    // Stored records name it so.
    carryOut(): void {
      own = execute(step, fn);
      // Its failure is delivered where the recording has its end.
      own.catch(() => {});
    },
  };
  const asking: Asking = { what: describeStep(step), content: () => contentOfStep(step, NO_SECRETS) };
  const recorded = await playback.ask(asking, target, fn);
  return own ?? recorded;
}

/** For a similar run: ends are delivered in the recorded order as far as possible, then as they occur. */
function recordedOrder({ asks, deliveries }: RunTape): RunCtx['next'] {
  const keys = deliveries.flatMap((delivery) =>
    'value' in delivery && asks[delivery.of]?.what === 'next' ? [delivery.value as string] : [],
  );
  let at = 0;
  return async (running, first) => {
    while (at < keys.length) {
      const key = keys[at++] as string;
      if (running.has(key)) return key;
    }
    return first();
  };
}
