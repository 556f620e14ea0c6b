import { isCode, newEntry, type StoredDraft } from './entry.ts';
import { examineFile } from './examine-file.ts';
import type { Examinations } from './examinations.ts';
import type { FlowIndex } from './flow-index.ts';
import type { FlowStore } from './flow-store.ts';

export interface LoadDeps {
  readonly index: FlowIndex;
  readonly store: Pick<FlowStore, 'drafts' | 'versions' | 'at'>;
  readonly examinations: Pick<Examinations, 'now' | 'examine'>;
}

/** Reads all flows for the first time: the files serve; if a file cannot, the version that served last does. */
export async function loadFlows(deps: LoadDeps): Promise<void> {
  deps.index.load();
  await loadDrafts(deps);
  await serveKeptVersions(deps);
}

async function loadDrafts({ index, store: { drafts }, examinations }: LoadDeps): Promise<void> {
  for (const { id, content, writers, base } of drafts.all()) {
    const entry = index.entries.get(id) ?? newEntry(id);
    if (isCode(entry)) continue;
    const examined = examineFile(examinations.now, { id, shown: `${id}.json` }, content);
    // A leftover if the server was killed between writing the file and removing the draft.
    if (entry.file && entry.file.examined.text === examined.text) {
      await drafts.remove(id).catch(() => undefined);
      continue;
    }
    entry.draft = { hash: content.hash, modifiedAt: content.modifiedAt, examined, writers, base };
    index.adopt(entry);
  }
}

/** Reads the stored drafts of these flows again. Before their files, which may be gone. */
export async function takeDrafts(
  { index, store: { drafts, at }, examinations }: LoadDeps,
  paths: readonly string[],
): Promise<void> {
  const stored = new Map(drafts.all().map((draft) => [draft.id, draft]));
  for (const path of paths) {
    const id = at(path)?.id;
    if (id === undefined) continue;
    const entry = index.entries.get(id) ?? newEntry(id);
    const draft = stored.get(id);
    if (draft === undefined) entry.draft = undefined;
    else if (!isCode(entry) && !isKnown(entry.draft, draft)) {
      const { content, writers, base } = draft;
      const examined = await examineFile(
        (of, source) => examinations.examine(of, source),
        { id, shown: `${id}.json` },
        content,
      );
      entry.draft = { hash: content.hash, modifiedAt: content.modifiedAt, examined, writers, base };
      index.adopt(entry);
    }
  }
}

/** Whether text and note are those of the stored draft: another server may have changed only what the draft contains. */
function isKnown(
  known: StoredDraft | undefined,
  { content, base }: ReturnType<LoadDeps['store']['drafts']['all']>[number],
): boolean {
  return known?.hash === content.hash && known.base === base;
}

/** Runs after all files, so that a current file wins over an old version if both want the same path. */
async function serveKeptVersions({ index, store, examinations }: LoadDeps): Promise<void> {
  const { versions } = store;
  for (const entry of index.entries.values()) {
    if (!entry.file || entry.serving) continue;
    const version = await versions.lastLive(entry.id);
    const text = version && (await versions.text(entry.id, version));
    if (text) index.serveKept(entry, examinations.now(entry.id, text));
  }
}
