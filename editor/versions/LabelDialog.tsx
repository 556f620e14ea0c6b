import type { FlowVersion } from '#shared/api.ts';
import { labelVersion } from '../api/versions.ts';
import { useSync } from '../session/session.tsx';
import { useChange } from '../session/use-change.ts';
import { TextDialog } from '../ui/TextDialog.tsx';

interface LabelDialogProps {
  version: FlowVersion;
  onClose(): void;
}

/** Names a version. */
export function LabelDialog({ version: { version, label = '' }, onClose }: LabelDialogProps) {
  const flow = useSync((sync) => sync.record.id);
  const { busy, error, change } = useChange(['versions'], onClose);
  return (
    <TextDialog
      title={`Label of version ${version.slice(0, 8)}`}
      label="Label"
      help="For people, such as “before the sale”. Empty removes it."
      value={label}
      action="Set the label"
      mayBeEmpty
      busy={busy}
      error={error}
      onSubmit={(text) => void change(() => labelVersion(flow, version, text))}
      onClose={onClose}
    />
  );
}
