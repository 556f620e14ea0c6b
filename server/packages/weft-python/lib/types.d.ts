import type { z } from 'zod';

/** What an operator's file gets from Weft, as far as it is used here. */
export interface Kit {
  readonly z: typeof z;
  readonly WeftError: new (
    code: string,
    message: string,
    more?: { field?: string; data?: unknown; transient?: boolean },
  ) => Error & { readonly code: string };
}

interface Asker {
  readonly flow: string;
  readonly isDraft?: boolean;
}

type Bytes = AsyncIterable<Uint8Array>;

interface Services {
  readonly http: {
    send(
      request: object,
      by: Asker,
      signal: AbortSignal,
    ): Promise<{ status: number; url: string; headers: Readonly<Record<string, string>>; body: Bytes }>;
  };
  readonly secrets: { reveal(name: string, by: Asker): Promise<string> };
  readonly files: {
    find(value: unknown, by: Asker): Promise<{ readonly bytes: number } | undefined>;
    open(value: unknown, by: Asker, range?: object): Promise<{ readonly content: Bytes }>;
    create(file: object, by: Asker, signal: AbortSignal): Promise<unknown>;
  };
  readonly state: {
    get(scope: string, key: string, by: Asker): Promise<unknown>;
    set(scope: string, key: string, value: unknown, options: object): Promise<void>;
    add(scope: string, key: string, by: number, options: object): Promise<number>;
  };
}

/** The call of a node, as Weft gives it to an operator. */
export interface PythonCall {
  readonly params: {
    readonly source: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly maxMs: number;
  };
  readonly input: unknown;
  readonly trigger: unknown;
  readonly vars: unknown;
  readonly item: unknown;
  readonly index: number | undefined;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly node: string;
  readonly asker: Asker;
  readonly signal: AbortSignal;
  log(level: 'debug' | 'info' | 'warn' | 'error', text: string): void;
  sleep(ms: number): Promise<void>;
  service<N extends keyof Services>(name: N): Services[N];
}
