import { join } from 'node:path';
import { formatLayout } from '#engine/check';
import { ID_PATTERN } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import type { Problem } from '#shared/problem.ts';
import type { TriggerTable } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { writeFileAtomic } from './atomic-file.ts';
import { contentHash } from './content-hash.ts';
import { type DraftStore, draftPath } from './drafts.ts';
import { edited, type Entry, newEntry, revisionOf } from './entry.ts';
import { compiledNow, type Examine, type Examined, hasErrors } from './examine.ts';
import { flowFileAt, layoutPath, readFlowFile, writeTarget } from './flow-files.ts';
import type { FlowIndex } from './flow-index.ts';
import type { Trash } from './trash.ts';
import type { Origin, VersionKeeper } from './version-keeper.ts';
import type { VersionStore } from './versions.ts';

/**
 * What changes flows. Each of these runs alone (the service queues them) and begins by looking at the disk, so that a change
 * from outside is seen before it is written over. What this file keeps:
 * 1. A file is only written over in the state that the caller's revision stands for.
 * 2. A file that goes live is written first; only when that went well does it serve.
 */
export interface FlowWrites {
  save(id: string, text: string, options: SaveOptions): Promise<Entry>;
  publish(id: string, options: { revision: string; author: string; label?: string }): Promise<Entry>;
  restore(id: string, version: string, options: { revision: string; author: string }): Promise<Entry>;
  discardDraft(id: string, options: { revision: string }): Promise<Entry>;
  remove(id: string, options: { revision: string }): Promise<void>;
  saveLayout(id: string, layout: Layout): Promise<void>;
}

interface SaveOptions {
  readonly revision: string | undefined;
  readonly author: string;
  readonly draftOnly?: boolean;
}

export interface FlowWritesParts {
  /** The folder that takes new flows. */
  readonly home: string;
  readonly deploy: 'on-save' | 'manual';
  readonly index: FlowIndex;
  readonly drafts: DraftStore;
  readonly versions: Pick<VersionStore, 'text'>;
  readonly keeper: VersionKeeper;
  readonly trash: Trash;
  readonly triggers: Pick<TriggerTable, 'conflict'>;
  readonly examine: Examine;
  readonly now: () => number;
}

