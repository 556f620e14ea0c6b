import { builtEditor } from '../../../base/files/built-editor.ts';
import { type DiskSpace, diskSpace } from '../../../base/files/disk-usage.ts';

/** One line of `weft doctor`. */
export interface Finding {
  readonly about: string;
  /** `error`: the server does not start, or does not do what the settings ask for. */
  readonly state: 'ok' | 'note' | 'warning' | 'error';
  readonly says: string;
  /** What to do. */
  readonly todo?: string;
}

/** What the checks ask of the machine; tests answer for it. */
export interface Machine {
  /** Unix milliseconds. */
  now(): number;
  /** The disk of a folder. */
  space(folder: string): Promise<DiskSpace>;
  /** The folder of the built editor. */
  readonly editor: string;
}

export const thisMachine: Machine = {
  now: Date.now,
  space: diskSpace,
  editor: builtEditor,
};
