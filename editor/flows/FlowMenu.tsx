import { useNavigate } from '@tanstack/react-router';
import { Copy, Download, EllipsisVertical, ExternalLink, PencilLine, Trash2 } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { toast } from '../ui/toast.ts';
import { useAttempt } from './use-attempt.ts';

const FlowDialog = lazy(() => import('./FlowDialog.tsx').then((file) => ({ default: file.FlowDialog })));
const flowActions = () => import('./flow-actions.ts');

const READ_ONLY = 'This server cannot change flows.';

interface FlowMenuProps {
  flow: FlowSummary;
  all: readonly FlowSummary[];
}

/** The actions on one flow of the list. */
export function FlowMenu({ flow, all }: FlowMenuProps) {
  const [asked, setAsked] = useState<'rename' | 'duplicate'>();
  const entries = useEntries(flow, setAsked);
  return (
    <>
      <Menu
        trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${flow.name ?? flow.id}`} />}
        entries={entries}
      />
      <Suspense fallback={null}>
        {asked && <FlowDialog flow={flow} all={all} kind={asked} onClose={() => setAsked(undefined)} />}
      </Suspense>
    </>
  );
}

function useEntries(flow: FlowSummary, ask: (kind: 'rename' | 'duplicate') => void): MenuEntry[] {
  const navigate = useNavigate();
  const attempt = useAttempt();
  const disabled = flow.readOnly ? READ_ONLY : undefined;

  const remove = async (): Promise<void> => {
    const { removeFlow } = await flowActions();
    const bringBack = await removeFlow(flow.id, flow.revision);
    toast(`“${flow.name ?? flow.id}” was deleted.`, {
      action: { label: 'Undo', run: () => void attempt(bringBack) },
    });
  };
  const exportIt = async (): Promise<void> => (await flowActions()).exportFlow(flow.id);

  return [
    {
      id: 'open',
      label: 'Open',
      icon: ExternalLink,
      onSelect: () => void navigate({ to: '/flows/$id', params: { id: flow.id } }),
    },
    { id: 'rename', label: 'Rename…', icon: PencilLine, disabled, onSelect: () => ask('rename') },
    { id: 'duplicate', label: 'Duplicate…', icon: Copy, disabled, onSelect: () => ask('duplicate') },
    { id: 'export', label: 'Export as a file', icon: Download, onSelect: () => void attempt(exportIt) },
    { id: 'separator', separator: true },
    {
      id: 'delete',
      label: 'Delete',
      icon: Trash2,
      danger: true,
      disabled,
      onSelect: () => void attempt(remove),
    },
  ];
}
