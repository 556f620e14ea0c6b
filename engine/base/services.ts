import type { DocumentService } from './document-service.ts';
import type { KnowledgeService } from './knowledge-service.ts';
import type { DataService } from './data-service.ts';
import type { SqlService } from './sql-service.ts';
import type {
  AnswerSettings,
  ChatInput,
  ChatItem,
  ChatMessage,
  FileWay,
  TokenUsage,
} from '#shared/chat-item.ts';
import type { CallRate } from '#shared/rate.ts';
import type { LogLevel } from '#shared/run-event.ts';
import type { FileService, FolderService } from './file-services.ts';
import type { HookService } from './hook-service.ts';
import type { Asker, HttpService } from './http-service.ts';
import type { McpService } from './mcp-service.ts';
import type { PartName, Strand, WaitFor } from './strand.ts';

export type * from './http-service.ts';

/**
 * The services for operators with effects, besides time and randomness. Each service is an interface that the server (or a test,
 * or a replay) implements; a host may lack any of them. Pure operators never use one.
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
  readonly files?: FileService;
  readonly folders?: FolderService;
  readonly rates?: RateService;
  readonly documents?: DocumentService;
  readonly knowledge?: KnowledgeService;
  readonly outputs?: OutputService;
  readonly sql?: SqlService;
  readonly connections?: ConnectionService;
  readonly data?: DataService;
  readonly hooks?: HookService;
  readonly mcp?: McpService;
}

// -------------------------------------------------------------------------------------------------------- secrets

/** Secrets of the vault, for nodes that were granted them. */
export interface SecretService {
  /**
   * The value of a secret for one use. `url` is where it will be sent; left out if that is unknown, as in code. Throws
   * `secret_unknown`, `secret_not_granted`, `secret_draft`, `outbound_invalid` (a bad url).
   */
  reveal(name: string, by: Asker, url?: string): Promise<string>;
}

// ---------------------------------------------------------------------------------------------------------- state

/** Values that outlive a run, by scope and key. A scope is a flow's id, or `*` for values that all flows share. */
export interface StateService {
  /** Undefined if there is none. `by`: the run that gets the files in the value. */
  get(scope: string, key: string, by?: Asker): Promise<unknown>;
  /**
   * Stores JSON, or removes it with `undefined`; with `ttlMs` it expires after that time. The files of the run `by` in it
   * stay as long as the value. Throws `value_too_large` (1 MB), `not_serialisable`.
   */
  set(
    scope: string,
    key: string,
    value: unknown,
    options?: { readonly ttlMs?: number; readonly by?: Asker },
  ): Promise<void>;
  /**
   * Adds to a number in one step and returns the new one; a missing number counts as 0 and lives for `ttlMs`. A second call
   * with the same `once` within a day adds nothing and returns the first result. Throws `bad_state` on other values.
   */
  add(
    scope: string,
    key: string,
    by: number,
    options?: { readonly ttlMs?: number; readonly once?: string },
  ): Promise<number>;
}

// ---------------------------------------------------------------------------------------------------- connections

/** One action of the kind of a connection, such as `get` of `redis`; docs/reference/connections.md lists them. */
export interface ConnectionAsk {
  readonly connection: string;
  /** The kind that the connection must be of. */
  readonly kind: string;
  readonly action: string;
  /** JSON, in the form of the action. */
  readonly given: Readonly<Record<string, unknown>>;
  /** From the call on, including the wait for a session, in milliseconds. */
  readonly timeoutMs: number;
}

/** Connections to what has operators of its own; databases, files and requests have services of their own. */
export interface ConnectionService {
  /**
   * Asks for an action, and returns what it answers: JSON. Throws `connection_missing`, `connection_not_granted`, `secret_draft`,
   * `connection_broken`, `connection_refused`, `connection_failed`, `connection_busy`, `connection_limited`, `host_key_unknown`,
   * `host_key_changed`, `action_invalid`, `action_failed`, `action_timeout`, `value_too_large`, `bad_answer`.
   */
  ask(ask: ConnectionAsk, by: Asker, signal: AbortSignal): Promise<unknown>;
}

// ------------------------------------------------------------------------------------------------------ sub-flows

