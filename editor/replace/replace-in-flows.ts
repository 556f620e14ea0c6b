import { formatFlow, formatPath } from '#engine/check';
import { type FindTexts, replaced, textsOf, withTexts } from '#engine/edit';
import type { Catalog } from '#shared/catalog.ts';
import type { FlowSearch } from '#shared/find-text.ts';
import { ApiError } from '../api/client.ts';
import { getFlow, saveFlow } from '../api/flows.ts';

/** A flow in which the search has found something, with the revision that was searched. */
export type FoundFlow = FlowSearch['flows'][number];

/** The outcome of one flow. */
export interface Outcome {
  readonly id: string;
  readonly name: string;
  /** How many texts were changed; a text says why none was. */
  readonly result: number | string;
}

/** A replacement in several flows. */
export interface Replacing {
  readonly find: FindTexts;
  /** The new text; for a pattern `$1` and `${name}` stand for its groups. */
  readonly by: string;
  readonly catalog: Catalog;
  /** The paths to change, by flow. */
  readonly paths: ReadonlyMap<string, ReadonlySet<string>>;
}

const CHANGED = 'It has changed since it was searched, so it was left as it is. Search again.';

/** Writes the new texts into drafts, one flow after the other; a flow that has changed meanwhile stays as it is. */
export async function replaceInFlows(
  flows: readonly FoundFlow[],
  replacing: Replacing,
  onDone: (outcome: Outcome) => void,
): Promise<void> {
  for (const { id, name = id, revision } of flows) {
    const paths = replacing.paths.get(id);
    if (!paths || paths.size === 0) continue;
    const result = await replaceIn(id, revision, { ...replacing, wanted: paths }).catch(reasonOf);
    onDone({ id, name, result });
  }
}

async function replaceIn(
  id: string,
  revision: string,
  { find, by, catalog, wanted }: Replacing & { readonly wanted: ReadonlySet<string> },
): Promise<number | string> {
  const { flow, revision: now } = await getFlow(id);
  if (!flow || now !== revision) return CHANGED;
  const texts = [...textsOf(flow, catalog)].flatMap(({ path, text }) => {
    const at = formatPath(path);
    const matches = wanted.has(at) ? find(text, by) : [];
    return matches.length === 0 ? [] : [{ path: at, before: text, after: replaced(text, matches) }];
  });
  const next = withTexts(flow, texts);
  await saveFlow(id, formatFlow(next.flow), revision);
  return texts.length - next.left.length;
}

function reasonOf(error: unknown): string {
  if (error instanceof ApiError && error.code === 'revision_conflict') return CHANGED;
  return error instanceof Error ? error.message : String(error);
}
