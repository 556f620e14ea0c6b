import type { FlowChange } from '#shared/api.ts';
import { useEditor, useSession, useSync } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Spinner } from '../ui/Spinner.tsx';
import { ChangeLines } from './ChangeLines.tsx';
import { useNotLive } from './use-not-live.ts';
import { flatFlow } from '../model/document/flat.ts';

/** Shows what publishing would change: what callers notice first, then the other nodes and settings. */
export function PublishDialog({ onClose }: { onClose(): void }) {
  const { actions } = useSession();
  const changes = useNotLive();
  const isTrigger = useIsTrigger();
  const publish = (): void => {
    onClose();
    void actions.publishNow();
  };
  const atTriggers = changes.data?.filter(isTrigger) ?? [];
  const others = changes.data?.filter((change) => !isTrigger(change)) ?? [];
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title="Publish these changes?"
      description="The draft becomes the live version. Roll back makes the version before live again."
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            Not yet
          </Button>
          <Button variant="primary" autoFocus onClick={publish}>
            Publish
          </Button>
        </>
      }
    >
      {changes.isPending && <Spinner label="Comparing with the live version" />}
      {changes.error && <p role="alert">{changes.error.message}</p>}
      {atTriggers.length > 0 && (
        <>
          <h3 className="mb-1 text-xs font-semibold">Triggers: callers notice these</h3>
          <ChangeLines label="Changes of triggers" changes={atTriggers} />
        </>
      )}
      {changes.data && (others.length > 0 || atTriggers.length === 0) && (
        <>
          {atTriggers.length > 0 && <h3 className="mt-3 mb-1 text-xs font-semibold">Nodes and settings</h3>}
          <ChangeLines changes={others} />
        </>
      )}
    </Dialog>
  );
}

/** Whether a change is one of a trigger. */
function useIsTrigger(): (change: FlowChange) => boolean {
  const nodes = useEditor((editor) => flatFlow(editor.doc.flow).nodes);
  const live = useSync((sync) => sync.record.triggers);
  return (change) =>
    'node' in change &&
    (nodes[change.node]?.operator.startsWith('trigger.') === true ||
      live.some(({ node }) => node === change.node));
}
