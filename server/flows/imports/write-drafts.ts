import { formatFlow } from '#engine/check';
import type { Actor } from '#shared/audit.ts';
import type { ImportAnswer, ImportDraft } from '#shared/import-report.ts';
import type { SecretStore } from '../../base/secrets/store.ts';
import type { FlowService } from '../service/flow-types.ts';
import type { FoundSecret, ReadFlow } from './frame/reading.ts';
import type { FilesRead } from './import-files.ts';

/** What drafts are written with. */
export interface DraftStores {
  readonly flows: Pick<FlowService, 'save' | 'saveLayout'>;
  readonly secrets: Pick<SecretStore, 'put' | 'list'>;
}

/**
 * Stores what was read as drafts, never live. Secrets that stood in the files are stored without grants: nobody may use them before the
 * owner has said who. Throws `conflict` and the errors of storage.
 */
export async function writeDrafts(
  { flows, secrets }: DraftStores,
  { drafts, found }: { readonly drafts: readonly ImportDraft[]; readonly found: readonly FoundSecret[] },
  actor: Actor,
): Promise<void> {
  for (const { flow, layout } of drafts) {
    await flows.save(flow.id, formatFlow(flow), { revision: undefined, actor, mode: 'draft' });
    await flows.saveLayout(flow.id, layout);
  }
  await keepSecrets(secrets, found);
}

/** A secret of the same name that is there stays. */
export async function keepSecrets(
  secrets: Pick<SecretStore, 'put' | 'list'>,
  found: readonly FoundSecret[],
): Promise<void> {
  const there = new Set(secrets.list().map(({ name }) => name));
  for (const { name, value } of found) if (!there.has(name)) await secrets.put(name, { value });
}

/** What an import answers: no value of a secret is in it. */
export function answerOf({ flows, left, summary }: FilesRead): ImportAnswer {
  return { imports: flows.map(resultOf), left: [...left], summary };
}

function resultOf({ report, drafts, drawing }: ReadFlow): ImportAnswer['imports'][number] {
  return { report, drafts: [...drafts], drawing };
}
