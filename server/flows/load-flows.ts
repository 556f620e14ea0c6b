import type { DraftStore } from './drafts.ts';
import { isCode, newEntry } from './entry.ts';
import { examineFile } from './examine-file.ts';
import type { Examine } from './examine.ts';
import type { FlowIndex } from './flow-index.ts';
import type { VersionStore } from './versions.ts';

export interface LoadParts {
  readonly index: FlowIndex;
  readonly drafts: DraftStore;
  readonly versions: Pick<VersionStore, 'lastLive' | 'text'>;
  readonly examine: Examine;
}

/** Reads all flows for the first time: the files serve; where a file cannot, the version that served last does. */
export async function loadFlows(parts: LoadParts): Promise<void> {
  parts.index.load();
  await loadDrafts(parts);
  await serveKeptVersions(parts);
}

async function loadDrafts({ index, drafts, examine }: LoadParts): Promise<void> {
  for (const { id, content, writers } of drafts.all()) {
    const entry = index.entries.get(id) ?? newEntry(id);
    if (isCode(entry)) continue;
    const examined = examineFile(examine, { id, shown: `${id}.json` }, content);
    // What is left when the server was killed between writing the file and removing the draft.
    if (entry.file && entry.file.examined.text === examined.text) {
      await drafts.remove(id).catch(() => undefined);
      continue;
    }
    entry.draft = { hash: content.hash, modifiedAt: content.modifiedAt, examined, writers };
    index.adopt(entry);
  }
}

/** After all files, so that a file of today comes before a version of yesterday where both want the same path. */
async function serveKeptVersions({ index, versions, examine }: LoadParts): Promise<void> {
  for (const entry of index.entries.values()) {
    if (!entry.file || entry.serving) continue;
    const version = await versions.lastLive(entry.id);
    const text = version && (await versions.text(entry.id, version));
    if (text) index.serveKept(entry, examine(entry.id, text));
  }
}
