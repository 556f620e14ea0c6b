import type { Entry } from './entry.ts';
import type { FlowStore, StagedText } from './flow-store.ts';
import type { FlowText } from './judge-text.ts';
import { discardVersion, type StagedVersion } from './versions.ts';

/** The files of a text that goes live, written beside their targets while the text is still being checked. */
export interface StagedSave {
  readonly text: string;
  readonly file: StagedText;
  readonly version: StagedVersion;
}

/** Undefined if nothing would be written, and for the first text of a flow, which may never go live. */
export function stageSave(
  store: Pick<FlowStore, 'stage' | 'versions'>,
  { id, file, files: [place] }: Entry,
  { canonical: text, version }: Pick<FlowText, 'canonical' | 'version'>,
): StagedSave | undefined {
  if (!file || !place || file.examined.source === text) return undefined;
  return {
    text,
    file: store.stage(place.path, text),
    version: store.versions.stage(id, { version, text }),
  };
}

/** Removes the files that were not put in place. Never throws. */
export async function discardSave(staged: StagedSave | undefined): Promise<void> {
  if (staged) await Promise.all([staged.file.discard(), discardVersion(staged.version)]);
}
