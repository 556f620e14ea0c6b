import { formatFlow } from '#engine/check';
import type { ChangeLog } from '../../storage/database/change-log.ts';
import { DEFAULT_PROJECT, type Sql } from '../../storage/database/sql.ts';
import type { FlowStore } from './flow-store.ts';
import type { FlowService, LiveFlow } from './flow-types.ts';
import { RowFlows, type RowFlowsDeps } from './row-flows.ts';
import type { VersionStore } from './versions.ts';

const VERSIONS = 'SELECT id, hash FROM flow_file WHERE project = ?';
const PUT = `INSERT INTO flow_file (project, id, text, hash, at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (project, id) DO UPDATE SET text = excluded.text, hash = excluded.hash, at = excluded.at`;
const DROP = 'DELETE FROM flow_file WHERE project = ? AND id = ?';
/** Each process loads flows written in code for itself, so they may differ. */
const CODE = /\.[cm]?[jt]s$/;

interface Deps {
  readonly sql: Sql;
  readonly changes: ChangeLog;
  readonly now: () => number;
  readonly warn: (error: unknown, message: string) => void;
}

/**
 * The live flows of the first process of a data folder, in rows for the others: the text of each flow, with its version in the place
 * of the hash. The first process serves from its files, and reads none of these rows.
 */
export class FlowMirror {
  private readonly deps: Deps;
  private readonly versions = new Map<string, string>();
  private flows: Pick<FlowService, 'list' | 'live'> | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(deps: Deps) {
    this.deps = deps;
  }

  /** The store of this process: a change of flows resolves when the others have applied it, or after two seconds. */
  around(store: FlowStore): FlowStore {
    return {
      ...store,
      alone: async (work) => {
        try {
          return await store.alone(work);
        } finally {
          await this.sync();
        }
      },
    };
  }

  /** Keeps the rows in step with these flows, from the first call on. Rejects if the rows cannot be written now. */
  async follow(flows: Pick<FlowService, 'list' | 'live' | 'watch'>): Promise<void> {
    for (const { id, hash } of await this.deps.sql.all<{ id: string; hash: string }>(
      VERSIONS,
      DEFAULT_PROJECT,
    ))
      this.versions.set(id, hash);
    this.flows = flows;
    flows.watch(() => void this.sync());
    await this.write();
  }

  /** Never rejects, because the flows are served here anyway. The next change tries again. */
  private async sync(): Promise<void> {
    const done = this.last.then(() => this.write());
    this.last = done.catch(() => undefined);
    await done.catch((error: unknown) =>
      this.deps.warn(error, 'the other processes could not be notified of the live flows'),
    );
  }

  private async write(): Promise<void> {
    const { sql, changes, now } = this.deps;
    const live = this.live();
    const changed = [...live.values()].filter(({ id, version }) => this.versions.get(id) !== version);
    const gone = [...this.versions.keys()].filter((id) => !live.has(id));
    if (changed.length + gone.length === 0) return;
    const seq = await sql.transaction(async (tx) => {
      let made = 0;
      for (const { id, version, flow } of changed) {
        await tx.run(PUT, DEFAULT_PROJECT, id, formatFlow(flow), version, now());
        made = await changes.add(tx, 'flow', id);
      }
      for (const id of gone) {
        await tx.run(DROP, DEFAULT_PROJECT, id);
        made = await changes.add(tx, 'flow', id);
      }
      return made;
    });
    for (const id of gone) this.versions.delete(id);
    for (const { id, version } of changed) this.versions.set(id, version);
    await changes.spread(seq);
  }

  private live(): Map<string, LiveFlow> {
    const { flows } = this;
    const all = flows?.list().flatMap(({ id, file, version }) => {
      const flow = version === undefined || CODE.test(file) ? undefined : flows.live(id);
      return flow === undefined ? [] : [[id, flow] as const];
    });
    return new Map(all);
  }
}

/** The store of the other processes: the flows that the first one serves, in step with the change log. It is never written. */
export async function openMirroredFlows(deps: RowFlowsDeps): Promise<MirroredFlows> {
  const store = new MirroredFlows(deps);
  await store.readAll();
  return store;
}

export class MirroredFlows extends RowFlows {
  override readonly versions: VersionStore = NO_VERSIONS;

  /** Whether the first process serves this version, as far as is known here. */
  isCurrent({ id, version }: Pick<LiveFlow, 'id' | 'version'>): boolean {
    return this.rows.files.get(id)?.hash === version;
  }
}

const NO_VERSIONS: VersionStore = {
  keep: async () => true,
  stage: async () => ({ text: undefined, mark: { commit: async () => {}, discard: async () => {} } }),
  list: async () => [],
  label: async () => {},
  text: async () => undefined,
  lastLive: async () => undefined,
  retire: async () => {},
};
