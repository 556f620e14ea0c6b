import type { FlowSummary } from '#shared/api.ts';
import { copyFlow, renameFlow } from './flow-actions.ts';
import { NameDialog } from './NameDialog.tsx';
import { freeId } from '#shared/flow-copy.ts';
import { useAttempt } from './use-attempt.ts';

interface FlowDialogProps {
  flow: FlowSummary;
  all: readonly FlowSummary[];
  kind: 'rename' | 'duplicate';
  onClose(): void;
}

/** Asks for the details of renaming or duplicating. */
export function FlowDialog({ flow, all, kind, onClose }: FlowDialogProps) {
  const attempt = useAttempt();
  const title = flow.name ?? flow.id;
  if (kind === 'rename') {
    return (
      <NameDialog
        title={`Rename “${title}”`}
        action="Rename"
        name={flow.name ?? ''}
        help={`The id stays ${flow.id}: it is the name of the file, and what others refer to.`}
        onClose={onClose}
        onDone={(name) => attempt(() => renameFlow(flow.id, name))}
      />
    );
  }
  return (
    <NameDialog
      title={`Duplicate “${title}”`}
      action="Duplicate"
      name={`${title} copy`}
      id={freeId(`${flow.id.slice(0, 58)}_copy`, new Set(all.map(({ id }) => id)))}
      taken={all}
      help="A trigger path that is in use gets changed in the copy, so that both can be live."
      onClose={onClose}
      onDone={(name, id) => attempt(() => copyFlow(flow.id, { id, name }, all))}
    />
  );
}
