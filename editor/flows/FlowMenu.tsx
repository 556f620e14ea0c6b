import { useQueryClient } from '@tanstack/react-query';
import { Copy, Download, EllipsisVertical, ExternalLink, PencilLine, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { FlowSummary } from '#shared/api.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { Menu } from '../ui/Menu.tsx';
import { toast } from '../ui/toast.ts';
import { copyFlow, exportFlow, removeFlow, renameFlow } from './flow-actions.ts';
import { freeId } from './flow-list.ts';
import { NameDialog } from './NameDialog.tsx';

const READ_ONLY = 'This server does not change flows.';

/** What can be done to one flow of the list. */
export function FlowMenu({ flow, all }: { flow: FlowSummary; all: readonly FlowSummary[] }) {
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'rename' | 'duplicate'>();
  const attempt = useAttempt();
  const title = flow.name ?? flow.id;
  const disabled = flow.readOnly ? READ_ONLY : undefined;

  const remove = (): Promise<void> =>
    attempt(async () => {
      const bringBack = await removeFlow(flow.id, flow.revision);
      toast(`“${title}” was deleted.`, { action: { label: 'Undo', run: () => void attempt(bringBack) } });
    });

  return (
    <>
      <Menu
        trigger={<IconButton icon={EllipsisVertical} label={`Actions for ${title}`} />}
        entries={[
          {
            id: 'open',
            label: 'Open',
            icon: ExternalLink,
            onSelect: () => void navigate({ to: '/flows/$id', params: { id: flow.id } }),
          },
          { id: 'rename', label: 'Rename…', icon: PencilLine, disabled, onSelect: () => setAsked('rename') },
          {
            id: 'duplicate',
            label: 'Duplicate…',
            icon: Copy,
            disabled,
            onSelect: () => setAsked('duplicate'),
          },
          {
            id: 'export',
            label: 'Export as a file',
            icon: Download,
            onSelect: () => void attempt(() => exportFlow(flow.id)),
          },
          { id: 'separator', separator: true },
          {
            id: 'delete',
            label: 'Delete',
            icon: Trash2,
            danger: true,
            disabled,
            onSelect: () => void remove(),
          },
        ]}
      />
      {asked === 'rename' && (
        <NameDialog
          title={`Rename “${title}”`}
          action="Rename"
          name={flow.name ?? ''}
          help={`The id stays ${flow.id}: it is the name of the file, and what others refer to.`}
          onClose={() => setAsked(undefined)}
          onDone={(name) => attempt(() => renameFlow(flow.id, name))}
        />
      )}
      {asked === 'duplicate' && (
        <NameDialog
          title={`Duplicate “${title}”`}
          action="Duplicate"
          name={`${title} copy`}
          id={freeId(`${flow.id.slice(0, 58)}_copy`, new Set(all.map(({ id }) => id)))}
          taken={all}
          help="A trigger path that is in use gets changed in the copy, so that both can be live."
          onClose={() => setAsked(undefined)}
          onDone={(name, id) => attempt(() => copyFlow(flow.id, { id, name }, all))}
        />
      )}
    </>
  );
}

/** Does something to the server, tells a failure, and has the list read again. */
function useAttempt(): (work: () => Promise<unknown>) => Promise<void> {
  const queries = useQueryClient();
  return async (work) => {
    try {
      await work();
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { kind: 'error' });
    } finally {
      await queries.invalidateQueries({ queryKey: ['flows'] });
    }
  };
}
