import type { DeletedFlow } from '#shared/api.ts';
import type { Actor } from '#shared/audit.ts';
import { ID_PATTERN } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { edited, type Entry, isCode, newEntry, revisionConflict, revisionOf } from './entry.ts';
import type { Examinations, OnRead } from './examinations.ts';
import type { Examined } from './examine.ts';
import type { FlowStore } from './flow-store.ts';
import type { SaveOptions } from './flow-types.ts';
import { hasErrors } from './judge-text.ts';
import { type GoLiveDeps, goLive } from './go-live.ts';
import type { LargeJson } from './large-json.ts';
import { discardSave, type StagedSave, stageSave } from './staged-save.ts';

/**
 * The changes of flows. Each one runs alone (the service queues them) and starts by looking at the disk, so that a
 * change from outside is noticed before it is overwritten. Invariants of this file:
 * 1. A file is overwritten only in the state that the caller's revision identifies.
 * 2. A file that goes live is written first, and serves only if the write succeeded.
 */
export interface FlowWrites {
  save(id: string, text: string, options: SaveOptions): Promise<Entry>;
  publish(id: string, options: { revision: string; actor: Actor; label?: string }): Promise<Entry>;
  restore(id: string, version: string, options: { revision: string; actor: Actor }): Promise<Entry>;
  label(id: string, version: string, wish: { label: string; actor: Actor }): Promise<void>;
  discardDraft(id: string, options: { revision: string }): Promise<Entry>;
  remove(id: string, options: { revision: string; actor?: Actor }): Promise<void>;
  /** Makes a deleted flow a draft again, under its id. */
  undelete(which: DeletedFlow, options: { actor: Actor }): Promise<Entry>;
  dropDeleted(which: DeletedFlow): Promise<void>;
  saveLayout(id: string, layout: Layout): Promise<void>;
}

export interface FlowWritesDeps extends GoLiveDeps {
  readonly deploy: 'on-save' | 'manual';
  readonly examinations: Examinations;
  readonly largeJson: LargeJson;
}

export function createFlowWrites(deps: FlowWritesDeps): FlowWrites {
  const { index, examinations } = deps;
  const { drafts, versions } = deps.store;
  const examine = (entry: Entry, text: string) => examineWritten(examinations, entry, text);

  return {
    async save(id, text, { revision, actor, mode, base }) {
      assertId(id);
      const entry = revision === undefined ? await openNew(deps, id) : await open(deps, id, revision);
      const isDraft = mode === 'draft' || (mode === undefined && deps.deploy === 'manual');
      if (isDraft) await keepDraft(deps, entry, await examine(entry, text), { actor, base });
      else await saveLive(deps, entry, text, { actor, orDraft: mode === undefined });
      return entry;
    },
    async publish(id, { revision, actor, label }) {
      const entry = await open(deps, id, revision);
      const content = edited(entry);
      assertContainsFile(entry);
      if (content) await goLive(deps, entry, await examine(entry, content.examined.source), { actor, label });
      await dropDraft(drafts, entry);
      return entry;
    },
    async restore(id, version, { revision, actor }) {
      const entry = await open(deps, id, revision);
      const examined = await examine(entry, await versionText(versions, id, version));
      await goLive(deps, entry, examined, { actor });
      return entry;
    },
    async label(id, version, wish) {
      await versionText(versions, id, version);
      try {
        await versions.label(id, version, wish);
      } catch {
        throw new ServiceError('storage_failed', 'The label could not be written to the data folder.');
      }
    },
    async discardDraft(id, { revision }) {
      const entry = await open(deps, id, revision);
      if (!entry.file) throw new ServiceError('conflict', `Flow ${id} is only a draft; remove it instead.`);
      await dropDraft(drafts, entry);
      return entry;
    },
    remove: async (id, { revision, actor }) => takeAway(deps, await open(deps, id, revision), actor),
    undelete: (which, { actor }) => undelete(deps, which, actor),
    async dropDeleted(which) {
      if ((await deps.store.deleted?.drop(which)) !== true) throw notDeleted(which);
    },
    async saveLayout(id, layout) {
      const entry = index.entries.get(id) ?? notFound(id);
      assertWritable(entry);
      await deps.store.saveLayout(entry.files[0]?.path ?? deps.store.place(id), layout);
    },
  };
}

/** Under its id, which no other flow may have; the trash keeps it until the draft is written. */
async function undelete(deps: FlowWritesDeps, which: DeletedFlow, actor: Actor): Promise<Entry> {
  const { store, examinations } = deps;
  const found = await store.deleted?.read(which);
  if (found === undefined) throw notDeleted(which);
  const entry = await openNew(deps, which.id);
  await keepDraft(deps, entry, await examineWritten(examinations, entry, found.text), { actor });
  if (found.layout) await store.saveLayout(store.place(which.id), found.layout);
  await store.deleted?.drop(which);
  return entry;
}

const notDeleted = ({ id, at }: DeletedFlow): ServiceError =>
  new ServiceError(
    'flow_not_found',
    `There is no flow ${id} that was deleted at ${new Date(at).toISOString()}.`,
  );

/** Examines the text in the form in which it will be written. */
async function examineWritten(
  examinations: Examinations,
  { id, draft, file }: Entry,
  text: string,
  onRead?: OnRead,
): Promise<Examined> {
  const known = [draft, file].find((stored) => isWritten(stored?.examined, text))?.examined;
  const found = known
    ? examinations.current(id, known)
    : examinations.examine(id, text, { places: 'canonical', onRead });
  return examinations.forServing(await found);
}

