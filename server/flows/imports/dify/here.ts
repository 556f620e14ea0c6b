import type { FlowEdge, FlowNode } from '#shared/flow.ts';
import type { ImportChange, ImportNeed } from '#shared/import-report.ts';
import type { SecretTaker } from '../frame/secrets.ts';
import type { DifyApp, DifyNode } from './app.ts';
import type { Read } from './conditions.ts';
import type { Graph } from './graph.ts';
import type { Settings } from './settings.ts';
import type { Value } from './write.ts';

/** The result of translating a node of Dify. */
export interface Became {
  /** The port that the nodes before it lead to; undefined for triggers. */
  readonly enter: string | undefined;
  /** The ports that go on, by the handle of Dify's edges. */
  readonly leave: Readonly<Record<string, readonly string[]>>;
  /** Its outputs as expressions; `q` is `?` if the node may not have run. Undefined for an output that it does not have. */
  value(path: readonly string[], q: '' | '?'): Value | undefined;
  /** What it adds to the answer of a chat or workflow: the value of a port, and the text or object in it. */
  readonly result?: { readonly port: string; text(of: string): string } | undefined;
  /** The counterpart, if that is no node of its own. */
  readonly into?: string | undefined;
  /** The variables that it assigns, by `conversation.x` or the id of a loop and the name: their new values. */
  readonly writes?: ReadonlyMap<string, Write> | undefined;
}

export interface Write {
  /** The node that has run if the variable was assigned. */
  readonly id: string;
  readonly expr: string;
}

/** One graph of Weft that is being drawn: the flow, or a body. */
export interface Level {
  readonly nodes: Record<string, FlowNode>;
  readonly edges: FlowEdge[];
  readonly graph: Graph;
  /** The iteration or loop around it, and the id of its start. */
  readonly around: { readonly node: DifyNode; readonly start: string; readonly up: Level } | undefined;
  /** Nodes that read variables of the conversation, by name: as they are when the flow, or a round of a body, begins. */
  readonly reads: Map<string, string>;
}

/** The view and the tools of a mapping. A mapping that throws has changed nothing. */
export interface Here extends Read {
  readonly node: DifyNode;
  readonly settings: Settings;
  readonly app: DifyApp;
  readonly flow: string;
  readonly isChat: boolean;
  /** Models whose text is an answer of the chat that nothing follows, so that it is streamed. */
  readonly streamed: ReadonlySet<string>;
  readonly level: Level;
  readonly secrets: SecretTaker;
  /** Adds a node beside the main one, named after it and the suffix; gives its id. */
  add(suffix: string, node: FlowNode): string;
  /** A free id for a node of a body that the mapping draws itself. */
  idFor(suffix: string): string;
  /** Adds the main node, with the title, the retries and the handling of errors as in Dify. */
  main(node: FlowNode, stand?: Stand): string;
  wire(from: string, to: string): void;
  /** A difference, in one sentence. */
  note(difference: string): void;
  need(need: Omit<ImportNeed, 'nodes'>): void;
  change(change: Omit<ImportChange, 'node'>): void;
  /** A text with variables as a template of Weft. */
  template(text: string): string;
  /** The name of the secret, if this is a variable of the environment that is one. */
  secretOf(selector: readonly string[]): string | undefined;
  /** `<provider>/<model>` with what it needs. */
  model(given: unknown): ModelChoice;
  /** The graph within this iteration or loop. */
  body(start: string, end: (inner: Inner) => FlowNode): Inside;
}

/** Converts the values that stand in for the outputs after an error, by Dify's names, to the outputs of the node here. */
export type Stand = (values: Readonly<Record<string, unknown>>) => Record<string, unknown>;

export interface ModelChoice {
  readonly model: string;
  /** Params of the operators for models. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Settings that only a request carries. */
  readonly request: Readonly<Record<string, unknown>>;
}

/** The end of a body, from which its result is made. */
export interface Inner extends Read {
  /** The texts of the answers in it, as an expression that gives a text; undefined without any. */
  readonly said: string | undefined;
  readonly ended: string | undefined;
}

export interface Inside {
  readonly body: {
    readonly start: string;
    readonly nodes: Record<string, FlowNode>;
    readonly edges: FlowEdge[];
  };
  /** Conversation variables that are assigned in it. */
  readonly assigns: readonly string[];
  readonly hasAnswers: boolean;
}

export type Mapping = (here: Here) => Became;

/** A node with one way on, whose outputs are fields of its value. */
export function simple(enter: string, port: string, value: Became['value']): Became {
  return { enter, leave: { source: [port] }, value };
}

/** The value of a node as a whole. */
export function whole(id: string, q: '' | '?', kind?: Value['kind']): Value {
  return { expr: q === '' ? `nodes.${id}` : `(nodes.${id} ?? null)`, kind };
}
