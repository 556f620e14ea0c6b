import { useQueryClient } from '@tanstack/react-query';
import { CloudUpload, Download, FolderInput, Tag, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { publishFlow } from '../api/flows.ts';
import { Button } from '../ui/Button.tsx';
import { countText } from '../ui/format.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { toast } from '../ui/toast.ts';
import { DeleteFlows } from './DeleteFlows.tsx';
import { exportFlow, exportFlows } from './flow-actions.ts';
import { PlaceDialog } from './PlaceDialog.tsx';
import { RefusedDialog } from './RefusedDialog.tsx';
import { useAttempt } from './use-attempt.ts';
import { eachFlow, type Refusal } from './each-flow.ts';

interface BulkBarProps {
  selected: readonly FlowSummary[];
  all: readonly FlowSummary[];
  onClear(): void;
}

/** The actions on all selected flows at once. */
export function BulkBar({ selected, all, onClear }: BulkBarProps) {
  const attempt = useAttempt();
  const [asked, setAsked] = useState<'move' | 'tag' | 'delete'>();
  const isFixed = selected.every(({ readOnly }) => readOnly);
  const close = (): void => setAsked(undefined);
  const ids = selected.map(({ id }) => id);
  return (
    <div
      role="group"
      aria-label="Selected flows"
      className="flex flex-wrap items-center gap-2 rounded-lg border border-accent/40 bg-accent-soft px-2 py-1"
    >
      <span className="px-1 font-medium" role="status">
        {countText(selected.length, 'flow')} selected
      </span>
      <PublishButton selected={selected} />
      <Button size="sm" icon={FolderInput} disabled={isFixed} onClick={() => setAsked('move')}>
        Move…
      </Button>
      <Button size="sm" icon={Tag} disabled={isFixed} onClick={() => setAsked('tag')}>
        Tag…
      </Button>
      <Button
        size="sm"
        icon={Download}
        onClick={() =>
          void attempt(() => (ids.length === 1 ? exportFlow(ids[0] as string) : exportFlows(ids)))
        }
      >
        Export
      </Button>
      <Button size="sm" variant="danger" icon={Trash2} disabled={isFixed} onClick={() => setAsked('delete')}>
        Delete…
      </Button>
      <IconButton size="sm" icon={X} label="Clear the selection" className="ml-auto" onClick={onClear} />
      {(asked === 'move' || asked === 'tag') && (
        <PlaceDialog kind={asked} flows={selected} all={all} onClose={close} />
      )}
      {asked === 'delete' && <DeleteFlows flows={selected} onClose={close} />}
    </div>
  );
}

/** Publishes the drafts among them; those that are refused are listed. */
function PublishButton({ selected }: { selected: readonly FlowSummary[] }) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<readonly Refusal[]>([]);
  const ready = selected.filter(({ hasDraft, readOnly }) => hasDraft && !readOnly);
  const publish = async (): Promise<void> => {
    setBusy(true);
    const bad = await eachFlow(ready, ({ id, revision }) => publishFlow(id, revision));
    await queries.invalidateQueries({ queryKey: ['flows'] });
    setBusy(false);
    setRefused(bad);
    const done = ready.length - bad.length;
    if (done > 0) toast(`${countText(done, 'flow')} published.`, { kind: 'success' });
  };
  return (
    <>
      <Button
        size="sm"
        icon={CloudUpload}
        busy={busy}
        disabled={ready.length === 0}
        title={ready.length === 0 ? 'None of these flows has a draft.' : undefined}
        onClick={() => void publish()}
      >
        Publish{ready.length > 0 && ready.length < selected.length ? ` ${ready.length}` : ''}
      </Button>
      {refused.length > 0 && (
        <RefusedDialog
          title={`${countText(refused.length, 'flow')} could not be published`}
          description="They stay as they were. Open each one to see its problems."
          refused={refused}
          onClose={() => setRefused([])}
        />
      )}
    </>
  );
}
