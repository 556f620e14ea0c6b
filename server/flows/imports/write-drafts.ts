import { WeftError } from '#engine';
import { formatFlow } from '#engine/check';
import type { NodeOutputs } from '#shared/api.ts';
import type { Actor } from '#shared/audit.ts';
import { summaryOf, type ImportAnswer, type ImportDraft, type ImportReport } from '#shared/import-report.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { SecretStore } from '../../base/secrets/store.ts';
import type { FlowService } from '../service/flow-types.ts';
import type { FoundSecret, ReadFlow } from './frame/reading.ts';
import { nextSteps } from './frame/report-builder.ts';
import type { FilesRead } from './import-files.ts';

/** Stores the outputs that a node has pinned. */
export interface PinSetter {
  set(flow: string, node: string, outputs: NodeOutputs[string], writer: string): Promise<unknown>;
}

/** The stores that drafts are written to. */
export interface DraftStores {
  readonly flows: Pick<FlowService, 'save' | 'saveLayout'>;
  readonly secrets: Pick<SecretStore, 'put' | 'list'>;
  readonly pins: PinSetter;
}

/** The drafts that one workflow has become. */
export interface MadeDrafts {
  readonly drafts: readonly ImportDraft[];
  readonly found: readonly FoundSecret[];
  /** Outputs that were pinned in the other product, by node of the first draft. */
  readonly pins: Readonly<Record<string, unknown>>;
}

/**
 * Stores the flows that were read as drafts, never live. Secrets that stood in the files are stored without grants: nobody may use them
 * before the owner has said who. Throws `conflict` and the errors of storage.
 */
export async function writeDrafts(
  { flows, secrets, pins }: DraftStores,
  made: MadeDrafts,
  { actor, owner }: { readonly actor: Actor; readonly owner: string },
): Promise<void> {
  for (const { flow, layout } of made.drafts) {
    await flows.save(flow.id, formatFlow(flow), { revision: undefined, actor, mode: 'draft' });
    await flows.saveLayout(flow.id, layout);
  }
  await keepSecrets(secrets, made.found);
  await keepPins(pins, made, owner);
}

/** Pins the outputs that were pinned in the other product. */
export async function keepPins(
  pins: PinSetter,
  { drafts, pins: given }: Pick<MadeDrafts, 'drafts' | 'pins'>,
  owner: string,
): Promise<void> {
  const id = drafts[0]?.flow.id;
  if (id === undefined) return;
  for (const [node, outputs] of Object.entries(given))
    await pins.set(id, node, outputs as NodeOutputs[string], owner);
}

/** A secret of the same name that is there stays. */
export async function keepSecrets(
  secrets: Pick<SecretStore, 'put' | 'list'>,
  found: readonly FoundSecret[],
): Promise<void> {
  const there = new Set(secrets.list().map(({ name }) => name));
  for (const { name, value } of found) if (!there.has(name)) await secrets.put(name, { value });
}

/**
 * Writes one workflow after the other: those that cannot be stored are listed in `left` with the reason, and all others are stored.
 * Throws the error of the first one if none could be.
 */
export async function writeEach(
  read: FilesRead,
  write: (made: ReadFlow) => Promise<void>,
): Promise<FilesRead> {
  const flows: ReadFlow[] = [];
  const left = [...read.left];
  let first: Error | undefined;
  for (const made of read.flows)
    try {
      await write(made);
      flows.push(made);
    } catch (error) {
      if (!(error instanceof ServiceError || error instanceof WeftError)) throw error;
      first ??= error;
      left.push({
        file: made.report.file,
        message: `“${made.report.name}” was not stored: ${error.message}`,
      });
    }
  if (flows.length === 0 && first !== undefined) throw first;
  return { flows, left, summary: summaryOf(flows.map(({ report }) => report)) };
}

/** For somebody who may not store secrets: the report names those whose values stay in the file. */
export function withoutSecrets(read: FilesRead): FilesRead {
  const flows = read.flows.map((made) =>
    made.secrets.length === 0 ? made : { ...made, secrets: [], report: notKept(made.report) },
  );
  return { ...read, flows };
}

function notKept(report: ImportReport): ImportReport {
  const needs = report.needs.map((need) =>
    need.kind === 'secret' && need.kept === true
      ? {
          ...need,
          kept: false,
          message: `Ask an administrator to store the secret ${need.name}: its value stands in the file ${report.file}, and was not stored.`,
        }
      : need,
  );
  return { ...report, needs, next: nextSteps({ ...report, needs }) };
}

/** The answer to an import, without values of secrets. */
export function answerOf({ flows, left, summary }: FilesRead): ImportAnswer {
  return { imports: flows.map(resultOf), left: [...left], summary };
}

function resultOf({ report, drafts, drawing }: ReadFlow): ImportAnswer['imports'][number] {
  return { report, drafts: [...drafts], drawing };
}
