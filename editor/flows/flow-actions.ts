import type { FlowDetail, FlowSummary } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import type { Layout } from '#shared/layout.ts';
import * as api from '../api/flows.ts';
import { downloadBlob, downloadText } from '../ui/download.ts';
import { copyOf } from '#shared/flow-copy.ts';
import { pathsOf } from './new-flow.ts';

/** Actions on a whole flow from outside the editor. */
const flowText = () => import('./flow-text.ts');

export async function createEmpty(id: string, name: string): Promise<FlowDetail> {
  return createFrom({ format: 1, id, ...(name !== '' && { name }), nodes: {}, edges: [] });
}

export async function createFrom(flow: Flow, layout?: Layout): Promise<FlowDetail> {
  const { formatFlow } = await flowText();
  const detail = await api.createFlow(flow.id, formatFlow(flow));
  if (layout) await api.saveLayout(flow.id, layout);
  return detail;
}

/** A copy of another flow under a new id. */
export async function copyFlow(
  source: string,
  to: { id: string; name: string | undefined },
  flows: readonly FlowSummary[],
): Promise<FlowDetail> {
  const { flow, layout } = await api.getFlow(source);
  if (!flow) throw new Error('The file is broken, so it cannot be copied. Open it to see what is wrong.');
  return createFrom(copyOf(flow, to.id, to.name, pathsOf(flows)), layout);
}

export async function renameFlow(id: string, name: string): Promise<void> {
  const { formatFlow } = await flowText();
  const { flow, revision, hasDraft } = await api.getFlow(id);
  if (!flow)
    throw new Error('The file is broken, so it cannot be renamed here. Open it to see what is wrong.');
  const { name: _old, ...rest } = flow;
  const save = hasDraft ? api.saveFlow : api.saveUndrafted;
  await save(id, formatFlow({ ...rest, ...(name !== '' && { name }) }), revision);
}

export async function exportFlow(id: string): Promise<void> {
  const { text } = await api.getFlow(id);
  downloadText(`${id}.json`, text);
}

/** Several flows with their layouts, as one file. */
export async function exportFlows(ids: readonly string[]): Promise<void> {
  const { strToU8, zipSync } = await import('fflate');
  const files: Record<string, Uint8Array> = {};
  for (const id of ids) {
    const { text, layout } = await api.getFlow(id);
    files[`${id}.json`] = strToU8(text);
    if (layout) files[`${id}.layout.json`] = strToU8(`${JSON.stringify(layout, null, 2)}\n`);
  }
  // A copy, since a view may be of memory that is shared.
  downloadBlob('flows.zip', new Blob([new Uint8Array(zipSync(files))], { type: 'application/zip' }));
}

/** Deletes a flow and returns a function that restores it: the live version, then the draft on top of it, and its layout. */
export async function removeFlow(id: string, revision: string): Promise<() => Promise<void>> {
  const detail = await api.getFlow(id);
  const live =
    detail.hasDraft && detail.version !== undefined
      ? await api.getVersionText(id, detail.version)
      : undefined;
  await api.removeFlow(id, revision);
  return () => bringBack(detail, live);
}

async function bringBack({ id, text, layout, version }: FlowDetail, live: string | undefined): Promise<void> {
  let now = await api.createFlow(id, live ?? text);
  if (version !== undefined && now.hasDraft) now = await api.publishFlow(id, now.revision);
  if (live !== undefined) await api.saveFlow(id, text, now.revision);
  if (layout) await api.saveLayout(id, layout);
}
