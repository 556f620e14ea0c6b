import type { AnswerSettings, ChatInput, ChatItem, ChatMessage, TokenUsage } from '#shared/chat-item.ts';
import type { LogLevel } from '#shared/run-event.ts';

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
  readonly models?: ModelService;
  readonly agents?: AgentService;
  readonly waits?: WaitLinkService;
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
  /** Names of headers that carry a secret: they stay with the origin of `url` when it redirects elsewhere. */
  readonly secretHeaders?: readonly string[];
  readonly body: string | Uint8Array | undefined;
  /** Most redirects to follow; 0 gives the redirect itself. */
  readonly redirects: number;
  /** The answer is read piece by piece, for as long as that takes: its connection is not counted among those of short calls. */
  readonly streams?: boolean;
  /** From the call to the last byte, in milliseconds; waiting for a connection counts. */
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
   * Sends one request through the guarded client; any status is an answer. Throws `outbound_invalid` (address, method or header
   * not well formed), `outbound_refused` (where it may not go), `outbound_failed` (no connection, broken answer; worth a retry),
   * `outbound_timeout`, `outbound_busy` (too many wait for a connection), `value_too_large`.
   */
  send(request: HttpRequest, by: Asker, signal: AbortSignal): Promise<HttpResponse>;
}

// -------------------------------------------------------------------------------------------------------- secrets

export interface SecretService {
  /**
   * The value of a secret for one use. `url` is where it will be sent; left out where that is not known, as in code. Throws
   * `secret_unknown`, `secret_not_granted`, `secret_draft`, `outbound_invalid` (a bad url).
   */
  reveal(name: string, by: Asker, url?: string): Promise<string>;
}

// ---------------------------------------------------------------------------------------------------------- state

/** Values that outlive a run, by scope and key. A scope is a flow's id, or `*` for what all flows share. */
export interface StateService {
  /** Undefined where there is none. */
  get(scope: string, key: string): Promise<unknown>;
  /**
   * Stores JSON, or with `undefined` removes; with `ttlMs` it is gone after that time. Throws `value_too_large` (1 MB),
   * `not_serialisable`.
   */
  set(scope: string, key: string, value: unknown, options?: { readonly ttlMs?: number }): Promise<void>;
  /**
   * Adds to a number in one step and gives the new one; a missing one counts as 0 and lives for `ttlMs`. A second call with
   * the same `once` within a day adds nothing and gives what the first one gave. Throws `bad_state` on other values.
   */
  add(
    scope: string,
    key: string,
    by: number,
    options?: { readonly ttlMs?: number; readonly once?: string },
  ): Promise<number>;
}

// ------------------------------------------------------------------------------------------------------ sub-flows

export interface SubFlowCall {
  readonly flow: string;
  /** The trigger node to start from; the only one where it is left out. */
  readonly trigger?: string | undefined;
  readonly input: unknown;
  /** Stable over attempts and restarts: the asking node's idempotency key and, in a loop, the item's index. */
  readonly key: string;
  /** Limit of this run in milliseconds, besides the one of its flow. */
  readonly timeoutMs?: number | undefined;
}

export interface SubFlowService {
  /**
   * Runs another live flow as a part of the asking run and gives its result, which may be a stream (an `AsyncIterable`); null
   * where it has none. Where that run ends in the same turn the result comes at once, else as a promise, so that a loop over
   * quick flows costs no promises. Throws, or rejects with, what the run failed with, `sub_flow_missing`, `sub_flow_trigger`,
   * `sub_flow_depth` (16), `bad_input` (what its trigger refuses), `sub_flow_refused` (it answered with an error status).
   */
  run(call: SubFlowCall, by: Asker, signal: AbortSignal): unknown;
}

// ----------------------------------------------------------------------------------------------------------- code

/** The code of a node, as its params hold it. */
export interface CodeSource {
  readonly source: string;
  readonly language: 'javascript' | 'typescript';
  /** The clock, chance and the outside are taken away. */
  readonly pure: boolean;
  /** Longest time it may compute at a stretch, in milliseconds. */
  readonly cpuMs: number;
  /** Longest time of a call in all, in milliseconds; streams have none. */
  readonly maxMs?: number;
}

export interface CodeCall {
  /** Read once for each object: a step hands over the same one every time. */
  readonly code: CodeSource;
  /** JSON, which is copied. For a generator also a stream of it. */
  readonly input: unknown;
  /** The call of the node; of what the code may see, only what it uses is read. */
  readonly context: {
    readonly trigger: unknown;
    readonly vars: unknown;
    readonly item: unknown;
    readonly index: number | undefined;
    readonly attempt: number;
    readonly idempotencyKey: string;
    readonly asker: Asker;
    readonly signal: AbortSignal;
    log(level: LogLevel, text: string): void;
  };
  /** In the test of a flow: the Unix time in milliseconds that the code sees, and the seed of its random numbers. */
  readonly simulated?: { readonly now: number; readonly seed: number };
}

