import { removeTest } from '../api/flow-tests.ts';
import { useChange } from '../session/use-change.ts';
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx';

interface DeleteTestProps {
  flow: string;
  name: string;
  onClose(): void;
}

export function DeleteTest({ flow, name, onClose }: DeleteTestProps) {
  const { busy, error, change } = useChange(['tests'], onClose);
  return (
    <ConfirmDialog
      title={`Delete the test “${name}”?`}
      description="It is removed from the flow’s test file."
      action="Delete"
      busy={busy}
      error={error}
      onConfirm={() => void change(() => removeTest(flow, name))}
      onClose={onClose}
    />
  );
}
