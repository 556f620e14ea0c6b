import type { z } from 'zod';
import type { Config, ConfigSource } from './config.ts';
import type { Kind } from './config-kinds.ts';

/** One row of the table of settings: everything that reading, `--help` and the docs need to know. */
export interface Setting<K extends keyof Config = keyof Config> {
  /** Its name in `weft.config.json`. */
  readonly name: K;
  readonly env: string;
  readonly doc: string;
  /** What a value must be, to follow the setting's name: "must be …". */
  readonly expects: string;
  /** The default as a reader sees it. */
  readonly shown: string;
  /** Reads a text from the environment or a JSON value from the file. */
  readonly schema: z.ZodType<Config[K]>;
  readonly fallback: (source: ConfigSource) => Config[K];
  /** Its value never appears in a message. */
  readonly secret?: boolean;
}

/** Checks a row against its own field of the settings. */
export function setting<K extends keyof Config>(
  row: Omit<Setting<K>, 'schema' | 'expects' | 'fallback'> &
    Kind<Config[K]> & { fallback: Setting<K>['fallback'] | Config[K] },
): Setting {
  const { fallback } = row;
  const full = { ...row, fallback: typeof fallback === 'function' ? fallback : () => fallback };
  // Each row is checked against its own field here; the table only needs their common form.
  return full as unknown as Setting;
}
