import type { Catalog } from '#shared/catalog.ts';
import type { Flow } from '#shared/flow.ts';
import { formatFlow } from '#engine/check';
import { ApiError } from '../api/client.ts';
import { pastDoc } from '../model/drawing/as-ran.ts';
import type { Doc } from '../model/document/document.ts';
import type { AsRan } from './run-store.ts';

/** Where the texts of versions come from. */
export interface Versions {
  /** The text of a version that was live; `version_not_found` for one that is not stored, such as a draft. */
  getVersionText(flow: string, version: string): Promise<string>;
}

/** The flow that a run executed; undefined if it equals the current flow. Throws `ApiError`. */
export async function loadAsRan(
  { getVersionText }: Versions,
  now: () => Doc & { readonly catalog?: Catalog },
  { id: run, version }: { readonly id: string; readonly version: string },
): Promise<AsRan | undefined> {
  // Most runs execute what is drawn, and a draft is not stored.
  if (await isVersion(version, formatFlow(now().flow))) return undefined;
  try {
    // The server only stores texts that it has parsed as flows.
    const flow = JSON.parse(await getVersionText(now().flow.id, version)) as Flow;
    const today = now();
    if (formatFlow(flow) === formatFlow(today.flow)) return undefined;
    return { run, version, doc: pastDoc(flow, today.layout, today.catalog) };
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'version_not_found')) throw error;
    return { run, version, doc: undefined };
  }
}

/** A version is the start of the hash of its text. Browsers only hash on secure pages; elsewhere it counts as different. */
async function isVersion(version: string, text: string): Promise<boolean> {
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) return false;
  const bytes = new Uint8Array(await subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .startsWith(version);
}