/** Puts a text live; with errors it becomes the draft, or is refused. A large text is written, and its answer made, while it is being checked. */
async function saveLive(
  deps: FlowWritesDeps,
  entry: Entry,
  text: string,
  { actor, orDraft }: { readonly actor: Actor; readonly orDraft: boolean },
): Promise<void> {
  let staged: StagedSave | undefined;
  try {
    const examined = await examineWritten(deps.examinations, entry, text, (read) => {
      staged = stageSave(deps.store, entry, read);
      // Once the thread has its input.
      setImmediate(() => deps.largeJson.of({ source: read.canonical, flow: read.flow }));
    });
    if (orDraft && hasErrors(examined.problems)) return await keepDraft(deps, entry, examined, { actor });
    await goLive(deps, entry, examined, { actor, staged });
  } finally {
    await discardSave(staged);
  }
  // Who does not say that it publishes has read the draft, and its text replaces both.
  const isReplaced = orDraft || entry.draft?.examined.version === entry.file?.examined.version;
  if (isReplaced) await dropDraft(deps.store.drafts, entry);
}

/** A change of the file that the draft lacks would be lost. */
function assertContainsFile({ id, file, draft }: Entry): void {
  const found = file?.examined.version;
  if (draft?.base === undefined || found === undefined || draft.base === found) return;
  const wish = `Read its version ${found}, save a draft that contains its changes with \`"base": "${found}"\`, then publish that, or discard the draft.`;
  throw new ServiceError(
    'conflict',
    `Flow ${id} was changed after its draft was begun, and the draft lacks that change. ${wish}`,
    { param: 'base' },
  );
}

/** Whether the examination is of exactly this text, which is written unchanged. */
function isWritten(examined: Examined | undefined, text: string): boolean {
  return examined?.source === text && examined.text === text;
}

/** The flow in its current state on disk, if that is the state that the caller knows. */
async function open(deps: FlowWritesDeps, id: string, revision: string): Promise<Entry> {
  const entry = (await lookAtDisk(deps, id)) ?? notFound(id);
  assertWritable(entry);
  const current = revisionOf(entry);
  if (current !== revision) throw revisionConflict(id, current);
  return entry;
}

async function versionText(versions: FlowStore['versions'], id: string, version: string): Promise<string> {
  const text = await versions.text(id, version);
  if (text !== undefined) return text;
  throw new ServiceError('version_not_found', `Flow ${id} has no version ${version}.`);
}

function assertWritable(entry: Entry): void {
  if (isCode(entry))
    throw new ServiceError(
      'read_only',
      `Flow ${entry.id} is written in code; edit ${entry.files[0]?.shown} and restart the server.`,
    );
}

async function openNew(deps: FlowWritesDeps, id: string): Promise<Entry> {
  if (await lookAtDisk(deps, id)) throw new ServiceError('conflict', `A flow ${id} exists already.`);
  return newEntry(id);
}

async function lookAtDisk({ index, keeper, store }: FlowWritesDeps, id: string): Promise<Entry | undefined> {
  const known = index.entries.get(id);
  if (!known && !ID_PATTERN.test(id)) return undefined;
  const paths = known?.files.map((file) => file.path) ?? [];
  await keeper.settled(await index.refresh([...paths, store.place(id)]));
  return index.entries.get(id);
}

function notFound(id: string): never {
  throw new ServiceError('flow_not_found', `There is no flow ${id}.`);
}

/** Saves a text that cannot or should not go live yet as a draft. A draft equal to the file is removed. */
async function keepDraft(
  { store: { drafts }, index }: FlowWritesDeps,
  entry: Entry,
  examined: Examined,
  { actor, base: given }: Pick<SaveOptions, 'actor' | 'base'>,
): Promise<void> {
  const { text } = examined;
  const base = baseOf(entry, given);
  const saved = entry.file?.examined;
  if (saved && (text === saved.text || text === saved.source)) return dropDraft(drafts, entry);
  const writers = [...new Set(entry.draft?.writers).add(actor.id)];
  const written = await drafts.write(entry.id, text, { writers, base });
  entry.draft = { ...written, writers, base, examined };
  index.adopt(entry);
}

/** The version of the file that a new text of the draft contains. `given`: the one that its writer has merged. */
function baseOf(entry: Entry, given: string | undefined): string | undefined {
  const file = entry.file?.examined.version;
  if (given === undefined) return entry.draft ? entry.draft.base : file;
  if (given !== file && given !== entry.draft?.base) throw revisionConflict(entry.id, revisionOf(entry));
  return given;
}

async function dropDraft(drafts: FlowStore['drafts'], entry: Entry): Promise<void> {
  if (entry.draft) await drafts.remove(entry.id);
  entry.draft = undefined;
}

async function takeAway(
  { store, index, keeper, now }: FlowWritesDeps,
  entry: Entry,
  by: Actor | undefined,
): Promise<void> {
  const { id } = entry;
  const path = entry.files[0]?.path ?? store.place(id);
  await store.remove(id, path, now(), by);
  entry.draft = undefined;
  await keeper.settled(await index.refresh([path]));
}

function assertId(id: string): void {
  if (ID_PATTERN.test(id)) return;
  const message = 'The id of a flow is a lower-case letter, then a-z, 0-9 and _ (at most 64).';
  throw new ServiceError('invalid_request', message, { param: 'id' });
}