export interface CodeService {
  /**
   * Runs a function in the sandbox and gives a copy of its result; `undefined` becomes null. Throws `code_failed` (what the code
   * threw, with line and column), `code_invalid`, `code_timeout`, `code_memory`, `code_crashed`, `code_unavailable`,
   * `value_too_large`, `not_serialisable`, or what it was refused by `ctx.fetch` and `ctx.secret`.
   */
  run(call: CodeCall): Promise<unknown>;
  /** The same for a generator: items on demand. */
  stream(call: CodeCall): AsyncIterable<unknown>;
}

// --------------------------------------------------------------------------------------------------------- models

/** A tool that a model may call. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict?: boolean | undefined;
}

/** With the settings of `AnswerSettings`; a provider that does not know one of them answers without it. */
export interface ModelCall extends Settings {
  /** `<provider>/<model>`, a model's own name where only one provider has it, or undefined for the server's default. */
  readonly model: string | undefined;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ModelTool[] | undefined;
  /** `required`: it must call one. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | undefined;
}

type Settings = { readonly [K in keyof AnswerSettings]?: AnswerSettings[K] | undefined };

export interface ModelService {
  /**
   * Asks a model. Items come as the provider sends them, the last one is `finish`; leaving early, or `signal`, ends the call down
   * to the socket. Throws `model_not_found` before the first item, and at any time `model_rate_limited`, `model_unavailable`,
   * `model_timeout` (worth a retry), `model_refused` (the key), `model_bad_request` (what the provider says of the request),
   * `setting_unsupported` and `input_unsupported` (what the model cannot do or take), `model_bad_answer`.
   */
  chat(call: ModelCall, by: Asker, signal: AbortSignal): AsyncIterable<ChatItem>;
  /** One vector a text, in order. Throws as `chat` does; `setting_unsupported` where vectors cannot have so many `dimensions`. */
  embed(
    call: {
      readonly model: string | undefined;
      readonly texts: readonly string[];
      readonly dimensions?: number | undefined;
    },
    by: Asker,
    signal: AbortSignal,
  ): Promise<{ readonly vectors: readonly (readonly number[])[]; readonly usage: TokenUsage }>;
}

// --------------------------------------------------------------------------------------------------------- agents

/** Something that an agent may use, as apps and params name it. */
export interface AgentResource {
  /** `flow` (also `awel_flow`), `http`, or `mcp` (also `tool`); what is of another kind is told in the run's log. */
  readonly type: string;
  readonly name: string;
  /** A flow's id, an address, or an object with more; an object may come as its JSON text. */
  readonly value: unknown;
}

/** An agent that belongs to no app. */
export interface InlineAgent {
  readonly name: string;
  readonly prompt: string;
  /** As in `ModelCall`. */
  readonly model: string | undefined;
  readonly tools: readonly AgentResource[];
}

/** Most that one answer may use; for what is left out the server has a limit. */
export interface AgentBudget {
  readonly tokens?: number | undefined;
  /** In the currency of the prices of the models; those without a price cost nothing. */
  readonly cost?: number | undefined;
  /** Calls of models. */
  readonly steps?: number | undefined;
  readonly timeMs?: number | undefined;
}

export interface AgentCall {
  /** Who answers: the team of an app, by its `app_code`, or one agent. */
  readonly who: string | InlineAgent;
  readonly input: ChatInput;
  readonly budget: AgentBudget;
  /** What the idempotency keys of its effects begin with: the same for each attempt. */
  readonly key: string;
  /** Where it tells of its steps: calls of models and tools, plans. */
  log(level: LogLevel, text: string, data?: unknown): void;
}

export interface AgentService {
  /**
   * Lets an agent or an app's team answer. Items come as they happen, the only `finish` is the last one and counts all tokens.
   * Throws `app_not_found`, `agent_budget` (tokens, money, steps or time are used up; `data.partial` is the text so far),
   * `agent_failed`, and what models throw. Leaving early, or `signal`, ends all its calls of models, tools and flows.
   */
  run(call: AgentCall, by: Asker, signal: AbortSignal): AsyncIterable<ChatItem>;
}

// ---------------------------------------------------------------------------------------------------------- waits

export interface WaitLinkService {
  /** The address by which somebody without a login decides what this node of the asking run asks, now or later. */
  linkTo(node: string, by: Asker): string;
}
