import type { FileValue } from './file.ts';

/**
 * What models and agents say, piece by piece. Operators pass these as the items of streams, the chat API renders them, and
 * runs record them; so a stream of items is the same, whether a model, an agent or a map made it.
 */

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Parsed arguments. Arguments that do not parse stay text. */
  readonly arguments: unknown;
}

/**
 * A part of a user's message. Addresses of images are `https:`, `http:` or `data:`, data of files `data:` only; `file` is a
 * file that the server stores, whose bytes are read when a model is asked.
 */
export type MessagePart =
  | { readonly type: 'text'; readonly text: string }
  | StoredPart
  | { readonly type: 'image'; readonly url: string; readonly detail?: 'auto' | 'low' | 'high' }
  | { readonly type: 'file'; readonly data: string; readonly filename?: string };

export interface StoredPart {
  readonly type: 'image' | 'file';
  readonly file: FileValue;
  /** For an image. */
  readonly detail?: 'auto' | 'low' | 'high';
}

/** Pictures that models and browsers show. */
export const PICTURE: RegExp = /^image\/(?:png|jpeg|gif|webp)$/;

/** The part of a message that a stored file is. */
export function storedPart(file: FileValue): StoredPart {
  return { type: PICTURE.test(file.type) ? 'image' : 'file', file };
}

export type ChatMessage =
  | { readonly role: 'system'; readonly content: string; readonly name?: string }
  | {
      readonly role: 'user';
      /** The text of the message, including the texts of `parts`. */
      readonly content: string;
      /** All parts in order; present if there is more than text. */
      readonly parts?: readonly MessagePart[];
      readonly name?: string;
    }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      readonly name?: string;
    }
  /** What a tool answered to the call with this id. */
  | {
      readonly role: 'tool';
      /** The text of the result. */
      readonly content: string;
      /** The text and the stored files of the result, in order; present if there are files. */
      readonly parts?: readonly MessagePart[];
      readonly toolCallId: string;
      readonly name?: string;
    };

/** Tokens as the provider counts them; 0 if it does not say. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The part of `inputTokens` that the provider had in its cache; absent if it does not say. */
  readonly cachedTokens?: number;
  /** The part of `outputTokens` that the model spent on thinking; absent if the provider does not say. */
  readonly reasoningTokens?: number;
}

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter';

/** One message between agents. */
export interface AgentMessage {
  readonly sender: string;
  readonly receiver: string;
  readonly model: string | null;
  readonly markdown: string;
}

export type PlanStatus = 'todo' | 'running' | 'waiting' | 'retrying' | 'failed' | 'complete';

/** One step of an agent team's work. */
export interface AgentPlan {
  readonly name: string;
  /** 1, 2, 3, … in the order of the plan. */
  readonly num: number;
  readonly status: PlanStatus;
  /** Name of the agent that does it. */
  readonly agent: string;
  readonly messages: readonly AgentMessage[];
}

/** A passage of a document that an answer rests on. */
export interface CitedPassage {
  /** Its number in the answer: `[1]`. */
  readonly n: number;
  readonly id: string;
  readonly page: number | null;
  readonly heading: string;
  readonly text: string;
  /** The sentences that fit the question best, exactly as the document has them. */
  readonly quote: string;
  readonly score: number;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** Where to read on: the page that the document was read from, or the document in the editor, at the passage. */
  readonly href: string;
}

/** A document that an answer rests on, with its passages. */
export interface CitedDocument {
  readonly name: string;
  readonly passages: readonly CitedPassage[];
}

/** The kinds of drawings that DB-GPT's clients know. */
export const CHART_TYPES = [
  'response_table',
  'response_bar_chart',
  'response_line_chart',
  'response_area_chart',
  'response_pie_chart',
  'response_donut_chart',
  'response_scatter_plot',
  'response_scatter_chart',
  'response_bubble_chart',
  'response_heatmap',
] as const;

/** Rows from a database, with the statement that has read them. */
export interface Chart {
  readonly type: (typeof CHART_TYPES)[number];
  readonly sql: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** There are more rows than these. */
  readonly more: boolean;
}

/**
 * One item. `text` and `reasoning` are increments; `plan` replaces the plan of the same `num`; `speaker` says whose message the
 * following text is (agents only); `references` and `chart` show what an answer rests on; `file` is a file of the answer; `finish` is
 * the last item of one model call, and of a whole answer.
 */
