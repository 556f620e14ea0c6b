import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import { formatFlow } from '#engine/check';
import { ApiError } from '../api/client.ts';
import { pastDoc } from '../model/as-ran.ts';
import type { Doc } from '../model/document.ts';
import type { AsRan } from './run-store.ts';

export interface Versions {
  /** The text of a version that was live; `version_not_found` for one that was not kept, such as a draft. */
  getVersionText(flow: string, version: string): Promise<string>;
}

/** What a run ran; undefined where that is what the flow says now. Throws `ApiError`. */
export async function loadAsRan(
  { getVersionText }: Versions,
  now: () => Doc & { readonly catalog?: Catalog },
  { id: run, version }: { readonly id: string; readonly version: string },
): Promise<AsRan | undefined> {
  try {
    // The server keeps only texts that it has read as flows.
    const flow = JSON.parse(await getVersionText(now().flow.id, version)) as Flow;
    const today = now();
    if (formatFlow(flow) === formatFlow(today.flow)) return undefined;
    return { run, version, doc: pastDoc(flow, today.layout, today.catalog) };
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'version_not_found')) throw error;
    return (await isVersion(version, formatFlow(now().flow))) ? undefined : { run, version, doc: undefined };
  }
}

/** A version is the beginning of the hash of its text. Browsers hash on secure pages only; elsewhere it counts as another one. */
async function isVersion(version: string, text: string): Promise<boolean> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) return false;
  const bytes = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .startsWith(version);
}
