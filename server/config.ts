/** Settings of the server, read once (see `readConfig`). */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Folders with flow files, searched with their sub-folders; the first one takes new flows. Absolute. */
  readonly flows: readonly string[];
  readonly operators: string;
  readonly data: string;
  readonly apiKeys: readonly string[];
  readonly adminPassword: string | undefined;
  readonly editor: 'on' | 'off';
  readonly deploy: 'on-save' | 'manual';
  readonly publicUrl: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly trustProxy: boolean;
  readonly corsOrigins: readonly string[];
  readonly logLevel: 'silent' | 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';
  readonly logFormat: 'json' | 'pretty';
  /** Bytes. */
  readonly bodyLimit: number;
  /** Runs at once before new ones are refused with `overloaded`. */
  readonly maxRuns: number;
  /** How long SIGTERM waits for runs in progress, in milliseconds. */
  readonly graceMs: number;
}