/** A call of another flow. */
export interface SubFlowCall {
  readonly flow: string;
  /** The trigger node to start from; by default the only one. */
  readonly trigger?: string | undefined;
  readonly input: unknown;
  /** Stable over attempts and restarts: the calling node's idempotency key and, in a loop, the item's index. */
  readonly key: string;
  /** Which part of the calling step it is; absent if it is all of it. */
  readonly part?: PartName | undefined;
  /** Time limit of this run in milliseconds, besides the limit of its flow. */
  readonly timeoutMs?: number | undefined;
}

/** Calls of other flows. */
export interface SubFlowService {
  /**
   * Runs another live flow as a part of the calling run and returns its result, which may be a stream (an `AsyncIterable`); null
   * if it has none. If that run ends in the same turn, the result is returned at once, otherwise as a promise, so that a loop
   * over quick flows costs no promises. Throws, or rejects with, the error of the run, `sub_flow_missing`, `sub_flow_trigger`,
   * `sub_flow_depth` (16), `bad_input` (its trigger refuses the input), `sub_flow_refused` (it answered with an error status).
   */
  run(call: SubFlowCall, by: Asker, signal: AbortSignal): unknown;
}

// ----------------------------------------------------------------------------------------------------------- code

/** The code of a node, as its params hold it. */
export interface CodeSource {
  readonly source: string;
  readonly language: 'javascript' | 'typescript';
  /** The clock, randomness and the outside are not available. */
  readonly pure: boolean;
  /** The longest uninterrupted computing time, in milliseconds. */
  readonly cpuMs: number;
  /** The longest total time of a call, in milliseconds; streams have no limit. */
  readonly maxMs?: number;
}

