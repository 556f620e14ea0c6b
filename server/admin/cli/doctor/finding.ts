import { builtEditor } from '../../../base/files/built-editor.ts';
import { type DiskSpace, diskSpace } from '../../../base/files/disk-usage.ts';

/** One line of `weft doctor`. */
export interface Finding {
  readonly about: string;
  /** `error`: the server does not start, or does not fulfil the settings. */
  readonly state: 'ok' | 'note' | 'warning' | 'error';
  readonly says: string;
  /** The remedy. */
  readonly todo?: string;
}

/** The machine as the checks see it; tests replace it. */
export interface Machine {
  /** Unix milliseconds. */
  now(): number;
  /** The disk of a folder. */
  space(folder: string): Promise<DiskSpace>;
  /** The environment of the process, which Node itself reads too. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the built editor. */
  readonly editor: string;
}

export const thisMachine: Machine = {
  now: Date.now,
  space: diskSpace,
  env: process.env,
  editor: builtEditor,
};
