import type { FastifyBaseLogger } from 'fastify';
import type { Host, StateService } from '#engine';
import type { DurableRuns } from '../durable/durable-runs.ts';
import type { Config } from '../../base/config/config.ts';
import type { Files, Holder } from '../../storage/file-store/files.ts';
import { handlesIn, heldConversation, isFreshUpload } from '../../storage/file-store/held-values.ts';
import type { RunHistory } from '../history/history.ts';
import { runStartedAt } from '../runs/run-ids.ts';
import type { RunHub } from '../runs/run-types.ts';

/** The first sweep comes this long after the start; the next one is the interval, in milliseconds. */
const FIRST_MS = 5 * 60_000;
const EVERY_MS = 3_600_000;

const UPLOADERS: ReadonlySet<Holder['kind']> = new Set(['upload', 'guest']);

interface Deps {
  readonly files: Files;
  /** The history of runs, which shares `runsSize` with their files. */
  readonly history: Pick<RunHistory, 'reserve'>;
  readonly config: Pick<Config, 'runsSize'>;
  readonly runs: Pick<RunHub, 'requestOf' | 'get'>;
  readonly durable: Pick<DurableRuns, 'get'>;
  readonly state: Pick<StateService, 'get'>;
  /** Whether a run that this server does not know may be in progress on another one. */
  readonly mayRunElsewhere?: ((startedAt: number) => boolean) | undefined;
  readonly conversations: { recent(owner: string, id: string, count: number): Promise<readonly unknown[]> };
  readonly host: Pick<Host, 'timer' | 'now'>;
  readonly log: Pick<FastifyBaseLogger, 'error'>;
}

/** Adding files of this part of the limit is a reason to check it. */
const LOOK_AT = 16;

/**
 * Deletes files without a holder now and then, and files of the oldest runs as soon as they exceed their limit. Returns
 * a function that stops it.
 */
export function startSweeping(deps: Deps): () => Promise<void> {
  const { files, host, log, config } = deps;
  let isOver = false;
  let under: Promise<unknown> = Promise.resolve();
  const sweep = async (): Promise<void> => {
    try {
      await files.sweep((holder) => isThere(deps, holder, host.now()));
      await boundRunFiles(deps);
    } catch (error) {
      log.error({ err: error }, 'files without a holder could not be deleted');
    }
    arm(EVERY_MS);
  };
  let added = 0;
  files.onAdded((bytes) => {
    added += bytes;
    if (isOver || added < config.runsSize / LOOK_AT) return;
    added = 0;
    under = under
      .then(() => boundRunFiles(deps))
      .catch((error: unknown) => {
        log.error({ err: error }, 'the files of the oldest runs could not be deleted');
      });
  });
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

/**
 * Ended runs share one limit: their files get the part that their records leave, and at least half of it. The oldest
 * runs lose their files first; runs in progress, and durable runs that may be retried, lose none.
 */
export async function boundRunFiles({
  files,
  history,
  runs,
  durable,
  config: { runsSize },
  mayRunElsewhere,
}: Pick<Deps, 'files' | 'history' | 'runs' | 'durable' | 'config' | 'mayRunElsewhere'>): Promise<void> {
  let bytes = await files.bytesOf('run');
  const records = (await history.reserve?.(Math.min(bytes, runsSize / 2))) ?? 0;
  const most = Math.max(runsSize / 2, runsSize - records);
  if (bytes <= most) return;
  for (const holder of await files.holders('run')) {
    if (!(await isOver({ runs, durable, mayRunElsewhere }, holder.id))) continue;
    bytes -= await files.release(holder);
    if (bytes <= most) return;
  }
}

async function isOver(
  { runs, durable, mayRunElsewhere }: Pick<Deps, 'runs' | 'durable' | 'mayRunElsewhere'>,
  id: string,
): Promise<boolean> {
  const lasting = await durable.get(id);
  if (lasting) return lasting.status === 'ok' || lasting.status === 'cancelled';
  const known = await runs.get(id);
  if (known === undefined) return mayRunElsewhere?.(runStartedAt(id)) !== true;
  return known.status !== 'running' && known.status !== 'waiting';
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