export type ChatItem =
  /** `refusal`: the model declines to answer, and the provider marks its words. */
  | { readonly type: 'text'; readonly text: string; readonly refusal?: true }
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly call: ToolCall }
  | {
      readonly type: 'tool-result';
      readonly call: string;
      readonly name: string;
      readonly content: string;
      readonly failed: boolean;
    }
  /** The answer waits until people approve or refuse the call of a tool; the same wait may be told again. */
  | {
      readonly type: 'waiting';
      /** The id of the wait. */
      readonly wait: string;
      readonly title: string;
      readonly agent: string;
      readonly tool: string;
      readonly arguments: unknown;
    }
  | { readonly type: 'plan'; readonly plan: AgentPlan }
  | {
      readonly type: 'speaker';
      readonly sender: string;
      readonly receiver: string;
      readonly model: string | null;
    }
  | {
      readonly type: 'references';
      readonly documents: readonly CitedDocument[];
      /** What was searched for, if that was not the question as it was asked. */
      readonly question?: string;
    }
  | { readonly type: 'chart'; readonly chart: Chart }
  | { readonly type: 'file'; readonly file: FileValue }
  | {
      readonly type: 'finish';
      readonly reason: FinishReason;
      readonly usage: TokenUsage;
      readonly model: string;
    };

/** A tool that the client of a chat executes itself. */
export interface ChatTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Whether the model's arguments must match the schema, if the provider can enforce that. */
  readonly strict?: boolean;
}

/**
 * How files that are no pictures reach a model: `text` as their text, `file` as they are, `none` only by their names, `auto`
 * as they are if they are PDF and the model accepts files, and otherwise as their text.
 */
export const FILE_WAYS = ['auto', 'text', 'file', 'none'] as const;
export type FileWay = (typeof FILE_WAYS)[number];

/** The wanted form of an answer. A provider that does not support a setting behind `json` answers without it. */
export interface AnswerSettings {
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly topP?: number;
  readonly stop?: readonly string[];
  /** JSON Schema of the whole answer. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Name of the schema, and whether the provider enforces it while the model writes; both as in OpenAI's API. */
  readonly schemaName?: string;
  readonly schemaStrict?: boolean;
  /** The answer must be a JSON object, of any shape. */
  readonly json?: boolean;
  readonly seed?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
  readonly logitBias?: Readonly<Record<string, number>>;
  readonly reasoningEffort?: ReasoningEffort;
  readonly verbosity?: 'low' | 'medium' | 'high';
  /** Whether the model may call several tools at once. */
  readonly parallelToolCalls?: boolean;
}

export const REASONING_EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type ReasoningEffort = (typeof REASONING_EFFORTS)[number];

/** The names of all settings, to copy them from one form of a request to another. */
export const ANSWER_SETTINGS = [
  'temperature',
  'maxTokens',
  'topP',
  'stop',
  'schema',
  'schemaName',
  'schemaStrict',
  'json',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'logitBias',
  'reasoningEffort',
  'verbosity',
  'parallelToolCalls',
] as const satisfies readonly (keyof AnswerSettings)[];

/** Copies the settings from other fields, without those that are absent. */
export function answerSettings(
  fields: {
    readonly [K in keyof AnswerSettings]?: AnswerSettings[K] | undefined;
  },
): AnswerSettings {
  const given = ANSWER_SETTINGS.filter((name) => fields[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, fields[name]]));
}

/** The input of a flow that answers a chat: the output of `trigger.chat`. */
export interface ChatInput extends AnswerSettings {
  /** The last message of the user. */
  readonly text: string;
  /** The messages of this request, oldest first. */
  readonly messages: readonly ChatMessage[];
  /** Earlier messages of the conversation that the server stored, oldest first; empty if the client sends its own history. */
  readonly history: readonly ChatMessage[];
  /** The stored files of the last message of the user, pictures among them. */
  readonly files: readonly FileValue[];
  readonly conversation: string;
  /** The model as the client named it; null if it named an app or a flow. */
  readonly model: string | null;
  readonly stream: boolean;
  readonly user?: string;
  /** The API key of whoever asks, as `key <name>`; absent without one. */
  readonly key?: string;
  /** Tools of the client. The model's calls of them are returned to the client in place of an answer. */
  readonly tools?: readonly ChatTool[];
  readonly toolChoice?: 'auto' | 'none' | 'required';
}
