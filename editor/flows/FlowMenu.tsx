import { useNavigate } from '@tanstack/react-router';
import {
  Copy,
  Download,
  EllipsisVertical,
  ExternalLink,
  FolderInput,
  PencilLine,
  Tag,
  Trash2,
} from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import type { MenuEntry } from '../ui/menu-entry.ts';
import { useAttempt } from './use-attempt.ts';

const FlowDialog = lazy(() => import('./FlowDialog.tsx').then((file) => ({ default: file.FlowDialog })));
const PlaceDialog = lazy(() => import('./PlaceDialog.tsx').then((file) => ({ default: file.PlaceDialog })));
const DeleteFlows = lazy(() => import('./DeleteFlows.tsx').then((file) => ({ default: file.DeleteFlows })));
const flowActions = () => import('./flow-actions.ts');

const READ_ONLY = 'This server cannot change flows.';

interface FlowMenuProps {
  flow: FlowSummary;
  all: readonly FlowSummary[];
}

type Asked = 'rename' | 'duplicate' | 'move' | 'tag' | 'delete';

/** The actions on one flow of the list. */
export function FlowMenu({ flow, all }: FlowMenuProps) {
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  const entries = useEntries(flow, setAsked);
  return (
    <>
      <Menu
        trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${flow.name ?? flow.id}`} />}
        entries={entries}
      />
      <Suspense fallback={null}>
        {(asked === 'rename' || asked === 'duplicate') && (
          <FlowDialog flow={flow} all={all} kind={asked} onClose={close} />
        )}
        {(asked === 'move' || asked === 'tag') && (
          <PlaceDialog kind={asked} flows={[flow]} all={all} onClose={close} />
        )}
        {asked === 'delete' && <DeleteFlows flows={[flow]} onClose={close} />}
      </Suspense>
    </>
  );
}

function useEntries(flow: FlowSummary, ask: (kind: Asked) => void): MenuEntry[] {
  const navigate = useNavigate();
  const attempt = useAttempt();
  const disabled = flow.readOnly ? READ_ONLY : undefined;

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
    { id: 'move', label: 'Move to a folder…', icon: FolderInput, disabled, onSelect: () => ask('move') },
    { id: 'tag', label: 'Tags…', icon: Tag, disabled, onSelect: () => ask('tag') },
    { id: 'export', label: 'Export as a file', icon: Download, onSelect: () => void attempt(exportIt) },
    { id: 'separator', separator: true },
    {
      id: 'delete',
      label: 'Delete…',
      icon: Trash2,
      danger: true,
      disabled,
      onSelect: () => ask('delete'),
    },
  ];
}