/** A call of code in the sandbox. */
export interface CodeCall {
  /** Read once per object: a step passes the same one every time. */
  readonly code: CodeSource;
  /** JSON, which is copied. For a generator it may also be a stream of JSON. */
  readonly input: unknown;
  /** The call of the node. Only the parts that the code uses are read. */
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

/** The sandbox for people's code. */
export interface CodeService {
  /**
   * Runs a function in the sandbox and returns a copy of its result; `undefined` becomes null. Throws `code_failed` (what
   * the code threw, with line and column), `code_invalid`, `code_timeout`, `code_memory`, `code_crashed`,
   * `code_unavailable`, `value_too_large`, `not_serialisable`, or the errors of what `ctx` asks: of requests, secrets, files and
   * state.
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

/** A call of a model with settings for the answer; a provider ignores those that it does not support. */
export interface ModelCall extends Settings {
  /** `<provider>/<model>`, a model's own name if only one provider has it, or undefined for the server's default. */
  readonly model: string | undefined;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ModelTool[] | undefined;
  /** `required`: it must call one. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | undefined;
  /** How stored files reach the model; `auto` by default. */
  readonly documents?: FileWay | undefined;
}

type Settings = { readonly [K in keyof AnswerSettings]?: AnswerSettings[K] | undefined };

/** Language models of the configured providers. */
export interface ModelService {
  /**
   * Calls a model. Items arrive as the provider sends them, the last one is `finish`; stopping early, or `signal`, ends the
   * call down to the socket. Throws `model_not_found` before the first item, and at any time `model_rate_limited`,
   * `model_unavailable`, `model_timeout` (worth a retry), `model_refused` (the key), `model_bad_request` (the provider
   * rejects the request), `setting_unsupported` and `input_unsupported` (the model does not support it), `model_bad_answer`.
   */
  chat(call: ModelCall, by: Asker, signal: AbortSignal): AsyncIterable<ChatItem>;
  /** One vector per text, in order. Throws like `chat`; `setting_unsupported` if vectors cannot have that many `dimensions`. */
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

/** A resource of an agent, as apps and params name it. */
export interface AgentResource {
  /** `flow` (also `awel_flow`), `http`, `mcp` (also `tool`), `knowledge` or `database`; any other is reported in the run's log. */
  readonly type: string;
  readonly name: string;
  /** A flow's id, an address, the name of a space or a connection, or an object with more, which may come as its JSON text. */
  readonly value: unknown;
  /** Whether people must approve each call of its tools. */
  readonly needsApproval?: boolean | undefined;
}

/** An agent that belongs to no app. */
export interface InlineAgent {
  readonly name: string;
  readonly prompt: string;
  /** The same as in `ModelCall`. */
  readonly model: string | undefined;
  readonly tools: readonly AgentResource[];
}

/** Budget of one answer; the server has limits for parts that are left out. */
export interface AgentBudget {
  readonly tokens?: number | undefined;
  /** In US dollars, by the prices of the models; models without a price cost nothing. */
  readonly cost?: number | undefined;
  /** Model calls. */
  readonly steps?: number | undefined;
  readonly timeMs?: number | undefined;
}

/** A question to an agent or a team. */
export interface AgentCall {
  /** The answering team of an app, by its `app_code`, or a single agent. */
  readonly who: string | InlineAgent;
  readonly input: ChatInput;
  readonly budget: AgentBudget;
  /** Prefix of the idempotency keys of its effects: the same for each attempt. */
  readonly key: string;
  /** Begins a line of its work: calls of models and tools are its parts, and approvals its waits. */
  strand(): Strand;
  /** Receives its steps: calls of models and tools, plans. */
  log(level: LogLevel, text: string, data?: unknown): void;
}

/** Agents, and the teams of apps. */
export interface AgentService {
  /**
   * Lets an agent or an app's team answer. Items arrive as they happen; the only `finish` is the last one and counts all
   * tokens. Throws `app_not_found`, `agent_budget` (tokens, money, steps or time are used up; `data.partial` is the text so
   * far), `agent_failed`, and the errors of models. Stopping early, or `signal`, ends all its calls of models, tools and
   * flows.
   */
  run(call: AgentCall, by: Asker, signal: AbortSignal): AsyncIterable<ChatItem>;
}

// ---------------------------------------------------------------------------------------------------------- waits

/** Addresses at which a waiting run is answered. */
export interface WaitLinkService {
  /**
   * The address at which a person without a login, or a program, answers what this node of the calling run waits for, now or
   * later: a page for a person, or where a program sends its call.
   */
  linkTo(node: string, by: Asker, to: 'person' | 'program'): Promise<string>;
  /**
   * Waits for people on behalf of a run that is only in memory: resolves with their answer, or undefined if none came in time.
   * Rejects when `signal` aborts.
   */
  ask(
    wait: { readonly key: string; readonly what: WaitFor },
    by: Asker,
    signal: AbortSignal,
  ): Promise<unknown>;
}

// ---------------------------------------------------------------------------------------------------------- rates

/** A turn at a gate that lets through so many in a period. Gates with the same name and rate are one. */
export interface RateTurn {
  readonly name: string;
  readonly rate: Pick<CallRate, 'limit' | 'per'> & { readonly burst?: number | undefined };
  /** The holder of the turn: stable over attempts and restarts. */
  readonly by: string;
}

/** Turns at something that may be used only so often. */
export interface RateService {
  /**
   * Takes a turn. If it is granted, it begins after `waitMs`, at most `mayWaitMs`; a holder that has taken it before gets the
   * same one again. Otherwise `waitMs` is the time until the next attempt.
   */
  take(
    turn: RateTurn & { readonly mayWaitMs: number },
  ): Promise<{ readonly granted: boolean; readonly waitMs: number }>;
  /** Returns a turn that its holder will not use, so that the next caller may take it. */
  giveBack(turn: RateTurn): void;
}

// -------------------------------------------------------------------------------------------------------- outputs

/** An output of a node that may be used again. */
export interface KeptOutput {
  readonly value: unknown;
  /** When it was made, Unix milliseconds. */
  readonly at: number;
  /** The run that made it. */
  readonly run?: string;
}

/** Why there is no output for an input, although the node has stored some: for another input, or before it was changed. */
export interface NoOutput {
  readonly missing: 'other-input' | 'node-changed';
}

/** The node whose outputs are stored, as it is defined. */
export interface CachePlace {
  readonly flow: string;
  readonly node: string;
  /** Changes when the node does. */
  readonly definition: string;
}

/** Stores outputs of nodes in memory; stored outputs never change. */
export interface OutputCache {
  /** Undefined if the node has stored nothing yet. */
  get(key: string, place: CachePlace): KeptOutput | NoOutput | undefined;
  /** False if the output is too large to store. */
  set(key: string, entry: KeptOutput, bytes: number, place: CachePlace): boolean;
}

/** Outputs of nodes that are kept on disk, each for its own node. The engine uses it, for nodes with `cache.keep: disk`. */
export interface OutputService {
  /** Undefined if the node has stored nothing yet, or if the disk cannot be read. */
  get(key: string, place: CachePlace): Promise<KeptOutput | NoOutput | undefined>;
  /** False if the output is too large, or cannot be stored. Outputs of the node as it was before are deleted. */
  set(key: string, entry: KeptOutput & { readonly ttlMs?: number }, place: CachePlace): Promise<boolean>;
}
