import { renameTest } from '../api/flow-tests.ts';
import { useChange } from '../session/use-change.ts';
import { TextDialog } from '../ui/TextDialog.tsx';

interface RenameTestProps {
  flow: string;
  name: string;
  onClose(): void;
}

export function RenameTest({ flow, name, onClose }: RenameTestProps) {
  const { busy, error, change } = useChange(['tests'], onClose);
  return (
    <TextDialog
      title="Rename the test"
      label="Name"
      value={name}
      action="Rename"
      busy={busy}
      error={error}
      onSubmit={(to) => void change(() => renameTest(flow, name, to))}
      onClose={onClose}
    />
  );
}
