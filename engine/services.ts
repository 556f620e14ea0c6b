/**
 * What operators with effects may ask of the outside beyond time and chance. Each service is an interface that the server
 * (or a test, or a replay) implements; a host may lack any of them. Pure operators never use one.
 */
export interface Services {
  readonly http?: HttpService;
  readonly secrets?: SecretService;
  readonly state?: StateService;
  readonly flows?: SubFlowService;
  readonly code?: CodeService;
}

/** Who asks: for grants, logs and recordings. */
export interface Asker {
  readonly flow: string;
  readonly version: string;
  readonly run: string;
  readonly node: string;
  /** The operator's type, such as `http.request`. */
  readonly operator: string;
}

// ----------------------------------------------------------------------------------------------------------- http

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
  /** Most redirects to follow; 0 gives the redirect itself. */
  readonly redirects: number;
  /** From sending to the last byte, in milliseconds. */
  readonly timeoutMs: number;
  /** Largest answer, in bytes after decompression. */
  readonly maxBytes: number;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; several values of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where the answer came from, after redirects. */
  readonly url: string;
  /** Read once; leaving it early ends the connection. Throws like `send`. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface HttpService {
  /**
   * Sends one request through the guarded client; any status is an answer. Throws `outbound_refused` (where it may not go),
   * `outbound_failed` (no connection, broken answer; worth a retry), `outbound_timeout`, `value_too_large`.
   */
  send(request: HttpRequest, by: Asker, signal: AbortSignal): Promise<HttpResponse>;
}

// -------------------------------------------------------------------------------------------------------- secrets

export interface SecretService {
  /**
   * The value of a secret for one use. `host` is where it will be sent, where that is known. Throws `secret_unknown`,
   * `secret_not_granted`.
   */
  reveal(name: string, by: Asker, host?: string): Promise<string>;
}

// ---------------------------------------------------------------------------------------------------------- state

/** Values that outlive a run, by flow and key. */
export interface StateService {
  /** Undefined where there is none. */
  get(flow: string, key: string): Promise<unknown>;
  /** Stores, or with `undefined` removes; with `ttlMs` it is gone after that time. */
  set(flow: string, key: string, value: unknown, options?: { readonly ttlMs?: number }): Promise<void>;
  /** Adds to a number in one step and gives the new one; a missing one counts as 0. Throws `bad_state` on other values. */
  add(flow: string, key: string, by: number): Promise<number>;
}

// ------------------------------------------------------------------------------------------------------ sub-flows

export interface SubFlowCall {
  readonly flow: string;
  /** The trigger node to start from; the only one where it is left out. */
  readonly trigger?: string;
  readonly input: unknown;
  /** Stable over attempts and restarts: the asking node's idempotency key and, in a loop, the item's index. */
  readonly key: string;
}

export interface SubFlowService {
  /**
   * Runs another live flow as a part of the asking run and gives its result, which may be a stream. Throws what the run failed
   * with, `flow_not_found`, `sub_flow_depth` (16).
   */
  run(call: SubFlowCall, by: Asker, signal: AbortSignal): Promise<unknown>;
}

// ----------------------------------------------------------------------------------------------------------- code

/** A code node's source, prepared when its flow is compiled. */
export interface CodeUnit {
  readonly flow: string;
  /** Version of the flow: each has an isolate of its own. */
  readonly version: string;
  readonly node: string;
  readonly source: string;
  readonly language: 'javascript' | 'typescript';
  /** Date and Math.random are taken away. */
  readonly pure: boolean;
}

export interface CodeCall {
  readonly unit: CodeUnit;
  /** What the code sees: JSON values only. */
  readonly input: unknown;
  readonly context: {
    readonly trigger: unknown;
    readonly vars: unknown;
    readonly item?: unknown;
    readonly index?: number;
    readonly attempt: number;
    readonly idempotencyKey: string;
  };
  log(level: 'debug' | 'info' | 'warn' | 'error', text: string, data?: unknown): void;
}

export interface CodeService {
  /** Runs it in the sandbox. Throws the code's own error with line and column, or `code_timeout`, `code_memory`, `code_crashed`, … */
  run(call: CodeCall, by: Asker, signal: AbortSignal): Promise<unknown>;
  /** The same for a generator body: items on demand. `input` may be a stream. */
  stream(call: CodeCall, by: Asker, signal: AbortSignal): AsyncIterable<unknown>;
}
