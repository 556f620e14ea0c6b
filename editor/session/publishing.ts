import { listVersions } from '../api/versions.ts';
import type { Session } from '../commands/command.ts';
import type { Saver } from '../state/save.ts';
import { toast } from '../ui/toast.ts';

type Publishing = Pick<Session['actions'], 'save' | 'publish' | 'publishNow' | 'rollBack' | 'discard'>;

/** Saving the draft, and the ways from the draft to what is live and back. */
export function createPublishing(
  id: string,
  { editor, sync, ui }: Pick<Session, 'editor' | 'sync' | 'ui'>,
  saver: Saver,
  onError: (error: unknown) => void,
): Publishing {
  async function publishNow(): Promise<void> {
    const { version: before } = sync.getState().record;
    if (!(await saver.publish())) return;
    ui.setState({ announcement: 'Published and live' });
    toast('The flow is live.', {
      kind: 'success',
      ...(before !== undefined && {
        action: { label: 'Roll back', run: () => void rollBackTo(before) },
      }),
    });
    const { tellRegistrations } = await import('./tell-registrations.ts');
    void tellRegistrations(id, { editor, sync });
  }

  async function rollBackTo(version: string): Promise<void> {
    const { version: undone } = sync.getState().record;
    if (!(await saver.rollBack(version))) return;
    toast('The version before is live again.', {
      kind: 'success',
      detail: 'Your changes are in the draft.',
      ...(undone !== undefined && {
        action: { label: 'Undo', run: () => void saver.publish() },
      }),
    });
  }

  return {
    save: async () => {
      await saver.save();
    },
    async publish() {
      if (!(await saver.save())) return;
      // There is nothing to compare the first version with.
      if (sync.getState().record.version === undefined) await publishNow();
      else ui.setState({ overlay: { kind: 'publish' } });
    },
    publishNow,
    async rollBack() {
      try {
        const { version: live } = sync.getState().record;
        const all = await listVersions(id);
        const before = all[all.findIndex(({ version }) => version === live) + 1];
        if (before === undefined) toast('There is no earlier version to roll back to.');
        else await rollBackTo(before.version);
      } catch (error) {
        onError(error);
      }
    },
    discard: saver.discardDraft,
  };
}
