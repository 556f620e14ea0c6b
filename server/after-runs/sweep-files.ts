import type { FastifyBaseLogger } from 'fastify';
import type { Host, StateService } from '#engine';
import { type Conversations, heldConversation } from '../chat/conversations.ts';
import type { DurableRuns } from '../durable/durable-runs.ts';
import type { Files, Holder } from '../file-store/files.ts';
import { handlesIn, isFreshUpload } from '../file-store/held-values.ts';
import { runStartedAt } from '../runs/run-ids.ts';
import type { RunHub } from '../runs/run-types.ts';

/** How long after the start the first sweep is, and the time between two, in milliseconds. */
const FIRST_MS = 5 * 60_000;
const EVERY_MS = 3_600_000;

const UPLOADERS: ReadonlySet<Holder['kind']> = new Set(['upload', 'guest']);

interface Deps {
  readonly files: Files;
  readonly runs: Pick<RunHub, 'requestOf' | 'get'>;
  readonly durable: Pick<DurableRuns, 'get'>;
  readonly state: Pick<StateService, 'get'>;
  /** Whether a run that this server does not know may be in progress on another one. */
  readonly mayRunElsewhere?: (startedAt: number) => boolean;
  readonly conversations: Pick<Conversations, 'recent'>;
  readonly host: Pick<Host, 'timer' | 'now'>;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

/** Deletes files that nobody holds any more, now and then; returns a function that ends that. */
export function startSweeping(deps: Deps): () => Promise<void> {
  const { files, host, log } = deps;
  let isOver = false;
  let under: Promise<unknown> = Promise.resolve();
  const sweep = async (): Promise<void> => {
    try {
      await files.sweep((holder) => isThere(deps, holder, host.now()));
    } catch (error) {
      log.error({ err: error }, 'files that nobody needs could not be deleted');
    }
    arm(EVERY_MS);
  };
  let stop = (): void => {};
  const arm = (ms: number): void => {
    if (!isOver) stop = host.timer(ms, () => void (under = sweep()));
  };
  arm(FIRST_MS);
  return async () => {
    isOver = true;
    stop();
    await under;
  };
}

/** A run holds its files while it is in progress, while it may be retried, and while its values can be looked at. */
export async function isThere(
  {
    runs,
    durable,
    state,
    conversations,
    mayRunElsewhere,
  }: Pick<Deps, 'runs' | 'durable' | 'state' | 'conversations' | 'mayRunElsewhere'>,
  { kind, id }: Holder,
  now = Date.now(),
): Promise<boolean> {
  if (UPLOADERS.has(kind)) return isFreshUpload(id, now);
  if (kind === 'conversation') {
    const { owner, conversation } = heldConversation(id);
    return (await conversations.recent(owner, conversation, 1)).length > 0;
  }
  if (kind === 'state') {
    const [scope, key] = JSON.parse(id) as [string, string];
    return handlesIn(await state.get(scope, key)).length > 0;
  }
  if (runs.requestOf(id) !== undefined) return true;
  const summary = await runs.get(id);
  if (summary?.recorded === true || summary?.status === 'running') return true;
  return mayRunElsewhere?.(runStartedAt(id)) === true || (await durable.get(id)) !== undefined;
}
