import type { ImportChange, ImportedNode, ImportNeed } from '#shared/import-report.ts';
import { idSource } from '../../awel/names.ts';
import type { ReportBuilder } from '../frame/report-builder.ts';
import type { SecretTaker } from '../frame/secrets.ts';
import { type DifyApp, type DifyNode, textOf } from './app.ts';
import type { Became, Level } from './here.ts';

export interface Around {
  readonly app: DifyApp;
  readonly flow: string;
  readonly report: ReportBuilder;
  readonly secrets: SecretTaker;
}

/** A node that has been drawn. */
export interface Done {
  readonly node: DifyNode;
  readonly level: Level;
  readonly became: Became;
  /** Its outputs are missing although it ran, if it failed. */
  readonly mayFail: boolean;
}

/** What the report says of a node. */
export interface Entry {
  readonly node: ImportedNode;
  readonly changes: readonly ImportChange[];
  readonly needs: readonly ImportNeed[];
}

/** What is known while an app is being translated. */
export interface State extends Around {
  readonly isChat: boolean;
  /** Models whose text is the whole answer of the chat. */
  readonly streamed: ReadonlySet<string>;
  /** A free id, of the whole flow. */
  readonly idFor: (hint: string) => string;
  readonly places: Map<string, { x: number; y: number }>;
  readonly done: Map<string, Done>;
  readonly entries: Map<string, Entry>;
  /** The node with the variables of the environment, if there is one. */
  environment: string | undefined;
  /** The node that counts the rounds of a conversation, if something reads that. */
  rounds: string | undefined;
  /** The flow itself. */
  top: Level | undefined;
}

export function newState(around: Around): State {
  return {
    ...around,
    isChat: isChatMode(around.app),
    streamed: streamedOf(around.app),
    idFor: idSource([]),
    places: new Map(),
    done: new Map(),
    entries: new Map(),
    environment: undefined,
    rounds: undefined,
    top: undefined,
  };
}

const isChatMode = ({ mode }: DifyApp): boolean => mode !== 'workflow' && mode !== 'completion';

/** The model whose text is the only answer, which nothing else reads and nothing follows. */
function streamedOf(app: DifyApp): ReadonlySet<string> {
  const outer = app.nodes.filter(({ type, parent }) => parent === undefined && type !== 'custom-note');
  const [answer, ...others] = app.nodes.filter(({ type }) => type === 'answer');
  if (!isChatMode(app) || others.length > 0 || !answer || !outer.includes(answer)) return new Set();
  const [, id] = /^\s*\{\{#([^.#]+)\.text#\}\}\s*$/.exec(textOf(answer.data['answer'])) ?? [];
  const model = outer.find((node) => node.id === id && node.type === 'llm');
  if (!model || isChecked(model)) return new Set();
  const from = new Set(app.edges.map((edge) => edge.from));
  const isLast = outer.every((node) => node === answer || from.has(node.id)) && !from.has(answer.id);
  const isOnly = app.edges.every((edge) => (edge.from === model.id) === (edge.to === answer.id));
  return isLast && isOnly && !isReadBeside(app, model, answer) ? new Set([model.id]) : new Set();
}

const isChecked = ({ data }: DifyNode): boolean =>
  data['structured_output_enabled'] === true || textOf(data['error_strategy']) !== '';

function isReadBeside({ nodes }: DifyApp, { id }: DifyNode, answer: DifyNode): boolean {
  const others = JSON.stringify(nodes.filter((node) => node !== answer).map(({ data }) => data));
  return [JSON.stringify(id), JSON.stringify(`#${id}.`).slice(1, -1)].some((read) => others.includes(read));
}

export function titleOf(node: DifyNode | undefined): string {
  return node === undefined ? 'a node that is not there' : node.title || node.type;
}

export function entryOf(node: DifyNode): Pick<ImportedNode, 'name' | 'type'> {
  return { name: titleOf(node), type: node.type };
}
