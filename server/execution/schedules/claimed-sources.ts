import type { ScheduleOwner, ScheduleOwnerDeps } from './schedule-owner.ts';

/** How often a server claims the sources, or renews its claim, in milliseconds. */
const OWNER_MS = 3000;
/**
 * How long it relies on a claim after requesting it, in milliseconds: shorter than the ten seconds that the claim
 * lasts.
 */
const HELD_MS = 8000;

interface Deps
  extends Pick<ScheduleOwnerDeps, 'beginSchedules' | 'beginSources' | 'endSources' | 'host' | 'log'> {
  readonly node: {
    take(name: string): Promise<boolean>;
    letGo(name: string): Promise<void>;
  };
  /** False if it starts neither schedules nor sources. */
  readonly mayStart: boolean;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed?: () => number;
}

/**
 * Every server of a database starts schedules: the first to note a time starts it. Only the server with the claim
 * listens to sources.
 * CS1. A server that has not renewed its claim in time ends its sources before another server may have it, even while
 *      the database does not answer.
 */
export function openClaimedSources(deps: Deps): ScheduleOwner {
  const { node, beginSchedules, beginSources, host, log, mayStart, elapsed = () => performance.now() } = deps;
  let cancel: (() => void) | undefined;
  let callOff: (() => void) | undefined;
  let isOwner = false;
  let closed = false;

  async function end(): Promise<void> {
    callOff?.();
    if (!isOwner) return;
    isOwner = false;
    log.warn('this server has lost the claim to the sources of flows; another one listens to them');
    await deps.endSources().catch((err: unknown) => log.warn({ err }, 'a source could not be ended'));
  }

  /** For `ms` it may listen; a later claim makes it longer. */
  function hold(ms: number): void {
    callOff?.();
    callOff = host.timer(ms, () => void end());
    if (isOwner) return;
    isOwner = true;
    try {
      beginSources();
    } catch (err) {
      log.warn({ err }, 'the sources of flows could not be started');
    }
  }

  async function look(): Promise<void> {
    const asked = elapsed();
    const isTaken = await node.take('sources').catch(() => undefined);
    if (closed) return;
    const left = asked + HELD_MS - elapsed();
    // Without an answer the claim is as it was. A slow answer describes the past.
    if (isTaken === true && left > 0) hold(left);
    else if (isTaken !== undefined) await end();
    if (!closed) cancel = host.timer(OWNER_MS, () => void look());
  }

  if (mayStart) {
    beginSchedules(false);
    void look();
  }
  return {
    notice: () => undefined,
    close() {
      closed = true;
      cancel?.();
      callOff?.();
      if (isOwner) void node.letGo('sources').catch(() => {});
    },
  };
}
