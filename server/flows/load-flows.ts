import type { DraftStore } from './drafts.ts';
import { isCode, newEntry } from './entry.ts';
import { examineFile } from './examine-file.ts';
import type { Examinations } from './examinations.ts';
import type { FlowIndex } from './flow-index.ts';
import type { VersionStore } from './versions.ts';

export interface LoadParts {
  readonly index: FlowIndex;
  readonly drafts: DraftStore;
  readonly versions: Pick<VersionStore, 'lastLive' | 'text'>;
  readonly examinations: Pick<Examinations, 'now'>;
}

/** Reads all flows for the first time: the files serve; if a file cannot, the version that served last does. */
export async function loadFlows(parts: LoadParts): Promise<void> {
  parts.index.load();
  await loadDrafts(parts);
  await serveKeptVersions(parts);
}

async function loadDrafts({ index, drafts, examinations }: LoadParts): Promise<void> {
  for (const { id, content, writers } of drafts.all()) {
    const entry = index.entries.get(id) ?? newEntry(id);
    if (isCode(entry)) continue;
    const examined = examineFile(examinations.now, { id, shown: `${id}.json` }, content);
    // A leftover if the server was killed between writing the file and removing the draft.
    if (entry.file && entry.file.examined.text === examined.text) {
      await drafts.remove(id).catch(() => undefined);
      continue;
    }
    entry.draft = { hash: content.hash, modifiedAt: content.modifiedAt, examined, writers };
    index.adopt(entry);
  }
}

/** Runs after all files, so that a current file wins over an old version if both want the same path. */
async function serveKeptVersions({ index, versions, examinations }: LoadParts): Promise<void> {
  for (const entry of index.entries.values()) {
    if (!entry.file || entry.serving) continue;
    const version = await versions.lastLive(entry.id);
    const text = version && (await versions.text(entry.id, version));
    if (text) index.serveKept(entry, examinations.now(entry.id, text));
  }
}
