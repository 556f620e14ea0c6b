import type { ImportChange, ImportedNode, ImportNeed } from '#shared/import-report.ts';
import { idSource } from '../../awel/names.ts';
import type { ReportBuilder } from '../frame/report-builder.ts';
import type { SecretTaker } from '../frame/secrets.ts';
import type { DifyApp, DifyNode } from './app.ts';
import { type ChatEnds, chatEnds } from './chat-ends.ts';
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

/** The entry of a node in the report. */
export interface Entry {
  readonly node: ImportedNode;
  readonly changes: readonly ImportChange[];
  readonly needs: readonly ImportNeed[];
}

/** The state of the translation of an app. */
export interface State extends Around {
  readonly isChat: boolean;
  /** How it ends, if it is a chat. */
  readonly ends: ChatEnds | undefined;
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
    ends: isChatMode(around.app) ? chatEnds(around.app) : undefined,
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

export function titleOf(node: DifyNode | undefined): string {
  return node === undefined ? 'a node that is not there' : node.title || node.type;
}

export function entryOf(node: DifyNode): Pick<ImportedNode, 'name' | 'type'> {
  return { name: titleOf(node), type: node.type };
}
