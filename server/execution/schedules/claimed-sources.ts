import type { ScheduleOwner, ScheduleOwnerDeps } from './schedule-owner.ts';

/** How often a server asks for the sources, or renews that it has them, in milliseconds. */
const OWNER_MS = 3000;
/** How long it counts on a claim from when it asked for it: shorter than the ten seconds that the claim holds. */
const HELD_MS = 8000;

interface Deps
  extends Pick<ScheduleOwnerDeps, 'beginSchedules' | 'beginSources' | 'endSources' | 'host' | 'log'> {
  readonly node: {
    take(name: string): Promise<boolean>;
    letGo(name: string): Promise<void>;
  };
  /** False: it starts neither schedules nor sources. */
  readonly mayStart: boolean;
  /** Milliseconds of a clock that is never set. */
  readonly elapsed?: () => number;
}

/**
 * Every server of a database starts schedules: whoever notes a time first starts it. Sources listen on the one server that has
 * the claim.
 * CS1. A server that has not renewed its claim in time ends its sources before another server may have it, even while the
 *      database does not answer.
 */
export function openClaimedSources(deps: Deps): ScheduleOwner {
  const { node, beginSchedules, beginSources, host, log, mayStart, elapsed = () => performance.now() } = deps;
  let cancel: (() => void) | undefined;
  let isOwner = false;
  let heldUntil = 0;
  let closed = false;

  async function end(): Promise<void> {
    if (!isOwner) return;
    isOwner = false;
    log.warn('this server no longer has the claim of the sources of flows; another one listens to them');
    await deps.endSources().catch((err: unknown) => log.warn({ err }, 'a source could not be ended'));
  }

  async function take(): Promise<boolean> {
    const asked = elapsed();
    const callOff = isOwner ? host.timer(Math.max(0, heldUntil - asked), () => void end()) : undefined;
    try {
      const isTaken = await node.take('sources').catch(() => false);
      heldUntil = asked + HELD_MS;
      // An answer that took too long says what was, not what is.
      return isTaken && elapsed() < heldUntil;
    } finally {
      callOff?.();
    }
  }

  async function look(): Promise<void> {
    const isTaken = await take();
    if (closed) return;
    try {
      if (isTaken && !isOwner) {
        isOwner = true;
        beginSources();
      }
    } catch (err) {
      log.warn({ err }, 'the sources of flows could not be started');
    }
    if (!isTaken) await end();
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
      if (isOwner) void node.letGo('sources').catch(() => {});
    },
  };
}
