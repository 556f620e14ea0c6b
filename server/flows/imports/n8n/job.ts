import type { ImportDraft } from '#shared/import-report.ts';
import type { Around } from '../frame/reading.ts';
import type { ReportBuilder } from '../frame/report-builder.ts';
import type { SecretTaker } from '../frame/secrets.ts';
import type { Naming, Port } from './graph.ts';
import type { Step, Workflow } from './workflow.ts';

/** The state that the whole import of one workflow shares. */
export interface Job {
  readonly workflow: Workflow;
  readonly around: Around;
  readonly report: ReportBuilder;
  readonly secrets: SecretTaker;
  readonly naming: Naming;
  /** The outputs of each step, once it is converted. */
  readonly given: Map<string, Given>;
  /** Steps before each step, over main wires without those that lead back. */
  readonly before: ReadonlyMap<string, ReadonlySet<string>>;
  /** Steps that have surely run, in the same round, when each one does. */
  readonly sure: ReadonlyMap<string, ReadonlySet<string>>;
  /** Steps that hang on another one by wires that are not `main`, by its name. */
  readonly parts: ReadonlyMap<string, readonly Hanging[]>;
  /** Steps that became a part of another one, with what is told of them. */
  readonly absorbed: Map<string, { readonly into: string; readonly difference?: string }>;
  /** Triggers that start nothing, before steps that nothing leads to. */
  readonly unused: Set<string>;
  /** Tools that are being converted, each of which is within the one before. */
  readonly within: ReadonlySet<string>;
  /** Drafts beside the main one. */
  readonly more: ImportDraft[];
  /** The connection that stands for a credential, by its name and type there. */
  connection(credential: string, type: string): string;
  /** Steps before a step of which later ones, or the step itself, read the item that belongs to their own. */
  readAcross(step: string, itself: boolean): readonly string[];
  /** How a type is converted; given here, since tools are nodes within nodes. */
  convertOf(kind: string): ((context: never) => unknown) | undefined;
  /** Nodes that wait for a call or a form, by their step. */
  readonly waiting: Map<string, string>;
  /** Nodes that make the address of a wait, by the step that reads it. */
  readonly links: Map<string, ResumeLink>;
  /** Facts about loops that an earlier conversion has shown. */
  readonly assumed: ReadonlySet<string>;
  /** Notes on rounds of loops that are in the report already. */
  readonly told: Set<string>;
  /** Notes a fact; the workflow is then converted anew with it. */
  assume(what: string): void;
  /** How the caller of a webhook is answered. */
  answer: Answer;
}

export interface ResumeLink {
  readonly id: string;
  /** The step that waits. */
  readonly wait: string;
  /** Those of its node; the node that waits is known once all steps are converted. */
  readonly params: { node: string; readonly for: 'person' | 'program' };
}

interface Hanging {
  readonly kind: string;
  readonly step: Step;
}

/** The first item, all items, or nothing of the last node; or what a node of its own says. */
export type Answer = 'first' | 'all' | 'nothing' | 'said';

/** The outputs of a step: `outputs` in n8n's order, and `item` as expressions of other nodes read it. */
export interface Given {
  readonly outputs: readonly (Port | undefined)[];
  readonly item: Port | undefined;
  /** Each output has some of the items; other nodes read those of the one that leads to them. */
  readonly isParted?: boolean;
  /** Behind a loop: the output in its body. */
  readonly own?: string;
}

/** For a step whose only output is what it gives. */
export const gives = (port: Port): Given => ({ outputs: [port], item: port });
