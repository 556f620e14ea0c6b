import { readPart } from '../../base/requests/read-part.ts';
import { COMMAND_LINE } from '../../access/security/access.ts';
import { localActor } from '../../access/security/audit.ts';
import { AwelFlow, unwrapped } from './awel-flow.ts';
import { createAwelFlows, type FlowDeps } from './awel-flows.ts';
import type { Translated } from './translate.ts';

/** A request of the command line to import. */
export interface ImportAsk {
  /** The JSON of the file. */
  readonly flow?: unknown;
  readonly id?: string | undefined;
  readonly open: boolean;
}

/** Its result. */
export interface ImportDone extends Pick<Translated, 'problems' | 'sheet'> {
  readonly id: string;
  readonly label: string;
}

/** Executes `weft import` in the server that holds the data folder. */
export async function importAsked(deps: FlowDeps, { flow, id, open }: ImportAsk): Promise<ImportDone> {
  const awel = readPart(AwelFlow, unwrapped(flow), 'body');
  const options = { id, open, actor: localActor(COMMAND_LINE), mayPublish: false };
  const { uid, label, import: imported } = await createAwelFlows(deps).create(awel, options);
  return { id: uid, label, ...imported };
}
