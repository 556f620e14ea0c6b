import type { Hook } from '#shared/hook-api.ts';
import { listHooks } from '../api/operate.ts';
import type { Session } from '../commands/command.ts';
import { titleOf } from '../model/document/geometry.ts';
import { toast } from '../ui/toast.ts';

/** How often it is looked, in milliseconds, and how often at most. */
const LOOK_MS = 1000;
const LOOKS = 20;
/** A problem of before the publication stays until the service has been asked again. */
const SURE_AFTER = 3;

/** After a publication: tells which triggers their service does not call, as soon as that is known. */
export async function tellRegistrations(
  id: string,
  session: Pick<Session, 'editor' | 'sync'>,
): Promise<void> {
  if (!hasCalled(session)) return;
  const { version } = session.sync.getState().record;
  for (let looks = 1; looks <= LOOKS; looks++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    if (session.sync.getState().record.version !== version) return;
    const all = await listHooks(id).catch((): readonly Hook[] => []);
    const hooks = all.filter(({ earlier }) => earlier !== true);
    const isOpen = hooks.some(({ state }) => state === 'registering');
    const failed = hooks.filter(({ state }) => state === 'failed');
    if (failed.length === 0 && !isOpen) return;
    if (failed.length > 0 && !isOpen && looks >= SURE_AFTER)
      return failed.forEach((one) => tell(session, one));
  }
}

/** Whether it has triggers that register themselves. */
function hasCalled({ editor }: Pick<Session, 'editor'>): boolean {
  const { catalog, doc } = editor.getState();
  return Object.values(doc.flow.nodes).some(
    ({ operator }) => catalog.operators[operator]?.called === 'itself',
  );
}

function tell({ editor }: Pick<Session, 'editor'>, { node: id, problem }: Hook): void {
  const { catalog, doc } = editor.getState();
  const node = doc.flow.nodes[id];
  toast(`“${node ? titleOf(node, catalog) : id}” is live, but not registered at its service.`, {
    kind: 'error',
    detail: problem?.message,
    action: { label: 'Show it', run: () => editor.getState().select([id]) },
  });
}