export function createFlowWrites(parts: FlowWritesParts): FlowWrites {
  const { index, drafts, versions, keeper, examine } = parts;

  /** The flow as the disk has it now, if it is in the state that the caller knows. */
  async function open(id: string, revision: string): Promise<Entry> {
    const entry = await current(id);
    if (!entry) throw new ServiceError('flow_not_found', `There is no flow ${id}.`);
    const now = revisionOf(entry);
    if (now !== revision) throw revisionConflict(id, now);
    return entry;
  }

  async function current(id: string): Promise<Entry | undefined> {
    if (!ID_PATTERN.test(id) && !index.entries.has(id)) return undefined;
    const known = index.entries.get(id);
    const paths = known ? known.files.map((file) => file.path) : [];
    await keeper.settled(await index.refresh([...paths, homePath(id)]));
    return index.entries.get(id);
  }

  function homePath(id: string): string {
    return join(parts.home, `${id}.json`);
  }

  /** Writes the file, serves it, keeps the version. */
  async function goLive(entry: Entry, examined: Examined, origin: Origin): Promise<void> {
    assertFit(entry.id, examined);
    const path = entry.files[0]?.path ?? homePath(entry.id);
    if (entry.file?.examined.source !== examined.text) await writeFlow(entry, path, examined);
    const { live, gone } = index.settle([entry]);
    await keeper.settled({ live: live.filter((other) => other !== entry), gone });
    if (live.includes(entry) || origin.label !== undefined) await keeper.keep(entry, origin);
  }

  function assertFit(id: string, examined: Examined): void {
    const errors = examined.problems.filter((p) => p.severity === 'error');
    if (errors.length === 0) return;
    const isOnlyTaken = examined.runnable && errors.every((p) => p.code === 'duplicate-path');
    throw new ServiceError(
      isOnlyTaken ? 'publish_conflict' : 'flow_invalid',
      isOnlyTaken
        ? takenMessage(parts.triggers, id, examined, errors)
        : `Flow ${id} has ${errors.length} error(s); it was not put live.`,
      { detail: examined.problems },
    );
  }

  async function writeFlow(entry: Entry, path: string, examined: Examined): Promise<void> {
    const before = entry.file?.hash;
    const guard = () => {
      // Looked at again in the turn of the rename: someone may have saved the file while ours was being written.
      if (readFlowFile(path)?.hash !== before) throw revisionConflict(entry.id, undefined);
    };
    await writeFileAtomic(writeTarget(path), examined.text, { guard });
    const file = flowFileAt([parts.home], path);
    if (entry.files.length === 0 && file) entry.files = [file];
    const hash = contentHash(examined.text);
    entry.file = { hash, modifiedAt: parts.now(), examined: { ...examined, source: examined.text } };
    index.adopt(entry);
  }

  /** What could not or should not go live yet. A draft that says the same as the file is none. */
  async function keepDraft(entry: Entry, examined: Examined): Promise<void> {
    const { text } = examined;
    if (entry.file && (text === entry.file.examined.text || text === entry.file.examined.source))
      return dropDraft(entry);
    entry.draft = { ...(await drafts.write(entry.id, text)), examined: { ...examined, source: text } };
    index.adopt(entry);
  }

  async function dropDraft(entry: Entry): Promise<void> {
    if (entry.draft) await drafts.remove(entry.id);
    entry.draft = undefined;
  }

  return {
    async save(id, text, { revision, author, draftOnly }) {
      assertId(id);
      const found = await current(id);
      if (found && revision === undefined) throw new ServiceError('conflict', `A flow ${id} exists already.`);
      const entry = revision === undefined ? newEntry(id) : await open(id, revision);
      const examined = compiledNow(examine(id, text));
      if (draftOnly || parts.deploy === 'manual' || hasErrors(examined.problems)) {
        await keepDraft(entry, examined);
      } else {
        await goLive(entry, examined, { author });
        await dropDraft(entry);
      }
      return entry;
    },

    async publish(id, { revision, author, label }) {
      const entry = await open(id, revision);
      const content = edited(entry);
      if (content) await goLive(entry, compiledNow(examine(id, content.examined.source)), { author, label });
      await dropDraft(entry);
      return entry;
    },

    async restore(id, version, { revision, author }) {
      const entry = await open(id, revision);
      const text = await versions.text(id, version);
      if (text === undefined)
        throw new ServiceError('version_not_found', `Flow ${id} has no version ${version}.`);
      await goLive(entry, compiledNow(examine(id, text)), { author });
      return entry;
    },

    async discardDraft(id, { revision }) {
      const entry = await open(id, revision);
      if (!entry.file) throw new ServiceError('conflict', `Flow ${id} is only a draft; remove it instead.`);
      await dropDraft(entry);
      return entry;
    },

    async remove(id, { revision }) {
      const entry = await open(id, revision);
      const path = entry.files[0]?.path ?? homePath(id);
      const files = [
        { path, name: `${id}.json` },
        { path: draftPath(parts.home, id), name: `${id}.draft.json` },
        { path: layoutPath(path), name: `${id}.layout.json` },
      ];
      await parts.trash.take(files, parts.now());
      entry.draft = undefined;
      await keeper.settled(await index.refresh([path]));
    },

    async saveLayout(id, layout) {
      const entry = index.entries.get(id);
      if (!entry) throw new ServiceError('flow_not_found', `There is no flow ${id}.`);
      const path = layoutPath(entry.files[0]?.path ?? homePath(id));
      await writeFileAtomic(writeTarget(path), formatLayout(layout));
    },
  };
}

function assertId(id: string): void {
  if (ID_PATTERN.test(id)) return;
  throw new ServiceError(
    'invalid_request',
    'The id of a flow is a lower-case letter, then a-z, 0-9 and _ (at most 64).',
    {
      param: 'id',
    },
  );
}

function revisionConflict(id: string, current: string | undefined): ServiceError {
  return new ServiceError('revision_conflict', `Flow ${id} was changed since you read it.`, {
    param: 'revision',
    ...(current !== undefined && {
      detail: [
        {
          type: 'revision_conflict',
          loc: ['body', 'revision'],
          msg: 'It is now this one.',
          revision: current,
        },
      ],
    }),
  });
}

/** Names both flows and what they both want. */
function takenMessage(
  table: Pick<TriggerTable, 'conflict'>,
  id: string,
  examined: Examined,
  errors: readonly Problem[],
): string {
  const routes = examined.triggers.flatMap(({ path, methods }) =>
    path && methods ? [{ path, methods }] : [],
  );
  const taken = table.conflict(id, routes);
  if (!taken) return errors.map((p) => p.message).join(' ');
  return `Flow ${id} cannot go live: ${taken.method} ${taken.path} is served by flow ${taken.flow} already.`;
}
